"""One claim in the words of several, without a model.

What all have in front is said once, each clause keeps its own names, numbers, dates and negations, and what tells least is left out
until the whole is short enough. Nothing moves from one clause to another, so no value ends beside what it was not said of.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from memcli.compress.candidates import Statement
from memcli.compress.clauses import Clause, Unit, content, folded, written
from memcli.language.lexicon import count_words

SHORTENED = "…"
"""Ends a claim whose text is shorter than what it rests on, as everywhere in a memory."""

_LEAST = 2
"""Telling words that every clause keeps."""


def rarities(statements: Iterable[Statement]) -> dict[str, float]:
    """By word, how rare it is among some claims: 1 in one claim only, 0 in all of them (inverse document frequency, scaled)."""
    counts: Counter[str] = Counter()
    total = 0
    for statement in statements:
        counts.update(set(folded(statement.text)))
        total += 1
    most = max(math.log(total), 1e-9) if total else 1.0
    return {word: math.log(total / count) / most for word, count in counts.items()}


def merged_text(clauses: Sequence[Clause], budget: int) -> str:
    """Join clauses, in their order, in about `budget` words; more where names, numbers, dates and negations need them."""
    lines: list[list[Unit]] = []
    leads: list[str] = []
    heads: list[int] = []
    kept: list[tuple[str, tuple[str, ...]]] = []
    turned: list[bool] = []
    for clause in clauses:
        key = (clause.lead, tuple(folded(clause.text)))
        if key in kept:
            continue
        kept.append(key)
        turned.append(clause.negated)
        # "Nils does not like tea; like coffee" would turn what the second says.
        alike = bool(lines) and leads[-1] == clause.lead and not (turned[heads[-1]] or turned[-1])
        shared = _shared(kept[heads[-1]][1], clause.units) if alike else 0
        leads.append(clause.lead)
        heads.append(heads[-1] if shared else len(kept) - 1)
        lines.append(list(clause.units[shared:]))
        if shared:  # what is said once for several stays
            first = lines[heads[-1]]
            first[:shared] = [_pin(unit) for unit in first[:shared]]
    shortened = _shorten(lines, budget - sum(count_words(lead) for place, lead in enumerate(leads) if _new_lead(leads, place)))
    parts = [(leads[i] if _new_lead(leads, i) else "") + written(line) for i, line in enumerate(lines)]
    text = "; ".join(part for part in parts if part.strip())
    return f"{text} {SHORTENED}" if shortened else f"{text}."


def is_faithful(text: str, clauses: Sequence[Clause]) -> bool:
    """Whether a merged claim says nothing but what its claims say, leaves out no value, and is no longer than they are together.

    Every word of it that carries content is one of theirs; every name, number, date and negation of theirs is in it.
    """
    known = frozenset().union(*(clause.known for clause in clauses))
    needed = frozenset().union(*(clause.pinned for clause in clauses))
    together = sum(c.characters for c in clauses) + len(clauses) - 1
    shorter = len(text) <= together and count_words(text) <= sum(c.words for c in clauses)
    return shorter and content(text) <= known and needed <= frozenset(folded(text))


def _shared(said: tuple[str, ...], units: Sequence[Unit]) -> int:
    """How many units in front a clause has in common with one before it, leaving it something of its own."""
    count = place = 0
    for unit in units[:-1]:
        words = tuple(folded(unit.text))
        if not words or words != said[place : place + len(words)] or unit.text[-1] in ".,;:!?。，；：！？":
            break
        place += len(words)
        count += 1
    return count if place < len(said) else 0


def _pin(unit: Unit) -> Unit:
    return Unit(unit.text, unit.space, unit.words, unit.weight, True)


def _new_lead(leads: Sequence[str], place: int) -> bool:
    return place == 0 or leads[place] != leads[place - 1]


def _shorten(lines: list[list[Unit]], budget: int) -> bool:
    """Leave out the units that tell least until at most `budget` words are left; returns whether any went."""
    excess = sum(unit.words for line in lines for unit in line) - budget
    if excess <= 0:
        return False
    order = sorted(
        ((unit.weight, -number, -place) for number, line in enumerate(lines) for place, unit in enumerate(line) if not unit.pinned),
    )
    left = [len(line) for line in lines]
    dropped: set[tuple[int, int]] = set()
    for _, number, place in order:
        if excess <= 0:
            break
        if left[-number] <= _LEAST:
            continue
        dropped.add((-number, -place))
        left[-number] -= 1
        excess -= lines[-number][-place].words
    for number, line in enumerate(lines):
        lines[number] = [unit for place, unit in enumerate(line) if (number, place) not in dropped]
    return bool(dropped)
