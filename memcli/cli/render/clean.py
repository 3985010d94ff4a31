"""Text from transcripts, made safe to show: nothing in it may steer the terminal.

Only what people read is cleaned; JSON carries every text as it is.
"""

from __future__ import annotations

import re
from typing import Final

_UNSAFE: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls other than tab and newline, what reorders a line (the Trojan Source characters), and half surrogate pairs."""
_WHITE: Final = re.compile(r"\s+")


def clean(text: str) -> str:
    """`text` with its controls made visible (ESC as ␛), tabs as spaces, and every line's end as a newline."""
    return _UNSAFE.sub(_shown, text.replace("\r\n", "\n")).expandtabs(4)


def one_line(text: str) -> str:
    """`text` cleaned, on one line, every run of whitespace one space."""
    return clean(_WHITE.sub(" ", text)).strip()


def _shown(match: re.Match[str]) -> str:
    character = ord(match.group())
    if character < 0x20:
        return chr(0x2400 + character)
    if character == 0x7F:
        return "␡"
    # Of what only reorders or separates nothing is missed; of the others something has to show that they are there.
    return {0x2028: "\n", 0x2029: "\n"}.get(character, "") if 0x2028 <= character <= 0x2069 else "\ufffd"
