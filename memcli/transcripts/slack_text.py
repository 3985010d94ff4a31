"""Slack's markup in message texts, as people see it on screen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memcli.transcripts.fields import first_string, string

_MARKUP = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
"""The ampersand last, so that `&amp;lt;` comes out as `&lt;`."""
_DEEPEST = 16


def shown(text: str, users: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """`text` with `<@U1>` as `@name`, `<#C1>` as `#channel`, links as their address behind their label, and no escapes.

    Args:
        text: a message's text.
        users: names by user id.
        channels: names by channel id.
    """

    def replaced(match: re.Match[str]) -> str:
        kind, target, label = match.groups()
        if kind == "@":
            return f"@{users.get(target) or label or target}"
        if kind == "#":
            return f"#{label or channels.get(target) or target}"
        if kind == "!":
            return label or f"@{target.partition('^')[0]}"
        address = target.removeprefix("mailto:")
        return address if not label or label in address else f"{label} ({address})"

    text = _MARKUP.sub(replaced, text)
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return text


def block_text(record: Mapping[str, Any]) -> str:
    """What a message without a text of its own shows: its attachments' texts, else those of its blocks."""
    attachments = record.get("attachments")
    texts = [_attachment(item) for item in (attachments if isinstance(attachments, list) else ()) if isinstance(item, Mapping)]
    return "\n".join(filter(None, texts)) or "".join(_block_texts(record.get("blocks"), 0)).strip()


def _attachment(item: Mapping[str, Any]) -> str:
    texts = [text for key in ("pretext", "title", "text") if (text := string(item.get(key)))]
    return "\n".join(texts) or string(item.get("fallback")) or ""


def _block_texts(value: object, depth: int) -> Iterator[str]:
    """The texts in nested blocks, a new line after each section."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from _block_texts(item, depth + 1)
    elif isinstance(value, Mapping):
        kind = value.get("type")
        text = value.get("text")
        if kind == "user":
            yield f"<@{first_string(value, ('user_id',)) or ''}>"
        elif kind == "link":
            yield first_string(value, ("text", "url")) or ""
        elif isinstance(text, str):
            yield text
        else:
            yield from _block_texts(text, depth + 1)
        for key in ("elements", "fields"):
            yield from _block_texts(value.get(key), depth + 1)
        if kind in ("section", "header", "rich_text_section", "rich_text_preformatted", "rich_text_quote"):
            yield "\n"
