"""Routes: every way of finding spans and messages, each as one score an atom.

Lexical routes read one index of spans and add its counts up to the wider scopes (a message, the messages around it, its session),
so each word is indexed once; semantic routes read one matrix of span vectors and average it up to the same scopes, so each
word is embedded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memcli.read.query import Query
from memcli.store.snapshot import Snapshot

K1, B = 1.2, 0.75
"""BM25's term saturation and length normalisation (Robertson & Zaragoza 2009; SQLite FTS5 has the same)."""

VECTOR_WINDOW = 2
LEXICAL_WINDOW = 1
"""Messages on each side that a window takes in."""

Floats = NDArray[np.float64]
Postings = Callable[[str], Sequence[tuple[int, int]]]
"""A token's (span id, term frequency)."""
_Rows = TypeVar("_Rows", NDArray[np.float32], Floats)


@dataclass(frozen=True, slots=True)
class Routes:
    """Scores by route (`ROUTES`). Every array is float64; higher is better, 0 is a miss for lexical routes."""

    span_vector: Floats
    """(n,) cosine of the query and each span."""
    span_words: Floats
    """(n,) BM25 of each span."""
    message_words: Floats
    """(m,) BM25 of each message."""
    window_vector: Floats
    """(m,) cosine of the query and the mean of the messages around each message."""
    window_words: Floats
    """(m,) BM25 of each message with its neighbours."""
    session_words: Floats
    """(m,) BM25 of each message's whole session."""
    context_vector: Floats
    """(m,) cosine of the query and each message as read with what surrounds it."""
    held: Floats
    """(m,) share of the question's words, weighted by their rarity, that each message holds."""
    held_around: Floats
    """(m,) the same of each message with its neighbours."""
    best_vector: Floats
    """(m,) the largest cosine of each message's spans; 0 for one without spans."""
    best_words: Floats
    """(m,) the largest BM25 of each message's spans."""
    length: Floats
    """(m,) tokens of each message."""
    spread: tuple[float, float]
    """Standard deviations of `span_vector` and `span_words` over all spans of the memory."""


ROUTES = tuple(field.name for field in fields(Routes))[:9]
"""The routes by name; what follows them in `Routes` is made of them, or of no question's."""


@dataclass(frozen=True, slots=True)
class Scopes:
    """What does not depend on the question, computed once for a snapshot."""

    window_vectors: NDArray[np.float32]
    """(m, d) unit rows: the mean of the messages within `VECTOR_WINDOW`, in the same session."""
    lengths: dict[str, Floats]
    """As `scope_lengths` gives them."""


def build_scopes(snapshot: Snapshot) -> Scopes:
    """Average and add spans up to messages, windows and sessions."""
    return Scopes(unit(windowed(unit(message_totals(snapshot)), snapshot.message_session, VECTOR_WINDOW)), scope_lengths(snapshot))


def scope_lengths(snapshot: Snapshot) -> dict[str, Floats]:
    """Tokens of each unit, by scope: span (n,), message (m,), window (m,), session (number of sessions,)."""
    m = len(snapshot.message_ids)
    words = snapshot.span_words.astype(np.float64)
    message = _summed(words, snapshot.span_message, m)
    sessions = int(snapshot.message_session.max()) + 1 if m else 0
    return {
        "span": words,
        "message": message,
        "window": windowed(message, snapshot.message_session, LEXICAL_WINDOW),
        "session": _summed(message, snapshot.message_session, sessions),
    }


def message_totals(snapshot: Snapshot) -> NDArray[np.float32]:
    """(m, d) the sum of each message's span vectors, added in their order: first of all the first ones, then the second ones..."""
    totals = np.zeros((len(snapshot.message_ids), snapshot.span_vectors.shape[1]), np.float32)
    told, starts, counts = np.unique(snapshot.span_message, return_index=True, return_counts=True)
    for nth in range(int(counts.max(initial=0))):
        longer = counts > nth
        totals[told[longer]] += snapshot.span_vectors[starts[longer] + nth]
    return totals


def run_routes(query: Query, vector: NDArray[np.float32], snapshot: Snapshot, scopes: Scopes, postings: Postings) -> Routes:
    """Score every span and message by every route.

    Args:
        query: the question as read.
        vector: the embedding of `query.text`, shape (d,), unit length.
        snapshot: the memory.
        scopes: `build_scopes(snapshot)`.
        postings: looks a token up in the index of spans.
    """
    words = find_words(query, snapshot, scopes.lengths, postings)
    span_vector = (snapshot.span_vectors @ vector).astype(np.float64)
    return Routes(
        span_vector=span_vector,
        span_words=words.span,
        message_words=words.message,
        window_vector=(scopes.window_vectors @ vector).astype(np.float64),
        window_words=words.window,
        session_words=words.session,
        context_vector=(snapshot.message_vectors @ vector).astype(np.float64),
        held=words.held,
        held_around=words.held_around,
        best_vector=largest(span_vector, snapshot.span_message, len(snapshot.message_ids), 0.0),
        best_words=words.best,
        length=scopes.lengths["message"],
        spread=(float(span_vector.std()), float(words.span.std())) if len(span_vector) else (0.0, 0.0),
    )


@dataclass(frozen=True, slots=True)
class Words:
    """The lexical routes and what comes with them; the fields are those of `Routes`."""

    span: Floats
    message: Floats
    window: Floats
    session: Floats
    held: Floats
    held_around: Floats
    best: Floats


def find_words(query: Query, snapshot: Snapshot, lengths: dict[str, Floats], postings: Postings) -> Words:
    """Score every span and message by the words of a question; `lengths` are the snapshot's."""
    n, m = len(snapshot.span_ids), len(snapshot.message_ids)
    scores = {name: np.zeros(len(units)) for name, units in lengths.items()}
    held = {"message": np.zeros(m), "window": np.zeros(m)}
    rarity = 0.0
    place = np.argsort(snapshot.span_ids, kind="stable")
    sorted_ids = snapshot.span_ids[place]
    for term in query.terms:
        found = postings(term)
        if not found:
            continue
        at = place[np.searchsorted(sorted_ids, np.fromiter((i for i, _ in found), np.int64, len(found)))]
        span = np.zeros(n)
        span[at] = np.fromiter((count for _, count in found), np.float64, len(found))
        message = _summed(span, snapshot.span_message, m)
        window = windowed(message, snapshot.message_session, LEXICAL_WINDOW)
        session = _summed(message, snapshot.message_session, len(scores["session"]))
        for name, counts in (("span", span), ("message", message), ("window", window), ("session", session)):
            scores[name] += _bm25(counts, lengths[name])
        weight = _idf(message)
        rarity += weight
        held["message"] += weight * (message > 0)
        held["window"] += weight * (window > 0)
    return Words(
        span=scores["span"],
        message=scores["message"],
        window=scores["window"],
        session=scores["session"][snapshot.message_session],
        held=held["message"] / max(rarity, 1e-9),
        held_around=held["window"] / max(rarity, 1e-9),
        best=largest(scores["span"], snapshot.span_message, m, 0.0),
    )


def largest(values: Floats, owner: NDArray[np.int64], size: int, missing: float) -> Floats:
    """(size,) the largest value of each owner; `missing` for an owner of none."""
    out = np.full(size, -np.inf)
    np.maximum.at(out, owner, values)
    return np.where(np.isinf(out), missing, out)


def _bm25(counts: Floats, lengths: Floats) -> Floats:
    """One term's contribution to BM25 in every unit of a scope."""
    mean = max(float(lengths.mean()), 1.0)
    return np.asarray(_idf(counts) * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / mean)))


def _idf(counts: Floats) -> float:
    """How rare a term is among units that hold it so many times (Robertson & Zaragoza 2009, never below 0)."""
    holding = np.count_nonzero(counts)
    return float(np.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5)))


def _summed(values: Floats, owner: NDArray[np.int64], size: int) -> Floats:
    return np.asarray(np.bincount(owner, weights=values, minlength=size), np.float64)


def windowed(values: _Rows, session: NDArray[np.int64], radius: int) -> _Rows:
    """Each row plus those up to `radius` rows away in the same session."""
    out = values.copy()
    for step in range(1, radius + 1):
        same = session[step:] == session[:-step]
        mask = same if values.ndim == 1 else same[:, None]
        out[step:] += values[:-step] * mask
        out[:-step] += values[step:] * mask
    return out


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row over its length; zeros stay zeros."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)
