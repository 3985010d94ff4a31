"""English calendar expressions: dates with month names, months, years, seasons, quarters, decades, nth days."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memcli.language.times.constructors import (
    absolute,
    date_reading,
    month_of_year,
    month_reading,
    quarter_of_year,
    season_of_year,
    unit_reading,
    year_reading,
)
from memcli.language.times.english_words import (
    HOLIDAYS,
    MONTH,
    MONTHS,
    ORDINALS,
    SEASON,
    SEASONS,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    is_month,
)
from memcli.language.times.intervals import DAY, Interval, add_months, nearest
from memcli.language.times.reading import UNRESOLVED, Context, Reading, Rule, alternatives, rule

_ORDINAL_WORD = alternatives(ORDINALS)
_DAY = rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)?|{_ORDINAL_WORD})"
_IN_YEAR = rf"(?:[.,]? (?:of |in )?(?P<y>{YEAR})\b(?!:[0-9]|%))?"


def day_number(word: str) -> int:
    """The day of the month that "3", "3rd" or "third" names."""
    return ORDINALS[word] if word in ORDINALS else int(re.sub(r"\D", "", word))


_YEARLY = r"\b(?:birthday|b-?day|anniversary|name ?day)"
_BORN = re.compile(r"\b(?:born|birth|birthdate|d\.?o\.?b\.?)\b[^.!?;\n]{0,24}$")
_YEARLY_BEFORE = re.compile(rf"{_YEARLY}(?:['’]s| is| are| falls?| comes)?(?: always)?[:,(–-]?(?: on| the)*\s*$")
_YEARLY_AFTER = re.compile(rf",? (?:is|marks|are) [^.!?;,\n]{{0,30}}?{_YEARLY}")


def _is_yearly(match: re.Match[str], context: Context) -> bool:
    """Whether a date without a year is a birthday or the like: it comes every year, unless the verb tells of one of them."""
    begin, finish = match.span()
    if _BORN.search(context.low, max(0, begin - 40), begin):
        return True
    yearly = _YEARLY_BEFORE.search(context.low, max(0, begin - 40), begin) or _YEARLY_AFTER.match(context.low, finish)
    return yearly is not None and context.direction(begin, finish) not in ("past", "future")


def _date(match: re.Match[str], context: Context) -> Reading | None:
    word = match["mo"]
    year = int(match["y"]) if match["y"] else None
    if not is_month(context, match.start("mo"), word):
        return None
    if year is None and _is_yearly(match, context):
        datetime(2000, MONTHS[word], day_number(match["d"]))
        return Reading(kind="date", key=(MONTHS[word], day_number(match["d"])))
    return date_reading(context, MONTHS[word], day_number(match["d"]), year, lambda: context.direction(match.start(), match.end()))


def _days_of_month(match: re.Match[str], context: Context) -> Reading | None:
    word = match["mo"]
    if not is_month(context, match.start("mo"), word):
        return None
    first, last = day_number(match["d"]), day_number(match["e"])
    year = int(match["y"]) if match["y"] else None
    start = date_reading(context, MONTHS[word], first, year, lambda: context.direction(match.start(), match.end()))
    if start.start is None or first >= last:
        return UNRESOLVED
    end = start.start.replace(day=last) + DAY
    return Reading(start.start, end, "range", relative=year is None)


def _month_year(match: re.Match[str], context: Context) -> Reading | None:
    word = match["mo"]
    return month_of_year(int(match["y"]), MONTHS[word]) if is_month(context, match.start("mo"), word) else None


_BEFORE_MONTH = re.compile(
    r"(?:\b(?:in|since|until|till|til|by|before|after|during|through|throughout|around|early|late|mid)|between"
    rf"|\b(?:between|from) {MONTH} (?:and|to|until|till|through)|\b{MONTH}\s?[-–]"
    rf"|\b(?:end|beginning|start|middle|half|part|week|weekend|day|days|weeks|rest|most|{WEEKDAY}) (?:of|in))[ -]*$"
)
_AFTER_FROM = re.compile(rf"\s+(?:to|until|till|through|on|onwards?)\b|\s?[-–]\s?{MONTH}\b")
_AFTER_MONTH_YEAR = re.compile(r"\s+(?:of\s+)?(?:last|this|next) year\b")


_PERSONS = ("april", "may", "june", "august")
_ACTS = re.compile(r"(?:['’]s\b| (?:\w+ed|came|left|said|got|went|was|is|has|had|will|can|comes|gets|told|made)\b)")


def _bare_month(match: re.Match[str], context: Context) -> Reading | None:
    word, place = match["mo"], match.start("mo")
    before = context.low[max(0, place - 28) : place]
    if not (
        _BEFORE_MONTH.search(before)
        or (before.endswith("from ") and _AFTER_FROM.match(context.low, match.end()))
        or _AFTER_MONTH_YEAR.match(context.low, match.end())
    ):
        return None
    if not is_month(context, place, word) or (word in _PERSONS and _ACTS.match(context.low, match.end())):
        return None
    return month_reading(context, MONTHS[word], lambda: context.direction(place, match.end()))


_THINGS = (
    r"(?:people|words|steps|met(?:er|re)s|miles|kilomet(?:er|re)s|km|feet|dollars|euros|bucks|pieces|lines|days|weeks|hours|minutes|seconds|tokens|"
    r"characters|bytes|items|users|rows|files|percent|times|copies|units|calories|points|pages|more|bc|bce|ad|of|years|pounds|lbs|kg|ml|mb|gb|x|ms|mm|cm|hz|kcal|cal|rpm|mah|mg|g|k|ways|cases|places|samples|requests|records|rupees|yen|pesos)\b"
)
_YEAR_PLACE = rf"(?:1[6-9]|20)[0-9]{{2}}\b(?!['’%/-]|[:.,][0-9]|\s*[$€£%]|\s+{_THINGS})"


def _year_span(match: re.Match[str], _: Context) -> Reading | None:
    first, last = int(match["a"]), int(match["b"])
    if (match["join"] in ("and", "und", "y", "et") and not match["between"]) or first >= last:
        return None
    return absolute(datetime(first, 1, 1), datetime(last + 1, 1, 1), "range")


def _season_year(match: re.Match[str], _: Context) -> Reading:
    month = SEASONS[match["s"]]
    return UNRESOLVED if month == 12 else absolute(*season_of_year(int(match["y"]), month), "season")


def _holiday_year(match: re.Match[str], _: Context) -> Reading:
    start = datetime(int(match["y"]), *HOLIDAYS[match["ho"]])
    return absolute(start, start + DAY, "day", "day")


def _quarter(match: re.Match[str], context: Context) -> Reading:
    number = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}.get(match["w"] or "") or int(match["q"])
    if match["y"]:
        return quarter_of_year(int(match["y"]), number)
    return Reading(kind="quarter", key=(number,))


_NO_DECADE = re.compile(r"degree|temperature|°|fahrenheit|celsius|weather|humid|percent|score")
_DECADE_WORDS = {"twenties": 2, "thirties": 3, "forties": 4, "fifties": 5, "sixties": 6, "seventies": 7, "eighties": 8, "nineties": 9}


def _decade(match: re.Match[str], context: Context) -> Reading | None:
    if match["full"]:
        year = int(match["full"])
    elif _NO_DECADE.search(context.low, max(0, match.start() - 80), match.end() + 40):
        return None
    else:
        digit = int(match["short"][0]) if match["short"] else _DECADE_WORDS[match["word"]]
        if digit < 3:
            # "the 20s" may be the 1920s or the 2020s.
            return UNRESOLVED
        year = 1900 + 10 * digit
    if year % 100 == 0 and year < 2000:
        return absolute(datetime(year, 1, 1), datetime(year + 100, 1, 1), "range")  # "the 1800s" are the century
    return absolute(datetime(year, 1, 1), datetime(year + 10, 1, 1), "decade")


def _day_of_month(match: re.Match[str], context: Context) -> Reading:
    day = day_number(match["d"])
    if not 1 <= day <= 31:
        raise ValueError("no such day")
    if context.anchor is None:
        return Reading(kind="monthday", key=(day, _NTH_DAY))
    today = context.today.replace(day=1)
    candidates: list[Interval] = []
    for months in range(-2, 3):
        first = add_months(today, months)
        if (first + timedelta(days=day - 1)).month == first.month:
            start = first.replace(day=day)
            candidates.append((start, start + DAY))
    chosen = nearest(candidates, context.today, context.direction(match.start("x"), match.end("x")))
    return unit_reading(*chosen, "day", "monthday", (day, _NTH_DAY))


_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
NTH_UNITS = ("week", "weekend", "day")
_NTH_DAY = 12
"""The key of the nth day: 10 and the place of "day" in `NTH_UNITS`."""


def _nth(match: re.Match[str], _: Context) -> Reading:
    what = match["what"]
    return Reading(kind="nth", key=(_NTH[match["n"]], WEEKDAYS[what] if what in WEEKDAYS else 10 + NTH_UNITS.index(what)))


def _nth_day(match: re.Match[str], _: Context) -> Reading:
    return Reading(kind="nth", key=(day_number(match["d"]), _NTH_DAY))


RULES: tuple[Rule, ...] = (
    rule(rf"(?<![\w.,$€£/:-])(?:the )?(?P<d>{_DAY}) (?:of )?(?P<mo>{MONTH})\b{_IN_YEAR}", MONTHS, _date),
    rule(rf"\b(?P<mo>{MONTH})\b\.? ?(?:the )?(?P<d>{_DAY})\b(?![:./-][0-9]|%|\s?[ap]\.?m\b){_IN_YEAR}", MONTHS, _date),
    rule(
        rf"(?:(?P<from>\bfrom|\bbetween) )?(?<![\w.,$€£/:-])(?:the )?(?P<d>{_DAY})(?:\s?[-–]\s?| (?:to|until|till|through|and) (?:the )?)"
        rf"(?P<e>{_DAY}) (?:of )?(?P<mo>{MONTH})\b{_IN_YEAR}",
        MONTHS,
        lambda m, c: None if " and " in m[0] and not m["from"] else _days_of_month(m, c),
    ),
    rule(
        rf"(?:\b(?P<from>from|between) )?\b(?P<mo>{MONTH})\b\.? (?:the )?(?P<d>{_DAY})"
        rf"(?:\s?[-–]\s?| (?:to|until|till|through|and) (?:the )?)(?P<e>{_DAY})\b(?![:./-][0-9]|%|\s?[ap]\.?m\b){_IN_YEAR}",
        MONTHS,
        lambda m, c: None if " and " in m[0] and not m["from"] else _days_of_month(m, c),
    ),
    rule(rf"\b(?P<mo>{MONTH})\b\.?,? (?:of )?(?P<y>{YEAR})\b(?![:-][0-9]|%)", MONTHS, _month_year),
    rule(rf"\b(?P<mo>{MONTH})\b", MONTHS, _bare_month),
    rule(
        rf"\b(?:(?:back )?in|since|until|till|before|after|during|from|early|mid|late|throughout|year|"
        rf"(?:end|beginning|start|middle|half|part|rest|most|all|class|months?|weeks|days?|quarter|as) of|"
        rf"(?:by|around|circa)(?! ..00\b))[ -]"
        rf"(?P<x>(?P<y>{_YEAR_PLACE}))",
        ["#"],
        lambda m, _: year_reading(int(m["y"])),
    ),
    rule(r"(?<!\w)\((?P<x>(?P<y>(?:19|20)[0-9]{2}))\)", ["#"], lambda m, _: year_reading(int(m["y"]))),
    rule(
        r"(?:\b(?:from|von|(?P<between>between|zwischen|entre)) )?(?<![\w.,$€£#/-])(?P<a>(?:19|20)[0-9]{2})"
        r"(?:\s?[-–]\s?| (?P<join>to|and|through|until|bis|und|y|et) )"
        r"(?P<b>(?:19|20)[0-9]{2})\b(?![\w/-]|[.,][0-9])(?!\s+" + _THINGS + ")",
        ["#"],
        _year_span,
    ),
    rule(rf"\b(?:the )?(?P<s>{SEASON}) (?:of )?(?P<y>(?:19|20)[0-9]{{2}})\b", SEASONS, _season_year),
    rule(
        rf"\b(?:the )?(?P<s>{SEASON})(?= (?:of )?(?:last|this|next) year\b)",
        SEASONS,
        lambda m, _: Reading(kind="season", key=(SEASONS[m["s"]],)),
    ),
    rule(
        rf"\b(?P<ho>{alternatives(HOLIDAYS)})(?:,| of)? (?P<y>(?:19|20)[0-9]{{2}})\b",
        ["christmas", "new", "halloween", "valentine"],
        _holiday_year,
    ),
    rule(
        r"\b(?:q(?P<q>[1-4])|(?:the )?(?P<w>first|second|third|fourth|last) quarter)\b(?:,? (?:of |in )?(?P<y>(?:19|20)[0-9]{2})\b)?",
        ["q", "quarter"],
        _quarter,
    ),
    rule(
        r"\b(?:the )?(?<![\w$€£])(?P<full>(?:1[0-9]|20)[0-9]0)['’]?s\b|"
        r"(?:\bthe |(?<=early )|(?<=late )|(?<=mid[ -]))(?:['’]?(?P<short>[0-9]0)['’]?s|(?P<word>" + alternatives(_DECADE_WORDS) + r"))\b",
        ["#", *_DECADE_WORDS],
        _decade,
    ),
    rule(
        r"\b(?:on|by|until|till|since|before|after) (?P<x>the (?P<d>[0-9]{1,2}(?:st|nd|rd|th)))"
        r"(?=\s*(?:$|[.,;:!?)\n]|(?:at|and|in the|for|to|after|before|from|until|"
        r"i'm|we're|we'll|i'll|we|i|he|she|they|with|because|so|but|if|when|as)\b))",
        ["#"],
        _day_of_month,
    ),
    rule(r"\b(?:the )?(?P<d>[0-9]{1,2}(?:st|nd|rd|th))(?= of (?:last|next|this) month\b)", ["month"], _nth_day),
    rule(
        rf"\b(?:the )?(?P<n>{alternatives(_NTH)}) (?P<what>{WEEKDAY}|week|weekend|day)(?= (?:of|in) )",
        [*WEEKDAYS, "week", "weekend", "day"],
        _nth,
    ),
)
"""In order of precedence for expressions of equal length."""
