"""A memory with everything in it that an export tells of: merges, conflicts, a compression run, odd characters, ids of all sorts."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.memory import Memory

LINES = [
    ("Signe", "I moved to Tartu in May 2023. I play the cello.", "2023-06-01T10:00:00", "a1"),
    ("Okan", "Great! I adopted a greyhound named Pixel yesterday.", "2023-06-01T10:01:00", "a2"),
    ("Signe", "I play the cello.", "2023-06-02T09:00:00+02:00", "a3"),
    ("Okan", "I have never been to Tartu. Am 14. Juli 2023 fahre ich nach Köln.", "2023-06-03T09:00:00", "a4"),
    ("Signe", "I don't play the cello.", "2023-09-02T09:00:00", "a5"),
    ("Okan", 'The sign said "C:\\new" & <b>50%</b> | \x1b[31mred\u009b2J 🫖\nsecond line ```x```', "2023-09-03T09:00:00", "a6"),
    ("明", "我们的期中报告下周五交。", None, "a 7/ü"),
]
"""(speaker, text, timestamp, id)"""


def messages() -> list[Message]:
    """The transcript, with metadata that a chat would take for fields of its own, a clash of ids, and messages without one."""
    said = [Message("kitchen", ident, who, "user", text, when, session_id="s1") for who, text, when, ident in LINES]
    odd: dict[str, Any] = {"name": "not me", "date": "2020-01-01", "id": 5, "reactions": ["❤", {"by": "Okan"}], "kind": "x", "from": "y"}
    said.append(Message("kitchen", "a8", "Okan", "user", "The kettle broke on Tuesday.", None, metadata=odd))
    said.append(Message("kitchen", "a1", "Okan", "user", "I bought a second kettle in Narva.", "2023-09-04T09:00:00"))
    said += [
        Message("log", str(n), "assistant", "assistant", text, None, occurrence=1)
        for n, text in enumerate(("The build failed in module nine.", "I fixed the build.", "I deploy it on Friday."), 1)
    ]
    return said


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The memory; not to be written to."""
    path = tmp_path_factory.mktemp("export") / "all.memdb"
    with Memory.open(path) as memory:
        memory.add(messages())
    return path


@pytest.fixture
def compressed(tmp_path: Path) -> Path:
    """The same with a compression run in force and one that was undone, as rows."""
    path = tmp_path / "compressed.memdb"
    with Memory.open(path) as memory:
        memory.add(messages())
        run = memory._connection.execute
        run("BEGIN")
        run("""INSERT INTO runs VALUES (1, 0.5, '{"seed": 7}', 1700000000, NULL), (2, 0.5, '{}', 1700000100, 1700000200)""")
        run("UPDATE claims SET status = 'archived' WHERE id IN (2, 3)")
        run("INSERT INTO claim_supports SELECT 1, span_id, 9 + position FROM claim_supports WHERE claim_id = 2")
        run("INSERT INTO lineage VALUES (1, 2, 1), (1, 3, 2)")
        # As compression does it: a new claim in the place of two.
        run(
            "INSERT INTO claims (id, page_id, text, kind, speaker_id, origin, anchor_span_id)"
            " SELECT 900, page_id, 'Two in one.', kind, speaker_id, 'merge', anchor_span_id FROM claims WHERE id = 6"
        )
        run("INSERT INTO claim_supports SELECT 900, span_id, claim_id * 10 + position FROM claim_supports WHERE claim_id IN (6, 7)")
        run("UPDATE claims SET status = 'archived' WHERE id IN (6, 7); INSERT INTO lineage VALUES (1, 6, 900), (1, 7, 900)")
        run("INSERT INTO event_trees VALUES (1, 1, 1)")
        run("INSERT INTO event_tree_edges VALUES (1, 2, 1, 0.8)")
        run("COMMIT")
    return path


Export = Callable[..., str]


@pytest.fixture
def export(filled: Path) -> Export:
    """`export(format, claim=..., path=...)`: the text of an export."""

    def exported(format: str, *, claim: int | None = None, path: Path = filled) -> str:
        out = io.StringIO()
        with Memory.open(path, create=False, read_only=True) as memory:
            memory.export(format, out, claim=claim)
        return out.getvalue()

    return exported


@pytest.fixture
def rows(filled: Path, export: Export) -> Callable[..., dict[str, list[dict[str, Any]]]]:
    """The lines of a JSON lines export by kind; messages are `message`."""

    def by_kind(*, claim: int | None = None, path: Path = filled) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for line in map(json.loads, export("jsonl", claim=claim, path=path).splitlines()):
            kind = line.get("kind") if line.get("messages") == [] else "message"
            found.setdefault(kind, []).append(line[kind] if kind != "message" else line)
        return found

    return by_kind
