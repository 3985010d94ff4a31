"""Dates and clock times written in digits: ISO 8601, day/month/year in any order, 7 pm, 15:30, noon."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memcli.language.times.intervals import DAY
from memcli.language.times.reading import MASK, UNRESOLVED, Context, Reading, Rule, rule


def _iso(match: re.Match[str], _: Context) -> Reading:
    day = datetime(int(match["y"]), int(match["mo"]), int(match["d"]))
    if match["h"] is None:
        return Reading(day, day + DAY, "day", kind="day")
    written = f"{match['y']}-{match['mo']}-{match['d']}T{match['h']}:{match['mi']}:{match['s'] or '00'}{(match['z'] or '').upper()}"
    moment = datetime.fromisoformat(written)
    zone, moment = moment.tzinfo, moment.replace(tzinfo=None)
    if match["s"] is None:
        return Reading(moment, moment + timedelta(minutes=1), "minute", zone=zone)
    return Reading(moment, moment + timedelta(seconds=1), "instant", zone=zone)


def _year_first(match: re.Match[str], _: Context) -> Reading:
    start = datetime(int(match["y"]), int(match["a"] or match["c"]), int(match["b"] or match["d"]))
    return Reading(start, start + DAY, "day", kind="day")


def _slashed(match: re.Match[str], _: Context) -> Reading:
    a, b, year = int(match["a"]), int(match["b"]), int(match["y"])
    if len(match["y"]) == 2:
        # POSIX: 69 to 99 are the 1900s, 0 to 68 the 2000s.
        year += 1900 if year >= 69 else 2000
    if match["sep"] == "." or a > 12:
        day, month = a, b
    elif b > 12 or a == b:
        month, day = a, b
    else:
        return UNRESOLVED
    start = datetime(year, month, day)
    return Reading(start, start + DAY, "day", kind="day")


_ZONE = re.compile(r"\s?(?:utc|gmt|e[sd]t|c[sd]t|m[sd]t|p[sd]t|cet|cest|bst|ist|jst|aest|aedt)\b")


def _clock(match: re.Match[str], context: Context) -> Reading:
    if _ZONE.match(context.low, match.end()):
        return UNRESOLVED
    if match["noon"]:
        return Reading(kind="clock", key=(12, 0, 1, 0))
    hour, minute = int(match["h"]), int(match["mi"] or 0)
    if not 1 <= hour <= 12 or minute > 59:
        return UNRESOLVED
    hour = hour % 12 + (12 if match["ap"][0] == "p" else 0)
    return Reading(kind="clock", key=(hour, minute, 0 if match["mi"] else 1, 0))


def _bare_clock(match: re.Match[str], context: Context) -> Reading:
    """15:30 is clear, 3:30 and "8" or "8 o'clock" could be either half of the day."""
    hour, minute = int(match["h"]), int(match["mi"] or 0)
    if hour > 23 or minute > 59:
        return MASK
    if _ZONE.match(context.low, match.end()):
        return UNRESOLVED
    clear = match["mi"] is not None and (hour > 12 or hour == 0 or match["h"][0] == "0")
    said = (match["at"] is not None and match["mi"] is not None) or match["oclock"] is not None
    return Reading(kind="clock", key=(hour, minute, 0 if match["mi"] else 1, (0 if said else 1) if clear else (2 if said else 3)))


RULES: tuple[Rule, ...] = (
    rule(
        r"(?<![\w.-])(?P<y>[0-9]{4})-(?P<mo>[0-9]{2})-(?P<d>[0-9]{2})"
        r"(?:[t ](?P<h>[0-9]{2}):(?P<mi>[0-9]{2})(?::(?P<s>[0-9]{2})(?:[.,][0-9]+)?)?(?P<z>z|[+-][0-9]{2}:?[0-9]{2})?)?(?![\w-])",
        ["#"],
        _iso,
    ),
    rule(
        r"(?<![\w./-])(?P<y>(?:19|20)[0-9]{2})(?:/(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})|\.(?P<c>[0-9]{2})\.(?P<d>[0-9]{2}))(?![\w/-]|\.[0-9])",
        ["#"],
        _year_first,
    ),
    rule(
        r"(?<![\w./:-])(?P<a>[0-9]{1,2})(?P<sep>[/.-])(?P<b>[0-9]{1,2})(?P=sep)(?P<y>[0-9]{4}|(?<=/)[0-9]{2})(?![\w/-]|\.[0-9])",
        ["#"],
        _slashed,
    ),
    rule(
        r"(?<![\w.:,$€£/-])(?P<h>[0-9]{1,2})(?:[:.](?P<mi>[0-9]{2}))?\s?(?P<ap>[ap]\.m\.|[ap]m)(?!\w)|\b(?P<noon>noon)\b(?<!afternoon)",
        ["am", "pm", "a", "p", "noon"],
        _clock,
    ),
    rule(
        r"(?:\b(?P<at>at|by|around|until|till|from|before|after|um|a las|à) )?(?<![\w.:,$€£/-])"
        r"(?P<x>(?P<h>[0-9]{1,2})(?::(?P<mi>[0-9]{2})|(?P<oclock> o['’]?clock)|(?<=\bat [0-9])|(?<=\bat [0-9]{2})))"
        r"(?![\w%]|[:.,/-][0-9]|\s?(?:%|percent\b|[ap]\.?m\b))",
        ["#"],
        _bare_clock,
    ),
)
"""In order of precedence for expressions of equal length."""

_MORNING = re.compile(r"\b(?:morning|früh|mañana)$")
_LATE = re.compile(r"(?:\b(?:tonight|tonite|afternoon|evening|night)|abend|nachmittag)$")


def clock_on_day(key: tuple[int, ...], day: datetime, words: str) -> Reading | None:
    """A clock key on a day that the (lower-case) `words` name; None if the half of the day stays unknown."""
    hour, minute, to_hour, doubt = key
    if doubt >= 2:
        if _LATE.search(words):
            hour = hour % 12 + 12
        elif _MORNING.search(words):
            hour %= 12
        else:
            return None
    start = day + timedelta(hours=hour, minutes=minute)
    if to_hour:
        return Reading(start, start + timedelta(hours=1), "hour")
    return Reading(start, start + timedelta(minutes=1), "minute")
