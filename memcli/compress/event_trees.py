"""EventTrees (MemForest 3.3): the maximum spanning tree of each event's graph, by Kruskal.

MemForest weighs an edge by the cosine alone. Here it has the score by which claims choose their event, beta * cosine + (1 - beta) *
nearness in time (ours): of two claims that are equally alike, the one said in the same breath is the better to merge with, for what is
asked about one is mostly asked about the other, and both often rest on one message.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memcli.compress.candidates import Candidates, Floats, Ints
from memcli.compress.nearness import nearness
from memcli.compress.settings import Tree

COMPLETE = 64
"""Claims up to which an event's graph is complete. In a larger one every claim has an edge to those that are near in time and to the
`NEAREST` in meaning, at most 19 with a window of 5: as many as in a complete graph of 40."""

NEAREST = 10

_ROWS = 256


@dataclass(frozen=True, slots=True)
class Forest:
    """The edges of all trees, each array of shape (edges,)."""

    left: Ints
    """Claims by index."""
    right: Ints
    """The other claim of each edge, a greater index."""
    similarity: Floats
    """Cosines."""
    nearness: Floats
    """How near in time they are, from 0 to 1."""


def event_trees(candidates: Candidates, event: Ints, *, beta: float, window: int, tree: Tree = "maximum", seed: int = 0) -> Forest:
    """A spanning tree of every event.

    Args:
        candidates: `n` claims.
        event: (n,) each claim's event.
        beta: weight of the cosine; the rest goes to nearness in time.
        window: positions in time within which a claim counts as next to another.
        tree: `maximum`; `minimum` and `random` serve to compare.
        seed: of the random trees.
    """
    import igraph  # a tenth of a second that only a compression needs

    order = np.argsort(event, kind="stable")
    bounds = np.flatnonzero(np.diff(event[order], prepend=-1, append=-1))
    pairs: list[tuple[Ints, Ints, Floats]] = []
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        members = order[start:end]
        if len(members) > 1:
            left, right, similarity = _graph(candidates.vectors[members], 2 * window)
            pairs.append((members[left], members[right], similarity))
    if not pairs:
        nothing = np.zeros(0, np.int64)
        return Forest(nothing, nothing, np.zeros(0, np.float32), np.zeros(0, np.float32))
    left, right, similarity = (np.concatenate(column) for column in zip(*pairs, strict=True))
    near = nearness(candidates, left, right, window)
    score = beta * similarity + (1 - beta) * near
    lengths = np.random.default_rng(seed).random(len(left)) if tree == "random" else score if tree == "minimum" else -score
    graph = igraph.Graph(n=len(event), edges=np.stack([left, right], axis=1))
    kept = np.sort(np.array(graph.spanning_tree(weights=lengths.tolist(), return_tree=False, method="kruskal"), np.int64))
    return Forest(left[kept], right[kept], similarity[kept], near[kept])


def _graph(rows: Floats, reach: int) -> tuple[Ints, Ints, Floats]:
    """The edges of one event's graph, as pairs (smaller, larger) of its rows, with their cosines; `reach` positions are near in time."""
    n = len(rows)
    if n <= COMPLETE:
        left, right = np.triu_indices(n, 1)
        return left.astype(np.int64), right.astype(np.int64), (rows @ rows.T)[left, right]
    nearest = [np.argpartition(-(rows[start : start + _ROWS] @ rows.T), NEAREST, axis=1)[:, : NEAREST + 1] for start in range(0, n, _ROWS)]
    # Rows are in the order of time, so claims fewer than `reach` positions apart are fewer than `reach` rows apart. That each has an edge
    # to the next makes the graph connected, whatever the nearest are.
    here = np.concatenate([np.repeat(np.arange(n), NEAREST + 1), *(np.arange(n - apart) for apart in range(1, min(reach, n)))])
    there = np.concatenate([np.concatenate(nearest).ravel(), *(np.arange(apart, n) for apart in range(1, min(reach, n)))])
    keys = np.unique(np.minimum(here, there)[here != there] * n + np.maximum(here, there)[here != there])
    left, right = keys // n, keys % n
    return left, right, np.einsum("ij,ij->i", rows[left], rows[right])
