"""LongMemEval: each question's history is a conversation of dated sessions."""

import io
import json
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def question(*sessions: object, **more: object) -> dict[str, Any]:
    return {
        "question_id": "q1",
        "question": "Which kiln?",
        "answer": "the small one",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": list(sessions),
        **more,
    }


def longmemeval(document: object) -> Transcript:
    transcript = read(io.BytesIO(json.dumps(document).encode()), name="haystack.json")
    assert transcript.format == "longmemeval"
    return transcript


ASKED = {"role": "user", "content": "I fired the small kiln.", "has_answer": True}
SAID = {"role": "assistant", "content": "How hot?"}


def test_a_session_with_its_date() -> None:
    common: dict[str, Any] = {"conversation_id": "q1", "timestamp": "2023-05-20T02:21:00", "session_id": "s1", "source": "haystack.json"}
    assert list(longmemeval([question([ASKED, SAID])]).messages) == [
        Message(
            message_id="s1:1",
            speaker="user",
            role="user",
            text="I fired the small kiln.",
            locator="[0].haystack_sessions[0][0]",
            metadata={"has_answer": True},
            **common,
        ),
        Message(message_id="s1:2", speaker="assistant", role="assistant", text="How hot?", locator="[0].haystack_sessions[0][1]", **common),
    ]


def test_sessions_without_ids_or_dates() -> None:
    messages = longmemeval([question([ASKED], [SAID], haystack_session_ids=["s1"]), {**question([SAID]), "question_id": None}]).messages
    assert [(m.conversation_id, m.session_id, m.message_id, m.timestamp) for m in messages] == [
        ("q1", "s1", "s1:1", "2023-05-20T02:21:00"),
        ("q1", "session_2", "session_2:1", None),
        ("haystack-2", "s1", "s1:1", "2023-05-20T02:21:00"),
    ]


def test_a_date_that_cannot_be_read_is_reported() -> None:
    transcript = longmemeval([question([ASKED], haystack_dates=["some day"])])
    assert [m.timestamp for m in transcript.messages] == [None]
    assert transcript.warnings == ["1 session's date could not be read; its messages have no time"]


def test_one_question_alone_and_empty_sessions() -> None:
    assert [m.locator for m in longmemeval(question([], [SAID])).messages] == ["haystack_sessions[1][0]"]


def test_sessions_behind_more_than_detection_looks_at() -> None:
    ids = [f"session-{n:06}" for n in range(8_000)]
    document = [{"question_id": "q1", "haystack_session_ids": ids, "haystack_dates": [], "haystack_sessions": [[ASKED]]}]
    assert [m.session_id for m in longmemeval(document).messages] == ["session-000000"]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([question([ASKED]), {"question_id": "q2"}], r"\[1\]"),
        ([question("x")], r"\[0\]\.haystack_sessions\[0\]"),
        ([question([ASKED, {"role": "user"}])], r"\[0\]\.haystack_sessions\[0\]\[1\]"),
    ],
)
def test_what_does_not_fit_is_an_error_at_its_place(document: object, place: str) -> None:
    with pytest.raises(InputError, match=rf"^haystack\.json: {place}: looks like .*; longmemeval expects"):
        list(longmemeval(document).messages)
