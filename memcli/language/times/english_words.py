"""English words of time and number, and the pieces of patterns made from them."""

from __future__ import annotations

import re

from memcli.language.times.intervals import Unit
from memcli.language.times.reading import Context, alternatives

MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MONTHS: dict[str, int] = {name.lower(): n for n, name in enumerate(MONTH_NAMES, 1)} | {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
WEEKDAYS: dict[str, int] = {name.lower(): n for n, name in enumerate(WEEKDAY_NAMES)} | {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
SEASONS: dict[str, int] = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas": (12, 25), "christmas eve": (12, 24), "christmas day": (12, 25), "new year's eve": (12, 31),
    "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip
"""Holidays on the same date every year, as (month, day)."""

_ONES = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_NUMBERS: dict[str, int] = {word: n for n, word in enumerate(_ONES, 1)} | _TENS | {"a hundred": 100, "hundred": 100, "a dozen": 12}
_VAGUE: dict[str, tuple[float, float]] = {"few": (2, 5), "several": (3, 7), "couple": (2, 2)}

ORDINALS: dict[str, int] = {
    word: n
    for n, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        1,
    )
}

UNITS: dict[str, tuple[Unit, int]] = {
    "second": ("second", 1), "minute": ("minute", 1), "min": ("minute", 1), "hour": ("hour", 1), "hr": ("hour", 1), "day": ("day", 1),
    "night": ("day", 1), "weekend": ("weekend", 1), "week": ("week", 1),
    "wk": ("week", 1), "mo": ("month", 1), "fortnight": ("week", 2), "month": ("month", 1),
    "quarter": ("quarter", 1), "year": ("year", 1), "yr": ("year", 1), "decade": ("decade", 1),
}  # fmt: skip
"""A unit's word and what it counts: "fortnight" is two weeks, "night" a day."""

UNIT = alternatives(UNITS)
DAY_PART = r"(?:morning|afternoon|evening|night|noon)"
OF = re.compile(r"\s+of\b(?! (?:19|20)\d\d\b)")
"""What makes "the last week" part of something else: "of June", not "of 2023"."""
UNIT_WORDS = frozenset(UNITS) | frozenset(u + "s" for u in UNITS)
MONTH = alternatives(MONTHS)
WEEKDAY = alternatives(WEEKDAYS)
SEASON = alternatives(SEASONS)
YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
NUMBER_WORD = (
    r"(?:" + alternatives(_TENS) + r"(?:[- ]" + alternatives(_ONES[:9]) + r")?|" + alternatives(_ONES) + r"|a dozen|(?:a )?hundred)"
)
_EXACT = r"(?:[0-9]{1,4}(?:\.5)?|" + NUMBER_WORD + r")"
COUNT = r"(?:a couple(?: of)?|couple(?: of)?|a few|few|several|half an?|" + _EXACT + r"|an?)"
_HALF = r"(?: and a half)"


def quantity(tag: str = "") -> str:
    """A pattern for a counted unit: "two weeks", "2-3 days", "a year and a half", "2 years and 3 months"."""
    return (
        rf"(?P<n{tag}>{COUNT})(?:(?:-| - |–| to | or )(?P<m{tag}>{_EXACT}))?(?P<g{tag}>{_HALF})?[ -](?P<u{tag}>{UNIT})s?"
        rf"(?P<h{tag}>{_HALF})?(?:,? and (?P<n2{tag}>{_EXACT}|an?) (?P<u2{tag}>{UNIT})s?)?\b(?:['’](?= time))?"
    )


def count_value(words: str) -> tuple[float, float]:
    """Number words as the smallest and largest count they allow. Raises ValueError for none."""
    words = words.strip()
    for vague, spread in _VAGUE.items():
        if vague in words:
            return spread
    if words.startswith("half"):
        return 0.5, 0.5
    if words in ("a", "an"):
        return 1, 1
    if words[0].isdigit():
        return float(words), float(words)
    if words in _NUMBERS:
        return _NUMBERS[words], _NUMBERS[words]
    tens, _, ones = words.replace("-", " ").partition(" ")
    value = _NUMBERS[tens] + _NUMBERS[ones]
    return value, value


_SMALLER: dict[tuple[Unit, Unit], int] = {("year", "month"): 12, ("week", "day"): 7, ("hour", "minute"): 60, ("day", "hour"): 24}


def quantity_value(match: re.Match[str], tag: str = "") -> tuple[float, float, Unit]:
    """The (low, high, unit) of a `quantity` match. Raises ValueError if it cannot be counted exactly."""
    unit, factor = UNITS[match["u" + tag]]
    low, high = count_value(match["n" + tag])
    if match["m" + tag]:
        high = count_value(match["m" + tag])[0]
        if high <= low:
            raise ValueError("not a spread of counts")
    if match["g" + tag] or match["h" + tag]:
        low, high = low + 0.5, high + 0.5
    if match["n2" + tag]:
        small, small_factor = UNITS[match["u2" + tag]]
        extra = count_value(match["n2" + tag])[0] * small_factor
        per = _SMALLER.get((unit, small))
        if per is None:
            raise ValueError("units do not add up")
        return low * factor * per + extra, high * factor * per + extra, small
    return low * factor, high * factor, unit


_NOT_NAME = re.compile(r"\b(?:in|since|until|till|til|of|on|by|end|early|late|mid)[\s-]+(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?$")
_ABBREVIATED_OR_WORD = frozenset(m for m in MONTHS if len(m) <= 4 and m not in ("june", "july")) | {"march", "august"}
_ABBREVIATED_DAYS = frozenset(d for d in WEEKDAYS if len(d) <= 5)


def is_month(context: Context, offset: int, word: str) -> bool:
    """Whether a month's name is meant: "may", "march", "august" and abbreviations want a capital, or a preposition before them."""
    if word not in _ABBREVIATED_OR_WORD or context.capital(offset):
        return True
    return word in ("may", "march", "august") and _NOT_NAME.search(context.low, max(0, offset - 24), offset) is not None


def is_weekday(context: Context, offset: int, word: str) -> bool:
    """Whether a weekday's name is meant: abbreviations ("sun", "sat") want a capital."""
    return word not in _ABBREVIATED_DAYS or context.capital(offset)
