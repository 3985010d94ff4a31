"""The links between groups: each group's nearest others, and how the distances to the very nearest are spread."""

from __future__ import annotations

from collections import defaultdict

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store import groups as rows
from memcli.write.partition import HISTOGRAM_BINS, histogram_bin

LINKS = 10
"""Links of a group to its nearest groups, and of a claim to its nearest earlier claims (xMemory: k = 10)."""

_NOTICED = 0.01
"""A neighbour's link is rewritten when the cosine has moved by more than this; less makes no difference to f, but costs a row."""


class GroupLinks:
    """At most `LINKS` links a group, read when they are needed; what has changed is kept until it is written."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Hold nothing yet; `histogram` counts the groups by the cosine to their nearest neighbour."""
        self._connection = connection
        self.histogram: NDArray[np.int64] = np.zeros(HISTOGRAM_BINS, np.int64)
        self._links: dict[int, dict[int, float]] = {}
        self._stored: dict[int, dict[int, float]] = {}
        self._gained: defaultdict[int, set[int]] = defaultdict(set)

    def start(self, group: int) -> None:
        """A new group, which the file does not know, has no links."""
        self._links[group] = self._stored[group] = {}

    def of(self, group: int) -> dict[int, float]:
        """The groups that a group is linked to, with the cosines of their centroids; not to be changed."""
        links = self._links.get(group)
        if links is None:
            links = self._links[group] = rows.neighbours_of(self._connection, group)
        return links

    def link_back(self, group: int, other: int, cosine: float) -> None:
        """Link a group to another that has come or moved, if that is near enough."""
        links = self.of(group)
        known = links.get(other)
        if known is not None:
            if abs(known - cosine) > _NOTICED:
                self.put(group, {**links, other: cosine})
            return
        if len(links) >= LINKS:
            least = min(links.values())
            if least >= cosine:
                return
            worst = max(g for g, c in links.items() if c == least)
            links = {g: c for g, c in links.items() if g != worst}
        self.put(group, {**links, other: cosine})

    def put(self, group: int, links: dict[int, float]) -> None:
        """Give a group these links."""
        before = self.of(group)
        self._stored.setdefault(group, before)
        if before:
            self.histogram[histogram_bin(max(before.values()))] -= 1
        if links:
            self.histogram[histogram_bin(max(links.values()))] += 1
        for other in links:
            if other not in before:
                self._gained[other].add(group)
        self._links[group] = links

    def dissolve(self, group: int) -> list[int]:
        """Take a group out of all links; returns the groups that were linked to it, ascending."""
        self.put(group, {})
        linked = {*rows.linked_to(self._connection, group), *self._gained.pop(group, ())}
        holders = sorted(other for other in linked if group in self.of(other))
        for other in holders:
            self.put(other, {g: c for g, c in self._links[other].items() if g != group})
        return holders

    def write(self) -> None:
        """Store what has changed; the groups linked are stored already."""
        rows.save_neighbours(self._connection, self._stored, self._links)
        self._stored = {}
        self._gained.clear()
