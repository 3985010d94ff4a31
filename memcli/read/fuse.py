"""Fusion: the routes' scores projected onto claims and added up.

A span's score goes to the claims it supports, a message's to the claims anchored in it (projection: what supports no claim is
dropped). Scores are standardised over the memory, since the routes' scales differ, and added with fixed weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcli.read.query import Query
from memcli.read.routes import Floats, Routes
from memcli.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each route's standardised score counts; fitted on development conversations, see docs/benchmarks.md."""

    span_vector: float = 1.5
    span_words: float = 0.1
    message_words: float = 0.6
    window_vector: float = 1.25
    window_words: float = 0.6
    session_words: float = 1.0
    speaker: float = 3.0
    """Added where the question names one speaker and it is the claim's subject or the message's speaker."""
    own: float = 8.0
    """Added to what a user told an assistant when the question is the user's own ("my sprint"): three quarters of what such questions look
    for is in the user's words, the rest in the answers."""
    user: float = 2.0
    """The same when the question is about anything else."""
    neighbour: float = 0.2
    """Share of the better neighbouring message's score that a message gets."""
    question: float = -1.0
    """Added to claims that ask."""
    about_speaker: float = 1.2
    """Added to claims about who says them: people ask about what others told of themselves."""
    dated: float = 3.0
    """Added to claims with a resolved time when the question asks for one."""
    length: float = 0.2
    """Share of the standardised logarithm of a message's length: longer messages tell more."""
    reply: float = 0.5
    """Share of the standardised similarity between the query and a question that the message before, by somebody else, asks."""
    repeat: float = -3.0
    """Added once for each better claim of the same message, so that one long message does not fill the list."""


@dataclass(frozen=True, slots=True)
class Fused:
    """Every claim's score. `parts` are what it is made of, by name, each (c,) float64; `score` is their sum."""

    score: Floats
    parts: dict[str, Floats]

    def order(self) -> NDArray[np.int64]:
        """Claim indexes, best first; ties go to the earlier claim, so that results repeat."""
        return np.argsort(-self.score, kind="stable")


def fuse(query: Query, routes: Routes, snapshot: Snapshot, weights: Weights) -> Fused:
    """Score every claim of a snapshot."""
    claims, spans = snapshot.claim_supports
    c = len(snapshot.claim_ids)
    message = snapshot.span_message[snapshot.claim_anchor]
    speaker = _speaker_bonus(query, snapshot)
    user = _told_an_assistant(snapshot)
    context = {
        "message_words": weights.message_words * _standard(routes.message_words),
        "window_vector": weights.window_vector * _standard(routes.window_vector),
        "window_words": weights.window_words * _standard(routes.window_words),
        "session_words": weights.session_words * _standard(routes.session_words),
        "speaker": weights.speaker * speaker,
        "user": (weights.own if query.own else weights.user) * user,
    }
    own = {
        "span_vector": weights.span_vector * _standard(routes.span_vector),
        "span_words": weights.span_words * _standard(routes.span_words),
    }
    parts = {name: _best(values[spans], claims, c) for name, values in own.items()}
    best_span = np.full(len(snapshot.message_ids), -np.inf)
    np.maximum.at(best_span, snapshot.span_message, sum(own.values(), np.zeros(len(snapshot.span_ids))))
    best_span[np.isinf(best_span)] = 0.0
    whole = sum(context.values(), best_span)
    context["neighbours"] = weights.neighbour * _better_neighbour(whole, snapshot.message_session)
    context["length"] = weights.length * _standard(np.log1p(np.bincount(snapshot.span_message, snapshot.span_words, len(speaker))))
    context["reply"] = weights.reply * _standard(_question_before(routes, snapshot))
    parts |= {name: values[message] for name, values in context.items()}
    parts["question"] = weights.question * snapshot.claim_asks.astype(np.float64)
    parts["about_speaker"] = weights.about_speaker * snapshot.claim_own.astype(np.float64)
    if query.slot in ("when", "how_long"):
        parts["dated"] = weights.dated * snapshot.claim_dated.astype(np.float64)
    score = sum(parts.values(), np.zeros(c))
    parts["repeat"] = weights.repeat * _place_within(score, message)
    return Fused(score + parts["repeat"], parts)


def _speaker_bonus(query: Query, snapshot: Snapshot) -> Floats:
    """(m,) 1 where the one speaker that the question names is speaking."""
    if len(query.speakers) != 1:
        return np.zeros(len(snapshot.message_ids))
    return np.asarray(snapshot.message_speaker == snapshot.speakers.index(query.speakers[0]), np.float64)


def _place_within(score: Floats, owner: NDArray[np.int64]) -> Floats:
    """How many claims of the same owner score better, for each claim."""
    order = np.lexsort((-score, owner))
    first = np.r_[True, owner[order][1:] != owner[order][:-1]]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    out = np.empty(len(score))
    out[order] = np.arange(len(order)) - starts
    return out


def _question_before(routes: Routes, snapshot: Snapshot) -> Floats:
    """(m,) how near the query is to the nearest question of the message before, if somebody else asked it in the same session; else 0."""
    asked = np.zeros(len(snapshot.message_ids))
    spans = snapshot.claim_anchor[snapshot.claim_asks]
    np.maximum.at(asked, snapshot.span_message[spans], np.maximum(routes.span_vector[spans], 0.0))
    before = np.zeros(len(asked))
    replies = (snapshot.message_session[1:] == snapshot.message_session[:-1]) & (
        snapshot.message_speaker[1:] != snapshot.message_speaker[:-1]
    )
    before[1:] = np.where(replies, asked[:-1], 0.0)
    return before


def _told_an_assistant(snapshot: Snapshot) -> Floats:
    """(m,) 1 for what a user says in a session in which an assistant takes part."""
    assisted = np.unique(snapshot.message_session[snapshot.message_role == "assistant"])
    return np.asarray((snapshot.message_role == "user") & np.isin(snapshot.message_session, assisted), np.float64)


def _standard(values: Floats) -> Floats:
    """Values less their mean, over their standard deviation; zeros where they do not differ."""
    deviation = float(values.std()) if len(values) else 0.0
    return np.asarray((values - values.mean()) / deviation, np.float64) if deviation > 1e-9 else np.zeros(len(values))


def _best(values: Floats, owner: NDArray[np.int64], size: int) -> Floats:
    """The largest value of each owner."""
    out = np.full(size, -np.inf)
    np.maximum.at(out, owner, values)
    return out


def _better_neighbour(scores: Floats, session: NDArray[np.int64]) -> Floats:
    """The larger score of the messages just before and after, in the same session; the least score of all where there is none."""
    low = float(scores.min()) if len(scores) else 0.0
    before, after = np.full(len(scores), low), np.full(len(scores), low)
    same = session[1:] == session[:-1]
    before[1:] = np.where(same, scores[:-1], low)
    after[:-1] = np.where(same, scores[1:], low)
    return np.asarray(np.maximum(before, after), np.float64)
