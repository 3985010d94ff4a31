"""Events: every claim in one, of its own kind, with a centre claim in it; meaning and nearness in time decide which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.compress.candidates import Candidates, Statement
from memcli.compress.nearness import nearness
from memcli.compress.partition import STRETCH, partition

MakeClaims = Callable[..., Candidates]


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 200),
    kinds=st.integers(1, 5),
    size=st.integers(1, 90),
    beta=st.sampled_from((0.0, 0.3, 0.5, 1.0)),
    window=st.integers(1, 8),
    seed=st.integers(0, 9),
)
def test_every_claim_has_one_event_of_its_own_kind_with_a_centre_in_it(
    make_claims: MakeClaims, count: int, kinds: int, size: int, beta: float, window: int, seed: int
) -> None:
    claims = make_claims(count, kinds=kinds, seed=seed)
    event, centre = partition(claims, size, beta=beta, window=window)
    assert event.shape == (count,)
    assert set(event.tolist()) == set(range(len(centre)))
    assert np.array_equal(event[centre], np.arange(len(centre)))
    assert np.array_equal(claims.kinds[centre[event]], claims.kinds)
    assert min(kinds, count) <= len(centre) <= count / size + kinds
    again = partition(claims, size, beta=beta, window=window)
    assert np.array_equal(event, again[0])
    assert np.array_equal(centre, again[1])


@settings(max_examples=60, deadline=None)
@given(
    positions=st.lists(st.integers(0, 60), min_size=2, max_size=30),
    conversations=st.integers(1, 3),
    window=st.integers(1, 9),
    seed=st.integers(0, 9),
)
def test_nearness_is_one_next_to_each_other_and_falls_to_nothing(
    make_claims: MakeClaims, positions: list[int], conversations: int, window: int, seed: int
) -> None:
    count = len(positions)
    rng = np.random.default_rng(seed)
    claims = replace(make_claims(count), positions=np.array(positions), conversations=rng.integers(0, conversations, count))
    left, right = np.triu_indices(count, 1)
    near = nearness(claims, left, right, window)
    assert np.array_equal(near, nearness(claims, right, left, window))
    same = claims.conversations[left] == claims.conversations[right]
    apart = np.abs(claims.positions[left] - claims.positions[right])
    assert np.array_equal(near == 1, same & (apart <= window))
    assert np.array_equal(near == 0, ~same | (apart >= 2 * window))
    order = np.argsort(apart[same], kind="stable")
    assert (np.diff(near[same][order]) <= 0).all()


@pytest.mark.parametrize("beta", [0.8, 0.5])
def test_nearness_in_time_decides_between_events_that_are_alike(beta: float) -> None:
    # Claims of two directions; the one between them stands in time beside those of the second, and is a little nearer to the first.
    first, second = np.eye(8, dtype=np.float32)[:2]
    between = 1.05 * first + second
    claims = Candidates(
        ids=np.arange(13),
        vectors=np.array([first] * 6 + [second] * 3 + [between / np.linalg.norm(between)] + [second] * 3, np.float32),
        conversations=np.array([0] * 6 + [1] * 7),
        positions=np.array([*range(6), *range(7)]),
        kinds=np.zeros(13, np.int64),
        statements=(Statement("Nils sails.", "Nils"),) * 13,
    )
    timeless, _ = partition(claims, 7, beta=1.0, window=5)
    timed, _ = partition(claims, 7, beta=beta, window=5)
    assert timeless[9] == timeless[0]
    assert timed[9] == timed[6]


def test_without_time_every_claim_is_with_the_centre_it_is_most_like(make_claims: MakeClaims) -> None:
    claims = make_claims(200, kinds=1)
    event, centre = partition(claims, 20, beta=1.0, window=5)
    others = np.setdiff1d(np.arange(200), centre)
    assert np.array_equal(event[others], np.argmax(claims.vectors[others] @ claims.vectors[centre].T, axis=1))


def test_stretches_keep_kmeans_small_and_leave_no_claim_out(make_claims: MakeClaims) -> None:
    claims = make_claims(STRETCH + 700, events=40, kinds=1)
    event, centre = partition(claims, 20, beta=0.5, window=5)
    assert event.min() == 0
    assert len(np.unique(event)) == len(centre)
