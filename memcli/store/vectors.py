"""Vectors of spans and claims, in sqlite-vec tables: float32, L2-normalised, one row an atom.

The tables are made when the file learns its embedder, since their dimension is the embedder's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.connection import read_transaction

Family = Literal["span", "claim"]


def create_vector_tables(connection: apsw.Connection, dimension: int) -> None:
    """Make `span_vectors` and `claim_vectors` for vectors of `dimension` float32 values; nothing if they exist."""
    for family in ("span", "claim"):
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {family}_vectors USING vec0("
            f"{family}_id INTEGER PRIMARY KEY, embedding float[{int(dimension)}] distance_metric=cosine, chunk_size=256)"
        )


def has_vector_tables(connection: apsw.Connection) -> bool:
    """Whether the file holds vectors at all."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'claim_vectors'").fetchone() is not None


def insert_vectors(connection: apsw.Connection, family: Family, rows: Iterable[tuple[int, NDArray[np.float32]]]) -> None:
    """Store one vector for each atom id; each vector has shape (dimension,), dtype float32."""
    connection.executemany(
        f"INSERT INTO {family}_vectors ({family}_id, embedding) VALUES (?, ?)",
        ((atom_id, np.ascontiguousarray(vector, dtype=np.float32).tobytes()) for atom_id, vector in rows),
    )


def delete_vectors(connection: apsw.Connection, family: Family, ids: Sequence[int]) -> None:
    """Drop the vectors of these atoms."""
    connection.executemany(f"DELETE FROM {family}_vectors WHERE {family}_id = ?", ((i,) for i in ids))


def load_vectors(connection: apsw.Connection, family: Family) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Every stored vector of a family.

    Returns:
        ids, shape (n,), int64, ascending, and the matrix, shape (n, dimension), float32, in the same order.
    """
    with read_transaction(connection):  # so that as many rows come as were counted
        count = int(connection.execute(f"SELECT count(*) FROM {family}_vectors").get)
        if count == 0:
            return np.zeros(0, np.int64), np.zeros((0, 0), np.float32)
        rows = cast(Iterator[tuple[int, bytes]], connection.execute(f"SELECT {family}_id, embedding FROM {family}_vectors"))
        first = next(rows)
        ids = np.empty(count, np.int64)
        # Filled row by row: the bytes of all rows, joined and copied, would take three times the matrix.
        matrix = np.empty((count, len(first[1]) // 4), np.float32)
        for place, (atom_id, data) in enumerate(chain((first,), rows)):
            ids[place] = atom_id
            matrix[place] = np.frombuffer(data, np.float32)
    if bool((ids[1:] > ids[:-1]).all()):
        return ids, matrix
    order = np.argsort(ids)
    return ids[order], matrix[order]


def fetch_vectors(connection: apsw.Connection, family: Family, ids: Sequence[int]) -> NDArray[np.float32]:
    """The vectors of these atoms, in their order; shape (len(ids), dimension), float32.

    Raises:
        KeyError: an atom has no vector.
    """
    found = {}
    for atom_id in dict.fromkeys(ids):
        row = connection.execute(f"SELECT embedding FROM {family}_vectors WHERE {family}_id = ?", (atom_id,)).fetchone()
        if row is None:
            raise KeyError(atom_id)
        found[atom_id] = np.frombuffer(row[0], np.float32)
    return np.stack([found[i] for i in ids]) if ids else np.zeros((0, 0), np.float32)
