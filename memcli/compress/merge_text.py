"""One claim in the words of several, without a model.

Each claim keeps whole phrases: its core, and what holds numbers, dates and negations; the others go, the least telling first, until
the whole is short enough. Within a phrase nothing goes but, where values need all the room, adverbs and "the". Names whose phrases
went are told behind the sign of what was left out, at the end of their clause. What claims have in front in common is said once.
Nothing moves from one clause to another, so no value ends beside what it was not said of.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memcli.compress.candidates import Statement
from memcli.compress.clauses import Clause, Unit, Whole, content, folded, written
from memcli.compress.frames import framed
from memcli.compress.phrases import DETERMINERS, adverb_places
from memcli.language.lexicon import FUNCTION, FUNCTION_EN, count_words, word_set

SHORTENED = "…"
"""Ends a claim whose text is shorter than what it rests on, as everywhere in a memory."""

_CORE = 3.0
"""How much more the core of a claim that would else not be told counts than another phrase of as many words."""

_MARKS = (".", ",", ";", ":", "!", "?", "。", "，", "；", "：", "！", "？")

_FULL_STOPS = (".", "!", "?")

_SIGNS = str.maketrans("", "", '"“”()[]*')
"""What has no place around a name that stands by itself."""

_CLOSED = ("?", "!", "？", "！")

_ASKING = word_set(
    "can could would will should do does did is are am was were have has how what why which who whose whom where when"
    " kann kannst können was wie warum wer wo wann puedes puede qué cómo cuándo dónde quién peux pouvez comment pourquoi quand où qui"
)
"""Words that a question begins with."""

_AROUND = 2
"""Words around a name for which it is told in its phrase, whatever the budget, rather than by itself."""

_ARTICLES = frozenset(("the", "an"))
"""What goes besides adverbs from what must be told, if that is longer than the budget: nothing that could turn what is said. ("a" may be
the side of a triangle, and other languages' articles are pronouns as well.)"""

_COMPARED = 16
"""Phrases with the same word that another is compared with at most."""

_WITHIN_NAMES = word_set("of the de del la der von van du des")
"""Words that stand between those of one name."""


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
    distinct = framed(list(told.values()))
    leads = dict.fromkeys(clause.lead for clause in distinct)
    budget -= sum(count_words(lead) for lead in leads)
    chosen, shortened = _choose(distinct, budget)
    lines = [_Line(clause.lead, kept, clause.negated) for clause, kept in zip(distinct, chosen, strict=True) if kept]
    lines.sort(key=lambda line: line.units[0].text.startswith(SHORTENED))  # of which there are names only
    text = "; ".join(_sentences(_shared_once(lines)))
    return f"{text} {SHORTENED}" if shortened else text if text.endswith(_CLOSED) else f"{text}."


def is_faithful(text: str, clauses: Sequence[Clause]) -> bool:
    """Whether a merged claim says something, nothing but what its claims say, leaves out no value, and is no longer than they are together.

    Every word of it that carries content is one of theirs; every name, number, date and negation of their prose is in it. Those within
    code, tables and logs need not be: a block is told by an outline, and stays as it is where the evidence is.
    """
    known = frozenset().union(*(clause.known for clause in clauses))
    needed = frozenset().union(*(clause.pinned for clause in clauses))
    together = sum(c.characters for c in clauses) + len(clauses) - 1
    shorter = len(text) <= together and count_words(text) <= sum(c.most_words for c in clauses)
    paired = _pairs(text) or not all(_pairs(clause.text) for clause in clauses)
    return any(map(str.isalnum, text)) and shorter and paired and content(text) <= known and needed <= frozenset(folded(text))


def _pairs(text: str) -> bool:
    """Whether brackets and code marks come in pairs."""
    return text.count("(") == text.count(")") and text.count("`") % 2 == 0


@dataclass(frozen=True, slots=True)
class _Line:
    """What is told of one claim."""

    lead: str
    units: list[Unit]
    negated: bool
    follows: bool = False
    """Whether it goes on from the sentence before it, with what both begin with said there."""


def _choose(clauses: Sequence[Clause], budget: int) -> tuple[list[list[Unit]], bool]:
    """What is told: what must be, then whole phrases, the most telling first, while the budget lasts, which names left out count towards.

    Returns:
        the units of each clause, with the names in what is left out behind its sign at the end; and whether anything is left out.
    """
    kept: list[set[int]] = []
    said = _Said()
    for clause in clauses:
        kept.append({one for number, phrase in enumerate(clause.phrases) if phrase.fixed for one in said.new(clause.wholes[number])})
        said.add(clause.wholes[number] for number in kept[-1])
    told = {word for clause, numbers in zip(clauses, kept, strict=True) for number in numbers for word in clause.phrases[number].kinds}
    missing = {word for clause in clauses for phrase in clause.phrases for word in phrase.pinned} - told
    left = budget - len(missing) - sum(clause.phrases[n].words for clause, numbers in zip(clauses, kept, strict=True) for n in numbers)
    offers = sorted(
        (-whole.worth * (1.0 if number else _CORE), i, number)
        for i, clause in enumerate(clauses)
        for number, whole in enumerate(clause.wholes)
    )
    for _, i, number in offers:
        whole = clauses[i].wholes[number]
        if number in kept[i] or not said.new(whole):
            continue
        added = [clauses[i].phrases[one] for one in whole.phrases - kept[i]]
        named = {word for phrase in added for word in phrase.kinds if word in missing}
        cost = sum(phrase.words for phrase in added) - len(named)
        if cost <= max(left, _AROUND if named else 0) or not any(kept):
            kept[i] |= whole.phrases
            said.add([whole])
            missing -= named
            left -= cost
    units = [_trimmed(clause, numbers, left) for clause, numbers in zip(clauses, kept, strict=True)]
    shortened = any(
        clause.cut or len(numbers) < len(clause.phrases) or len(some) < len(clause.units)
        for clause, numbers, some in zip(clauses, kept, units, strict=True)
    )
    missing -= {word for clause, numbers in zip(clauses, kept, strict=True) if numbers for word in folded(clause.lead)}
    for clause, some in zip(clauses, units, strict=True):
        if missing and (names := ", ".join(_names(clause, missing))):
            if some:
                some[-1] = replace(some[-1], text=some[-1].text.rstrip(".,;:") or some[-1].text, space=" ")
            some.append(Unit(f"{SHORTENED} {names}", "", (), 0, 0.0, False, False, False, "name"))
    return units, shortened


class _Said:
    """The phrases that are told already, to know what would be said again."""

    def __init__(self) -> None:
        self._with: dict[str, list[frozenset[str]]] = {}

    def add(self, wholes: Iterable[Whole]) -> None:
        for whole in wholes:
            for word in whole.telling:
                row = self._with.setdefault(word, [])
                if len(row) < _COMPARED:
                    row.append(whole.telling)

    def new(self, whole: Whole) -> frozenset[int]:
        """The phrases of a whole; none if all that it says is in one that is told."""
        rows = (self._with.get(word, ()) for word in whole.telling)
        fewest = min(rows, key=len, default=())
        return frozenset() if any(whole.telling <= one for one in fewest) else whole.phrases


def _names(clause: Clause, missing: set[str]) -> Iterator[str]:
    """The names in a clause that hold some words, which are taken away from these; such as stand beside one another are one."""
    name: list[Unit] = []
    between: list[Unit] = []
    for unit in [*clause.units, None]:
        if unit is not None and unit.pinned and not missing.isdisjoint(unit.kinds):
            name += [*between, unit]
            between = []
            if not unit.text.endswith(_MARKS):
                continue
        elif unit is not None and name and not _WITHIN_NAMES.isdisjoint(unit.kinds) and unit.text.isalpha():
            between.append(unit)
            continue
        if name:
            missing.difference_update(*(one.kinds for one in name))
            yield written(name).translate(_SIGNS).strip("'").removesuffix("'s").removesuffix("’s")
        name, between = [], []


def _trimmed(clause: Clause, numbers: set[int], left: int) -> list[Unit]:
    """The units of some phrases of a clause; without the adverbs that can go, if there are too many."""
    if not numbers:
        return []
    units: list[Unit] = []
    last = 0
    for number in [*sorted(numbers), None]:
        start = clause.phrases[number].start if number is not None else len(clause.units)
        ended = _end_of(clause.units[last:start])
        if units and ended is None and number is not None and clause.units[last:start] and clause.units[start - 1].text.endswith(","):
            units[-1] = replace(units[-1], text=units[-1].text.rstrip(",") + ",")
        if units and ended is not None and units[-1].part == "prose" and not units[-1].text.endswith(_FULL_STOPS):
            units[-1] = replace(units[-1], text=units[-1].text.rstrip(",;:") + ended)
        if number is not None:
            units += clause.units[start : clause.phrases[number].end]
            last = clause.phrases[number].end
    if left < 0:
        gone = {place for place in adverb_places(units) if not units[place].pinned}
        articles = {place for place, unit in enumerate(units[:-1]) if place and unit.text in _ARTICLES and unit.part == "prose"}
        units = [unit for place, unit in enumerate(units) if place not in gone | articles]
    return _bracketed(units) if clause.cut else units


def _end_of(gone: Sequence[Unit]) -> str | None:
    """The mark at the end of a sentence whose last units are gone; a question that is gone itself has left none behind."""
    ended = next((place for place, unit in enumerate(gone) if unit.text.endswith(_FULL_STOPS)), None)
    if ended is None:
        return None
    asked = any(not _ASKING.isdisjoint(unit.kinds[:1]) for unit in gone[: ended + 1])
    return "." if asked else gone[ended].text[-1]


def _bracketed(units: Sequence[Unit]) -> list[Unit]:
    """Units with each outline as one, in brackets: `(python: class Boat, row(crew))`."""
    out: list[Unit] = []
    block: list[Unit] = []
    for unit in [*units, None]:
        if block and (unit is None or unit.part != "name"):
            label = block.pop(0).text if block[0].part == "label" else ""
            inside = ": ".join(filter(None, [label, ", ".join(one.text for one in block)]))
            if out:
                out[-1] = replace(out[-1], text=out[-1].text.rstrip(".,;:") or out[-1].text, space=" ")
            out.append(
                Unit(
                    f"({inside})" if unit is None or unit.part == "label" else f"({inside}).", " ", (), 0, 0.0, False, False, False, "name"
                )
            )
            block = []
        if unit is not None and unit.part == "prose":
            out.append(unit)
        elif unit is not None:
            block.append(unit)
    return out


def _shared_once(lines: Sequence[_Line]) -> list[_Line]:
    """Take away from each line what it has in front in common with the sentence before it, which keeps that."""
    out: list[_Line] = []
    head: _Line | None = None
    for line in lines:
        # "Nils does not like tea and like coffee" would turn what the second says.
        alike = head is not None and head.lead == line.lead and not head.negated and not line.negated
        shared = _shared(head.units, line.units) if head is not None and alike and not line.units[-1].text.endswith("?") else 0
        if head is not None and shared:
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
        if line.units[0].text.startswith(SHORTENED):
            out.append(f"{SHORTENED} {text}")
            continue
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
    return " and " not in text and not any(mark in text.removesuffix(".") for mark in ";!?:…")


def _shared(said: Sequence[Unit], units: Sequence[Unit]) -> int:
    """How many units in front a clause has in common with one before it, leaving it something of its own."""
    count = 0
    for one, other in zip(said[:-1], units[:-1], strict=False):
        if (
            not other.kinds
            or other.title
            or other.part != "prose"
            or one.kinds != other.kinds
            or one.text.endswith(_MARKS)
            or other.text.endswith(_MARKS)
        ):
            break
        count += 1
    if FUNCTION.issuperset(kind for unit in units[:count] for kind in unit.kinds):
        return 0
    # A determiner or a possessor stays with what follows it.
    while count and (DETERMINERS.issuperset(units[count - 1].kinds) or units[count - 1].text.endswith(("'s", "’s", "s'"))):
        count -= 1
    return count
