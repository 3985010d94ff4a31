"""Pieces that records of most formats share: who speaks, ids, and content blocks turned into text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.atoms import Role

_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CAPTIONS = ("caption", "alt", "alt_text", "description")
_FILE_NAMES = ("filename", "file_name", "name", "title")
_TEXT_TYPES = ("text", "input_text", "output_text")
_FILE_TYPES = ("file", "input_file", "document", "attachment")


def role_of(name: object) -> Role | None:
    """The role that `user`, `human`, `assistant`, `ai`, `developer`, ... stand for; None for any other name."""
    return _ROLES.get(name.strip().lower()) if isinstance(name, str) else None


def identifier(value: object) -> str | None:
    """An id as a string: text that is not blank, or a whole number; None for everything else."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def string(value: object) -> str | None:
    """`value` if it is a string with something in it, its outer whitespace removed."""
    return value.strip() or None if isinstance(value, str) else None


def first_string(record: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first of `keys` that holds a string with something in it."""
    return next((text for key in keys if (text := string(record.get(key)))), None)


def caption_of(block: Mapping[str, Any]) -> str | None:
    """What an image block says the image shows."""
    return first_string(block, _CAPTIONS)


def image_line(caption: str | None) -> str:
    """`[image: caption]`, or `[image]` without one; always a single line."""
    return f"[image: {' '.join(caption.split())}]" if caption else "[image]"


def file_line(name: str) -> str:
    """`[file: name]`; always a single line."""
    return f"[file: {' '.join(name.split())}]"


def assemble(texts: list[str], attachments: list[str]) -> str:
    """The text of a message: its pieces of text verbatim, then each attachment on a line of its own."""
    return "\n".join([*(text for text in texts if text), *attachments])


def content_text(content: object) -> str:
    """The text of a message's content: a string as it is, or a list of content blocks.

    Text blocks are kept verbatim, an image with a caption becomes `[image: caption]`, a named file `[file: name]`;
    blocks of any other kind, tool calls among them, have no text.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, int | float) and not isinstance(content, bool):
        return str(content)
    blocks = content if isinstance(content, list) else [content]
    texts: list[str] = []
    attachments: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping):
            kind = block.get("type")
            text = block.get("text")
            if isinstance(text, str) and (kind is None or kind in _TEXT_TYPES):
                texts.append(text)
            elif isinstance(kind, str) and "image" in kind:
                if caption := caption_of(block):
                    attachments.append(image_line(caption))
            elif kind in _FILE_TYPES and (name := first_string(block, _FILE_NAMES)):
                attachments.append(file_line(name))
    return assemble(texts, attachments)
