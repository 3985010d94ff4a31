"""EventTrees (MemForest 3.3): the maximum spanning tree of each event's cosine graph, by Kruskal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memcli.compress.candidates import Floats, Ints
from memcli.compress.settings import Tree

COMPLETE = 256
"""Claims up to which an event's graph is complete; a larger one has each claim's nearest and its neighbours in time."""

NEAREST = 10


@dataclass(frozen=True, slots=True)
class Forest:
    """The edges of all trees: `left` and `right` are claims by index, `similarity` their cosines; each of shape (edges,)."""

    left: Ints
    right: Ints
    similarity: Floats


def event_trees(vectors: Floats, event: Ints, *, tree: Tree = "maximum", seed: int = 0) -> Forest:
    """A spanning tree of every event.

    Args:
        vectors: (n, d) unit rows.
        event: (n,) each claim's event.
        tree: `maximum` by cosine; `minimum` and `random` serve to compare.
        seed: of the random trees.
    """
    import igraph  # a tenth of a second that only a compression needs

    order = np.argsort(event, kind="stable")
    bounds = np.flatnonzero(np.diff(event[order], prepend=-1, append=-1))
    pairs: list[tuple[Ints, Ints, Floats]] = []
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        members = order[start:end]
        if len(members) > 1:
            left, right, similarity = _graph(vectors[members])
            pairs.append((members[left], members[right], similarity))
    if not pairs:
        nothing = np.zeros(0, np.int64)
        return Forest(nothing, nothing, np.zeros(0, np.float32))
    left, right, similarity = (np.concatenate(column) for column in zip(*pairs, strict=True))
    lengths = np.random.default_rng(seed).random(len(left)) if tree == "random" else similarity if tree == "minimum" else -similarity
    graph = igraph.Graph(n=len(event), edges=np.stack([left, right], axis=1))
    kept = np.sort(np.array(graph.spanning_tree(weights=lengths.tolist(), return_tree=False, method="kruskal"), np.int64))
    return Forest(left[kept], right[kept], similarity[kept])


def _graph(rows: Floats) -> tuple[Ints, Ints, Floats]:
    """The edges of one event's graph, as pairs (smaller, larger) of its rows, with their cosines."""
    if len(rows) <= COMPLETE:
        left, right = np.triu_indices(len(rows), 1)
        return left.astype(np.int64), right.astype(np.int64), (rows @ rows.T)[left, right]
    n = len(rows)
    near = np.concatenate(
        [np.argpartition(-(rows[start : start + COMPLETE] @ rows.T), NEAREST, axis=1)[:, : NEAREST + 1] for start in range(0, n, COMPLETE)]
    )
    # The neighbours in time make the graph connected whatever the nearest are.
    here = np.concatenate([np.repeat(np.arange(n), NEAREST + 1), np.arange(n - 1)])
    there = np.concatenate([near.ravel(), np.arange(1, n)])
    keys = np.unique(np.minimum(here, there)[here != there] * n + np.maximum(here, there)[here != there])
    left, right = keys // n, keys % n
    return left, right, np.einsum("ij,ij->i", rows[left], rows[right])
