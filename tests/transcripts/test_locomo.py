import io
import json
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def locomo(document: object, name: str = "pair.json", indent: int | None = None) -> Transcript:
    transcript = read(io.BytesIO(json.dumps(document, indent=indent).encode()), name=name)
    assert transcript.format == "locomo"
    return transcript


def sample(**sessions: object) -> dict[str, Any]:
    return {"sample_id": "pair-1", "conversation": {"speaker_a": "Odalys", "speaker_b": "Bartholo", **sessions}}


TURN = {"speaker": "Odalys", "dia_id": "D1:1", "text": "I bought a kiln."}


def test_a_turn_with_an_image() -> None:
    turn = {**TURN, "img_url": ["http://example.org/kiln.jpg"], "blip_caption": "a kiln in a garden", "query": "kiln"}
    transcript = locomo([sample(session_1_date_time="7:05 pm on 3 February, 2024", session_1=[turn])])
    assert list(transcript.messages) == [
        Message(
            conversation_id="pair-1",
            message_id="D1:1",
            speaker="Odalys",
            role="user",
            text="I bought a kiln.\n[image: a kiln in a garden]",
            timestamp="2024-02-03T19:05:00",
            session_id="session_1",
            source="pair.json",
            locator="session_1[0]",
            metadata={"img_url": ["http://example.org/kiln.jpg"], "query": "kiln"},
        )
    ]
    assert transcript.warnings == []


def test_sessions_are_in_the_order_of_their_numbers_and_empty_ones_are_passed_over() -> None:
    turns = {f"session_{n}": [{**TURN, "dia_id": f"D{n}:1"}] for n in (10, 2, 1)}
    document = sample(session_3_date_time="1:00 am on 1 May, 2024", session_4=[], session_2_date_time="12:10 am on 2 May, 2024", **turns)
    assert [(m.message_id, m.session_id, m.timestamp) for m in locomo(document).messages] == [
        ("D1:1", "session_1", None),
        ("D2:1", "session_2", "2024-05-02T00:10:00"),
        ("D10:1", "session_10", None),
    ]


@pytest.mark.parametrize("text", ["", None])
def test_a_turn_with_nothing_but_an_image_is_its_caption(text: str | None) -> None:
    (message,) = locomo(sample(session_1=[{**TURN, "text": text, "blip_caption": "two bowls"}])).messages
    assert message.text == "[image: two bowls]"


def test_ids_that_are_missing_come_from_the_file_and_the_order() -> None:
    first, second = sample(session_1=[{"speaker": "Odalys", "text": "a"}]), sample(session_1=[{"speaker": "Odalys", "text": "b"}])
    del first["sample_id"], second["sample_id"]
    assert [(m.conversation_id, m.message_id) for m in locomo([first, second]).messages] == [("pair", "1"), ("pair-2", "1")]


def test_questions_before_the_conversation_may_be_longer_than_what_detection_looks_at() -> None:
    questions = [{"question": f"What did Odalys buy on day {n}?", "evidence": ["D1:1"], "answer": "a kiln"} for n in range(2000)]
    transcript = locomo([{"qa": questions, **sample(session_1=[TURN])}], indent=2)
    assert [m.text for m in transcript.messages] == ["I bought a kiln."]


def test_an_unreadable_session_time_is_kept_as_metadata() -> None:
    (message,) = locomo(sample(session_1_date_time="the morning after", session_1=[TURN])).messages
    assert (message.timestamp, message.metadata) == (None, {"session_date_time": "the morning after"})


def test_a_turn_without_a_speaker_is_an_error_at_its_place() -> None:
    with pytest.raises(InputError, match=r'^pair\.json: session_1\[1\]: looks like .*"text".*expects .*"speaker"'):
        list(locomo(sample(session_1=[TURN, {"text": "who?"}])).messages)
