"""Filters: which messages a question may be answered from. Times are half-open and told as ISO dates or in words ("last June").

since   what was said at or after the start of it
until   what was said before the start of it
as_of   what was said before the end of it: the memory as it was then
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import numpy as np
from numpy.typing import NDArray

from memcli.errors import NotFoundError, UsageError
from memcli.language.times import find_time_cues
from memcli.language.times.intervals import add_months
from memcli.read.names import find_speakers
from memcli.results import Filters
from memcli.store.snapshot import Snapshot
from memcli.store.transcripts import said_at


@dataclass(frozen=True, slots=True)
class Selected:
    """What a filter lets through: `messages` is (m,) bool; `explained` says how each part of it was read and how much it left."""

    messages: NDArray[np.bool_]
    explained: dict[str, object]


_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


def select(filters: Filters, snapshot: Snapshot, now: datetime) -> Selected:
    """Apply filters to the messages of a snapshot. A message without a time passes no filter of times.

    Args:
        filters: what was asked for.
        snapshot: the memory.
        now: what "yesterday" counts from.

    Raises:
        UsageError: a time cannot be read, or nobody who speaks has that name.
        NotFoundError: no such conversation or session.
    """
    passed = np.ones(len(snapshot.message_ids), np.bool_)
    explained: dict[str, object] = {}
    with np.errstate(invalid="ignore"):
        if filters.since is not None:
            start = _interval(filters.since, "--since", now)[0]
            passed &= snapshot.message_said_at >= _seconds(start)
            explained["since"] = start
        if filters.until is not None:
            start = _interval(filters.until, "--until", now)[0]
            passed &= snapshot.message_said_at < _seconds(start)
            explained["until"] = start
        if filters.as_of is not None:
            end = _interval(filters.as_of, "--as-of", now)[1]
            passed &= snapshot.message_said_at < _seconds(end)
            explained["as_of_before"] = end
    if filters.speaker is not None:
        named = _speakers(filters.speaker, snapshot.speakers)
        passed &= np.isin(snapshot.message_speaker, [snapshot.speakers.index(name) for name in named])
        explained["speaker"] = named
    for option, wanted, known, of_message in (
        ("--conversation", filters.conversation, snapshot.conversations, snapshot.message_conversation),
        ("--session", filters.session, snapshot.sessions, snapshot.message_session),
    ):
        if wanted is not None:
            places = [number for number, name in enumerate(known) if name == wanted]
            if not places:
                raise NotFoundError(f"{option} {wanted}: there is none of that name{_nearest(wanted, known)}")
            passed &= np.isin(of_message, places)
            explained[option.strip("-")] = wanted
    explained["messages"] = int(passed.sum())
    explained["of"] = len(passed)
    return Selected(passed, explained)


def _interval(text: str, option: str, now: datetime) -> tuple[str, str]:
    """The half-open interval that a date, a moment or an expression stands for, as ISO 8601."""
    moment = said_at(text) if "T" in text or ":" in text else None
    if moment is not None:
        return text, text
    if month := _MONTH.fullmatch(text.strip()):
        start = datetime(int(month[1]), int(month[2]), 1)
        return start.isoformat(), add_months(start, 1).isoformat()
    cues = [cue for cue in find_time_cues(text, now.isoformat(timespec="seconds")) if cue.start is not None and cue.end is not None]
    if len(cues) != 1 or len(cues[0].expression) < len(text.strip()) - len("in the "):
        raise UsageError(f"{option} {text!r}: not a time; write 2023-05-07, 2023-05, 2023-05-07T18:30, or words such as 'last June'")
    return cast(str, cues[0].start), cast(str, cues[0].end)


def _seconds(moment: str) -> float:
    seconds = said_at(moment)
    assert seconds is not None, moment
    return seconds


def _speakers(wanted: str, speakers: tuple[str, ...]) -> list[str]:
    """Who is meant by a name, whole or first, in any case."""
    exact = [name for name in speakers if name.casefold() == wanted.strip().casefold()]
    named = exact or list(dict.fromkeys(found.speaker for found in find_speakers(wanted, speakers)))
    if not named:
        raise UsageError(f"--speaker {wanted}: nobody of that name speaks in this memory{_nearest(wanted, speakers)}")
    return named


def _nearest(wanted: str, known: Sequence[str | None]) -> str:
    """Some names that might have been meant, nearest first, as the end of a sentence."""
    from rapidfuzz import process

    names = list(dict.fromkeys(name for name in known if name is not None))
    found = [name for name, _, _ in process.extract(wanted, names, limit=3)]
    return f"; there are {', '.join(found)}" + (" and others" if len(names) > len(found) else "") if found else ""
