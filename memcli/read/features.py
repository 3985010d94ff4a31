"""What is known of each message for a question: the features that ranking weighs.

None of them knows a topic, a person or a data set. Routes' scores are standardised over the memory, since their scales differ; what
surrounds a message (its neighbours, its session, the question it replies to) is seen through a first, simple sum of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memcli.read.query import Query
from memcli.read.routes import Floats, Routes, largest
from memcli.store.snapshot import Snapshot

NAMES = (
    "span_vector",
    "span_words",
    "message_words",
    "context_vector",
    "window_vector",
    "window_words",
    "session_words",
    "span_cosine",
    "context_cosine",
    "window_cosine",
    "held",
    "held_around",
    "speaker",
    "user",
    "user_own",
    "user_told",
    "assistant_told",
    "about_speaker",
    "asks",
    "dated",
    "standing",
    "happened_then",
    "said_then",
    "reply",
    "length",
    "before_1",
    "after_1",
    "before_2",
    "after_2",
    "before_3",
    "after_3",
    "session_best",
)
"""In the order of the columns of `message_features`."""

_FIRST_SUM = {
    "span_vector": 1.5,
    "message_words": 0.6,
    "context_vector": 1.0,
    "window_vector": 1.0,
    "window_words": 0.6,
    "session_words": 0.7,
    "speaker": 3.0,
}
"""What neighbours and sessions are judged by; round figures, the fitted weights build on them."""

TOLD_WITHIN_S = 7 * 86400.0
"""How long after a period people are taken to be still telling of it."""


def message_features(query: Query, routes: Routes, snapshot: Snapshot) -> Floats:
    """Each message's features, shape (m, len(NAMES)), float64, columns in the order of `NAMES`."""
    m = len(snapshot.message_ids)
    message_of_claim = snapshot.span_message[snapshot.claim_anchor]
    user = np.asarray(assisted(snapshot) & (snapshot.message_role == "user"), np.float64)
    columns = {
        "span_vector": standard(routes.best_vector),
        "span_words": standard(routes.best_words),
        "message_words": standard(routes.message_words),
        "context_vector": standard(routes.context_vector),
        "window_vector": standard(routes.window_vector),
        "window_words": standard(routes.window_words),
        "session_words": standard(routes.session_words),
        "span_cosine": routes.best_vector,
        "context_cosine": routes.context_vector,
        "window_cosine": routes.window_vector,
        "held": routes.held,
        "held_around": routes.held_around,
        "speaker": _speaker(query, snapshot),
        "user": user,
        "user_own": user * query.own,
        "user_told": user * (query.told_by == "asker"),
        "assistant_told": (snapshot.message_role == "assistant") * float(query.told_by == "assistant"),
        "about_speaker": _any(snapshot.claim_own, message_of_claim, m),
        "asks": _any(snapshot.claim_asks, message_of_claim, m),
        "dated": _any(snapshot.claim_dated, message_of_claim, m) * (query.slot in ("when", "how_long")),
        "standing": _any(snapshot.claim_standing, message_of_claim, m) * query.request,
        "happened_then": _any(_happened_then(query, snapshot), message_of_claim, m),
        "said_then": _said_then(query, snapshot),
        "reply": _question_before(routes, snapshot),
        "length": standard(np.log1p(routes.length)),
    }
    first = sum((weight * columns[name] for name, weight in _FIRST_SUM.items()), np.zeros(m))
    for step in (1, 2, 3):
        columns[f"before_{step}"], columns[f"after_{step}"] = _neighbours(first, snapshot.message_session, step)
    best = largest(first, snapshot.message_session, int(snapshot.message_session.max()) + 1 if m else 0, 0.0)
    columns["session_best"] = standard(best[snapshot.message_session])
    return np.stack([columns[name] for name in NAMES], axis=1)


def standard(values: Floats) -> Floats:
    """Values less their mean, over their standard deviation; zeros where they do not differ."""
    deviation = float(values.std()) if len(values) else 0.0
    return np.asarray((values - values.mean()) / deviation, np.float64) if deviation > 1e-9 else np.zeros(len(values))


def _any(flags: NDArray[np.bool_], owner: NDArray[np.int64], size: int) -> Floats:
    """(size,) 1 for each owner of a raised flag."""
    out = np.zeros(size)
    out[owner[flags]] = 1.0
    return out


def _speaker(query: Query, snapshot: Snapshot) -> Floats:
    """(m,) 1 where the one speaker that the question names is speaking."""
    if len(query.speakers) != 1:
        return np.zeros(len(snapshot.message_ids))
    return np.asarray(snapshot.message_speaker == snapshot.speakers.index(query.speakers[0]), np.float64)


KINDS = ("people", "assistant", "overview")
"""What is asked of: talk among people; talk with an assistant; such talk as a whole, for a summary or for the order of things."""


def kinds(query: Query, snapshot: Snapshot) -> NDArray[np.int64]:
    """(m,) index into `KINDS`: by what each message is weighed for a question."""
    return np.where(assisted(snapshot), 2 if query.overview else 1, 0).astype(np.int64)


def assisted(snapshot: Snapshot) -> NDArray[np.bool_]:
    """(m,) whether each message is of a session in which an assistant takes part."""
    sessions = np.unique(snapshot.message_session[snapshot.message_role == "assistant"])
    return np.asarray(np.isin(snapshot.message_session, sessions), np.bool_)


def _happened_then(query: Query, snapshot: Snapshot) -> NDArray[np.bool_]:
    """(c,) whether each claim's own time overlaps the one the question names."""
    if query.period is None:
        return np.zeros(len(snapshot.claim_ids), np.bool_)
    start, end = snapshot.claim_times.T
    return np.asarray((start < query.period[1]) & (end > query.period[0]), np.bool_)


def _said_then(query: Query, snapshot: Snapshot) -> Floats:
    """(m,) 1 where a message was said in the time the question names or, since people tell of what just happened, within a week after."""
    if query.period is None:
        return np.zeros(len(snapshot.message_ids))
    said = snapshot.message_said_at
    return np.asarray((said >= query.period[0]) & (said < query.period[1] + TOLD_WITHIN_S), np.float64)


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


def _neighbours(scores: Floats, session: NDArray[np.int64], step: int) -> tuple[Floats, Floats]:
    """The scores `step` messages before and after, in the same session; the least score of all where there is none."""
    low = float(scores.min()) if len(scores) else 0.0
    before, after = np.full(len(scores), low), np.full(len(scores), low)
    same = session[step:] == session[:-step]
    before[step:] = np.where(same, scores[:-step], low)
    after[:-step] = np.where(same, scores[step:], low)
    return before, after
