"""Dates that look like one day and come again: "next week" of each week, the weekdays of a plan, "your Saturday 10 AM sessions"."""

from __future__ import annotations

import re

from memcli.language.times.english_words import WEEKDAY
from memcli.language.times.reading import UNRESOLVED, Context, Found
from memcli.language.times.tense import direction_at

_EACH = re.compile(
    r"\b(?:every|each|jede[nmrs]?|cada|chaque)\s+(?:single\s+)?"
    r"(?P<unit>day|week|weekend|month|quarter|year|woche|monat|jahr|semana|mes|año|semaine|mois)\b"
)
_NEXT = re.compile(
    r"\b(?:next|following|coming|last|previous|past|nächste\w*|vorige\w*|letzte\w*|próxim[oa]|pasad[oa]|prochaine?|dernière?)\b|下|上"
)
_NEWS = re.compile(r"[.!?;]|\b(?:i|we|he|she|they|it)\b(?:['’]\w+)?\s|\b(?:will|won|went|was|were|did)\b")
"""What begins to tell of one time where "every" has told of many."""
_SHARED = re.compile(
    rf"\b(?:hours?|hrs?|minutes?|mins?)\s+(?:each\s+|per day\s+)?on\s+(?:both\s+)?(?P<days>(?:{WEEKDAY})"
    rf"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:{WEEKDAY}))+)\b"
)
_OWNED = re.compile(r"\b(?:my|your|our|his|her|their)\s+$")
_SEVERAL = re.compile(r"\s+(?!(?:is|was|has|does|'s)\b)(?:[a-z-]+\s+)?[a-z-]{2,}[^s\W]s\b(?!['’])")
_MARKED = re.compile(r"(?:\*\*|__|#)\s*$")
_HEADS = re.compile(r"(?:\*\*|__)?:")
"""A weekday set in bold, or as a heading, with a colon behind it: a line of a plan that holds for every week."""
_DAY_NAME = re.compile(rf"\b(?:{WEEKDAY})\b")


def settle_recurring(found: list[Found], context: Context) -> list[Found]:
    """The readings of a text, those unresolved that are not one date because what they belong to recurs."""
    low = context.low
    each = [(unit["unit"], unit.end()) for unit in _EACH.finditer(low)]
    shared = [plan.span("days") for plan in _SHARED.finditer(low) if direction_at(low, plan.start("days"), plan.end("days")) != "past"]
    return [Found(f.begin, f.finish, UNRESOLVED) if f.reading.relative and _recurs(f, low, each, shared) else f for f in found]


def _recurs(found: Found, low: str, each: list[tuple[str, int]], shared: list[tuple[int, int]]) -> bool:
    expression = low[found.begin : found.finish]
    if _NEXT.search(expression):
        for unit, end in each:
            if end < found.begin and unit in expression.split() and not _NEWS.search(low, end, found.begin):
                return True
    if any(begin <= found.begin and found.finish <= end for begin, end in shared):
        return True
    if _DAY_NAME.fullmatch(expression) and _HEADS.match(low, found.finish) and _MARKED.search(low, max(0, found.begin - 4), found.begin):
        return True
    owned = _OWNED.search(low, max(0, found.begin - 8), found.begin)
    return owned is not None and _DAY_NAME.match(expression) is not None and _SEVERAL.match(low, found.finish) is not None
