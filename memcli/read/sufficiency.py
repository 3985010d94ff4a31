"""Is the evidence enough? A probability, from what the best facts hold of the question and whom they are about.

A fact about one person never answers a question about another. So facts about the person asked are set against those about others: how
many of the best there are, how much of the question they hold, how well they were found. The rest is how much of the question, and of its
rarest words, the facts hold at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from memcli.language.lexicon import WORD
from memcli.read.answer_weights import ENOUGH, EVIDENCE, EVIDENCE_BIAS
from memcli.read.phrases import stem
from memcli.read.query import Query
from memcli.store.facts import ClaimRecord
from memcli.store.search import search_terms

CONSIDERED = 24
"""Facts looked at."""

_OWNER = re.compile(r"(?<!^)(?<![.?!] )\b([A-Z][\w-]+)['’]s?\s+(?=\w)")
_JUDGEMENT = re.compile(r"\b(?:would|might|likely|probably|could)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the evidence for a question; the fields are the features of the model."""

    about_ten: float
    """Share of the ten best telling facts that are about the person asked; 0.5 where the question names nobody or several."""
    about_three: float
    held: float
    """The largest share of the question's words, rare ones counting more, that one fact about the person asked holds."""
    held_ahead: float
    """That share less the one of the best fact about anybody else."""
    held_together: float
    """The share that the six best facts hold together."""
    rarest: float
    """Whether facts about the person asked hold the question's rarest word."""
    missing: float
    """The share of the question's words that no fact about the person asked holds."""
    ahead: float
    """The best score of facts about the person asked less the best of the others', in tens."""
    names_one: float
    asks_judgement: float
    asks_when: float
    own: float
    """Whether somebody who talks to an assistant asks about himself."""


def weigh(query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float]) -> Evidence:
    """The evidence in the facts, best first, with their fused scores."""
    facts = facts[:CONSIDERED]
    telling = [i for i, fact in enumerate(facts) if fact.modality != "asks"]
    about = about_asked(query, facts)
    one = len(query.speakers) == 1 or (not query.speakers and asks_of_self(query, facts))
    words = [stems_of(fact) for fact in facts]
    weights = {term: math.log(1 + len(facts) / (0.5 + sum(term in held for held in words))) for term in dict.fromkeys(query.terms)}
    total = sum(weights.values()) or 1.0

    def share(held: frozenset[str]) -> float:
        return sum(weight for term, weight in weights.items() if term in held) / total

    near = telling[:15]
    mine = [i for i in near if about[i] or not one]
    others = [i for i in near if one and not about[i]]
    held = max((share(words[i]) for i in mine), default=0.0)
    own_words = frozenset().union(*(words[i] for i in mine[:5]))
    all_own = frozenset().union(*(words[i] for i in telling if about[i]))
    last = min(scores[: len(facts)], default=0.0)
    best = [max((scores[i] for i in telling if about[i] is side), default=last) for side in (True, False)]
    return Evidence(
        about_ten=_mean([about[i] for i in telling[:10]]) if one else 0.5,
        about_three=_mean([about[i] for i in telling[:3]]) if one else 0.5,
        held=held,
        held_ahead=held - max((share(words[i]) for i in others), default=0.0) if one else 0.0,
        held_together=share(frozenset().union(*(words[i] for i in telling[:6]))),
        rarest=float(bool(weights) and max(weights, key=lambda t: weights[t]) in own_words),
        missing=sum(term not in all_own for term in weights) / max(1, len(weights)),
        ahead=(best[0] - best[1]) / 10 if one else 0.0,
        names_one=float(one),
        asks_judgement=float(_JUDGEMENT.search(query.question) is not None),
        asks_when=float(query.slot == "when"),
        own=float(one and not query.speakers),
    )


def probability(evidence: Evidence) -> float:
    """The probability that the facts hold what was asked: a logistic model of the evidence, see `answer_weights`."""
    return 1 / (1 + math.exp(-EVIDENCE_BIAS - sum(EVIDENCE[f.name] * getattr(evidence, f.name) for f in fields(evidence))))


def strangers(query: Query, facts: Sequence[ClaimRecord]) -> list[str]:
    """People or things whose own something the question asks for ("Wendelin's boat") and whom no fact found names or is about."""
    asked = [match[1] for match in _OWNER.finditer(query.question)]
    known = " ".join(text for f in facts for text in (f.text, f.subject or "", f.speaker, *(e.text for e in f.evidence))).casefold()
    return [name for name in asked if name.casefold() not in known]


def enough(facts: Sequence[ClaimRecord]) -> float:
    """The probability from which on an answer is given: more is asked of talk with an assistant than of talk among people."""
    assisted = sum(fact.speaker.casefold() in ("the user", "the assistant") for fact in facts)
    return ENOUGH["assistant" if 2 * assisted > len(facts) else "people"]


def rounded(evidence: Evidence) -> dict[str, float]:
    """The evidence by name, for `--explain`."""
    return {f.name: round(float(getattr(evidence, f.name)), 3) for f in fields(evidence)}


def about_asked(query: Query, facts: Sequence[ClaimRecord]) -> list[bool]:
    """For each fact, whether its subject is a person whom the question asks about; true for all if it asks about nobody.

    A fact about nobody in particular counts as its speaker's: "He's called Pim" tells of what is hers.
    """
    names = {form for s in query.speakers for form in (s.strip().casefold(), f"the {s.strip().casefold()}")}
    if not names and asks_of_self(query, facts):
        names = {"the user", "user"}
    return [not names or (fact.subject or fact.speaker).casefold() in names for fact in facts]


def asks_of_self(query: Query, facts: Sequence[ClaimRecord]) -> bool:
    """Whether the question is a user's about himself ("what did I say"), in a memory of talk with an assistant."""
    return query.own and any((fact.subject or "").casefold() == "the user" for fact in facts)


def stems_of(fact: ClaimRecord) -> frozenset[str]:
    """The words of a claim and its evidence, as the index knows them."""
    texts = (fact.text, *(e.text for e in fact.evidence))
    if all(text.isascii() for text in texts):
        return frozenset(stem(word) for text in texts for word in WORD.findall(text))
    return frozenset(term for text in texts for term in search_terms(text))


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
