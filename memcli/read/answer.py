"""An answer out of facts, or the finding that there is none. Only claims, their cues and the words behind them are looked at.

The answer is the value of the slot that the question asks for: a date is computed from a time cue, a length of time or a number is
read, yes or no is whether the best fact says so; for anything else it is the phrase of the evidence that answers best (`phrases`,
`choose`). Whether the evidence is enough is decided first (`sufficiency`): a fact about one person never answers a question about
another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memcli.language.lexicon import is_english, language_of
from memcli.read import slots
from memcli.read.choose import choose
from memcli.read.phrases import phrase_features, wants_several
from memcli.read.query import Query
from memcli.read.sufficiency import Evidence, about_asked, enough, probability, rounded, strangers, weigh
from memcli.store.facts import ClaimRecord

POOL = 24
"""Facts looked at; more than are shown, since the fact that answers need not be the one that resembles the question most."""

_REQUEST = re.compile(r"^\W*(?:can|could|would|will) you\b", re.IGNORECASE)
_NAME = re.compile(r"\b(?:what|which)\b.*\b(?:names?|named|called|titles?|titled)\b", re.IGNORECASE)
_CHOICE = re.compile(r"\bor\b(?!\s+not\b)|\boder\b|\bou\b|还是", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Drafted:
    """What `answer` makes of the facts; `roles` has one entry a fact."""

    text: str | None
    sufficient: bool
    confidence: float
    reason: str | None
    roles: tuple[str, ...]
    evidence: dict[str, float] = field(default_factory=dict)
    """What the judgement was made from: `sufficiency.Evidence`, by name."""


def answer(query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float], positions: Sequence[int] = ()) -> Drafted:
    """Answer a question from facts, best first.

    Args:
        query: the question as read.
        facts: the best claims with their closures; about `POOL` of them are best, whatever number is shown.
        scores: their fused scores.
        positions: the place of each fact's message among all messages, if known: it tells which claim replies to which question.
    """
    if not facts:
        return Drafted(None, False, 0.0, "nothing in the memory matches the question", ())
    evidence = weigh(query, facts, scores)
    confidence = round(probability(evidence), 3)
    about = about_asked(query, facts)
    allowed = [i for i, fact in enumerate(facts[:POOL]) if fact.modality != "asks" and about[i]]
    if unknown := strangers(query, facts):
        roles = ("support",) * len(facts)
        return Drafted(None, False, min(confidence, 0.05), f"no fact found tells of {unknown[0]}", roles, rounded(evidence))
    if not allowed or confidence < enough(facts):
        roles = ("support",) * len(facts)
        confidence = confidence if allowed else min(confidence, 0.05)
        return Drafted(None, False, confidence, _reason(query, evidence, allowed), roles, rounded(evidence))
    text, direct = _value(query, facts[:POOL], scores[:POOL], positions[:POOL], allowed)
    roles = tuple("direct" if i in direct else "support" for i in range(len(facts)))
    return Drafted(text, True, confidence, None, roles, rounded(evidence))


def answers_yes_or_no(query: Query) -> bool:
    """Whether yes or no would answer, rather than help, or the one of two things."""
    return query.slot == "yes_no" and not _REQUEST.search(query.question) and not _CHOICE.search(query.question)


def _reason(query: Query, evidence: Evidence, allowed: Sequence[int]) -> str:
    named = " or ".join(query.speakers)
    if not allowed:
        return f"the best facts are not about {named}" if named else "the best facts only ask"
    if query.speakers and evidence.held_ahead < 0:
        return f"what matches best is not about {named}"
    if evidence.missing > 0:
        return "no fact holds enough of what the question names"
    return "the facts found are too weak to answer from"


def _value(
    query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float], positions: Sequence[int], allowed: Sequence[int]
) -> tuple[str, set[int]]:
    """The answer and the indexes of the facts it was taken from."""
    found: tuple[str, int] | None = None
    if query.slot == "when" and not slots.asks_clock(query):
        found = slots.recurring(query, facts, allowed) or slots.when(query, facts, scores, allowed)
    elif query.slot == "how_long":
        found = slots.how_long(facts, allowed)
    elif query.slot == "how_many":
        found = slots.how_many(query, facts, allowed)
    elif answers_yes_or_no(query):
        found = slots.yes_no(query, facts[allowed[0]], language_of(query.question) or "en"), allowed[0]
    if found is not None:
        return found[0], {found[1]}
    if is_english(query.question):
        phrases = phrase_features(query, facts, scores, positions).of(allowed)
        rows = choose(phrases, several=wants_several(query), name=_NAME.search(query.question) is not None)
        if rows:
            return ", ".join(phrases.text(row) for row in rows), {phrases.segments[int(phrases.segment[row])].claim for row in rows}
    return facts[allowed[0]].evidence[0].text, {allowed[0]}
