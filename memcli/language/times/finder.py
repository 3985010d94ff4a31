"""Find the time expressions of a text: a cheap look at its words picks the rules to try, then readings are composed."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from memcli.atoms import TimeCue
from memcli.language.times import chinese, english_dates, english_modified, english_other, english_relative, european, numeric
from memcli.language.times.compose import attempt, compose
from memcli.language.times.numeric import clock_on_day
from memcli.language.times.reading import UNRESOLVED, Context, Found, Reading, Rule, parse_anchor
from memcli.language.times.recurring import settle_recurring

_RULES: tuple[Rule, ...] = (
    *english_relative.RULES,
    *english_modified.RULES,
    *english_dates.RULES,
    *english_other.RULES,
    *numeric.RULES,
    *european.RULES,
    *chinese.RULES,
)


def _index(rules: tuple[Rule, ...]) -> dict[str, tuple[int, ...]]:
    index: dict[str, list[int]] = {}
    for number, rule in enumerate(rules):
        for word in rule.triggers:
            index.setdefault(word, []).append(number)
    return {word: tuple(numbers) for word, numbers in index.items()}


_BY_WORD = _index(_RULES)
_TRIGGERS = frozenset(_BY_WORD)
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"[0-9]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def find_time_cues(text: str, anchor: str | None) -> list[TimeCue]:
    """The time expressions of `text`, in order of offset, none overlapping another.

    `anchor` is the ISO 8601 timestamp of the message the text belongs to; its offset, if it has one, is kept on the
    results. Without one (or with one that cannot be read) expressions relative to it stay unresolved. A cue's anchor is
    set if it was needed. Never raises; what cannot be resolved has `start`, `end` and `granularity` None.
    """
    low = text.lower()
    words = _TRIGGERS.intersection(_WORD.findall(low))
    numbers = {n for word in words for n in _BY_WORD[word]}
    if _DIGIT.search(low):
        numbers.update(_BY_WORD["#"])
    if not low.isascii() and _HAN.search(low):
        numbers.update(_BY_WORD[chinese.TRIGGER])
    if not numbers:
        return []
    if len(low) != len(text):
        # A few letters grow when lower-cased; offsets must not move.
        low = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    moment, has_clock, zone = parse_anchor(anchor)
    context = Context(text, low, moment, has_clock)
    found = compose(_select(_candidates(sorted(numbers), context)), context)
    found = settle_recurring(_settle_clocks(found, context), context)
    if '"' in text or "“" in text:
        found = _settle_quoted(found, context)
    return [_cue(f, text, anchor, zone) for f in found if f.reading.kind != "mask"]


def _candidates(numbers: list[int], context: Context) -> list[Found]:
    candidates: list[Found] = []
    for number in numbers:
        rule = _RULES[number]
        part: int | str = "x" if "x" in rule.pattern.groupindex else 0
        for match in rule.pattern.finditer(context.low):
            reading = attempt(lambda rule=rule, match=match: rule.read(match, context))  # type: ignore[misc]
            if reading is not None:
                begin, finish = match.span(part)
                candidates.append(Found(begin, finish, reading))
    return candidates


def _select(candidates: list[Found]) -> list[Found]:
    """The leftmost of overlapping readings, of those the longest, of those the one whose rule comes first."""
    candidates.sort(key=lambda f: (f.begin, -f.finish))
    chosen: list[Found] = []
    end = 0
    for candidate in candidates:
        if candidate.begin >= end:
            chosen.append(candidate)
            end = candidate.finish
    return chosen


def _settle_clocks(found: list[Found], context: Context) -> list[Found]:
    """Clock times without a date of their own are on the anchor's day if the text names that day, else unresolved."""
    if not any(f.reading.kind == "clock" for f in found):
        return found
    today = next((f for f in found if f.reading.kind == "day" and f.reading.relative and f.reading.start == context.today), None)
    settled: list[Found] = []
    for item in found:
        reading = item.reading
        if reading.kind != "clock":
            settled.append(item)
            continue
        on_day: Reading | None = None
        if today is not None:
            on_day = clock_on_day(reading.key, context.today, context.low[today.begin : today.finish])
        if on_day is not None:
            settled.append(Found(item.begin, item.finish, Reading(on_day.start, on_day.end, on_day.granularity, relative=True)))
        elif reading.key[3] in (0, 2):
            settled.append(Found(item.begin, item.finish, UNRESOLVED))
    return settled


_DEICTIC = re.compile(r"\b(?:today|tonight|yesterday|tomorrow|ago|now|last|next|this|past|coming)\b")


def _settle_quoted(found: list[Found], context: Context) -> list[Found]:
    """Words that count from the moment of speaking stay unresolved in quotation marks: when that was said is not known."""
    opened = -1
    quoted: list[tuple[int, int]] = []
    for place, char in enumerate(context.text):
        if char in '"”' and opened >= 0:
            quoted.append((opened, place))
            opened = -1
        elif char in '"“' and not context.text[place + 1 : place + 2].isspace() and not context.text[max(0, place - 1) : place].isalnum():
            opened = place
    if opened >= 0:
        quoted.append((opened, len(context.text)))
    return [
        Found(f.begin, f.finish, UNRESOLVED)
        if f.reading.relative
        and _DEICTIC.search(context.low, f.begin, f.finish)
        and any(begin < f.begin and f.finish <= end for begin, end in quoted)
        else f
        for f in found
    ]


def _iso(moment: datetime | None, zone: tzinfo | None) -> str | None:
    return None if moment is None else moment.replace(tzinfo=zone).isoformat()


def _cue(found: Found, text: str, anchor: str | None, anchor_zone: tzinfo | None) -> TimeCue:
    reading = found.reading
    resolved = reading.start is not None or reading.end is not None
    zone = reading.zone or anchor_zone
    return TimeCue(
        expression=text[found.begin : found.finish],
        offset=found.begin,
        start=_iso(reading.start, zone),
        end=_iso(reading.end, zone),
        granularity=reading.granularity if resolved else None,
        anchor=anchor if resolved and reading.relative else None,
        duration_days=reading.days,
    )
