"""Tool calls and their results as messages: context for what was said, never anybody's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memcli.transcripts.fields import content_text

LONGEST_RESULT = 4_000
"""Characters that are kept of a call or a result. Whole files and logs run through agents' tools; their beginning tells what it was."""


def call_text(name: str, arguments: object) -> str:
    """A call as one text: the tool's name and its arguments, JSON unless they are text or one text only."""
    if isinstance(arguments, Mapping) and len(arguments) == 1 and isinstance(only := next(iter(arguments.values())), str):
        arguments = only
    if not arguments:
        return name
    return f"{name}: {arguments if isinstance(arguments, str) else plain_json(arguments)}"


def result_text(content: object) -> str:
    """A result as one text: the text itself, content blocks' texts, else JSON."""
    if content is None:
        return ""
    if isinstance(content, Mapping):
        inner = next((content[key] for key in ("output", "content", "text") if isinstance(content.get(key), str | list)), None)
        return content_text(inner) if inner is not None else plain_json(content)
    return content_text(content)


def clipped(text: str, metadata: dict[str, Any]) -> str:
    """The text's beginning; if that is not all, `metadata` gets its whole length as `characters`."""
    if len(text) <= LONGEST_RESULT:
        return text
    metadata["characters"] = len(text)
    return text[:LONGEST_RESULT] + "…"


def plain_json(value: object) -> str:
    """The value as JSON on one line; what is nested too deeply gives an ellipsis."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"
