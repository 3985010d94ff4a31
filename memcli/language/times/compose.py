"""Join neighbouring readings into one: "June" + "of last year", "two days" + "after" + "March 3", "since" + "2016"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from memcli.language.times.constructors import quarter_of_year, season_of_year
from memcli.language.times.english_dates import NTH_UNITS
from memcli.language.times.intervals import DAY, WEEK, Unit, add_months, counted, move, third, weekday_after, weekday_before
from memcli.language.times.numeric import clock_on_day
from memcli.language.times.reading import UNRESOLVED, Context, Found, Reading, UnresolvableError

_Merge = Callable[[Found, Found, str, Context], Reading | None]

_OF_YEAR = re.compile(r",? (?:of |in |im |en |de |del |von |di )?$")
_OF_WEEK = re.compile(r",? (?:of |on )?$")
_OF_DATE = re.compile(r",? (?:the |den |le |el )?$")
_OF_NTH = re.compile(r" (?:of|in) (?:the )?$")
_AT = re.compile(r",? ?(?:(?:at|around|about|by|from|on|@|um|a las|à) )?$")
_TO_BASE = re.compile(r" (?P<way>before|after|from|prior to|following) (?:the )?$")
_UNITS_SMALLER_THAN_DAY = ("second", "minute", "hour")
_CALENDAR_ORDER = ("minute", "hour", "day", "weekend", "week", "month", "season", "quarter", "year", "decade")


def compose(found: list[Found], context: Context) -> list[Found]:
    """Readings after composition, in the order of the text. Readings must not overlap; nor will the result."""
    found = _fold(found, context, _join)
    found = _fold(found, context, _count_from)
    found = [_thirds(f, previous, context) for f, previous in zip(found, [None, *found], strict=False)]
    found = _fold(found, context, _range)
    return [_bound(f, previous, context) for f, previous in zip(found, [None, *found], strict=False)]


def attempt(read: Callable[[], Reading | None]) -> Reading | None:
    """What `read` returns; unresolved where it says so, where the calendar ends or where a date does not exist."""
    try:
        return read()
    except (UnresolvableError, OverflowError, ValueError):
        return UNRESOLVED


def _fold(found: list[Found], context: Context, merge: _Merge) -> list[Found]:
    if len(found) < 2:
        return found
    out: list[Found] = []
    for item in found:
        joined = item
        while out:
            left = out[-1]
            gap = context.low[left.finish : joined.begin]
            if len(gap) > 16:
                break
            reading = attempt(lambda left=left, joined=joined, gap=gap: merge(left, joined, gap, context))  # type: ignore[misc]
            if reading is None:
                break
            joined = Found(_opening(left, context) if merge is _range else left.begin, joined.finish, reading)
            out.pop()
        out.append(joined)
    return out


def _join(left: Found, right: Found, gap: str, context: Context) -> Reading | None:
    a, b = left.reading, right.reading
    if "clock" in (a.kind, b.kind) and _AT.match(gap):
        return _clock(left, right, context)
    if b.kind == "year" and a.kind in ("month", "date", "season", "quarter") and _OF_YEAR.match(gap):
        return _in_year(a, b)
    if a.kind == "year" and b.kind in ("month", "date", "season", "quarter") and _OF_YEAR.match(gap):
        return _in_year(b, a)
    if a.kind == "weekday" and b.kind in ("date", "day") and not gap.startswith(" on") and _OF_DATE.match(gap):
        return _weekday_of_date(a, b)
    if b.kind == "week" and a.kind == "weekday" and _OF_WEEK.match(gap):
        return _day_of_week(b, a.key[0])
    if a.kind in ("week", "ago") and b.kind == "weekday" and _OF_WEEK.match(gap):
        if a.kind == "week" or (a.unit == "week" and a.granularity == "week" and "on" in gap):
            return _day_of_week(a, b.key[0])
        return UNRESOLVED
    if a.kind == "ago" and a.granularity == "year" and b.kind in ("date", "month") and gap in (" on ", " in "):
        return _in_year(b, a)
    if a.kind == "ago" and b.kind == "day" and gap == " " and a.count and a.unit and context.low.endswith("ago", 0, left.finish):
        if b.start is None or a.count[0] != a.count[1] or a.unit in _UNITS_SMALLER_THAN_DAY:
            return UNRESOLVED
        start = move(b.start, -a.count[0], a.unit)[0]
        return Reading(start, start + DAY, "day", relative=True)
    if b.kind == "monthday" and a.granularity == "month" and gap in (" on ", ", on "):
        return _nth_of(b, a)
    if a.kind == "nth" and _OF_NTH.match(gap):
        return _nth_of(a, b)
    return None


def _clock(left: Found, right: Found, context: Context) -> Reading | None:
    clock, day = (left, right) if left.reading.kind == "clock" else (right, left)
    if day.reading.granularity != "day" or day.reading.start is None or day.reading.end is None:
        return UNRESOLVED if day.reading.kind in ("weekday", "date") else None
    reading = clock_on_day(clock.reading.key, day.reading.start, context.low[day.begin : day.finish])
    return replace(reading, relative=day.reading.relative) if reading else None


def _in_year(part: Reading, year: Reading) -> Reading:
    if year.start is None:
        return UNRESOLVED
    number = year.start.year
    if part.kind == "quarter":
        return replace(quarter_of_year(number, part.key[0]), relative=year.relative)
    if part.kind == "date":
        start = datetime(number, part.key[0], part.key[1])
        return Reading(start, start + DAY, "day", relative=year.relative, kind="day")
    if part.kind == "season":
        if part.key[0] == 12:
            return UNRESOLVED
        return Reading(*season_of_year(number, part.key[0]), "season", relative=year.relative)
    start = datetime(number, part.key[0], 1)
    return Reading(start, add_months(start, 1), "month", relative=year.relative)


def _weekday_of_date(weekday: Reading, date: Reading) -> Reading | None:
    if date.kind == "day" and date.relative:
        return None
    if date.start is None:
        return date
    return date if date.start.weekday() == weekday.key[0] else UNRESOLVED


def _day_of_week(week: Reading, weekday: int) -> Reading:
    if week.start is None:
        return UNRESOLVED
    start = week.start + timedelta(days=weekday)
    return Reading(start, start + DAY, "day", relative=week.relative, kind="day")


def _nth_of(nth: Reading, base: Reading) -> Reading:
    number, what = nth.key
    if base.start is None or base.end is None or base.granularity not in ("month", "year"):
        return UNRESOLVED
    unit = NTH_UNITS[what - 10] if what >= 10 else "day"
    if base.granularity == "year" and unit != "day":
        return UNRESOLVED
    last = base.end - DAY
    if what == 12 or unit == "week":
        size = DAY if what == 12 else WEEK
        start = base.start + size * (number - 1) if number > 0 else base.end - size
        end = start + size
    else:
        weekday = what if what < 10 else 5
        first = weekday_after(base.start - DAY, weekday)
        start = first + WEEK * (number - 1) if number > 0 else weekday_before(last + DAY, weekday)
        end = start + (DAY if what < 10 else 2 * DAY)
    if start >= base.end:
        return UNRESOLVED
    granularity = {"week": "range", "weekend": "weekend", "day": "day"}[unit]
    return Reading(start, end, granularity, relative=base.relative)  # type: ignore[arg-type]


def _count_from(left: Found, right: Found, gap: str, context: Context) -> Reading | None:
    """Counts and steps from a date: "two days after March 3", "the Friday before 14 August"."""
    a, b = left.reading, right.reading
    if a.kind == "step" and gap in (" ", " the "):
        sign = a.key[0]
        if b.start is None or b.granularity is None:
            return UNRESOLVED
        if a.key[1] >= 0:
            if b.granularity not in ("day", "hour", "minute"):
                return UNRESOLVED
            start = weekday_before(b.start, a.key[1]) if sign < 0 else weekday_after(b.start, a.key[1])
            return Reading(start, start + DAY, "day", relative=b.relative)
        return _from_base(b, abs(sign), abs(sign), a.unit, sign or 1)
    way = _TO_BASE.match(gap)
    if a.kind == "duration" and way and way["way"] == "from" and a.count and a.unit:
        if context.low.endswith("for ", 0, left.begin):
            return None
        if b.start is None or b.granularity != "day" or a.count[0] != a.count[1] or a.unit in _UNITS_SMALLER_THAN_DAY:
            return UNRESOLVED
        start = move(b.start, a.count[0], a.unit)[0]
        return Reading(start, start + DAY, "day", relative=b.relative)
    if a.kind == "duration" and way and a.count:
        return _from_base(b, *a.count, a.unit, -1 if way["way"] in ("before", "prior to") else 1)
    return None


def _from_base(base: Reading, low: float, high: float, unit: Unit | None, sign: int) -> Reading:
    if base.start is None or base.granularity not in _CALENDAR_ORDER or unit not in _CALENDAR_ORDER:
        return UNRESOLVED
    if _CALENDAR_ORDER.index(unit) < _CALENDAR_ORDER.index(base.granularity):
        return UNRESOLVED
    return Reading(*counted(base.start, low, high, unit, sign), relative=base.relative)


_THIRD = re.compile(
    r"\b(?:the )?(?:(?:very )?(?P<first>early|beginning of|start of)|(?P<middle>mid|middle of)|"
    r"(?P<last>late|(?:very )?end of))[ -](?:the |in )?$"
)


def _thirds(item: Found, previous: Found | None, context: Context) -> Found:
    reading = item.reading
    if reading.granularity not in ("week", "month", "season", "quarter", "year", "decade"):
        return item
    prefix = _THIRD.search(context.low, max(previous.finish if previous else 0, item.begin - 28), item.begin)
    if prefix is None or reading.start is None or reading.end is None:
        return item
    which = 0 if prefix["first"] else 1 if prefix["middle"] else 2
    start, end = third((reading.start, reading.end), reading.granularity, which)
    begin = prefix.start() + (4 if prefix[0].startswith("the ") else 0)
    return Found(begin, item.finish, Reading(start, end, "range", relative=reading.relative))


_OPENING = re.compile(r"\b(?:between|from|entre|zwischen|von|vom|desde|de|del|du)\s+(?:the |el |le |dem )?$")
_TO = re.compile(r"(?: ?[-–—] ?| (?:to|until|till|through|bis|hasta|al|au|à) (?:the |zum )?)$")
_AND = re.compile(r" (?:and|und|y|et|e) (?:the )?$")


def _opening(item: Found, context: Context) -> int:
    """Where the "between" or "from" before an item begins; its own begin without one."""
    opening = _OPENING.search(context.low, max(0, item.begin - 16), item.begin)
    return opening.start() if opening else item.begin


def _range(left: Found, right: Found, gap: str, context: Context) -> Reading | None:
    a, b = left.reading, right.reading
    opening = _OPENING.search(context.low, max(0, left.begin - 16), left.begin)
    word = opening[0].split()[0] if opening else ""
    if not (_TO.match(gap) or (_AND.match(gap) and word in ("between", "zwischen", "entre"))):
        return None
    if a.start is None or b.end is None or a.end is None or b.start is None:
        return None
    start, end = a.start, b.end
    yearless = ("month", "date")
    if a.kind not in yearless and b.kind in yearless:
        # "from 3 May 2023 to 5 June": the second takes the first one's year.
        second = _in_year(b, Reading(start))
        if second.start and second.end:
            end = second.end if second.start > start else add_months(second.end, 12)
    elif a.kind in yearless and b.kind not in yearless and not b.relative:
        start = _in_year(a, Reading(b.start)).start or start
        start = start if start < b.start else add_months(start, -12)
    elif a.kind in yearless and start >= b.start:
        ahead = context.direction(left.begin, right.finish) == "future"
        start, end = (start, add_months(end, 12)) if ahead else (add_months(start, -12), end)
    if start >= end:
        return UNRESOLVED
    return Reading(start, end, "range", relative=a.relative or b.relative)


_BOUND = re.compile(
    r"(?:\b(?:ever )?(?P<since>since|seit|desde|depuis)|\b(?P<until>until|till|til|up to|by|bis|hasta|jusqu['’]en|jusqu['’]au|até)"
    r"|\b(?P<before>before|prior to|antes de|avant)|\b(?P<after>after)|\b(?P<onward>from|ab))"
    r" (?:the |about |around |early |le |el |dem |im jahre? |a |al |o |zum )?$|(?P<han>[自从])$"
)
_ONWARD = re.compile(r" (?:on|onwards?)\b| an\b| (?:until|till|to|up to) (?:now|date|the present)\b")
_HAN_SINCE = re.compile(r"以来|起|开始")


def _bound(item: Found, previous: Found | None, context: Context) -> Found:
    reading = item.reading
    if reading.start is None or reading.end is None or reading.granularity is None:
        return item
    prefix = _BOUND.search(context.low, max(previous.finish if previous else 0, item.begin - 22), item.begin)
    if prefix is None:
        return item
    begin, finish = prefix.start(), item.finish
    start, end = reading.start, reading.end
    opened = Reading(granularity=reading.granularity, relative=reading.relative, zone=reading.zone)
    if prefix["since"]:
        return Found(begin, finish, replace(opened, start=start))
    if prefix["until"]:
        return Found(begin, finish, replace(opened, end=end))
    if prefix["before"]:
        return Found(begin, finish, replace(opened, end=start))
    if prefix["after"]:
        return Found(begin, finish, replace(opened, start=end))
    suffix = _HAN_SINCE.match(context.low, finish) if prefix["han"] else _ONWARD.match(context.low, finish)
    if suffix is None and prefix["han"] != "自":
        return item
    return Found(begin, suffix.end() if suffix else finish, replace(opened, start=start))
