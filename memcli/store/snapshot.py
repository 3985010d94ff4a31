"""What the read path needs of a memory, as arrays: loaded once, read by every question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.transcripts import said_at
from memcli.store.vectors import Family, holds, load_vectors

_MessageRow = tuple[int, int, int | None, str, str, float | None]
_ClaimRow = tuple[int, int, int, int, int, str | None, str | None, int]
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory's searchable atoms. `n` spans, `m` messages, `c` places of active claims, vectors of `d` dimensions.

    Spans stand in the order of their messages, messages in the order (conversation, position). Indexes, not database ids,
    link the arrays; `*_ids` translate. A claim has one place, where its anchor is; a claim that compression made of others has one in
    each message that it rests on, since each of these is found on its own.
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
    message_said_at: NDArray[np.float64]
    """(m,) when each message was said, seconds since 1970; NaN where it is not known."""
    message_conversation: NDArray[np.int64]
    """(m,) index into `conversations`."""
    message_vectors: NDArray[np.float32]
    """(m, d) unit rows, each message embedded among those around it; zeros for one that is not, or is packed."""
    speakers: tuple[str, ...]
    conversations: tuple[str, ...]
    """Their names in the transcripts."""
    sessions: tuple[str | None, ...]
    """The name of each session that `message_session` counts; None where a conversation has no sessions."""
    claim_ids: NDArray[np.int64]
    """(c,) ascending; that of a merged claim is repeated for each of its places."""
    claim_anchor: NDArray[np.int64]
    """(c,) index of the span that anchors each claim in its place."""
    claim_supports: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Claims by supporting span, as pairs: claim index and span index, both (number of supports,), ascending by claim. In a place of a
    merged claim, only what is in its message counts."""
    claim_own: NDArray[np.bool_]
    """(c,) whether each claim is about who says it."""
    claim_dated: NDArray[np.bool_]
    """(c,) whether a supporting span of each claim has a time that was resolved."""
    claim_times: NDArray[np.float64]
    """(c, 2) the half-open interval of each claim's own time, seconds since 1970; an open end is infinite, both NaN where it has none. In a
    place of a merged claim, that of the first time told there."""
    claim_asks: NDArray[np.bool_]
    """(c,) whether each claim asks rather than tells."""
    claim_standing: NDArray[np.bool_]
    """(c,) whether each claim is an instruction, a preference or a constraint: it holds for what shares no word with it."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to find."""
        return len(self.claim_ids) == 0


def load_snapshot(connection: apsw.Connection) -> Snapshot:
    """Read a snapshot; the caller holds a read transaction if others may be writing."""
    messages = cast(
        list[_MessageRow],
        connection.execute(
            "SELECT id, conversation_id, session_id, speaker, role, said_at FROM messages ORDER BY conversation_id, position"
        ).fetchall(),
    )
    message_ids = np.array([row[0] for row in messages], np.int64)
    sessions: dict[tuple[int, int | None], int] = {}
    speakers: dict[str, int] = {}
    message_session = np.array([sessions.setdefault((row[1], row[2]), len(sessions)) for row in messages], np.int64)
    message_speaker = np.array([speakers.setdefault(row[3], len(speakers)) for row in messages], np.int64)
    conversations: dict[int, int] = {}
    message_conversation = np.array([conversations.setdefault(row[1], len(conversations)) for row in messages], np.int64)
    names = dict(cast(list[tuple[int, str]], connection.execute("SELECT id, external_id FROM conversations").fetchall()))
    session_names = dict(cast(list[tuple[int, str]], connection.execute("SELECT id, external_id FROM sessions").fetchall()))
    message_index = {int(i): n for n, i in enumerate(message_ids)}

    spans = cast(
        list[tuple[int, int, int]],
        connection.execute("SELECT id, message_id, words FROM spans ORDER BY message_id, start_offset").fetchall(),
    )
    places = np.array([message_index[row[1]] for row in spans], np.int64)
    order = np.argsort(places, kind="stable")
    span_ids = np.array([row[0] for row in spans], np.int64)[order]
    span_words = np.array([row[2] for row in spans], np.int64)[order]

    claims = cast(
        list[_ClaimRow],
        connection.execute(
            "SELECT id, anchor_span_id, subject_id IS speaker_id, modality = 'asks', kind IN ('instruction', 'preference', 'constraint'),"
            " start_time, end_time, origin = 'merge'"
            " FROM claims WHERE status = 'active' ORDER BY id"
        ).fetchall(),
    )
    places_of = _places(connection, claims, span_ids, places[order])
    span_vectors = _vectors_of(connection, "span", span_ids)
    return Snapshot(
        span_ids=span_ids,
        span_message=places[order],
        span_words=span_words,
        span_vectors=span_vectors,
        message_ids=message_ids,
        message_session=message_session,
        message_speaker=message_speaker,
        message_role=np.array([row[4] for row in messages], np.str_),
        message_said_at=np.array([row[5] for row in messages], np.float64),
        message_conversation=message_conversation,
        message_vectors=_vectors_of(connection, "message", message_ids, span_vectors.shape[1]),
        speakers=tuple(speakers),
        conversations=tuple(names[i] for i in conversations),
        sessions=tuple(session_names[i] if i is not None else None for _, i in sessions),
        claim_ids=np.array([row[0] for row in claims], np.int64)[places_of.claim],
        claim_anchor=places_of.anchor,
        claim_supports=places_of.supports,
        claim_own=np.array([row[2] for row in claims], np.bool_)[places_of.claim],
        claim_dated=places_of.dated,
        claim_times=places_of.times,
        claim_asks=np.array([row[3] for row in claims], np.bool_)[places_of.claim],
        claim_standing=np.array([row[4] for row in claims], np.bool_)[places_of.claim],
    )


def part_of(snapshot: Snapshot, messages: NDArray[np.int64]) -> Snapshot:
    """The part of a snapshot that is in some messages, given by index, ascending; what a claim has in others is left out.

    Sessions are counted anew; `speakers` and `conversations` are those of the whole.
    """
    m = len(snapshot.message_ids)
    message_at = np.full(m, -1, np.int64)
    message_at[messages] = np.arange(len(messages))
    spans = np.flatnonzero(message_at[snapshot.span_message] >= 0)
    span_at = np.full(len(snapshot.span_ids), -1, np.int64)
    span_at[spans] = np.arange(len(spans))
    claims = np.flatnonzero(span_at[snapshot.claim_anchor] >= 0)
    claim_at = np.full(len(snapshot.claim_ids), -1, np.int64)
    claim_at[claims] = np.arange(len(claims))
    owner, support = snapshot.claim_supports
    kept = (claim_at[owner] >= 0) & (span_at[support] >= 0)
    numbers, session = np.unique(snapshot.message_session[messages], return_inverse=True)
    return Snapshot(
        span_ids=snapshot.span_ids[spans],
        span_message=message_at[snapshot.span_message[spans]],
        span_words=snapshot.span_words[spans],
        span_vectors=snapshot.span_vectors[spans],
        message_ids=snapshot.message_ids[messages],
        message_session=session,
        message_speaker=snapshot.message_speaker[messages],
        message_role=snapshot.message_role[messages],
        message_said_at=snapshot.message_said_at[messages],
        message_conversation=snapshot.message_conversation[messages],
        message_vectors=snapshot.message_vectors[messages],
        speakers=snapshot.speakers,
        conversations=snapshot.conversations,
        sessions=tuple(snapshot.sessions[int(n)] for n in numbers),
        claim_ids=snapshot.claim_ids[claims],
        claim_anchor=span_at[snapshot.claim_anchor[claims]],
        claim_supports=(claim_at[owner[kept]], span_at[support[kept]]),
        claim_own=snapshot.claim_own[claims],
        claim_dated=snapshot.claim_dated[claims],
        claim_times=snapshot.claim_times[claims],
        claim_asks=snapshot.claim_asks[claims],
        claim_standing=snapshot.claim_standing[claims],
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where claims are found; see `Snapshot`. `claim` is (c,), the index of each place's claim among the active ones."""

    claim: _Ints
    anchor: _Ints
    supports: tuple[_Ints, _Ints]
    dated: NDArray[np.bool_]
    times: NDArray[np.float64]


def _places(connection: apsw.Connection, claims: list[_ClaimRow], span_ids: _Ints, span_message: _Ints) -> _Places:
    """Find the places of active claims, given in the order of their ids."""
    ids = np.array([row[0] for row in claims], np.int64)
    merged = np.array([row[7] for row in claims], np.bool_)
    by_id = np.argsort(span_ids, kind="stable")

    def spans_at(wanted: _Ints) -> _Ints:
        return by_id[np.searchsorted(span_ids[by_id], wanted)]

    rows = connection.execute(
        "SELECT cs.claim_id, cs.span_id FROM claim_supports cs JOIN claims c ON c.id = cs.claim_id AND c.status = 'active'"
        " ORDER BY cs.claim_id, cs.position"
    ).fetchall()
    pairs = np.array(rows, np.int64).reshape(-1, 2)
    claim, span = np.searchsorted(ids, pairs[:, 0]), spans_at(pairs[:, 1])
    # One number for each place: of a merged claim and a message, of any other claim alone.
    scale = int(span_message.max(initial=0)) + 2
    key = claim * scale + np.where(merged[claim], span_message[span] + 1, 0)
    every = np.unique(np.concatenate([np.flatnonzero(~merged) * scale, key]))
    of_pair = np.searchsorted(every, key)
    of_place = every // scale
    order = np.argsort(of_pair, kind="stable")
    of_pair, span = of_pair[order], span[order]
    anchor = spans_at(np.array([row[1] for row in claims], np.int64))[of_place]
    times = np.array([_seconds(row[5], row[6]) for row in claims], np.float64).reshape(-1, 2)[of_place]
    dated = np.zeros(len(every), np.bool_)
    resolved = connection.execute("SELECT DISTINCT span_id FROM time_cues WHERE granularity IS NOT NULL").fetchall()
    dated[of_pair[np.isin(span_ids[span], np.array(resolved, np.int64).reshape(-1))]] = True
    if merged.any():
        first = np.searchsorted(of_pair, np.arange(len(every)))
        elsewhere = merged[of_place] & (span_message[anchor] != every % scale - 1)
        anchor[elsewhere] = span[first[elsewhere]]
        _tell_times(connection, times, merged[of_place], of_pair, span_ids[span])
    return _Places(of_place, anchor, (of_pair, span), dated, times)


def _tell_times(connection: apsw.Connection, times: NDArray[np.float64], merged: NDArray[np.bool_], of_pair: _Ints, spans: _Ints) -> None:
    """Give places of merged claims the first time that a span there tells, or none."""
    told: dict[int, tuple[float, float]] = {}
    for span, start, end in cast(
        Iterator[tuple[int, str | None, str | None]],
        connection.execute("SELECT span_id, start_time, end_time FROM time_cues WHERE granularity IS NOT NULL ORDER BY start_offset DESC"),
    ):
        told[span] = _seconds(start, end)
    times[merged] = np.nan
    for place, span in zip(of_pair[::-1].tolist(), spans[::-1].tolist(), strict=True):
        if merged[place] and span in told:
            times[place] = told[span]


def _seconds(start: str | None, end: str | None) -> tuple[float, float]:
    """An interval in seconds since 1970; see `Snapshot.claim_times`."""
    if start is None and end is None:
        return np.nan, np.nan
    low, high = said_at(start), said_at(end)
    return -np.inf if low is None else low, np.inf if high is None else high


def _vectors_of(connection: apsw.Connection, family: Family, atom_ids: NDArray[np.int64], dimension: int = 1) -> NDArray[np.float32]:
    """The atoms' vectors in the order of `atom_ids`; zero rows for an atom that has none, of `dimension` where there are no vectors."""
    if not holds(connection, family):
        return np.zeros((len(atom_ids), dimension), np.float32)
    ids, matrix = load_vectors(connection, family)
    if np.array_equal(ids, atom_ids):
        return matrix
    out = np.zeros((len(atom_ids), matrix.shape[1]), np.float32)
    place = np.minimum(np.searchsorted(ids, atom_ids), len(ids) - 1)
    present = ids[place] == atom_ids
    out[present] = matrix[place[present]]
    return out
