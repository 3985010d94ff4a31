"""The other ways to have fewer claims that `mem compress` is set beside: each removes as many, and none of them more than that."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.compress_methods import ABLATIONS, MERGING, METHODS, PRUNING, ablate, shrink, windows
from memcli import Memory, Message
from memcli.compress.candidates import Candidates, Statement
from memcli.store.connection import connect, tidy_close


def _candidates(count: int, seed: int) -> Candidates:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, 8)).astype(np.float32)
    return Candidates(
        ids=np.arange(10, 10 + count, dtype=np.int64),
        vectors=rows / np.linalg.norm(rows, axis=1, keepdims=True),
        conversations=np.zeros(count, np.int64),
        positions=np.arange(count, dtype=np.int64),
        kinds=rng.integers(0, 3, count),
        statements=tuple(Statement(f"Ilka mended kite number {n}.", "Ilka") for n in range(count)),
    )


@settings(max_examples=60, deadline=None)
@given(count=st.integers(2, 60), share=st.floats(0.05, 0.95), seed=st.integers(0, 99), name=st.sampled_from(sorted(PRUNING)))
def test_pruning_keeps_as_many_as_asked(count: int, share: float, seed: int, name: str) -> None:
    candidates = _candidates(count, seed)
    target = min(count - 1, round(share * count))
    stay = PRUNING[name](candidates, target).tolist()
    assert len(stay) == len(set(stay)) == count - target
    assert set(stay) <= set(range(count))
    assert stay == PRUNING[name](candidates, target).tolist()


@settings(max_examples=60, deadline=None)
@given(count=st.integers(2, 60), share=st.floats(0.05, 0.95), seed=st.integers(0, 99), name=st.sampled_from(sorted(MERGING)))
def test_merging_loses_no_claim(count: int, share: float, seed: int, name: str) -> None:
    candidates = _candidates(count, seed)
    target = min(count - 1, round(share * count))
    parts = MERGING[name](candidates, target)
    assert sorted(claim for part in parts for claim in part) == list(range(count))
    assert len(parts) == count - target
    assert parts == MERGING[name](candidates, target)


@settings(max_examples=40, deadline=None)
@given(count=st.integers(1, 60), seed=st.integers(0, 99))
def test_windows_are_events_of_one_kind_each(count: int, seed: int) -> None:
    candidates = _candidates(count, seed)
    event, centre = windows(candidates, 8, beta=0.8, window=5)
    assert set(event.tolist()) == set(range(len(centre)))
    assert (event[centre] == np.arange(len(centre))).all()
    for number in range(len(centre)):
        assert len(set(candidates.kinds[event == number].tolist())) == 1


def test_alike_claims_go_together_in_tome_and_one_of_them_in_kmeans() -> None:
    far = np.eye(4, dtype=np.float32)
    candidates = _candidates(8, 0)
    rows = np.repeat(far, 2, axis=0)
    twins = Candidates(candidates.ids, rows, candidates.conversations, candidates.positions, candidates.kinds, candidates.statements)
    assert sorted(sorted(part) for part in MERGING["ToMe"](twins, 4)) == [[0, 1], [2, 3], [4, 5], [6, 7]]


@pytest.fixture(scope="module")
def kites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kites") / "kites.memdb"
    things = ("kite", "zither", "compass", "canoe", "kiln", "hammock", "anvil", "pulley")
    with Memory.open(path) as memory:
        memory.add(
            Message(
                "c", str(n), ("Ilka", "Tadeo")[n % 2], "user", f"I mended the {things[n % 8]} of neighbour {n} in Trieste.", "2024-05-01"
            )
            for n in range(40)
        )
    return path


@pytest.mark.parametrize("way", [*METHODS, *(name for name in ABLATIONS if name != "whole")])
def test_a_memory_is_smaller_by_as_much_and_can_be_read(kites: Path, tmp_path: Path, way: str) -> None:
    path = tmp_path / "copy.memdb"
    path.write_bytes(kites.read_bytes())
    with sqlite3.connect(path) as before:
        (claims,) = before.execute("SELECT count(*) FROM claims WHERE status = 'active'").fetchone()
    before.close()
    connection = connect(path, create=False)
    try:
        removed = ablate(connection, 0.5, ABLATIONS[way]) if way in ABLATIONS else shrink(connection, way, 0.5)
        left = connection.execute("SELECT count(*) FROM claims WHERE status = 'active'").get
    finally:
        tidy_close(connection)
    assert left == claims - round(removed * claims)
    assert removed == pytest.approx(0.5, abs=0.05)
    with Memory.open(path, create=False) as memory:
        found = memory.search("Who mended the kiln in Trieste?", k=40)
    messages = {evidence.message_id for fact in found.facts for evidence in fact.evidence}
    if way in PRUNING:
        assert len(messages) <= left, "what was pruned can still be reached"
    else:
        assert len(messages) > left, "what was merged cannot be reached any more"
