"""Batches are begun ahead of those that are stored; another process that writes in between changes nothing of what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli import Memory, Message, ingest
from memcli.writer import Prepared, Writer

_NAMES = ("Ada", "Bea", "Cleo", "Dan", "Eve", "Fay")


def _said(number: int, name: str) -> Message:
    return Message("quay", f"q{number}", name, "user", f"I painted boat {number} for everybody.", f"2024-05-{number:02}T10:00:00")


@pytest.mark.parametrize("moment", range(len(_NAMES)))
def test_who_had_spoken_does_not_depend_on_other_writers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    monkeypatch.setattr(ingest, "BATCH_MESSAGES", 1)
    path = tmp_path / "quay.memdb"
    heard: list[tuple[str, tuple[str, ...]]] = []
    store = Writer.store

    def noting(self: Writer, batch: list[Prepared], ingest_id: int | None) -> None:
        heard.extend((one.turn.message.speaker, one.people) for one in batch)
        store(self, batch, ingest_id)

    def disturbed() -> Iterator[Message]:
        for number, name in enumerate(_NAMES):
            if number == moment:
                with Memory.open(path) as other:
                    other.add([Message("mill", "m1", "Gus", "user", "I oiled the mill wheel.")])
            yield _said(number + 1, name)

    with Memory.open(path) as memory:
        memory.add([Message("mill", "m0", "Gus", "user", "I swept the mill.")])
        monkeypatch.setattr(Writer, "store", noting)
        memory.add(disturbed())
        assert memory.verify().sound
        assert memory.status().counts["messages"] == len(_NAMES) + 2
    own = [(speaker, people) for speaker, people in heard if speaker != "Gus"]
    assert own == [(name, _NAMES[:number]) for number, name in enumerate(_NAMES, 1)]
