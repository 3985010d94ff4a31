"""Warnings of one reading: what was replaced or left out, said once each, with a count."""

from __future__ import annotations


class Warnings:
    """Collects the warnings of one transcript in `lines`, a list that is always up to date.

    A thing that happens often has one line whose count grows in place, so a caller that follows an endless stream can
    look at any moment.
    """

    def __init__(self) -> None:
        """Start with no warnings."""
        self.lines: list[str] = []
        self._counts: dict[str, tuple[int, int]] = {}

    def say(self, text: str) -> None:
        """Add one warning as it is."""
        self.lines.append(text)

    def count(self, one: str, many: str) -> None:
        """Count one more of a kind: the line reads `1 <one>`, then `2 <many>`, `3 <many>`, ..."""
        if many not in self._counts:
            self._counts[many] = (len(self.lines), 1)
            self.lines.append(f"1 {one}")
            return
        index, number = self._counts[many]
        self._counts[many] = (index, number + 1)
        self.lines[index] = f"{number + 1} {many}"
