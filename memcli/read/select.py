"""Selection: of the facts found, the few to hand over, so that together they cover what was asked.

Greedy coverage (xMemory, stage I): each step takes the fact with the largest

    COVERAGE * (weight of what it newly covers / weight of all that is asked) + (1 - COVERAGE) * its score, scaled to [0, 1]

What is asked are the question's words, each weighing as it is rare, and the people it names. Seeking what the chosen facts leave uncovered
once more on its own, a deterministic form of MemCoRe's refinement, cost evidence and was taken out (docs/benchmarks.md).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

COVERAGE = 0.15
"""What covering something new counts against the score. xMemory has 0.7 for pages; for six facts 0.15 to 0.7 are alike, see
docs/benchmarks.md."""

PERSON = 3.0
"""What a person named weighs: as much as a word that one fact in twenty holds."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A fact that was selected: its index, and what it was the first to cover."""

    index: int
    covers: tuple[str, ...]


def weights_of(terms: Sequence[str], people: Sequence[str], held: Sequence[frozenset[str]]) -> dict[str, float]:
    """What is asked, and what each part of it weighs.

    Args:
        terms: the question's words as the index knows them.
        people: those it names; where it is only one, all facts are expected to be about him, which covers nothing.
        held: what each fact found covers, words and people.
    """
    weights = {term: math.log(1 + len(held) / (0.5 + sum(term in one for one in held))) for term in dict.fromkeys(terms)}
    return weights | (dict.fromkeys(people, PERSON) if len(people) > 1 else {})


def select(
    weights: Mapping[str, float], held: Sequence[frozenset[str]], scores: Sequence[float], first: Sequence[int], k: int
) -> list[Chosen]:
    """At most `k` facts, in the order in which they were chosen.

    Args:
        weights: see `weights_of`.
        held: what each fact covers.
        scores: the facts' scores, descending.
        first: indexes of facts that are chosen whatever they cover: those the answer was made from.
        k: how many.
    """
    total = sum(weights.values()) or 1.0
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    near = [(score - low) / (high - low) if high > low else 1.0 for score in scores]
    covered: set[str] = set()
    chosen: list[Chosen] = []
    queue = [index for index in first if index < len(held)]

    def worth(index: int) -> float:
        return COVERAGE * math.fsum(weights.get(item, 0.0) for item in held[index] - covered) / total + (1 - COVERAGE) * near[index]

    # What a fact newly covers only ever becomes less, so one that stays the best when it is looked at again is the best of all.
    heap = [(-worth(i), i) for i in set(range(len(held))) - set(queue)]
    heapq.heapify(heap)
    while len(chosen) < k and (queue or heap):
        if queue:
            index = queue.pop(0)
        else:
            index = heapq.heappop(heap)[1]
            now = (-worth(index), index)
            if heap and now > heap[0]:
                heapq.heappush(heap, now)
                continue
        new = (held[index] & weights.keys()) - covered
        covered |= new
        chosen.append(Chosen(index, tuple(sorted(new))))
    return chosen
