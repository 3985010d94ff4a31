"""Rules for common Chinese time expressions. A weekday after 上 or 下 is that of the last or next Monday-to-Sunday week."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memcli.language.times.constructors import counted_reading, date_reading, day_reading, month_of_year, unit_reading, year_reading
from memcli.language.times.intervals import DAY, WEEK, Unit, add_months, counted, monday, unit_holding
from memcli.language.times.reading import UNRESOLVED, Context, Reading, Rule, rule

TRIGGER = "\u4e00"
"""The trigger of all Chinese rules: stands for "the text has a Han character"."""

_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨日": -1,
    "今天": 0,
    "今晚": 0,
    "今早": 0,
    "明天": 1,
    "明晚": 1,
    "后天": 2,
    "大后天": 3,
}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_UNITS: dict[str, Unit] = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "小时": "hour",
}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_NUMBER = r"(?:[0-9]{1,4}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"


def number(text: str) -> int:
    """The value of a number below 100 in Han characters, or in digits."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS[text]
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)


def _counted(match: re.Match[str], context: Context) -> Reading:
    sign = -1 if match["way"] in ("前", "以前", "之前") else 1
    count = number(match["n"])
    return counted_reading(context, count, count, _UNITS[match["u"]], sign)


def _week(match: re.Match[str], context: Context) -> Reading:
    start = monday(context.today) + WEEK * _STEPS[match["how"]]
    if match["wd"] == "末":
        return unit_reading(*unit_holding(start, "weekend"), "weekend")
    if match["wd"]:
        start += timedelta(days=_WEEKDAYS[match["wd"]])
        return unit_reading(start, start + DAY, "day", "day")
    return unit_reading(start, start + WEEK, "week")


def _month(match: re.Match[str], context: Context) -> Reading:
    step = _STEPS[match["how"]]
    return unit_reading(*counted(context.today, abs(step), abs(step), "month", step or 1))


def _year(match: re.Match[str], context: Context) -> Reading:
    year = context.today.year + _YEARS[match["w"]]
    start = datetime(year, 1, 1)
    if match["mo"]:
        start = datetime(year, number(match["mo"]), 1)
        return unit_reading(start, add_months(start, 1), "month")
    return unit_reading(start, add_months(start, 12), "year")


def _date(match: re.Match[str], context: Context) -> Reading:
    year = int(match["y"]) if match["y"] else None
    if match["d"]:
        return date_reading(context, number(match["mo"]), number(match["d"]), year, lambda: "unread")
    if match["mo"]:
        return UNRESOLVED if year is None else month_of_year(year, number(match["mo"]))
    return year_reading(int(match["y"]))


RULES: tuple[Rule, ...] = (
    rule(
        "(?P<w>" + "|".join(sorted(_DAYS, key=len, reverse=True)) + ")(?:上午|下午|早上|晚上|中午)?",
        [TRIGGER],
        lambda m, c: day_reading(c, _DAYS[m["w"]]),
    ),
    rule(rf"(?P<n>{_NUMBER})个?(?P<u>天|日|周|星期|礼拜|月|年|小时)(?P<way>以前|之前|前|之后|以后|后)(?!天)", [TRIGGER], _counted),
    rule(r"(?P<how>上上|上|这|本|下下|下)个?(?:周|星期|礼拜)(?P<wd>[一二三四五六日天末])?", [TRIGGER], _week),
    rule(r"(?P<how>上上|上|这|本|下下|下)个?月(?!球)", [TRIGGER], _month),
    rule(rf"(?P<w>前年|去年|今年|明年|后年)(?:(?P<mo>{_NUMBER})月)?(?!份?[0-9])", [TRIGGER], _year),
    rule(rf"(?P<y>[12][0-9]{{3}})年(?:(?P<mo>{_NUMBER})月(?:份|(?P<d>{_NUMBER})[日号])?)?", [TRIGGER], _date),
    rule(rf"(?P<y>(?!))?(?<![0-9年月])(?P<mo>{_NUMBER})月(?P<d>{_NUMBER})[日号]", [TRIGGER], _date),
)
"""In order of precedence for expressions of equal length."""
