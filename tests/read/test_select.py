"""Selection: the facts that together cover what was asked."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memcli.read.select import COVERAGE, select

ITEMS = "abcdef"


def plainly(weights: dict[str, float], held: list[frozenset[str]], scores: list[float], first: list[int], k: int) -> list[int]:
    """Every fact that is left looked at again in each step."""
    low, high = min(scores), max(scores)
    near = [(score - low) / (high - low) if high > low else 1.0 for score in scores]
    total = sum(weights.values()) or 1.0
    chosen: list[int] = []
    while len(chosen) < min(k, len(held)):
        covered = frozenset().union(*(held[i] for i in chosen))
        left = [i for i in range(len(held)) if i not in chosen]
        queue = [i for i in first if i in left]
        chosen.append(
            queue[0]
            if queue
            else max(
                left, key=lambda i: (COVERAGE * sum(weights.get(x, 0.0) for x in held[i] - covered) / total + (1 - COVERAGE) * near[i], -i)
            )
        )
    return chosen


@given(st.data())
def test_each_step_takes_the_best_fact_that_is_left(data: st.DataObject) -> None:
    # Whole numbers, so that sums do not depend on their order.
    weights = data.draw(st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 8).map(float)))
    held = data.draw(st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=1, max_size=12))
    scores = sorted(data.draw(st.lists(st.integers(-4, 4).map(float), min_size=len(held), max_size=len(held))), reverse=True)
    first = data.draw(st.lists(st.integers(0, len(held) - 1), max_size=3, unique=True))
    k = data.draw(st.integers(1, 14))
    chosen = select(weights, held, scores, first, k)
    assert [one.index for one in chosen] == plainly(weights, held, scores, first, k)
    covered: set[str] = set()
    for one in chosen:
        assert set(one.covers) == (held[one.index] & weights.keys()) - covered
        covered.update(one.covers)


def test_many_facts_take_little_time() -> None:
    words = [f"w{n}" for n in range(40)]
    held = [frozenset(words[n % 40 : n % 40 + 7]) for n in range(5_000)]
    started = time.process_time()
    chosen = select(dict.fromkeys(words, 1.0), held, [float(-n) for n in range(5_000)], [], 5_000)
    assert len(chosen) == 5_000
    assert time.process_time() - started < 2.0
