"""Recall: from a question to facts and an answer.

    read the question -> embed it -> routes over spans and messages -> project onto claims and fuse -> facts -> answer

This module fetches what the pure stages in `memcli.read` need and measures them; the stages do the thinking.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import apsw
import numpy as np

from memcli.errors import UsageError
from memcli.models import Embedder
from memcli.read.answer import POOL, answer
from memcli.read.fuse import Fused, Weights, fuse
from memcli.read.query import Query, read_query
from memcli.read.routes import Routes, Scopes, build_scopes, run_routes
from memcli.results import Answer, Fact, SearchResult
from memcli.store.facts import ClaimRecord, fetch_facts
from memcli.store.search import postings
from memcli.store.snapshot import Snapshot, load_snapshot

SIMILARITY_FLOOR = 0.45
"""Cosine a span must have where no word of the question occurs in the memory. Meaningless strings reach 0.24 to 0.37 against memories of
400 to 700 messages; of real questions 95% reach 0.40 and 75% reach 0.51."""

EXPLAINED = 20
"""Hits listed of each route with `--explain`."""

_SPAN_ROUTES = ("span_vector", "span_words")


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a question is answered from: the best facts, best first, with their scores and their messages' places."""

    query: Query
    facts: list[ClaimRecord]
    scores: list[float]
    positions: list[int]


class Recall:
    """Answers questions over one state of a memory. Thread-compatible: one question at a time."""

    def __init__(self, connection: apsw.Connection, embedder: Callable[[], Embedder]) -> None:
        """Read the memory's searchable atoms.

        Args:
            connection: an open memory.
            embedder: gives the model that the memory's vectors were made with; called if there is anything to search.
        """
        self._connection = connection
        self._embedder = embedder
        self._snapshot: Snapshot = load_snapshot(connection)
        self._scopes: Scopes | None = None if self._snapshot.empty else build_scopes(self._snapshot)

    def search(self, question: str, *, k: int, explain: bool, id: str | int | None = None) -> SearchResult:
        """The `k` best facts.

        Raises:
            UsageError: the question is blank or `k` is not positive.
        """
        started = time.perf_counter()
        query, records, fused, routes, timings = self._facts(question, k)
        facts = self._present(records, fused, routes, explain=explain)
        timings["total"] = _ms(started)
        return SearchResult(question, facts, timings, id, self._explained(query, routes) if explain else None)

    def ask(self, question: str, *, k: int, explain: bool, id: str | int | None = None) -> Answer:
        """An answer from at most `k` facts.

        Raises:
            UsageError: the question is blank or `k` is not positive.
        """
        started = time.perf_counter()
        query, records, fused, routes, timings = self._facts(question, max(k, POOL))
        found = self._candidates(query, records, fused)
        drafted = answer(found.query, found.facts, found.scores, found.positions)
        # The facts the answer was made from come first, whatever their score; the rest keep their order.
        order = sorted(range(len(records)), key=lambda i: drafted.roles[i] != "direct")[:k]
        records = [records[i] for i in order]
        roles: list[Literal["direct", "support"]] = ["direct" if drafted.roles[i] == "direct" else "support" for i in order]
        facts = self._present(records, fused, routes, explain=explain, roles=roles)
        timings["total"] = _ms(started)
        return Answer(
            question,
            drafted.text,
            drafted.sufficient,
            drafted.confidence,
            facts,
            timings,
            id,
            drafted.reason,
            self._explained(query, routes) if explain else None,
        )

    def candidates(self, question: str, k: int = POOL) -> Candidates:
        """The `k` facts an answer would be sought in.

        Raises:
            UsageError: the question is blank or `k` is not positive.
        """
        query, records, fused, _, _ = self._facts(question, k)
        return self._candidates(query, records, fused)

    def _candidates(self, query: Query, records: list[ClaimRecord], fused: Fused | None) -> Candidates:
        snapshot = self._snapshot
        claims = np.searchsorted(snapshot.claim_ids, np.array([record.id for record in records], np.int64))
        positions = snapshot.span_message[snapshot.claim_anchor[claims]] if records else claims
        return Candidates(query, records, [self._score(fused, record) for record in records], [int(p) for p in positions])

    def _facts(self, question: str, k: int) -> tuple[Query, list[ClaimRecord], Fused | None, Routes | None, dict[str, float]]:
        if not question.strip():
            raise UsageError("the question is empty: say what to look for")
        if k < 1:
            raise UsageError(f"-k {k}: ask for at least one fact")
        query = read_query(question, self._snapshot.speakers)
        if self._scopes is None:
            return query, [], None, None, {"embed": 0.0, "retrieve": 0.0}
        started = time.perf_counter()
        vector = self._embedder().encode([query.text])[0]
        embed = _ms(started)
        started = time.perf_counter()
        routes = run_routes(query, vector, self._snapshot, self._scopes, lambda term: postings(self._connection, "span", term))
        fused = fuse(query, routes, self._snapshot, Weights())
        order = fused.order()
        if not routes.span_words.any():
            order = order[routes.span_vector[self._snapshot.claim_anchor[order]] >= SIMILARITY_FLOOR] if query.terms else order[:0]
        records = fetch_facts(self._connection, [int(i) for i in self._snapshot.claim_ids[order[:k]]])
        return query, records, fused, routes, {"embed": embed, "retrieve": _ms(started)}

    def _score(self, fused: Fused | None, record: ClaimRecord) -> float:
        assert fused is not None
        return float(fused.score[np.searchsorted(self._snapshot.claim_ids, record.id)])

    def _present(
        self,
        records: list[ClaimRecord],
        fused: Fused | None,
        routes: Routes | None,
        *,
        explain: bool,
        roles: list[Literal["direct", "support"]] | None = None,
    ) -> tuple[Fact, ...]:
        ranks = self._ranks(routes) if explain and routes is not None else {}
        return tuple(
            Fact(
                rank=number,
                claim_id=record.id,
                text=record.text,
                score=self._score(fused, record),
                subject=record.subject,
                kind=record.kind,
                time=record.time,
                evidence=record.evidence,
                role=roles[number - 1] if roles else None,
                supersedes=record.supersedes,
                conflicts_with=record.conflicts_with,
                explain=self._explain_fact(record, fused, routes, ranks) if explain and fused is not None and routes is not None else None,
            )
            for number, record in enumerate(records, 1)
        )

    def _ranks(self, routes: Routes) -> dict[str, dict[int, int]]:
        """Each route's hits as {atom index: rank from 1}; atoms that the route misses are not in it."""
        ranks = {}
        for name in Routes.__slots__:
            scores = getattr(routes, name)
            order = np.argsort(-scores, kind="stable")
            hits = order[scores[order] > 0]
            ranks[name] = {int(atom): rank for rank, atom in enumerate(hits, 1)}
        return ranks

    def _explain_fact(self, record: ClaimRecord, fused: Fused, routes: Routes, ranks: dict[str, dict[int, int]]) -> dict[str, Any]:
        snapshot = self._snapshot
        claim = int(np.searchsorted(snapshot.claim_ids, record.id))
        owners, spans = snapshot.claim_supports
        own_spans = [int(s) for s in spans[owners == claim]]
        message = int(snapshot.span_message[snapshot.claim_anchor[claim]])
        found = []
        for name in Routes.__slots__:
            scores = getattr(routes, name)
            atoms = own_spans if name in _SPAN_ROUTES else [message]
            atom = max(atoms, key=lambda a: scores[a])
            if atom in ranks[name]:
                kind, ids = ("span", snapshot.span_ids) if name in _SPAN_ROUTES else ("message", snapshot.message_ids)
                found.append(
                    {"name": name, "rank": ranks[name][atom], "score": round(float(scores[atom]), 4), "from": f"{kind}:{int(ids[atom])}"}
                )
        return {
            "routes": found,
            "projection": [f"span:{int(snapshot.span_ids[s])}" for s in own_spans],
            "edges": [],
            "stages": [{"stage": "fuse", "part": name, "score": round(float(values[claim]), 4)} for name, values in fused.parts.items()],
        }

    def _explained(self, query: Query, routes: Routes | None) -> dict[str, Any]:
        out: dict[str, Any] = {"query": query.to_dict(), "routes": {}}
        if routes is None:
            return out
        for name, hits in self._ranks(routes).items():
            kind, ids = ("span", self._snapshot.span_ids) if name in _SPAN_ROUTES else ("message", self._snapshot.message_ids)
            scores = getattr(routes, name)
            out["routes"][name] = [
                {"rank": rank, "from": f"{kind}:{int(ids[atom])}", "score": round(float(scores[atom]), 4)}
                for atom, rank in list(hits.items())[:EXPLAINED]
            ]
        return out


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000
