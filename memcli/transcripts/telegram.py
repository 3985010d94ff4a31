"""Telegram Desktop's export as JSON: `result.json` of one chat, or of the whole account with a list of chats.

Texts may be arrays of plain strings and of entities (links, mentions, code). Times come twice: the wall clock where the export was
made and seconds since 1970; together they tell the zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from memcli.atoms import Message, Role
from memcli.transcripts.fields import assemble, file_line, first_string, identifier, image_line, string
from memcli.transcripts.jsonstream import JSONStream
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable
from memcli.transcripts.tools import plain_json

_SECTIONS = ("chats", "left_chats")
_KEPT = {
    "reply_to_message_id": "reply_to",
    "forwarded_from": "forwarded_from",
    "from_id": "from_id",
    "via_bot": "via_bot",
    "media_type": "media_type",
}
_NOTED = ("title", "duration_seconds", "discard_reason", "new_title", "message_id", "members", "text")
_LATEST_ZONE = timedelta(hours=14)


def _sniff(sample: Sample) -> bool:
    first = sample.value
    if not isinstance(first, Mapping):
        return False
    chats = first.get("chats")
    if isinstance(chats, Mapping) and "list" in chats:
        return True
    messages = first.get("messages")
    known = isinstance(first.get("type"), str) and ("id" in first or "name" in first)
    if not known or not isinstance(messages, list):
        return False
    message = messages[0] if messages else None
    return message is None or (isinstance(message, Mapping) and message.get("type") in ("message", "service"))


def _read(source: Source) -> Iterator[Message]:
    with source.parsing():
        stream = source.json()
        if stream.peek() != "{":
            raise READER.wrong(source, stream.value() if stream.peek() else None)
        yield from _chat(source, stream, "")
        stream.finish()


def _chat(source: Source, stream: JSONStream, place: str) -> Iterator[Message]:
    """The messages of the chat at the cursor, and of the lists of chats in it."""
    about: dict[str, Any] = {}
    for key in stream.members():
        opening = stream.peek()
        if key == "messages" and opening == "[":
            for index in stream.elements():
                record = stream.value()
                locator = f"{place}messages[{index}]"
                if not isinstance(record, Mapping):
                    raise READER.wrong(source, record, locator)
                yield _message(source, record, about, locator)
        elif key in _SECTIONS and opening == "{" and not place:
            for inner in stream.members():
                if inner == "list" and stream.peek() == "[":
                    yield from _list(source, stream, key)
                else:
                    stream.value()
        else:
            about[key] = _short(stream.value())


def _list(source: Source, stream: JSONStream, section: str) -> Iterator[Message]:
    for index in stream.elements():
        place = f"{section}.list[{index}]"
        if stream.peek() == "{":
            yield from _chat(source, stream, f"{place}.")
        else:
            raise READER.wrong(source, stream.value(), place)


def _short(value: object) -> object:
    """What is worth keeping of a chat's own fields: single values."""
    return value if isinstance(value, str | int) else None


def _message(source: Source, record: Mapping[str, Any], about: Mapping[str, Any], locator: str) -> Message:
    title = string(about.get("name")) or ("Saved Messages" if about.get("type") == "saved_messages" else None)
    named = identifier(about.get("id")) or title
    time = record.get("date_unixtime") or record.get("date")
    if unreadable(time):
        source.warnings.count(*UNREADABLE)
    service = record.get("type") == "service"
    metadata: dict[str, Any] = {"title": title} if title else {}
    metadata |= {new: record[key] for key, new in _KEPT.items() if record.get(key) is not None}
    if edited := normalise(record.get("edited_unixtime") or record.get("edited")):
        metadata["edited"] = edited
    if service:
        metadata["action"] = string(record.get("action"))
    role: Role = "system" if service else "user"
    return Message(
        conversation_id=named or source.stem,
        message_id=identifier(record.get("id")) or locator,
        speaker=first_string(record, ("actor", "from", "author")) or ("Telegram" if service else title or "Deleted account"),
        role=role,
        text=_noted(record) if service else assemble([_text(record)], list(_media(record))),
        timestamp=_moment(record),
        locator=locator,
        metadata=metadata,
        unnamed=named is None,
    )


def _text(record: Mapping[str, Any]) -> str:
    """The text, its entities as they are shown; behind a link's words its address."""
    text = record.get("text")
    entities = text if isinstance(text, list) else None
    if entities is None and not (isinstance(text, str) and text):
        entities = record.get("text_entities")
    if not isinstance(entities, list):
        return text if isinstance(text, str) else ""
    return "".join(map(_entity, entities))


def _entity(entity: object) -> str:
    if isinstance(entity, str):
        return entity
    if not isinstance(entity, Mapping) or not isinstance(entity.get("text"), str):
        return ""
    text: str = entity["text"]
    address = string(entity.get("href"))
    if entity.get("type") == "pre":
        return f"```\n{text}\n```"
    return f"{text} ({address})" if address and address.rstrip("/") != text.rstrip("/") else text


def _media(record: Mapping[str, Any]) -> Iterator[str]:
    if "photo" in record:
        yield image_line(None)
    kind = string(record.get("media_type"))
    if kind == "sticker":
        yield image_line(f"sticker {string(record.get('sticker_emoji')) or ''}".strip())
    elif "file" in record or kind:
        path = string(record.get("file")) or ""
        # Where the file was not exported, its place is taken by a sentence in brackets.
        name = string(record.get("file_name")) or (path.rpartition("/")[2] if path and not path.startswith("(") else None)
        yield file_line(name or (kind or "file").replace("_", " "))
    poll = record.get("poll")
    if isinstance(poll, Mapping):
        answers = poll.get("answers")
        options = [
            text
            for item in (answers if isinstance(answers, list) else ())
            if isinstance(item, Mapping) and (text := string(item.get("text")))
        ]
        yield "\n".join([string(poll.get("question")) or "poll", *(f"- {option}" for option in options)])
    contact = record.get("contact_information")
    if isinstance(contact, Mapping):
        names = [text for key in ("first_name", "last_name", "phone_number") if (text := string(contact.get(key)))]
        yield file_line(f"contact {' '.join(names)}")
    place = record.get("location_information")
    if isinstance(place, Mapping):
        yield file_line(f"location {place.get('latitude')}, {place.get('longitude')}")


def _noted(record: Mapping[str, Any]) -> str:
    """What a service message tells: its action and the details that go with it."""
    action = (string(record.get("action")) or "service message").replace("_", " ")
    details = [value if isinstance(value, str) else plain_json(value) for key in _NOTED if (value := record.get(key))]
    return " ".join([action, *details])


def _moment(record: Mapping[str, Any]) -> str | None:
    """The time with its zone where both writings of it are there and agree on one."""
    exact, wall = normalise(record.get("date_unixtime")), normalise(record.get("date"))
    if exact is None or wall is None:
        return exact or wall
    there = datetime.fromisoformat(wall)
    offset = there.replace(tzinfo=None) - datetime.fromisoformat(exact).replace(tzinfo=None)
    if there.tzinfo is not None or abs(offset) > _LATEST_ZONE or offset % timedelta(minutes=15):
        return exact
    return there.replace(tzinfo=timezone(offset)).isoformat()


READER = Reader(
    name="telegram",
    expects='result.json: a chat with "name", "type", "id" and "messages", or "chats" with a "list" of them',
    sniff=_sniff,
    read=_read,
    file_name=re.compile(r"^result\.json(?:\.gz)?$", re.IGNORECASE),
)
