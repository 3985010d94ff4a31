"""Readings of days, months, years and counted units, as the rules of all languages build them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from memcli.atoms import Granularity
from memcli.language.times.intervals import DAY, DAYS_PER_UNIT, Unit, add_months, counted, midnight, move, nearest
from memcli.language.times.reading import Context, Kind, Reading
from memcli.language.times.tense import Direction

SOON = timedelta(days=243)
"""About eight months: how far ahead a date without a year is looked for where no verb tells its direction."""

NEAR = timedelta(days=100)
"""How near a date without a year must be to be meant whatever a verb says: about a season, under the half year at which the
coming date and the one just past are as far. A tense is read from one verb only and may be that of another clause."""

_LOOKS_AHEAD: frozenset[Direction] = frozenset({"unclear", "present", "ahead"})


def day_reading(context: Context, shift: int) -> Reading:
    """The anchor's day moved by `shift` days."""
    start = context.today + timedelta(days=shift)
    return Reading(start, start + DAY, "day", relative=True, kind="day")


def unit_reading(start: datetime, end: datetime, unit: Granularity, kind: Kind = "fixed", key: tuple[int, ...] = ()) -> Reading:
    """A reading that was resolved against the anchor."""
    return Reading(start, end, unit, relative=True, kind=kind, key=key)


def counted_reading(context: Context, low: float, high: float, unit: Unit, sign: int) -> Reading:
    """`low` to `high` units before (-1) or after (1) the anchor; clock units need the anchor's time of day."""
    clock = unit in ("hour", "minute", "second") or (unit == "day" and low % 1 != 0)
    moment = context.instant if clock else context.today
    start, end, granularity = counted(moment, low, high, unit, sign)
    return Reading(start, end, granularity, relative=True, kind="ago" if sign < 0 else "fixed", count=(low, high), unit=unit)


def span_from_anchor(context: Context, count: float, unit: Unit, sign: int) -> Reading:
    """From `count` units back to the anchor, or from the anchor's day on; whole days where units are not of the clock."""
    if unit in ("hour", "minute", "second"):
        other = move(context.instant, count * sign, unit)[0]
        start, end = min(other, context.now), max(other, context.now)
    elif sign < 0:
        start = midnight(move(context.today, -count, unit)[0])
        end = context.now if context.now > context.today else context.today + DAY
    else:
        start, end = context.today, midnight(move(context.today, count, unit)[0]) + DAY
    return Reading(start, end, "range", relative=True, days=count * DAYS_PER_UNIT[unit])


def season_of_year(year: int, first_month: int) -> tuple[datetime, datetime]:
    """The season that begins in that month of that year."""
    start = datetime(year, first_month, 1)
    return start, add_months(start, 3)


def absolute(start: datetime, end: datetime, granularity: Granularity, kind: Kind = "fixed", key: tuple[int, ...] = ()) -> Reading:
    """A reading that needs no anchor."""
    return Reading(start, end, granularity, kind=kind, key=key)


def date_reading(context: Context, month: int, day: int, year: int | None, direction: Callable[[], Direction]) -> Reading:
    """A day of a month; without a year the nearest such day, or where that is more than `NEAR` away the one the tense tells.

    Where no verb tells the direction either, a date is more often announced than remembered: the coming one if it is within
    `SOON`, else the nearest.
    """
    datetime(2000, month, day)
    if year is not None:
        start = datetime(year, month, day)
        return absolute(start, start + DAY, "day", "day")
    if context.anchor is None:
        return Reading(kind="date", key=(month, day))
    # A leap day may be eight years away.
    years = [y for y in range(context.today.year - 8, context.today.year + 9) if 1 <= y < 9999]
    days = [datetime(y, month, day) for y in years if (month, day) != (2, 29) or (y % 4 == 0 and (y % 100 != 0 or y % 400 == 0))]
    way = direction()
    if way == "habit":
        return Reading(kind="date", key=(month, day))
    candidates = [(d, d + DAY) for d in days]
    closest = nearest(candidates, context.today, None)
    if abs(closest[0] - context.today) <= NEAR:
        return unit_reading(*closest, "day", "date", (month, day))
    coming = nearest(candidates, context.today, "future")
    chosen = coming if way in _LOOKS_AHEAD and coming[0] - context.today <= SOON else nearest(candidates, context.today, way)
    return unit_reading(*chosen, "day", "date", (month, day))


def month_reading(context: Context, month: int, direction: Callable[[], Direction]) -> Reading:
    """A month without a year: the next if the text speaks of the future or present, else the latest not after the anchor's month."""
    if context.anchor is None:
        return Reading(kind="month", key=(month,))
    way = direction()
    if way == "habit":
        return Reading(kind="month", key=(month,))
    this = context.today.replace(day=1)
    start = this.replace(month=month)
    if way in ("future", "present", "ahead"):
        start = start if start >= this else add_months(start, 12)
    elif start > this:
        start = add_months(start, -12)
    return unit_reading(start, add_months(start, 1), "month", "month", (month,))


def month_of_year(year: int, month: int) -> Reading:
    """That month of that year."""
    start = datetime(year, month, 1)
    return absolute(start, add_months(start, 1), "month")


def year_reading(year: int) -> Reading:
    """That calendar year."""
    return absolute(datetime(year, 1, 1), datetime(year + 1, 1, 1), "year", "year")


def quarter_of_year(year: int, number: int) -> Reading:
    """That quarter (1 to 4) of that year."""
    start = datetime(year, number * 3 - 2, 1)
    return absolute(start, add_months(start, 3), "quarter")
