"""Which speakers a question names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from memcli.language.lexicon import FUNCTION, PHATIC, WORD, word_set

_ROLES = ("user", "assistant", "system", "tool")
_CALENDAR_NAMES = word_set("april may june august summer autumn winter sunday")
"""Words of the calendar that are given names as well."""


@dataclass(frozen=True, slots=True)
class Named:
    """A speaker, and where in the question the name stands, a possessive ending included: [start, end)."""

    speaker: str
    start: int
    end: int


def find_speakers(question: str, speakers: tuple[str, ...]) -> list[Named]:
    """The speakers that a question names, in the order of their first mention, each mention one entry.

    A speaker is named by the whole name, or by its first word where no other speaker has the same first word. A name that is an everyday
    word as well ("Will", "May") counts only with its capital, and not as the first word of the question. A speaker known by
    role alone is "the user" or "the assistant".
    """
    firsts = Counter(words[0].casefold() for speaker in speakers if (words := speaker.split()))
    found: list[Named] = []
    for speaker in sorted(speakers, key=len, reverse=True):
        words = speaker.split()
        if not words:
            continue
        names = [speaker]
        if len(words) > 1 and len(words[0]) > 1 and firsts[words[0].casefold()] == 1:
            names.append(words[0])
        for name in names:
            for match in _pattern(name).finditer(question):
                free = all(match.end() <= other.start or match.start() >= other.end for other in found)
                if free and _is_meant(name, question, match.start()):
                    found.append(Named(speaker, match.start(), match.end()))
    return sorted(found, key=lambda named: named.start)


def _pattern(name: str) -> re.Pattern[str]:
    called = rf"the\s+{re.escape(name)}" if name.casefold() in _ROLES else re.escape(name)
    return re.compile(rf"(?<!\w){called}(?:['’]s?)?(?!\w)", re.IGNORECASE)


def _is_meant(name: str, question: str, start: int) -> bool:
    lower = name.casefold()
    if lower in _ROLES or not (lower in FUNCTION or lower in PHATIC or lower in _CALENDAR_NAMES):
        return True
    return question.startswith(name, start) and WORD.search(question[:start]) is not None
