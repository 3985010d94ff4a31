"""A sentence as a row of items, so that what a model wrote can be laid beside what was said.

    "I sold two kilns yesterday."  ->  [Mara] [sold] [2] [kilns] [2023-05-07/2023-05-08]

Words that say nothing by themselves (articles) fall away, contractions are spelt out, numbers and units have one form whichever way they
are written, a time is the interval that it stands for, and "I" and "you" are who they are. Everything else, "to" and "from" and "not"
as well, is an item of its own: such words turn a sentence as much as its nouns do.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from memcli.language.lexicon import word_set
from memcli.language.times import find_time_cues
from memcli.store.search import UNSPACED

ItemKind = Literal["word", "person", "number", "time", "pronoun"]


@dataclass(frozen=True, slots=True)
class Item:
    """A word, person, number, time or pronoun of a sentence; two items mean the same if kind and key are equal."""

    kind: ItemKind
    key: str
    text: str
    """How it is written, casefolded."""
    start: int
    end: int
    broken: bool = False
    """Whether a comma, a stop or a bracket stands before it."""
    possessive: bool = False
    spoken: bool = False
    """Of a person: whether it is written "I", "my", "you"..., not by name."""
    article: bool = False
    """Whether an article stands before it."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Whose words a text is."""

    speaker: str | None
    """Who "I" is; None for a text told by nobody, in which "I" stands for nobody known."""
    addressee: str | None
    """Who "you" is; None if it may be several."""
    people: tuple[str, ...]
    """Everybody who takes part, by the name that claims use."""
    anchor: str | None
    """The moment that "yesterday" counts from, ISO 8601."""


_WORD = r"[^\W\d_][^\W_]*(?:['’][^\W_]+)*(?:\+\+|#)?"
_TOKEN = re.compile(
    rf"(?P<currency>[$€£¥])?(?P<number>\d+(?:[.,:]\d+)*)(?P<attached>\s?%|[^\W\d_]+)?|(?P<word>{_WORD})"
    r"|(?P<stop>[.,;:!?()\[\]{}\"“”«»\n…。，；：！？、]|(?<=\s)[-–—](?=\s)|—)"
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|「[^」]*」")
_UNSPACED = re.compile(f"[{UNSPACED}]")

_I = word_set("i me myself")
_MY = word_set("my mine")
_YOU = word_set("you yourself u ya")
_YOUR = word_set("your yours ur")
_OTHER_I = word_set("yo mich mir ich je moi conmigo j")
_OTHER_MY = word_set("mi mis mein meine meinen meinem meiner meines mon ma mes")
PRONOUNS = word_set(
    "he him his himself she her hers herself it its itself they them their theirs themselves themself we us our ours ourselves i me my mine"
    " myself you your yours yourself yourselves"
)
"""Words for a person or thing that something else has to name."""

_ARTICLES = word_set("a an the")
_BE = {"am": "be", "are": "be", "is": "be", "was": "was", "were": "was", "has": "have", "does": "do"}
"""Forms of one verb that differ only by person."""

_SPELT = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "gonna": "going to", "wanna": "want to",
    "dont": "do not", "doesnt": "does not", "didnt": "did not", "cant": "can not", "wont": "will not", "isnt": "is not", "wasnt": "was not",
    "im": "i am", "ive": "i have", "let's": "let us", "'d": "'d", "til": "until", "till": "until", "cuz": "because", "kinda": "kind of",
}  # fmt: skip
_CLITICS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "'d"}
_IS_OR_HAS = word_set("it that there here what who where when how he she this everything everyone somebody someone nobody")
"""Words whose "'s" is a verb."""

_CARDINALS = {
    word: value
    for value, words in {
        0: "zero", 1: "one", 2: "two zwei dos deux", 3: "three drei tres trois", 4: "four vier cuatro quatre", 5: "five fünf cinco cinq",
        6: "six sechs seis", 7: "seven sieben siete sept", 8: "eight acht ocho huit", 9: "nine neun nueve neuf", 10: "ten zehn diez dix",
        11: "eleven elf once onze", 12: "twelve zwölf doce douze", 13: "thirteen", 14: "fourteen", 15: "fifteen", 16: "sixteen",
        17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty zwanzig veinte vingt", 30: "thirty dreißig treinta trente",
        40: "forty", 50: "fifty", 60: "sixty", 70: "seventy", 80: "eighty", 90: "ninety",
    }.items()
    for word in words.split()
    if word != "once"  # an English adverb far more often than eleven in Spanish
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_ORDINALS = {word: n for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)}  # noqa: SIM905
_UNITS = {
    form: unit
    for unit, forms in {
        "percent": "% percent prozent pct", "dollar": "$ dollar dollars usd bucks", "euro": "€ euro euros eur", "pound": "£ gbp",
        "yen": "¥ yen", "kg": "kg kilo kilos kilogram kilograms", "km": "km kilometer kilometers kilometre kilometres",
        "cm": "cm centimeter centimeters centimetre centimetres", "hour": "h hr hrs hour hours", "minute": "min mins minute minutes",
        "second": "sec secs seconds", "ms": "ms millisecond milliseconds", "mile": "mile miles", "liter": "liter liters litre litres",
    }.items()
    for form in forms.split()
}  # fmt: skip


def read_items(text: str, voice: Voice) -> list[Item]:
    """The items of a text, in order.

    Args:
        text: a sentence, or a claim.
        voice: whose words they are.
    """
    text = text.replace("’", "'")
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    found: list[Item] = []
    fixed = _fixed(text, voice)
    position, broken = 0, False
    for item in [*fixed, None]:
        until = item.start if item else len(text)
        more, broken = _between(text, position, until, voice, quoted, broken)
        found += more
        if item is not None:
            found.append(replace(item, broken=broken))
            position, broken = item.end, False
    return _timed(_numbered(_without_articles(_spelt_out(found))))


def _fixed(text: str, voice: Voice) -> list[Item]:
    """The persons named in a text and its resolved times: they are found in the text as a whole."""
    taken: list[Item] = []
    for pattern, name in _called(voice.people):
        for match in pattern.finditer(text):
            taken.append(Item("person", name.casefold(), match.group().casefold(), *match.span(), possessive=bool(match["own"])))
    taken.sort(key=lambda item: (item.start, -item.end))
    found = [item for place, item in enumerate(taken) if not any(o.start <= item.start < o.end for o in taken[:place])]
    for cue in find_time_cues(text, voice.anchor):
        start, end = cue.offset, cue.offset + len(cue.expression)
        if cue.resolved and not any(item.start < end and start < item.end for item in found):
            key = f"{cue.start}/{cue.end}"
            found.append(Item("time", key, cue.expression.casefold(), start, end))
    return sorted(found, key=lambda item: item.start)


@functools.lru_cache(maxsize=256)
def _called(people: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What each person may be called: the whole name, and its first word where only one of them bears it."""
    firsts = [name.split()[0] if name.split() else name for name in people]
    found = []
    for name, first in zip(people, firsts, strict=True):
        called = [name]
        if name.startswith("The "):
            called.append(name[4:])
        elif first != name and len(first) > 2 and firsts.count(first) == 1:
            called.append(first)
        alternatives = "|".join(re.escape(one) for one in sorted(filter(None, called), key=len, reverse=True))
        if not alternatives:
            continue
        if _UNSPACED.search(name):
            found.append((re.compile(rf"(?P<name>{alternatives})(?P<own>)"), name))
            continue
        flags = re.IGNORECASE if name.startswith("The ") else 0
        found.append((re.compile(rf"(?<![^\W_])(?P<name>{alternatives})(?![^\W_])(?P<own>'s?(?![^\W_]))?", flags), name))
    return tuple(found)


def _between(text: str, start: int, end: int, voice: Voice, quoted: list[tuple[int, int]], broken: bool) -> tuple[list[Item], bool]:
    """The items of a stretch without names and times; and whether a stop ends it."""
    found: list[Item] = []
    for match in _TOKEN.finditer(text, start, end):
        if match["stop"]:
            broken = True
            continue
        inside = any(left < match.start() < right for left, right in quoted)
        for item in _items_of(match, voice if not inside else replace(voice, speaker=None, addressee=None)):
            found.append(replace(item, broken=broken))
            broken = False
    return found, broken


def _items_of(match: re.Match[str], voice: Voice) -> Iterable[Item]:
    start, end = match.span()
    if match["number"]:
        yield Item("number", _plain(match["number"]), match["number"], start, end)
        unit = (match["currency"] or match["attached"] or "").strip().casefold()
        if unit in ("st", "nd", "rd", "th"):
            yield Item("word", "th", unit, start, end)
        elif unit:
            yield Item("word", _UNITS.get(unit, unit), unit, start, end)
        return
    word = match["word"].casefold()
    if _UNSPACED.search(word):
        yield from _characters(match["word"], start, voice)
        return
    for part in _parts(word):
        yield _word(part, start, end, voice)


def _parts(word: str) -> list[str]:
    """A word without contractions: "don't" is "do not"."""
    if word in _SPELT:
        return _SPELT[word].split()
    if word.endswith("n't"):
        return [word[:-3], "not"]
    for clitic, spelt in _CLITICS.items():
        if word.endswith(clitic) and len(word) > len(clitic):
            return [word.removesuffix(clitic), spelt]
    if word.endswith("'s"):
        return [word[:-2], "'s" if word[:-2] in _IS_OR_HAS else "'s-own"]
    return [word]


def _word(word: str, start: int, end: int, voice: Voice) -> Item:
    for forms, person, own in (
        (_I, voice.speaker, False),
        (_MY, voice.speaker, True),
        (_YOU, voice.addressee, False),
        (_YOUR, voice.addressee, True),
    ):
        if word in forms and person is not None:
            return Item("person", person.casefold(), word, start, end, possessive=own, spoken=True)
    if word in PRONOUNS:
        return Item("pronoun", word, word, start, end)
    if word in _OTHER_I | _OTHER_MY and voice.speaker is not None:
        return Item("person", voice.speaker.casefold(), word, start, end, possessive=word in _OTHER_MY, spoken=True)
    if word in _CARDINALS:
        return Item("number", str(_CARDINALS[word]), word, start, end)
    return Item("word", _BE.get(word, _UNITS.get(word, word)), word, start, end)


def _characters(run: str, start: int, voice: Voice) -> Iterable[Item]:
    """A run of a script without spaces: each character is an item; what is of another script in it stays whole."""
    for part in re.finditer(f"[{UNSPACED}]|[^{UNSPACED}]+", run):
        letter, follows = part.group(), run[part.end() : part.end() + 1]
        person = voice.speaker if letter in "我俺咱" else voice.addressee if letter in "你您" else None
        place = (start + part.start(), start + part.end())
        if person is not None and follows not in ("们", "們"):
            yield Item("person", person.casefold(), letter, *place, spoken=True)
        else:
            yield Item("word", letter.casefold(), letter.casefold(), *place)


_AFTER_WOULD = word_set("like love rather prefer hate be have go need want")


def _spelt_out(items: list[Item]) -> list[Item]:
    """With "I'd like" as "I would like"; what "'d" stands for before other words is left open."""
    return [
        replace(item, key="would") if item.key == "'d" and follows is not None and follows.key in _AFTER_WOULD else item
        for item, follows in itertools.zip_longest(items, items[1:])
    ]


def _without_articles(items: list[Item]) -> list[Item]:
    out: list[Item] = []
    broken = article = False
    for item in items:
        if item.kind == "word" and item.text in _ARTICLES:
            broken, article = broken or item.broken, True
            continue
        out.append(replace(item, broken=item.broken or broken, article=article))
        broken = article = False
    return out


def _plain(digits: str) -> str:
    """A number in plain digits: `1,900` is 1900 and `2.50` is 2.5; a version or a time of day stays as it is."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    if re.fullmatch(r"\d+\.\d+", digits):
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0" if digits.isdigit() else digits


def _numbered(items: list[Item]) -> list[Item]:
    """Numbers of several words as one: "twenty five", "two hundred", "3rd", "third"."""
    out: list[Item] = []
    for item in items:
        last = out[-1] if out and out[-1].kind == "number" and not item.broken else None
        if item.kind == "word" and item.key == "th" and last is not None:
            out[-1] = replace(last, key=f"{last.key}.", end=item.end)
        elif item.kind == "word" and item.text in _ORDINALS:
            out.append(replace(item, kind="number", key=f"{_ORDINALS[item.text]}."))
        elif item.kind == "word" and item.text in _SCALES and last is not None and last.key.isdigit():
            out[-1] = replace(last, key=str(int(last.key) * _SCALES[item.text]), text=f"{last.text} {item.text}", end=item.end)
        elif item.kind == "number" and last is not None and _adds(last, item):
            out[-1] = replace(last, key=str(int(last.key) + int(item.key)), text=f"{last.text} {item.text}", end=item.end)
        else:
            out.append(item)
    return out


def _adds(left: Item, right: Item) -> bool:
    """Whether a number in words goes on: "twenty" "five"."""
    if not (left.text.replace(" ", "").isalpha() and right.text.isalpha() and left.key.isdigit() and right.key.isdigit()):
        return False
    tens, ones = int(left.key), int(right.key)
    return (20 <= tens < 100 and tens % 10 == 0 and 0 < ones < 10) or (tens >= 100 and tens % 100 == 0 and 0 < ones < 100)


_BEFORE_TIME = word_set("in on at during this")


def _timed(items: list[Item]) -> list[Item]:
    """Times without the plain preposition before them; one that is told twice in a row, "yesterday (7 May 2023)", is told once."""
    out: list[Item] = []
    for item in items:
        if item.kind == "time":
            while out and out[-1].kind == "word" and out[-1].text in _BEFORE_TIME:
                item = replace(item, broken=out[-1].broken)
                out.pop()
            if out and out[-1].kind == "time" and out[-1].key == item.key:
                out[-1] = replace(out[-1], end=item.end)
                continue
        out.append(item)
    return out
