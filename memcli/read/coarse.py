"""The coarse look at a memory whose spans are mostly packed: what the indexes tell of every message, and what can be told from it.

Words and the vectors of messages are known of all messages, the vectors of spans only of those that are unpacked for a question. What is
unpacked is scored beside everything else, so that it gets the scores it had before it was packed; where the vectors of spans would be
needed of the others, for averages and for what surrounds a message, they are estimated from the vector of the message.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memcli.read.features import standard
from memcli.read.fuse import ELSEWHERE, elsewhere
from memcli.read.query import Query
from memcli.read.routes import VECTOR_WINDOW, Floats, Postings, Routes, Words, find_words, largest, scope_lengths, unit, windowed
from memcli.store.snapshot import Snapshot

CONTEXT, WORDS, AROUND, SPEAKER, USER, ASSISTANT_TOLD = 1.5, 0.6, 0.6, 3.0, 2.0, 3.0
"""What counts for a message in the coarse look, standardised routes and yes or no: round figures, as in `features`."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What is known of every message for a question."""

    words: Words
    context: Floats
    """(m,) cosine of the query and each message as read with what surrounds it."""
    score: Floats
    """(m,) how well each message seems to fit."""


class Coarse:
    """What does not depend on the question."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Keep a snapshot of a whole memory, and count its words."""
        self._snapshot = snapshot
        self._lengths = scope_lengths(snapshot)
        sums = windowed(snapshot.message_vectors, snapshot.message_session, VECTOR_WINDOW)
        self._window_norms = np.maximum(np.linalg.norm(sums, axis=1).astype(np.float64), 1e-9)

    def look(self, query: Query, vector: NDArray[np.float32], postings: Postings) -> Glance:
        """Look at every message; the arguments are those of `run_routes`."""
        snapshot = self._snapshot
        words = find_words(query, snapshot, self._lengths, postings)
        context = (snapshot.message_vectors @ vector).astype(np.float64)
        score = CONTEXT * standard(context) + WORDS * standard(words.message) + AROUND * standard(words.window)
        if len(query.speakers) == 1:
            score += SPEAKER * (snapshot.message_speaker == snapshot.speakers.index(query.speakers[0]))
        score += USER * (snapshot.message_role == "user")
        if query.told_by == "assistant":
            score += ASSISTANT_TOLD * (snapshot.message_role == "assistant")
        score += ELSEWHERE * elsewhere(query, snapshot)
        return Glance(words, context, score)

    def routes(self, glance: Glance, vector: NDArray[np.float32], part: Part) -> Routes:
        """The routes of all messages, and of the spans of those that are unpacked."""
        snapshot, words = self._snapshot, glance.words
        span_vector = (part.snapshot.span_vectors @ vector).astype(np.float64)
        best = largest(span_vector, part.snapshot.span_message, len(glance.context), 0.0)
        around = windowed(glance.context, snapshot.message_session, VECTOR_WINDOW) / self._window_norms
        window = (part.window_vectors @ vector).astype(np.float64)
        return Routes(
            span_vector=span_vector,
            span_words=words.span[part.spans],
            message_words=words.message,
            window_vector=estimated(around, part.messages, window),
            window_words=words.window,
            session_words=words.session,
            context_vector=glance.context,
            held=words.held,
            held_around=words.held_around,
            best_vector=estimated(glance.context, part.messages, best[part.messages]),
            best_words=words.best,
            length=self._lengths["message"],
            spread=(self._spread(glance, part, span_vector), float(words.span.std())),
        )

    @staticmethod
    def _spread(glance: Glance, part: Part, span_vector: Floats) -> float:
        """The standard deviation of the cosines of all spans, as far as the messages tell how much less those differ that are unpacked."""
        among = float(glance.context[part.messages].std()) if len(part.messages) else 0.0
        return float(span_vector.std()) * (float(glance.context.std()) / among if among > 1e-9 else 1.0) if len(span_vector) else 0.0


@dataclass(frozen=True, slots=True)
class Part:
    """What is unpacked of a memory."""

    snapshot: Snapshot
    """All messages, but only the spans and claims of some."""
    spans: NDArray[np.int64]
    """(n,) the place of each of its spans among all spans of the memory."""
    messages: NDArray[np.int64]
    """(p,) the messages whose spans these are, ascending."""
    window_vectors: NDArray[np.float32]
    """(p, d) unit rows: the mean of the messages around each of them."""


def windows_of(
    totals: NDArray[np.float32], messages: NDArray[np.int64], contexts: NDArray[np.float32], session: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The mean of the messages around each, (p, d), as `build_scopes` makes it; what is not unpacked counts with its own vector.

    Args:
        totals: (p, d) the sum of the vectors of each message's spans.
        messages: (p,) which messages these are, ascending.
        contexts: (m, d) the vectors of all messages.
        session: (m,) the session of each.
    """
    m = len(session)
    near = np.zeros(m + 2 * VECTOR_WINDOW, np.bool_)
    for step in range(2 * VECTOR_WINDOW + 1):
        near[messages + step] = True
    these = np.flatnonzero(near[VECTOR_WINDOW : VECTOR_WINDOW + m])
    rows = contexts[these]
    at = np.searchsorted(these, messages)
    rows[at] = unit(totals)
    # Messages that do not follow one another in the memory are as far apart as sessions are.
    runs = np.r_[0, np.cumsum(np.diff(these) > 1)]
    return unit(windowed(rows, session[these] * len(these) + runs, VECTOR_WINDOW)[at])


def estimated(known: Floats, messages: NDArray[np.int64], values: Floats) -> Floats:
    """A route of all messages of which some are known: the others lie on the line through these by something known of all.

    Args:
        known: (m,) what is known of all.
        messages: (p,) those whose values are known.
        values: (p,) their values.
    """
    if not len(messages):
        return known
    x = known[messages]
    spread = float(x.var())
    slope = float(np.clip(((x - x.mean()) * (values - values.mean())).mean() / spread, 0.0, 2.0)) if spread > 1e-9 else 1.0
    out = values.mean() + slope * (known - x.mean())
    out[messages] = values
    return np.asarray(out, np.float64)
