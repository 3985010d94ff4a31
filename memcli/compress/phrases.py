"""A clause cut into phrases that can be left out without breaking the sentence: its core, further segments, and what only qualifies them.

    Ilse went  |  to the rowing club  |  in Faro,  |  and felt at home
    core              qualifies the core                  a segment

There is no parser here: phrases begin at prepositions, conjunctions and punctuation, and a core goes on until it has a verb. What depends
on a negation or a condition is never left out of what it turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memcli.language.lexicon import word_set

_JOINING = word_set(
    "and but or nor because since when whenever while although though whereas which who whom where as if unless until than plus"
    " und oder aber weil wenn dass denn sondern y pero porque cuando si mientras et mais ou parce quand lorsque"
)
"""Words that begin a segment."""

_CONDITION = word_set("if unless until than wenn falls sofern si")
"""Words that begin a segment without which the one before it would say more than was said."""

_OPENING = word_set("if unless when whenever while because since although though as after before by wenn weil als cuando si quand lorsque")
"""Words that, at the beginning, put another segment before the main one."""

_QUALIFYING = word_set(
    "in on at for with from about during by into over after before through around near behind under between among without across"
    " along against toward towards within beyond including"
    " con para por desde sobre hasta entre sin avec pour dans chez depuis vers"
)
"""Words that begin what qualifies something before it."""

_ADVERBS = word_set("really very so totally just actually definitely absolutely pretty quite also truly simply too")
"""Words that can go by themselves."""

_RELATIVE = word_set("which who whom whose where")
"""Words that begin a segment about what is told just before it."""

_BEFORE_JOINING = (("even",), ("especially",), ("just",), ("only",))
"""Words that go with what joins a segment: "even when it rains"."""

_COORDINATING = (("and",), ("but",), ("or",), ("und",), ("aber",), ("y",), ("pero",), ("et",), ("mais",))

_LEADING_ON = word_set(
    "allow allows lead leads led result results depend depends focus focuses rely relies refer refers belong belongs respond responds wait"
    " waits deal deals care cares consist consists listen listens apply applies contribute contributes looks goes comes works lives asks"
)
"""Verbs that a preposition follows, and that say nothing without."""

_KNOWING = word_set("determine see check know wonder ask sure understand tell verify decide find")

_SPANS = word_set("week weekend month year day days weeks months years morning evening night hours minutes")

_LEADING = 3
"""Words that stand before a condition at most, up to a comma."""

_BOUND = word_set("that much many far long")
"""Words before which an adverb stays."""

_VERBS = word_set(
    "is are was were be been am has have had does did do can could will would shall should may might must 's 're 've 'll"
    " went got get gets took made had came saw bought told said gave found felt left thought kept ran met began wrote read lost won sold"
    " built spent taught brought heard held knew led let put sent set shook sang sat slept spoke stood swam threw understood wore chose"
    " drove drew ate fell flew forgot grew hid hurt paid rode rose met want wants like likes love loves need needs think feel know hope"
    " enjoy use plan try see look help keep make take go come give find tell show ask wish"
)
"""Words that are verbs more often than not; others are known by their endings."""

_STOPS = (",", ";", ":", ".", "!", "?", "，", "。", "；", "！", "？", "、")
_FULL_STOPS = (".", "!", "?", "。", "！", "？")
_DASHES = ("-", "–", "—")
_QUOTES = re.compile(r"[\"“”`]|\*\*")

MOST_UNITS = 1_000
"""Units of what is cut into phrases: a claim has some 120 at most, unless somebody has written a longer one by hand (ours)."""

DETERMINERS = word_set("a an the my your his her its our their this that these those no der die das ein eine el la un una le les une")

_SUBJECTS = word_set("i you he she it we they this that these those who there")
_ONLY_SUBJECTS = word_set("i he she we they who there")
"""Those that are never an object, behind which a verb comes."""


class Worded(Protocol):
    """What a phrase is made of; see `memcli.compress.clauses.Unit`."""

    @property
    def text(self) -> str:
        """As it stands."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Its words, folded."""

    @property
    def negating(self) -> bool:
        """Whether it turns what the sentence says."""

    @property
    def words(self) -> int:
        """How many words it is."""

    @property
    def weight(self) -> float:
        """How much it tells."""

    @property
    def pinned(self) -> bool:
        """Whether it has to be told."""

    @property
    def fixed(self) -> bool:
        """Whether it has to be told where it stands."""

    @property
    def part(self) -> str:
        """`label` of the label of an outline."""

    @property
    def title(self) -> bool:
        """Whether it is of a title that stands before what it is the title of."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Units `start` to `end` of a clause. `needs` is the phrase, by index, without which it cannot stand; -1 of the core of a sentence."""

    start: int
    end: int
    needs: int
    required: bool
    """Whether whoever keeps what it needs has to keep it."""
    fixed: bool
    """Whether it has to be kept."""
    words: int
    weight: float
    """How much its words tell together."""
    kinds: frozenset[str]
    """Its words, folded."""
    pinned: frozenset[str]
    """Those that have to be told."""


def cut_phrases(units: Sequence[Worded], place: int = 0, number: int = 0) -> tuple[Phrase, ...]:
    """The phrases of prose, in order; the first is its core. Each further sentence has a core of its own.

    What is longer than `MOST_UNITS` is one phrase.

    Args:
        units: the prose.
        place: how many units of the claim stand before it.
        number: how many phrases.
    """
    if len(units) > MOST_UNITS:
        return (_phrase(units, place, 0, len(units), -1, required=False),)
    phrases: list[Phrase] = []
    ends = [i + 1 for i, unit in enumerate(units[:-1]) if unit.text.endswith(_FULL_STOPS)]
    for start, end in zip([0, *ends], [*ends, len(units)], strict=True):
        if start < end:
            phrases += _cut_sentence(units[start:end], place + start, number + len(phrases))
    return tuple(phrases)


def outline_phrases(units: Sequence[Worded], place: int, before: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """The phrases of an outline: each name is one, and needs the label, which needs the core of the sentence before it.

    Args:
        units: the outline.
        place: how many units of the claim stand before it.
        before: the phrases that stand before it.
    """
    needs = next((number for number in range(len(before) - 1, -1, -1) if before[number].needs < 0), -1)
    phrases: list[Phrase] = []
    for start in range(len(units)):
        phrases.append(_phrase(units, place, start, start + 1, needs, required=False))
        if needs < 0 or units[start].part == "label":
            needs = len(before) + start
    return tuple(phrases)


def wholes(phrases: Sequence[Phrase]) -> list[frozenset[int]]:
    """Of each phrase, by index, what has to be told if it is: what it needs, and what would else be said without its condition."""
    bound: dict[int, list[int]] = {}
    for number, phrase in enumerate(phrases):
        if phrase.required:
            bound.setdefault(phrase.needs, []).append(number)
    out = []
    for number in range(len(phrases)):
        found: set[int] = set()
        row = [number]
        while row:
            one = row.pop()
            if one >= 0 and one not in found:
                found.add(one)
                row += [phrases[one].needs, *bound.get(one, ())]
        out.append(frozenset(found))
    return out


def _cut_sentence(units: Sequence[Worded], place: int, number: int) -> list[Phrase]:
    """The phrases of a sentence that begins with unit `place`, the first of them with the index `number`."""
    title = next((i for i, unit in enumerate(units) if not unit.title), len(units))
    levels = [0] * title + _levels(units[title:])
    core = title + _core_end(units[title:], levels[title:])
    starts = [0, *(i for i in range(core, len(units)) if levels[i])]
    phrases: list[Phrase] = []
    head, binding = number, any(unit.negating for unit in units[:core])
    for start, end in zip(starts, [*starts[1:], len(units)], strict=True):
        here = number + len(phrases)
        turned = any(unit.negating for unit in units[start:end])
        if not start:
            phrases.append(_phrase(units, place, 0, end, -1, required=False))
        elif levels[start] == 2:
            condition = not _CONDITION.isdisjoint(units[start].kinds[:1])
            another = units[start].kinds[:1] in _COORDINATING and start + 1 < end and not _CONDITION.isdisjoint(units[start + 1].kinds[:1])
            alone = (condition and units[start].kinds[:1] != ("than",)) or (
                _RELATIVE.isdisjoint(units[start].kinds[:1]) and _is_clause(units[start:end])
            )
            phrases.append(_phrase(units, place, start, end, number if alone else here - 1, required=condition))
            head, binding = here, turned or condition or another
        else:
            near = units[start].kinds[:1] == ("by",)  # "surrounded by music"
            phrases.append(_phrase(units, place, start, end, here - 1 if near else head, required=binding))
            binding |= turned
    return phrases


def _phrase(units: Sequence[Worded], place: int, start: int, end: int, needs: int, *, required: bool) -> Phrase:
    fixed, words, weight = False, 0, 0.0
    kinds: list[str] = []
    pinned: list[str] = []
    for unit in units[start:end]:
        fixed = fixed or unit.fixed
        words += unit.words
        weight += unit.weight
        kinds += unit.kinds
        if unit.pinned:
            pinned += unit.kinds
    return Phrase(place + start, place + end, needs, required, fixed, words, weight, frozenset(kinds), frozenset(pinned))


def _is_clause(units: Sequence[Worded]) -> bool:
    """Whether a segment has a verb of its own, rather than going on with a list."""
    own = units[1:] if not _JOINING.isdisjoint(units[0].kinds[:1]) or units[0].text in _DASHES else units
    first = own[0].kinds[:1] if own else ()
    return bool(first) and (first[0] in _VERBS or first[0].endswith("ed") or _has_verb(own) or not _SUBJECTS.isdisjoint(first))


def adverb_places(units: Sequence[Worded]) -> list[int]:
    """The places of words that can go by themselves: neither the first nor the last, and before no `that`."""
    return [
        i
        for i in range(1, len(units) - 1)
        if units[i].kinds and units[i].kinds[0] in _ADVERBS and units[i].text.isalpha() and _BOUND.isdisjoint(units[i + 1].kinds)
    ]


def _levels(units: Sequence[Worded]) -> list[int]:
    """Of each unit: 2 if a segment begins with it, 1 if something that qualifies does, else 0; nothing begins within brackets or quotes."""
    levels = [0] * len(units)
    depth, quoted, after_stop = 0, False, False
    for i, unit in enumerate(units):
        opens = depth == 0 and not quoted
        if i and opens:
            asked = unit.kinds[:1] == ("if",) and not _KNOWING.isdisjoint(units[i - 1].kinds)  # "to see if it fits"
            joins = "so" in unit.kinds and i + 1 < len(units) and not _SUBJECTS.isdisjoint(units[i + 1].kinds)
            paired = i > 1 and unit.text in ("and", "or") and not DETERMINERS.isdisjoint(units[i - 2].kinds)  # "a small and old boat"
            if asked or (levels[i - 1] == 2 and units[i - 1].kinds[:1] in _COORDINATING):  # "but if"
                pass
            elif after_stop or joins or (_JOINING.intersection(unit.kinds[:1]) and not paired):
                levels[i] = 2
                if i > 1 and units[i - 1].kinds in _BEFORE_JOINING:
                    levels[i - 1], levels[i] = 2, 0
            elif unit.text.startswith("(") or (_QUALIFYING.intersection(unit.kinds[:1]) and not _is_bound(units[max(0, i - 2) : i], unit)):
                levels[i] = 1
        if unit.text.isalpha():
            after_stop = False
            continue
        depth = max(0, depth + unit.text.count("(") + unit.text.count("[") - unit.text.count(")") - unit.text.count("]"))
        if len(_QUOTES.findall(unit.text)) % 2:
            quoted = not quoted
        after_stop = unit.text.endswith(_STOPS)
        if i and opens and unit.text in _DASHES:  # which belongs to what follows it
            levels[i] = 2
    return levels


def _is_bound(before: Sequence[Worded], unit: Worded) -> bool:
    """Whether a preposition cannot be parted from what is before it: "she looks | into it", "to stay | in shape", "the week | before"."""
    last = before[-1]
    word = last.kinds[-1] if last.kinds else ""
    if unit.kinds[:1] in (("before",), ("after",), ("around",)) and word in _SPANS:
        return True
    infinitive = len(before) > 1 and before[0].kinds == ("to",)
    subject, _, verb = last.text.casefold().replace("’", "'").partition("'")
    if verb in ("s", "re", "m") and subject in _SUBJECTS:  # "it's in the air"
        return True
    return last.text.isalpha() and (infinitive or word in _VERBS or word in _LEADING_ON or word.endswith("ing"))


def _core_end(units: Sequence[Worded], levels: Sequence[int]) -> int:
    """Where the core ends: at the first phrase that begins after a verb and something more than it."""
    if not units:
        return 0
    # "For example, if it rains, we stay."
    first = next((i + 1 for i, unit in enumerate(units[:_LEADING]) if unit.text.endswith(",")), 0)
    opening = units[0].text == "To" or any(i < len(units) and _OPENING.intersection(units[i].kinds[:1]) for i in (0, first))
    needed = 2 if opening else 1
    begun = 0
    for i in range(1, len(units)):
        if not levels[i]:
            continue
        if needed == 2 and levels[i] == 2:
            if i > first and not (_JOINING.intersection(units[i].kinds[:1]) or units[i].text.endswith(("ing", "ing,"))):
                needed, begun = 1, i
            continue
        if needed == 1 and _has_verb(units[begun:i]):
            return i
    return len(units)


def _has_verb(units: Sequence[Worded]) -> bool:
    """Whether some units have a verb, as far as their endings tell, and are more than a subject and it."""
    for i, unit in enumerate(units):
        word = unit.kinds[0] if unit.kinds else ""
        ending = word.endswith(("ed", "n't")) or (i > 0 and word.endswith("ing"))
        apart = "'" in word and word.rpartition("'")[2] in ("s", "re", "m", "ve", "ll", "d") and word.partition("'")[0] in _SUBJECTS
        third = i > 0 and word.endswith("s") and not word.endswith("ss") and units[i - 1].text[:1].isupper()
        told = i > 0 and units[i - 1].kinds[:1] and units[i - 1].kinds[0] in (_SUBJECTS if i == 1 else _ONLY_SUBJECTS)
        if word in _VERBS or ending or apart or third or told:
            return len(units) >= 3
    return False
