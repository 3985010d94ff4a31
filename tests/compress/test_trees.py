"""The trees of events, and what is merged first along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.compress.candidates import Candidates, Floats, Ints
from memcli.compress.event_trees import COMPLETE, Forest, event_trees
from memcli.compress.merging import merge_trees
from memcli.compress.nearness import nearness
from memcli.compress.plan import make_plan
from memcli.compress.settings import Settings

MakeClaims = Callable[..., Candidates]
WINDOW = 5


def scores(claims: Candidates, beta: float) -> Floats:
    """beta * cosine + (1 - beta) * nearness of every two claims, shape (n, n)."""
    every = np.arange(len(claims))
    near = nearness(claims, np.repeat(every, len(every)), np.tile(every, len(every)), WINDOW).reshape(len(every), len(every))
    return np.asarray(beta * (claims.vectors @ claims.vectors.T) + (1 - beta) * near, np.float32)


def one_tree(claims: Candidates, beta: float = 0.5) -> Forest:
    """The tree of all claims as one event."""
    return event_trees(claims, np.zeros(len(claims), np.int64), beta=beta, window=WINDOW)


def apart(vectors: Floats) -> Candidates:
    """Claims of these directions, none near another in time."""
    return Candidates(
        ids=np.arange(len(vectors)),
        vectors=np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32),
        conversations=np.arange(len(vectors)),
        positions=np.zeros(len(vectors), np.int64),
        kinds=np.zeros(len(vectors), np.int64),
        statements=(),
    )


@settings(max_examples=30, deadline=None)
@given(size=st.integers(2, 30), beta=st.sampled_from((0.0, 0.5, 0.8, 1.0)), seed=st.integers(0, 99))
def test_a_tree_is_the_spanning_tree_of_greatest_score(make_claims: MakeClaims, size: int, beta: float, seed: int) -> None:
    claims = make_claims(size, seed=seed, conversation=12)
    score = scores(claims, beta)
    forest = one_tree(claims, beta)
    assert len(forest.left) == size - 1
    # Prim, written down anew.
    inside, greatest = {0}, 0.0
    while len(inside) < size:
        best, new = max((float(score[i, j]), j) for i in inside for j in range(size) if j not in inside)
        inside.add(new)
        greatest += best
    assert float(score[forest.left, forest.right].sum()) == pytest.approx(greatest, abs=1e-3)
    smallest = event_trees(claims, np.zeros(size, np.int64), beta=beta, window=WINDOW, tree="minimum")
    assert float(score[smallest.left, smallest.right].sum()) <= greatest + 1e-3


@pytest.mark.parametrize("events", [1, 30])
def test_a_large_event_is_still_one_tree_nearly_as_good_as_of_the_complete_graph(
    make_claims: MakeClaims, monkeypatch: pytest.MonkeyPatch, events: int
) -> None:
    claims = make_claims(COMPLETE + 90, events=events)
    forest = one_tree(claims)
    assert len(forest.left) == len(claims) - 1
    joined = {0}
    for _ in range(len(claims)):
        for i, j in zip(forest.left.tolist(), forest.right.tolist(), strict=True):
            if i in joined or j in joined:
                joined |= {i, j}
    assert len(joined) == len(claims)
    monkeypatch.setattr("memcli.compress.event_trees.COMPLETE", 10_000)
    whole, score = one_tree(claims), scores(claims, 0.5)
    assert score[forest.left, forest.right].sum() >= 0.99 * score[whole.left, whole.right].sum()


def test_of_claims_that_are_as_alike_those_said_together_are_merged_first(make_claims: MakeClaims) -> None:
    # Two directions, and every claim is as like the others of its direction; only two of them stand side by side.
    claims = make_claims(8)
    claims = replace(
        claims,
        vectors=np.repeat(np.eye(24, dtype=np.float32)[:2], 4, axis=0),
        conversations=np.zeros(8, np.int64),
        positions=np.array([0, 100, 200, 300, 400, 500, 503, 700]),
    )

    def merged(beta: float) -> tuple[tuple[int, ...], ...]:
        forest = one_tree(claims, beta)
        return merge_trees(claims.vectors, forest, 1, beta=beta, alpha=0.05, max_size=9, conflicts={}, joined=lambda _: True).clusters

    assert merged(0.5) == ((5, 6),)
    assert merged(1.0) != ((5, 6),)


def test_hubs_are_merged_last() -> None:
    # A star whose edges are a little better than the one edge apart from it.
    claims = apart(np.array([[1, 0, 0], [1, 0.1, 0], [1, -0.1, 0], [1, 0, 0.1], [0, 1, 5], [0, 2, 5]], np.float32))
    event: Ints = np.array([0, 0, 0, 0, 1, 1])
    forest = event_trees(claims, event, beta=1.0, window=WINDOW)

    def merged(alpha: float) -> tuple[tuple[int, ...], ...]:
        return merge_trees(claims.vectors, forest, 1, beta=1.0, alpha=alpha, max_size=9, conflicts={}, joined=lambda _: True).clusters

    assert 0 in merged(0.0)[0]
    assert merged(0.05) == ((4, 5),)


def test_claims_that_contradict_each_other_never_end_in_one(make_claims: MakeClaims) -> None:
    claims = make_claims(60, events=2, kinds=1, noise=0.1)
    conflicts = {n: frozenset({n ^ 1}) for n in range(60)}
    merging = merge_trees(
        claims.vectors,
        one_tree(claims),
        50,
        beta=0.5,
        alpha=0.05,
        max_size=3,
        conflicts=conflicts,
        joined=lambda _: True,
    )
    assert merging.merges >= 20
    assert all(n ^ 1 not in cluster for cluster in merging.clusters for n in cluster)


def test_what_cannot_be_told_in_one_claim_takes_another_edge(make_claims: MakeClaims) -> None:
    claims = make_claims(40, kinds=1)
    forest = one_tree(claims)
    merging = merge_trees(claims.vectors, forest, 10, beta=0.5, alpha=0.05, max_size=4, conflicts={}, joined=lambda c: 7 not in c)
    assert merging.merges == 10
    assert all(7 not in cluster for cluster in merging.clusters)


@settings(max_examples=25, deadline=None)
@given(count=st.integers(1, 120), kinds=st.integers(1, 4), ratio=st.floats(0.01, 0.95), seed=st.integers(0, 5))
def test_a_plan_reaches_its_target_wherever_kinds_allow(make_claims: MakeClaims, count: int, kinds: int, ratio: float, seed: int) -> None:
    claims = make_claims(count, kinds=kinds, seed=seed)
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
