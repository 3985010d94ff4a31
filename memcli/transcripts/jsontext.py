"""JSON as it is met in the wild: control characters in strings, cut off in the middle, nested without end."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

Json = Any
"""A value as the JSON parser gives it: anything at all until it has been looked at."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*)*(?P<closed>"?)|[\[\]{},]', re.DOTALL)
_CLOSER = {"[": "]", "{": "}"}


class BadJSONError(ValueError):
    """The text is not JSON: `reason` in a few words, `line` (from 1) where it goes wrong."""

    def __init__(self, reason: str, line: int) -> None:
        """Keep the reason and the line."""
        super().__init__(reason)
        self.reason = reason
        self.line = line


def loads(text: str) -> Json:
    """Parse one JSON text; raw control characters inside strings are let through.

    Raises:
        BadJSONError: for everything the parser cannot take, nesting past the interpreter's stack included.
    """
    try:
        return json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise BadJSONError(f"{error.msg} at column {error.colno}", error.lineno) from error
    except RecursionError as error:
        raise BadJSONError("nested too deeply", 1) from error
    except ValueError as error:  # an integer of thousands of digits
        raise BadJSONError(str(error).partition(";")[0], 1) from error


def loads_bytes(raw: bytes) -> Json:
    """Parse one JSON text by the fast parser, which refuses what is irregular: then ask `loads`.

    Raises:
        BadJSONError: it is irregular, or not JSON at all.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadJSONError("irregular", 1) from error


def first_value(text: str) -> tuple[Json, bool]:
    """The first JSON value of `text`, and whether it is whole.

    A value that the text cuts off is closed where it was cut, so that `[{"a": 1, "b": "xy` gives `[{"a": 1, "b": "xy"}]`.
    Text that does not begin like a JSON array or object gives `(None, False)`.
    """
    text = text.lstrip()
    if text[:1] not in _CLOSER:
        return None, False
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0], True
    except (ValueError, RecursionError):
        pass
    end, safe, in_string, stack = _scan(text)
    closers = "".join(reversed(stack))
    for candidate in (text[:end] + ('"' if in_string else "") + closers, text[:safe] + closers):
        try:
            return loads(candidate), False
        except BadJSONError:
            continue
    return None, False


def is_cut_off(text: str) -> bool:
    """Whether `text` ends inside a string, an array or an object."""
    _, _, in_string, stack = _scan(text)
    return in_string or bool(stack)


def _scan(text: str) -> tuple[int, int, bool, list[str]]:
    """Walk the first value: its end, the last place where it can be closed, whether it ends in a string, the brackets left open."""
    stack: list[str] = []
    safe = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0] == '"':
            if not match["closed"]:
                return match.end(), safe, True, stack
        elif token in _CLOSER:
            stack.append(_CLOSER[token])
            safe = match.end()
        elif token == ",":
            safe = match.start()
        else:
            if stack:
                stack.pop()
            safe = match.end()
            if not stack:
                return safe, safe, False, stack
    return len(text), safe, False, stack
