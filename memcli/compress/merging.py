"""Progressive merging (MemForest 3.3): the best edge of all trees first, hubs last, until the ratio is reached.

The weight of an edge is beta * cos(i, j) + (1 - beta) * near(i, j) - alpha * (deg(i) + deg(j)); MemForest's has the cosine and the degrees.
A merged claim keeps the neighbours of both, as near in time as they were; its vector is the mean of its claims'.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from memcli.compress.candidates import Floats
from memcli.compress.event_trees import Forest


@dataclass(frozen=True, slots=True)
class Merging:
    """What was merged: claims by index, of each merged claim ascending; how many edges were passed over, by reason."""

    clusters: tuple[tuple[int, ...], ...]
    merges: int
    skipped: Mapping[str, int]


def merge_trees(
    vectors: Floats,
    forest: Forest,
    target: int,
    *,
    beta: float,
    alpha: float,
    max_size: int,
    conflicts: Mapping[int, frozenset[int]],
    joined: Callable[[tuple[int, ...]], bool],
    progress: Callable[[int], None] | None = None,
) -> Merging:
    """Merge until `target` claims are gone or no edge is left.

    Args:
        vectors: (n, d) unit rows.
        forest: the trees.
        target: how many claims to remove.
        beta: weight of the cosine; the rest goes to nearness in time.
        alpha: how much each neighbour protects a claim.
        max_size: claims that one merged claim may take in; more only where the target cannot be reached otherwise.
        conflicts: by index, the claims that contradict it; no merged claim holds two that do.
        joined: whether claims, ascending, can be told in one claim.
        progress: told how many claims are gone.
    """
    sums: dict[int, Floats] = {}
    neighbours: dict[int, dict[int, float]] = {}
    members: dict[int, tuple[int, ...]] = {}
    version: dict[int, int] = {}
    edges = (forest.left.tolist(), forest.right.tolist(), forest.similarity.tolist(), forest.nearness.tolist())
    for i, j, _, near in zip(*edges, strict=True):
        neighbours.setdefault(i, {})[j] = near
        neighbours.setdefault(j, {})[i] = near

    def degree(node: int) -> int:
        return len(neighbours[node])

    def cost(i: int, j: int, cosine: float, near: float) -> float:
        return alpha * (degree(i) + degree(j)) - beta * cosine - (1 - beta) * near

    heap = [(cost(i, j, cosine, near), i, j, 0, 0) for i, j, cosine, near in zip(*edges, strict=True)]
    heapq.heapify(heap)
    skipped: Counter[str] = Counter()
    gone = 0
    waiting: list[tuple[float, int, int, int, int]] = []
    while gone < target:
        if not heap:
            if not waiting:
                break
            heap, waiting, max_size = waiting, [], max_size + 1
            heapq.heapify(heap)
        edge = heapq.heappop(heap)
        _, i, j, seen_i, seen_j = edge
        if version.get(i, 0) != seen_i or version.get(j, 0) != seen_j:
            continue
        both = tuple(sorted((*members.get(i, (i,)), *members.get(j, (j,)))))
        if len(both) > max_size:
            waiting.append(edge)
            continue
        reason = "conflict" if _contradict(both, conflicts) else None if joined(both) else "unfaithful"
        if reason is not None:
            skipped[reason] += 1
            continue
        if (degree(j), -j) > (degree(i), -i):  # the hub gives the merged claim its place
            i, j = j, i
        total = sums.pop(i, vectors[i]) + sums.pop(j, vectors[j])
        sums[i] = total
        members[i] = both
        members.pop(j, None)
        around = {other: near for other, near in (neighbours[i] | neighbours.pop(j)).items() if other not in (i, j)}
        neighbours[i] = around
        version[i] = version.get(i, 0) + 1
        version[j] = -1
        gone += 1
        for other, near in sorted(around.items()):
            neighbours[other].pop(j, None)
            neighbours[other][i] = near
            row = sums.get(other, vectors[other])
            cosine = float(total @ row) / max(float(np.linalg.norm(total)) * float(np.linalg.norm(row)), 1e-9)
            heapq.heappush(heap, (cost(i, other, cosine, near), i, other, version[i], version.get(other, 0)))
        if progress is not None and gone % 256 == 0:
            progress(gone)
    return Merging(tuple(sorted(members.values())), gone, dict(skipped))


def _contradict(claims: tuple[int, ...], conflicts: Mapping[int, frozenset[int]]) -> bool:
    return bool(conflicts) and any(not conflicts.get(claim, frozenset()).isdisjoint(claims) for claim in claims)
