"""Which claims are in which group, with their vectors: read from the file when they are needed, kept at hand from then on."""

from __future__ import annotations

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store import groups as rows
from memcli.store.vectors import fetch_vectors
from memcli.write.rows import Rows

Floats = NDArray[np.float32]

MAX_GROUP = 12
"""Claims in a group (xMemory); the schema refuses a thirteenth."""


class Members:
    """The members of groups. `table`, `sizes` and `norms` have a row a group id; a size of 0 says that it has not been read.

    `table` has shape (groups, MAX_GROUP), int64, claim ids ascending, 0 where there is none. `norms`, float32, is the length of the sum of
    the members' vectors; over their number it is the group's cohesion.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        """Hold nothing yet."""
        self._connection = connection
        self.vectors = Rows()
        self.table: NDArray[np.int64] = np.zeros((1024, MAX_GROUP), np.int64)
        self.sizes: NDArray[np.int64] = np.zeros(1024, np.int64)
        self.norms: Floats = np.zeros(1024, np.float32)
        self._home: dict[int, int] = {}

    def ensure(self, groups: NDArray[np.int64]) -> None:
        """Read the members of those of these groups that have not been read yet."""
        self._make_room(int(groups.max(initial=0)))
        if self.sizes.take(groups).all():
            return
        for group in groups[self.sizes.take(groups) == 0].tolist():
            self.hold(group, rows.members_of(self._connection, group))

    def _make_room(self, group: int) -> None:
        if group >= len(self.sizes):
            spare = max(group + 1 - len(self.sizes), len(self.sizes) // 2)
            self.table = np.concatenate([self.table, np.zeros((spare, MAX_GROUP), np.int64)])
            self.sizes = np.concatenate([self.sizes, np.zeros(spare, np.int64)])
            self.norms = np.concatenate([self.norms, np.zeros(spare, np.float32)])

    def hold(self, group: int, members: list[int]) -> Floats:
        """Keep a group's members at hand, ascending; returns its centroid."""
        self._make_room(group)
        for claim in members:
            self._home[claim] = group
        self.read_vectors(members)
        self.table[group, : len(members)] = members
        self.table[group, len(members) :] = 0
        self.sizes[group] = len(members)
        centroid, self.norms[group] = self.centroid(members)
        return centroid

    def of(self, group: int) -> list[int]:
        """A group's claims, ascending."""
        size = self.size(group)
        found: list[int] = self.table[group, :size].tolist()
        return found

    def size(self, group: int) -> int:
        """How many claims are in a group."""
        if group >= len(self.sizes) or not self.sizes[group]:
            self.ensure(np.array([group], np.int64))
        return int(self.sizes[group])

    def group_of(self, claim: int) -> int:
        """The group that a claim is in; KeyError if it is in none."""
        if claim not in self._home:
            self._home[claim] = rows.group_of(self._connection, claim)
        return self._home[claim]

    def read_vectors(self, claims: list[int]) -> None:
        """Have the vectors of these claims at hand."""
        missing = [claim for claim in claims if claim not in self.vectors]
        if missing:
            for claim, vector in zip(missing, fetch_vectors(self._connection, "claim", missing), strict=True):
                self.vectors.put(claim, vector)

    def centroid(self, members: list[int]) -> tuple[Floats, float]:
        """The mean direction of some claims, shape (dimension,), and the length of the sum of their vectors."""
        total = self.vectors.take(members).sum(axis=0)
        norm = max(float(np.linalg.norm(total)), 1e-9)
        return total / np.float32(norm), norm

    def home(self, claim: int) -> int | None:
        """The group that a claim at hand is in; None if it has left."""
        return self._home.get(claim)

    def drop(self, claim: int) -> None:
        """A claim has left for good."""
        del self._home[claim]
        self.vectors.drop(claim)

    def dissolve(self, group: int) -> None:
        """A group has no members any more."""
        self.sizes[group] = 0
