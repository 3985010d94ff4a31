"""LongMemEval: questions, each with its own history of dated sessions between a user and an assistant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memcli.atoms import Message
from memcli.transcripts.fields import content_text, identifier, role_of
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import normalise, unreadable

_WEEKDAY = re.compile(r"\((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\)", re.IGNORECASE)


def _sniff(sample: Sample) -> bool:
    first = next(iter(sample.items), None)
    return isinstance(first, Mapping) and ("haystack_sessions" in first or "haystack_session_ids" in first)


def _read(source: Source) -> Iterator[Message]:
    for number, (place, question) in enumerate(source.items(), start=1):
        sessions = question.get("haystack_sessions") if isinstance(question, Mapping) else None
        if not isinstance(question, Mapping) or not isinstance(sessions, list):
            raise READER.wrong(source, question, place)
        conversation = identifier(question.get("question_id")) or (source.stem if number == 1 else f"{source.stem}-{number}")
        for index, session in enumerate(sessions):
            locator = f"{place}.haystack_sessions[{index}]".lstrip(".")
            if not isinstance(session, list):
                raise READER.wrong(source, session, locator)
            named = identifier(_at(question.get("haystack_session_ids"), index)) or f"session_{index + 1}"
            given = _at(question.get("haystack_dates"), index)
            yield from _session(source, session, conversation, named, given, locator)


def _session(source: Source, turns: list[Any], conversation: str, session: str, given: object, locator: str) -> Iterator[Message]:
    date = _WEEKDAY.sub("", given) if isinstance(given, str) else given
    timestamp = normalise(date)
    if turns and unreadable(date):
        source.warnings.count(
            "session's date could not be read; its messages have no time", "sessions' dates could not be read; their messages have no time"
        )
    for index, turn in enumerate(turns):
        place = f"{locator}[{index}]"
        if not isinstance(turn, Mapping) or "content" not in turn:
            raise READER.wrong(source, turn, place)
        role = role_of(turn.get("role")) or "user"
        yield Message(
            conversation_id=conversation,
            message_id=f"{session}:{index + 1}",
            speaker=role,
            role=role,
            text=content_text(turn["content"]),
            timestamp=timestamp,
            session_id=session,
            locator=place,
            metadata={key: value for key, value in turn.items() if key not in ("role", "content")},
        )


def _at(values: object, index: int) -> object:
    return values[index] if isinstance(values, list) and index < len(values) else None


READER = Reader(
    name="longmemeval",
    expects='objects with "haystack_sessions", arrays of turns with "role" and "content", and "haystack_dates"',
    sniff=_sniff,
    read=_read,
    file_name=re.compile(r"longmemeval.*\.json(?:\.gz)?$", re.IGNORECASE),
)
