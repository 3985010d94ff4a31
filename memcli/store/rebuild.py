"""Rebuilding what is derived: search indexes and vectors from messages, cues and claims; and whatever else is handed in.

Indexes and vectors are made in chunks, each stored in a short transaction of its own and embedded before it begins, so that neither
memory nor the time that others wait for the lock grows with the file. A rebuilding that is cut short leaves what `verify` reports, and
is simply begun again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import cast

import apsw
import numpy as np

from memcli.models import Embedder
from memcli.store import vectors
from memcli.store.compress import VIEW_OF_CLAIMS
from memcli.store.connection import transaction
from memcli.store.search import View, insert_views
from memcli.store.settings import recorded_embedder

CHUNK = 512
"""Atoms rebuilt at a time."""

_TEXTS: dict[View, str] = {
    "span": "SELECT a.id, substr(t.text, a.start_offset + 1, a.end_offset - a.start_offset)"
    " FROM spans a JOIN messages m ON m.id = a.message_id JOIN message_texts t ON t.id = m.id WHERE TRUE",
    "claim": VIEW_OF_CLAIMS,
    "referent": "SELECT a.id, a.name FROM referents a WHERE TRUE",
    "time_cue": "SELECT a.id, a.text FROM time_cues a WHERE TRUE",
    "pivot": "SELECT a.id, a.text FROM pivots a WHERE TRUE",
    "keyword": "SELECT a.id, a.text FROM keywords a WHERE TRUE",
}
"""Id and text of every atom of a kind that is searched for; conditions on `a` are added to them."""


def rebuild_views(connection: apsw.Connection, view: View) -> None:
    """Empty one kind of atom's index and fill it again, outside a transaction of the caller's."""
    with transaction(connection):
        connection.execute(f"INSERT INTO {view}_views ({view}_views) VALUES ('delete-all')")
    # What others add meanwhile is indexed by them.
    missing = f" AND NOT EXISTS (SELECT 1 FROM {view}_views_docsize d WHERE d.id = a.id)"
    last: int | None = -1
    while last is not None:
        with transaction(connection):
            rows = _chunk(connection, view, last, missing)
            insert_views(connection, view, rows)
        last = rows[-1][0] if rows else None


def rebuild_span_vectors(connection: apsw.Connection, embedder: Embedder) -> None:
    """Embed every span again, outside a transaction of the caller's.

    Raises:
        ModelError: the embedder failed; the chunks before are kept.
    """
    with transaction(connection):
        connection.execute("DROP TABLE IF EXISTS span_vectors")
        vectors.create_vector_tables(connection, embedder.dimension)
    last = -1
    while True:
        rows = _chunk(connection, "span", last, " AND m.pack_id IS NULL")
        if not rows:
            return
        matrix = vectors.rounded(embedder.encode([text for _, text in rows]))
        with transaction(connection):
            # Others may have added vectors of new spans, or deleted spans, meanwhile.
            wanted = {
                row[0]
                for row in connection.execute(
                    "SELECT s.id FROM spans s JOIN messages m ON m.id = s.message_id AND m.pack_id IS NULL WHERE s.id BETWEEN ? AND ?",
                    (rows[0][0], rows[-1][0]),
                )
            }
            kept = [(i, vector) for (i, _), vector in zip(rows, matrix, strict=True) if i in wanted]
            vectors.delete_vectors(connection, "span", [i for i, _ in kept])
            vectors.insert_vectors(connection, "span", kept)
        last = rows[-1][0]


def rebuild_claim_vectors(connection: apsw.Connection) -> None:
    """A claim's vector is the mean of its supporting spans'; make all of them again, outside a transaction of the caller's."""
    known = recorded_embedder(connection)
    if known is None or known.dimension is None:
        return
    with transaction(connection):
        connection.execute("DROP TABLE IF EXISTS claim_vectors")
        vectors.create_vector_tables(connection, known.dimension)
    last: int | None = -1
    while last is not None:
        with transaction(connection):
            last = _claim_chunk(connection, last)


def _claim_chunk(connection: apsw.Connection, after: int) -> int | None:
    """Make the vectors of the next claims after that id; returns the last one's id, None if there are no more."""
    active = "SELECT id FROM claims WHERE id > ? AND status = 'active' ORDER BY id LIMIT ?"
    claims = [row[0] for row in cast(list[tuple[int]], connection.execute(active, (after, CHUNK)).fetchall())]
    vectors.delete_vectors(connection, "claim", claims)
    rows = []
    for claim in claims:
        supports = [
            row[0] for row in connection.execute("SELECT span_id FROM claim_supports WHERE claim_id = ? ORDER BY position", (claim,))
        ]
        if supports:
            total = vectors.fetch_vectors(connection, "span", supports).sum(axis=0, dtype=np.float32)
            rows.append((claim, total / max(float(np.linalg.norm(total)), 1e-9)))
    vectors.insert_vectors(connection, "claim", rows)
    return claims[-1] if claims else None


def rebuilders(
    connection: apsw.Connection,
    embedder: Callable[[], Embedder],
    structures: Mapping[str, Callable[[apsw.Connection], object]] | None = None,
    embedded: Mapping[str, Callable[[apsw.Connection, Embedder], object]] | None = None,
) -> dict[str, Callable[[], None]]:
    """What repairs each of `verify`'s repairable checks, by the check's name, in the order in which they build on one another.

    Args:
        connection: open for writing, outside a transaction.
        embedder: gives the file's embedder; called if span vectors are to be rebuilt.
        structures: by name, what rebuilds `groups` and `topics` from claims and vectors: stages of the write path, which this module does
            not know. Each is run in one transaction.
        embedded: by name, what rebuilds `message_vectors`, a stage of the write path too; run outside a transaction, with the embedder.
    """
    table: dict[str, Callable[[], None]] = {f"{view}_index": functools.partial(rebuild_views, connection, view) for view in _TEXTS}
    table["span_vectors"] = lambda: rebuild_span_vectors(connection, embedder())
    table["claim_vectors"] = lambda: rebuild_claim_vectors(connection)
    for name, embed in (embedded or {}).items():
        table[name] = functools.partial(_with_embedder, connection, embed, embedder)
    for name, rebuild in (structures or {}).items():
        table[name] = functools.partial(_in_one_transaction, connection, rebuild)
    return table


def _with_embedder(
    connection: apsw.Connection, rebuild: Callable[[apsw.Connection, Embedder], object], embedder: Callable[[], Embedder]
) -> None:
    rebuild(connection, embedder())


def _in_one_transaction(connection: apsw.Connection, rebuild: Callable[[apsw.Connection], object]) -> None:
    with transaction(connection):
        rebuild(connection)


def _chunk(connection: apsw.Connection, view: View, after: int, condition: str = "") -> list[tuple[int, str]]:
    """The next (atom id, text) of one kind past an id, at most `CHUNK`, ascending."""
    sql = f"{_TEXTS[view]}{condition} AND a.id > ? ORDER BY a.id LIMIT ?"
    return cast(list[tuple[int, str]], connection.execute(sql, (after, CHUNK)).fetchall())
