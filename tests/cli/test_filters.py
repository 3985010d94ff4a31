"""The filters of ask and search, from the command a user types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Command


def _messages(found: dict[str, Any]) -> set[str]:
    return {evidence["message_id"] for fact in found["facts"] for evidence in fact["evidence"]}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--until", "2024-03-09"], {"m1", "m2", "m3"}),
        (["--since", "2024-03-10"], {"m7", "m8"}),
        (["--as-of", "2024-03-02T14:05:30"], {"m1"}),
        (["--since", "March 9 2024", "--until", "March 10 2024", "--speaker", "Ottilie"], {"m5"}),
    ],
)
def test_only_what_passes_is_found(river: Command, options: list[str], expected: set[str]) -> None:
    found = _messages(river.json("search", "goat kettle kiln firmware Brunhilde 报告", "-k", "50", *options))
    assert found
    assert found <= expected


def test_an_answer_knows_nothing_of_what_was_said_later(river: Command) -> None:
    question = "What broke on Tuesday?"
    assert river.json("ask", question, "--as-of", "2024-03-09")["sufficient"] is True
    before = river("ask", question, "--as-of", "2024-03-08", "--json")
    assert before.returncode == 1


def test_explain_tells_how_a_filter_was_read(river: Command) -> None:
    explained = river.json("search", "goat", "--since", "2024-03", "--speaker", "ottilie", "--explain")["explain"]
    assert explained["filters"] == {"since": "2024-03-01T00:00:00", "speaker": ["Ottilie"], "messages": 4, "of": 8}


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--since", "soonish"], 2, "not a time; write 2023-05-07"),
        (["--speaker", "Ottilia"], 2, "nobody of that name speaks in this memory; there are Ottilie"),
        (["--conversation", "nope"], 1, "there is none of that name"),
    ],
)
def test_a_filter_that_cannot_be_read_says_what_to_write(river: Command, options: list[str], status: int, said: str) -> None:
    done = river("search", "goat", *options)
    assert done.returncode == status
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
