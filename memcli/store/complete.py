"""What a memory holds that begins with what was typed: for completion on the command line, so at once or not at all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import apsw

LIMIT: Final = 100
"""Values of one answer: more than anybody reads through."""

_SECONDS: Final = 0.08
"""How long may be looked. A shell waits for the answer, and what was found by then is better than what comes too late."""

_LONGEST: Final = 80
"""Characters of a description."""

Found = tuple[str, str]
"""A value, and what it is."""

_NUMBERED: Final = {
    "claim": ("claims", "substr(text, 1, 90)"),
    "page": ("pages", "''"),
    "span": ("spans", "kind"),
    "handle": ("handles", "text"),
    "time_cue": ("time_cues", "text"),
    "pivot": ("pivots", "text"),
    "edge": ("edges", "relation"),
    "group": ("groups", "label"),
    "event_tree": ("event_trees", "'about claim ' || center_claim_id"),
    "run": ("runs", "'ratio ' || ratio || iif(undone_at IS NULL, '', ', undone')"),
}
"""Atoms that are known by their number: the table, and what is said of each."""

_BEGINS: Final = "substr({0}, 1, length(?1)) = ?1"

_NAMED: Final = {
    "conversation": f"SELECT external_id, '' FROM conversations WHERE {_BEGINS.format('external_id')}",
    "session": "SELECT DISTINCT s.external_id, 'of ' || c.external_id FROM sessions s JOIN conversations c ON c.id = s.conversation_id"
    f" WHERE {_BEGINS.format('s.external_id')}",
    "speaker": f"SELECT DISTINCT speaker, '' FROM messages WHERE {_BEGINS.format('speaker')}",
    "referent": f"SELECT DISTINCT name, kind FROM referents WHERE {_BEGINS.format('name')}",
    "keyword": f"SELECT text, '' FROM keywords WHERE {_BEGINS.format('text')}",
    "topic": f"SELECT DISTINCT label, '' FROM topics WHERE {_BEGINS.format('label')}",
    "embedder": f"SELECT name, 'of this memory' FROM models WHERE role = 'embedder' AND {_BEGINS.format('name')}",
    "reranker": f"SELECT name, 'of this memory' FROM models WHERE role = 'reranker' AND {_BEGINS.format('name')}",
}
"""What is known by its name: the name, and what is said of it."""

_MESSAGES: Final = (
    "SELECT c.external_id, m.external_id, m.speaker || coalesce(': ' || substr(m.text, 1, 90), '') FROM messages m"
    " JOIN conversations c ON c.id = m.conversation_id WHERE "
)

ATOMS: Final = ("claim", "message", "referent", "conversation", "topic", "keyword", *(kind for kind in _NUMBERED if kind != "claim"))
"""Kinds of atoms, as they stand before the colon of an ID."""


def complete(path: Path, kind: str, prefix: str) -> list[Found]:
    """Values of `kind` that begin with `prefix`, at most `LIMIT`, each with a short description; fewer where looking takes too long.

    Args:
        path: a memory file. It is only read; one of another version is read as far as it can be.
        kind: `atom` (a claim's number or `KIND:ID`), one of `ATOMS`, `session`, `speaker`, `embedder` or `reranker`.
        prefix: what was typed so far.

    Raises:
        apsw.Error: it is missing or no memory.
    """
    connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    deadline = time.monotonic() + _SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 2000)
    found: list[Found] = []
    try:
        with suppress(apsw.InterruptError, apsw.BusyError):
            for value, description in _values(connection, kind, prefix):
                if value.isprintable():
                    found.append((value, " ".join(description.split())[:_LONGEST]))
                if len(found) == LIMIT:
                    break
    finally:
        connection.close()
    return found


def _values(connection: apsw.Connection, kind: str, prefix: str) -> Iterator[Found]:
    if kind == "atom":
        atom, colon, name = prefix.partition(":")
        if colon:
            if atom in ATOMS:
                yield from ((f"{atom}:{value}", description) for value, description in _values(connection, atom, name))
            return
        yield from ((f"{each}:", "") for each in ATOMS if each.startswith(prefix))
        yield from _numbered(connection, "claim", prefix)
    elif kind == "message":
        yield from _messages(connection, prefix)
    elif kind in _NUMBERED:
        yield from _numbered(connection, kind, prefix)
    elif kind in _NAMED:
        yield from cast(Iterator[Found], connection.execute(f"{_NAMED[kind]} LIMIT {LIMIT}", (prefix,)))


def _numbered(connection: apsw.Connection, kind: str, prefix: str) -> Iterator[Found]:
    """Atoms whose number begins with these digits: a range of numbers for each length, so that none is looked at in vain."""
    table, description = _NUMBERED[kind]
    if prefix and not (prefix.isascii() and prefix.isdecimal() and prefix[0] != "0" and len(prefix) < 18):
        return
    first = int(prefix or 1)
    widths = range(18 - len(prefix)) if prefix else range(1)
    for width in widths:
        low = first * 10**width
        high = low + 10**width - 1 if prefix else 10**18
        rows = connection.execute(
            f"SELECT CAST(id AS TEXT), {description} FROM {table} WHERE id BETWEEN ? AND ? ORDER BY id LIMIT {LIMIT}", (low, high)
        )
        yield from cast(Iterator[Found], rows)


def _messages(connection: apsw.Connection, prefix: str) -> Iterator[Found]:
    """Messages by the ids that their transcripts gave; as CONVERSATION/ID where several conversations have it."""
    rows = cast(
        list[tuple[str, str, str]], connection.execute(f"{_MESSAGES}{_BEGINS.format('m.external_id')} LIMIT {LIMIT}", (prefix,)).fetchall()
    )
    ids = [message for _, message, _ in rows]
    if not rows:
        by_place = _BEGINS.format("c.external_id || '/' || m.external_id")
        rows = cast(list[tuple[str, str, str]], connection.execute(f"{_MESSAGES}{by_place} LIMIT {LIMIT}", (prefix,)).fetchall())
        ids = [message for _, message, _ in rows] * 2
    for place, message, description in rows:
        yield (f"{place}/{message}" if ids.count(message) > 1 else message), description
