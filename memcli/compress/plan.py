"""What a compression would do: candidates in, merged claims out; no file is touched.

candidates -> partition into events -> a tree of each -> merge along the trees -> the words of each merged claim
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memcli.compress.candidates import Candidates
from memcli.compress.clauses import Clause, read_clause
from memcli.compress.event_trees import event_trees
from memcli.compress.merge_text import is_faithful, merged_text, rarities
from memcli.compress.merging import merge_trees
from memcli.compress.partition import partition
from memcli.compress.settings import Settings

CACHED_CLAUSES = 16_384
"""Claims whose words are kept at hand while others are joined to them: some 4 kB each."""

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class EventTree:
    """One event: its centre claim, and the edges of its tree as (claim, its parent towards the centre, cosine). Claims are ids."""

    centre: int
    edges: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True, slots=True)
class MergedClaim:
    """A claim to be made of others: their ids in the order of time, the one nearest to the rest, and its words."""

    claims: tuple[int, ...]
    representative: int
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, and how many merges were passed over, by reason (`conflict`, `unfaithful`)."""

    trees: tuple[EventTree, ...]
    merged: tuple[MergedClaim, ...]
    removed: int
    skipped: Mapping[str, int]


def make_plan(candidates: Candidates, target: int, settings: Settings, progress: Progress | None = None) -> Plan:
    """Plan to remove `target` of some claims.

    Args:
        candidates: the claims that may be merged.
        target: how many fewer claims there are to be.
        settings: how to partition and merge.
        progress: told ("merge", claims gone, target).
    """
    if not len(candidates) or target < 1:
        return Plan((), (), 0, {})
    share = min(target / len(candidates), 0.99)
    event_size = max(8, math.ceil(settings.survivors / (1 - share)))
    event, centre = partition(candidates, event_size, beta=settings.beta, window=settings.window)
    forest = event_trees(candidates, event, beta=settings.beta, window=settings.window, tree=settings.tree, seed=settings.seed)
    words = _Words(candidates, settings.words)
    merging = merge_trees(
        candidates.vectors,
        forest,
        target,
        beta=settings.beta,
        alpha=settings.alpha,
        max_size=max(2, math.ceil(settings.spread / (1 - share))),
        conflicts=candidates.conflicts,
        joined=words.can_join,
        progress=None if progress is None else lambda gone: progress("merge", gone, target),
    )
    merged = []
    for cluster in merging.clusters:
        rows = candidates.vectors[list(cluster)]
        nearest = int((rows @ rows.sum(axis=0)).argmax())
        ids = tuple(candidates.ids[list(cluster)].tolist())
        merged.append(MergedClaim(ids, ids[nearest], words.join(cluster)))
    edges: dict[int, list[tuple[int, int, float]]] = {}
    for left, right, similarity in zip(forest.left.tolist(), forest.right.tolist(), forest.similarity.tolist(), strict=True):
        edges.setdefault(int(event[left]), []).append((left, right, similarity))
    trees = [_rooted(int(centre[number]), found, candidates) for number, found in sorted(edges.items())]
    return Plan(tuple(trees), tuple(merged), merging.merges, merging.skipped)


class _Words:
    """The words of merged claims."""

    def __init__(self, candidates: Candidates, words: float) -> None:
        self._statements = candidates.statements
        self._words = words
        self._rarity = rarities(candidates.statements)
        self._clause = functools.lru_cache(maxsize=CACHED_CLAUSES)(self._read)
        self._joined: dict[tuple[int, ...], str] = {}

    def can_join(self, claims: tuple[int, ...]) -> bool:
        clauses = [self._clause(claim) for claim in claims]
        budget = round(self._words * sum(clause.words for clause in clauses) / len(clauses))
        text = merged_text(clauses, budget)
        if not is_faithful(text, clauses):
            return False
        self._joined[claims] = text
        return True

    def join(self, claims: tuple[int, ...]) -> str:
        return self._joined[claims]

    def _read(self, claim: int) -> Clause:
        return read_clause(self._statements[claim], self._rarity)


def _rooted(centre: int, edges: list[tuple[int, int, float]], candidates: Candidates) -> EventTree:
    """A tree with every edge pointing towards the centre claim, breadth first."""
    around: dict[int, list[tuple[int, float]]] = {}
    for left, right, similarity in edges:
        around.setdefault(left, []).append((right, similarity))
        around.setdefault(right, []).append((left, similarity))
    out: list[tuple[int, int, float]] = []
    seen, row = {centre}, [centre]
    for parent in row:
        for claim, similarity in sorted(around.get(parent, [])):
            if claim not in seen:
                seen.add(claim)
                row.append(claim)
                out.append((int(candidates.ids[claim]), int(candidates.ids[parent]), similarity))
    return EventTree(int(candidates.ids[centre]), tuple(out))
