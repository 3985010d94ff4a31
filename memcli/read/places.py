"""Places: a merged claim is found in every message that it rests on; which of these are handed over together, and which on their own.

A claim that compression made of several is one fact, but its evidence is as good as each message's own score: the best comes first, with
it what is nearly as good, and what ranks later is handed over again where it ranks, with the evidence that is there. So what
stands first is not crowded out by the other supports of merged claims, and none of them is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

MARGIN = 0.5
"""How much less a message may score for its evidence to go with a better one's, in log odds. From 0 to 1 the share of evidence among the
first messages is alike; at 2 up to 4 points of it fall away; handing a claim over only once loses up to 8, whatever the margin."""

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Handed:
    """A claim that is handed over, by its place; `messages` are those whose evidence goes with it, best first, None for all it has."""

    place: int
    messages: tuple[int, ...] | None


def hand_over(
    order: Iterable[int], scores: NDArray[np.float64], claims: NDArray[np.int64], messages: NDArray[np.int64], k: int
) -> list[Handed]:
    """The first `k` claims to hand over.

    Args:
        order: places, best first.
        scores: of every place, -inf for those that are not to be handed over.
        claims: the claim of every place, ascending.
        messages: the message of every place.
        k: how many.
    """
    handed: list[Handed] = []
    done: set[int] = set()
    for place in map(int, order):
        if len(handed) == k:
            break
        if place in done:
            continue
        low, high = (int(np.searchsorted(claims, claims[place], side)) for side in _SIDES)
        if high - low == 1:
            handed.append(Handed(place, None))
            continue
        near = [p for p in range(low, high) if p not in done and scores[p] >= scores[place] - MARGIN]
        near.sort(key=lambda p: (p != place, -scores[p], p))
        done.update(near)
        handed.append(Handed(place, tuple(int(messages[p]) for p in near)))
    return handed
