"""English durations, frequencies, ages, steps from an unnamed point, vague words, and names that only look like times."""

from __future__ import annotations

import re

from memcli.language.times.english_words import (
    MONTH,
    SEASON,
    UNIT,
    UNIT_WORDS,
    UNITS,
    WEEKDAY,
    WEEKDAYS,
    quantity,
    quantity_value,
)
from memcli.language.times.intervals import DAYS_PER_UNIT
from memcli.language.times.reading import MASK, UNRESOLVED, Context, Reading, Rule, rule

_LASTING = re.compile(
    r"\b(?:for|took|takes?|taken|lasts?|lasted|lasting|spent|spend|spending|within|another|about|almost|nearly|over|under|around)\s+$"
)
_TO_BASE = re.compile(r"\s+(?:before|after|from|prior to|following|later|earlier)\b")
_AGED = re.compile(r"[\s-]+(?:old|of age)\b")


def _duration(match: re.Match[str], context: Context) -> Reading | None:
    end = match.end()
    counted = match["n"] not in ("a", "an")
    clock = match["u"] in ("second", "minute", "min", "hour", "hr")
    lasting = _LASTING.search(context.low, max(0, match.start() - 12), match.start()) is not None
    if not (_TO_BASE.match(context.low, end) or counted or (lasting and not (clock and match["u"][0] in "sm"))):
        return None
    # "one day" is mostly some day.
    if (match["u"] in ("weekend", "quarter") and not counted) or (match[0] == "one day" and not lasting):
        return None
    low, high, unit = quantity_value(match)
    # Before "before" or "after" it is a distance, not how long something took.
    days = low * DAYS_PER_UNIT[unit] if low == high and not _TO_BASE.match(context.low, end) else None
    return Reading(days=days, kind="duration", count=(low, high), unit=unit)


def _step(match: re.Match[str], _: Context) -> Reading:
    """A step such as "the week before", "the weekend of", "the Friday after": resolved only if what follows is a date."""
    what = match["what"]
    sign = {"before": -1, "prior to": -1, "preceding": -1, "of": 0}.get(match["dir"], 1)
    if what in WEEKDAYS:
        return Reading(kind="step", key=(sign, WEEKDAYS[what]))
    return Reading(kind="step", key=(sign, -1), unit=UNITS[what][0])


_EVERY = rf"(?:{UNIT}s?|{WEEKDAY}s?|{MONTH}|{SEASON}|morning|afternoon|evening|christmas)"
_TIMES = r"(?:once|twice|thrice|(?:[0-9]+|one|two|three|four|five|six|seven|several|a few|many|a couple of) times?)"

RULES: tuple[Rule, ...] = (
    rule(
        rf"(?<![\w.,$€£-]){quantity()}(?!-?old\b)",
        UNIT_WORDS,
        lambda m, c: UNRESOLVED if _AGED.match(c.low, m.end()) else _duration(m, c),
    ),
    rule(rf"(?<![\w.,$€£-]){quantity()}[- ](?:old|of age)\b", ["old", "age"], lambda m, c: UNRESOLVED),
    rule(
        rf"(?<![\w.,$€£-]){quantity()} (?:later|earlier|afterwards|before that|after that|beforehand)\b",
        ["later", "earlier", "afterwards", "that", "beforehand"],
        lambda m, c: UNRESOLVED,
    ),
    rule(
        r"\b(?:the )(?P<what>day|night|week|weekend|month|year|quarter|"
        + WEEKDAY
        + r") (?P<dir>before|after|prior to|preceding|following|(?:(?<=week )|(?<=weekend ))of(?= (?:the )?(?:[0-9]|"
        + MONTH
        + r" [0-9])))\b",
        ["day", "night", "week", "weekend", "month", "year", "quarter", *WEEKDAYS],
        _step,
    ),
    rule(
        rf"\b(?:every|each)(?: other| single| second| third| [0-9]+| two| three| four| six| few)? {_EVERY}\b"
        r"(?: (?:morning|afternoon|evening|night)s?\b)?",
        ["every", "each"],
        lambda m, c: UNRESOLVED,
    ),
    rule(
        rf"\b{_TIMES}(?: or {_TIMES}|-{_TIMES})? (?:an?|per|each|every) (?:{UNIT})\b",
        ["once", "twice", "thrice", "time", "times"],
        lambda m, c: UNRESOLVED,
    ),
    rule(
        rf"\b(?:on )?(?P<x>(?:{WEEKDAY}s(?: and |, ?| or ))*(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b",
        [d + "s" for d in WEEKDAYS],
        lambda m, c: UNRESOLVED,
    ),
    rule(
        rf"\b(?:from )?(?:{WEEKDAY})(?:\s?[-–]\s?| (?:to|through|until|thru) )(?:{WEEKDAY})\b",
        WEEKDAYS,
        lambda m, c: UNRESOLVED if c.capital(m.start()) or m[0].startswith("from") or "day" in m[0] else None,
    ),
    rule(
        r"\b(?:since|when|until|till|before|after) (?:i|he|she|we|they|you) (?:was|were|am|is|are|turn(?:ed|s)?) "
        r"(?:[0-9]{1,2}\b|(?:about |around )?(?:five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
        r"eighteen|twenty)\b"
        r"|a (?:kid|child|teenager|boy|girl|baby)\b|young\b|little\b)(?: years? old)?",
        ["was", "were", "turned", "turn", "am", "is", "are", "turns"],
        lambda m, c: UNRESOLVED,
    ),
    rule(r"\bat (?:the )?age (?:of )?[0-9]{1,3}\b", ["age"], lambda m, c: UNRESOLVED),
    rule(
        r"\b(?:the other (?:day|night|week)|(?:quite )?a (?:long )?(?:while|time) (?:ago|back)|"
        r"(?:not (?:so |too |that )?)?(?:some time|long|ages) ago|recently|lately|"
        r"(?:many|some) (?:days|weeks|months|years) ago)\b",
        ["other", "ago", "back", "recently", "lately"],
        lambda m, c: UNRESOLVED,
    ),
    rule(
        r"\b(?:at the end of the day|(?:black|good|casual|freaky) friday|cyber monday|(?:palm|easter|super bowl) sunday|easter monday|"
        r"ash wednesday|"
        r"(?:super|fat|shrove) tuesday|sunday (?:school|roast|best|times)|saturday night (?:live|fever)|monday night football|"
        r"wednesday addams|"
        r"usa today|one day at a time|day by day|day to day|day after day|year-round|march madness|may day)\b",
        ["day", "friday", "monday", "sunday", "wednesday", "tuesday", "saturday", "today", "year", "march"],
        lambda m, c: MASK,
    ),
    rule(r"\bfriday the 13th\b", ["friday"], lambda m, c: UNRESOLVED),
)
"""In order of precedence for expressions of equal length."""
