"""Events, their trees, and what is merged first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.compress.candidates import Candidates, Floats, Statement
from memcli.compress.event_trees import COMPLETE, event_trees
from memcli.compress.merging import merge_trees
from memcli.compress.partition import STRETCH, partition
from memcli.compress.plan import make_plan
from memcli.compress.settings import Settings


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def candidates(count: int, *, events: int = 8, kinds: int = 2, seed: int = 0, noise: float = 0.8) -> Candidates:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(events, 24))
    rows = centres[rng.integers(0, events, count)] + noise * rng.normal(size=(count, 24))
    return Candidates(
        ids=np.arange(count) * 3 + 5,
        vectors=unit(rows.astype(np.float32)),
        conversations=np.arange(count) // 40,
        positions=np.arange(count) % 40,
        kinds=np.arange(count) % kinds,
        statements=tuple(Statement(f"Nils: I painted the old boat number {n} in Faro with a brush.", "Nils") for n in range(count)),
    )


def test_every_claim_has_an_event_of_its_own_kind_with_a_centre_in_it() -> None:
    given_claims = candidates(300, kinds=3)
    event, centre = partition(given_claims, 10, beta=0.8, window=5)
    assert np.array_equal(event[centre], np.arange(len(centre)))
    assert np.array_equal(given_claims.kinds[centre[event]], given_claims.kinds)
    assert 20 <= len(centre) <= 33


def test_nearness_in_time_decides_between_events_that_are_alike() -> None:
    # Claims of two directions; the one between them stands in time beside those of the second, and is a little nearer to the first.
    first, second = np.eye(8, dtype=np.float32)[:2]
    between = unit((1.05 * first + second)[None])[0]
    rows = unit(np.array([first] * 6 + [second] * 3 + [between] + [second] * 3, np.float32))
    claims = Candidates(
        ids=np.arange(13),
        vectors=rows,
        conversations=np.array([0] * 6 + [1] * 7),
        positions=np.array([*range(6), *range(7)]),
        kinds=np.zeros(13, np.int64),
        statements=(Statement("Nils sails.", "Nils"),) * 13,
    )
    timeless, _ = partition(claims, 7, beta=1.0, window=5)
    timed, _ = partition(claims, 7, beta=0.8, window=5)
    assert timeless[9] == timeless[0]
    assert timed[9] == timed[6]


def test_stretches_keep_kmeans_small_and_leave_no_claim_out() -> None:
    claims = candidates(STRETCH + 700, events=40, kinds=1)
    event, centre = partition(claims, 20, beta=0.8, window=5)
    assert event.min() == 0
    assert len(np.unique(event)) == len(centre)


def _weight(vectors: Floats, edges: list[tuple[int, int]]) -> float:
    return float(sum(vectors[i] @ vectors[j] for i, j in edges))


@pytest.mark.parametrize("size", [2, 9, 40])
def test_a_tree_is_the_spanning_tree_of_greatest_weight(size: int) -> None:
    vectors = candidates(size).vectors
    forest = event_trees(vectors, np.zeros(size, np.int64))
    assert len(forest.left) == size - 1
    # Prim, written down anew.
    inside, prim = {0}, []
    while len(inside) < size:
        i, j = max(((i, j) for i in inside for j in range(size) if j not in inside), key=lambda e: float(vectors[e[0]] @ vectors[e[1]]))
        inside.add(j)
        prim.append((i, j))
    found = list(zip(forest.left.tolist(), forest.right.tolist(), strict=True))
    assert _weight(vectors, found) == pytest.approx(_weight(vectors, prim), abs=1e-4)
    smallest = event_trees(vectors, np.zeros(size, np.int64), tree="minimum")
    assert _weight(vectors, list(zip(smallest.left.tolist(), smallest.right.tolist(), strict=True))) <= _weight(vectors, prim) + 1e-4


def test_a_large_event_is_still_one_tree() -> None:
    size = COMPLETE + 90
    forest = event_trees(candidates(size).vectors, np.zeros(size, np.int64))
    assert len(forest.left) == size - 1
    joined = {0}
    for _ in range(size):
        for i, j in zip(forest.left.tolist(), forest.right.tolist(), strict=True):
            if i in joined or j in joined:
                joined |= {i, j}
    assert len(joined) == size


def test_hubs_are_merged_last() -> None:
    # A star whose edges are a little better than the one edge apart from it.
    vectors = unit(np.array([[1, 0, 0], [1, 0.1, 0], [1, -0.1, 0], [1, 0, 0.1], [0, 1, 5], [0, 2, 5]], np.float32))
    forest = event_trees(vectors, np.array([0, 0, 0, 0, 1, 1]))

    def merged(alpha: float) -> tuple[tuple[int, ...], ...]:
        return merge_trees(vectors, forest, 1, alpha=alpha, max_size=9, conflicts={}, joined=lambda _: True).clusters

    assert 0 in merged(0.0)[0]
    assert merged(0.05) == ((4, 5),)


def test_claims_that_contradict_each_other_never_end_in_one() -> None:
    claims = candidates(60, events=2, kinds=1, noise=0.1)
    conflicts = {n: frozenset({n ^ 1}) for n in range(60)}
    merging = merge_trees(
        claims.vectors,
        event_trees(claims.vectors, np.zeros(60, np.int64)),
        50,
        alpha=0.05,
        max_size=3,
        conflicts=conflicts,
        joined=lambda _: True,
    )
    assert merging.merges >= 20
    assert all(n ^ 1 not in cluster for cluster in merging.clusters for n in cluster)


def test_what_cannot_be_told_in_one_claim_takes_another_edge() -> None:
    claims = candidates(40, kinds=1)
    forest = event_trees(claims.vectors, np.zeros(40, np.int64))
    merging = merge_trees(claims.vectors, forest, 10, alpha=0.05, max_size=4, conflicts={}, joined=lambda c: 7 not in c)
    assert merging.merges == 10
    assert all(7 not in cluster for cluster in merging.clusters)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 120), st.integers(1, 4), st.floats(0.01, 0.95), st.integers(0, 5))
def test_a_plan_reaches_its_target_wherever_kinds_allow(count: int, kinds: int, ratio: float, seed: int) -> None:
    claims = candidates(count, kinds=kinds, seed=seed)
    target = round(ratio * count)
    plan = make_plan(claims, target, Settings())
    merged = [claim for cluster in plan.merged for claim in cluster.claims]
    assert len(merged) == len(set(merged))
    assert plan.removed == len(merged) - len(plan.merged) <= target
    kind = dict(zip(claims.ids.tolist(), claims.kinds.tolist(), strict=True))
    for cluster in plan.merged:
        assert cluster.representative in cluster.claims
        assert len({kind[claim] for claim in cluster.claims}) == 1
    for tree in plan.trees:
        assert len({tree.centre} | {claim for claim, _, _ in tree.edges}) == len(tree.edges) + 1
    assert plan == make_plan(claims, target, Settings())
    if not plan.skipped and kinds * 2 <= count - target:
        assert plan.removed == target
