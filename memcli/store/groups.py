"""Groups, their members and neighbours, the cells they are found through, and the links between claims: rows in, rows out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What is kept once for all groups. `histogram` is int64, `basis` float32 of shape (dimension, axes) or None."""

    next_group: int
    histogram: NDArray[np.int64]
    basis: Floats | None


@dataclass(frozen=True, slots=True)
class Term:
    """A word that a claim is found by: a keyword of it, or (`name`) a handle of its spans that is no person."""

    claim_id: int
    text: str
    name: bool


def load_index(connection: apsw.Connection, axes: int) -> IndexRow | None:
    """The index's row; `axes` is the basis' second dimension. None while there are no groups."""
    row = connection.execute("SELECT next_group, histogram, basis FROM group_index").fetchone()
    if row is None:
        return None
    next_group, histogram, basis = row
    matrix = None if basis is None else np.frombuffer(basis, np.float32).reshape(-1, axes).copy()
    return IndexRow(next_group, np.frombuffer(histogram, np.int64).copy(), matrix)


def save_index(connection: apsw.Connection, row: IndexRow) -> None:
    """Store the index's row."""
    basis = None if row.basis is None else row.basis.tobytes()
    connection.execute("INSERT OR REPLACE INTO group_index VALUES (1, ?, ?, ?)", (row.next_group, row.histogram.tobytes(), basis))


def load_cells(connection: apsw.Connection) -> list[tuple[Floats, NDArray[np.int64]]]:
    """Every cell's centre and the ids of its groups, in order."""
    rows = connection.execute("SELECT centroid, group_ids FROM group_cells ORDER BY id")
    return [(np.frombuffer(centre, np.float32).copy(), np.frombuffer(ids, np.int64).copy()) for centre, ids in rows]


def save_cells(connection: apsw.Connection, cells: Iterable[tuple[int, Floats, NDArray[np.int64]]]) -> None:
    """Store these cells: (position, centre, ids of its groups)."""
    connection.executemany(
        "INSERT OR REPLACE INTO group_cells VALUES (?, ?, ?)",
        ((position + 1, centre.tobytes(), ids.tobytes()) for position, centre, ids in cells),
    )


def load_centroids(connection: apsw.Connection) -> dict[int, Floats]:
    """Every group's centroid, shape (dimension,), by the group's id."""
    return {group: np.frombuffer(blob, np.float32) for group, blob in connection.execute("SELECT id, centroid FROM groups")}


def members_of(connection: apsw.Connection, group: int) -> list[int]:
    """The claims of a group, ascending."""
    return [row[0] for row in connection.execute("SELECT claim_id FROM group_members WHERE group_id = ? ORDER BY claim_id", (group,))]


def group_of(connection: apsw.Connection, claim: int) -> int:
    """The group that a claim is in.

    Raises:
        KeyError: it is in none.
    """
    row = connection.execute("SELECT group_id FROM group_members WHERE claim_id = ?", (claim,)).fetchone()
    if row is None:
        raise KeyError(claim)
    return int(row[0])


def neighbours_of(connection: apsw.Connection, group: int) -> dict[int, float]:
    """The groups that a group is linked to, with the cosines of their centroids."""
    rows = connection.execute("SELECT neighbour_id, similarity FROM group_neighbours WHERE group_id = ?", (group,))
    return dict(cast(Iterable[tuple[int, float]], rows))


def linked_to(connection: apsw.Connection, group: int) -> list[int]:
    """The groups that are linked to this one, ascending."""
    rows = connection.execute("SELECT group_id FROM group_neighbours WHERE neighbour_id = ? ORDER BY group_id", (group,))
    return [row[0] for row in rows]


def save_groups(connection: apsw.Connection, groups: Iterable[tuple[int, Floats]], members: Sequence[tuple[int, int | None]]) -> None:
    """Store these groups' centroids, and put claims into groups.

    Args:
        connection: within a transaction.
        groups: (group, centroid); a new one gets an empty label, an old one keeps its own.
        members: (claim, group), or (claim, None) for a claim that has left its group.
    """
    # All who move leave before any arrives: no group may hold too many even for a moment.
    connection.executemany("DELETE FROM group_members WHERE claim_id = ?", ((claim,) for claim, _ in members))
    connection.executemany(
        "INSERT INTO groups (id, centroid) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET centroid = excluded.centroid",
        ((group, centroid.tobytes()) for group, centroid in groups),
    )
    connection.executemany(
        "INSERT INTO group_members (claim_id, group_id) VALUES (?, ?)", ((claim, group) for claim, group in members if group is not None)
    )


def delete_groups(connection: apsw.Connection, groups: Iterable[int]) -> None:
    """Drop these groups with their links."""
    connection.executemany("DELETE FROM groups WHERE id = ?", ((group,) for group in groups))


def save_neighbours(connection: apsw.Connection, before: Mapping[int, Mapping[int, float]], now: Mapping[int, Mapping[int, float]]) -> None:
    """Write what has changed in groups' links: `before` as they are stored, `now` as they are to be, by the groups of `before`."""
    gone = [(group, other) for group, old in before.items() for other in old if other not in now.get(group, {})]
    new = [
        (group, other, similarity)
        for group, old in before.items()
        for other, similarity in now.get(group, {}).items()
        if old.get(other) != similarity
    ]
    connection.executemany("DELETE FROM group_neighbours WHERE group_id = ? AND neighbour_id = ?", gone)
    connection.executemany("INSERT INTO group_neighbours VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET similarity = excluded.similarity", new)


def group_terms(connection: apsw.Connection, group: int) -> list[Term]:
    """The keywords and names of a group's claims, ordered by claim and text."""
    rows = connection.execute(
        "SELECT m.claim_id, k.text, 0 FROM group_members m JOIN claim_keywords ck ON ck.claim_id = m.claim_id"
        " JOIN keywords k ON k.id = ck.keyword_id WHERE m.group_id = ?1"
        " UNION SELECT m.claim_id, h.text, 1 FROM group_members m JOIN claim_handles ch ON ch.claim_id = m.claim_id"
        " JOIN handles h ON h.id = ch.handle_id JOIN referents r ON r.id = h.referent_id WHERE m.group_id = ?1 AND r.kind <> 'person'"
        " ORDER BY 1, 2, 3",
        (group,),
    )
    return [Term(claim, text, bool(name)) for claim, text, name in rows]


def save_labels(connection: apsw.Connection, labels: Iterable[tuple[int, str]]) -> None:
    """Store groups' labels: (group, label)."""
    connection.executemany("UPDATE groups SET label = ?2 WHERE id = ?1 AND label <> ?2", labels)


def save_links(connection: apsw.Connection, links: Iterable[tuple[int, int, float]]) -> None:
    """Link claims: (claim, an earlier claim, cosine)."""
    connection.executemany(
        "INSERT INTO claim_neighbours VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET similarity = excluded.similarity", links
    )


def linking_to(connection: apsw.Connection, claim: int) -> list[int]:
    """The later claims that are linked to this one, ascending."""
    rows = connection.execute("SELECT claim_id FROM claim_neighbours WHERE neighbour_id = ? ORDER BY claim_id", (claim,))
    return [row[0] for row in rows]


def delete_links(connection: apsw.Connection, claim: int) -> None:
    """Drop a claim's links, those to it and those from it."""
    connection.execute("DELETE FROM claim_neighbours WHERE claim_id = ?", (claim,))
    connection.execute("DELETE FROM claim_neighbours WHERE neighbour_id = ?", (claim,))


def clear(connection: apsw.Connection) -> None:
    """Drop every group, cell and link; within a transaction of the caller's."""
    connection.execute("DELETE FROM claim_neighbours; DELETE FROM group_neighbours; DELETE FROM group_members; DELETE FROM groups")
    connection.execute("DELETE FROM group_cells; DELETE FROM group_index")
