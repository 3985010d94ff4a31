"""What detection looks at: the beginning of a file, or the names in a folder or zip archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

BLANK = " \t\r\n\0\ufeff"
"""What may stand around a transcript or a line of it without being part of it: padding and byte-order marks as well."""
_SHOWN = 5
_CLIP = 40


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a transcript, as sniffers see it."""

    kind: Literal["file", "zip", "folder"]
    text: str
    """The first 64 KB or less of a file as text (a pipe: up to its first line, where that is a JSON object)."""
    value: Any
    """The first JSON array or object of `text`, closed where the text cuts it off; None if it begins with neither."""
    complete: bool
    """Whether `value` is whole."""
    members: tuple[str, ...] = ()
    """The names of the files in a folder or zip archive, with `/` between folders."""
    encoding: str = ""
    """How the file is encoded, where that is worth telling: `UTF-16`; `text` is decoded all the same."""
    peek: Callable[[str], Sample] | None = None
    """Samples one of `members`; None for a file."""

    @property
    def items(self) -> tuple[Any, ...]:
        """The items of `value` if it is an array, else `value` alone; nothing where there is no JSON."""
        if isinstance(self.value, list):
            return tuple(self.value)
        return () if self.value is None else (self.value,)


def describe(sample: Sample) -> str:
    """What the sample looks like, in a few words on one line."""
    if sample.kind != "file":
        what = "a zip archive" if sample.kind == "zip" else "a folder"
        return f"{what} holding {_listed(list(sample.members))}" if sample.members else f"{what} without files"
    text = sample.text.strip(BLANK)
    if not text:
        return "an empty file"
    if sample.value is not None:
        return describe_value(sample.value)
    if "\0" in text or text.count("\ufffd") * 10 > len(text):
        # The letters of most scripts' punctuation and digits are a byte and a zero in UTF-16.
        halves = text[0::2].count("\0"), text[1::2].count("\0")
        return "UTF-16 text without a byte-order mark (save it as UTF-8)" if max(halves) * 3 > len(text) else "binary data"
    return f"{sample.encoding} text that begins {_clip(text)!a}".lstrip()


def describe_value(value: object) -> str:
    """What a JSON value looks like, in a few words on one line."""
    if isinstance(value, dict):
        return f"a JSON object with the keys {_listed(list(value))}" if value else "an empty JSON object"
    if isinstance(value, list):
        if not value:
            return "an empty JSON array"
        first = value[0]
        return f"a JSON array of {'arrays' if isinstance(first, list) else describe_value(first)}"
    names = {str: "a JSON string", bool: "a JSON boolean", int: "a JSON number", float: "a JSON number"}
    return names.get(type(value), "a JSON null")


def _listed(names: list[str]) -> str:
    shown = ", ".join(json.dumps(_clip(name)) for name in names[:_SHOWN])
    return shown + (", ..." if len(names) > _SHOWN else "")


def _clip(text: str) -> str:
    return text if len(text) <= _CLIP else text[:_CLIP] + "..."
