"""Rows by column name, as what shows an atom needs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import apsw

from memcli.results import Interval

Row = dict[str, Any]


def one(connection: apsw.Connection, sql: str, *values: str | int) -> Row | None:
    """The first row, or None."""
    return next(_rows(connection, sql, *values), None)


def every(connection: apsw.Connection, sql: str, *values: str | int) -> list[Row]:
    """Every row, without the columns that are NULL in it."""
    return [{name: value for name, value in row.items() if value is not None} for row in _rows(connection, sql, *values)]


def _rows(connection: apsw.Connection, sql: str, *values: str | int) -> Iterator[Row]:
    """Rows by column name; the columns `start_time`, `end_time` and `granularity` become one, `time`, in the place of the first."""
    cursor = connection.execute(sql, values)
    names: list[str] = []
    for row in cursor:
        if not names:  # once there is no row any more, the cursor does not tell them
            names = [column[0] for column in cursor.description]
        yield _with_time(dict(zip(names, row, strict=True)))


def _with_time(row: Row) -> Row:
    if "granularity" not in row:
        return row
    time = Interval(row["start_time"], row["end_time"], row["granularity"]) if row["granularity"] else None
    row["start_time"] = time.to_dict() if time else None
    return {"time" if name == "start_time" else name: value for name, value in row.items() if name not in ("end_time", "granularity")}


def number(name: str) -> int:
    """The number that a name is; -1, which no row has, if it is none."""
    return int(name) if re.fullmatch(r"\d{1,18}", name) else -1
