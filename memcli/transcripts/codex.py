"""Codex session logs: JSON lines `rollout-....jsonl` below `~/.codex/sessions`, and the output of `codex exec --json`.

Newer logs wrap each item in `{"timestamp", "type", "payload"}`; older ones begin with the session's data and hold bare items.
Events repeat what the items say and are passed over. Calls and results of tools are kept as context, and so is what the program
itself told the model in the user's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memcli.atoms import Message, Role
from memcli.transcripts.fields import assemble, content_text, identifier, image_line, role_of, string
from memcli.transcripts.jsonlines import json_lines
from memcli.transcripts.jsontext import BadJSONError, loads
from memcli.transcripts.numbering import Numbering
from memcli.transcripts.reader import Reader
from memcli.transcripts.sample import Sample
from memcli.transcripts.source import Source
from memcli.transcripts.times import UNREADABLE, normalise, unreadable
from memcli.transcripts.tools import call_text, clipped, result_text

_WRAPPERS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call"})
_INSERTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions[ _]instructions|turn_aborted|user_shell_command|INSTRUCTIONS|skill"
    r"|collaboration_mode|subagent_notification)\b|# AGENTS\.md instructions)"
)
"""How a user's text begins that the program wrote."""
_SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_Part = tuple[Role, str, str]
"""Role, speaker, text."""


def _sniff(sample: Sample) -> bool:
    first = sample.value
    if not isinstance(first, Mapping):
        return False
    kind = first.get("type")
    if isinstance(kind, str):
        return (kind in _WRAPPERS and "payload" in first) or (kind == "thread.started" and "thread_id" in first)
    return "role" not in first and {"id", "timestamp", "instructions"} <= first.keys()


def _read(source: Source) -> Iterator[Message]:
    found = _SESSION.search(source.stem)
    conversation = found[0] if found else None
    details: dict[str, Any] = {}
    tools: dict[str, str] = {}
    numbers = Numbering()
    for locator, record in json_lines(source, READER.expects):
        if not isinstance(record, Mapping):
            raise READER.wrong(source, record, locator)
        kind = string(record.get("type"))
        payload = record.get("payload")
        if kind in _WRAPPERS and isinstance(payload, Mapping):
            item: Mapping[str, Any] = payload
        elif kind == "item.completed" and isinstance(record.get("item"), Mapping):
            item = record["item"]
        else:
            item = record
        if kind == "session_meta" or (kind is None and "instructions" in record):
            conversation = conversation or identifier(item.get("id"))
            details = {key: text for key in ("cwd", "cli_version") if (text := string(item.get(key)))}
            continue
        if kind == "thread.started":
            conversation = identifier(record.get("thread_id")) or conversation
            continue
        if kind == "turn_context":
            details |= {"model": model} if (model := string(item.get("model"))) else {}
            continue
        if kind == "event_msg":
            continue
        compacted: list[_Part] = [("system", "system", string(item.get("message")) or "")]
        parts = compacted if kind == "compacted" else _parts(item, tools)
        if unreadable(record.get("timestamp")):
            source.warnings.count(*UNREADABLE)
        yield from _messages(source, parts, record.get("timestamp"), locator, conversation, details, numbers)


def _messages(
    source: Source,
    parts: Iterable[_Part],
    time: object,
    locator: str,
    conversation: str | None,
    details: Mapping[str, Any],
    numbers: Numbering,
) -> Iterator[Message]:
    name = conversation or source.stem
    timestamp = normalise(time)
    for role, speaker, text in parts:
        if not text.strip():
            continue
        metadata = dict(details)
        shown = text if role in ("user", "assistant") else clipped(text, metadata)
        yield Message(
            conversation_id=name,
            message_id=numbers.ordinal(name),
            speaker=speaker,
            role=role,
            text=shown,
            timestamp=timestamp,
            locator=locator,
            metadata=metadata,
            occurrence=numbers.occurrence(name, None, speaker, role, timestamp, shown),
            unnamed=conversation is None,
        )


def _parts(item: Mapping[str, Any], tools: dict[str, str]) -> Iterator[_Part]:
    """What an item says; nothing for kinds that say nothing."""
    kind = item.get("type")
    call = identifier(item.get("call_id")) or ""
    if kind == "message":
        yield _said(item)
    elif kind in ("function_call", "custom_tool_call", "mcp_tool_call"):
        tools[call] = name = string(item.get("name")) or string(item.get("tool")) or "tool"
        yield "tool", name, call_text(name, _arguments(item.get("arguments") or item.get("input")))
        if item.get("result") is not None:
            yield "tool", name, result_text(item["result"])
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield "tool", tools.pop(call, "tool"), result_text(_arguments(item.get("output")))
    elif kind == "local_shell_call":
        action = item.get("action")
        tools[call] = "shell"
        yield "tool", "shell", call_text("shell", _command(action.get("command")) if isinstance(action, Mapping) else None)
    elif kind == "web_search_call":
        action = item.get("action")
        yield "tool", "web_search", call_text("web_search", string(action.get("query")) if isinstance(action, Mapping) else None)
    elif kind == "agent_message":
        yield "assistant", "assistant", string(item.get("text")) or ""
    elif kind == "command_execution":
        yield "tool", "shell", call_text("shell", _command(item.get("command")))
        yield "tool", "shell", result_text(item.get("aggregated_output"))


def _said(item: Mapping[str, Any]) -> _Part:
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    images = [image_line(None) for block in blocks if isinstance(block, Mapping) and block.get("type") == "input_image"]
    text = assemble([content_text(content)], images)
    role = role_of(item.get("role")) or "system"
    if role == "user" and _INSERTED.match(text):
        role = "system"
    return role, role, text


def _arguments(value: object) -> object:
    """Arguments and results that are JSON in a string, parsed; `command` lists as a command line."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = loads(value)
        except BadJSONError:
            return value
    if isinstance(value, Mapping) and isinstance(value.get("command"), list):
        return _command(value["command"])
    return value


def _command(value: object) -> str | None:
    """A command line; of `bash -lc "..."` only what is run."""
    if not isinstance(value, list):
        return string(value)
    words = [word for word in value if isinstance(word, str)]
    return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)


READER = Reader(
    name="codex",
    expects='lines like {"timestamp": "...", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [...]}}',
    sniff=_sniff,
    read=_read,
)
