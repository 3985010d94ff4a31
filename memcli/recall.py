"""Recall: from a question to facts and an answer.

    read the question -> embed it -> reach: what of the memory to search -> routes over spans and messages -> weigh and project onto claims
        -> filter -> facts -> rerank -> answer

This module fetches what the pure stages in `memcli.read` need and measures them; the stages do the thinking.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Protocol

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.errors import UsageError
from memcli.models import Embedder
from memcli.proposals.assistant import Assistant
from memcli.reach import Reach, View
from memcli.read.answer import POOL, Drafted, answer
from memcli.read.explain import Explanation
from memcli.read.features import kinds, message_features
from memcli.read.filters import Selected, select
from memcli.read.fuse import fuse
from memcli.read.places import hand_over
from memcli.read.query import Query, read_query
from memcli.read.routes import Routes, run_routes
from memcli.read.select import Chosen, uncovered, weights_of
from memcli.read.select import select as select_facts
from memcli.read.sufficiency import stems_of
from memcli.results import Answer, Fact, Filters, SearchResult
from memcli.store.facts import ClaimRecord, fetch_edges, fetch_facts
from memcli.store.snapshot import Snapshot

SIMILARITY_FLOOR = 0.45
"""Cosine a span must have where no word of the question occurs in the memory. Meaningless strings reach 0.24 to 0.37 against memories of
400 to 700 messages; of real questions 95% reach 0.40 and 75% reach 0.51."""

RERANKED = 50
"""Facts that a cross-encoder orders anew: it takes some 10 ms each on a laptop."""

ROUNDS = 0
"""Words of the question that are sought on their own, at most, if no fact selected holds them. MemCoRe's refinement has 3 rounds; here each
costs a fact of the first six about a point of evidence (docs/benchmarks.md), since ranking weighs the words already."""

Role = Literal["direct", "support"]


class CrossEncoder(Protocol):
    """What a reranker must do; see `memcli.models.reranker`."""

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text fits the question, shape (len(texts),); higher is better."""


@dataclass(slots=True)
class Found:
    """The best facts for a question, best first, with their scores, and how they were found."""

    query: Query
    facts: list[ClaimRecord] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    view: View | None = None
    """What it was found in; None if there was nothing to search."""
    claims: list[int] = field(default_factory=list)
    """Each fact's index in the view's snapshot."""
    stages: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """What stages after fusion did, by claim index."""
    positions: list[int] = field(default_factory=list)
    """The place of each fact's message among all messages."""
    explanation: Explanation | None = None
    every_score: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """(c,) of every claim of the snapshot; -inf for those that were filtered out."""
    filtered: Selected | None = None
    timings: dict[str, float] = field(default_factory=lambda: {"embed": 0.0, "retrieve": 0.0})


class Recall:
    """Answers questions over one state of a memory. Thread-compatible: one question at a time."""

    def __init__(
        self,
        connection: apsw.Connection,
        embedder: Callable[[], Embedder],
        reranker: Callable[[], CrossEncoder] | None = None,
        assistant: Assistant | None = None,
    ) -> None:
        """Read the memory's searchable atoms.

        Args:
            connection: an open memory.
            embedder: gives the model that the memory's vectors were made with; called if there is anything to search.
            reranker: gives a cross-encoder that orders the best facts anew; None leaves them as they are.
            assistant: a language model that helps to answer; None for none.
        """
        self._connection = connection
        self._embedder = embedder
        self._reranker = reranker
        self._assistant = assistant
        self._reach = Reach(connection)

    def search(
        self, question: str, *, k: int, explain: bool = False, id: str | int | None = None, filters: Filters | None = None
    ) -> SearchResult:
        """The `k` best facts.

        Raises:
            UsageError: the question is blank, `k` is not positive, or a filter cannot be read.
            NotFoundError: a filter names a conversation or session that is not there.
        """
        started = time.perf_counter()
        found = self._find(question, k, filters)
        facts = self._present(found, explain=explain)
        found.timings["total"] = _ms(started)
        return SearchResult(question, facts, found.timings, id, _explained(found) if explain else None)

    def ask(self, question: str, *, k: int, explain: bool = False, id: str | int | None = None, filters: Filters | None = None) -> Answer:
        """An answer from at most `k` facts; errors as `search`."""
        started = time.perf_counter()
        found = self._find(question, max(k, POOL), filters)
        drafted = answer(found.query, found.facts, found.scores, found.positions)
        order = self._select(found, [i for i, role in enumerate(drafted.roles) if role == "direct"], k)
        roles: list[Role] = ["direct" if i < len(drafted.roles) and drafted.roles[i] == "direct" else "support" for i in order]
        facts = self._present(found, explain=explain, order=order, roles=roles)
        found.timings["total"] = _ms(started)
        return Answer(
            question,
            drafted.text,
            drafted.sufficient,
            drafted.confidence,
            facts,
            found.timings,
            id,
            drafted.reason,
            _explained(found, drafted) if explain else None,
        )

    def candidates(self, question: str, k: int = POOL) -> Found:
        """The `k` facts an answer would be sought in; errors as `search`."""
        return self._find(question, k, None)

    def features(self, question: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """What ranking knows of each message for a question, and by which weights each is weighed: see `memcli.read.features`.

        The memory must not be empty.
        """
        query = read_query(question, self._reach.everything.speakers)
        view, routes, _ = self._routes(query, None)
        return message_features(query, routes, view.snapshot), kinds(query, view.snapshot)

    def _routes(self, query: Query, passed: NDArray[np.bool_] | None) -> tuple[View, Routes, dict[str, float]]:
        """What is searched, what each route finds there, and how long the embedding of the question took."""
        started = time.perf_counter()
        vector = self._embedder().encode([query.text])[0]
        timings = {"embed": _ms(started)}
        view = self._reach.view(query, vector, passed)
        return view, run_routes(query, vector, view.snapshot, view.scopes, view.postings), timings

    def _find(self, question: str, k: int, filters: Filters | None) -> Found:
        if not question.strip():
            raise UsageError("the question is empty: say what to look for")
        if k < 1:
            raise UsageError(f"-k {k}: ask for at least one fact")
        everything = self._reach.everything
        found = Found(read_query(question, everything.speakers))
        if everything.empty:
            return found
        passed = select(filters, everything, datetime.now()) if filters else None
        started = time.perf_counter()
        view, routes, found.timings = self._routes(found.query, passed.messages if passed is not None else None)
        snapshot = view.snapshot
        fused = fuse(found.query, routes, snapshot)
        order = fused.order()
        if not routes.span_words.any() and not self._reach.holds_any(found.query.terms, view):
            order = order[routes.span_vector[snapshot.claim_anchor[order]] >= SIMILARITY_FLOOR] if found.query.terms else order[:0]
        found.view, found.every_score, found.filtered = view, fused.score, passed
        if passed is not None:
            let_through = _rests_on(passed.messages[view.messages], snapshot)
            order = order[let_through[order]]
            found.every_score = np.where(let_through, fused.score, -np.inf)
        self._add(found, order, max(k, RERANKED) if self._reranker else k)
        found.explanation = Explanation(found.query, routes, fused, snapshot)
        found.timings["retrieve"] = _ms(started) - found.timings["embed"]
        if self._reranker is not None:
            self._rerank(found, self._reranker(), k)
        found.positions = view.messages[snapshot.span_message[snapshot.claim_anchor[found.claims]]].tolist() if found.claims else []
        return found

    def _add(self, found: Found, order: Sequence[int] | NDArray[np.int64], k: int) -> None:
        """Fetch the first `k` claims of an order of places, and put them behind those found."""
        assert found.view is not None
        snapshot = found.view.snapshot
        messages = snapshot.message_ids[snapshot.span_message[snapshot.claim_anchor]]
        handed = hand_over(order, found.every_score, snapshot.claim_ids, messages, k)
        facts = fetch_facts(self._connection, snapshot.claim_ids[[one.place for one in handed]].tolist()) if handed else []
        facts = [_with(fact, one.messages) if one.messages is not None else fact for fact, one in zip(facts, handed, strict=True)]
        if found.filtered is not None:
            facts = _only(facts, found.filtered.messages, self._reach.everything)
        found.facts += facts
        found.claims += [one.place for one in handed]
        found.scores += [float(found.every_score[one.place]) for one in handed]

    def _rerank(self, found: Found, reranker: CrossEncoder, k: int) -> None:
        """Order the facts by a cross-encoder. Their scores stay those of fusion, handed out anew, for later stages are fitted to them."""
        started = time.perf_counter()
        fits = reranker.score(found.query.question, [" ".join((fact.text, *(e.text for e in fact.evidence))) for fact in found.facts])
        order = [int(i) for i in np.argsort(-fits, kind="stable")]
        for rank, i in enumerate(order, 1):
            found.stages[found.claims[i]] = [{"stage": "rerank", "score": round(float(fits[i]), 4), "from": i + 1, "to": rank}]
        found.facts, found.claims = [found.facts[i] for i in order[:k]], [found.claims[i] for i in order[:k]]
        found.scores = sorted(found.scores, reverse=True)[:k]
        found.timings["rerank"] = _ms(started)

    def _select(self, found: Found, direct: Sequence[int], k: int) -> list[int]:
        """Indexes of the facts to hand over, a claim that was found in several places once, unless an answer was made from more of them.

        What those selected leave uncovered is sought on its own, and takes the last ones' place.
        """
        query = found.query
        held = [_covers(fact, query) for fact in found.facts]
        weights = weights_of(query.terms, query.speakers, held)
        once = _once(found.facts, direct)
        chosen = [
            Chosen(once[one.index], one.covers)
            for one in select_facts(weights, [held[i] for i in once], [found.scores[i] for i in once], [once.index(i) for i in direct], k)
        ]
        for term in uncovered(weights, chosen)[:ROUNDS]:
            if len(chosen) == len(direct):
                break
            claim = self._best_holding(term, found)
            if claim is None:
                continue
            self._add(found, [claim], 1)
            found.stages[claim] = [{"stage": "refine", "sought": term}]
            chosen = [*chosen[: k - 1], Chosen(len(found.facts) - 1, (term,))]
        for place, one in enumerate(chosen, 1):
            if one.covers:
                found.stages.setdefault(found.claims[one.index], []).append({"stage": "select", "to": place, "covers": list(one.covers)})
        return [one.index for one in chosen]

    def _best_holding(self, term: str, found: Found) -> int | None:
        """The best claim not found yet that a span with this word supports; None if there is none."""
        assert found.view is not None
        snapshot = found.view.snapshot
        spans = np.array([span for span, _ in found.view.postings(term)], np.int64)
        claims, supports = snapshot.claim_supports
        holding = np.unique(claims[np.isin(snapshot.span_ids[supports], spans)])
        holding = holding[~np.isin(holding, found.claims) & np.isfinite(found.every_score[holding])]
        return int(holding[np.argmax(found.every_score[holding])]) if len(holding) else None

    def _present(
        self, found: Found, *, explain: bool, order: Sequence[int] | None = None, roles: Sequence[Role] | None = None
    ) -> tuple[Fact, ...]:
        """The facts as they are handed out: those of `order`, all by default."""
        order = range(len(found.facts)) if order is None else order
        edges = fetch_edges(self._connection, [fact.id for fact in found.facts]) if explain else {}
        facts = []
        for rank, i in enumerate(order, 1):
            record, claim = found.facts[i], found.claims[i]
            why = None
            if explain and found.explanation is not None:
                why = found.explanation.fact(claim, edges.get(record.id, []), found.stages.get(claim, []))
            facts.append(
                Fact(
                    rank=rank,
                    claim_id=record.id,
                    text=record.text,
                    score=found.scores[i],
                    subject=record.subject,
                    kind=record.kind,
                    time=record.time,
                    evidence=record.evidence,
                    role=roles[rank - 1] if roles else None,
                    supersedes=record.supersedes,
                    conflicts_with=record.conflicts_with,
                    explain=why,
                )
            )
        return tuple(facts)


def _rests_on(messages: NDArray[np.bool_], snapshot: Snapshot) -> NDArray[np.bool_]:
    """(c,) whether each claim has a support in one of these messages."""
    claims, spans = snapshot.claim_supports
    out = np.zeros(len(snapshot.claim_ids), np.bool_)
    out[claims[messages[snapshot.span_message[spans]]]] = True
    return out


def _covers(fact: ClaimRecord, query: Query) -> frozenset[str]:
    """What of a question a fact covers: words, and the people it is about or told by."""
    people = {fact.subject, fact.speaker, *(e.speaker for e in fact.evidence)}
    return stems_of(fact).intersection(query.terms) | frozenset(query.speakers).intersection(people)


def _once(facts: Sequence[ClaimRecord], first: Sequence[int]) -> list[int]:
    """Indexes of facts, ascending: all of `first`, and of the other claims the best place of each."""
    met = {facts[i].id for i in first}
    out = list(first)
    for i, fact in enumerate(facts):
        if fact.id not in met:
            met.add(fact.id)
            out.append(i)
    return sorted(out)


def _with(fact: ClaimRecord, messages: tuple[int, ...]) -> ClaimRecord:
    """A fact with its evidence from these messages only, in their order, and with the times told there."""
    kept = sorted((place for place, m in enumerate(fact.messages) if m in messages), key=lambda place: messages.index(fact.messages[place]))
    evidence = tuple(fact.evidence[place] for place in kept)
    return replace(
        fact,
        evidence=evidence,
        messages=tuple(fact.messages[place] for place in kept),
        cues=tuple(cue for cue in fact.cues if any(cue[0] in one.text for one in evidence)),
    )


def _only(facts: list[ClaimRecord], messages: NDArray[np.bool_], snapshot: Snapshot) -> list[ClaimRecord]:
    """The facts without evidence from other messages, and without mention of claims that rest on none of these."""
    said = set(snapshot.message_ids[messages].tolist())
    known = set(snapshot.claim_ids[_rests_on(messages, snapshot)].tolist())
    out = []
    for fact in facts:
        kept = [(e, m) for e, m in zip(fact.evidence, fact.messages, strict=True) if m in said]
        out.append(
            replace(
                fact,
                evidence=tuple(e for e, _ in kept),
                messages=tuple(m for _, m in kept),
                supersedes=tuple(c for c in fact.supersedes if c in known),
                conflicts_with=tuple(c for c in fact.conflicts_with if c in known),
            )
        )
    return out


def _explained(found: Found, drafted: Drafted | None = None) -> dict[str, Any]:
    """How the question was read, what was left out, what was found, and how the evidence was judged."""
    out = found.explanation.query() if found.explanation is not None else {"query": found.query.to_dict(), "routes": {}}
    if found.filtered is not None:
        out["filters"] = found.filtered.explained
    if drafted is not None and drafted.evidence:
        out["evidence"] = dict(drafted.evidence)
    return out


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000
