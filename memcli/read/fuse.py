"""Fusion: what each route found, projected onto messages and claims, weighed and added up.

A message's score is the log odds of its being evidence: a linear sum of its features (`features`), with weights fitted on development
conversations (`rank_weights`), one set for each of `features.KINDS`. A claim has the score of the message
that it is anchored in, less what it lacks to that message's best claim; what supports no claim is dropped, for only claims are evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcli.read.features import KINDS, NAMES, kinds, message_features
from memcli.read.query import Query
from memcli.read.rank_weights import RANK
from memcli.read.routes import Floats, Routes
from memcli.store.snapshot import Snapshot

WITHIN = 0.5
"""What a claim's own spans count against those of its message's best claim: the share of the standardised scores' difference."""

ASKS = -0.5
"""Added to claims that ask, so that of one message what is told comes first."""

ELSEWHERE = -4.0
"""Added to claims of conversations in which none of the people whom the question names takes part. Not fitted, since the labelled sets
keep each conversation in a memory of its own: about as much as the best message is ahead of the 15th."""

REPEAT = -1.5
"""Added once for each better claim of the same message, so that one long message does not fill the list."""

_WEIGHTS = np.array([[RANK[kind].get(name, 0.0) for name in NAMES] for kind in KINDS])
_BIAS = np.array([RANK[kind]["bias"] for kind in KINDS])


@dataclass(frozen=True, slots=True)
class Fused:
    """Every claim's score. `parts` are what it is made of, by name, each (c,) float64; `score` is their sum."""

    score: Floats
    parts: dict[str, Floats]

    def order(self) -> NDArray[np.int64]:
        """Claim indexes, best first; ties go to the earlier claim, so that results repeat."""
        return np.argsort(-self.score, kind="stable")


def fuse(query: Query, routes: Routes, snapshot: Snapshot) -> Fused:
    """Score every claim of a snapshot."""
    message = snapshot.span_message[snapshot.claim_anchor]
    kind = kinds(query, snapshot)
    weighed = message_features(query, routes, snapshot) * _WEIGHTS[kind]
    parts = {name: weighed[message, column] for column, name in enumerate(NAMES)}
    parts["bias"] = _BIAS[kind][message]
    parts["elsewhere"] = ELSEWHERE * elsewhere(query, snapshot)[message]
    parts["within"] = _within(routes, snapshot, message)
    parts["question"] = ASKS * snapshot.claim_asks
    score = sum(parts.values(), np.zeros(len(message)))
    parts["repeat"] = REPEAT * _place_within(score, message)
    return Fused(score + parts["repeat"], parts)


def _within(routes: Routes, snapshot: Snapshot, message: NDArray[np.int64]) -> Floats:
    """(c,) how far each claim's best supporting span is behind the best one of its message, in standard deviations; at most 0."""
    claims, spans = snapshot.claim_supports
    vector, words = (1 / deviation if deviation > 1e-9 else 0.0 for deviation in routes.spread)
    found = vector * routes.span_vector + 0.5 * words * routes.span_words
    own = np.full(len(message), -np.inf)
    np.maximum.at(own, claims, found[spans])
    best = np.full(len(snapshot.message_ids), -np.inf)
    np.maximum.at(best, message, own)
    return np.asarray(WITHIN * (own - best[message]), np.float64)


def elsewhere(query: Query, snapshot: Snapshot) -> NDArray[np.bool_]:
    """(m,) whether each message is of a conversation without anybody whom the question names; false for all if it names nobody."""
    if not query.speakers:
        return np.zeros(len(snapshot.message_ids), np.bool_)
    named = np.isin(snapshot.message_speaker, [snapshot.speakers.index(speaker) for speaker in query.speakers])
    return ~np.isin(snapshot.message_conversation, np.unique(snapshot.message_conversation[named]))


def _place_within(score: Floats, owner: NDArray[np.int64]) -> Floats:
    """How many claims of the same owner score better, for each claim."""
    order = np.lexsort((-score, owner))
    first = np.r_[True, owner[order][1:] != owner[order][:-1]]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    out = np.empty(len(score))
    out[order] = np.arange(len(order)) - starts
    return out
