"""Byte streams put in front of other byte streams; none of them reads further ahead than what is there.

A pipe that grows line by line must be readable line by line, so each asks its source for one chunk only (`read1`, or
`readline` where the source has none) and hands on what it got.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 65_536

FREELY = 100_000_000
"""Bytes that anything may unpack to: little enough to be read whatever it was."""

TIMES = 200
"""How many times its packed size a transcript may be. Logs that repeat themselves line by line reach some 50; DEFLATE's most is 1,032."""

MOST = 64_000_000_000
"""Bytes that nothing packed may exceed: days of reading."""


def allow(unpacked: int, packed: int) -> None:
    """Raise `OSError` if this many bytes out of so few are no transcript, but made to fill memory, disk or time."""
    if unpacked > MOST:
        raise OSError(f"it unpacks to more than {MOST // 10**9} GB; unpack and split it yourself if you trust it")
    if unpacked > max(FREELY, TIMES * packed):
        raise OSError(f"it unpacks to more than {TIMES} times its size, as no transcript does; unpack it yourself if you trust it")


def _chunks(stream: IO[bytes]) -> Callable[[int], bytes | None]:
    read: Callable[[int], bytes | None] = getattr(stream, "read1", stream.readline)
    return read


class Joined(io.RawIOBase):
    """The bytes of `head`, then whatever `rest` still gives. Closing it leaves `rest` open."""

    def __init__(self, head: bytes, rest: IO[bytes], packed: Joined | None = None) -> None:
        """Put `head` in front of `rest`, which unpacks what `packed` gives; reading raises `OSError` where that is too much."""
        super().__init__()
        self._head = head
        self._read = _chunks(rest)
        self._packed = packed
        self.given = 0
        """Bytes read of it so far."""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill the buffer with what is there; 0 at the end."""
        view = memoryview(buffer).cast("B")
        if self._head:
            chunk, self._head = self._head[: len(view)], self._head[len(view) :]
        else:
            chunk = self._read(len(view)) or b""
        self.given += len(chunk)
        if self._packed is not None:
            allow(self.given, self._packed.given)
        view[: len(chunk)] = chunk
        return len(chunk)


class Utf16(io.RawIOBase):
    """UTF-16 with a byte-order mark, handed on as UTF-8; what is not valid becomes U+FFFD."""

    def __init__(self, source: IO[bytes]) -> None:
        """Decode `source`, which begins with the byte-order mark."""
        super().__init__()
        self._read = _chunks(source)
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill the buffer with what can be decoded so far; 0 at the end."""
        view = memoryview(buffer).cast("B")
        while not self._ready and not self._ended:
            chunk = self._read(CHUNK) or b""
            self._ended = not chunk
            self._ready = self._decoder.decode(chunk, final=self._ended).encode("utf-8")
        chunk, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(chunk)] = chunk
        return len(chunk)
