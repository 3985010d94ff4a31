"""Times as people write them: `8 May 2023 13:56`, `May 2023`, `1 to 3 June 2024`."""

from __future__ import annotations

from datetime import datetime, timedelta

from memcli.results import Interval

_FINE = ("instant", "minute", "hour")


def moment(timestamp: str) -> str:
    """An ISO 8601 time, to the minute, with its offset if it has one; a text that is none stays as it is."""
    when = _parse(timestamp)
    if when is None:
        return timestamp
    offset = f" {when:%z}" if when.tzinfo else ""
    return f"{_day(when)} {when:%H:%M}{offset}"


def day(timestamp: str) -> str:
    """The day of an ISO 8601 time; a text that is none stays as it is."""
    when = _parse(timestamp)
    return _day(when) if when is not None else timestamp


def interval(time: Interval) -> str:
    """A half-open interval as the days, month or year it is."""
    start = _parse(time.start) if time.start else None
    end = _parse(time.end) if time.end else None
    if start is None and end is None:
        return ""
    if start is None:
        return f"before {_day(end)}" if end else ""
    if time.granularity in _FINE:
        return moment(start.isoformat())
    if end is None:
        return f"since {_day(start)}"
    if time.granularity == "year":
        return f"{start.year}"
    if time.granularity == "month":
        return f"{start:%B} {start.year}"
    last = end - timedelta(seconds=1)
    return _day(start) if last.date() <= start.date() else f"{_day(start)} to {_day(last)}"


def _day(when: datetime) -> str:
    return f"{when.day} {when:%B} {when.year}"


def _parse(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
