"""Timestamps of transcripts, whatever their form, as ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST = 1e8
"""Seconds; 3 March 1973. Smaller numbers in a time field are counters, years or "no time", not moments of a chat."""
_LATEST = 1e10
"""Seconds; 20 November 2286. Together they leave no doubt whether a number counts seconds, milli-, micro- or nanoseconds."""
_PER_SECOND = (1, 1_000, 1_000_000, 1_000_000_000)
_LONGEST = 80

UNREADABLE = ("timestamp could not be read; that message has no time", "timestamps could not be read; those messages have no time")
"""The warning for one message whose time cannot be told, and for several."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})",
        rf"{_DAY}[ .\-/]*(?:of )?{_MONTH}[ .\-/]*{_YEAR}",
        rf"{_MONTH}[ .\-/]*{_DAY}[ .\-/]+{_YEAR}",
        rf"{_YEAR}[ .\-/]*{_MONTH}[ .\-/]*{_DAY}",
        rf"(?P<left>\d{{1,2}})(?P<separator>[-/.])(?P<right>\d{{1,2}})(?P=separator){_YEAR}",
    )
)
_CLOCK = re.compile(
    r"(?<![\d:.])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"\s*(?P<half>[ap]\.?m\b\.?)?(?:\s*(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})(?![\d:-]))?(?![\d:])",
    re.IGNORECASE,
)
_FILLER = re.compile(r"\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|on|at)\b\.?|,", re.IGNORECASE)


def normalise(value: object) -> str | None:
    """The moment `value` stands for as ISO 8601, or None where it cannot be told.

    Numbers and numeric strings are seconds (milli-, micro-, nanoseconds by their size) since 1970 and give UTC
    (`+00:00`); eight digits that make a date are that date. Strings are ISO 8601 or a common way to write a date, with
    or without a clock time; an offset they give is kept, without one the result is a wall-clock time. A date whose day
    and month could be exchanged (`03/04/2024`) is not guessed.
    """
    if not isinstance(value, str):
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return _number(value) if abs(value) < _LATEST * _PER_SECOND[-1] else None
    if len(value) > _LONGEST:
        return None
    if value[4:5] == "-" and (moment := _iso(value)):
        return moment
    text = " ".join(value.split())
    try:
        if re.fullmatch(r"[0-9]{1,20}(?:\.[0-9]+)?", text):
            return _number(float(text) if "." in text else int(text))
        return _iso(text) or _written(text)
    except (ValueError, OverflowError):
        return None


def unreadable(value: object) -> bool:
    """Whether `value` was meant as a moment, but `normalise` cannot tell which; null, 0 and blank text mean that there is none."""
    given = bool(value.strip()) if isinstance(value, str) else value is not None and value != 0
    return given and normalise(value) is None


def _number(value: float) -> str | None:
    """The moment of a number below the last limit; whole numbers are reckoned exactly."""
    whole = int(value)
    if whole == value and 19_000_000 < whole < 22_000_000:
        try:
            return datetime(whole // 10_000, whole // 100 % 100, whole % 100).isoformat()
        except ValueError:
            return None
    for per_second in _PER_SECOND:
        if _EARLIEST * per_second <= value < _LATEST * per_second:
            return (_EPOCH + timedelta(seconds=whole // per_second, microseconds=_micros(value, whole, per_second))).isoformat()
    return None


def _micros(value: float, whole: int, per_second: int) -> int:
    if per_second == 1:
        return round((value - whole) * 1_000_000)
    return whole % per_second * 1_000_000 // per_second


def _iso(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
        # Writing the moment takes longer than reading it, and the most common form is only to get its offset spelled out.
        if len(text) == 20 and text[19] == "Z" and text[4] == text[7] == "-" and text[10] == "T" and text[13] == text[16] == ":":
            return text[:19] + "+00:00"
        return moment.isoformat()
    except ValueError:
        return None


def _written(text: str) -> str | None:
    """A date with month name or slashes, with or without a clock time; raises ValueError for impossible dates."""
    clock = next((m for m in _CLOCK.finditer(text) if m["minute"] or m["half"]), None)
    rest = text[: clock.start()] + " " + text[clock.end() :] if clock else text
    rest = " ".join(_FILLER.sub(" ", rest).split()).removesuffix(" T").removesuffix("T")
    for pattern in _DATES:
        if match := pattern.fullmatch(rest):
            day = _day_of(match.groupdict())
            return _at(day, clock).isoformat() if day else None
    return None


def _day_of(found: dict[str, str | None]) -> datetime | None:
    year = int(found["year"] or 0)
    if name := found.get("name"):
        return datetime(year, _MONTHS.index(name[:3].lower()) + 1, int(found["day"] or 0))
    if month := found.get("month"):
        return datetime(year, int(month), int(found["day"] or 0))
    left, right = int(found["left"] or 0), int(found["right"] or 0)
    if found["separator"] == "." or left > 12 or left == right:
        return datetime(year, right, left)
    return datetime(year, left, right) if right > 12 else None


def _at(day: datetime, clock: re.Match[str] | None) -> datetime:
    if clock is None:
        return day
    hour = int(clock["hour"])
    if clock["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if clock["half"][0] in "pP" else 0)
    micros = int((clock["fraction"] or "0").ljust(6, "0")[:6])
    moment = day.replace(hour=hour, minute=int(clock["minute"] or 0), second=int(clock["second"] or 0), microsecond=micros)
    return moment.replace(tzinfo=_zone(clock["zone"])) if clock["zone"] else moment


def _zone(text: str) -> timezone:
    if text[0] not in "+-":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
