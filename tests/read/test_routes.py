"""Routes and fusion, against references written out by hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memcli.read.features import NAMES, message_features
from memcli.read.fuse import REPEAT, fuse
from memcli.read.query import Query
from memcli.read.routes import K1, LEXICAL_WINDOW, VECTOR_WINDOW, B, Routes, build_scopes, run_routes
from memcli.store.snapshot import Snapshot

WORDS = "abcdefg"
Talk = list[tuple[int, list[str]]]
"""Messages as (session, the words of each of its spans)."""

TALKS: st.SearchStrategy[Talk] = st.lists(
    st.tuples(st.integers(0, 1), st.lists(st.text(WORDS, min_size=1, max_size=5), max_size=3)), min_size=1, max_size=10
).filter(lambda talk: any(spans for _, spans in talk))


def sessions_of(talk: Talk) -> list[int]:
    """Sessions numbered in order, a new one where the flag is 1."""
    return [int(n) for n in np.cumsum([flag for flag, _ in talk])]


def snapshot_of(talk: Talk, seed: int = 0) -> Snapshot:
    """A memory of one claim a span, with database ids unlike the indexes."""
    owners = [m for m, (_, spans) in enumerate(talk) for _ in spans]
    n, m = len(owners), len(talk)
    vectors = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = np.arange(n, dtype=np.int64) * 3 + 11
    starts = np.array(sessions_of(talk), np.int64)
    return Snapshot(
        span_ids=ids,
        span_message=np.array(owners, np.int64),
        span_words=np.array([len(words) for _, spans in talk for words in spans], np.int64),
        span_vectors=vectors,
        message_ids=np.arange(m, dtype=np.int64) + 100,
        message_vectors=np.zeros((m, 4), np.float32),
        message_session=starts - starts[0],
        message_speaker=np.arange(m, dtype=np.int64) % 2,
        message_role=np.array(["user"] * m, np.str_),
        message_said_at=np.arange(m, dtype=np.float64) * 3600,
        message_conversation=np.zeros(m, np.int64),
        speakers=("Mara", "Tobin"),
        conversations=("quay",),
        sessions=tuple(f"s{n}" for n in range(m)),
        claim_ids=np.arange(n, dtype=np.int64) + 500,
        claim_told=np.arange(n, dtype=np.int64) + 500,
        claim_since=np.zeros(n, np.bool_),
        claim_anchor=np.arange(n, dtype=np.int64),
        claim_supports=(np.arange(n, dtype=np.int64), np.arange(n, dtype=np.int64)),
        claim_own=np.ones(n, np.bool_),
        claim_dated=np.zeros(n, np.bool_),
        claim_times=np.full((n, 2), np.nan),
        claim_asks=np.zeros(n, np.bool_),
        claim_standing=np.zeros(n, np.bool_),
    )


def routes_of(talk: Talk, terms: str, vector: NDArray[np.float32] | None = None) -> Routes:
    snapshot = snapshot_of(talk)
    flat = [words for _, spans in talk for words in spans]

    def postings(term: str) -> list[tuple[int, int]]:
        return [(int(snapshot.span_ids[i]), words.count(term)) for i, words in enumerate(flat) if term in words]

    query = Query(terms, "what", (), False, tuple(terms), terms)
    vector = np.array([1, 0, 0, 0], np.float32) if vector is None else vector
    return run_routes(query, vector, snapshot, build_scopes(snapshot), postings)


def bm25(documents: list[str], terms: str) -> list[float]:
    """BM25 of each document (a string of one-letter words), term by term, document by document."""
    mean = max(sum(map(len, documents)) / len(documents), 1)
    scores = []
    for document in documents:
        score = 0.0
        for term in terms:
            holding = sum(term in other for other in documents)
            idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            tf = Counter(document)[term]
            score += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(document) / mean))
        scores.append(score)
    return scores


@settings(max_examples=60, deadline=None)
@given(TALKS, st.lists(st.sampled_from(WORDS + "z"), unique=True, max_size=4).map("".join))
def test_words_score_as_bm25_in_every_scope(talk: Talk, terms: str) -> None:
    routes = routes_of(talk, terms)
    sessions = sessions_of(talk)
    messages = ["".join(spans) for _, spans in talk]
    windows = [
        "".join(
            messages[j] for j in range(max(0, i - LEXICAL_WINDOW), min(len(talk), i + LEXICAL_WINDOW + 1)) if sessions[j] == sessions[i]
        )
        for i in range(len(talk))
    ]
    whole = {s: "".join(text for text, own in zip(messages, sessions, strict=True) if own == s) for s in dict.fromkeys(sessions)}
    by_session = dict(zip(whole, bm25(list(whole.values()), terms), strict=True))
    np.testing.assert_allclose(routes.span_words, bm25([w for _, spans in talk for w in spans], terms), atol=1e-9)
    np.testing.assert_allclose(routes.message_words, bm25(messages, terms), atol=1e-9)
    np.testing.assert_allclose(routes.window_words, bm25(windows, terms), atol=1e-9)
    np.testing.assert_allclose(routes.session_words, [by_session[s] for s in sessions], atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(TALKS)
def test_windows_are_means_of_the_messages_around_in_the_same_session(talk: Talk) -> None:
    snapshot, sessions = snapshot_of(talk), sessions_of(talk)
    means = np.zeros((len(talk), 4))
    for i in range(len(talk)):
        own = snapshot.span_vectors[snapshot.span_message == i].sum(axis=0)
        means[i] = own / max(float(np.linalg.norm(own)), 1e-9)
    for i, row in enumerate(build_scopes(snapshot).window_vectors):
        around = [means[j] for j in range(len(talk)) if abs(i - j) <= VECTOR_WINDOW and sessions[i] == sessions[j]]
        total = np.sum(around, axis=0)
        np.testing.assert_allclose(row, total / max(float(np.linalg.norm(total)), 1e-9), atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(TALKS, st.integers(0, 99))
def test_vector_routes_are_cosines(talk: Talk, seed: int) -> None:
    vector = np.random.default_rng(seed).normal(size=4).astype(np.float32)
    vector /= np.linalg.norm(vector)
    routes = routes_of(talk, "", vector)
    np.testing.assert_allclose(routes.span_vector, snapshot_of(talk).span_vectors @ vector, atol=1e-6)
    assert np.all(np.abs(routes.window_vector) <= 1 + 1e-5)


@settings(max_examples=60, deadline=None)
@given(TALKS, st.data())
def test_of_one_message_the_claim_with_the_better_span_comes_first(talk: Talk, data: st.DataObject) -> None:
    snapshot = snapshot_of(talk)
    n, m = len(snapshot.span_ids), len(talk)
    scores = np.array(data.draw(st.lists(st.integers(0, 20), min_size=n, max_size=n)), np.float64)
    routes = replace(routes_of(talk, ""), span_vector=scores, span_words=np.zeros(n), message_words=np.zeros(m))
    fused = fuse(Query("", "what", (), False, (), ""), routes, snapshot)
    for message in range(m):
        own = np.flatnonzero(snapshot.span_message == message)
        for i in own:
            for j in own:
                if scores[i] > scores[j]:
                    assert fused.score[i] > fused.score[j]


@settings(max_examples=40, deadline=None)
@given(TALKS, st.sampled_from(["", "a", "abc", "xyz"]))
def test_features_are_finite_and_as_named(talk: Talk, terms: str) -> None:
    features = message_features(
        Query("", "when", ("Mara",), True, tuple(terms), "", (0.0, 7200.0)), routes_of(talk, terms), snapshot_of(talk)
    )
    assert features.shape == (len(talk), len(NAMES))
    assert np.isfinite(features).all()


def test_what_was_said_in_the_time_asked_about_is_known() -> None:
    talk: Talk = [(0, ["a"]), (0, ["b"]), (0, ["c"])]
    snapshot = replace(snapshot_of(talk), message_said_at=np.array([0.0, 50 * 86400.0, np.nan]))
    snapshot.claim_times[2] = 86400.0, np.inf
    features = message_features(Query("", "what", (), False, (), "", (0.0, 30 * 86400.0)), routes_of(talk, ""), snapshot)
    assert features[:, NAMES.index("said_then")].tolist() == [1, 0, 0]
    assert features[:, NAMES.index("happened_then")].tolist() == [0, 0, 1]


def test_the_words_held_are_weighed_by_their_rarity() -> None:
    routes = routes_of([(0, ["ab"]), (0, ["a"]), (0, ["a"]), (1, ["c"])], "abz")
    assert routes.held[0] == pytest.approx(1)
    assert 0 < routes.held[1] < 0.5
    assert routes.held[3] == 0
    assert routes.held_around.tolist() == pytest.approx([1, 1, routes.held[2], 0])


@settings(max_examples=40, deadline=None)
@given(TALKS)
def test_the_parts_of_a_score_add_up_to_it(talk: Talk) -> None:
    snapshot = snapshot_of(talk)
    fused = fuse(Query("", "what", ("Mara",), False, (), ""), routes_of(talk, "abc"), snapshot)
    np.testing.assert_allclose(fused.score, sum(fused.parts.values()), atol=1e-9)
    assert sorted(fused.order()) == list(range(len(snapshot.claim_ids)))
    assert np.all(np.diff(fused.score[fused.order()]) <= 0)


def test_scales_of_routes_by_words_do_not_matter() -> None:
    talk: Talk = [(0, ["ab", "c"]), (0, ["a"]), (1, ["bcd", "a"])]
    snapshot, query = snapshot_of(talk), Query("", "what", (), False, (), "")
    routes = routes_of(talk, "ab")
    scaled = replace(routes, message_words=routes.message_words * 1000 + 7, window_words=routes.window_words * 0.01)
    np.testing.assert_allclose(fuse(query, routes, snapshot).score, fuse(query, scaled, snapshot).score, atol=1e-6)


def test_the_speaker_named_is_preferred_but_not_where_several_are() -> None:
    talk: Talk = [(0, ["a"]), (0, ["a"])]
    snapshot, routes = snapshot_of(talk), routes_of(talk, "a", np.zeros(4, np.float32))
    one = fuse(Query("", "what", ("Tobin",), False, (), ""), routes, snapshot)
    assert list(one.order()) == [1, 0]
    both = fuse(Query("", "what", ("Mara", "Tobin"), False, (), ""), routes, snapshot)
    assert not both.parts["speaker"].any()


def test_more_claims_of_one_message_give_way_to_other_messages() -> None:
    talk: Talk = [(0, ["a", "a", "a"]), (0, ["b"])]
    snapshot = snapshot_of(talk)
    fused = fuse(Query("", "what", (), False, (), ""), routes_of(talk, "", np.zeros(4, np.float32)), snapshot)
    assert sorted(fused.parts["repeat"][:3]) == [2 * REPEAT, REPEAT, 0]
    assert fused.parts["repeat"][3] == 0
