"""Vectors of spans, claims and messages, in sqlite-vec tables: float32, L2-normalised, one row an atom.

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
from memcli.store.packed_vectors import fetch_packed

Family = Literal["span", "claim", "message"]

_CHUNK = 64
"""Vectors in a piece of a table: a table's last piece is stored whole, however few are in it."""

_KEPT_BITS = 12
"""Bits of a number's fraction that are kept: cosines move by less than 0.00002, and packed vectors take half the room."""


def rounded(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors as they are to be stored, the fractions of their numbers rounded to 12 bits; same shape, float32."""
    bits = np.ascontiguousarray(matrix, np.float32).view(np.uint32)
    spare = 23 - _KEPT_BITS
    return ((bits + np.uint32(1 << (spare - 1))) & np.uint32(0xFFFFFFFF << spare & 0xFFFFFFFF)).view(np.float32)


def create_vector_tables(connection: apsw.Connection, dimension: int) -> None:
    """Make `span_vectors`, `claim_vectors` and `message_vectors` for vectors of `dimension` float32 values; nothing if they exist."""
    families: tuple[Family, ...] = ("span", "claim", "message")
    for family in families:
        _create(connection, family, dimension)


def _create(connection: apsw.Connection, family: Family, dimension: int) -> None:
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {family}_vectors USING vec0("
        f"{family}_id INTEGER PRIMARY KEY, embedding float[{int(dimension)}] distance_metric=cosine, chunk_size={_CHUNK})"
    )


def holds(connection: apsw.Connection, family: Family) -> bool:
    """Whether the file holds any vectors of a family."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (f"{family}_vectors",)).fetchone()
    return there is not None and connection.execute(f"SELECT 1 FROM {family}_vectors LIMIT 1").fetchone() is not None


def has_vector_tables(connection: apsw.Connection) -> bool:
    """Whether the file holds vectors at all."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'claim_vectors'").fetchone() is not None


def insert_vectors(connection: apsw.Connection, family: Family, rows: Iterable[tuple[int, NDArray[np.float32]]]) -> None:
    """Store one vector for each atom id; each vector has shape (dimension,), dtype float32."""
    connection.executemany(
        f"INSERT INTO {family}_vectors ({family}_id, embedding) VALUES (?, ?)",
        ((atom_id, np.ascontiguousarray(vector, dtype=np.float32).tobytes()) for atom_id, vector in rows),
    )


def put_vectors(connection: apsw.Connection, family: Family, rows: Iterable[tuple[int, NDArray[np.float32]]]) -> None:
    """As `insert_vectors`, but rounded, and an atom may have a vector already, whose place the new one takes."""
    for atom_id, vector in ((atom_id, rounded(vector)) for atom_id, vector in rows):
        connection.execute(f"UPDATE {family}_vectors SET embedding = ? WHERE {family}_id = ?", (vector.tobytes(), atom_id))
        if connection.changes() == 0:
            insert_vectors(connection, family, [(atom_id, vector)])


def delete_vectors(connection: apsw.Connection, family: Family, ids: Sequence[int]) -> None:
    """Drop the vectors of these atoms."""
    connection.executemany(f"DELETE FROM {family}_vectors WHERE {family}_id = ?", ((i,) for i in ids))


def replace_vectors(connection: apsw.Connection, family: Family, ids: NDArray[np.int64], matrix: NDArray[np.float32]) -> None:
    """Make a family's table anew with these vectors, within a transaction: deleting rows leaves their room in it.

    A table that is made anew also has no gaps in the numbers of its chunks, which `VACUUM` would close behind sqlite-vec's back.

    Args:
        connection: the memory.
        family: which table.
        ids: shape (n,), ascending.
        matrix: shape (n, dimension).
    """
    connection.execute(f"DROP TABLE {family}_vectors")
    _create(connection, family, matrix.shape[1])
    insert_vectors(connection, family, zip(ids.tolist(), matrix, strict=True))


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
    """The vectors of these atoms, in their order; shape (len(ids), dimension), float32. Those of packed spans are read from their packs.

    Raises:
        KeyError: an atom has no vector.
    """
    found = {}
    packed = []
    for atom_id in dict.fromkeys(ids):
        row = connection.execute(f"SELECT embedding FROM {family}_vectors WHERE {family}_id = ?", (atom_id,)).fetchone()
        if row is None:
            packed.append(atom_id)
        else:
            found[atom_id] = np.frombuffer(row[0], np.float32)
    if packed and family != "claim":
        found |= fetch_packed(connection, family, packed)
    return np.stack([found[i] for i in ids]) if ids else np.zeros((0, 0), np.float32)
