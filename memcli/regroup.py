"""Groups after a compression: each merged claim takes the place of the claim that stands for it, in all groups at once.

Letting thousands of claims leave and join one by one (`memcli.write.groups`) takes a millisecond each. Here groups only shrink: those that
lose all their claims go, the others get the centroids of what is left, and links lead to what absorbed the claims that they led to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store import archive, groups
from memcli.store.groups import IndexRow
from memcli.write.labels import group_label
from memcli.write.links import LINKS
from memcli.write.members import Members
from memcli.write.neighbours import PROJECTED
from memcli.write.partition import HISTOGRAM_BINS, histogram_bin

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_PAIRS = 8192
"""Pairs of claims whose vectors are multiplied at once."""


def regroup(connection: apsw.Connection, absorbers: Mapping[int, int], homes: Mapping[int, int], ids: Ints, vectors: Floats) -> None:
    """Put merged claims into groups, within a transaction; nothing if there are no groups.

    Args:
        connection: the memory, the merged claims stored.
        absorbers: by archived claim, the claim that absorbed it.
        homes: by merged claim, the one of its claims in whose group it is to be.
        ids: the active claims, ascending, shape (n,).
        vectors: theirs, unit rows, shape (n, dimension).
    """
    index = groups.load_index(connection, PROJECTED)
    if index is None:
        return
    group_of = dict(archive.homes(connection))
    moved = [(claim, None) for claim in absorbers] + [(merged, group_of[home]) for merged, home in homes.items()]
    touched = sorted({group_of[claim] for claim in absorbers})
    for claim in absorbers:
        del group_of[claim]
    group_of.update((merged, group) for merged, group in moved if group is not None)
    alive = set(group_of.values())
    dead = [group for group in touched if group not in alive]
    touched = [group for group in touched if group in alive]
    centroids = groups.load_centroids(connection)
    inside: dict[int, list[int]] = {group: [] for group in touched}
    for claim, group in sorted(group_of.items()):
        if group in inside:
            inside[group].append(claim)
    centroids.update(centroids_of(connection, inside, ids, vectors))
    groups.save_groups(connection, ((group, centroids[group]) for group in touched), moved)
    groups.delete_groups(connection, dead)
    terms = archive.terms_of(connection, touched)
    groups.save_labels(connection, ((group, group_label(terms.get(group, ()))) for group in touched))
    histogram = _link_groups(connection, centroids, set(touched))
    _link_claims(connection, absorbers, ids, vectors)
    cells = ((place, centre, held) for place, (centre, held) in enumerate(groups.load_cells(connection)))
    gone = np.array(dead, np.int64)
    groups.save_cells(connection, [(place, centre, held[~np.isin(held, gone)]) for place, centre, held in cells])
    groups.save_index(connection, IndexRow(index.next_group, histogram, index.basis))


def centroids_of(connection: apsw.Connection, claims: Mapping[int, Sequence[int]], ids: Ints, vectors: Floats) -> dict[int, Floats]:
    """The centroids of groups, to the bit as an ingest computes them.

    Args:
        connection: the memory.
        claims: by group, its claims, ascending.
        ids: claims, ascending, shape (n,).
        vectors: theirs, shape (n, dimension).
    """
    members = Members(connection)
    found = {}
    for group, inside in claims.items():
        for number, row in enumerate(vectors[np.searchsorted(ids, np.array(inside, np.int64))]):
            members.vectors.put(number, row)
        found[group] = members.centroid(list(range(len(inside))))[0]
    return found


def _link_groups(connection: apsw.Connection, centroids: Mapping[int, Floats], touched: set[int]) -> NDArray[np.int64]:
    """Tell links of groups that have changed how near these are now; returns the counts of groups by their nearest."""
    links = archive.group_links(connection)
    nearest: dict[int, float] = {}
    changed = []
    for group, other, similarity in links:
        if group in touched or other in touched:
            similarity = float(centroids[group] @ centroids[other])
            changed.append((group, other, similarity))
        nearest[group] = max(nearest.get(group, -1.0), similarity)
    archive.save_similarities(connection, changed)
    return np.bincount([histogram_bin(value) for value in nearest.values()], minlength=HISTOGRAM_BINS).astype(np.int64)


def _link_claims(connection: apsw.Connection, absorbers: Mapping[int, int], ids: Ints, vectors: Floats) -> None:
    """Let the links of archived claims lead from and to what absorbed them, from the later claim to the earlier; the nearest stay."""
    gone = np.array(sorted(absorbers), np.int64)
    heirs = np.array([absorbers[claim] for claim in gone.tolist()], np.int64)
    pairs = archive.claim_links(connection)
    place = np.minimum(np.searchsorted(gone, pairs), len(gone) - 1)
    archived = gone[place] == pairs
    pairs = np.where(archived, heirs[place], pairs)[archived.any(axis=1)]
    pairs = np.stack([pairs.max(axis=1), pairs.min(axis=1)], axis=1)
    claim, other = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0).T
    archive.delete_links(connection, absorbers)
    left, right = np.searchsorted(ids, claim), np.searchsorted(ids, other)
    cosine = np.zeros(len(claim), np.float32)
    for start in range(0, len(claim), _PAIRS):
        part = slice(start, start + _PAIRS)
        cosine[part] = np.einsum("ij,ij->i", vectors[left[part]], vectors[right[part]])
    order = np.lexsort((other, -cosine, claim))
    claim, other, cosine = claim[order], other[order], cosine[order]
    kept = np.arange(len(claim)) - np.searchsorted(claim, claim) < LINKS
    groups.save_links(connection, zip(claim[kept].tolist(), other[kept].tolist(), cosine[kept].tolist(), strict=True))
