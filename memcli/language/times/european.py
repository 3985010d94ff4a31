"""Rules for the common time expressions of German, Spanish, French, Portuguese and Italian, made from their words.

No language is detected: a pattern holds enough of its language to be told from English. The words that mean something
else in a neighbour language are left to a pattern of their own: French "hier" (German for "here"), German "morgen" and
Spanish "mañana" (also "morning"). Tense is not read; a date or month without a year is the nearest, or stays unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from memcli.language.times.constructors import (
    counted_reading,
    date_reading,
    day_reading,
    month_of_year,
    month_reading,
    unit_reading,
    year_reading,
)
from memcli.language.times.european_words import LANGUAGES, Language
from memcli.language.times.intervals import DAY, add_months, counted, weekday_after, weekday_before
from memcli.language.times.reading import Context, Reading, Rule, alternatives, rule

_YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
_WORD = re.compile(r"[^\W\d_]+")


def _words(phrases: Iterable[str]) -> set[str]:
    """The last words of phrases: a text with the phrase has them among its words."""
    return {_WORD.findall(p)[-1] for p in phrases}


def _modified(language: Language, sign: int) -> Callable[[re.Match[str], Context], Reading]:
    def read(match: re.Match[str], context: Context) -> Reading:
        what, today = match["w"], context.today
        if what in language.weekdays:
            weekday = language.weekdays[what]
            start = weekday_before(today, weekday) if sign < 0 else weekday_after(today if sign else today - DAY, weekday)
            return unit_reading(start, start + DAY, "day", "day")
        if what in language.months:
            start = today.replace(day=1, month=language.months[what])
            if sign < 0 and start >= today.replace(day=1):
                start = add_months(start, -12)
            elif sign > 0 and start <= today.replace(day=1):
                start = add_months(start, 12)
            return unit_reading(start, add_months(start, 1), "month")
        unit = language.units[what]
        begin, end, granularity = counted(today, abs(sign), abs(sign), unit, sign or 1)
        return unit_reading(begin, end, granularity, "week" if unit == "week" else "year" if unit == "year" else "fixed")

    return read


def _counted(language: Language, sign: int) -> Callable[[re.Match[str], Context], Reading]:
    def read(match: re.Match[str], context: Context) -> Reading:
        count = int(match["n"]) if match["n"].isdigit() else language.numbers[match["n"]]
        return counted_reading(context, count, count, language.units[match["u"]], sign)

    return read


def _rules(language: Language) -> Iterator[Rule]:
    months, units = alternatives(language.months), alternatives(language.units)
    unit_words, month_words = _words(language.units), _words(language.months)
    yield rule(
        rf"(?<![\w-])(?P<w>{alternatives(language.days)})(?![\w-])",
        _words(language.days),
        lambda m, c: day_reading(c, language.days[m["w"]]),
    )
    quantity = rf"(?P<n>[0-9]{{1,4}}|{alternatives(language.numbers)}) (?P<u>{units})"
    for templates, sign in ((language.ago, -1), (language.ahead, 1)):
        for template in templates:
            yield rule(rf"\b{template.replace('{q}', quantity)}\b", unit_words, _counted(language, sign))
    what = rf"(?P<w>{alternatives([*language.units, *language.weekdays, *language.months])})"
    what_words = unit_words | month_words | _words(language.weekdays)
    for templates, sign in ((language.last, -1), (language.this, 0), (language.next, 1)):
        for template in templates:
            yield rule(rf"\b{template.replace('{w}', what)}\b", what_words, _modified(language, sign))
    yield rule(
        rf"(?<![\w.,/-])(?P<d>[0-9]{{1,2}})(?:{language.day_mark or 'º'})? {language.of}(?P<mo>{months})\b"
        rf"(?:,? {language.of}(?P<y>{_YEAR})\b)?",
        month_words,
        lambda m, c: date_reading(c, language.months[m["mo"]], int(m["d"]), int(m["y"]) if m["y"] else None, lambda: "unread"),
    )
    yield rule(
        rf"\b(?P<mo>{months}) {language.of}(?P<y>{_YEAR})\b(?!-|%|:[0-9])",
        month_words,
        lambda m, _: month_of_year(int(m["y"]), language.months[m["mo"]]),
    )
    yield rule(
        rf"\b(?P<since>{language.in_month}) (?P<x>(?P<mo>{months}))\b",
        month_words,
        lambda m, c: (
            month_reading(c, language.months[m["mo"]], lambda: "past")
            if m["since"] in ("seit", "desde", "depuis")
            else Reading(kind="month", key=(language.months[m["mo"]],))
        ),
    )
    yield rule(rf"(?<!\w)(?:{language.in_year}) (?P<x>(?P<y>{_YEAR}))\b(?!-|%|[:.,][0-9])", ["#"], lambda m, _: year_reading(int(m["y"])))


_FRENCH = re.compile(r"\b(?:je|nous|vous|il|elle|elles|ils|on|le|la|les|des|est|à|au|suis|avons|une|pour|avec|c|j)\b")
_GERMAN = re.compile(r"\b(?:ich|du|ist|sind|der|die|das|und|nicht|bin|wir|er|war|von|wie|gibt)\b")
_NOT_MORNING = re.compile(r"\b(?:la|el|esta|de|una|cada|guten|am|jeden|gute|diesen|eines|heute|gestern|in the|ayer|por)\s+$")


def _hier(match: re.Match[str], context: Context) -> Reading | None:
    around = context.low[max(0, match.start() - 80) : match.end() + 80]
    return day_reading(context, -1) if _FRENCH.search(around) and not _GERMAN.search(around) else None


def _tomorrow_or_morning(match: re.Match[str], context: Context) -> Reading | None:
    if context.capital(match.start()) or _NOT_MORNING.search(context.low, max(0, match.start() - 10), match.start()):
        return None
    return day_reading(context, 1)


RULES: tuple[Rule, ...] = (
    *(r for language in LANGUAGES for r in _rules(language)),
    rule(r"(?<!-)\bhier\b", ["hier"], _hier),
    rule(r"\b(?:morgen|mañana)\b", ["morgen", "mañana"], _tomorrow_or_morning),
)
"""In order of precedence for expressions of equal length."""
