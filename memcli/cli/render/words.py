"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 page`, `2 pages`, `1,200 pages`; `many` where an s does not do."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
