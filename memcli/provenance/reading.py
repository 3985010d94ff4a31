"""Reading a memory for an export: streams of rows, counted as they pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from memcli.results import Interval
from memcli.store.closure import Closure
from memcli.store.export import relations_of, rows, topics_in_time
from memcli.store.export_rows import Atom, ClaimRow, LineageRow, MessageRow, SpanRow, SupportRow, TimeCueRow
from memcli.store.failures import loading

Row = TypeVar("Row")

_TELL_EVERY: Final = 512
"""Rows between two reports of progress."""


class Reading:
    """One export's view of a memory. `counts` holds how many rows each family had, of those that were read to their end."""

    def __init__(
        self, connection: apsw.Connection, closure: Closure | None, progress: Callable[[str, int, int | None], None] | None
    ) -> None:
        """Prepare to read.

        Args:
            connection: an open memory, in a transaction for as long as the reading lasts.
            closure: what to limit every family to; None for the whole memory.
            progress: told ("rows", how many were read, None).
        """
        self.closure = closure
        self.counts: dict[str, int] = {}
        self._connection = connection
        self._progress = progress
        self._read = 0

    def rows(self, family: type[Row]) -> Iterator[Row]:
        """The rows of one of the classes of `memcli.store.export_rows`.

        Raises:
            StoreError: the file is damaged.
        """
        count = 0
        with loading(Path(self._connection.filename)):
            for row in rows(self._connection, family, self.closure):
                count += 1
                self._read += 1
                if self._progress is not None and self._read % _TELL_EVERY == 0:
                    self._progress("rows", self._read, None)
                yield row
        self.counts[kind_of(family)] = count

    def by_topic(self) -> Iterator[tuple[str | None, int]]:
        """(topic's label, claim's id), by topic and time; see `memcli.store.export.topics_in_time`."""
        return topics_in_time(self._connection, self.closure)

    def claim(self, claim_id: int) -> ClaimRow:
        """One claim, whatever the reading is limited to."""
        return next(rows(self._connection, ClaimRow, Closure(claims=(claim_id,))))

    def evidence(self, claim_id: int) -> list[tuple[SpanRow, MessageRow]]:
        """A claim's supporting spans in their order, each with its message."""
        ids = [row.span_id for row in rows(self._connection, SupportRow, Closure(claims=(claim_id,)))]
        spans = {row.id: row for row in rows(self._connection, SpanRow, Closure(spans=tuple(ids)))}
        numbers = tuple({span.message_number for span in spans.values()})
        messages = {row.number: row for row in rows(self._connection, MessageRow, Closure(messages=numbers))}
        return [(spans[span], messages[spans[span].message_number]) for span in ids]

    def relations(self, claim_id: int) -> list[tuple[str, int]]:
        """(relation, other claim) of a claim; see `memcli.store.export.relations_of`."""
        return list(relations_of(self._connection, claim_id))


def kind_of(family: type[Any]) -> str:
    """What the rows of a family are called: `claim` for `ClaimRow`, `time_cue` for `TimeCueRow`."""
    name = family.__name__.removesuffix("Row")
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def as_object(row: Atom | SupportRow | LineageRow) -> dict[str, Any]:
    """A row as a JSON object: `start_time`, `end_time` and `granularity` become one key, `time`, as everywhere in the program's JSON."""
    out: dict[str, Any] = {}
    for field in fields(row):
        if field.name == "start_time" and isinstance(row, ClaimRow | TimeCueRow):
            out["time"] = _interval(row)
        elif field.name not in ("end_time", "granularity"):
            out[field.name] = getattr(row, field.name)
    return out


def _interval(row: ClaimRow | TimeCueRow) -> dict[str, Any] | None:
    """The interval of a claim or time cue as the JSON contract has it; None where there is none."""
    return Interval(row.start_time, row.end_time, row.granularity).to_dict() if row.granularity else None
