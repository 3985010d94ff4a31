"""Texts made fit for formats that cannot hold every character."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_UNFIT: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Controls other than tab and newline, what reorders a line, and what is no character: XML holds none, and a terminal may obey them."""

_C1: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""JSON does not have to escape these, but a terminal may obey them; escaped they mean the same."""


def visible(text: str) -> str:
    """`text` with every character that XML cannot hold or a terminal may obey replaced by a sign for it (ESC by ␛), or by U+FFFD."""
    return _UNFIT.sub(_sign, text.replace("\r\n", "\n"))


def to_json(value: Mapping[str, Any] | list[Any] | str) -> str:
    """`value` as JSON on one line; it holds every text exactly."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": ")).translate(_C1)


def _sign(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"
