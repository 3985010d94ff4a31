"""The Slack export: a zip archive or folder with `users.json`, lists of channels, and a folder a channel with a file a day.

A day's file may also be read alone; the names of people and channels are then those that its messages carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from memcli.atoms import Message, Role
from memcli.transcripts.fields import assemble, file_line, first_string, identifier, image_line, string
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample, describe
from memcli.transcripts.slack_text import block_text, shown
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable

_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")
_DAY = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\.json$")
_STAMP = re.compile(r"[0-9]{9,11}\.[0-9]{1,9}")
_NAMES = ("display_name", "real_name", "display_name_normalized", "real_name_normalized", "name", "username")
_SAID = frozenset({"", "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment", "file_mention", "reply_broadcast"})
"""Kinds of messages that somebody wrote; all others are Slack's own notes (joins, topics, pins, deleted messages, ...)."""
_FIELDS = {"thread_ts": "thread", "client_msg_id": "client_msg_id", "subtype": "subtype"}


def _sniff(sample: Sample) -> bool:
    if sample.kind != "file":
        names = [PurePosixPath(name).name for name in sample.members]
        return "users.json" in names and any(name in names for name in _LISTS)
    first = sample.value[0] if isinstance(sample.value, list) and sample.value else None
    if not isinstance(first, Mapping) or first.get("type") != "message":
        return False
    stamp = first.get("ts")
    return isinstance(stamp, str) and bool(_STAMP.fullmatch(stamp))


@dataclass(frozen=True, slots=True)
class _Names:
    """Names by id."""

    users: dict[str, str] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    """Channel ids by name."""


def _read(source: Source) -> Iterator[Message]:
    if source.kind == "file":
        yield from _day(source, source.parent or source.stem, source.stem, _Names(), named=False)
        return
    names = _names(source)
    days = [(path.parent.name, path.name, name) for name in source.members if _DAY.match((path := PurePosixPath(name)).name)]
    if not days:
        raise source.error(f"looks like {describe(source.sample())}; slack expects {READER.expects}")
    for channel, day, name in sorted(days):
        with source.member(name) as member:
            yield from _day(member, names.channels.get(channel, channel), day.removesuffix(".json"), names, named=True)


def _names(source: Source) -> _Names:
    names = _Names()
    # People first: direct conversations are named after them.
    for name in sorted(source.members, key=lambda name: (PurePosixPath(name).name != "users.json", name)):
        kind = PurePosixPath(name).name
        if kind != "users.json" and kind not in _LISTS:
            continue
        with source.member(name) as member:
            for _, record in member.items():
                ident = identifier(record.get("id")) if isinstance(record, Mapping) else None
                if ident is None:
                    continue
                if kind == "users.json":
                    names.users.setdefault(ident, _user_name(record) or ident)
                else:
                    channel = string(record.get("name")) or _between(record, names.users) or ident
                    names.channels.setdefault(ident, channel)
                    names.ids.setdefault(channel, ident)
    return names


def _user_name(record: Mapping[str, Any]) -> str | None:
    profile = record.get("profile")
    inner = first_string(profile, _NAMES[:4]) if isinstance(profile, Mapping) else None
    return inner or first_string(record, _NAMES)


def _between(record: Mapping[str, Any], users: Mapping[str, str]) -> str | None:
    """The name of a direct conversation: who takes part in it."""
    members = record.get("members")
    people = [users.get(member, member) for member in members if isinstance(member, str)] if isinstance(members, list) else []
    return ", ".join(people) or None


def _day(source: Source, channel: str, day: str, names: _Names, *, named: bool) -> Iterator[Message]:
    for place, record in source.items():
        if not isinstance(record, Mapping):
            raise READER.wrong(source, record, place)
        subtype = string(record.get("subtype")) or ""
        if subtype == "message_changed" and isinstance(record.get("message"), Mapping):
            record = {**record["message"], "edited": record["message"].get("edited") or {}}
            subtype = string(record.get("subtype")) or ""
        if "ts" not in record and "text" not in record:
            raise READER.wrong(source, record, place)
        if subtype in ("message_deleted", "message_replied"):
            continue
        yield _message(source, record, subtype, channel, day, names, named, place)


def _message(
    source: Source, record: Mapping[str, Any], subtype: str, channel: str, day: str, names: _Names, named: bool, place: str
) -> Message:
    stamp = record.get("ts")
    if unreadable(stamp):
        source.warnings.count(*UNREADABLE)
    text = record.get("text")
    text = text if isinstance(text, str) and text.strip() else block_text(record)
    metadata: dict[str, Any] = {new: value for key, new in _FIELDS.items() if (value := string(record.get(key)))}
    if isinstance(record.get("edited"), Mapping):
        metadata["edited"] = normalise(record["edited"].get("ts")) or True
    if ident := names.ids.get(channel):
        metadata["channel"] = ident
    speaker, is_bot = _speaker(record, names.users)
    role: Role = "system" if subtype not in _SAID else "assistant" if is_bot else "user"
    return Message(
        conversation_id=channel,
        message_id=identifier(stamp) or f"{day}{place or '[0]'}",
        speaker=speaker,
        role=role,
        text=assemble([shown(text, names.users, names.channels)], list(_files(record))),
        timestamp=normalise(stamp),
        session_id=day,
        locator=source.place(place or "[0]"),
        metadata=metadata,
        unnamed=not named,
    )


def _speaker(record: Mapping[str, Any], users: Mapping[str, str]) -> tuple[str, bool]:
    """The name to show, and whether it is a program's."""
    user = identifier(record.get("user"))
    profile = record.get("user_profile")
    bot = record.get("bot_profile")
    is_bot = record.get("subtype") == "bot_message" or (user is None and "bot_id" in record)
    name = users.get(user) if user else None
    name = name or (first_string(profile, _NAMES) if isinstance(profile, Mapping) else None)
    name = name or (first_string(bot, _NAMES) if isinstance(bot, Mapping) else None) or string(record.get("username"))
    return name or user or identifier(record.get("bot_id")) or "unknown", is_bot


def _files(record: Mapping[str, Any]) -> Iterator[str]:
    files = record.get("files")
    single = record.get("file")
    for file in files if isinstance(files, list) else [single]:
        if not isinstance(file, Mapping):
            continue
        name = first_string(file, ("title", "name"))
        kind = file.get("mimetype")
        if isinstance(kind, str) and kind.startswith("image/"):
            yield image_line(first_string(file, ("alt_txt", "title", "name")))
        elif name:
            yield file_line(name)


READER = Reader(
    name="slack",
    expects='users.json, channels.json and a folder a channel with files like 2024-02-03.json: arrays of {"type": "message", "ts": "..."}',
    sniff=_sniff,
    read=_read,
)
