"""The Claude export: a zip archive or folder with `conversations.json`, an array of conversations with `chat_messages`.

Older exports have flat `text`, newer ones `content` blocks as well, and a `parent_message_uuid` on each message: edited prompts
and repeated answers are branches of a tree. The branch that ends in `current_leaf_message_uuid` is read, else in the last message.
A conversation may stand in a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from memcli.atoms import Message, Role
from memcli.transcripts.branch import last_leaf, path_to
from memcli.transcripts.fields import assemble, file_line, first_string, identifier, image_line, role_of, string
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample, describe
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable
from memcli.transcripts.tools import call_text, clipped, result_text

_FILE = re.compile(r"^conversations(?:[-_ ]?\(?[0-9]{1,9}\)?)?\.json(?:\.gz)?$", re.IGNORECASE)
_NO_PARENT = re.compile(r"[0-]*")
"""The root's parent is an id of nothing but zeros."""
_FILE_LISTS = ("attachments", "files", "files_v2")
_FILE_NAMES = ("file_name", "name")


def _sniff(sample: Sample) -> bool:
    if sample.kind != "file":
        files = _files(sample.members)
        return bool(files) and sample.peek is not None and _sniff(sample.peek(files[0]))
    return any(isinstance(item, Mapping) and isinstance(item.get("chat_messages"), list) for item in sample.items)


def _files(names: tuple[str, ...]) -> list[str]:
    return sorted(name for name in names if _FILE.match(PurePosixPath(name).name))


def _read(source: Source) -> Iterator[Message]:
    if source.kind == "file":
        yield from _conversations(source)
        return
    files = _files(tuple(source.members))
    if not files:
        raise source.error(f"looks like {describe(source.sample())}; claude expects {READER.expects}")
    for name in files:
        with source.member(name) as member:
            yield from _conversations(member)


def _conversations(source: Source) -> Iterator[Message]:
    for place, conversation in source.items():
        messages = conversation.get("chat_messages") if isinstance(conversation, Mapping) else None
        if not isinstance(conversation, Mapping) or (messages is None and "uuid" not in conversation):
            raise READER.wrong(source, conversation, place)
        if not isinstance(messages, list) or not messages:
            source.warnings.count("conversation without messages skipped", "conversations without messages skipped")
            continue
        title = string(conversation.get("name"))
        name = identifier(conversation.get("uuid")) or title or source.stem
        for index, record in _branch(conversation, messages):
            yield from _message(source, record, index, name, title, f"{place}: " if place else "")


def _branch(conversation: Mapping[str, Any], messages: list[Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The messages that were on screen, with their index: all of them where the export tells no parents."""
    known: dict[str, int] = {}
    for index, record in enumerate(messages):
        if isinstance(record, Mapping) and (ident := identifier(record.get("uuid"))):
            known.setdefault(ident, index)
    parents: dict[str, str | None] = {}
    for ident, index in known.items():
        parent = identifier(messages[index].get("parent_message_uuid"))
        if parent and not _NO_PARENT.fullmatch(parent):
            parents[ident] = parent
    roots = sum(1 for ident in known if parents.get(ident) not in known)
    if roots != 1 or len(known) < len(messages):
        yield from ((index, record) for index, record in enumerate(messages) if isinstance(record, Mapping))
        return
    current = identifier(conversation.get("current_leaf_message_uuid"))
    leaf = current if current in known else last_leaf(list(known), parents)
    for ident in path_to(leaf, parents, known):
        yield known[ident], messages[known[ident]]


def _message(source: Source, record: Mapping[str, Any], index: int, conversation: str, title: str | None, place: str) -> Iterator[Message]:
    """The message of a record, behind it the calls and results of the tools that it used."""
    sender = string(record.get("sender"))
    role = role_of(sender)
    if role is None:
        source.warnings.count("message without a known sender skipped", "messages without a known sender skipped")
        return
    created = record.get("created_at")
    if unreadable(created):
        source.warnings.count(*UNREADABLE)
    ident = identifier(record.get("uuid"))
    content = record.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    flat = record.get("text")
    if not any(text.strip() for text in texts):
        texts = [flat] if isinstance(flat, str) else []
    metadata = {"title": title, "model": string(record.get("model")), "parent": identifier(record.get("parent_message_uuid"))}
    common: dict[str, Any] = {
        "conversation_id": conversation,
        "timestamp": normalise(created),
        "locator": f"{place}chat_messages[{index}]",
    }
    text = assemble(texts, list(_attached(record)))
    used = list(_tools(blocks))
    if text.strip() or not used:
        metadata = {key: value for key, value in metadata.items() if value is not None}
        yield Message(message_id=ident or str(index + 1), speaker=role, role=role, text=text, metadata=metadata, **common)
    for number, (speaker, text) in enumerate(used, start=2):
        details: dict[str, Any] = {"title": title} if title else {}
        tool: Role = "tool"
        shown = clipped(text, details)
        yield Message(message_id=f"{ident or index + 1}:{number}", speaker=speaker, role=tool, text=shown, metadata=details, **common)


def _attached(record: Mapping[str, Any]) -> Iterator[str]:
    """A line for each file or image, once, whichever of the lists name it."""
    seen: set[str] = set()
    for key in _FILE_LISTS:
        files = record.get(key)
        for file in files if isinstance(files, list) else ():
            name = first_string(file, _FILE_NAMES) if isinstance(file, Mapping) else None
            line = image_line(None) if isinstance(file, Mapping) and file.get("file_kind") == "image" else file_line(name) if name else None
            if line and (name or line) not in seen:
                seen.add(name or line)
                yield line


def _tools(blocks: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The tool's name and a text for each call and result that has one."""
    for block in blocks:
        name = string(block.get("name")) or "tool"
        if block.get("type") == "tool_use":
            yield name, call_text(name, block.get("input"))
        elif block.get("type") == "tool_result" and (text := result_text(block.get("content"))).strip():
            yield name, text


READER = Reader(
    name="claude",
    expects='conversations.json: objects with "chat_messages", whose messages have "sender" and "text" or "content"',
    sniff=_sniff,
    read=_read,
)
