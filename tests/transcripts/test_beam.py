import io
import json
from pathlib import Path
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def beam(document: object, name: str = "long.json") -> Transcript:
    transcript = read(io.BytesIO(json.dumps(document).encode()), name=name)
    assert transcript.format == "beam"
    return transcript


def turn(ident: int, content: str, role: str = "user", **more: object) -> dict[str, Any]:
    return {"role": role, "id": ident, "content": content, **more}


def test_a_batch_with_an_anchored_turn() -> None:
    question = turn(0, "How do I wire the kiln? ->-> 1,1", time_anchor="February-03-2024", index="1,1", question_type="main_question")
    transcript = beam([{"batch_number": 1, "time_anchor": None, "turns": [[question, turn(1, "With a thick cable.", "assistant")]]}])
    common: dict[str, Any] = {"conversation_id": "long", "timestamp": "2024-02-03T00:00:00", "session_id": "batch_1", "source": "long.json"}
    assert list(transcript.messages) == [
        Message(
            message_id="0",
            speaker="user",
            role="user",
            text="How do I wire the kiln?",
            locator="batch_1.turns[0][0]",
            metadata={"index": "1,1", "question_type": "main_question"},
            **common,
        ),
        Message(message_id="1", speaker="assistant", role="assistant", text="With a thick cable.", locator="batch_1.turns[0][1]", **common),
    ]


def test_a_date_holds_until_the_next_one() -> None:
    batches = [
        {
            "batch_number": 1,
            "time_anchor": "March-15-2024",
            "turns": [[turn(0, "a")], [turn(1, "b", time_anchor="March-16-2024")], [turn(2, "c")]],
        },
        {"batch_number": 2, "turns": [[turn(3, "d")]]},
        {"batch_number": 3, "time_anchor": "April-01-2024", "turns": [[turn(4, "e")]]},
    ]
    assert [(m.timestamp or "")[:10] for m in beam(batches).messages] == [
        "2024-03-15",
        "2024-03-16",
        "2024-03-16",
        "2024-03-16",
        "2024-04-01",
    ]


def test_without_any_date_there_is_no_time() -> None:
    (message,) = beam([{"batch_number": 7, "turns": [[turn(0, "a", time_anchor="some day")]]}]).messages
    assert (message.timestamp, message.session_id, message.metadata) == (None, "batch_7", {"time_anchor": "some day"})


@pytest.mark.parametrize(
    ("content", "text", "index"),
    [
        ("Why? ->-> 12,3", "Why?", "12,3"),
        ("```\nx\n``` ->-> 2,N/A", "```\nx\n```", "2,N/A"),
        ("a ->-> b", "a ->-> b", None),
        ("a ->-> 1,1 b", "a ->-> 1,1 b", None),
    ],
)
def test_only_a_label_at_the_very_end_is_cut_off(content: str, text: str, index: str | None) -> None:
    (message,) = beam([{"batch_number": 1, "turns": [[turn(0, content)]]}]).messages
    assert (message.text, message.metadata.get("index")) == (text, index)


def test_turns_that_are_not_grouped() -> None:
    assert [m.locator for m in beam([{"batch_number": 1, "turns": [turn(0, "a"), turn(1, "b")]}]).messages] == [
        "batch_1.turns[0]",
        "batch_1.turns[1]",
    ]


def test_a_file_called_chat_json_is_named_after_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "seventeen"
    folder.mkdir()
    (folder / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [[turn(0, "a")]]}]))
    (message,) = read(folder / "chat.json").messages
    assert message.conversation_id == "seventeen"
    assert message.source == str(folder / "chat.json")


def test_a_batch_without_turns_is_an_error_at_its_place() -> None:
    with pytest.raises(InputError, match=r"^long\.json: \[1\]: looks like .*batch_number.*beam expects .*turns"):
        list(beam([{"batch_number": 1, "turns": []}, {"batch_number": 2}]).messages)
