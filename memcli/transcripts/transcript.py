"""Reading a transcript of any format."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from memcli.atoms import Message
from memcli.transcripts import archive
from memcli.transcripts.detect import detect, reader_named, recognise
from memcli.transcripts.jsontext import Json
from memcli.transcripts.reader import Reader
from memcli.transcripts.source import Source, open_source

_UNSTORABLE = re.compile("[\ud800-\udfff\0]")
"""Half a surrogate pair cannot be encoded, and SQLite's own functions end a text at a NUL."""
_DEEPEST = 32
"""Levels of nesting that metadata may have; far more than any export, far less than the interpreter's stack."""

_SCALARS = frozenset({int, bool, type(None)})
"""Types of JSON values that nothing is wrong with, whatever they are."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript being read."""

    format: str
    """The format's name, as detected or as given."""
    messages: Iterator[Message]
    """The messages in the transcript's own order. They can be walked once, and are read as they are asked for."""
    warnings: list[str]
    """What was replaced or left out so far, one line each; it fills while `messages` is walked."""


def read(source: str | Path | IO[bytes], format: str | None = None, *, name: str | None = None) -> Transcript:
    """Open a transcript and find out its format; its messages are read lazily.

    Args:
        source: a file or folder, or an open binary stream, which stays open. A stream is read line by line where its
            format permits: each message is there as soon as its line is, and no more than the first line is needed to
            begin if that line is a JSON object.
        format: one of `formats()`, or None to detect it from the content, else from the file's name.
        name: what to call the source in messages and errors; by default the path as given, `-` for a stream.

    Raises:
        InputError: the source cannot be opened or is no transcript. Walking `messages` raises it too, when it reaches a
            place that is wrong (messages before that place have been yielded by then, so a caller who wants all or
            nothing must keep them in a transaction until the end), or the end without having met any message.
        UsageError: there is no such format.
    """
    chosen = reader_named(format) if format is not None else None
    opened = open_source(source, name)
    try:
        reader = chosen or detect(opened)
    except BaseException:
        opened.close()
        raise
    return Transcript(reader.name, _messages(reader, opened, chosen), opened.warnings.lines)


def _messages(reader: Reader, source: Source, chosen: Reader | None) -> Iterator[Message]:
    """What the reader yields, made fit to store; messages without text are left out and counted."""
    found = False
    origin = _clean_text(source.name)
    try:
        whole = source.kind != "zip" or reader.sniff(source.sample())
        for message in reader.read(source) if whole else archive.messages(source, lambda *about: chosen or recognise(*about)):
            found = True
            if not message.text or message.text.isspace():
                source.warnings.count("empty message skipped", "empty messages skipped")
                continue
            yield _storable(message, origin, source)
        if not found:
            noted = f" ({'; '.join(source.warnings.lines)})" if source.warnings.lines else ""
            raise source.error(f"no messages in it{noted}: expected {reader.expects}")
    finally:
        source.close()


def _storable(message: Message, origin: str, source: Source) -> Message:
    cleaned = _replaced(message)
    if cleaned is not message:
        source.warnings.count(
            "message with lone surrogates or NUL characters, replaced by U+FFFD",
            "messages with lone surrogates or NUL characters, replaced by U+FFFD",
        )
    metadata = _clean(message.metadata) if message.metadata else message.metadata
    if metadata is message.metadata and cleaned.source == origin:
        return cleaned  # nearly always: a copy takes as long as reading a short message
    return replace(cleaned, source=origin, metadata=metadata)


def _replaced(message: Message) -> Message:
    """A message without characters that cannot be stored; the same object if it has none."""
    places = (message.conversation_id, message.message_id, message.speaker, message.session_id or "", message.locator)
    if _is_storable(message.text) and _is_storable("".join(places)):
        return message
    conversation, ident, speaker, session, locator = map(_clean_text, places)
    return replace(
        message,
        conversation_id=conversation,
        message_id=ident,
        speaker=speaker,
        text=_clean_text(message.text),
        session_id=session if message.session_id is not None else None,
        locator=locator,
    )


def storable(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages that a program made, as those of a transcript would be: those without text left out, unstorable characters replaced."""
    for message in messages:
        if message.text.strip():
            message = _replaced(message)
            yield message if message.speaker else replace(message, speaker=message.role)


def _is_storable(text: str) -> bool:
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()  # several times as fast as looking for surrogates by a regular expression
    except UnicodeEncodeError:
        return False
    return True


def _clean_text(text: str) -> str:
    return text if _is_storable(text) else _UNSTORABLE.sub("\ufffd", text)


def _clean(value: Json, depth: int = 0) -> Json:
    """The same JSON value without what cannot be stored; what is nested too deeply, and numbers that are none, become None.

    The very same object, if there is nothing to clean.
    """
    kind = type(value)
    if kind is str:
        return _clean_text(value)
    if kind in _SCALARS:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is dict or isinstance(value, Mapping):
        if depth >= _DEEPEST:
            return None
        same = kind is dict
        copy = {}
        for key, item in value.items():
            # Most keys and values are plain, and a call takes longer than it takes to see that they are.
            name = key if key.isascii() and "\0" not in key else _clean_text(key)
            cleaned = item if type(item) in _SCALARS else _clean(item, depth + 1)
            same = same and name is key and cleaned is item
            copy[name] = cleaned
        return value if same else copy
    if kind is list:
        if depth >= _DEEPEST:
            return None
        items = [_clean(item, depth + 1) for item in value]
        return value if all(map(operator.is_, items, value)) else items
    return value
