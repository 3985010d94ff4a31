"""Recall: from a question to facts and an answer.

    read the question -> embed it -> reach: what of the memory to search -> routes over spans and messages -> weigh and project onto claims
        -> filter -> facts -> rerank -> answer

This module fetches what the pure stages in `memcli.read` need and measures them; the stages do the thinking.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.errors import UsageError
from memcli.found import Found, Handed
from memcli.models import Embedder
from memcli.reach import Reach, View
from memcli.read.answer import POOL, Drafted, answer
from memcli.read.explain import Explanation, unrouted
from memcli.read.features import kinds, message_features
from memcli.read.filters import select
from memcli.read.fuse import fuse
from memcli.read.places import MARGIN, hand_over
from memcli.read.query import Query, read_query
from memcli.read.routes import Routes
from memcli.read.select import select as select_facts
from memcli.read.select import weights_of
from memcli.read.sufficiency import stems_of
from memcli.results import Answer, Fact, Filters, SearchResult
from memcli.store.facts import ClaimRecord, fetch_edges, fetch_facts, fetch_shown, fetch_told
from memcli.store.pages import page_around
from memcli.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memcli.proposals.assistant import Assistant
    from memcli.reader import Reader

SIMILARITY_FLOOR = 0.45
"""Cosine a span must have where no word of the question occurs in the memory. Meaningless strings reach 0.24 to 0.37 against memories of
400 to 700 messages; of real questions 95% reach 0.40 and 75% reach 0.51."""

RERANKED = 50
"""Facts that a cross-encoder orders anew: it takes some 10 ms each on a laptop."""


class CrossEncoder(Protocol):
    """What a reranker must do; see `memcli.models.reranker`."""

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text fits the question, shape (len(texts),); higher is better."""


class Recall:
    """Answers questions over one state of a memory. Thread-compatible: one question at a time."""

    def __init__(
        self,
        connection: apsw.Connection,
        embedder: Callable[[], Embedder],
        reranker: Callable[[], CrossEncoder] | None = None,
        assistant: Callable[[], Assistant | None] = lambda: None,
    ) -> None:
        """Read the memory's searchable atoms.

        Args:
            connection: an open memory.
            embedder: gives the model that the memory's vectors were made with; called if there is anything to search.
            reranker: gives a cross-encoder that orders the best facts anew; None leaves them as they are.
            assistant: gives a language model that helps to answer, if there is one; a search never calls it.
        """
        self._connection = connection
        self._embedder = embedder
        self._reranker = reranker
        self._assistant = assistant
        self._reach = Reach(connection)
        every = self._reach.everything
        self._merged = bool((every.claim_ids != every.claim_told).any() or every.claim_since.any())

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
        found = self._find(question, max(k, POOL), filters, together=False)
        drafted = answer(found.query, found.facts, found.scores, found.positions)
        direct = [i for i, role in enumerate(drafted.roles) if role == "direct"]
        handed = Handed.of(self._select(found, direct, k), direct)
        assistant = self._assistant() if found.facts else None
        reader = self._reader(assistant, found, filters) if assistant is not None else None
        if reader is not None:
            drafted, handed = reader.read(drafted, handed, k)
        facts = self._present(found, explain=explain, handed=handed)
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
            _explained(found, drafted, reader) if explain else None,
            reader.sentences if reader is not None else (),
            reader.account() if reader is not None else None,
        )

    def _reader(self, assistant: Assistant, found: Found, filters: Filters | None) -> Reader:
        """A reading with the language model, which may look for more in what the filters let through."""
        from memcli.reader import Reader, Surroundings

        def seek(question: str, k: int) -> list[int]:
            return found.take(self._find(question, k, filters, together=False))

        def page(index: int) -> Surroundings:
            messages = page_around(self._connection, found.facts[index].messages[0])
            every, filtered = self._reach.everything, found.filtered
            if filtered is not None:
                said = set(every.message_ids[filtered.messages].tolist())
                messages = [message for message in messages if message.id in said]
            facts = self._told(every, _places_in(every, [message.id for message in messages]))
            return Surroundings(tuple(found.add(facts if filtered is None else _only(facts, filtered.messages, every))), tuple(messages))

        return Reader(assistant, found, seek=seek, page=page)

    def candidates(self, question: str, k: int = POOL) -> Found:
        """The `k` facts an answer would be sought in; errors as `search`."""
        return self._find(question, k, None, together=False)

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
        view, routes = self._reach.routes(query, vector, passed)
        return view, routes, timings

    def _find(self, question: str, k: int, filters: Filters | None, *, together: bool = True) -> Found:
        """The `k` best facts; the places of a merged claim that were found nearly equally well make one fact, or one each."""
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
            let_through = _rests_on(passed.messages, snapshot)
            order = order[let_through[order]]
            found.every_score = np.where(let_through, fused.score, -np.inf)
        found.explanation = Explanation(found.query, routes, fused, snapshot)
        self._fetch(found, order, max(k, RERANKED) if self._reranker else k, together=together)
        found.timings["retrieve"] = _ms(started) - found.timings["embed"]
        if self._reranker is not None:
            self._rerank(found, self._reranker(), k)
        found.positions = snapshot.span_message[snapshot.claim_anchor[found.claims]].tolist() if found.claims else []
        return found

    def _fetch(self, found: Found, order: NDArray[np.int64], k: int, *, together: bool) -> None:
        """Fetch the first `k` claims of an order of places, as they were told there."""
        assert found.view is not None
        snapshot = found.view.snapshot
        handed = hand_over(order, found.every_score, snapshot.claim_ids, k) if together else [(int(place),) for place in order[:k]]
        told = iter(self._told(snapshot, [place for one in handed for place in one]))
        facts = [_together([next(told) for _ in one]) for one in handed]
        if found.filtered is not None:
            facts = _only(facts, found.filtered.messages, self._reach.everything)
        found.facts = facts
        found.claims = [one[0] for one in handed]
        found.scores = [float(found.every_score[one[0]]) for one in handed]
        found.explanations = [found.explanation] * len(facts)

    def _told(self, snapshot: Snapshot, places: Sequence[int]) -> list[ClaimRecord]:
        """The claims of some places, as they were told there."""
        ids = snapshot.claim_told[list(places)].tolist()
        by_id = {fact.names[0]: fact for fact in fetch_told(self._connection, ids)} if ids else {}
        messages = snapshot.message_ids[snapshot.span_message[snapshot.claim_anchor[list(places)]]].tolist()
        return [
            _said_in(by_id[claim], message) if snapshot.claim_since[place] else by_id[claim]
            for place, claim, message in zip(places, ids, messages, strict=True)
        ]

    def _rerank(self, found: Found, reranker: CrossEncoder, k: int) -> None:
        """Order the facts by a cross-encoder. Their scores stay those of fusion, handed out anew, for later stages are fitted to them."""
        started = time.perf_counter()
        fits = reranker.score(found.query.question, [" ".join((fact.text, *(e.text for e in fact.evidence))) for fact in found.facts])
        order = [int(i) for i in np.argsort(-fits, kind="stable")]
        for rank, i in enumerate(order, 1):
            found.note(i, {"stage": "rerank", "score": round(float(fits[i]), 4), "from": i + 1, "to": rank})
        found.facts, found.claims = [found.facts[i] for i in order[:k]], [found.claims[i] for i in order[:k]]
        found.explanations = found.explanations[:k]
        found.scores = sorted(found.scores, reverse=True)[:k]
        found.timings["rerank"] = _ms(started)

    def _select(self, found: Found, direct: Sequence[int], k: int) -> list[int]:
        """Indexes of the facts to hand over, a claim that was found in several places once, unless an answer was made from more of them."""
        query = found.query
        held = [_covers(fact, query) for fact in found.facts]
        weights = weights_of(query.terms, query.speakers, held)
        once = _once(found.facts, direct)
        first = [once.index(i) for i in direct]
        chosen = select_facts(weights, [held[i] for i in once], [found.scores[i] for i in once], first, k)
        for place, one in enumerate(chosen, 1):
            if one.covers:
                found.note(once[one.index], {"stage": "select", "to": place, "covers": list(one.covers)})
        return [once[one.index] for one in chosen]

    def _present(self, found: Found, *, explain: bool, handed: Handed | None = None) -> tuple[Fact, ...]:
        """The facts as they are handed out, all by default: what was merged in the words of the claim that it is now a part of."""
        order = tuple(range(len(found.facts))) if handed is None else handed.order
        edges = fetch_edges(self._connection, [fact.id for fact in found.facts]) if explain else {}
        wholes, partly = self._wholes(found, order)
        alone = frozenset(order)
        facts = []
        for rank, i in enumerate(order, 1):
            explanation = found.explanations[i]
            role = handed.roles[rank - 1] if handed else None
            record = found.facts[i] if role == "direct" else _together([found.facts[j] for j in _nearby(found, i, alone)])
            shown = wholes.get(record.id, record)
            words = record if record.id in partly else shown
            why = None
            if explain:
                links, stages = edges.get(record.id, []), found.stages.get(found.facts[i].place, [])
                why = explanation.fact(found.claims[i], links, stages) if explanation else unrouted(links, stages)
            facts.append(
                Fact(
                    rank=rank,
                    claim_id=record.id,
                    text=words.text,
                    score=found.scores[i],
                    subject=words.subject,
                    kind=words.kind,
                    time=record.time,
                    evidence=record.evidence,
                    role=role,
                    supersedes=shown.supersedes,
                    conflicts_with=shown.conflicts_with,
                    explain=why,
                )
            )
        return tuple(facts)

    def _wholes(self, found: Found, order: Sequence[int]) -> tuple[dict[int, ClaimRecord], frozenset[int]]:
        """The active claims that the facts of these indexes are, or are parts of, by id, if any has parts; and which of them filters cut.

        What rests on something that filters leave out has the words of the part that was found: its own would tell the rest.
        """
        parts = {found.facts[i].id: found.facts[i] for i in order}
        if not parts or not self._merged:
            return {}, frozenset()
        if found.filtered is None:
            return fetch_shown(self._connection, parts), frozenset()
        whole = fetch_facts(self._connection, list(parts))
        passed = _only(whole, found.filtered.messages, self._reach.everything)
        cut = (one.id for one, fact in zip(passed, whole, strict=True) if len(one.messages) < len(fact.messages))
        return {fact.id: fact for fact in passed}, frozenset(cut)


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


def _nearby(found: Found, index: int, order: frozenset[int]) -> list[int]:
    """A fact's index, and those of other places of its claim that were found nearly as well and are not handed over themselves."""
    others = [
        i
        for i, fact in enumerate(found.facts)
        if fact.id == found.facts[index].id and i not in order and found.scores[i] >= found.scores[index] - MARGIN
    ]
    return [index, *others]


def _together(facts: Sequence[ClaimRecord]) -> ClaimRecord:
    """The first of some facts of one claim, with the evidence of all, each piece once."""
    if len(facts) == 1:
        return facts[0]
    said = {(message, e.start, e.end): e for fact in facts for message, e in zip(fact.messages, fact.evidence, strict=True)}
    cues = tuple(dict.fromkeys(cue for fact in facts for cue in fact.cues))
    return replace(facts[0], evidence=tuple(said.values()), messages=tuple(message for message, _, _ in said), cues=cues)


def _said_in(fact: ClaimRecord, message: int) -> ClaimRecord:
    """What of a fact was told in one message only: its words, its evidence, and the times told there."""
    evidence = tuple(e for e, m in zip(fact.evidence, fact.messages, strict=True) if m == message)
    cues = tuple(cue for cue in fact.cues if any(cue[0] in one.text for one in evidence))
    text = " ".join(one.text for one in evidence)
    return replace(fact, text=text, evidence=evidence, messages=(message,) * len(evidence), cues=cues)


def _places_in(snapshot: Snapshot, messages: Sequence[int]) -> list[int]:
    """The places of claims that rest on some messages, given by id, in the order in which they were said."""
    claims, spans = snapshot.claim_supports
    here = np.isin(snapshot.message_ids, messages)[snapshot.span_message[spans]]
    return list(dict.fromkeys(claims[here][np.argsort(spans[here], kind="stable")].tolist()))


def _only(facts: list[ClaimRecord], messages: NDArray[np.bool_], snapshot: Snapshot) -> list[ClaimRecord]:
    """The facts without evidence from other messages, and without mention of claims that rest on none of these."""
    said = set(snapshot.message_ids[messages].tolist())
    passed = _rests_on(messages, snapshot)
    known = {*snapshot.claim_ids[passed].tolist(), *snapshot.claim_told[passed].tolist()}
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


def _explained(found: Found, drafted: Drafted | None = None, reader: Reader | None = None) -> dict[str, Any]:
    """How the question was read, what was left out, what was found, how the evidence was judged, and what a language model did."""
    out: dict[str, Any] = found.explanation.query() if found.explanation is not None else {"query": found.query.to_dict(), "routes": {}}
    if found.filtered is not None:
        out["filters"] = found.filtered.explained
    if drafted is not None and drafted.evidence:
        out["evidence"] = dict(drafted.evidence)
    if reader is not None:
        out["language_model"] = list(reader.steps)
    return out


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000
