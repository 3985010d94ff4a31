"""A claim's words as a clause of a merged claim: its units, what of them may not be left out, and how much each tells."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from memcli.compress.candidates import Statement
from memcli.compress.code import Outline, cut_blocks
from memcli.compress.phrases import Phrase, cut_phrases, outline_phrases, wholes
from memcli.language.lexicon import FUNCTION, PHATIC, WORD, count_words, language_of, word_set
from memcli.store.search import UNSPACED

CACHED_TEXTS = 32_768
"""Words and short texts whose folded form is remembered: more than a long conversation has."""

NEGATING = word_set(
    "not no never none nothing nobody nowhere neither nor cannot without hardly barely scarcely rarely stopped quit failed refused unable"
    " nicht kein keine keinen keiner keinem keines weder niemand niemanden niemandem nirgends nie niemals nichts ohne"
    " nunca jamás nada nadie ninguno ninguna ningún tampoco ni sin ne pas jamais rien aucun aucune sans"
    " non nessuno nessuna niente senza não nem nenhum nenhuma ninguém sem не нет ни никогда никто ничего нельзя без"
)
"""Words that turn what a sentence says; none of them is ever left out."""

_OPENERS = word_set("hey hi hello wow yeah yes yep oh well ah aw aww haha lol also so and but thanks anyway")
_QUESTION = re.compile(r"^(?P<name>[^:\n\"]{1,80}?), asked by [^:\n\"]{1,80}? \".*?\": ", re.DOTALL)
_PICTURE = re.compile(r"\(picture: [^)]*\)\s*$")
_UNIT = re.compile(f"[^\\s{UNSPACED}]+[.,;:!?]*|[{UNSPACED}]+[，。、；：！？,.!?]?")
_RUNS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_NEGATED = re.compile(r"n['’]t$|[不没沒无無未非ないません]")
_BEFORE_DATES = word_set("in on at over during since until by from for around about before after of to this the")
_ADVERBIAL = word_set("yesterday today tonight tomorrow last next this ago")
_DATE = re.compile(
    r"(?P<before>\b[a-z]+\s+)?(?P<said>\b(?P<month>[A-Z][a-z]{2,8})\.? \d{1,2}(?:\s?[-–]\s?(?:[A-Z][a-z]{2,8}\.? )?\d{1,2})?(?:, \d{4})?)"
    r"\s*\((?P<date>(?:From |Until |Before |After |Since )?\d{1,2} [A-Z][a-z]+ \d{4}[^()]{0,40})\)"
)
_NUMBER = re.compile(r"\d+")
_BARE_DATE = re.compile(r"(?:the (?:week|month|year|\w+day)|\d|[A-Z]\w+ \d)")
_DAY = re.compile(r"(?:\d{1,2} [A-Z]|the (?:weekend|\w+day))")
_OPENING_MARKS = (".", ":", "!", "?", "**")
"""What ends before a capital that makes no name."""
_END = " \t.;!,:…。；！，"
_BOLD = re.compile(r"(?P<within>(?<=\w)\*\*(?=\w))|\*\*")
_LOWERED = ("From ", "A few", "Two ", "Some ", "Until ", "Since ", "Before ", "After ", "Around ", "About ")
"""What a date in words begins with that has no capital within a sentence."""
_SPARE = 2
"""Words that a claim counts for beyond those it has: so short ones are told whole, long ones by their most telling sentences (ours)."""
SHORT = 2
"""Words by which what is very short counts for less."""
_TITLE = 8
"""Words that a title before a colon has at most."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, or a run of an unspaced script, with the white space behind it."""

    text: str
    space: str
    kinds: tuple[str, ...]
    """Its words, folded; none of a sign."""
    words: int
    weight: float
    """How much it tells: the rarer in the memory, the more."""
    pinned: bool
    """A name, a number, a date or a negation: whatever else goes, it stays."""
    fixed: bool
    """A number, a date or a negation: it stays where it is, while a name need only be told once."""
    negating: bool
    """Whether it turns what the sentence says."""
    part: Literal["prose", "label", "name"] = "prose"
    """What it is of a claim: a word of its prose, or the language or a name of the outline of a block."""
    title: bool = False
    """Whether it is of a title that stands before what it is the title of."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A phrase with all that has to be told with it."""

    phrases: frozenset[int]
    """By index."""
    worth: float
    """How much they tell for each of their words; of what is very short, less."""
    telling: frozenset[str]
    """Their words that say something by themselves, or turn what is said."""


@dataclass(frozen=True, slots=True)
class Clause:
    """What a claim says, without who says it (`lead`, "" where the sentence names its subject itself) and what only surrounds it."""

    lead: str
    units: tuple[Unit, ...]
    phrases: tuple[Phrase, ...]
    wholes: tuple[Whole, ...]
    """Of each phrase."""
    known: frozenset[str]
    """The telling words of the whole claim."""
    words: int
    """Words that it counts for where it is said how long a merged claim may be: those of its prose and its outlines, and `_SPARE`."""
    most_words: int
    """Words of the whole claim."""
    characters: int
    """Characters of the whole claim."""
    cut: bool
    """Whether something of it cannot be told: a block of which there is an outline only."""

    @property
    def text(self) -> str:
        """The clause whole."""
        return written(self.units)

    @property
    def negated(self) -> bool:
        """Whether a word in it turns what it says."""
        return any(unit.negating for unit in self.units)

    @property
    def pinned(self) -> frozenset[str]:
        """The words that a merged claim must hold."""
        return frozenset(word for unit in self.units if unit.pinned for word in unit.kinds)


def read_clause(statement: Statement, rarity: Mapping[str, float]) -> Clause:
    """Cut a claim's text into units and phrases.

    A picture's caption, the question that was answered, and openers such as "well" are left out; a relative time goes where its date
    stands behind it. What is not prose is told by its outline (`memcli.compress.code`).

    Args:
        statement: the claim.
        rarity: by casefolded word, in [0, 1]; 1 where it is not in it.
    """
    text = _PICTURE.sub("", statement.text).rstrip() or statement.text
    lead = ""
    if asked := _QUESTION.match(text):
        lead, text = f"{asked['name']}: ", text[asked.end() :]
    elif text.startswith(f"{statement.speaker}: "):
        lead, text = f"{statement.speaker}: ", text[len(statement.speaker) + 2 :]
    names = {word for name in statement.names for word in folded(name)}
    units: list[Unit] = []
    phrases: list[Phrase] = []
    blocks = cut_blocks(_dated(text, statement.cue))
    for number, block in enumerate(blocks, 1):
        found = (
            _outlined(block, rarity)
            if isinstance(block, Outline)
            else _units(block, names, rarity, opening=not units, closing=number == len(blocks))
        )
        if isinstance(block, Outline):
            phrases += outline_phrases(found, len(units), phrases)
        else:
            phrases += cut_phrases(found, len(units), len(phrases))
        units += found
    whole = count_words(statement.text)
    outlined = any(isinstance(block, Outline) for block in blocks)
    told = min(sum(unit.words for unit in units), whole) if outlined else whole
    return Clause(
        lead,
        tuple(units),
        tuple(phrases),
        _wholes(units, phrases),
        content(statement.text),
        told + _SPARE,
        whole,
        len(statement.text),
        outlined,
    )


def _wholes(units: Sequence[Unit], phrases: Sequence[Phrase]) -> tuple[Whole, ...]:
    said = [
        tuple(
            word
            for unit in units[phrase.start : phrase.end]
            for word in ((unit.text.casefold().strip(_END),) if unit.fixed else unit.kinds)
            if unit.fixed or word not in FUNCTION
        )
        for phrase in phrases
    ]
    out = []
    for numbers in wholes(phrases):
        weight = sum(phrases[number].weight for number in numbers)
        words = sum(phrases[number].words for number in numbers)
        out.append(Whole(numbers, weight / (words + SHORT), frozenset(word for number in numbers for word in said[number])))
    return tuple(out)


def _outlined(block: Outline, rarity: Mapping[str, float]) -> list[Unit]:
    """The outline of a block as units: its label, if it has one, and its names."""
    label = [Unit(block.label, " ", folded(block.label), 1, 0.05, False, False, False, "label")] if block.label else []
    return label + [
        Unit(name.text, " ", kinds, max(1, count_words(name.text)), name.role * _weight(kinds, rarity), False, False, False, "name")
        for name in block.names
        for kinds in [folded(name.text)]
    ]


def _units(text: str, names: Set[str], rarity: Mapping[str, float], *, opening: bool, closing: bool) -> list[Unit]:
    """The units of prose; of that at the beginning of a claim without openers, of that before its end with a full stop.

    Args:
        text: the prose, on one line.
        names: the words of the mentions in the claim, folded.
        rarity: by casefolded word, in [0, 1].
        opening: whether the claim begins with it.
        closing: whether the claim ends with it.
    """
    text = text.strip(_END) or text.strip()
    if not closing:
        text = f"{text} " if text.endswith(("?", "!")) else f"{text}. "
    found = list(_UNIT.finditer(text))
    while opening and len(found) > 3 and folded(found[0].group()) and _OPENERS.issuperset(folded(found[0].group())):
        if found[0].group().casefold() == "thanks":  # for something
            break
        found.pop(0)
    titles = _titles([match.group() for match in found]) if ":" in text or "**" in text else None
    units: list[Unit] = []
    after_number = False
    capitals: bool | None = None  # whether they tell names: not where every noun has one
    for place, match in enumerate(found):
        word = match.group()
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        kinds, words, numbered, capital, function, negating = _shape(word)
        named = capital and place > 0 and not (titles and titles[place]) and not found[place - 1].group().endswith(_OPENING_MARKS)
        if named and capitals is None:
            capitals = language_of(text) != "de"
        named = named and capitals is True
        fixed = numbered or negating or (after_number and (not function or word[:1].isupper()))  # "3 May"
        pinned = fixed or named or not names.isdisjoint(kinds)
        title = titles is not None and titles[place]
        units.append(Unit(word, text[match.end() : end], kinds, words, _weight(kinds, rarity), pinned, fixed, negating, title=title))
        after_number = numbered and not function and word[-1] not in _END
    return units


def _titles(words: Sequence[str]) -> list[bool]:
    """Of each word, whether it is of a title: between signs of bold type, or each word with a capital, up to a colon."""
    out = [False] * len(words)
    begun: int | None = 0
    bold = capitals = False
    for place, word in enumerate(words):
        if begun is None and place and words[place - 1].endswith((".", "!", "?", ":")):
            begun = place
        if begun == place:
            capitals = True
        starts = word.count("**") % 2 == 1
        out[place] = bold or starts
        bold = bold != starts
        if begun is None:
            continue
        capitals = capitals and (word[:1].isupper() or not word[:1].isalpha() or FUNCTION.issuperset(folded(word)))
        if not capitals or place - begun > _TITLE:
            begun = None
        elif word.rstrip("*").endswith(":"):
            out[begun : place + 1] = [True] * (place + 1 - begun)
            begun = place + 1
    return out


@functools.lru_cache(maxsize=CACHED_TEXTS)
def _shape(word: str) -> tuple[tuple[str, ...], int, bool, bool, bool, bool]:
    """Of a word: its kinds, how many words it is, whether it has a number, a capital, only function words, and whether it negates."""
    kinds = folded(word)
    function = FUNCTION.issuperset(kinds)
    capital = word.lstrip("\"'“‘(")[:1].isupper() and not function and "**" not in word
    return kinds, max(1, count_words(word)), any(ch.isnumeric() for ch in word), capital, function, is_negating(word)


def written(units: Sequence[Unit]) -> str:
    """Units as text, without what stands at the end of a sentence, and the signs of bold type."""
    text = "".join(unit.text + unit.space for unit in units)
    text = (_BOLD.sub(lambda sign: " " if sign["within"] else "", text) if "**" in text else text).strip(_END)
    return f"{text}!" if text.startswith("¡") else text


@functools.lru_cache(maxsize=CACHED_TEXTS)
def folded(text: str) -> tuple[str, ...]:
    """The words of a text, casefolded, without possessive endings; a run of an unspaced script is one word."""
    words = [word.casefold().replace("’", "'").removesuffix("'s") for word in WORD.findall(text)]
    return tuple(words) if text.isascii() else tuple(part for word in words for part in _RUNS.findall(word))


def content(text: str) -> frozenset[str]:
    """The words of a text that say something by themselves."""
    return frozenset(word for word in folded(text) if word not in FUNCTION and word not in NEGATING)


@functools.lru_cache(maxsize=CACHED_TEXTS)
def is_negating(word: str) -> bool:
    """Whether a word, or a run of an unspaced script, turns what a sentence says."""
    return bool(NEGATING.intersection(folded(word))) or bool(_NEGATED.search(word.casefold().rstrip(_END)))


def _dated(text: str, cue: str | None) -> str:
    """`we sailed last June (June 2022)` as `we sailed in June 2022`, and `on May 7 (7 May 2023)` as `on 7 May 2023`."""
    if "(" not in text:
        return text
    if cue:
        before = rf"(?P<before>\b\w+\s+)?{re.escape(cue)}\s*\((?P<date>[^()]*\d[^()]*)\)"
        text = re.sub(before, lambda match: (match["before"] or "") + _when(match["before"], match["date"], cue), text, flags=re.IGNORECASE)
    return _DATE.sub(_told_once, text)


def _told_once(match: re.Match[str]) -> str:
    """A date that stands in brackets behind the same one without its year, without that."""
    said, date = match["said"], match["date"]
    days = _NUMBER.findall(said)
    if match["month"][:3] not in date or not set(days) <= set(_NUMBER.findall(date)):
        return match.group()
    return (match["before"] or "") + _when(match["before"], date, f"{match['before'] or ''}{said}".strip())


def _when(before: str | None, date: str, cue: str) -> str:
    """A date as the sentence needs it: with a preposition, if it comes in the place of an English adverb."""
    folded_cue = cue.casefold().split()
    if (before or "").strip().casefold() in _BEFORE_DATES or not _ADVERBIAL.intersection(folded_cue) or not _BARE_DATE.match(date):
        if "by" in (*folded_cue[:1], (before or "").strip().casefold()) and date.startswith("Until "):
            return date.removeprefix("Until ") if before else f"by {date.removeprefix('Until ')}"
        return date[:1].lower() + date[1:] if date.startswith(_LOWERED) else date
    return ("on " if _DAY.match(date) else "in ") + date


def _weight(words: tuple[str, ...], rarity: Mapping[str, float]) -> float:
    if len(words) == 1 and words[0] not in PHATIC:
        return 0.02 if words[0] in FUNCTION else rarity.get(words[0], 1.0)
    if not words:
        return 0.5
    return max(0.02 if word in FUNCTION else rarity.get(word, 1.0) * (0.3 if word in PHATIC else 1.0) for word in words)
