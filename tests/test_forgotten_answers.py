"""What is forgotten does not come back with a language model's answers, whichever process kept them in mind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli import Memory, Message
from memcli.loaded import keep
from memcli.models.language import Prompt
from memcli.proposals.assistant import Asked, Assistant
from memcli.store.completions import forgotten
from memcli.store.connection import connect, tidy_close
from tests.proposals.scripted import Scripted

_SECRET = "zanzibarquux"


@pytest.mark.parametrize("when", ["before", "never"])
def test_an_answer_that_is_kept_late_is_dropped_once_something_was_forgotten(tmp_path: Path, when: str) -> None:
    path = tmp_path / "quay.memdb"
    with Memory.open(path) as memory:
        memory.add(
            [
                Message("quay", "q1", "Ada", "user", f"The gate's word is {_SECRET}."),
                Message("quay", "q2", "Bea", "user", "I sold the canoe."),
            ]
        )
    connection = connect(path)
    assistant = Assistant(Scripted(reply=lambda _prompt: json.dumps({"text": _SECRET})))
    assistant.forgotten = forgotten(connection)
    assert assistant.text(Asked("answer", Prompt("Say it.", _SECRET), 10)) is not None
    if when == "before":
        with Memory.open(path) as other:
            assert other.forget(message="q1").counts["messages"] == 1
    keep(connection, assistant)
    kept = connection.execute("SELECT count(*) FROM completions").get
    tidy_close(connection)
    assert kept == (0 if when == "before" else 1)
    assert (_SECRET.encode() in path.read_bytes()) == (when == "never")
