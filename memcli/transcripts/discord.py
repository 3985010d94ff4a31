"""Discord channels as DiscordChatExporter writes them: a JSON object with `guild`, `channel` and `messages`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memcli.atoms import Message, Role
from memcli.transcripts.fields import assemble, file_line, first_string, identifier, image_line, string
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable

_SAID = frozenset({"Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage", "0", "19", "20", "21", "23"})
"""Types of messages that somebody wrote, by name or number; all others are Discord's own notes (joins, pins, calls, boosts, ...)."""
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|webp|avif|heic|bmp)$", re.IGNORECASE)


def _sniff(sample: Sample) -> bool:
    first = sample.value
    return isinstance(first, Mapping) and isinstance(first.get("channel"), Mapping) and ("guild" in first or "dateRange" in first)


def _read(source: Source) -> Iterator[Message]:
    with source.parsing():
        stream = source.json()
        if stream.peek() != "{":
            raise READER.wrong(source, stream.value() if stream.peek() else None)
        about: dict[str, Any] = {}
        for key in stream.members():
            if key != "messages" or stream.peek() != "[":
                value = stream.value()
                if key in ("guild", "channel") and isinstance(value, Mapping):
                    about[key] = value
                continue
            for index in stream.elements():
                record = stream.value()
                if not isinstance(record, Mapping):
                    raise READER.wrong(source, record, f"messages[{index}]")
                yield _message(source, record, about, f"messages[{index}]")
        stream.finish()


def _message(source: Source, record: Mapping[str, Any], about: Mapping[str, Any], locator: str) -> Message:
    channel, guild = about.get("channel", {}), about.get("guild", {})
    named = identifier(channel.get("id")) or string(channel.get("name"))
    time = record.get("timestamp")
    if unreadable(time):
        source.warnings.count(*UNREADABLE)
    author = record.get("author")
    author = author if isinstance(author, Mapping) else {}
    kind = identifier(record.get("type")) or "Default"
    role: Role = "system" if kind not in _SAID else "assistant" if author.get("isBot") is True else "user"
    reference = record.get("reference")
    interaction = record.get("interaction")
    metadata = {
        "title": string(channel.get("name")),
        "guild": string(guild.get("name")),
        "category": string(channel.get("category")),
        "type": kind if kind not in ("Default", "0") else None,
        "author_id": identifier(author.get("id")),
        "edited": normalise(record.get("timestampEdited")),
        "reply_to": identifier(reference.get("messageId")) if isinstance(reference, Mapping) else None,
        "command": string(interaction.get("name")) if isinstance(interaction, Mapping) else None,
    }
    return Message(
        conversation_id=named or source.stem,
        message_id=identifier(record.get("id")) or locator,
        speaker=first_string(author, ("nickname", "name", "id")) or ("Discord" if role == "system" else "unknown"),
        role=role,
        text=_text(record),
        timestamp=normalise(time),
        locator=locator,
        metadata={key: value for key, value in metadata.items() if value is not None},
        unnamed=named is None,
    )


def _text(record: Mapping[str, Any]) -> str:
    """What was written, else what was forwarded or embedded, and a line for each attachment."""
    content = record.get("content")
    texts = [content] if isinstance(content, str) and content.strip() else []
    files = list(_files(record))
    forwarded = record.get("forwardedMessage")
    if not texts and isinstance(forwarded, Mapping):
        inner = string(forwarded.get("content"))
        texts = ["\n".join(f"> {line}" for line in inner.splitlines())] if inner else []
        files += _files(forwarded)
    if not texts and not files:
        texts = list(_embeds(record.get("embeds")))
    return assemble(texts, files)


def _files(record: Mapping[str, Any]) -> Iterator[str]:
    for key, image in (("attachments", False), ("stickers", True)):
        items = record.get(key)
        for item in items if isinstance(items, list) else ():
            name = first_string(item, ("fileName", "name")) if isinstance(item, Mapping) else None
            if name is not None:
                yield image_line(name) if image or _IMAGE.search(name) else file_line(name)


def _embeds(embeds: object) -> Iterator[str]:
    for embed in embeds if isinstance(embeds, list) else ():
        if isinstance(embed, Mapping):
            texts = [text for key in ("title", "description") if (text := string(embed.get(key)))]
            fields = embed.get("fields")
            for field in fields if isinstance(fields, list) else ():
                if isinstance(field, Mapping):
                    texts.append(": ".join(filter(None, (string(field.get("name")), string(field.get("value"))))))
            yield "\n".join(filter(None, texts))


READER = Reader(
    name="discord",
    expects='an object with "guild", "channel" and "messages", whose messages have "id", "timestamp", "author" and "content"',
    sniff=_sniff,
    read=_read,
)
