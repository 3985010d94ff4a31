"""What the read path needs of a memory, as arrays: loaded once, read by every question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.transcripts import said_at
from memcli.store.vectors import Family, holds, load_vectors

_MessageRow = tuple[int, int, int | None, str, str, float | None]
_ClaimRow = tuple[int, int, int, int, int, str | None, str | None, int, int]
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory's searchable atoms. `n` spans, `m` messages, `c` places of active claims, vectors of `d` dimensions.

    Spans stand in the order of their messages, messages in the order (conversation, position). Indexes, not database ids,
    link the arrays; `*_ids` translate. A claim has one place, where its anchor is; a claim that compression made of others has the places
    of all of these, as if they were not merged, and one in each message that it has come to rest on since: each is found on its own.
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
    """(m, d) unit rows, each message embedded among those around it; zeros for one that is not, or that an earlier version packed."""
    speakers: tuple[str, ...]
    conversations: tuple[str, ...]
    """Their names in the transcripts."""
    sessions: tuple[str | None, ...]
    """The name of each session that `message_session` counts; None where a conversation has no sessions."""
    claim_ids: NDArray[np.int64]
    """(c,) the active claim of each place; that of a merged claim is repeated."""
    claim_told: NDArray[np.int64]
    """(c,) the claim that was told in each place, ascending: the active one itself, or one that was merged into it."""
    claim_since: NDArray[np.bool_]
    """(c,) whether what a merged claim has come to rest on since is found in a place: only what is in its message counts there."""
    claim_anchor: NDArray[np.int64]
    """(c,) index of the span that anchors each claim in its place."""
    claim_supports: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Claims by supporting span, as pairs: claim index and span index, both (number of supports,), ascending by claim."""
    claim_own: NDArray[np.bool_]
    """(c,) whether each claim is about who says it."""
    claim_dated: NDArray[np.bool_]
    """(c,) whether a supporting span of each claim has a time that was resolved."""
    claim_times: NDArray[np.float64]
    """(c, 2) the half-open interval of each claim's own time, seconds since 1970; an open end is infinite, both NaN where it has none."""
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

    told = _told(connection, span_ids, places[order])
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
        claim_ids=told.active,
        claim_told=told.claim,
        claim_since=told.since,
        claim_anchor=told.anchor,
        claim_supports=told.supports,
        claim_own=told.flags[:, 0],
        claim_dated=told.dated,
        claim_times=told.times,
        claim_asks=told.flags[:, 1],
        claim_standing=told.flags[:, 2],
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
        claim_told=snapshot.claim_told[claims],
        claim_since=snapshot.claim_since[claims],
        claim_anchor=span_at[snapshot.claim_anchor[claims]],
        claim_supports=(claim_at[owner[kept]], span_at[support[kept]]),
        claim_own=snapshot.claim_own[claims],
        claim_dated=snapshot.claim_dated[claims],
        claim_times=snapshot.claim_times[claims],
        claim_asks=snapshot.claim_asks[claims],
        claim_standing=snapshot.claim_standing[claims],
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """Places of claims, (c,) each; see `Snapshot`. `flags` are (c, 3): own, asks, standing."""

    active: _Ints
    claim: _Ints
    since: NDArray[np.bool_]
    anchor: _Ints
    supports: tuple[_Ints, _Ints]
    flags: NDArray[np.bool_]
    dated: NDArray[np.bool_]
    times: NDArray[np.float64]


_CLAIMS = (
    "SELECT id, anchor_span_id, subject_id IS speaker_id, modality = 'asks', kind IN ('instruction', 'preference', 'constraint'),"
    " start_time, end_time, origin = 'merge', status = 'active' FROM claims"
    " WHERE status = 'active' OR (origin <> 'merge' AND id IN (SELECT archived_id FROM lineage)) ORDER BY id"
)
_SUPPORTS = (
    "SELECT cs.claim_id, cs.span_id FROM claims c CROSS JOIN claim_supports cs ON cs.claim_id = c.id"
    " WHERE c.status = 'active' OR (c.origin <> 'merge' AND c.id IN (SELECT archived_id FROM lineage)) ORDER BY cs.claim_id, cs.position"
)


def _told(connection: apsw.Connection, span_ids: _Ints, span_message: _Ints) -> _Told:
    """Where claims were told."""
    rows = cast(list[_ClaimRow], connection.execute(_CLAIMS).fetchall())
    ids = np.array([row[0] for row in rows], np.int64)
    merged = np.array([row[7] for row in rows], np.bool_)
    active = _absorbers(connection, ids)
    by_id = np.argsort(span_ids, kind="stable")

    def spans_at(wanted: _Ints) -> _Ints:
        return by_id[np.searchsorted(span_ids[by_id], wanted)]

    pairs = np.array(connection.execute(_SUPPORTS).fetchall(), np.int64).reshape(-1, 2)
    owner, span = np.searchsorted(ids, pairs[:, 0]), spans_at(pairs[:, 1])
    # What a merged claim rests on besides what it absorbed was told of it as a whole: a place for each message.
    parts = ~merged[owner]
    whole = active[owner] * len(span_ids) + span
    gained = ~parts & ~np.isin(whole, whole[parts])
    scale = int(span_message.max(initial=0)) + 2
    key = owner * scale + np.where(gained, span_message[span] + 1, 0)
    parts |= gained
    key, span = key[parts], span[parts]
    every = np.unique(np.concatenate([np.flatnonzero(~merged) * scale, key]))
    claim = every // scale
    order = np.argsort(key, kind="stable")
    of_pair, span = np.searchsorted(every, key[order]), span[order]
    anchor = spans_at(np.array([row[1] for row in rows], np.int64))[claim]
    dated = np.zeros(len(every), np.bool_)
    resolved = connection.execute("SELECT DISTINCT span_id FROM time_cues WHERE granularity IS NOT NULL").fetchall()
    dated[of_pair[np.isin(span_ids[span], np.array(resolved, np.int64).reshape(-1))]] = True
    times = np.array([_seconds(row[5], row[6]) for row in rows], np.float64).reshape(-1, 2)[claim]
    since = every % scale > 0
    anchor[since] = span[np.searchsorted(of_pair, np.flatnonzero(since))]
    times[since] = np.nan
    return _Told(
        active=active[claim],
        claim=ids[claim],
        since=since,
        anchor=anchor,
        supports=(of_pair, span),
        flags=np.array([row[2:5] for row in rows], np.bool_).reshape(-1, 3)[claim],
        dated=dated,
        times=times,
    )


def _absorbers(connection: apsw.Connection, claims: _Ints) -> _Ints:
    """The active claim that each of some claims has become a part of; itself if it was never merged."""
    rows = connection.execute("SELECT archived_id, absorber_id FROM lineage ORDER BY archived_id").fetchall()
    absorbed, absorber = np.array(rows, np.int64).reshape(-1, 2).T
    out = claims.copy()
    while len(absorbed):
        place = np.minimum(np.searchsorted(absorbed, out), len(absorbed) - 1)
        gone = absorbed[place] == out
        if not gone.any():
            break
        out[gone] = absorber[place[gone]]
    return out


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
