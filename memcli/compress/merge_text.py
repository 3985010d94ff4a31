"""One claim in the words of several, without a model.

Each claim keeps whole phrases: its core, and what holds names, numbers, dates and negations; what tells least is left out until the whole
is short enough. What claims have in front in common is said once. Nothing moves from one clause to another, so no value ends beside
what it was not said of.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memcli.compress.candidates import Statement
from memcli.compress.clauses import Clause, Unit, content, folded, written
from memcli.compress.phrases import DETERMINERS, adverb_places
from memcli.language.lexicon import FUNCTION_EN, count_words

SHORTENED = "…"
"""Ends a claim whose text is shorter than what it rests on, as everywhere in a memory."""

_CORE = 3.0
"""How much more the core of a claim that would else not be told counts than another phrase of as many words."""

_BEGUN = 3
"""Words in front of what several clauses begin with that stay, whatever the budget: who, and what they do."""

_LEAST = 2
"""Words that every clause that is told keeps, whatever the budget."""

_MARKS = (".", ",", ";", ":", "!", "?", "。", "，", "；", "：", "！", "？")

_FULL_STOPS = (".", "!", "?")


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
    told: dict[tuple[str, tuple[str, ...]], Clause] = {}
    for clause in clauses:
        told.setdefault((clause.lead, tuple(kind for unit in clause.units for kind in unit.kinds)), clause)
    leads = dict.fromkeys(clause.lead for clause in told.values())
    budget -= sum(count_words(lead) for lead in leads)
    chosen = _choose(list(told.values()), budget)
    lines = _shared_once([_Line(clause.lead, kept, clause.negated) for clause, kept in zip(told.values(), chosen, strict=True) if kept])
    saved = sum(unit.words for kept in chosen for unit in kept) - sum(unit.words for line in lines for unit in line.units)
    shortened = _shorten([line.units for line in lines], budget - saved)
    shortened = shortened or any(len(kept) < len(clause.units) for clause, kept in zip(told.values(), chosen, strict=True))
    text = "; ".join(_sentences(lines))
    return f"{text} {SHORTENED}" if shortened else text if text.endswith(("?", "!")) else f"{text}."


def is_faithful(text: str, clauses: Sequence[Clause]) -> bool:
    """Whether a merged claim says nothing but what its claims say, leaves out no value, and is no longer than they are together.

    Every word of it that carries content is one of theirs; every name, number, date and negation of theirs is in it.
    """
    known = frozenset().union(*(clause.known for clause in clauses))
    needed = frozenset().union(*(clause.pinned for clause in clauses))
    together = sum(c.characters for c in clauses) + len(clauses) - 1
    shorter = len(text) <= together and count_words(text) <= sum(c.words for c in clauses)
    return shorter and content(text) <= known and needed <= frozenset(folded(text))


@dataclass(frozen=True, slots=True)
class _Line:
    """What is told of one claim."""

    lead: str
    units: list[Unit]
    negated: bool
    follows: bool = False
    """Whether it goes on from the sentence before it, with what both begin with said there."""


def _choose(clauses: Sequence[Clause], budget: int) -> list[list[Unit]]:
    """The units of each clause that are told: what must be, then whole phrases, the most telling first, while the budget lasts."""
    kept = [{number for number, phrase in enumerate(clause.phrases) if phrase.fixed} for clause in clauses]
    offers: list[tuple[float, int, int]] = []
    for i, clause in enumerate(clauses):
        _complete(clause, kept[i])
        for number in range(len(clause.phrases)):
            wanted = {number}
            _complete(clause, wanted)
            offers.append((-_worth(clause, wanted) * (1.0 if number else _CORE), i, number))
    offers.sort()
    missing = frozenset().union(*(phrase.pinned for clause in clauses for phrase in clause.phrases)) - _told(clauses, kept)
    while missing:
        _, i, number = max(offers, key=lambda offer: len(clauses[offer[1]].phrases[offer[2]].pinned & missing))
        kept[i].add(number)
        _complete(clauses[i], kept[i])
        missing -= _told(clauses, kept)
    left = budget - sum(_words(clause, numbers) for clause, numbers in zip(clauses, kept, strict=True))
    for _, i, number in offers:
        if number not in kept[i]:
            wanted = kept[i] | {number}
            _complete(clauses[i], wanted)
            cost = _words(clauses[i], wanted) - _words(clauses[i], kept[i])
            if cost <= left or not any(kept):
                kept[i] = wanted
                left -= cost
    return [_trimmed(clause, numbers, left) for clause, numbers in zip(clauses, kept, strict=True)]


def _told(clauses: Sequence[Clause], kept: Sequence[set[int]]) -> frozenset[str]:
    """The words of all phrases that are kept."""
    return frozenset().union(*(clause.phrases[n].kinds for clause, numbers in zip(clauses, kept, strict=True) for n in numbers))


def _complete(clause: Clause, numbers: set[int]) -> None:
    """Add the phrases without which those chosen cannot stand, or would say something else."""
    for number in sorted(numbers, reverse=True):
        needs = clause.phrases[number].needs
        while needs >= 0 and needs not in numbers:
            numbers.add(needs)
            needs = clause.phrases[needs].needs
    for number, phrase in enumerate(clause.phrases):
        if phrase.required and phrase.needs in numbers:
            numbers.add(number)


def _words(clause: Clause, numbers: set[int]) -> int:
    return sum(clause.phrases[number].words for number in numbers)


def _worth(clause: Clause, numbers: set[int]) -> float:
    """How much some phrases tell for each of their words; of what is very short, less."""
    return sum(clause.phrases[number].weight for number in numbers) / (_words(clause, numbers) + _LEAST)


def _trimmed(clause: Clause, numbers: set[int], left: int) -> list[Unit]:
    """The units of some phrases of a clause; without the adverbs that can go, if there are too many."""
    if not numbers:
        return []
    units: list[Unit] = []
    last = 0
    for number in sorted(numbers):
        phrase = clause.phrases[number]
        between = clause.units[last : phrase.start]
        if units and any(unit.text.endswith(_FULL_STOPS) for unit in between) and not units[-1].text.endswith(_MARKS):
            units[-1] = replace(units[-1], text=units[-1].text + ".")
        units += clause.units[phrase.start : phrase.end]
        last = phrase.end
    if left < 0:
        gone = {place for place in adverb_places(units) if not units[place].pinned}
        units = [unit for place, unit in enumerate(units) if place not in gone]
    if clause.units[-1].text.endswith("?") and not units[-1].text.endswith("?"):
        units[-1] = replace(units[-1], text=units[-1].text.rstrip(".,;:!") + "?")
    return units


def _shorten(lines: Sequence[list[Unit]], limit: int) -> bool:
    """Leave out the words that tell least, if there are more than `limit`: better short than smooth, where values need all the room.

    Returns:
        whether any went.
    """
    excess = sum(unit.words for line in lines for unit in line) - limit
    if excess <= 0:
        return False
    left = [len(line) for line in lines]
    gone: set[tuple[int, int]] = set()
    # The first word of a clause stays, and what a negation turns.
    order = sorted(
        (unit.weight, -number, -place)
        for number, line in enumerate(lines)
        for place, unit in enumerate(line)
        if place and not unit.pinned and not line[place - 1].negating
    )
    for _, number, place in order:
        if excess <= 0:
            break
        if left[-number] > _LEAST:
            gone.add((-number, -place))
            left[-number] -= 1
            excess -= lines[-number][-place].words
    for number, line in enumerate(lines):
        line[:] = [unit for place, unit in enumerate(line) if (number, place) not in gone]
    return bool(gone)


def _shared_once(lines: Sequence[_Line]) -> list[_Line]:
    """Take away from each line what it has in front in common with the sentence before it, which keeps that."""
    out: list[_Line] = []
    head: _Line | None = None
    for line in lines:
        # "Nils does not like tea and like coffee" would turn what the second says.
        alike = head is not None and head.lead == line.lead and not head.negated and not line.negated
        shared = _shared(head.units, line.units) if head is not None and alike and not line.units[-1].text.endswith("?") else 0
        if head is not None and shared:
            first = min(shared, _BEGUN)
            head.units[:first] = [replace(unit, pinned=True) for unit in head.units[:first]]
            out.append(replace(line, units=line.units[shared:], follows=True))
        else:
            head = line
            out.append(line)
    return out


def _sentences(lines: Sequence[_Line]) -> list[str]:
    """Clauses as text: who says them once, what goes on from another joined with it, the rest apart."""
    out: list[str] = []
    lead = None
    for line in lines:
        text = written(line.units)
        first = line.units[0].kinds
        if line.follows:
            out[-1] += f"{' and ' if _simple(out[-1]) and _simple(text) and text.isascii() else '; '}{text}"
            continue
        if line.lead != lead:
            text = line.lead + text
        elif out and first and FUNCTION_EN.issuperset(first) and not text.startswith("I"):
            text = text[:1].lower() + text[1:]
        if not out and not line.lead and text[:1].islower() and FUNCTION_EN.issuperset(first):
            text = text[:1].upper() + text[1:]
        lead = line.lead
        out.append(text)
    return out


def _simple(text: str) -> bool:
    """Whether a text can be joined with another by a word."""
    return " and " not in text and not any(mark in text.removesuffix(".") for mark in ";!?:")


def _shared(said: Sequence[Unit], units: Sequence[Unit]) -> int:
    """How many units in front a clause has in common with one before it, leaving it something of its own."""
    count = 0
    for one, other in zip(said[:-1], units[:-1], strict=False):
        if not other.kinds or one.kinds != other.kinds or one.text.endswith(_MARKS) or other.text.endswith(_MARKS):
            break
        count += 1
    # A determiner or a possessor stays with what follows it.
    while count and (DETERMINERS.issuperset(units[count - 1].kinds) or units[count - 1].text.endswith(("'s", "’s", "s'"))):
        count -= 1
    return count
