"""Pages: contiguous runs of messages about one local event (MemIR's page, xMemory's segment).

Incremental and deterministic: whether a message joins the current page depends only on the page so far and the message, so
a transcript read at once and one that arrives line by line give the same pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

MAX_MESSAGES = 20
"""Messages of a page at most (xMemory's segments)."""

MAX_SPANS = 60
"""Spans of a page at most, so that long answers do not share one page with everything around them."""

MAX_GAP_S = 6 * 3600.0
"""Seconds of silence after which the talk is taken to be about something else."""

MIN_SIMILARITY = 0.05
"""Cosine between a message and the page's running centroid below which the page ends; needs `MIN_WORDS` words to count."""

MIN_WORDS = 8
"""A shorter message says too little for its vector to end a page."""

_SHIFT = re.compile(
    r"^\W*(?:by the way|btw|anyway|anyways|on (?:another|a different) note|speaking of|changing the subject|new topic|unrelated"
    r"|next question|moving on|por cierto|cambiando de tema|übrigens|anderes thema|au fait|sinon|对了|顺便说一下|另外)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageState:
    """The page a conversation is on. `total` is the sum of its message vectors, shape (dimension,), float32."""

    session: str | None
    messages: int
    spans: int
    last_said_at: float | None
    total: NDArray[np.float32]


def continues(
    page: PageState, *, session: str | None, said_at: float | None, text: str, spans: int, words: int, vector: NDArray[np.float32] | None
) -> bool:
    """Whether a message continues the page's local event.

    Args:
        page: the page so far.
        session: the message's session.
        said_at: seconds, for the gap; None if unknown.
        text: the message's text, for an explicit change of subject.
        spans: its spans.
        words: its words.
        vector: its L2-normalised vector, shape (dimension,), or None if it has no spans.
    """
    if session != page.session or page.messages >= MAX_MESSAGES or page.spans + spans > MAX_SPANS:
        return False
    if said_at is not None and page.last_said_at is not None and said_at - page.last_said_at > MAX_GAP_S:
        return False
    if _SHIFT.match(text):
        return False
    if vector is None or words < MIN_WORDS:
        return True
    norm = float(np.linalg.norm(page.total))
    return norm == 0 or float(vector @ page.total) / norm >= MIN_SIMILARITY


def extend(
    page: PageState | None, *, session: str | None, said_at: float | None, spans: int, vector: NDArray[np.float32] | None
) -> PageState:
    """The page with one more message; a new page when `page` is None."""
    total = np.zeros(0, np.float32) if vector is None else vector
    if page is None:
        return PageState(session, 1, spans, said_at, total)
    if page.total.size and total.size:
        total = page.total + total
    elif page.total.size:
        total = page.total
    return replace(
        page,
        messages=page.messages + 1,
        spans=page.spans + spans,
        last_said_at=said_at if said_at is not None else page.last_said_at,
        total=total,
    )
