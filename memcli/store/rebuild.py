"""Rebuilding what is derived: the search indexes and vectors of every kind of atom, from messages, cues and claims."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import cast

import apsw
import numpy as np

from memcli.models import Embedder
from memcli.store import vectors
from memcli.store.connection import transaction
from memcli.store.search import View, insert_views

REBUILD_BATCH = 512
"""Texts embedded at a time."""

_TEXTS: dict[View, str] = {
    "span": "SELECT s.id, substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset)"
    " FROM spans s JOIN message_texts t ON t.id = s.message_id ORDER BY s.id",
    "claim": "SELECT id, text FROM claims WHERE status = 'active' ORDER BY id",
    "referent": "SELECT id, name FROM referents ORDER BY id",
    "time_cue": "SELECT id, text FROM time_cues ORDER BY id",
    "pivot": "SELECT id, text FROM pivots ORDER BY id",
    "keyword": "SELECT id, text FROM keywords ORDER BY id",
}


def rebuild_views(connection: apsw.Connection, view: View) -> None:
    """Empty one kind of atom's index and fill it again; within a transaction of the caller's."""
    connection.execute(f"INSERT INTO {view}_views ({view}_views) VALUES ('delete-all')")
    insert_views(connection, view, _texts(connection, view))


def rebuild_span_vectors(connection: apsw.Connection, embedder: Embedder) -> None:
    """Embed every span again."""
    vectors.create_vector_tables(connection, embedder.dimension)
    connection.execute("DELETE FROM span_vectors")
    for rows in _chunks(_texts(connection, "span")):
        matrix = embedder.encode([text for _, text in rows])
        vectors.insert_vectors(connection, "span", zip((i for i, _ in rows), matrix, strict=True))


def rebuild_claim_vectors(connection: apsw.Connection) -> None:
    """A claim's vector is the mean of its supporting spans'; make all of them again."""
    connection.execute("DELETE FROM claim_vectors")
    supports: dict[int, list[int]] = {}
    for claim, span in connection.execute(
        "SELECT cs.claim_id, cs.span_id FROM claim_supports cs JOIN claims c ON c.id = cs.claim_id WHERE c.status = 'active'"
        " ORDER BY cs.claim_id, cs.position"
    ):
        supports.setdefault(claim, []).append(span)
    rows = []
    for claim, spans in supports.items():
        total = vectors.fetch_vectors(connection, "span", spans).sum(axis=0, dtype=np.float32)
        rows.append((claim, total / max(float(np.linalg.norm(total)), 1e-9)))
    vectors.insert_vectors(connection, "claim", rows)


def rebuilders(connection: apsw.Connection, embedder: Callable[[], Embedder]) -> dict[str, Callable[[], None]]:
    """What repairs each of `verify`'s repairable checks, by the check's name; each is one transaction."""

    def whole(rebuild: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            with transaction(connection):
                rebuild()

        return run

    table = {f"{view}_index": whole(functools.partial(rebuild_views, connection, view)) for view in _TEXTS}
    table["span_vectors"] = whole(lambda: rebuild_span_vectors(connection, embedder()))
    table["claim_vectors"] = whole(lambda: rebuild_claim_vectors(connection))
    return table


def _texts(connection: apsw.Connection, view: View) -> list[tuple[int, str]]:
    """Every (atom id, text) of one kind."""
    return cast(list[tuple[int, str]], connection.execute(_TEXTS[view]).fetchall())


def _chunks(rows: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    for start in range(0, len(rows), REBUILD_BATCH):
        yield rows[start : start + REBUILD_BATCH]
