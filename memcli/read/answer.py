"""An answer out of facts, or the finding that there is none. Only claims and their cues are looked at; nothing is made up.

The answer is the value of the slot the question asks for where a fact has one (the date for "when"), else the words of the span that
answers best. Evidence is insufficient when nothing was found, when the person asked about has no fact among the best, or
when no fact holds enough of what the question names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memcli.atoms import TimeCue
from memcli.language.times import describe_cue, describe_interval
from memcli.read.query import Query
from memcli.store.facts import ClaimRecord
from memcli.store.search import search_terms

MIN_COVERAGE = 0.34
"""Share of the question's terms that the best facts together must hold."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """What `answer` makes of the facts; `roles` has one entry a fact."""

    text: str | None
    sufficient: bool
    confidence: float
    reason: str | None
    roles: tuple[str, ...]


def answer(query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float]) -> Drafted:
    """Answer a question from facts, best first.

    Args:
        query: the question as read.
        facts: the best claims with their closures.
        scores: their fused scores.
    """
    if not facts:
        return Drafted(None, False, 0.0, "nothing in the memory matches the question", ())
    about = _about(query, facts)
    coverage = _coverage(query, [facts[i] for i in about[:3]])
    roles = tuple("direct" if i in about[:1] else "support" for i in range(len(facts)))
    confidence = round(min(1.0, 0.2 + 0.6 * coverage + (0.2 if 0 in about else 0.0)), 3)
    if not about:
        reason = f"the best facts are not about {' or '.join(query.speakers)}" if query.speakers else "the best facts only ask"
        return Drafted(None, False, round(0.3 * confidence, 3), reason, roles)
    if coverage < MIN_COVERAGE:
        return Drafted(None, False, round(0.5 * confidence, 3), "no fact holds enough of what the question names", roles)
    return Drafted(_value(query, facts[about[0]]), True, confidence, None, roles)


def _about(query: Query, facts: Sequence[ClaimRecord]) -> list[int]:
    """Which facts may answer: those that tell (not ask), and are about the person named if the question names just one."""
    telling = [i for i, fact in enumerate(facts) if fact.modality != "asks"]
    if len(query.speakers) != 1:
        return telling
    name = query.speakers[0].strip().casefold()  # claims call a speaker known by role only "The user"
    return [i for i in telling if (facts[i].subject or "").casefold() in (name, f"the {name}")]


def _coverage(query: Query, facts: Sequence[ClaimRecord]) -> float:
    """The share of the question's terms found in the facts or the words behind them."""
    if not query.terms:
        return 1.0 if facts else 0.0
    found = {term for fact in facts for text in (fact.text, *(e.text for e in fact.evidence)) for term in search_terms(text)}
    return sum(term in found for term in query.terms) / len(query.terms)


def _value(query: Query, fact: ClaimRecord) -> str:
    if query.slot == "when":
        resolved = [cue for cue in fact.cues if cue[3] is not None]
        if resolved:
            expression, start, end, granularity, anchor = resolved[0]
            return describe_cue(TimeCue(expression, 0, start, end, granularity, anchor))
        if fact.evidence[0].timestamp:
            day = fact.evidence[0].timestamp[:10]
            return describe_interval(f"{day}T00:00:00", f"{day}T23:59:59", "day")
    return fact.evidence[0].text
