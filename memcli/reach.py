"""Reach: what of a memory a question is answered from.

An uncompressed memory is searched whole. In a compressed one the words and vectors of packed messages are in no index: they are fetched
from their packs, so that what was packed is found as it was before. Of a small memory all packs are read once. Of a large one each question
takes a few regions, runs of consecutive messages, to which its best claims point (coarse), and only these are unpacked and searched
as a memory of their own (fine): the cost of the fine search does not grow with the memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.read.coarse import claim_scores, found_in
from memcli.read.query import Query
from memcli.read.routes import Postings, Scopes, build_scopes
from memcli.store.packed import Part, load_part, make_part, packs_of_messages
from memcli.store.packed_vectors import Floats, PackedFamily
from memcli.store.search import postings
from memcli.store.snapshot import Snapshot, load_snapshot, part_of
from memcli.store.vectors import load_vectors

WHOLE_SPANS = 32_768
"""A compressed memory of at most so many spans is unpacked whole, at some 20 microseconds a packed span, once. Searching that many takes
about as long as choosing regions, unpacking and searching them."""

SEARCHED_SPANS = 3_072
"""Spans that are searched for one question in a larger memory: of 20,000 spans at half the claims, so many hold 98 to 103% of the evidence
found in the whole uncompressed memory, 2,048 hold 96 to 102%."""

STRETCH_SPANS = 128
"""Spans of consecutive messages of a session that make a region; a pack is about as large, and is a region with what lies between its
messages. What surrounds a message tells whether it is evidence."""

CACHED_PACKS = 512
"""Packs kept unpacked: of some 120 spans each, about a quarter of a megabyte with their vectors."""


@dataclass(frozen=True, slots=True)
class View:
    """What one question is answered from."""

    snapshot: Snapshot
    scopes: Scopes
    postings: Postings
    messages: NDArray[np.int64]
    """(m,) the place of each message of the snapshot among all messages of the memory."""


class Reach:
    """Gives each question its view of a memory. Thread-compatible: one question at a time."""

    def __init__(self, connection: apsw.Connection) -> None:
        """Read what is in the indexes; packs are read when the first question comes."""
        self._connection = connection
        self.everything: Snapshot = load_snapshot(connection)
        """The whole memory; packed messages and their spans have zero vectors here."""
        packs = packs_of_messages(connection)
        self._packs = np.array([packs.get(int(i), 0) for i in self.everything.message_ids], np.int64)
        self._view: View | None = None
        self._regions: _Regions | None = None
        self._parts: OrderedDict[int, Part] = OrderedDict()

    def view(self, query: Query, vector: NDArray[np.float32], passed: NDArray[np.bool_] | None) -> View:
        """What this question is answered from.

        Args:
            query: the question as read.
            vector: its embedding, shape (d,), unit length.
            passed: (m,) the messages that may be searched; None for all.
        """
        every = self.everything
        if self._packs.any() and len(every.span_ids) > WHOLE_SPANS:
            if self._regions is None:
                self._regions = _Regions(self._connection, every, self._packs)
            messages = self._regions.messages(query, vector, passed)
            if self._view is None or not np.array_equal(self._view.messages, messages):
                self._view = self._build(messages)
        elif self._view is None:
            self._view = self._build(np.arange(len(every.message_ids)))
        return self._view

    def holds_any(self, terms: Iterable[str], view: View) -> bool:
        """Whether one of these tokens occurs in what a view leaves out, as far as claims tell."""
        if len(view.messages) == len(self.everything.message_ids):
            return False
        return any(postings(self._connection, "claim", term) for term in terms)

    def _build(self, messages: NDArray[np.int64]) -> View:
        """A view of these messages, ascending, with what is packed of them."""
        whole = len(messages) == len(self.everything.message_ids)
        snapshot = self.everything if whole else part_of(self.everything, messages)
        packs = np.unique(self._packs[messages])
        parts = [self._part(int(pack)) for pack in packs if pack]
        if parts:
            snapshot = replace(
                snapshot,
                span_vectors=_filled(snapshot.span_vectors, snapshot.span_ids, "span", parts),
                message_vectors=_filled(snapshot.message_vectors, snapshot.message_ids, "message", parts),
            )
        return View(snapshot, build_scopes(snapshot), _Words(self._connection, parts, snapshot.span_ids, whole=whole), messages)

    def _part(self, pack: int) -> Part:
        part = self._parts.pop(pack, None) or load_part(self._connection, pack)
        self._parts[pack] = part
        if len(self._parts) > CACHED_PACKS:
            self._parts.popitem(last=False)
        return part


class _Regions:
    """Runs of consecutive messages, and which of them the best claims of a question point to."""

    def __init__(self, connection: apsw.Connection, snapshot: Snapshot, packs: NDArray[np.int64]) -> None:
        self._connection = connection
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
        size = int(self._of_message[-1]) + 1
        self._spans = np.bincount(self._of_message[snapshot.span_message], minlength=size)
        self._claims, self._claim_of_place = np.unique(snapshot.claim_ids, return_inverse=True)
        self._of_place = self._of_message[snapshot.span_message[snapshot.claim_anchor]]
        self._vectors = _claim_vectors(connection, self._claims)

    def messages(self, query: Query, vector: NDArray[np.float32], passed: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """The messages of the best regions, ascending; only regions where something passed are taken."""
        scores = claim_scores(query, vector, self._claims, self._vectors, lambda term: postings(self._connection, "claim", term))
        best = np.full(len(self._spans), -np.inf)
        np.maximum.at(best, self._of_place, scores[self._claim_of_place])
        if passed is not None:
            best[np.setdiff1d(np.arange(len(best)), self._of_message[passed])] = -np.inf
        order = np.argsort(-best, kind="stable")
        order = order[np.isfinite(best[order])]
        order = order[: max(1, int(np.searchsorted(np.cumsum(self._spans[order]), SEARCHED_SPANS, "right")))]
        return np.flatnonzero(np.bincount(order, minlength=len(best))[self._of_message])


class _Words:
    """Postings of a view: those of the index, and those of packed spans."""

    def __init__(self, connection: apsw.Connection, parts: Sequence[Part], spans: NDArray[np.int64], *, whole: bool) -> None:
        self._connection = connection
        # Many questions are asked of the whole, which is looked through at once; a part of it is looked at once or twice.
        self._parts = [make_part({}, {span: text for part in parts for span, text in part.texts.items()})] if whole else parts
        self._spans = None if whole else np.sort(spans)

    def __call__(self, term: str) -> list[tuple[int, int]]:
        found = postings(self._connection, "span", term)
        for part in self._parts:
            found += part.postings(term)
        if self._spans is None or not found:
            return found
        there = found_in(np.fromiter((span for span, _ in found), np.int64, len(found)), self._spans)
        return [found[i] for i in np.flatnonzero(there).tolist()]


def _filled(rows: Floats, atoms: NDArray[np.int64], family: PackedFamily, parts: Sequence[Part]) -> Floats:
    """Vectors of atoms with those from packs among them."""
    blocks = [part.vectors[family] for part in parts if family in part.vectors]
    if not blocks:
        return rows
    width = blocks[0][1].shape[1]
    rows = rows.copy() if rows.shape[1] == width else np.zeros((len(rows), width), np.float32)
    order = np.argsort(atoms, kind="stable")
    for ids, block in blocks:
        place = order[np.minimum(np.searchsorted(atoms[order], ids), len(order) - 1)]
        there = atoms[place] == ids
        rows[place[there]] = block[there]
    return rows


def _claim_vectors(connection: apsw.Connection, claims: NDArray[np.int64]) -> Floats:
    """The vectors of these claims, ascending; zeros for one that has none."""
    ids, matrix = load_vectors(connection, "claim")
    if np.array_equal(ids, claims):
        return matrix
    out = np.zeros((len(claims), matrix.shape[1]), np.float32)
    there = np.isin(claims, ids)
    out[there] = matrix[np.searchsorted(ids, claims[there])]
    return out
