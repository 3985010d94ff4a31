"""What a message of the ChatGPT export says, by the type of its content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.transcripts.fields import assemble, caption_of, file_line, image_line, string

_UNSEEN = frozenset({"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap"})
"""Custom instructions, stored memories and the model's reasoning: never part of what was said."""
_TEXTS = ("text", "result", "summary", "title")


def message_text(content: Mapping[str, Any], details: Mapping[str, Any]) -> str | None:
    """The text of a message, or None if its kind of content is never shown.

    Args:
        content: the message's `content`: `parts`, or for code, outputs and quoted pages a `text` or `result`.
        details: the message's `metadata`, whose attachments give `[file: name]` lines.
    """
    if content.get("content_type") in _UNSEEN:
        return None
    texts: list[str] = []
    attachments: list[str] = []
    parts = content.get("parts")
    if isinstance(parts, list) and parts:
        for part in parts:
            _add_part(part, texts, attachments)
    else:
        texts.extend([text for key in _TEXTS if isinstance(text := content.get(key), str) and text.strip()][:1])
    attachments.extend(_files(details.get("attachments")))
    return assemble(texts, attachments)


def _add_part(part: object, texts: list[str], attachments: list[str]) -> None:
    if isinstance(part, str):
        texts.append(part)
    elif isinstance(part, Mapping):
        kind = part.get("content_type")
        if kind == "image_asset_pointer":
            attachments.append(image_line(_caption(part)))
        elif isinstance(text := part.get("text"), str):
            texts.append(text)


def _caption(part: Mapping[str, Any]) -> str | None:
    """An image's own caption, else the prompt it was generated from."""
    details = part.get("metadata")
    details = details if isinstance(details, Mapping) else {}
    generated = details.get("dalle")
    return caption_of(part) or caption_of(details) or (string(generated.get("prompt")) if isinstance(generated, Mapping) else None)


def _files(attachments: object) -> list[str]:
    """The names of attached files; images among them are parts of the content already."""
    names: list[str] = []
    for file in attachments if isinstance(attachments, list) else ():
        if isinstance(file, Mapping) and (name := string(file.get("name"))):
            kind = file.get("mime_type") or file.get("mimeType")
            if not (isinstance(kind, str) and kind.startswith("image/")):
                names.append(file_line(name))
    return names
