"""What the rules of all languages share: the context they read in, the reading they return, and the rule itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Literal

from memcli.atoms import Granularity
from memcli.language.times.intervals import Unit, midnight
from memcli.language.times.tense import Direction, direction_at

Kind = Literal[
    "fixed",
    "day",
    "weekday",
    "date",
    "month",
    "season",
    "quarter",
    "year",
    "week",
    "clock",
    "ago",
    "duration",
    "step",
    "nth",
    "monthday",
    "mask",
]


class UnresolvableError(Exception):
    """Raised by a rule whose expression is a time expression that cannot be resolved here."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an expression stands for, before composition with its neighbours.

    `kind` says how it composes and `key` what it fixes: weekday (0-6,), date (month, day), month (month,),
    season (first month,), quarter (number,), clock (hour, minute, 1 if to the hour, doubt: see `numeric`),
    nth and monthday (n, what), step (sign, weekday or -1).
    `mask` takes its place in the text and yields no cue.
    """

    start: datetime | None = None
    end: datetime | None = None
    granularity: Granularity | None = None
    relative: bool = False
    days: float | None = None
    kind: Kind = "fixed"
    key: tuple[int, ...] = ()
    count: tuple[float, float] | None = None
    unit: Unit | None = None
    zone: tzinfo | None = None


UNRESOLVED = Reading()
MASK = Reading(kind="mask")


@dataclass(frozen=True, slots=True)
class Found:
    """A reading and where in the text it stands."""

    begin: int
    finish: int
    reading: Reading


@dataclass(slots=True)
class Context:
    """The text a rule reads in. `low` is `text` in lower case with the same offsets; rules match `low`."""

    text: str
    low: str
    anchor: datetime | None
    has_clock: bool
    _directions: dict[int, Direction] = field(default_factory=dict)

    @property
    def now(self) -> datetime:
        """The anchor, naive."""
        if self.anchor is None:
            raise UnresolvableError
        return self.anchor

    @property
    def today(self) -> datetime:
        """Midnight of the anchor's day."""
        return midnight(self.now)

    @property
    def instant(self) -> datetime:
        """The anchor where its time of day is known."""
        if not self.has_clock:
            raise UnresolvableError
        return self.now

    def direction(self, begin: int, finish: int) -> Direction:
        """Whether the text at this place speaks of the past or the future."""
        known = self._directions.get(begin)
        if known is None:
            known = self._directions[begin] = direction_at(self.low, begin, finish)
        return known

    def capital(self, offset: int) -> bool:
        """Whether the text has a capital letter there."""
        return self.text[offset].isupper()


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over lower-cased text, tried only on texts that hold one of its trigger words (`#` is any digit)."""

    pattern: re.Pattern[str]
    triggers: frozenset[str]
    read: Callable[[re.Match[str], Context], Reading | None]


def rule(pattern: str, triggers: Iterable[str], read: Callable[[re.Match[str], Context], Reading | None]) -> Rule:
    """Compile a rule."""
    return Rule(re.compile(pattern), frozenset(triggers), read)


def alternatives(words: Iterable[str]) -> str:
    """A regular expression for any of the words, longest first."""
    return "(?:" + "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True)) + ")"


@lru_cache(maxsize=256)
def parse_anchor(anchor: str | None) -> tuple[datetime | None, bool, tzinfo | None]:
    """An ISO timestamp as naive wall clock, whether it tells a time of day, and its offset. None if it cannot be read."""
    if anchor is None:
        return None, False, None
    try:
        moment = datetime.fromisoformat(anchor)
    except ValueError:
        return None, False, None
    return moment.replace(tzinfo=None), ":" in anchor or "T" in anchor, moment.tzinfo
