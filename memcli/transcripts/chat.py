"""Plain chats: JSON lines, a JSON array, or an object with a `messages` array.

A message is an object with a role (or speaker, name, author, from, sender) and a content (or text, message, body,
value); `timestamp`, `id`, `conversation_id` and `session_id` are read where they are, every other key is metadata.
An array or a file of lines may also hold whole conversations, objects with a `messages` array each.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memcli.atoms import Message, Role
from memcli.errors import InputError
from memcli.transcripts.fields import content_text, first_string, identifier, role_of, string
from memcli.transcripts.jsontext import BadJSONError, is_cut_off, loads
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import BLANK, Sample
from memcli.transcripts.source import Line, Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable

_NAMES = ("speaker", "name", "author", "from", "sender")
_CONTENTS = ("content", "text", "message", "body", "value")
_LISTS = ("messages", "conversations")
_TIMES = ("timestamp", "created_at", "create_time", "createdAt", "datetime", "date", "time", "ts")
_IDS = ("id", "message_id")
_PLACES = ("conversation_id", "session_id")


def _sniff(sample: Sample) -> bool:
    items = sample.items
    if not items or not isinstance(items[0], Mapping):
        return False
    first = items[0]
    inner = _inner(first)
    if inner is not None:
        return not inner or (isinstance(inner[0], Mapping) and _is_message(inner[0], sample.complete))
    return _is_message(first, sample.complete)


def _is_message(record: Mapping[str, Any], complete: bool) -> bool:
    named = "role" in record or any(key in record for key in _NAMES)
    filled = any(key in record for key in _CONTENTS) or "tool_calls" in record
    return named and filled if complete else named or filled


def _read(source: Source) -> Iterator[Message]:
    numbers = _Numbers(Counter(), Counter())
    conversations = 0
    for locator, record in _records(source):
        if not isinstance(record, Mapping):
            raise READER.wrong(source, record, locator)
        inner = _inner(record)
        if inner is None:
            yield _message(source, record, locator, source.stem, None, numbers)
            continue
        conversations += 1
        default = source.stem if conversations == 1 else f"{source.stem}-{conversations}"
        named = identifier(record.get("conversation_id")) or identifier(record.get("id"))
        session = identifier(record.get("session_id"))
        for index, item in enumerate(inner):
            place = f"{locator}: messages[{index}]" if locator else f"messages[{index}]"
            if not isinstance(item, Mapping):
                raise READER.wrong(source, item, place)
            yield _message(source, item, place, named or default, session, numbers, named=named is not None)


def _records(source: Source) -> Iterator[tuple[str, Any]]:
    """Each JSON object with its place: the lines if the first line is one, else the items of the whole document."""
    lines = source.lines()
    first = next(lines, None)
    if first is None:
        return
    try:
        value = loads(first.text)
    except BadJSONError as error:
        yield from _document(source, first, error)
        return
    if isinstance(value, Mapping):
        yield f"line {first.number}", value
        yield from _json_lines(source, lines)
    else:
        yield from _document(source, first, None)


def _json_lines(source: Source, lines: Iterator[Line]) -> Iterator[tuple[str, Any]]:
    for line in lines:
        try:
            value = loads(line.text)
        except BadJSONError as error:
            if (not line.ended or is_cut_off(line.text)) and next(lines, None) is None:
                _skip_half(source, line)
                return
            raise _not_json(source, error, line.number) from error
        yield f"line {line.number}", value


def _document(source: Source, first: Line, problem: BadJSONError | None) -> Iterator[tuple[str, Any]]:
    """The messages of a JSON text that goes on after its first line; `problem` is what is wrong with that line by itself."""
    rest = source.text().strip(BLANK)
    if problem and not rest and first.text.startswith("{") and (not first.ended or is_cut_off(first.text)):
        _skip_half(source, first)
        return
    try:
        # The newlines keep the parser's line numbers those of the file.
        value = loads("\n" * (first.number - 1) + first.text + "\n" + rest)
    except BadJSONError as error:
        if problem and first.text.startswith("{") and rest.startswith("{"):
            raise _not_json(source, problem, first.number) from problem
        raise _not_json(source, error, error.line) from error
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield f"[{index}]", item
    elif isinstance(value, Mapping) and _inner(value) is not None:
        yield "", value
    else:
        yield f"line {first.number}", value


def _not_json(source: Source, error: BadJSONError, line: int) -> InputError:
    return source.error(f"not JSON: {error.reason}; expected {READER.expects}", f"line {line}")


def _skip_half(source: Source, line: Line) -> None:
    source.warnings.say(f"line {line.number}: half-written last line skipped; reading again picks it up once it is whole")


def _inner(record: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a record that is a whole conversation; None for a single message."""
    if any(record.get(key) is not None for key in _CONTENTS):
        return None
    return next((record[key] for key in _LISTS if isinstance(record.get(key), list)), None)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What has been counted so far: messages by conversation, and those without an id by a digest of all they are."""

    ordinals: Counter[str]
    occurrences: Counter[bytes]

    def occurrence(self, *parts: str | None) -> int:
        key = hashlib.blake2b(repr(parts).encode("utf-8", "backslashreplace"), digest_size=12).digest()
        self.occurrences[key] += 1
        return self.occurrences[key]


def _message(
    source: Source,
    record: Mapping[str, Any],
    locator: str,
    conversation: str,
    session: str | None,
    numbers: _Numbers,
    *,
    named: bool = False,
) -> Message:
    role, speaker, known = _who(record)
    filled = next((key for key in _CONTENTS if record.get(key) is not None), None)
    if speaker is None or (filled is None and not any(key in record for key in (*_CONTENTS, "tool_calls"))):
        missing = "no role, speaker or name" if speaker is None else "no content or text"
        raise source.error(f"a message with {missing}; expected {READER.expects}", locator)
    timed, timestamp = next(((key, moment) for key in _TIMES if (moment := normalise(record.get(key)))), (None, None))
    if timestamp is None and any(unreadable(record.get(key)) for key in _TIMES):
        source.warnings.count(*UNREADABLE)
    own_conversation = identifier(record.get("conversation_id"))
    conversation = own_conversation or conversation
    session = identifier(record.get("session_id")) or session
    text = content_text(record[filled]) if filled else ""
    numbers.ordinals[conversation] += 1
    given = next(((key, ident) for key in _IDS if (ident := identifier(record.get(key)))), None)
    known |= {key for key in (filled, timed, given[0] if given else None) if key} | set(_PLACES)
    return Message(
        conversation_id=conversation,
        message_id=given[1] if given else str(numbers.ordinals[conversation]),
        speaker=speaker,
        role=role,
        text=text,
        timestamp=timestamp,
        session_id=session,
        locator=locator,
        metadata={key: value for key, value in record.items() if key not in known and value is not None},
        occurrence=None if given else numbers.occurrence(conversation, session, speaker, role, timestamp, text),
        unnamed=not (named or own_conversation),
    )


def _who(record: Mapping[str, Any]) -> tuple[Role, str | None, set[str]]:
    """Role, speaker (None where nothing tells), and the keys they were read from."""
    author = record.get("author")
    inner = author if isinstance(author, Mapping) else {}
    stated = string(record.get("role")) or string(inner.get("role"))
    names = {key: text for key in _NAMES if (text := string(record.get(key)))}
    if name := first_string(inner, ("name", "username", "role")):
        names["author"] = name
    if stated and (role := role_of(stated)):
        key = next((key for key, text in names.items() if text.lower() != stated.lower()), None)
        return role, names[key] if key else role, {"role", "author"} | ({key} if key else set())
    if stated:
        names["role"] = stated
    alias = next((key for key, text in names.items() if role_of(text)), None)
    key = next((key for key, text in names.items() if not role_of(text)), None)
    role = role_of(names[alias]) or "user" if alias else "user"
    return role, names[key] if key else role if alias else None, {key for key in (alias, key, "role") if key}


READER = Reader(
    name="chat",
    expects='objects like {"role": "user", "content": "..."}',
    sniff=_sniff,
    read=_read,
    file_name=re.compile(r"^-$|\.(?:jsonl|ndjson)(?:\.gz)?$", re.IGNORECASE),
)
