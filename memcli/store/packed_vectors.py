"""Vectors of the spans of packed messages: exactly as they were, out of the index, in one block beside each pack.

Files of earlier versions have the vectors of packed messages in such blocks as well, where they stay until the run is undone.

Exponents, the bytes of fractions, and signs are compressed apart, all first ones together, then all second ones...: the exponents are much
alike, and the last bits of fractions as `memcli.store.vectors.rounded` makes them are zeros.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Literal, cast

import apsw
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

PackedFamily = Literal["span", "message"]

FAMILIES: tuple[PackedFamily, ...] = ("span", "message")

_INSIDE = "SELECT s.id FROM messages m JOIN spans s ON s.message_id = m.id WHERE m.pack_id = ? ORDER BY s.id"
_PACK_OF: dict[PackedFamily, str] = {
    "span": "SELECT s.id, m.pack_id FROM json_each(?) w CROSS JOIN spans s ON s.id = w.value JOIN messages m ON m.id = s.message_id"
    " WHERE m.pack_id IS NOT NULL",
    "message": "SELECT m.id, m.pack_id FROM json_each(?) w CROSS JOIN messages m ON m.id = w.value WHERE m.pack_id IS NOT NULL",
}

_LEVEL = 3

_SHIFTS = (24, 16, 8, 0)
"""Where its bytes stand in a number without its sign, first to last."""


def encode(matrix: Floats) -> bytes:
    """A matrix, float32, as a block; `decode` gives the same bits back."""
    import zstandard

    bits = np.ascontiguousarray(matrix, np.float32).view(np.uint32).ravel()
    planes = [(bits << 1 >> shift & 0xFF).astype(np.uint8) for shift in _SHIFTS] + [np.packbits(bits >> 31 == 1)]
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    parts = [compressor.compress(plane.tobytes()) for plane in planes]
    return np.array([len(part) for part in parts], "<u4").tobytes() + b"".join(parts)


def decode(data: bytes, rows: int) -> Floats:
    """The matrix of a block, shape (rows, dimension), float32.

    Raises:
        ValueError: the block is damaged.
    """
    import zstandard

    lengths = np.frombuffer(data[: 4 * (len(_SHIFTS) + 1)], "<u4").tolist()
    decompressor = zstandard.ZstdDecompressor()
    planes = []
    start = 4 * len(lengths)
    try:
        for length in lengths:
            planes.append(np.frombuffer(decompressor.decompress(data[start : start + length]), np.uint8))
            start += length
    except zstandard.ZstdError as error:
        raise ValueError(f"a block of vectors cannot be unpacked: {error}") from error
    bits = np.zeros(len(planes[0]), np.uint32)
    for plane, shift in zip(planes, _SHIFTS, strict=False):
        bits |= plane.astype(np.uint32) << shift
    signs = np.unpackbits(planes[-1], count=len(bits)).astype(np.uint32)
    return (bits >> 1 | signs << 31).view(np.float32).reshape(rows, -1)


def save_blocks(connection: apsw.Connection, packs: Iterable[int], ids: NDArray[np.int64], matrix: Floats) -> list[int]:
    """Store the vectors of the spans of these packs' messages.

    Args:
        connection: within a transaction.
        packs: the packs.
        ids: spans, ascending, shape (n,).
        matrix: their vectors, shape (n, dimension).

    Returns:
        those whose vectors were stored, ascending; what has no vector is passed over.
    """
    stored: list[int] = []
    for pack in packs:
        inside = np.array([row[0] for row in connection.execute(_INSIDE, (pack,))], np.int64)
        inside = inside[np.isin(inside, ids)]
        if len(inside):
            block = encode(matrix[np.searchsorted(ids, inside)])
            connection.execute("INSERT INTO packed_vectors VALUES (?, 'span', ?, ?)", (pack, inside.tobytes(), block))
            stored += inside.tolist()
    return sorted(stored)


def blocks_of(connection: apsw.Connection, family: PackedFamily, run: int) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """The blocks of a run: ids and their vectors."""
    for held, data in connection.execute(
        "SELECT v.ids, v.data FROM packs p JOIN packed_vectors v ON v.pack_id = p.id AND v.family = ? WHERE p.run_id = ? ORDER BY p.id",
        (family, run),
    ):
        ids = np.frombuffer(cast(bytes, held), np.int64)
        yield ids, decode(cast(bytes, data), len(ids))


def blocks_beside(connection: apsw.Connection, family: PackedFamily) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """All blocks of a family, ids and their vectors; what is damaged is left out."""
    for row in connection.execute("SELECT pack_id FROM packed_vectors WHERE family = ? ORDER BY 1", (family,)).fetchall():
        if (block := sound_block(connection, family, cast(int, row[0]))) is not None:
            yield block


def sound_block(connection: apsw.Connection, family: PackedFamily, pack: int) -> tuple[NDArray[np.int64], Floats] | None:
    """As `block_of`, but None for one that is damaged as well."""
    with suppress(ValueError):
        return block_of(connection, family, pack)
    return None


def block_of(connection: apsw.Connection, family: PackedFamily, pack: int) -> tuple[NDArray[np.int64], Floats] | None:
    """A pack's block of a family: ids, shape (n,), and their vectors, shape (n, dimension); None if it has none."""
    row = connection.execute("SELECT ids, data FROM packed_vectors WHERE pack_id = ? AND family = ?", (pack, family)).fetchone()
    if row is None:
        return None
    ids = np.frombuffer(cast(bytes, row[0]), np.int64)
    return ids, decode(cast(bytes, row[1]), len(ids))


def fetch_packed(connection: apsw.Connection, family: PackedFamily, atoms: Sequence[int]) -> dict[int, Floats]:
    """The vectors of those of these atoms that are packed, shape (dimension,) each; every block is read once."""
    wanted: dict[int, list[int]] = {}
    for atom, pack in connection.execute(_PACK_OF[family], (json.dumps(sorted(set(atoms))),)):
        wanted.setdefault(cast(int, pack), []).append(cast(int, atom))
    found: dict[int, Floats] = {}
    for pack, inside in wanted.items():
        stored = block_of(connection, family, pack)
        if stored is None:
            continue
        ids, block = stored
        for place in np.flatnonzero(np.isin(ids, inside)).tolist():
            found[int(ids[place])] = block[place]
    return found
