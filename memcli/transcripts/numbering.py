"""Ids for messages that come without one."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter

_RECENT = 65_536
"""Hashes kept as Python objects, at some 100 bytes each, before they are packed at 8 bytes each."""
_BITS = (1 << 64) - 1
_MARKS = 1 << 24
"""Bytes of a table that tells of most hashes that they are new, without a search: of three million hashes it fails to for one in six."""


class Numbering:
    """Counts the messages of each conversation, and those that are the same in everything that is told of them.

    What it remembers of a message is its hash of 64 bits: of three million messages (a file of 1 GB) two share one with a
    probability of 1 in 4 million.
    """

    def __init__(self) -> None:
        """Nothing counted yet."""
        self._ordinals: Counter[str] = Counter()
        self._recent: dict[int, int] = {}
        self._packed = array("Q")
        self._marks = bytearray()
        self._again: dict[int, int] = {}

    def ordinal(self, conversation: str) -> str:
        """The place of the next message in its conversation, from `"1"`."""
        number = self._ordinals[conversation] + 1
        self._ordinals[conversation] = number
        return str(number)

    def occurrence(self, *parts: str | None) -> int:
        """The how-manieth message this is of those with the same conversation, session, speaker, role, time and text."""
        key = hash(parts) & _BITS
        if key in self._recent or key in self._again:
            counts = self._again if key in self._again else self._recent
            counts[key] += 1
            return counts[key]
        if self._packed and self._marks[key % _MARKS]:
            place = bisect_left(self._packed, key)
            if place < len(self._packed) and self._packed[place] == key:
                self._again[key] = 2
                return 2
        self._recent[key] = 1
        if len(self._recent) == _RECENT:
            self._pack()
        return 1

    def _pack(self) -> None:
        """Move the recent hashes to the sorted ones; those met more than once keep their count."""
        import numpy as np

        self._again |= {key: count for key, count in self._recent.items() if count > 1}
        recent = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
        merged = np.concatenate([np.frombuffer(self._packed, dtype=np.uint64), recent])
        merged.sort(kind="stable")
        self._packed = array("Q", merged.tobytes())
        self._marks = self._marks or bytearray(_MARKS)
        np.frombuffer(self._marks, dtype=np.uint8)[recent % np.uint64(_MARKS)] = 1
        self._recent = {}
