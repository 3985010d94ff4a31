"""Packed text: the words of several messages, one after another, as one zstd frame; and the SQL function that reads it."""

from __future__ import annotations

import functools
from typing import Any

import apsw


@functools.lru_cache(maxsize=4)
def _words(data: bytes) -> str | None:
    """The text of a whole pack, or None if it is damaged. Messages of one pack are read together, so a few are kept."""
    import zstandard  # imported late: a file that was never compressed needs none of it

    try:
        # A decompression object reads frames that do not tell their size as well.
        return zstandard.ZstdDecompressor().decompressobj().decompress(data).decode("utf-8")
    except (zstandard.ZstdError, UnicodeDecodeError):
        return None


def unpack(data: bytes | None, start: int | None, length: int | None) -> str | None:
    """A message's words out of its pack.

    Args:
        data: the pack, a zstd frame of UTF-8 text.
        start: where the message begins in that text, in code points.
        length: how many code points it has.

    Returns:
        The words, or None where there is no pack, where it is damaged, or where it is too short to hold them.
    """
    if data is None or start is None or length is None:
        return None
    words = _words(data)
    if words is None or not 0 <= start <= start + length <= len(words):
        return None
    return words[start : start + length]


def register(connection: apsw.Connection) -> None:
    """Give the connection `unpack(data, start, length)`, which the schema's triggers and `message_texts` call."""
    function: Any = unpack  # SQLite's values are a union; the schema passes a blob and two integers, or NULLs
    connection.create_scalar_function("unpack", function, 3, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)
