"""English expressions that count from the anchor: day words, "ago", "in two weeks", last / this / next, "the past week"."""

from __future__ import annotations

import re

from memcli.language.times.constructors import counted_reading, day_reading, span_from_anchor, unit_reading
from memcli.language.times.english_words import (
    DAY_PART,
    OF,
    UNIT_WORDS,
    WEEKDAYS,
    count_value,
    quantity,
    quantity_value,
)
from memcli.language.times.intervals import (
    DAY,
    DAYS_PER_UNIT,
    WEEK,
    weekday_before,
)
from memcli.language.times.reading import MASK, UNRESOLVED, Context, Reading, Rule, alternatives, rule

_DAY_WORDS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "last night": -1, "tonite": 0, "tmrw": 1}


def _day_word(match: re.Match[str], context: Context) -> Reading:
    word = match["w"]
    if word.startswith("the day before") or word.startswith("day before"):
        return day_reading(context, -2)
    if "day after" in word:
        return day_reading(context, 2)
    if word.startswith("this"):
        return day_reading(context, 0)
    return day_reading(context, _DAY_WORDS[word])


_GIVEN = re.compile(r"\b(?:get|gets|getting|give|gives|gave|got|take|took|want|wants|won|bring|buy|pay|need)\b[^.]*$")


def _ago(match: re.Match[str], context: Context) -> Reading | None:
    if match["over"]:
        return UNRESOLVED
    if match["back"] and _GIVEN.search(context.low, max(0, match.start() - 20), match.start()):
        return None
    low, high, unit = quantity_value(match)
    return counted_reading(context, low, high, unit, -1)


_SUPERLATIVE = re.compile(r"\b(?:time|once|times|first|best|worst|biggest|longest|\w+est|ever|not|haven't|hasn't|hadn't|never)\b[^.!?]*$")


def _from_now(match: re.Match[str], context: Context) -> Reading:
    return counted_reading(context, *quantity_value(match), 1)


_WITHIN = re.compile(
    r"\b(?:can|could|able|finish(?:es)?|completes?|done|takes?|learn|read|cooks?|reach|walk|run|runs|build|master|lose|save|write|writes|burn)\b[^.!?]*$"
)
"""What can be done in two hours says how long it takes, not when it is."""
_DIGITS = re.compile(r"[0-9]")


def _in_units(match: re.Match[str], context: Context) -> Reading | None:
    low, high, unit = quantity_value(match)
    if not match["time"]:
        if _SUPERLATIVE.search(context.low, max(0, match.start() - 60), match.start()):
            return None
        if _WITHIN.search(context.low, max(0, match.start() - 60), match.start()):
            return None
        direction = context.direction(match.start(), match.end())
        if direction in ("past", "habit") or (
            direction == "unclear" and _DIGITS.search(context.low, max(0, match.start() - 20), match.start())
        ):
            return None
    return counted_reading(context, low, high, unit, 1)


def _weekdays_ago(match: re.Match[str], context: Context) -> Reading | None:
    weeks = int(count_value(match["n"])[0]) - 1
    start = weekday_before(context.today, WEEKDAYS[match["wd"]]) - WEEK * weeks
    return unit_reading(start, start + DAY, "day")


def _until_now(match: re.Match[str], context: Context) -> Reading | None:
    low, high, unit = quantity_value(match)
    return span_from_anchor(context, low, unit, -1) if low == high else None


_VERB_LAST = re.compile(r"\b(?:will|to|can|could|would|should|might|may|only|not|usually|typically|always|\w+n't|\w+'ll)\s+$")


def _spans(match: re.Match[str], context: Context) -> Reading | None:
    if match["how"] in ("following", "previous", "preceding"):
        return UNRESOLVED
    if match["n"] in ("a", "an") or _VERB_LAST.search(context.low, max(0, match.start() - 16), match.start()):
        return None
    low, high, unit = quantity_value(match)
    if OF.match(context.low, match.end()):
        return MASK
    days = high * DAYS_PER_UNIT[unit] if low == high else None
    sign = -1 if match["how"] in ("last", "past") else 1
    if sign > 0 and context.direction(match.start(), match.end()) == "past":
        return UNRESOLVED
    reading = span_from_anchor(context, high, unit, sign)
    return Reading(reading.start, reading.end, "range", relative=True, days=days)


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b(?:(?:earlier|later) )?(?P<w>(?:the )?day before yesterday|(?:the )?day after tomorrow|this (?:morning|afternoon|evening)"
        rf"|last night|yesterday|today|tonight|tonite|tomorrow|tmrw)(?: {DAY_PART})?\b",
        ["yesterday", "today", "tonight", "tonite", "tomorrow", "tmrw", "morning", "afternoon", "evening", "night"],
        _day_word,
    ),
    rule(
        rf"(?:\b(?P<over>(?:more|less|longer|fewer) than|over|under|at least|up to|within) )?"
        rf"(?<![\w.,$€£-]){quantity()} (?:ago|(?P<back>back))\b",
        ["ago", "back"],
        _ago,
    ),
    rule(rf"\bfor (?:about |around |almost |nearly |roughly |some )?(?P<x>{quantity()} now)\b", ["now"], _until_now),
    rule(
        rf"\b(?P<n>two|three|four|[234]|a couple(?: of)?) (?P<wd>{alternatives(d for d in WEEKDAYS if len(d) > 5)})s ago\b",
        ["ago"],
        _weekdays_ago,
    ),
    rule(rf"\bin (?:about |around |roughly )?{quantity()}(?P<time> time\b)?(?! of\b)", UNIT_WORDS, _in_units),
    rule(rf"(?<![\w.,$€£-]){quantity()} from (?:now|today)\b", ["from"], _from_now),
    rule(
        rf"\b(?:the )?(?P<how>last|past|next|coming|following|previous|preceding) {quantity()}",
        UNIT_WORDS,
        _spans,
    ),
)
"""In order of precedence for expressions of equal length."""
