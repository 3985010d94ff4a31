"""A JSON document read piece by piece, so that an export of any size takes the memory of its largest item.

The pieces are found by the standard parser itself: it is tried on what has been read so far, and where that ends inside a
value, twice as much is read. So control characters in strings, NaN and lone surrogates are taken just as `jsontext.loads`
takes them, at the parser's own speed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from memcli.transcripts.jsontext import BadJSONError, Json

LARGEST = 16_000_000
"""Characters of one value, and bytes of one line. The longest conversations are a few million; what is longer is damaged."""
_MARGIN = 16
"""A mistake that is nearer to the end of what was read than this may be a token cut in two (`-Infinity`, an escape)."""
_BLANK = re.compile("[ \t\r\n\0\ufeff]*")
_DECODER = json.JSONDecoder(strict=False)


class JSONStream:
    """A cursor in a JSON text.

    `value` takes the whole value at the cursor. `elements` and `members` walk an array or object instead: at each step the
    cursor stands before a value, which the caller must take (or walk) before the next step.
    """

    def __init__(self, pieces: Iterator[str]) -> None:
        """Read the text that `pieces` make together."""
        self._pieces = pieces
        self._text = ""
        self._at = 0
        self._line = 1
        self._ended = False

    def peek(self) -> str:
        """The next character that is not blank, `""` at the end."""
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches the empty string
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._more(1)

    def value(self) -> Json:
        """The value at the cursor, whole.

        Raises:
            BadJSONError: it is not JSON, or too large.
        """
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                in_string = error.msg.startswith("Unterminated string")
                if self._ended or not (in_string or error.pos > len(self._text) - _MARGIN):
                    raise self._bad(f"{error.msg} at column {error.colno}", error.pos) from error
            except RecursionError as error:
                raise self._bad("nested too deeply", self._at) from error
            except ValueError as error:  # an integer of thousands of digits
                raise self._bad(str(error).partition(";")[0], self._at) from error
            else:
                # A number may go on in what was not read yet.
                if isinstance(value, dict | list | str) or end < len(self._text) - _MARGIN or self._ended:
                    self._at = end
                    return value
            self._more(len(self._text) - self._at)

    def elements(self) -> Iterator[int]:
        """Walk the array at the cursor: the index of each element, the cursor before it.

        Raises:
            BadJSONError: it is no array, or breaks off.
        """
        self._take("[")
        if self.peek() == "]":
            self._at += 1
            return
        index = 0
        while True:
            yield index
            index += 1
            if self._take(",]") == "]":
                return

    def members(self) -> Iterator[str]:
        """Walk the object at the cursor: the key of each member, the cursor before its value.

        Raises:
            BadJSONError: it is no object, or breaks off.
        """
        self._take("{")
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            if self.peek() != '"':
                raise self._bad("Expecting property name enclosed in double quotes", self._at)
            key = self.value()
            self._take(":")
            yield key
            if self._take(",}") == "}":
                return

    def finish(self) -> None:
        """Make sure that nothing follows.

        Raises:
            BadJSONError: something does.
        """
        if self.peek():
            raise self._bad("Extra data", self._at)

    def _take(self, expected: str) -> str:
        found = self.peek()
        if not found or found not in expected:
            raise self._bad(f"Expecting {' or '.join(map(repr, expected))}", self._at)
        self._at += 1
        return found

    def _bad(self, reason: str, position: int) -> BadJSONError:
        return BadJSONError(reason, self._line + self._text.count("\n", 0, position))

    def _more(self, wanted: int) -> None:
        """Forget what is behind the cursor and read at least `wanted` characters more, if there are as many."""
        self._line += self._text.count("\n", 0, self._at)
        parts = [self._text[self._at :]]
        self._at = 0
        if len(parts[0]) > LARGEST:
            self._text = parts[0]
            raise self._bad(f"one value of more than {LARGEST // 1_000_000} million characters", 0)
        wanted = min(wanted, LARGEST + 1 - len(parts[0]))
        while wanted > 0:
            piece = next(self._pieces, None)
            if piece is None:
                self._ended = True
                break
            parts.append(piece)
            wanted -= len(piece)
        self._text = "".join(parts)
