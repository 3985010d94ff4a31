"""The lines of a WhatsApp chat file: `3/2/24, 10:15 - Name: text` (Android), `[03.02.24, 10:15:22] Name: text` (iOS).

The phone's language and region decide everything else: order and separators of the date, 12 or 24 hours, words for the halves
of the day and where they stand, digits, and invisible marks for the direction of writing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

_MARKS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
_HEADER = 120
"""Characters that may belong to date, time and marks."""
_HALF = {
    "am": 0, "pm": 12, "a.m.": 0, "p.m.": 12, "上午": 0, "下午": 12, "凌晨": 0, "早上": 0, "中午": 12, "晚上": 12, "午前": 0, "午後": 12,
    "오전": 0, "오후": 12, "ص": 0, "م": 12, "ق.ظ": 0, "ب.ظ": 12, "पूर्वाह्न": 0, "अपराह्न": 12, "π.μ.": 0, "μ.μ.": 12, "de.": 0, "du.": 12,
    "öö": 0, "ös": 12, "sa": 0, "ch": 12, "fm": 0, "em": 12, "vm.": 0, "nm.": 12, "dop.": 0, "odp.": 12,
}  # fmt: skip
"""Hours that the words for the halves of the day add, in the languages WhatsApp is met in."""
_WORDS = "|".join(sorted((re.escape(word).replace(r"\.", r"\.\s?") for word in _HALF), key=len, reverse=True))
_LINE = re.compile(
    r"(?P<open>\[)?\s*(?P<a>\d{1,4})(?P<s>[./-])\s?(?P<b>\d{1,2})(?P=s)\s?(?P<c>\d{2,4})\.?"
    r"(?:[,،]\s?|\s)\s*(?:(?:at|um|klo|kl\.?|à|às|alle|om)\s)?"
    rf"(?:(?P<before>{_WORDS})\s?)?(?P<hour>\d{{1,2}})[:.h](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?(?:\s?(?P<after>{_WORDS}))?"
    r"(?:\s(?:Uhr|h))?\s?(?(open)\]\s?|\s[-–]\s)",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"([^:\n]{1,80}?): ?")


@dataclass(frozen=True, slots=True)
class Head:
    """How a line begins that is a message's first: the numbers of its date as they stand, its clock, where the rest begins."""

    date: tuple[int, int, int]
    year_first: bool
    hour: int
    minute: int
    second: int
    halves: bool
    """Whether the clock has 12 hours."""
    separator: str
    rest: str
    """The line behind the time, marks at its beginning kept."""


def head_of(line: str) -> Head | None:
    """The head of a line; None where none is, so that the line goes on with the message before it."""
    start = _MARKS.sub("", line[:_HEADER])
    match = _LINE.match(start)
    if match is None:
        return None
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    word = match["before"] or match["after"]
    if word is not None:
        if not 0 <= hour <= 24:
            return None
        added = _HALF[re.sub(r"\s", "", word.lower())]
        hour = hour % 12 + added if hour <= 12 else hour
    if hour > 23 or minute > 59 or second > 59:
        return None
    date = (int(match["a"]), int(match["b"]), int(match["c"]))
    return Head(date, len(match["a"]) == 4, hour, minute, second, word is not None, match["s"], _after(line, match.end()))


def _after(line: str, length: int) -> str:
    """What is left of the line behind `length` characters that are no marks."""
    index = 0
    while length:
        length -= _MARKS.match(line[index]) is None
        index += 1
    return line[index:]


def moment(head: Head, day_first: bool) -> str | None:
    """The time of a head as ISO 8601 without a zone, which these files do not tell; None for a day that there is not."""
    first, second, third = head.date
    year, month, day = (first, second, third) if head.year_first else (third, second, first) if day_first else (third, first, second)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, head.hour, head.minute, head.second).isoformat()
    except ValueError:
        return None


def split(rest: str) -> tuple[str | None, str]:
    """The speaker and the text of a head's rest; no speaker for WhatsApp's own notes."""
    plain = _MARKS.sub("", rest[:_HEADER])
    match = _SPEAKER.match(plain)
    if match is None or '"' in match[1] or "“" in match[1]:
        return None, rest
    speaker = match[1].strip().removeprefix("~").strip()
    return (speaker, _after(rest, match.end())) if speaker else (None, rest)


def unmarked(text: str) -> str:
    """The text without the invisible marks around it."""
    return re.sub(rf"\A(?:{_MARKS.pattern})+|(?:{_MARKS.pattern})+\Z", "", text)
