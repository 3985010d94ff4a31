"""Clauses that say the same of several things: the first is told whole, and of the others only what differs.

Nils planted 8 medlar trees behind the mill in Faro, 38 rye trees in Ghent, and 2 quince trees in Kiel, each said by itself:
Nils planted 8 medlar trees behind the mill in Faro (38 rye, Ghent; 2 quince, Kiel)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memcli.compress.clauses import SHORT, Clause, Unit, Whole
from memcli.compress.phrases import Phrase

_SAME = 0.5
"""Share of the units of a clause that has to be that of the clause before it, from which on only the others are told (ours)."""

_FEWEST = 2
"""Other clauses that make a list: one alone goes on from the first in words."""

_COMPARED = 8
"""Clauses that another is compared with at most."""

_MARKS = ".,;:!?。，；：！？"


def framed(clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses, in order, with those that say the same of other values told in brackets behind the first that does."""
    heads: list[Clause] = []
    told: list[list[tuple[Clause, list[int]]]] = []
    for clause in clauses:
        for number, head in enumerate(heads[-_COMPARED:], max(0, len(heads) - _COMPARED)):
            apart = _apart(head.units, clause.units) if head.lead == clause.lead else []
            if apart:
                told[number].append((clause, apart))
                break
        else:
            heads.append(clause)
            told.append([])
    out: list[Clause] = []
    for head, others in zip(heads, told, strict=True):
        if len(others) < _FEWEST:
            out += [head, *(clause for clause, _ in others)]
        else:
            out.append(_whole(head, [_slots(clause.units, apart) for clause, apart in others]))
    return out


def _apart(head: Sequence[Unit], units: Sequence[Unit]) -> list[int]:
    """The places in which a clause differs from another; none if it says something else, or a list would leave open what a value is of."""
    if len(head) != len(units) or any(unit.part != "prose" or unit.title for unit in units):
        return []
    apart = [place for place, (one, other) in enumerate(zip(head, units, strict=True)) if _key(one) != _key(other)]
    same = 1 - len(apart) / len(units)
    if not apart or same < _SAME or any(units[place].negating or head[place].negating for place in apart):
        return []
    # Of two numbers, or of two names of which only one differs, nobody could tell which one stands in the list.
    if len(_runs([unit.fixed for unit in head])) > 1 or any(
        run.isdisjoint(apart) for run in _runs([unit.pinned for unit in head]) if 0 not in run
    ):
        return []
    return apart if any(units[place].pinned for place in apart) else []


def _runs(flags: Sequence[bool]) -> list[set[int]]:
    """The places of raised flags, those side by side together."""
    out: list[set[int]] = []
    for place, flag in enumerate(flags):
        if flag and out and place - 1 in out[-1]:
            out[-1].add(place)
        elif flag:
            out.append({place})
    return out


def _slots(units: Sequence[Unit], apart: Sequence[int]) -> list[Unit]:
    """The units of a clause in these places, each with a comma if the next is not beside it."""
    out = []
    for place, following in zip(apart, [*apart[1:], -1], strict=True):
        text = units[place].text.strip(_MARKS) or units[place].text
        beside = following == place + 1 and text == units[place].text
        out.append(replace(units[place], text=text if beside or following < 0 else f"{text},", space=" ", part="name"))
    return out


def _key(unit: Unit) -> tuple[str, ...] | str:
    return unit.text.strip(_MARKS) if unit.fixed or not unit.kinds else unit.kinds


def _whole(head: Clause, others: Sequence[Sequence[Unit]]) -> Clause:
    """A clause with what differs in others in brackets at its end, as one phrase."""
    last = head.units[-1]
    text = last.text.rstrip(_MARKS) or last.text
    units = [*head.units[:-1], replace(last, text=text, space=" ")]
    for number, slots in enumerate(others):
        first, *rest = slots
        inner = [replace(first, text=f"({first.text}" if number == 0 else first.text), *rest]
        end = f"){last.text[len(text) :]}" if number == len(others) - 1 else ";"
        units += [*inner[:-1], replace(inner[-1], text=f"{inner[-1].text}{end}", space=" ")]
    kinds = frozenset(kind for unit in units for kind in unit.kinds)
    pinned = frozenset(kind for unit in units if unit.pinned for kind in unit.kinds)
    words, weight = sum(unit.words for unit in units), sum(unit.weight for unit in units)
    phrase = Phrase(0, len(units), -1, False, True, words, weight, kinds, pinned)
    return replace(head, units=tuple(units), phrases=(phrase,), wholes=(Whole(frozenset((0,)), weight / (words + SHORT), kinds),))
