"""What was found for a question: facts with their scores, where they stand in what was searched, and what later stages did to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memcli.reach import View
from memcli.read.explain import Explanation
from memcli.read.filters import Selected
from memcli.read.query import Query
from memcli.store.facts import ClaimRecord

Role = Literal["direct", "support"]


@dataclass(frozen=True, slots=True)
class Handed:
    """What is handed over of the facts found: their indexes in order, and a role for each."""

    order: tuple[int, ...]
    roles: tuple[Role, ...]

    @classmethod
    def of(cls, order: Sequence[int], direct: Collection[int]) -> Handed:
        """Facts in an order, those of `direct` as such."""
        return cls(tuple(order), tuple("direct" if index in direct else "support" for index in order))


@dataclass(slots=True)
class Found:
    """The best facts for a question, best first, with their scores, and how they were found. What is added later stands behind them."""

    query: Query
    facts: list[ClaimRecord] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    view: View | None = None
    """What it was found in; None if there was nothing to search."""
    claims: list[int] = field(default_factory=list)
    """Each fact's index in the snapshot of the view that its explanation is about; -1 for one without explanation."""
    explanations: list[Explanation | None] = field(default_factory=list)
    """Of each fact; None for one that no route found."""
    stages: dict[tuple[int, tuple[int, ...]], list[dict[str, Any]]] = field(default_factory=dict)
    """What stages after fusion did, by the place of a fact."""
    positions: list[int] = field(default_factory=list)
    """The place of each fact's message among all messages; -1 where that was not needed."""
    explanation: Explanation | None = None
    every_score: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """(c,) of every place of the snapshot; -inf for those that were filtered out."""
    filtered: Selected | None = None
    timings: dict[str, float] = field(default_factory=lambda: {"embed": 0.0, "retrieve": 0.0})

    def note(self, index: int, stage: dict[str, Any]) -> None:
        """Remember what a stage did to the fact of this index."""
        self.stages.setdefault(self.facts[index].place, []).append(stage)

    def take(self, other: Found) -> list[int]:
        """Add what was found for another question and is not there yet.

        Returns:
            the indexes here of the other's facts, in its order. A fact that is added has the score that it has for this question, and the
            least one found if it was not within reach of it.
        """
        places = self._places()
        out = []
        for index, fact in enumerate(other.facts):
            if fact.place not in places:
                claim = self._claim(fact)
                explained = (self.explanation, claim) if claim is not None else (other.explanation, other.claims[index])
                places[fact.place] = self._append(fact, other.positions[index], *explained, self._score(claim))
            out.append(places[fact.place])
        return out

    def add(self, facts: list[ClaimRecord]) -> list[int]:
        """Add facts that stand near one found, as far as they are not there yet; the indexes of all of them, in their order."""
        places = self._places()
        out = []
        for fact in facts:
            if fact.place not in places:
                claim = self._claim(fact)
                explained = (self.explanation, claim) if claim is not None else (None, -1)
                places[fact.place] = self._append(fact, -1, *explained, self._score(claim))
            out.append(places[fact.place])
        return out

    def _places(self) -> dict[tuple[int, tuple[int, ...]], int]:
        """The index of each fact, by its place."""
        return {fact.place: index for index, fact in reversed(list(enumerate(self.facts)))}

    def _append(self, fact: ClaimRecord, position: int, explanation: Explanation | None, claim: int, score: float) -> int:
        self.facts.append(fact)
        self.positions.append(position)
        self.explanations.append(explanation)
        self.claims.append(claim)
        self.scores.append(score)
        return len(self.facts) - 1

    def _claim(self, fact: ClaimRecord) -> int | None:
        """The index of a claim, as it was told, in what was searched, of its best place; None if it was not within reach."""
        if self.view is None:
            return None
        places = np.flatnonzero(self.view.snapshot.claim_told == fact.names[0])
        return int(places[np.argmax(self.every_score[places])]) if len(places) else None

    def _score(self, claim: int | None) -> float:
        score = float(self.every_score[claim]) if claim is not None else -np.inf
        return score if np.isfinite(score) else min(self.scores, default=0.0)
