"""Calendar arithmetic on naive wall-clock datetimes and half-open intervals.

Everything here raises `OverflowError` or `ValueError` where the calendar ends or a date does not exist; callers take
either to mean that the expression cannot be resolved.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta
from typing import Literal

from memcli.atoms import Granularity

Interval = tuple[datetime, datetime]
Unit = Literal["second", "minute", "hour", "day", "weekend", "week", "month", "quarter", "year", "decade"]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)

DAYS_PER_UNIT: dict[Unit, float] = {
    "second": 1 / 86400,
    "minute": 1 / 1440,
    "hour": 1 / 24,
    "day": 1.0,
    "weekend": 2.0,
    "week": 7.0,
    "month": 365.25 / 12,
    "quarter": 365.25 / 4,
    "year": 365.25,
    "decade": 3652.5,
}
"""Mean length of a unit in days, by the Julian year of 365.25 days."""

_MONTHS_PER_UNIT: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


def midnight(moment: datetime) -> datetime:
    """The start of the day that holds `moment`."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def monday(moment: datetime) -> datetime:
    """The start of the Monday-to-Sunday week that holds `moment`."""
    return midnight(moment) - timedelta(days=moment.weekday())


def add_months(moment: datetime, months: int) -> datetime:
    """`moment` moved by calendar months; a day the target month lacks becomes its last day."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("year out of range")
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def unit_holding(moment: datetime, unit: Granularity) -> Interval:
    """The calendar unit that holds `moment`: its minute, day, week, month, season and so on."""
    if unit == "minute":
        start = moment.replace(second=0, microsecond=0)
        return start, start + timedelta(minutes=1)
    if unit == "hour":
        start = moment.replace(minute=0, second=0, microsecond=0)
        return start, start + timedelta(hours=1)
    day = midnight(moment)
    if unit == "day":
        return day, day + DAY
    if unit == "week":
        return monday(day), monday(day) + WEEK
    if unit == "weekend":
        saturday = monday(day) + timedelta(days=5)
        return saturday, saturday + 2 * DAY
    first = day.replace(day=1)
    if unit == "month":
        return first, add_months(first, 1)
    if unit == "quarter":
        start = first.replace(month=(day.month - 1) // 3 * 3 + 1)
        return start, add_months(start, 3)
    if unit == "season":
        start = add_months(first, -(day.month % 3))
        return start, add_months(start, 3)
    if unit == "year":
        return first.replace(month=1), add_months(first.replace(month=1), 12)
    if unit == "decade":
        start = first.replace(month=1, year=day.year // 10 * 10)
        return start, add_months(start, 120)
    raise ValueError(f"no calendar unit: {unit}")


def move(moment: datetime, count: float, unit: Unit) -> tuple[datetime, Granularity]:
    """`moment` moved by `count` units (negative: back), and the granularity the result is meant with.

    `count` is whole or ends in a half; half a unit is counted in the next smaller one.
    """
    sign = -1 if count < 0 else 1
    whole, half = divmod(abs(count), 1.0)
    number = int(whole) * sign
    if half not in (0.0, 0.5):
        raise ValueError("only halves can be counted")
    if unit in _MONTHS_PER_UNIT:
        size = _MONTHS_PER_UNIT[unit]
        moved = add_months(moment, number * size)
        if not half:
            return moved, unit  # type: ignore[return-value]
        if unit == "month":
            return moved + timedelta(days=15 * sign), "month"
        return add_months(moved, size // 2 * sign), "year" if unit == "decade" else "month"
    if unit == "week":
        return moment + timedelta(days=7 * number + (3 * sign if half else 0)), "week"
    if unit == "weekend":
        return moment + timedelta(days=7 * number), "weekend"
    if unit == "day":
        return moment + timedelta(days=number) + timedelta(hours=12 * sign if half else 0), "day"
    if unit == "hour":
        return moment + timedelta(hours=abs(count) * sign), "minute" if half else "hour"
    return moment + (timedelta(minutes=count) if unit == "minute" else timedelta(seconds=count)), "minute"


def counted(moment: datetime, low: float, high: float, unit: Unit, sign: int) -> tuple[datetime, datetime, Granularity]:
    """The calendar unit `low` units away from `moment`, or, if `high` is larger, everything from `low` to `high` units away."""
    near, granularity = move(moment, low * sign, unit)
    start, end = unit_holding(near, granularity)
    if high == low:
        return start, end, granularity
    far = unit_holding(*move(moment, high * sign, unit))
    return min(start, far[0]), max(end, far[1]), "range"


def weekday_before(moment: datetime, weekday: int) -> datetime:
    """The latest such weekday (Monday is 0) strictly before the day of `moment`."""
    return midnight(moment) - timedelta(days=(moment.weekday() - weekday - 1) % 7 + 1)


def weekday_after(moment: datetime, weekday: int) -> datetime:
    """The first such weekday strictly after the day of `moment`."""
    return midnight(moment) + timedelta(days=(weekday - moment.weekday() - 1) % 7 + 1)


def third(interval: Interval, unit: Granularity, which: int) -> Interval:
    """The first (0), middle (1) or last (2) third of a calendar unit.

    Of a month: days 1-10, 11-20, 21-end; of a week: Mon-Tue, Wed-Thu, Fri-Sun; of a year: four months; of a season or
    quarter: one month; of a decade: years 0-3, 4-6, 7-9.
    """
    start, end = interval
    if unit == "month":
        cuts = [start, start + timedelta(days=10), start + timedelta(days=20), end]
    elif unit == "week":
        cuts = [start, start + 2 * DAY, start + 4 * DAY, end]
    elif unit == "year":
        cuts = [start, add_months(start, 4), add_months(start, 8), end]
    elif unit in ("season", "quarter"):
        cuts = [start, add_months(start, 1), add_months(start, 2), end]
    elif unit == "decade":
        cuts = [start, add_months(start, 48), add_months(start, 84), end]
    else:
        raise ValueError(f"no thirds of a {unit}")
    return cuts[which], cuts[which + 1]


def nearest(candidates: list[Interval], day: datetime, direction: str | None) -> Interval:
    """The candidate that `direction` ("past": started by `day`, "future": not over by then) and closeness to `day` pick."""
    fitting = candidates
    if direction == "past":
        fitting = [c for c in candidates if c[0] <= day]
    elif direction == "future":
        fitting = [c for c in candidates if c[1] > day]
    if not fitting:
        raise ValueError("no candidate lies in that direction")
    return min(fitting, key=lambda c: abs((c[0] - day).total_seconds()))
