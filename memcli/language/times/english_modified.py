"""English "last", "this" and "next" with a unit, weekday, month, season or holiday; bare weekdays, the weekend, parts of this unit."""

from __future__ import annotations

import re

from memcli.atoms import Granularity
from memcli.language.times.constructors import season_of_year, span_from_anchor, unit_reading
from memcli.language.times.english_words import (
    DAY_PART,
    HOLIDAYS,
    MONTH,
    MONTHS,
    OF,
    SEASON,
    SEASONS,
    UNITS,
    WEEKDAY,
    WEEKDAYS,
    is_month,
    is_weekday,
)
from memcli.language.times.intervals import (
    DAY,
    WEEK,
    Unit,
    add_months,
    counted,
    monday,
    third,
    unit_holding,
    weekday_after,
    weekday_before,
)
from memcli.language.times.reading import MASK, UNRESOLVED, Context, Reading, Rule, UnresolvableError, alternatives, rule

_OVER = re.compile(r"\b(?:over|in|for|within|during|throughout|across)\s+$")


_PLANNED_FOR = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|prepar\w+|goals?|tasks?|schedules?|priorit\w+|agenda|ready|organi[sz]\w+|outline|targets?)\b[^.!?]{0,24}\bfor\s+$"
)
"""Before "the next week" where it may be the one after another week: "review it, and plan for the next week"."""
_POSSESSIVE = ("my", "his", "her", "their", "our", "your", "its", "a", "an", "whose", "every", "each", "another")
_OF_UNIT = re.compile(r"\s+(?:of|in)\b")


def _modified(match: re.Match[str], context: Context) -> Reading | None:
    """Read "last", "this", "next" and their like with a unit, weekday, month, season or holiday."""
    determiner, how, what = match["det"], match["how"], match["what"]
    place = match.start("what")
    weekday, month = WEEKDAYS.get(what), MONTHS.get(what)
    if weekday is not None and not is_weekday(context, place, what):
        return None
    if month is not None and what in ("may", "march", "august", "mar") and not context.capital(place):
        return None
    if month is not None and not is_month(context, place, what):
        return None
    if determiner in _POSSESSIVE or how in ("following", "previous", "that", "same"):
        return UNRESOLVED if weekday is not None or how in ("following", "previous", "that", "same") else MASK
    if how == "this" and determiner:
        return None
    if (
        how == "last"
        and determiner == "the"
        and (weekday is not None or what in ("week", "weekend", "day"))
        and _OF_UNIT.match(context.low, match.end())
    ):
        return None
    if how == "next" and determiner and (weekday is not None or what not in UNITS or what == "weekend"):
        return UNRESOLVED
    sign = {"last": -1, "past": -1, "this past": -1, "this last": -1, "this": 0}.get(how, 1)
    if weekday is not None:
        return _modified_weekday(weekday, sign, match, context)
    if month is not None:
        return _modified_month(month, sign, context)
    if what in SEASONS:
        return _modified_season(SEASONS[what], sign, match, context)
    if what in HOLIDAYS:
        return _modified_holiday(HOLIDAYS[what], sign, context)
    unit = UNITS[what][0]
    ahead_quarter = unit == "quarter" and sign > 0 and not OF.match(context.low, match.end())  # planned by the calendar's quarters
    if (
        (determiner == "the" and unit != "weekend" and not ahead_quarter)
        or (how in ("past", "this past", "this last") and unit != "weekend")
        or unit in ("day", "hour")
    ):
        return _span_of_one(unit, sign, match, context)
    if unit in ("minute", "second"):
        return None
    if UNITS[what][1] != 1:
        return UNRESOLVED
    if unit == "weekend" and how in ("coming", "upcoming", "this coming") and context.today.weekday() < 5:
        sign = 0
    start, end, granularity = counted(context.today, abs(sign), abs(sign), unit, sign or 1)
    return unit_reading(start, end, granularity, "week" if unit == "week" else "year" if unit == "year" else "fixed")


def _span_of_one(unit: Unit, sign: int, match: re.Match[str], context: Context) -> Reading | None:
    """Read a single unit: "the last week" reaches back from the anchor; "the last week of June" is somebody else's."""
    if OF.match(context.low, match.end()):
        return None if unit in ("day", "hour", "minute", "second") else MASK
    if match["how"] == "this":
        return None
    over = _OVER.search(context.low, max(0, match.start() - 12), match.start())
    if unit in ("day", "weekend") and sign > 0 and over and over[0].startswith("for"):
        return UNRESOLVED  # "plan for the next day": the day after another one
    if unit in ("day", "hour", "minute", "second", "weekend") and not over:
        return UNRESOLVED if unit == "day" and match["det"] == "the" and sign > 0 else None
    if sign > 0 and _PLANNED_FOR.search(context.low, max(0, match.start() - 48), match.start()):
        return UNRESOLVED
    if sign > 0 and match["how"] != "coming" and (not over or context.direction(match.start(), match.end()) == "past"):
        return UNRESOLVED
    return span_from_anchor(context, 1, unit, sign)


def _modified_weekday(weekday: int, sign: int, match: re.Match[str], context: Context) -> Reading:
    today = context.today
    if sign < 0:
        start = weekday_before(today, weekday)
    elif sign > 0:
        start = weekday_after(today, weekday)
    else:
        start = weekday_after(today - DAY, weekday)
        if start >= monday(today) + WEEK and context.direction(match.start(), match.end()) == "past":
            start = weekday_before(today, weekday)
    return unit_reading(start, start + DAY, "day", "day")


def _modified_month(month: int, sign: int, context: Context) -> Reading:
    this = context.today.replace(day=1)
    start = this.replace(month=month)
    if sign < 0 and start >= this:
        start = add_months(start, -12)
    elif sign > 0 and start <= this:
        start = add_months(start, 12)
    return unit_reading(start, add_months(start, 1), "month")


def _modified_season(first_month: int, sign: int, match: re.Match[str], context: Context) -> Reading:
    today = context.today
    all_of_them = [season_of_year(y, first_month) for y in range(today.year - 2, today.year + 3)]
    past = [s for s in all_of_them if s[1] <= today]
    coming = [s for s in all_of_them if s[0] > today]
    current = [s for s in all_of_them if s[0] <= today < s[1]]
    if sign < 0:
        chosen = past[-1]
    elif sign > 0:
        chosen = coming[0]
    elif current:
        chosen = current[0]
    else:
        direction = context.direction(match.start(), match.end())
        if direction == "past":
            chosen = past[-1]
        elif direction == "future":
            chosen = coming[0]
        elif first_month == 12:
            raise UnresolvableError
        else:
            chosen = season_of_year(today.year, first_month)
    return unit_reading(*chosen, "season")


def _modified_holiday(date: tuple[int, int], sign: int, context: Context) -> Reading:
    today = context.today
    start = today.replace(month=date[0], day=date[1])
    if sign < 0 and start >= today:
        start = add_months(start, -12)
    elif sign > 0 and start <= today:
        start = add_months(start, 12)
    return unit_reading(start, start + DAY, "day", "day")


def _beyond(match: re.Match[str], context: Context) -> Reading:
    """Read "the week before last", "the month after next", "the Friday before last"."""
    what = match["what"]
    sign = -1 if match["far"] == "before last" else 1
    if what in WEEKDAYS:
        nearest_one = weekday_after if sign > 0 else weekday_before
        start = nearest_one(context.today, WEEKDAYS[what]) + WEEK * sign
        return unit_reading(start, start + DAY, "day")
    if what in MONTHS or what in SEASONS:
        return UNRESOLVED
    start, end, granularity = counted(context.today, 2, 2, UNITS[what][0], sign)
    return unit_reading(start, end, granularity, "week" if what == "week" else "year" if what == "year" else "fixed")


def _within(match: re.Match[str], context: Context) -> Reading:
    """Read "earlier this week", "later this year": the part of the unit before, or after, the anchor's day."""
    start, end = unit_holding(context.today, UNITS[match["what"]][0])  # type: ignore[arg-type]
    start, end = (start, context.today) if match["part"] == "earlier" else (context.today + DAY, end)
    return unit_reading(start, end, "range") if start < end else UNRESOLVED


_THIRDS = {"beginning": 0, "start": 0, "middle": 1, "end": 2}


def _third_of_this(match: re.Match[str], context: Context) -> Reading:
    """Read "the end of the month": of the anchor's month, unless the tense says that it must be another one."""
    what = match["what"]
    unit: Granularity = UNITS[what][0]  # type: ignore[assignment]
    start, end = third(unit_holding(context.today, unit), unit, _THIRDS[match["third"]])
    direction = context.direction(match.start(), match.end())
    if (start > context.now and direction == "past") or (end <= context.now and direction in ("future", "present")):
        return UNRESOLVED
    return unit_reading(start, end, "range")


def _the_weekend(match: re.Match[str], context: Context) -> Reading:
    direction = context.direction(match.start(), match.end())
    weekday = context.today.weekday()
    if direction == "past" and weekday < 5:
        return unit_reading(*unit_holding(context.today - WEEK, "weekend"), "weekend")
    if direction in ("future", "present") and weekday < 5:
        return unit_reading(*unit_holding(context.today, "weekend"), "weekend")
    return UNRESOLVED


_ON = re.compile(r"\b(?:on|since|until|till|by|before|after)\s+$")
_IT_IS = re.compile(r"\b(?:it's|it is|it’s|today is|today's|is it|that's|that is|happy) (?:finally |already |only |just |a )?$")
_TOPIC = re.compile(r" (?:is|are) (?:my|the|our|a|an|always|for|when)\b")
_DATE_NEXT = re.compile(rf"\.?,?\s+(?:[0-9]{{1,2}}\b|{MONTH}\b)")


def _bare_weekday(match: re.Match[str], context: Context) -> Reading | None:
    word, place = match["wd"], match.start("wd")
    if not is_weekday(context, place, word):
        return None
    if len(word) < 6 and not (_ON.search(context.low, max(0, place - 12), place) or _DATE_NEXT.match(context.low, match.end())):
        return None
    weekday = WEEKDAYS[word]
    if match["det"]:
        # "the Friday before 3 May": only its neighbour can tell which one.
        return Reading(kind="weekday", key=(weekday,)) if match["det"].startswith("the") else UNRESOLVED
    direction = context.direction(match.start("wd"), match.end())
    if context.anchor is None or direction in ("unclear", "habit") or _TOPIC.match(context.low, match.end()):
        return Reading(kind="weekday", key=(weekday,))
    if _IT_IS.search(context.low, max(0, place - 24), place):
        today = context.today
        return unit_reading(today, today + DAY, "day", "weekday", (weekday,)) if today.weekday() == weekday else UNRESOLVED
    start = weekday_before(context.today, weekday) if direction == "past" else weekday_after(context.today, weekday)
    return unit_reading(start, start + DAY, "day", "weekday", (weekday,))


_DET = r"(?:(?P<det>the|my|his|her|their|our|your|its|an?|every|each|another|whose) )?"
_HOW = r"(?P<how>this past|this last|this coming|this next|last|past|this|next|coming|upcoming|previous|following|that|same)"
_WHAT = alternatives([*UNITS, *MONTHS, *WEEKDAYS, *SEASONS, *HOLIDAYS])
_MODIFIED_WORDS = [*UNITS, *MONTHS, *WEEKDAYS, *SEASONS, "christmas", "new", "halloween", "valentine"]


RULES: tuple[Rule, ...] = (
    rule(rf"\b{_DET}{_HOW} (?P<what>{_WHAT})\b(?: {DAY_PART}\b)?(?!-old)", _MODIFIED_WORDS, _modified),
    rule(
        rf"\b(?:the )?(?P<what>week|weekend|month|year|quarter|decade|{WEEKDAY}|{MONTH}|{SEASON}) (?P<far>before last|after next)\b",
        ["last", "next"],
        _beyond,
    ),
    rule(r"\b(?P<part>earlier|later) this (?P<what>week|month|year|quarter|decade)\b", ["earlier", "later"], _within),
    rule(
        r"\b(?P<third>beginning|start|middle|end) of (?:the|this) (?P<what>week|month|quarter|year|decade)\b",
        ["beginning", "start", "middle", "end"],
        _third_of_this,
    ),
    rule(r"\b(?:over|for|at|on|during) (?P<x>the weekend)(?! of)\b", ["weekend"], _the_weekend),
    rule(
        rf"\b(?:(?P<det>the|an?|one|some|any|that|another|which|what) )?(?P<wd>{WEEKDAY})\b(?: {DAY_PART}\b)?(?!-\w)",
        WEEKDAYS,
        _bare_weekday,
    ),
)
"""In order of precedence for expressions of equal length."""
