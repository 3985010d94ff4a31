"""Plain chats: JSON lines, a JSON array, or an object with a `messages` array.

A message is an object with a role (or speaker, name, author, from, sender) and a content (or text, message, body,
value); `timestamp`, `id`, `conversation_id` and `session_id` are read where they are, every other key is metadata.
An array or a file of lines may also hold whole conversations, objects with a `messages` array each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memcli.atoms import Message, Role
from memcli.transcripts.fields import content_text, first_string, identifier, role_of, string
from memcli.transcripts.jsonlines import json_lines, not_json, say_half_written
from memcli.transcripts.jsontext import BadJSONError, is_cut_off, loads
from memcli.transcripts.numbering import Numbering
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
    numbers = Numbering()
    conversations = 0
    for locator, record in _records(source):
        if not isinstance(record, dict):  # as the parser makes them; an abstract class would take longer to ask about
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
    """Each JSON object with its place: the items of an array, the lines if the first line is an object, else the whole document."""
    if source.begins_with() == "[":
        yield from source.items()
        return
    lines = source.raw_lines()
    for number, raw in lines:
        text = source.decode(raw).strip(BLANK)
        if not text:
            continue
        try:
            value = loads(text)
        except BadJSONError as error:
            yield from _document(source, Line(number, text, raw.endswith(b"\n")), error)
            return
        yield f"line {number}", value
        break
    yield from json_lines(source, READER.expects, lines)


def _document(source: Source, first: Line, problem: BadJSONError) -> Iterator[tuple[str, Any]]:
    """The one object of a JSON text that goes on after its first line; `problem` is what is wrong with that line by itself."""
    rest = source.text().strip(BLANK)
    begun = first.text.startswith("{")
    if not rest and begun and (not first.ended or is_cut_off(first.text)):
        say_half_written(source, first.number)
        return
    try:
        # The newlines keep the parser's line numbers those of the file.
        value = loads("\n" * (first.number - 1) + first.text + "\n" + rest)
    except BadJSONError as error:
        shown = problem if begun and rest.startswith("{") else error
        raise not_json(source, shown, first.number if shown is problem else error.line, READER.expects) from error
    yield "" if isinstance(value, Mapping) and _inner(value) is not None else f"line {first.number}", value


def _inner(record: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a record that is a whole conversation; None for a single message."""
    if "messages" not in record and "conversations" not in record:
        return None
    if any(record.get(key) is not None for key in _CONTENTS):
        return None
    return next((record[key] for key in _LISTS if isinstance(record.get(key), list)), None)


def _message(
    source: Source,
    record: Mapping[str, Any],
    locator: str,
    conversation: str,
    session: str | None,
    numbers: Numbering,
    *,
    named: bool = False,
) -> Message:
    shape = _shape(tuple(record))
    role, speaker, known = _who(record, shape)
    filled = content = None
    for key in shape.contents:
        if (content := record[key]) is not None:
            filled = key
            break
    if speaker is None or not shape.fillable:
        missing = "no role, speaker or name" if speaker is None else "no content or text"
        raise source.error(f"a message with {missing}; expected {READER.expects}", locator)
    timed = timestamp = None
    for key in shape.times:
        if (timestamp := normalise(record[key])) is not None:
            timed = key
            break
    if timed is None and any(unreadable(record[key]) for key in shape.times):
        source.warnings.count(*UNREADABLE)
    own_conversation = None
    if shape.placed:
        own_conversation = identifier(record.get("conversation_id"))
        conversation = own_conversation or conversation
        session = identifier(record.get("session_id")) or session
    text = content if isinstance(content, str) else content_text(content) if filled else ""
    ordinal = numbers.ordinal(conversation)
    ident = given = None
    for key in shape.ids:
        if (ident := identifier(record[key])) is not None:
            given = key
            break
    return Message(
        conversation_id=conversation,
        message_id=ident or str(ordinal),
        speaker=speaker,
        role=role,
        text=text,
        timestamp=timestamp,
        session_id=session,
        source=source.name,
        locator=locator,
        metadata={key: record[key] for key in _left(shape.others, known, filled, timed, given) if record[key] is not None},
        occurrence=None if ident else numbers.occurrence(conversation, session, speaker, role, timestamp, text),
        unnamed=not (named or own_conversation),
    )


@lru_cache(maxsize=1024)
def _left(others: tuple[str, ...], known: frozenset[str | None], *used: str | None) -> tuple[str, ...]:
    """Those of a record's keys that nothing was read from."""
    return tuple(key for key in others if key not in used and key not in known)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the keys of a record may hold. All records of a file have a few shapes, so each is worked out once."""

    people: tuple[str, ...]
    """The role's key and those of names."""
    authored: bool
    contents: tuple[str, ...]
    times: tuple[str, ...]
    ids: tuple[str, ...]
    others: tuple[str, ...]
    """All keys but those of places, which are never metadata."""
    placed: bool
    fillable: bool
    """Whether there is a key for what was said."""


@lru_cache(maxsize=256)
def _shape(keys: tuple[str, ...]) -> _Shape:
    def present(known: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(key for key in known if key in keys)

    contents = present(_CONTENTS)
    return _Shape(
        people=present(("role", *_NAMES)),
        authored="author" in keys,
        contents=contents,
        times=present(_TIMES),
        ids=present(_IDS),
        others=tuple(key for key in keys if key not in _PLACES),
        placed=bool(present(_PLACES)),
        fillable=bool(contents) or "tool_calls" in keys,
    )


def _who(record: Mapping[str, Any], shape: _Shape) -> tuple[Role, str | None, frozenset[str | None]]:
    """Role, speaker (None where nothing tells), and the keys they were read from."""
    role = name = None
    if shape.authored and isinstance(author := record["author"], Mapping):
        role, name = string(author.get("role")), first_string(author, ("name", "username", "role"))
    values = tuple(map(record.__getitem__, shape.people))
    try:
        return _told(shape.people, values, role, name)
    except TypeError:  # a list or an object stands where a name should: nothing that could be remembered, nor a name
        return _told(shape.people, tuple(value if isinstance(value, str) else None for value in values), role, name)


@lru_cache(maxsize=1024)
def _told(
    keys: tuple[str, ...], values: tuple[object, ...], author_role: str | None, author_name: str | None
) -> tuple[Role, str | None, frozenset[str | None]]:
    """As `_who`, from what is at the keys of people, and from what an object at `author` tells."""
    names = {key: text for key, value in zip(keys, values, strict=True) if (text := string(value))}
    stated = names.pop("role", None) or author_role
    if author_name:
        names["author"] = author_name
    if stated and (role := role_of(stated)):
        key = next((key for key, text in names.items() if text.lower() != stated.lower()), None)
        return role, names[key] if key else role, frozenset({"role", "author", key})
    if stated:
        names["role"] = stated
    alias = next((key for key, text in names.items() if role_of(text)), None)
    key = next((key for key, text in names.items() if not role_of(text)), None)
    role = role_of(names[alias]) or "user" if alias else "user"
    return role, names[key] if key else role if alias else None, frozenset({alias, key, "role"})


READER = Reader(
    name="chat",
    expects='objects like {"role": "user", "content": "..."}',
    sniff=_sniff,
    read=_read,
    file_name=re.compile(r"^-$|\.(?:jsonl|ndjson)(?:\.gz)?$", re.IGNORECASE),
)
