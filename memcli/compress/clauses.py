"""A claim's words as a clause of a merged claim: its units, what of them may not be left out, and how much each tells."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcli.compress.candidates import Statement
from memcli.compress.phrases import Phrase, cut_phrases
from memcli.language.lexicon import FUNCTION, PHATIC, WORD, count_words, language_of, word_set
from memcli.store.search import UNSPACED

CACHED_TEXTS = 32_768
"""Words and short texts whose folded form is remembered: more than a long conversation has."""

NEGATING = word_set(
    "not no never none nothing nobody nowhere neither nor cannot without hardly stopped quit"
    " nicht kein keine keinen nie niemals nichts ohne nunca jamás nada nadie sin ne pas jamais rien sans"
)
"""Words that turn what a sentence says; none of them is ever left out."""

_OPENERS = word_set("hey hi hello wow yeah yes yep oh well ah aw aww haha lol also so and but thanks anyway")
_QUESTION = re.compile(r"^(?P<name>[^:\n\"]{1,80}?), asked by [^:\n\"]{1,80}? \".*?\": ", re.DOTALL)
_PICTURE = re.compile(r"\s*\(picture: [^)]*\)\s*$")
_UNIT = re.compile(f"[^\\s{UNSPACED}]+[.,;:!?]*|[{UNSPACED}]+[，。、；：！？,.!?]?")
_RUNS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_NEGATED = re.compile(r"n['’]t$|[不没沒无無未非ないません]")
_BEFORE_DATES = word_set("in on at over during since until by from for around about before after of to this the")
_ADVERBIAL = word_set("yesterday today tonight tomorrow last next this ago")
_BARE_DATE = re.compile(r"(?:the (?:week|month|year|\w+day)|\d|[A-Z]\w+ \d)")
_DAY = re.compile(r"(?:\d{1,2} [A-Z]|the (?:weekend|\w+day))")
_OPENING_MARKS = (".", ":", "!", "?", "**")
"""What ends before a capital that makes no name."""
_END = " \t.;!,:…。；！，"


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


@dataclass(frozen=True, slots=True)
class Clause:
    """What a claim says, without who says it (`lead`, "" where the sentence names its subject itself) and what only surrounds it."""

    lead: str
    units: tuple[Unit, ...]
    phrases: tuple[Phrase, ...]
    known: frozenset[str]
    """The telling words of the whole claim."""
    words: int
    """Words of the whole claim."""
    characters: int

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
    stands behind it.

    Args:
        statement: the claim.
        rarity: by casefolded word, in [0, 1]; 1 where it is not in it.
    """
    text = _PICTURE.sub("", statement.text) or statement.text
    lead = ""
    if asked := _QUESTION.match(text):
        lead, text = f"{asked['name']}: ", text[asked.end() :]
    elif text.startswith(f"{statement.speaker}: "):
        lead, text = f"{statement.speaker}: ", text[len(statement.speaker) + 2 :]
    text = _dated(text, statement.cue).strip(_END) or text.strip()
    found = list(_UNIT.finditer(text))
    while len(found) > 3 and folded(found[0].group()) and _OPENERS.issuperset(folded(found[0].group())):
        if found[0].group().casefold() == "thanks":  # for something
            break
        found.pop(0)
    names = {word for name in statement.names for word in folded(name)}
    units: list[Unit] = []
    after_number = False
    capitals: bool | None = None  # whether they tell names: not where every noun has one
    for place, match in enumerate(found):
        word = match.group()
        end = found[place + 1].start() if place + 1 < len(found) else match.end()
        kinds, words, numbered, capital, function, negating = _shape(word)
        named = capital and place > 0 and not found[place - 1].group().endswith(_OPENING_MARKS)
        if named and capitals is None:
            capitals = language_of(text) != "de"
        named = named and capitals is True
        fixed = numbered or negating or (after_number and (not function or word[:1].isupper()))  # "3 May"
        pinned = fixed or named or not names.isdisjoint(kinds)
        units.append(Unit(word, text[match.end() : end], kinds, words, _weight(kinds, rarity), pinned, fixed, negating))
        after_number = numbered and not function and word[-1] not in _END
    return Clause(lead, tuple(units), cut_phrases(units), content(statement.text), count_words(statement.text), len(statement.text))


@functools.lru_cache(maxsize=CACHED_TEXTS)
def _shape(word: str) -> tuple[tuple[str, ...], int, bool, bool, bool, bool]:
    """Of a word: its kinds, how many words it is, whether it has a number, a capital, only function words, and whether it negates."""
    kinds = folded(word)
    function = FUNCTION.issuperset(kinds)
    capital = word.lstrip("\"'“‘(")[:1].isupper() and not function and "**" not in word
    return kinds, max(1, count_words(word)), any(ch.isnumeric() for ch in word), capital, function, is_negating(word)


def written(units: Sequence[Unit]) -> str:
    """Units as text, without what stands at the end of a sentence."""
    return "".join(unit.text + unit.space for unit in units).strip(_END)


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
    """`we sailed last June (June 2022)` as `we sailed in June 2022`."""
    if not cue:
        return text
    before = rf"(?P<before>\b\w+\s+)?{re.escape(cue)}\s*\((?P<date>[^()]*\d[^()]*)\)"
    return re.sub(before, lambda match: (match["before"] or "") + _when(match["before"], match["date"], cue), text, flags=re.IGNORECASE)


def _when(before: str | None, date: str, cue: str) -> str:
    """A date as the sentence needs it: with a preposition, if it comes in the place of an English adverb."""
    folded_cue = cue.casefold().split()
    if (before or "").strip().casefold() in _BEFORE_DATES or not _ADVERBIAL.intersection(folded_cue) or not _BARE_DATE.match(date):
        return date[:1].lower() + date[1:] if date.startswith(("From ", "A few", "Two ", "Some ")) else date
    return ("on " if _DAY.match(date) else "in ") + date


def _weight(words: tuple[str, ...], rarity: Mapping[str, float]) -> float:
    if len(words) == 1 and words[0] not in PHATIC:
        return 0.02 if words[0] in FUNCTION else rarity.get(words[0], 1.0)
    if not words:
        return 0.5
    return max(0.02 if word in FUNCTION else rarity.get(word, 1.0) * (0.3 if word in PHATIC else 1.0) for word in words)
