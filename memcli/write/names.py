"""Proper names: the runs of capitalised words of a text, less the words that are capitalised for another reason."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from memcli.language.lexicon import FUNCTION, FUNCTION_DE, PHATIC, WORD
from memcli.write.handle_words import (
    CALENDAR,
    COMMON,
    COMMON_ENDINGS,
    INITIALISMS,
    NATIONAL,
    PERSON_VERBS,
    ROLES,
    SHORT_PLACES,
    TITLES,
)

_BOLD = re.compile(r"\*\*[^*\n]+\*\*:?|__[^_\n]+__:?")
_UNCASED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TOKEN = re.compile(r"(?:[A-Z]\.)+(?= [A-Z])|[^\W_]\w*(?:['’.&+-]\w+)*\+*")
CLITIC = re.compile(r"['’](?:s|m|re|ve|ll|d|t)$", re.IGNORECASE)
_NO_LETTERS = re.compile(r"[\d.:,%/-]+(?:st|nd|rd|th|s|am|pm|k|px|ml|kg|km|cm)?", re.IGNORECASE)
_OPENS = ':*|.!?“"«>#…'
_CONNECTORS = frozenset(["of", "de", "la", "del", "los", "von", "van", "der", "den", "du", "da", "das", "di", "the"])
_ABBREVIATED = frozenset(["st", "dr", "mr", "mrs", "ms", "mt", "prof", "jr", "sr", "no"])


class Token(NamedTuple):  # one for every word: a tuple is made in half the time of a frozen dataclass
    """A word of a text, with inner apostrophes, hyphens and full stops."""

    start: int
    end: int
    text: str
    lower: str
    """Casefolded, without a clitic."""
    capital: bool


def proper_names(text: str, tokens: list[Token], familiar: Set[str], ordinary: Set[str]) -> list[tuple[int, int]]:
    """The proper names of a text as (start, end), in order; [] where capitals tell nothing.

    Args:
        text: one sentence, heading or label.
        tokens: its words.
        familiar: words that are names wherever they stand, as they are written.
        ordinary: words, in lower case, that are no names where their capital may have another reason.
    """
    if _shouts(text):
        return []
    bold = [match.span() for match in _BOLD.finditer(text)] if "**" in text or "__" in text else []
    heading = text.startswith("|") or _is_heading(text, tokens)
    return list(_runs(text, tokens, _Style(familiar, ordinary, bold, heading, _capitalises_nouns(tokens))))


def tokens_of(text: str) -> list[Token]:
    """The words of a text, in order."""
    tokens = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        lower = word.casefold()
        if "'" in lower or "’" in lower:
            lower = CLITIC.sub("", lower)
        tokens.append(Token(match.start(), match.end(), word, lower, word[0].isupper()))
    return tokens


def people_in(text: str, people: Sequence[str]) -> list[tuple[int, int]]:
    """Where participants' names stand in a text, the longest of those that begin at a place; none of those known by role only.

    Only names that occur are made a pattern of: of thousands of participants a sentence names few.
    """
    named = {name for name in people if name in text and name.strip() and name.casefold() not in ROLES}
    if not named:
        return []
    return [match.span() for match in _any_of(tuple(sorted(named, key=lambda name: (-len(name), name)))).finditer(text)]


@functools.lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_whole(name) for name in names))


def _whole(name: str) -> str:
    """A pattern of a name as whole words; scripts without spaces have no word boundary to ask for."""
    before = "" if _UNCASED.match(name[0]) else r"(?<!\w)"
    after = "" if _UNCASED.match(name[-1]) else r"(?!\w)"
    return f"{before}{re.escape(name)}{after}"


def bare_end(token: Token) -> int:
    """Where a token ends without its clitic."""
    clitic = CLITIC.search(token.text)
    return token.end - (len(clitic.group()) if clitic else 0)


def singular(word: str) -> str:
    """An English plural in -s without it."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True)
class _Style:
    """How capitals are to be read in one text."""

    familiar: Set[str]
    ordinary: Set[str]
    bold: list[tuple[int, int]]
    heading: bool
    german: bool

    def common(self, token: Token, *, opens: bool = False) -> bool:
        """Whether a word is an everyday one, whatever its capital says; verb forms that begin a sentence are taken for one."""
        if token.text in self.familiar:
            return False
        word = token.lower
        if opens and len(word) > 4 and word.endswith(("ed", "ing")):
            return True
        return word in COMMON or word in self.ordinary or (len(word) > 6 and word.endswith(COMMON_ENDINGS)) or singular(word) in COMMON


def _shouts(text: str) -> bool:
    """Whether a text is in capitals throughout, so that they tell nothing."""
    if text[-2:].islower():
        return False
    letters = [ch for ch in text if ch.isalpha()]
    return len(letters) > 7 and " " in text and 5 * sum(ch.isupper() for ch in letters) > 3 * len(letters)


def _is_heading(text: str, tokens: list[Token]) -> bool:
    """Whether a text is a heading or label: no sentence end, and most of its content words capitalised."""
    if not text or text[-1] in ".!?,…;" or len(tokens) > 14:
        return False
    content = [token for token in tokens if token.lower not in FUNCTION]
    return len(content) > 0 and 3 * sum(token.capital for token in content) >= 2 * len(content)


def _capitalises_nouns(tokens: list[Token]) -> bool:
    """Whether a text is German, where a capital letter tells a noun and not a name."""
    function = [token.lower for token in tokens if token.lower in FUNCTION]
    return len(function) > 0 and 2 * sum(word in FUNCTION_DE for word in function) > len(function)


def _runs(text: str, tokens: list[Token], style: _Style) -> Iterator[tuple[int, int]]:
    """The proper names of a text as (start, end)."""
    index = 0
    while index < len(tokens):
        if not tokens[index].capital:
            index += 1
            continue
        last = _run_end(text, tokens, index)
        pieces = tokens[index : last + 1]
        trimmed = _trimmed(text, pieces, style)
        if trimmed:
            yield trimmed[0].start, bare_end(trimmed[-1])
        index = last + 1


def _run_end(text: str, tokens: list[Token], first: int) -> int:
    """The index of the last token of the run of capitalised words that begins at `first`."""
    last = first
    while last + 1 < len(tokens):
        token, ahead = tokens[last], tokens[last + 1]
        gap = text[token.end : ahead.start]
        abbreviated = gap == ". " and (token.lower in _ABBREVIATED or len(token.text) == 1)
        if gap not in (" ", " & ") and not abbreviated and not (gap in ("' ", "’ ") and token.lower.endswith("s")):
            break
        if CLITIC.search(token.text) and last > first:
            break
        if ahead.capital and ahead.text not in ("I", "I'm", "I’m"):
            last += 1
            continue
        beyond = last + 1
        while beyond < len(tokens) - 1 and tokens[beyond].text in _CONNECTORS and text[tokens[beyond].end] == " " and beyond < last + 3:
            beyond += 1
        if beyond == last + 1 or not tokens[beyond].capital or tokens[last + 1].text == "the":
            break
        last = beyond
    return last


def _trimmed(text: str, pieces: list[Token], style: _Style) -> list[Token]:
    """A run of capitalised words without what is capitalised for another reason; [] if no name remains."""
    before = text[: pieces[0].start].rstrip()
    opens = not before or before[-1] in _OPENS or not any(ch.isalnum() for ch in before)
    styled = style.heading or any(a <= pieces[0].start < b for a, b in style.bold)
    if styled and len(pieces) > 1 and any(style.common(piece, opens=True) for piece in pieces):
        marked = [piece for piece in pieces if _inner_capital(piece.text) or piece.text in style.familiar]
        return marked[:1]
    while pieces and _leads(pieces[0], style, opens=opens or styled):
        pieces = pieces[1:]
        opens = False
    while pieces and _never(pieces[-1]) and (len(pieces) < 3 or pieces[-1].lower not in PHATIC):
        pieces = pieces[:-1]
    if style.german:
        titled = len(pieces) > 1 and pieces[0].lower in TITLES
        return pieces if titled or all(piece.text in style.familiar for piece in pieces) else []
    if len(pieces) != 1:
        return pieces
    word = pieces[0]
    if word.text in style.familiar:
        return pieces
    if word.text.isupper() or word.text.rstrip("s").isupper():
        return pieces if _is_abbreviation(word, style) else []
    if word.lower in NATIONAL or style.common(word):
        return []
    if (opens or styled) and not _inner_capital(word.text) and not _acts(text, word, style):
        return []
    return pieces


def _never(token: Token) -> bool:
    """A word that does not belong to a name at either end of it."""
    word = token.lower
    return word in FUNCTION or word in PHATIC or word in CALENDAR or _NO_LETTERS.fullmatch(word) is not None or word == "i"


def _leads(token: Token, style: _Style, *, opens: bool) -> bool:
    """Whether the first word of a run is none of the name: a function word, or an everyday word that begins a sentence."""
    if token.text in style.familiar:
        return False
    return _never(token) or (opens and style.common(token, opens=True))


def _inner_capital(word: str) -> bool:
    return any(a.islower() and b.isupper() for a, b in itertools.pairwise(word))


def _is_abbreviation(token: Token, style: _Style) -> bool:
    bare = CLITIC.sub("", token.text)
    if bare in SHORT_PLACES:
        return True
    everyday = bare in INITIALISMS or token.lower in COMMON or token.lower in style.ordinary
    return 2 < len(bare) < 6 and not everyday and not bare[0].isdigit()


def _acts(text: str, token: Token, style: _Style) -> bool:
    """Whether a word that begins a sentence is somebody's name by what follows: his thing, his doing, or another with him."""
    if style.heading or not token.text[-1].isalpha():
        return False
    following = WORD.match(text, token.end + 1)
    return following is not None and text[token.end] == " " and following.group() in PERSON_VERBS and not token.lower.endswith("s")
