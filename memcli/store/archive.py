"""Tables that a run changes without archiving their rows, as they stood before it: column by column in one compressed piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.groups import Term

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

_VECTORS = "claim_vectors"
"""Vectors of claims, put by besides where they do not follow from the claims' supports."""

_LEVEL = 12


def save_state(connection: apsw.Connection, vectors: Mapping[int, NDArray[np.float32]]) -> bytes:
    """The tables as they stand now, and these vectors of claims."""
    import zstandard

    header: list[dict[str, Any]] = []
    body: list[bytes] = []
    kept: dict[str, Sequence[Sequence[Any]]] = {
        table: connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(columns[:2])}").fetchall()
        for table, columns in TABLES.items()
    }
    kept[_VECTORS] = [(claim, row.tobytes()) for claim, row in sorted(vectors.items())]
    for table, rows in kept.items():
        shapes = []
        for column in zip(*rows, strict=True) if rows else ():
            code, data = _encode(cast(Sequence[Any], column))
            shapes.append([code, len(data)])
            body.append(data)
        header.append({"table": table, "rows": len(rows), "columns": shapes})
    head = json.dumps(header).encode()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(len(head).to_bytes(4, "little") + head + b"".join(body))


def restore_state(connection: apsw.Connection, data: bytes) -> None:
    """Put the tables back, within a transaction, and the vectors in the place of those that are there; groups come without centroids."""
    import zstandard

    whole = zstandard.ZstdDecompressor().decompress(data)
    size = int.from_bytes(whole[:4], "little")
    header = json.loads(whole[4 : 4 + size])
    place = 4 + size
    for part in reversed(header):
        if part["table"] in TABLES:
            connection.execute(f"DELETE FROM {part['table']}")
    for part in header:
        columns = []
        for code, length in part["columns"]:
            columns.append(_decode(code, whole[place : place + length], part["rows"]))
            place += length
        if part["table"] == _VECTORS:
            connection.executemany("UPDATE claim_vectors SET embedding = ?2 WHERE claim_id = ?1", zip(*columns, strict=True))
            continue
        names = [*TABLES[part["table"]]]
        if part["table"] == "groups":
            names.append("centroid")
            columns.append([b""] * part["rows"])
        if part["rows"]:
            connection.executemany(
                f"INSERT INTO {part['table']} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", zip(*columns, strict=True)
            )


def save_centroids(connection: apsw.Connection, centroids: Mapping[int, NDArray[np.float32]]) -> None:
    """Give groups their centroids, float32, by the group's id."""
    connection.executemany("UPDATE groups SET centroid = ? WHERE id = ?", ((row.tobytes(), group) for group, row in centroids.items()))


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


def group_members(connection: apsw.Connection) -> dict[int, list[int]]:
    """By group, ascending, its claims, ascending."""
    found: dict[int, list[int]] = {}
    for group, claim in connection.execute("SELECT group_id, claim_id FROM group_members ORDER BY group_id, claim_id"):
        found.setdefault(cast(int, group), []).append(cast(int, claim))
    return found


def homes(connection: apsw.Connection) -> list[tuple[int, int]]:
    """Every claim with its group, ascending."""
    return cast(list[tuple[int, int]], connection.execute("SELECT claim_id, group_id FROM group_members ORDER BY claim_id").fetchall())


def group_links(connection: apsw.Connection) -> list[tuple[int, int, float]]:
    """Every link between groups: (group, the one it is linked to, cosine)."""
    rows = connection.execute("SELECT group_id, neighbour_id, similarity FROM group_neighbours ORDER BY 1, 2")
    return cast(list[tuple[int, int, float]], rows.fetchall())


def claim_links(connection: apsw.Connection) -> NDArray[np.int64]:
    """Every link between claims: (claim, the one it is linked to), shape (links, 2)."""
    rows = cast(Iterable[tuple[int, int]], connection.execute("SELECT claim_id, neighbour_id FROM claim_neighbours"))
    return np.fromiter((value for row in rows for value in row), np.int64).reshape(-1, 2)  # as a list they would take ten times the room


def save_similarities(connection: apsw.Connection, links: Iterable[tuple[int, int, float]]) -> None:
    """Store how near linked groups are now: (group, the one it is linked to, cosine)."""
    connection.executemany("UPDATE group_neighbours SET similarity = ?3 WHERE group_id = ?1 AND neighbour_id = ?2", links)


def delete_links(connection: apsw.Connection, claims: Iterable[int]) -> None:
    """Drop all links of these claims, those to them and those from them."""
    gone = json.dumps(sorted(claims))
    for column in ("claim_id", "neighbour_id"):
        connection.execute(f"DELETE FROM claim_neighbours WHERE {column} IN (SELECT value FROM json_each(?))", (gone,))


def terms_of(connection: apsw.Connection, groups: Iterable[int]) -> dict[int, list[Term]]:
    """The keywords and names of the claims of these groups, as `memcli.store.groups.group_terms` gives them of one."""
    found: dict[int, list[Term]] = {}
    for group, claim, text, name in connection.execute(
        "SELECT m.group_id, m.claim_id, k.text, 0 FROM json_each(?1) w JOIN group_members m ON m.group_id = w.value"
        " JOIN claim_keywords ck ON ck.claim_id = m.claim_id JOIN keywords k ON k.id = ck.keyword_id"
        " UNION SELECT m.group_id, m.claim_id, h.text, 1 FROM json_each(?1) w JOIN group_members m ON m.group_id = w.value"
        " JOIN claim_handles ch ON ch.claim_id = m.claim_id JOIN handles h ON h.id = ch.handle_id"
        " JOIN referents r ON r.id = h.referent_id WHERE r.kind <> 'person' ORDER BY 1, 2, 3, 4",
        (json.dumps(list(groups)),),
    ):
        found.setdefault(cast(int, group), []).append(Term(cast(int, claim), cast(str, text), bool(name)))
    return found
