"""What the read path needs of a memory, as arrays: loaded once, read by every question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.vectors import has_vector_tables, load_vectors

_MessageRow = tuple[int, int, int | None, str, str]
_ClaimRow = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory's searchable atoms. `n` spans, `m` messages, `c` active claims, vectors of `d` dimensions.

    Spans stand in the order of their messages, messages in the order (conversation, position). Indexes, not database ids,
    link the arrays; `*_ids` translate.
    """

    span_ids: NDArray[np.int64]
    """(n,)"""
    span_message: NDArray[np.int64]
    """(n,) index of each span's message."""
    span_words: NDArray[np.int64]
    """(n,) tokens of each span, as the index counts them."""
    span_vectors: NDArray[np.float32]
    """(n, d) unit rows."""
    message_ids: NDArray[np.int64]
    """(m,)"""
    message_session: NDArray[np.int64]
    """(m,) a number for each session (each conversation, where it has no sessions), ascending."""
    message_speaker: NDArray[np.int64]
    """(m,) index into `speakers`."""
    message_role: NDArray[np.str_]
    """(m,) user, assistant, system or tool."""
    speakers: tuple[str, ...]
    claim_ids: NDArray[np.int64]
    """(c,)"""
    claim_anchor: NDArray[np.int64]
    """(c,) index of the span that anchors each claim."""
    claim_supports: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Claims by supporting span, as pairs: claim index and span index, both (number of supports,), ascending by claim."""
    claim_own: NDArray[np.bool_]
    """(c,) whether each claim is about who says it."""
    claim_dated: NDArray[np.bool_]
    """(c,) whether a supporting span of each claim has a time that was resolved."""
    claim_asks: NDArray[np.bool_]
    """(c,) whether each claim asks rather than tells."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to find."""
        return len(self.claim_ids) == 0


def load_snapshot(connection: apsw.Connection) -> Snapshot:
    """Read a snapshot; the caller holds a read transaction if others may be writing."""
    messages = cast(
        list[_MessageRow],
        connection.execute(
            "SELECT id, conversation_id, session_id, speaker, role FROM messages ORDER BY conversation_id, position"
        ).fetchall(),
    )
    message_ids = np.array([row[0] for row in messages], np.int64)
    sessions: dict[tuple[int, int | None], int] = {}
    speakers: dict[str, int] = {}
    message_session = np.array([sessions.setdefault((row[1], row[2]), len(sessions)) for row in messages], np.int64)
    message_speaker = np.array([speakers.setdefault(row[3], len(speakers)) for row in messages], np.int64)
    message_index = {int(i): n for n, i in enumerate(message_ids)}

    spans = cast(
        list[tuple[int, int, int]],
        connection.execute("SELECT id, message_id, words FROM spans ORDER BY message_id, start_offset").fetchall(),
    )
    places = np.array([message_index[row[1]] for row in spans], np.int64)
    order = np.argsort(places, kind="stable")
    span_ids = np.array([row[0] for row in spans], np.int64)[order]
    span_words = np.array([row[2] for row in spans], np.int64)[order]
    span_index = {int(i): n for n, i in enumerate(span_ids)}

    claims = cast(
        list[_ClaimRow],
        connection.execute(
            "SELECT id, anchor_span_id, subject_id IS speaker_id, modality = 'asks' FROM claims WHERE status = 'active' ORDER BY id"
        ).fetchall(),
    )
    claim_ids = np.array([row[0] for row in claims], np.int64)
    claim_index = {int(i): n for n, i in enumerate(claim_ids)}
    supports = cast(
        list[tuple[int, int]],
        connection.execute("SELECT claim_id, span_id FROM claim_supports ORDER BY claim_id, position").fetchall(),
    )
    pairs = [(claim_index[c], span_index[s]) for c, s in supports if c in claim_index]
    dated_claims = np.zeros(len(claims), np.bool_)
    for claim, _ in cast(
        list[tuple[int, None]],
        connection.execute(
            "SELECT DISTINCT cs.claim_id, NULL FROM time_cues t JOIN claim_supports cs ON cs.span_id = t.span_id"
            " WHERE t.granularity IS NOT NULL"
        ).fetchall(),
    ):
        if claim in claim_index:
            dated_claims[claim_index[claim]] = True

    return Snapshot(
        span_ids=span_ids,
        span_message=places[order],
        span_words=span_words,
        span_vectors=_vectors_of(connection, span_ids),
        message_ids=message_ids,
        message_session=message_session,
        message_speaker=message_speaker,
        message_role=np.array([row[4] for row in messages], np.str_),
        speakers=tuple(speakers),
        claim_ids=claim_ids,
        claim_anchor=np.array([span_index[row[1]] for row in claims], np.int64),
        claim_supports=(np.array([p[0] for p in pairs], np.int64), np.array([p[1] for p in pairs], np.int64)),
        claim_own=np.array([row[2] for row in claims], np.bool_),
        claim_dated=dated_claims,
        claim_asks=np.array([row[3] for row in claims], np.bool_),
    )


def _vectors_of(connection: apsw.Connection, span_ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """The spans' vectors in the order of `span_ids`; zero rows for a span that has none."""
    if not has_vector_tables(connection):
        return np.zeros((len(span_ids), 1), np.float32)
    ids, matrix = load_vectors(connection, "span")
    if np.array_equal(ids, span_ids):
        return matrix
    out = np.zeros((len(span_ids), matrix.shape[1] if matrix.size else 1), np.float32)
    place = np.searchsorted(ids, span_ids)
    present = (place < len(ids)) & (ids[np.minimum(place, len(ids) - 1)] == span_ids)
    out[present] = matrix[place[present]]
    return out
