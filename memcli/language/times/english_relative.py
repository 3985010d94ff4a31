"""English expressions that count from the anchor: day words, "ago", "in two weeks", last / this / next, "the past week"."""

from __future__ import annotations

import re

from memcli.language.times.constructors import counted_reading, day_reading, span_from_anchor, unit_reading
from memcli.language.times.english_words import (
    DAY_PART,
    MONTH,
    MONTHS,
    NUMBER_WORD,
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
    midnight,
    move,
    weekday_before,
)
from memcli.language.times.reading import MASK, UNRESOLVED, Context, Reading, Rule, alternatives, rule

_DAY_WORDS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "last night": -1, "tonite": 0, "tmrw": 1}


_FIGURATIVE = re.compile(
    r"\b(?:like|as if|as though)(?: (?:it|that|this|i|we|they)(?:['’]s| was| were|['’]d)?)?(?: just| only)? $|\b(?:born|just like) $"
)
"""Before "yesterday": "it feels like yesterday", "as if it were only yesterday", "I wasn't born yesterday"."""
_LASTS = (
    r"(?:relevant|used|true|valid|important|popular|influential|part|in use|standing|inspir\w+|matters?|exists?|shapes?|holds?"
    r"|practi[cs]ed)"
)
_NOWADAYS = re.compile(
    rf"\b(?:still (?:\w+ )?{_LASTS}|remains? (?:\w+ )?{_LASTS}|continues? to (?:be|inspire|influence|shape|matter|serve|exist)"
    r"|(?:who|what|where|as|that|which) (?:i|we|you|he|she|they|it)(?:['’](?:m|re|s)| am| are| is| know| see))\b[^.!?;,]{0,30}$"
)
_NOWADAYS_AFTER = re.compile(
    r"['’]s (?:[\w-]+ ){0,3}?(?:world|society|market|age|era|economy|landscape|industry|culture|times|standards|generation|environment)\b"
)
"""What makes "today" mean these days: "still relevant today", "who I am today", "in today's world"."""
_NAMED_DATE = re.compile(rf" ?(?:is|was|,|=|\(|-|–) ?(?P<mo>{MONTH})\.? (?P<d>[0-9]{{1,2}})\b")
"""The date that "today" is said to be: one other than the anchor's tells that somebody else's day is meant."""


def _day_word(match: re.Match[str], context: Context) -> Reading:
    word = match["w"]
    before = max(0, match.start() - 60)
    if word == "yesterday" and _FIGURATIVE.search(context.low, before, match.start()):
        return UNRESOLVED
    named = _NAMED_DATE.match(context.low, match.end()) if word == "today" else None
    if named and (MONTHS[named["mo"]], int(named["d"])) != (context.today.month, context.today.day):
        return UNRESOLVED
    if word == "today" and (_NOWADAYS.search(context.low, before, match.start()) or _NOWADAYS_AFTER.match(context.low, match.end())):
        return UNRESOLVED
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
    low, high, unit = quantity_value(match)
    if match["today"] and low == high and unit in ("week", "month", "year"):
        # "two weeks from today" names the day; "two weeks from now" its week.
        start = midnight(move(context.today, low, unit)[0])
        return unit_reading(start, start + DAY, "day", "day")
    return counted_reading(context, low, high, unit, 1)


_WITHIN = re.compile(
    r"\b(?:can|could|able|finish(?:es)?|completes?|done|takes?|learn|read|cooks?|reach|walk|run|runs|build|master|lose|save|write|writes|burn)\b[^.!?]*$"
)
"""What can be done in two hours says how long it takes, not when it is."""
_DIGITS = re.compile(r"[0-9]")
_RATE = re.compile(
    rf"\b(?:(?:[0-9][0-9.,]*|{NUMBER_WORD}|several|few|many|multiple|both|all)\+? (?!of\b)(?:[\w'’-]+ ){{1,3}}|"
    r"(?:seconds|minutes|hours|days|weeks|weekends|months|years) )$"
)
"""What stands before "in a week" where it counts something: "three talks in a week", "the days in a week"."""
_DOING = re.compile(r"(?:^|[.!?:;*,] ?)\s*(?:but |and |so )?[a-z]{2,}ing\b[^.!?;]*$")
_JUDGED = re.compile(r" (?:is|was|isn['’]t|would be|seems|sounds)\b")
"""Around "in two hours" where the doing is judged: "Baking twelve loaves in two hours is hard"."""


def _in_units(match: re.Match[str], context: Context) -> Reading | None:
    low, high, unit = quantity_value(match)
    if not match["time"]:
        if _SUPERLATIVE.search(context.low, max(0, match.start() - 60), match.start()):
            return None
        if _WITHIN.search(context.low, max(0, match.start() - 60), match.start()):
            return None
        if _JUDGED.match(context.low, match.end()) and _DOING.search(context.low, max(0, match.start() - 90), match.start()):
            return None
        if match["n"] in ("a", "an", "one") and _RATE.search(context.low, max(0, match.start() - 60), match.start()):
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
    rule(rf"(?<![\w.,$€£-]){quantity()} from (?:now|(?P<today>today))\b", ["from"], _from_now),
    rule(
        rf"\b(?:the )?(?P<how>last|past|next|coming|following|previous|preceding) {quantity()}",
        UNIT_WORDS,
        _spans,
    ),
)
"""In order of precedence for expressions of equal length."""
