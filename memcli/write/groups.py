"""Groups of at most 12 claims, kept as claims come: attach, split, merge (xMemory); and, through them, the claims nearest to a vector.

A claim attaches to the group with the nearest centroid, or starts one. A group that would overflow is split; a claim that is alone is
merged into a neighbour; either only if it raises f (`memcli.write.partition`). If no split of a full group raises f, the claim
goes to the next nearest group with room, or starts its own.

What is decided depends on the file and on the claims in their order alone, never on where batches end: similarities are kept as they were
computed, centroids are means of their members' stored vectors, and the cells are searched in the order the file keeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store import groups as rows
from memcli.store.vectors import has_vector_tables, load_vectors
from memcli.write.labels import group_label
from memcli.write.links import LINKS, GroupLinks
from memcli.write.members import MAX_GROUP, Members
from memcli.write.neighbours import PROJECTED, CellIndex
from memcli.write.partition import Around, Change, Part, best_merge, best_split, spread
from memcli.write.rows import Rows, product

Floats = NDArray[np.float32]

ATTACH = 0.62
"""Least cosine to a centroid at which a claim attaches to its group (xMemory)."""

MERGE = 0.5
"""Least cosine of two centroids at which merging them is considered (ours: below it, members have little in common)."""

PROBED_GROUPS = 128
"""Groups that a search takes from the cells."""

COMPARED_CLAIMS = 500
"""Claims that a vector is compared with: on real claims 96 in 100 of the ten nearest are among them, if all groups can be looked at."""

EXPANDED = 16
"""Nearest groups whose linked groups are looked at too, once a search leaves cells out."""

_TRIED = 3
"""Groups a claim may try to attach to, and a single claim to merge into: beyond the third nearest the cosine is seldom enough."""

_REBUILD_BATCH = 1000


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search saw: the probed groups and all their claims, with the cosines to `vector`."""

    vector: Floats
    groups: NDArray[np.int64]
    group_cosines: Floats
    claims: NDArray[np.int64]
    claim_cosines: Floats

    def claims_by_cosine(self, count: int) -> list[tuple[int, float]]:
        return _best(self.claims, self.claim_cosines, count)

    def groups_by_cosine(self, count: int) -> list[tuple[int, float]]:
        return _best(self.groups, self.group_cosines, count)


class Groups:
    """The groups of a memory that is being written. Drop it and make a new one after a rollback.

    Claims given to `add` must be stored, with their vectors, before `flush`.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        """Take up the groups of an open memory: centroids at once, members and links when they are needed."""
        self._connection = connection
        self._index = CellIndex()
        self._next = 1
        self._members = Members(connection)
        self._links = GroupLinks(connection)
        self._centroids = Rows()
        self._found: _Found | None = None
        self.changes: list[Change] = []
        """The splits and merges since the last `flush`, in order."""
        self._clear_pending()
        self._load()

    def nearest_claims(self, vector: Floats, k: int) -> list[tuple[int, float]]:
        """The claims nearest to a vector, best first, ties by id; approximate.

        Args:
            vector: shape (dimension,), float32, L2-normalised.
            k: how many; fewer come back if there are fewer among the probed groups.

        Returns:
            (claim id, cosine).
        """
        return self._search(np.ascontiguousarray(vector, np.float32)).claims_by_cosine(k)

    def add(self, claim: int, vector: Floats) -> None:
        """Put a new claim into a group and link it to its nearest earlier claims.

        Args:
            claim: its id.
            vector: exactly what is stored of it in `claim_vectors`: shape (dimension,), float32, L2-normalised.
        """
        self._add(claim, np.ascontiguousarray(vector, np.float32))

    def replace(self, claim: int, vector: Floats) -> None:
        """A claim has another vector now: it leaves its group and is put into one afresh. Links of later claims to it stay."""
        self._write_links()
        later = rows.linking_to(self._connection, claim)
        self._leave(claim)
        vector = np.ascontiguousarray(vector, np.float32)
        self._add(claim, vector)
        if later:
            self._members.read_vectors(later)
            cosines = (self._members.vectors.take(later) @ vector).tolist()
            self._pending_links += [(other, claim, cosine) for other, cosine in zip(later, cosines, strict=True)]

    def remove(self, claim: int) -> None:
        """A claim is active no more: it leaves its group and its links go.

        Raises:
            KeyError: it is in no group.
        """
        self._leave(claim)

    def touch(self, claim: int) -> None:
        """A claim has other keywords now: its group's label is made again."""
        self._dirty.add(self._members.group_of(claim))

    def flush(self) -> None:
        """Write what has changed, within the caller's transaction."""
        connection = self._connection
        centroids = ((group, self._members.centroid(self._members.of(group))[0]) for group in sorted(self._dirty))
        rows.save_groups(connection, centroids, [(claim, self._members.home(claim)) for claim in sorted(self._moved)])
        self._links.write()
        rows.delete_groups(connection, sorted(self._dead))
        rows.save_labels(connection, [(group, group_label(rows.group_terms(connection, group))) for group in sorted(self._dirty)])
        self._write_links()
        if self._index.cells:
            changed = [(i, cell) for i, cell in enumerate(self._index.cells) if cell.changed]
            rows.save_cells(connection, ((i, cell.centre, cell.ids[: cell.count]) for i, cell in changed))
            for _, cell in changed:
                cell.changed = False
            rows.save_index(connection, rows.IndexRow(self._next, self._links.histogram, self._index.basis))
        self._clear_pending()

    def _clear_pending(self) -> None:
        self._dirty: set[int] = set()
        self._dead: set[int] = set()
        self._moved: set[int] = set()
        self._pending_links: list[tuple[int, int, float]] = []
        self.changes = []

    def _load(self) -> None:
        stored = rows.load_index(self._connection, PROJECTED)
        if stored is None:
            return
        self._next, self._links.histogram, self._index.basis = stored.next_group, stored.histogram, stored.basis
        centroids = rows.load_centroids(self._connection)
        for group, centroid in centroids.items():
            self._centroids.put(group, centroid)
        self._index.load(rows.load_cells(self._connection), centroids)

    # Reading -------------------------------------------------------------------------------------------------------

    def _search(self, vector: Floats) -> _Found:
        if self._found is not None and np.array_equal(self._found.vector, vector):
            return self._found
        near = self._near_groups(vector)
        members = self._members.table.take(near, axis=0)
        claims = members[members > 0]
        if not len(claims):
            return _Found(vector, near, np.zeros(0, np.float32), claims, np.zeros(0, np.float32))
        cosines = product(self._members.vectors.take(claims), vector)
        sizes = self._members.sizes.take(near)
        # A centroid is the sum of its members, scaled: its cosine follows from theirs.
        sums: Floats = np.add.reduceat(cosines, np.cumsum(sizes) - sizes)
        self._found = _Found(vector, near, sums / self._members.norms.take(near), claims, cosines)
        return self._found

    def _near_groups(self, vector: Floats) -> NDArray[np.int64]:
        """The groups whose members a search looks at, ascending: the nearest ones, until they hold `COMPARED_CLAIMS`.

        Once cells are left out, the groups that the nearest are linked to are looked at too: what lies across a border is found.
        """
        near, cosines = self._index.nearest(vector, PROBED_GROUPS)
        if self._index.partial:
            seeds = near[np.argpartition(-cosines, EXPANDED)[:EXPANDED]] if len(near) > EXPANDED else near
            beside = {other for group in seeds.tolist() for other in self._links.of(group)}
            near = np.array(sorted(beside.union(near.tolist())), np.int64)
            cosines = self._centroids.take(near) @ vector
        self._members.ensure(near)
        order = np.argsort(-cosines, kind="stable")
        held = np.cumsum(self._members.sizes.take(near[order]))
        return np.sort(near[order[: int(np.searchsorted(held, COMPARED_CLAIMS)) + 1]])

    # Claims come and go --------------------------------------------------------------------------------------------

    def _add(self, claim: int, vector: Floats) -> None:
        found = self._search(vector)
        self._found = None
        self._pending_links += [(claim, other, cosine) for other, cosine in found.claims_by_cosine(LINKS)]
        self._members.vectors.put(claim, vector)
        self._moved.add(claim)
        near = found.groups_by_cosine(2 * LINKS)
        beside = [group for group, _ in near]
        for group, cosine in near[:_TRIED]:
            if cosine < ATTACH:
                break
            if self._members.size(group) < MAX_GROUP:
                self._fill(group, [*self._members.of(group), claim], beside)
                self._merge_beside(group)
                return
            if self._split(group, claim):
                return
        started = self._start([claim], beside)
        self._merge_beside(started)

    def _leave(self, claim: int) -> None:
        group = self._members.group_of(claim)
        self._found = None
        self._write_links()
        rows.delete_links(self._connection, claim)
        members = [other for other in self._members.of(group) if other != claim]
        if members:
            self._fill(group, members, ())
        else:
            self._dissolve(group)
        self._members.drop(claim)
        self._moved.add(claim)

    def _write_links(self) -> None:
        rows.save_links(self._connection, self._pending_links)
        self._pending_links = []

    # Groups change -------------------------------------------------------------------------------------------------

    def _start(self, members: list[int], beside: Iterable[int]) -> int:
        group, self._next = self._next, self._next + 1
        self._links.start(group)
        self._fill(group, members, beside, new=True)
        return group

    def _fill(self, group: int, members: list[int], beside: Iterable[int], *, new: bool = False) -> None:
        """Give a group these members, and link it afresh among `beside` and the groups it was linked to."""
        for claim in members:
            if self._members.home(claim) != group:
                self._moved.add(claim)
        centroid = self._members.hold(group, sorted(members))
        self._centroids.put(group, centroid)
        if new:
            self._index.add(group, centroid)
        else:
            self._index.move(group, centroid)
        self._dirty.add(group)
        self._relink(group, centroid, beside)

    def _relink(self, group: int, centroid: Floats, beside: Iterable[int]) -> None:
        candidates = sorted({*self._links.of(group), *beside} - {group})
        if not candidates:
            return
        cosines = self._centroids.take(candidates) @ centroid
        nearest = np.argsort(-cosines, kind="stable")[:LINKS].tolist()
        self._links.put(group, {candidates[i]: float(cosines[i]) for i in nearest})
        for i in nearest:
            self._links.link_back(candidates[i], group, float(cosines[i]))

    def _dissolve(self, group: int) -> list[int]:
        """A group is no more; returns the groups that were linked to it."""
        holders = self._links.dissolve(group)
        self._index.remove(group)
        self._centroids.drop(group)
        self._members.dissolve(group)
        self._dirty.discard(group)
        self._dead.add(group)
        return holders

    # Splits and merges ---------------------------------------------------------------------------------------------

    def _split(self, group: int, newcomer: int) -> bool:
        """Split a full group that a claim belongs to, if that raises f; returns whether it was done."""
        members = [*self._members.of(group), newcomer]
        beside = self._links.of(group)
        change = best_split(self._members.vectors.take(members), self._around(set(beside), {group}), spread(self._links.histogram))
        if change is None:
            return False
        self.changes.append(change)
        stay, leave = sorted(change.parts, key=lambda part: (-len(part), part))
        around = list(beside)
        self._fill(group, [members[i] for i in stay], ())
        self._start([members[i] for i in leave], [*around, group])
        return True

    def _merge_beside(self, group: int) -> None:
        """Merge a single claim into a neighbour, or a single neighbour into this group, whichever raises f most, if any does."""
        size = self._members.size(group)
        if size >= MAX_GROUP:
            return
        links = self._links.of(group)
        near = [other for other in sorted(links, key=lambda g: (-links[g], g))[:_TRIED] if links[other] >= MERGE]
        near = [other for other in near if (size == 1 or self._members.size(other) == 1) and self._members.size(other) < MAX_GROUP]
        best: tuple[float, int, int, Change] | None = None
        usual = spread(self._links.histogram) if near else None
        for other in near:
            assert usual is not None
            single, into = (group, other) if size == 1 else (other, group)
            around = self._around({*links, *self._links.of(other)}, {group, other})
            change = best_merge(self._part(into), self._part(single), around, usual)
            if change is not None and (best is None or change.after - change.before > best[0]):
                best = (change.after - change.before, single, into, change)
        if best is None:
            return
        _, single, into, change = best
        self.changes.append(change)
        members = [*self._members.of(into), *self._members.of(single)]
        beside = {*self._links.of(single), *self._dissolve(single)} - {into}
        self._fill(into, members, beside)

    def _part(self, group: int) -> Part:
        size = self._members.size(group)
        return Part(size, self._centroids.take([group])[0] * self._members.norms[group])

    def _around(self, groups: set[int], touched: set[int]) -> Around:
        others = sorted(groups - touched)
        ids = np.array(others, np.int64)
        self._members.ensure(ids)
        sizes = self._members.sizes.take(ids)
        elsewhere = [max([c for g, c in self._links.of(group).items() if g not in touched], default=0.0) for group in others]
        cohesions = self._members.norms.take(ids) / np.maximum(sizes, 1)
        return Around(sizes.tolist(), cohesions.tolist(), elsewhere, self._centroids.take(ids))


def _best(ids: NDArray[np.int64], cosines: Floats, count: int) -> list[tuple[int, float]]:
    """The best `count`, ties by id."""
    if len(ids) > 4 * count:
        # Everything that ties with the last one stays in, so that the ids decide.
        kept = np.flatnonzero(cosines >= -np.partition(-cosines, count)[count])
        ids, cosines = ids[kept], cosines[kept]
    order = np.lexsort((ids, -cosines))[:count]
    return list(zip(ids[order].tolist(), cosines[order].tolist(), strict=True))


def rebuild(connection: apsw.Connection) -> None:
    """Make all groups and links again from the stored vectors, as if the claims came in the order of their ids.

    Within a transaction of the caller's.
    """
    rows.clear(connection)
    if not has_vector_tables(connection):
        return
    groups = Groups(connection)
    for count, (claim, vector) in enumerate(zip(*load_vectors(connection, "claim"), strict=True), 1):
        groups.add(int(claim), vector)
        if count % _REBUILD_BATCH == 0:
            groups.flush()
    groups.flush()
