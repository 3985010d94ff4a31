"""Numbers, dates and the words around them: what a claim measures, and whether it says that the measure has changed."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memcli.language.lexicon import PHATIC, word_set
from memcli.write.words import CACHED_WORDS, MONTHS, is_content, stem

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WORD = r"(?P<word>[^\W\d_]+[^\W_]*(?:['’][^\W_]+)*)"
_STOP = r"(?P<stop>[.,;:!?()\n](?=\s|$)|(?<=\s)[-–—](?=\s)|[\u3002\uff0c\uff1b\uff1a\uff01\uff1f])"
_TOKEN = re.compile(
    r"(?<!\d)\d{4}-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?P<month_after>{_MONTH})\b\.?(?:,?\s+\d{{4}}\b)?"
    rf"|\b(?P<month>{_MONTH})\.?\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*%)(?:,?\s+\d{{4}}\b)?"
    r"|(?P<currency>[$€£¥])?(?P<number>\d+(?:[.,]\d+)*)(?:(?P<ordinal>st|nd|rd|th)\b|(?P<attached>\s?%|[^\W\d_]{1,4}\b))?"
    rf"|{_WORD}|{_STOP}"
)
_WORD_OR_STOP = re.compile(f"{_WORD}|{_STOP}")
"""The same for a text without a digit, which most are: no date need be looked for."""

_DIGIT = re.compile(r"\d")
_UNITS = {
    form: unit
    for unit, forms in {
        "%": "% percent prozent",
        "$": "$ dollar dollars usd",
        "€": "€ euro euros eur",
        "£": "£ pound pounds gbp",
        "¥": "¥ yen yuan",
        "ms": "ms millisecond milliseconds",
        "s": "s sec secs seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours stunden horas heures",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years",
        "km": "km kilometer kilometers kilometre kilometres",
        "mile": "mile miles",
        "m": "m meter meters metre metres",
        "cm": "cm",
        "mm": "mm",
        "kg": "kg kilo kilos",
        "g": "g gram grams",
        "gb": "gb",
        "mb": "mb",
        "kb": "kb",
        "px": "px pixel pixels",
    }.items()
    for form in forms.split()
}
KNOWN_UNITS = frozenset(_UNITS.values()) | {"date"}
"""Every unit that is not the stem of a counted noun."""

_CARDINALS = {
    word: str(value)
    for value, words in {
        0: "zero",
        2: "two zwei dos deux",
        3: "three drei tres trois",
        4: "four vier cuatro quatre",
        5: "five fünf cinco cinq",
        6: "six sechs seis",
        7: "seven sieben siete sept",
        8: "eight acht ocho huit",
        9: "nine neun nueve neuf",
        10: "ten zehn diez dix",
        11: "eleven",
        12: "twelve zwölf doce douze",
        13: "thirteen",
        14: "fourteen",
        15: "fifteen",
        16: "sixteen",
        17: "seventeen",
        18: "eighteen",
        19: "nineteen",
        20: "twenty",
        30: "thirty",
        40: "forty",
        50: "fifty",
        60: "sixty",
        70: "seventy",
        80: "eighty",
        90: "ninety",
        100: "hundred",
        1000: "thousand",
    }.items()
    for word in words.split()
}
_ORDINALS = {
    word: str(value)
    for value, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)  # noqa: SIM905
}

UPDATE = re.compile(
    r"\b(?:now|no longer|any ?more|instead of|instead|rescheduled|postponed|moved (?:it |up |back )?(?:to|from)|changed|switched|updated"
    r"|extended|pushed back|(?:recently )?(?:improved|increased|decreased|reduced|dropped|raised|grown|growth)|reached|revised"
    r"|new (?=\w+)|actually|jetzt|inzwischen|mittlerweile|nicht mehr|verschoben|stattdessen|geändert|ahora|ya no|cambi(?:ó|ado|é)"
    r"|en lugar de|en vez de|aplazad[oa]|reprogramad[oa]|maintenant|désormais|au lieu de|reporté|changé|déplacé)\b"
    r"|现在|改[成为到]|不再|推迟|换成"
)
"""Words that say that something has become different from what it was."""

_FRESH = word_set(
    "now currently reached updated improved increased decreased reduced dropped raised extended rescheduled postponed moved changed"
    " switched grown revised instead actually total jetzt inzwischen mittlerweile verschoben geändert ahora cambió cambiado aplazado"
    " maintenant désormais reporté changé déplacé"
)
_STATING = word_set("is are was were reached to at of has have around about approximately total ist sind beträgt es son est")

_AIMING = word_set("least most under below goal target targets achieve aim aiming within than over up mindestens höchstens al menos moins")
"""Words that make a number a goal or a bound."""

_SPANS_OF_TIME = frozenset(("min", "h", "day", "week", "month", "year"))
_DURING = word_set("over in for after within per during last past next every seit für en durante pendant")

_NOT_MEASURED = (
    PHATIC
    | _FRESH
    | frozenset(_UNITS)
    | word_set(
        "trying try tried understand help want wants wanted make making need needs needed use using work working currently recently"
        " problem problems issue thinking considering including focusing based average rate possible new app application project user"
    )
)
"""Words that say nothing about what is measured."""

_NEW_WITHIN = 4
"""Words before a value among which "new" speaks of it ("a new weekly limit of 40") and not of something else."""

_LISTED = 3
"""Values of one unit from which they are the parts of something and not a value that changes."""

_HEAD = 3
"""Content words before a number that may name what it measures."""

_BEFORE, _AFTER = 12, 7
"""Tokens before and after a number that tell what it measures: about a clause."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, date or stop of a text. Numbers and dates are normalised: `1900`, `250 ms`, `3.` (third), `5-07` (7 May)."""

    text: str
    kind: Literal["word", "number", "ordinal", "date", "stop"]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with what it measures."""

    value: str
    unit: str
    """A unit, the stem of what is counted, `date`, or `#` where the text does not say."""
    frame: frozenset[str]
    """The stems of the content words around it."""
    head: frozenset[str]
    """The stems of the words that most likely name it: the one that follows at once, else the last ones before it."""
    fresh: bool
    """Whether words near it say that the value is new."""
    stated: bool
    """Whether a verb states the value ("is", "reached", "to") rather than mentions it."""


@functools.lru_cache(maxsize=CACHED_WORDS)
def _word(word: str) -> Token:
    """The token of a casefolded word, which may name a number."""
    word = word.replace("’", "'")
    if word in _CARDINALS:
        return Token(_CARDINALS[word], "number")
    if word in _ORDINALS:
        return Token(f"{_ORDINALS[word]}.", "ordinal")
    return Token(word, "word")


@functools.lru_cache(maxsize=64)
def _stop(mark: str) -> Token:
    return Token(mark, "stop")


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order; numbers with their units as one."""
    low = text.casefold()
    out: list[Token] = []
    for match in (_TOKEN if _DIGIT.search(low) else _WORD_OR_STOP).finditer(low):
        found = match.group()
        if match.lastgroup == "stop":
            out.append(_stop(found))
        elif match.lastgroup == "word":
            unit = _UNITS.get(found) if out and out[-1].kind == "number" and not out[-1].unit else None
            if unit:
                out[-1] = Token(f"{out[-1].text} {unit}", "number", unit)
            else:
                out.append(_word(found))
        else:
            out += _numeric(match.groupdict())
    return out


def _numeric(part: dict[str, str | None]) -> list[Token]:
    """The tokens of a date or a number; a number may have letters attached that are no unit."""
    for month, day in (("iso_month", "iso_day"), ("month_after", "day"), ("month", "day_after")):
        name, number = part[month], part[day]
        if name is not None and number is not None:
            return [Token(f"{MONTHS.get(name) or int(name)}-{int(number):02}", "date", "date")]
    value = _value(part["number"] or "")
    if part["ordinal"] is not None:
        return [Token(f"{value}.", "ordinal")]
    attached = (part["currency"] or part["attached"] or "").strip()
    unit = _UNITS.get(attached)
    if unit:
        return [Token(f"{value} {unit}", "number", unit)]
    return [Token(value, "number"), *([Token(attached, "word")] if attached else [])]


def _naming(found: Sequence[Token]) -> list[str]:
    """The stems of the words that may name what is measured."""
    return [stem(t.text) for t in found if t.kind == "word" and t.text not in _NOT_MEASURED and is_content(t.text)]


def _value(digits: str) -> str:
    """A number in plain digits: `1,900` is 1900 and `2.50` is 2.5; what has several dots is a version and stays."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    if re.fullmatch(r"\d+\.\d+", digits):
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0"


def find_quantities(found: Sequence[Token]) -> tuple[Quantity, ...]:
    """The quantities of a text: its numbers and dates with what each measures.

    None of them is an ordinal, a year, a version, the start of a change ("from 70% to 90%"), a goal ("at least 80%") or a length of time
    that something took ("over six weeks"), nor is what stands in a list of many of its unit.
    """
    out = []
    for index, token in enumerate(found):
        if token.kind not in ("number", "date"):
            continue
        value = token.text.split(" ")[0]
        before = [t.text for t in found[max(0, index - _BEFORE) : index]]
        after = found[index + 1 : index + 1 + _AFTER]
        if before and before[-1] in ("from", "v", "version", "step", "sprint", "chapter", "part", "von", "de"):
            continue
        unit = token.unit
        if not _AIMING.isdisjoint(before[-4:]) or (unit in _SPANS_OF_TIME and before and before[-1] in _DURING):
            continue
        if not unit:
            following = after[0] if after else None
            if value.count(".") > 1 or (len(value) == 4 and value[:2] in ("19", "20")):
                continue
            if following is not None and following.kind == "word" and is_content(following.text):
                unit = stem(following.text)
            elif before and before[-1] in _STATING:
                unit = "#"
            else:
                continue
        leading = _naming(found[max(0, index - _BEFORE) : index])
        named = _naming(after[:1]) if token.unit and token.unit != "date" else []
        near = before[-8:]
        out.append(
            Quantity(
                value=value,
                unit=unit,
                frame=frozenset([*leading, *_naming(after)]) - {unit},
                head=frozenset(named or leading[-_HEAD:]),
                fresh=not _FRESH.isdisjoint(near)
                or "new" in before[-_NEW_WITHIN:]
                or (bool(after) and after[0].text in ("now", "instead", "jetzt", "ahora")),
                stated=not _STATING.isdisjoint(before[-2:]),
            )
        )
    listed = {unit for unit, count in Counter(found.unit for found in out).items() if count >= _LISTED and unit != "date"}
    return tuple(found for found in out if found.unit not in listed)
