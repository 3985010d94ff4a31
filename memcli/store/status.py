"""What is in the file: counts of every family of rows, the models it was made with, and where its bytes go."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import apsw

from memcli.results import Status
from memcli.store.completions import tallies
from memcli.store.failures import loading
from memcli.store.migrations import user_version

_TABLES = (
    "conversations", "sessions", "messages", "pages", "spans", "referents", "handles", "time_cues", "pivots", "keywords", "edges",
    "groups", "topics", "event_trees", "runs", "ingests", "packs", "completions", "tombstones",
)  # fmt: skip

_TEXT_TABLES = frozenset(("messages", "packs", "claims"))
"""The tables that hold words."""

_MODULES = {"fts5": "search", "vec0": "vectors"}


def status(connection: apsw.Connection, path: Path) -> Status:
    """Count everything.

    Returns:
        `counts` by table, `claims` being the active ones and `claims_archived` the others; `bytes` of the `file` and its
        `wal`, and of the file by family: `text` (messages, packs, claims), `search` (FTS5), `vectors` (sqlite-vec) and
        `other`, each with its SQL indexes, as of the last commit.

    Raises:
        StoreError: the file is damaged or locked.
    """
    with loading(path):
        counts = {table: _number(connection, f"SELECT count(*) FROM {table}") for table in _TABLES}
        counts["claims"] = _number(connection, "SELECT count(*) FROM claims WHERE status = 'active'")
        counts["claims_archived"] = _number(connection, "SELECT count(*) FROM claims WHERE status = 'archived'")
        models = connection.execute("SELECT role, name, fingerprint, dimension FROM models ORDER BY id").fetchall()
        return Status(
            path=str(path),
            schema_version=user_version(connection),
            counts=counts,
            models=[dict(zip(("role", "name", "fingerprint", "dimension"), row, strict=True)) for row in models],
            bytes={"file": _size(path), "wal": _size(path.with_name(path.name + "-wal")), **_bytes_by_family(connection)},
            conversations=_conversations(connection),
            proposals={use: _outcome(counts) for use, counts in tallies(connection).items()},
        )


def _outcome(counts: dict[str, int]) -> dict[str, Any]:
    """What became of the proposals of one use."""
    rejected = {reason: count for reason, count in counts.items() if reason != "accepted"}
    return {"proposed": sum(counts.values()), "accepted": counts.get("accepted", 0), "rejected": rejected}


def _conversations(connection: apsw.Connection) -> list[dict[str, Any]]:
    """Every conversation with its number of messages, its speakers by how much they said, and its first and last time."""
    speakers: defaultdict[int, list[str]] = defaultdict(list)
    for conversation, speaker in connection.execute(
        "SELECT conversation_id, speaker FROM messages GROUP BY conversation_id, speaker ORDER BY conversation_id, count(*) DESC, speaker"
    ):
        speakers[int(conversation)].append(str(speaker))
    rows = connection.execute(
        "SELECT c.id, c.external_id, count(m.id), min(m.timestamp), max(m.timestamp)"
        " FROM conversations c LEFT JOIN messages m ON m.conversation_id = c.id GROUP BY c.id ORDER BY c.id"
    )
    return [
        {"id": name, "messages": count, "speakers": speakers[number], "first": first, "last": last}
        for number, name, count, first, last in rows
    ]


def _number(connection: apsw.Connection, sql: str) -> int:
    return int(connection.execute(sql).get)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _bytes_by_family(connection: apsw.Connection) -> dict[str, int]:
    """Bytes of the database's pages by family; pages on the free list are `other`."""
    schema: list[tuple[str, str, str]] = [
        (str(name), str(table), str(sql or "").lower())
        for name, table, sql in connection.execute("SELECT name, tbl_name, sql FROM sqlite_schema")
    ]
    virtual = {
        name: family
        for name, _, sql in schema
        for module, family in _MODULES.items()
        if sql.startswith("create virtual table") and f"using {module}" in sql
    }
    table_of = {name: table for name, table, _ in schema}
    sizes: Counter[str] = Counter({"text": 0, "search": 0, "vectors": 0, "other": 0})
    for name, size in connection.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"):
        table = table_of.get(str(name), str(name))
        # A virtual table keeps its rows in tables of its own, named after it: span_views_data, span_views_idx, ...
        owner = next((family for owner, family in virtual.items() if table.startswith(owner + "_")), None)
        sizes[owner or ("text" if table in _TEXT_TABLES else "other")] += int(size)
    sizes["other"] += _number(connection, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
    return dict(sizes)
