"""The ChatGPT export: a zip archive or folder with `conversations.json`, or with `conversations-000.json`, `-001.json`, ...

Each conversation is a tree of nodes (edited prompts and regenerated answers are branches). The branch that was on
screen is read: from `current_node` up to the root. Exports differ: nodes may lack `children`, the root may have no
message, times may be null, parts may be objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from memcli.atoms import Message
from memcli.transcripts.chatgpt_content import message_text
from memcli.transcripts.fields import identifier, role_of, string
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample, describe
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable

_FILE = re.compile(r"^conversations(?:[-_ ]?\(?([0-9]{1,9})\)?)?\.json(?:\.gz)?$", re.IGNORECASE)
_QUOTES = frozenset({"tether_quote", "tether_browsing_display", "sonic_webpage", "execution_output", "system_error"})
"""Content that a tool produced, whoever is named as its author."""


def _sniff(sample: Sample) -> bool:
    if sample.kind != "file":
        return bool(_files(sample.members))
    return any(isinstance(item, Mapping) and isinstance(item.get("mapping"), Mapping) for item in sample.items)


def _files(names: tuple[str, ...]) -> list[str]:
    """The conversation files among `names`, in their numbers' order."""
    paths = [(PurePosixPath(name), name) for name in names]
    found = [(path.parent.as_posix(), int(match[1] or -1), name) for path, name in paths if (match := _FILE.match(path.name))]
    return [name for *_, name in sorted(found)]


def _read(source: Source) -> Iterator[Message]:
    names: dict[str, int] = {}
    if source.kind == "file":
        yield from _conversations(source, names)
        return
    files = _files(tuple(source.members))
    if not files:
        raise source.error(f"looks like {describe(source.sample())}; chatgpt expects {READER.expects}")
    for name in files:
        with source.member(name) as member:
            yield from _conversations(member, names)


def _conversations(source: Source, names: dict[str, int]) -> Iterator[Message]:
    """The messages of one file. `names` counts the conversations met so far by id, in all files of the export."""
    for place, conversation in source.items():
        mapping = conversation.get("mapping") if isinstance(conversation, Mapping) else None
        if not isinstance(conversation, Mapping) or (mapping is None and not {"title", "create_time"} & conversation.keys()):
            raise READER.wrong(source, conversation, place)
        if not isinstance(mapping, Mapping) or not mapping:
            source.warnings.count("conversation without messages skipped", "conversations without messages skipped")
            continue
        given = identifier(conversation.get("conversation_id")) or identifier(conversation.get("id"))
        name = given or string(conversation.get("title")) or source.stem
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            if given:
                source.warnings.count("conversation met twice, read once", "conversations met twice, read once")
                continue
            name = f"{name} ({names[name]})"
        yield from _branch(source, mapping, conversation, name)


def _branch(source: Source, mapping: Mapping[str, Any], conversation: Mapping[str, Any], name: str) -> Iterator[Message]:
    parents = _parents(mapping)
    current = conversation.get("current_node")
    node = current if isinstance(current, str) and current in mapping else _last_leaf(mapping, parents)
    path: dict[str, None] = {}
    while node is not None and node in mapping and node not in path:
        path[node] = None
        node = parents.get(node)
    title = string(conversation.get("title"))
    for node in reversed(path):
        entry = mapping[node]
        record = entry.get("message") if isinstance(entry, Mapping) else None
        if isinstance(record, Mapping) and (message := _message(source, node, record, name, title)):
            yield message


def _parents(mapping: Mapping[str, Any]) -> dict[str, str]:
    """Each node's parent: what it says itself, else the node that names it as a child."""
    parents: dict[str, str] = {}
    for node, entry in mapping.items():
        children = entry.get("children") if isinstance(entry, Mapping) else None
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str):
                parents.setdefault(child, node)
    for node, entry in mapping.items():
        if isinstance(entry, Mapping) and isinstance(entry.get("parent"), str):
            parents[node] = entry["parent"]
    return parents


def _last_leaf(mapping: Mapping[str, Any], parents: Mapping[str, str]) -> str | None:
    """The leaf whose message is the latest; among equals, or without times, the deepest, then the last in the file."""
    inner = set(parents.values())
    leaves = [node for node in mapping if node not in inner] or list(mapping)[-1:]
    depths = _depths(leaves, parents)
    best: tuple[float, int, int] | None = None
    chosen: str | None = None
    for order, node in enumerate(leaves):
        rank = (_time_of(mapping[node]), depths[node], order)
        if best is None or rank > best:
            best, chosen = rank, node
    return chosen


def _depths(leaves: list[str], parents: Mapping[str, str]) -> dict[str, int]:
    depths: dict[str, int] = {}
    for leaf in leaves:
        path: dict[str, None] = {}
        node: str | None = leaf
        while node is not None and node not in depths and node not in path:
            path[node] = None
            node = parents.get(node)
        depth = depths.get(node, 0) if node is not None else 0
        for step in reversed(path):
            depth += 1
            depths[step] = depth
    return depths


def _time_of(entry: object) -> float:
    message = entry.get("message") if isinstance(entry, Mapping) else None
    time = message.get("create_time") if isinstance(message, Mapping) else None
    return float(time) if isinstance(time, int | float) and abs(time) < 1e15 else -1.0


def _message(source: Source, node: str, record: Mapping[str, Any], conversation: str, title: str | None) -> Message | None:
    """The message of a node; None for what was never on screen."""
    details = record.get("metadata")
    details = details if isinstance(details, Mapping) else {}
    if details.get("is_visually_hidden_from_conversation"):
        return None
    content = record.get("content")
    content = content if isinstance(content, Mapping) else {}
    text = message_text(content, details)
    author = record.get("author")
    author = author if isinstance(author, Mapping) else {}
    kind = string(content.get("content_type"))
    stated = string(author.get("role"))
    role = "tool" if kind in _QUOTES else role_of(stated) or ("user" if stated else None)
    if text is None or (role != "user" and not text.strip()):
        return None
    if role is None:
        source.warnings.count("message without an author skipped", "messages without an author skipped")
        return None
    if unreadable(record.get("create_time")):
        source.warnings.count(*UNREADABLE)
    recipient = string(record.get("recipient"))
    metadata = {
        "title": title,
        "model": string(details.get("model_slug")),
        "content_type": kind if kind != "text" else None,
        "language": string(content.get("language")),
        "url": string(content.get("url")),
        "recipient": recipient if recipient != "all" else None,
    }
    return Message(
        conversation_id=conversation,
        message_id=string(node) or "unnamed",
        speaker=string(author.get("name")) or (role if role_of(stated) or not stated else stated),
        role=role,
        text=text,
        timestamp=normalise(record.get("create_time")),
        locator=f"node {node}",
        metadata={key: value for key, value in metadata.items() if value is not None},
    )


READER = Reader(
    name="chatgpt",
    expects='conversations.json or conversations-000.json, ...: objects with a "mapping" of nodes',
    sniff=_sniff,
    read=_read,
    file_name=_FILE,
)
