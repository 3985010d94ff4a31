"""Tables that a run changes without archiving their rows, as they stood before it: column by column in one compressed piece."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import apsw
import numpy as np

TABLES = {
    "groups": ("id", "label"),
    "group_members": ("claim_id", "group_id"),
    "group_neighbours": ("group_id", "neighbour_id", "similarity"),
    "claim_neighbours": ("claim_id", "neighbour_id", "similarity"),
    "group_index": ("id", "next_group", "histogram", "basis"),
    "group_cells": ("id", "centroid", "group_ids"),
    "touched_keywords": ("keyword_id",),
}
"""What is put by. The centroids of groups are not: they follow from their members."""

_LEVEL = 12


def save_state(connection: apsw.Connection) -> bytes:
    """The tables as they stand now."""
    import zstandard

    header: list[dict[str, Any]] = []
    body: list[bytes] = []
    for table, columns in TABLES.items():
        rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(columns[:2])}").fetchall()
        shapes = []
        for column in zip(*rows, strict=True) if rows else ():
            code, data = _encode(cast(Sequence[Any], column))
            shapes.append([code, len(data)])
            body.append(data)
        header.append({"table": table, "rows": len(rows), "columns": shapes})
    head = json.dumps(header).encode()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(len(head).to_bytes(4, "little") + head + b"".join(body))


def restore_state(connection: apsw.Connection, data: bytes) -> None:
    """Put the tables back, within a transaction; groups come without their centroids."""
    import zstandard

    whole = zstandard.ZstdDecompressor().decompress(data)
    size = int.from_bytes(whole[:4], "little")
    header = json.loads(whole[4 : 4 + size])
    place = 4 + size
    for part in reversed(header):
        connection.execute(f"DELETE FROM {part['table']}")
    for part in header:
        columns = []
        for code, length in part["columns"]:
            columns.append(_decode(code, whole[place : place + length], part["rows"]))
            place += length
        names = [*TABLES[part["table"]]]
        if part["table"] == "groups":
            names.append("centroid")
            columns.append([b""] * part["rows"])
        if part["rows"]:
            connection.executemany(
                f"INSERT INTO {part['table']} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", zip(*columns, strict=True)
            )


def save_centroids(connection: apsw.Connection, centroids: Sequence[tuple[int, bytes]]) -> None:
    """Give groups their centroids, float32: (group, bytes)."""
    connection.executemany("UPDATE groups SET centroid = ? WHERE id = ?", ((data, group) for group, data in centroids))


def _encode(column: Sequence[Any]) -> tuple[str, bytes]:
    if all(isinstance(value, int) for value in column):
        return "int", np.diff(np.array(column, np.int64), prepend=0).tobytes()
    if all(isinstance(value, float) for value in column):
        exact = np.array(column, np.float64)
        short = exact.astype(np.float32)
        return ("float", short.tobytes()) if np.array_equal(short.astype(np.float64), exact) else ("double", exact.tobytes())
    if all(isinstance(value, str) for value in column):
        return "text", json.dumps(list(column), ensure_ascii=False).encode()
    lengths = np.array([-1 if value is None else len(value) for value in column], np.int64)
    return "blob", lengths.tobytes() + b"".join(value for value in column if value is not None)


def _decode(code: str, data: bytes, rows: int) -> list[Any]:
    if code == "int":
        return cast(list[Any], np.cumsum(np.frombuffer(data, np.int64)).tolist())
    if code in ("float", "double"):
        return cast(list[Any], np.frombuffer(data, np.float32 if code == "float" else np.float64).astype(np.float64).tolist())
    if code == "text":
        return cast(list[Any], json.loads(data))
    lengths = np.frombuffer(data[: 8 * rows], np.int64).tolist()
    out: list[Any] = []
    place = 8 * rows
    for length in lengths:
        out.append(None if length < 0 else data[place : place + length])
        place += max(length, 0)
    return out


def group_members(connection: apsw.Connection) -> list[tuple[int, list[int]]]:
    """Every group with its claims, ascending."""
    found: dict[int, list[int]] = {}
    for group, claim in connection.execute("SELECT group_id, claim_id FROM group_members ORDER BY group_id, claim_id"):
        found.setdefault(cast(int, group), []).append(cast(int, claim))
    return list(found.items())
