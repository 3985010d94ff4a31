"""Say an interval or a cue as people answer "when": "7 May 2023", "The week before 9 June 2023", "Since 2016"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memcli.atoms import Granularity, TimeCue
from memcli.language.times.english_words import MONTH_NAMES, SEASONS, WEEKDAY_NAMES, WEEKDAYS
from memcli.language.times.intervals import WEEK, add_months, monday, third, unit_holding
from memcli.language.times.reading import alternatives, parse_anchor

_COUNTS = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SEASON_NAMES = {month: name.capitalize() for name, month in SEASONS.items() if name != "fall"}


def describe_interval(start: str | None, end: str | None, granularity: Granularity | None, anchor: str | None = None) -> str:
    """A half-open ISO interval in English, at its granularity; "" if both ends are None or cannot be read.

    With the anchor it was resolved against, a week or weekend is told by its distance from it: "The week before 9 June 2023".
    """
    first, last = parse_anchor(start)[0], parse_anchor(end)[0]
    if first is None:
        return "" if last is None else f"Until {_point(_before(last), granularity)}"
    if last is None:
        return f"Since {_point(first, granularity)}"
    if granularity in ("week", "weekend"):
        return _week(first, granularity, parse_anchor(anchor)[0])
    if granularity == "range" or granularity is None:
        return _range(first, last)
    return _point(first, granularity)


def describe_cue(cue: TimeCue) -> str:
    """A cue in English, relative to the day of its conversation where its words were: "The Friday before 14 August 2023".

    Durations and unresolved cues are told in their own words.
    """
    if not cue.resolved:
        return cue.expression
    words = cue.expression.lower()
    start, end, anchor = (parse_anchor(t)[0] for t in (cue.start, cue.end, cue.anchor))
    if start is None and end is not None and words.startswith("before"):
        return f"Before {_point(end, cue.granularity)}"
    if end is None and start is not None and words.startswith("after"):
        return f"After {_point(_before(start), cue.granularity)}"
    if anchor is None and _FROM_DATE.fullmatch(words):
        return cue.expression[0].upper() + cue.expression[1:]
    if anchor is not None and start is not None and end is not None:
        weekday = _RELATIVE_WEEKDAY.search(words)
        if cue.granularity == "day" and weekday and start.date() != anchor.date() and abs((start.date() - anchor.date()).days) <= 7:
            return f"The {WEEKDAY_NAMES[start.weekday()]} {'before' if start < anchor else 'after'} {_day(anchor)}"
        few = _FEW.fullmatch(words)
        if cue.granularity == "range" and few:
            return f"{few['count'].capitalize()} {'before' if few['back'] else 'after'} {_day(anchor)}"
    return describe_interval(cue.start, cue.end, cue.granularity, cue.anchor)


_RELATIVE_WEEKDAY = re.compile(
    rf"^(?:(?:the )?(?:last|past|this past|this|next|coming|upcoming|this coming) )?{alternatives(WEEKDAYS)}"
    r"(?: (?:morning|afternoon|evening|night))?$"
)
_FROM_DATE = re.compile(rf"the (?:week|weekend|{alternatives(WEEKDAYS)}) (?:before|after) .*[0-9]{{4}}")
_FEW = re.compile(r"(?:in )?(?P<count>(?:a few|few|several) (?:days|weeks|months|years))(?: (?:(?P<back>ago|back)|from now|from today))?")


def _before(end: datetime) -> datetime:
    return end - timedelta(microseconds=1) if end > datetime.min else end


def _day(moment: datetime) -> str:
    return f"{moment.day} {MONTH_NAMES[moment.month - 1]} {moment.year}"


def _point(start: datetime, granularity: Granularity | None) -> str:
    """The calendar unit that begins at, or holds, a moment."""
    if granularity == "month":
        return f"{MONTH_NAMES[start.month - 1]} {start.year}"
    if granularity == "year":
        return str(start.year)
    if granularity == "decade":
        return f"the {start.year // 10 * 10}s"
    if granularity == "quarter":
        return f"Q{(start.month - 1) // 3 + 1} {start.year}"
    if granularity == "season":
        return _season(start)
    if granularity == "hour":
        return f"{_day(start)} at {start.hour % 12 or 12} {'am' if start.hour < 12 else 'pm'}"
    if granularity == "minute":
        return f"{_day(start)} at {start:%H:%M}"
    if granularity == "instant":
        return f"{_day(start)} at {start:%H:%M:%S}"
    return _day(start)


def _season(start: datetime) -> str:
    first = add_months(start.replace(day=1), -(start.month % 3)) if start.year > 1 or start.month > 2 else start
    name = _SEASON_NAMES.get(first.month, "Winter")
    return f"{name} {first.year}-{first.year + 1}" if name == "Winter" else f"{name} {first.year}"


def _week(start: datetime, granularity: Granularity, anchor: datetime | None) -> str:
    if anchor is None:
        return f"The {granularity} of {_day(start)}"
    weeks = (monday(start) - monday(anchor)) // WEEK if min(start, anchor) >= datetime(1, 1, 8) else 0
    if weeks == 0:
        return f"The {granularity} of {_day(anchor if granularity == 'week' else start)}"
    side = "before" if weeks < 0 else "after"
    if abs(weeks) == 1:
        return f"The {granularity} {side} {_day(anchor)}"
    count = _COUNTS[abs(weeks)].capitalize() if abs(weeks) < len(_COUNTS) else str(abs(weeks))
    return f"{count} {granularity}s {side} {_day(anchor)}"


def _range(start: datetime, end: datetime) -> str:
    for name, which in (("Early", 0), ("Mid", 1), ("Late", 2)):
        for unit in ("month", "year"):
            if _is_third(start, end, unit, which):
                label = _point(start, unit)
                return f"Mid-{label}" if which == 1 else f"{name} {label}"
    last = _before(end)
    whole = start.time() == end.time() == datetime.min.time()
    if whole and start.day == end.day == 1:
        unit_name: Granularity = "year" if start.month == end.month == 1 else "month"
        first_label, last_label = _point(start, unit_name), _point(last, unit_name)
    else:
        first_label, last_label = _day(start), _day(last)
    return first_label if first_label == last_label else f"From {first_label} to {last_label}"


def _is_third(start: datetime, end: datetime, unit: Granularity, which: int) -> bool:
    try:
        return third(unit_holding(start, unit), unit, which) == (start, end)
    except (OverflowError, ValueError):
        return False
