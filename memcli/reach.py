"""Reach: what of a memory a question is answered from.

An uncompressed memory is searched whole. In a compressed one the vectors of the spans of packed messages are in no index: they are fetched
from beside their packs, so that what was packed is found as it was before. Of a small memory all of them are read once. Of a large one each
question takes a few regions, runs of consecutive messages, that look best by what the indexes hold (coarse), and only these are
unpacked and searched as a memory of their own (fine): the cost of the fine search grows slower than the memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.read.coarse import Coarse, Part, windows_of
from memcli.read.query import Query
from memcli.read.routes import Floats as Floats64
from memcli.read.routes import Routes, Scopes, build_scopes, message_totals, run_routes
from memcli.store.packed_vectors import Floats, blocks_beside, sound_block
from memcli.store.packs import packs_of_messages
from memcli.store.search import postings
from memcli.store.snapshot import Snapshot, load_snapshot, part_of

WHOLE_SPANS = 32_768
"""A compressed memory of at most so many spans is unpacked whole, at some 3 microseconds a packed span, once. Searching that many takes
about as long as choosing regions, unpacking and searching them."""

SEARCHED_SPANS = 4_096
"""Spans that are unpacked and searched for one question in a larger memory: of a real one of 61,000 spans so many hold 99.6% or more of the
evidence that is found in it whole, 3,072 hold 98.5%. The size of the memory matters little: of the first 20 messages in a made-up one of
200,000 claims so many hold 99.4%, as do twice as many."""

STRETCH_SPANS = 128
"""Spans of consecutive messages of a session that make a region; a pack is about as large, and is a region with what lies between its
messages. What surrounds a message tells whether it is evidence."""

CACHED_PACKS = 512
"""Packs whose vectors are kept unpacked: of some 120 spans each, about a fifth of a megabyte."""

_Block = tuple[NDArray[np.int64], Floats]


@dataclass(frozen=True, slots=True)
class View:
    """What one question is answered from."""

    snapshot: Snapshot
    """All messages of the memory; of a large compressed one only the spans and claims of some."""
    whole: bool
    """Whether all spans and claims are there."""


class Reach:
    """Gives each question its view of a memory. Thread-compatible: one question at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Read what is in the indexes; packs are read when the first question comes."""
        self._connection = connection
        every = load_snapshot(connection)
        beside = blocks_beside(connection, "message")
        self.everything: Snapshot = replace(every, message_vectors=_filled(every.message_vectors, every.message_ids, beside))
        """The whole memory; the spans of packed messages have zero vectors here."""
        packs = packs_of_messages(connection)
        self._packs = np.array([packs.get(int(i), 0) for i in self.everything.message_ids], np.int64)
        self._whole: tuple[View, Scopes] | None = None
        self._regions: _Regions | None = None

    def routes(self, query: Query, vector: NDArray[np.float32], passed: NDArray[np.bool_] | None) -> tuple[View, Routes]:
        """What a question is answered from, and what each route finds there.

        Args:
            query: the question as read.
            vector: its embedding, shape (d,), unit length.
            passed: (m,) the messages that may be searched; None for all.
        """
        if self._packs.any() and len(self.everything.span_ids) > WHOLE_SPANS:
            if self._regions is None:
                self._regions = _Regions(self._connection, _wide(self.everything, len(vector)), self._packs)
            part, routes = self._regions.routes(query, vector, passed)
            return View(part.snapshot, whole=len(part.spans) == len(self.everything.span_ids)), routes
        if self._whole is None:
            every = _wide(self.everything, len(vector))
            blocks = blocks_beside(self._connection, "span")
            snapshot = replace(every, span_vectors=_filled(every.span_vectors, every.span_ids, blocks))
            self._whole = View(snapshot, whole=True), build_scopes(snapshot)
        view, scopes = self._whole
        return view, run_routes(query, vector, view.snapshot, scopes, self._postings)

    def holds_any(self, terms: Iterable[str], view: View) -> bool:
        """Whether one of these tokens occurs in what a view leaves out."""
        return not view.whole and any(self._postings(term) for term in terms)

    def _postings(self, term: str) -> list[tuple[int, int]]:
        return postings(self._connection, "span", term)


class _Regions:
    """Runs of consecutive messages; which of them look best for a question, and what is found there."""

    def __init__(self, connection: apsw.Connection, snapshot: Snapshot, packs: NDArray[np.int64]) -> None:
        self._connection = connection
        self._snapshot = snapshot
        self._packs = packs
        talk, session = snapshot.message_conversation, snapshot.message_session
        # What is not packed belongs to the pack before it.
        last = packs[np.maximum.accumulate(np.where(packs > 0, np.arange(len(packs)), 0))]
        hot = (packs[1:] == 0) & (packs[:-1] == 0)
        starts = np.r_[True, (talk[1:] != talk[:-1]) | (last[1:] != last[:-1]) | (hot & (session[1:] != session[:-1]))]
        before = np.cumsum(np.bincount(snapshot.span_message, minlength=len(session)))
        before = np.r_[0, before[:-1]]
        stretch = (before - np.maximum.accumulate(np.where(starts, before, 0))) // STRETCH_SPANS
        cut = (stretch[1:] != stretch[:-1]) & (packs[1:] == 0)
        self._of_message = np.cumsum(starts | np.r_[False, cut]) - 1
        self._first = np.flatnonzero(np.r_[True, self._of_message[1:] != self._of_message[:-1]])
        self._spans = np.bincount(self._of_message[snapshot.span_message], minlength=len(self._first))
        self._coarse = Coarse(snapshot)
        self._blocks: OrderedDict[int, _Block | None] = OrderedDict()
        self._part: Part | None = None

    def routes(self, query: Query, vector: NDArray[np.float32], passed: NDArray[np.bool_] | None) -> tuple[Part, Routes]:
        """What is unpacked for a question, and what each route finds."""
        glance = self._coarse.look(query, vector, lambda term: postings(self._connection, "span", term))
        messages = self._best(glance.score if passed is None else np.where(passed, glance.score, -np.inf))
        if self._part is None or not np.array_equal(self._part.messages, messages):
            self._part = self._unpack(messages)
        return self._part, self._coarse.routes(glance, vector, self._part)

    def _best(self, scores: Floats64) -> NDArray[np.int64]:
        """The messages with spans of the regions where the best ones are, ascending."""
        best = np.maximum.reduceat(scores, self._first)
        order = np.argsort(-best, kind="stable")
        order = order[np.isfinite(best[order]) & (self._spans[order] > 0)]
        order = order[: max(1, int(np.searchsorted(np.cumsum(self._spans[order]), SEARCHED_SPANS, "right")))]
        return np.flatnonzero(np.bincount(order, minlength=len(best))[self._of_message])

    def _unpack(self, messages: NDArray[np.int64]) -> Part:
        every = self._snapshot
        part = part_of(every, messages)
        blocks = [block for pack in np.unique(self._packs[messages]) if pack and (block := self._block(int(pack))) is not None]
        part = replace(part, span_vectors=_filled(part.span_vectors, part.span_ids, blocks))
        chosen = np.zeros(len(every.message_ids), np.bool_)
        chosen[messages] = True
        return Part(
            snapshot=replace(
                part,
                span_message=messages[part.span_message],
                message_ids=every.message_ids,
                message_session=every.message_session,
                message_speaker=every.message_speaker,
                message_role=every.message_role,
                message_said_at=every.message_said_at,
                message_conversation=every.message_conversation,
                message_vectors=every.message_vectors,
                sessions=every.sessions,
            ),
            spans=np.flatnonzero(chosen[every.span_message]),
            messages=messages,
            window_vectors=windows_of(message_totals(part), messages, every.message_vectors, every.message_session),
        )

    def _block(self, pack: int) -> _Block | None:
        if pack in self._blocks:
            self._blocks.move_to_end(pack)
            return self._blocks[pack]
        block = self._blocks[pack] = sound_block(self._connection, "span", pack)
        if len(self._blocks) > CACHED_PACKS:
            self._blocks.popitem(last=False)
        return block


def _wide(snapshot: Snapshot, width: int) -> Snapshot:
    """A snapshot with vectors of this many dimensions: where the index holds none of a kind, its zeros have only one."""
    spans, messages = (
        rows if rows.shape[1] == width else np.zeros((len(rows), width), np.float32)
        for rows in (snapshot.span_vectors, snapshot.message_vectors)
    )
    return replace(snapshot, span_vectors=spans, message_vectors=messages)


def _filled(rows: Floats, atoms: NDArray[np.int64], blocks: Iterable[_Block]) -> Floats:
    """Vectors of atoms with those from beside packs among them."""
    out = rows
    order = np.argsort(atoms, kind="stable")
    ascending = atoms[order]
    for ids, block in blocks:
        if out is rows:
            width = block.shape[1]
            out = rows.copy() if rows.shape[1] == width else np.zeros((len(rows), width), np.float32)
        place = np.minimum(np.searchsorted(ascending, ids), len(order) - 1)
        there = ascending[place] == ids
        out[order[place[there]]] = block[there]
    return out
