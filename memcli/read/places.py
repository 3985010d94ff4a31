"""Places: a merged claim is found in each place where a part of it was told; which of these are handed over together, and which alone.

A claim that compression made of several is one fact, but its evidence is as good as each place's own score: the best comes first, with
it what is nearly as good, and what ranks later is handed over again where it ranks, with the evidence that is there. So what
stands first is not crowded out by the other supports of merged claims, and none of them is lost.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MARGIN = 0.5
"""How much less a place may score for its evidence to go with a better one's, in log odds. From 0 to 1 the share of evidence among the
first messages is alike; at 2 up to 4 points of it fall away; handing a claim over only once loses up to 8, whatever the margin."""


def hand_over(order: Iterable[int], scores: NDArray[np.float64], claims: NDArray[np.int64], k: int) -> list[tuple[int, ...]]:
    """The first `k` claims to hand over: of each the places whose evidence goes together, best first.

    Args:
        order: places, best first.
        scores: of every place, -inf for those that are not to be handed over.
        claims: the claim of every place.
        k: how many.
    """
    handed: list[tuple[int, ...]] = []
    done: set[int] = set()
    for place in map(int, order):
        if len(handed) == k:
            break
        if place in done:
            continue
        near = [p for p in np.flatnonzero(claims == claims[place]).tolist() if p not in done and scores[p] >= scores[place] - MARGIN]
        near.sort(key=lambda p: (p != place, -scores[p], p))
        done.update(near)
        handed.append(tuple(near))
    return handed
