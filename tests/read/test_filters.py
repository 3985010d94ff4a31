"""Filters: what passes, what does not, and what is said of a filter that cannot be read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import NotFoundError, UsageError
from memcli.read.filters import select
from memcli.results import Filters
from memcli.store.snapshot import Snapshot
from tests.read.test_routes import snapshot_of

NOW = datetime(2024, 5, 15, 12, 0)
DAYS = [datetime(2024, 5, day, 9, 30, tzinfo=UTC) for day in (1, 10, 12, 20)]


def memory() -> Snapshot:
    """Four messages on four days of May 2024, by Mara and Tobin in turn, in one conversation of two sessions; a fifth without a time."""
    snapshot = snapshot_of([(0, ["a"]), (0, ["b"]), (1, ["c"]), (0, ["d"]), (0, ["e"])])
    said = np.array([*(day.timestamp() for day in DAYS), np.nan])
    return replace(snapshot, message_said_at=said, sessions=("one", "two"))


def passed(**asked: str) -> list[int]:
    return [int(i) for i in np.flatnonzero(select(Filters(**asked), memory(), NOW).messages)]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"since": "2024-05-10"}, [1, 2, 3]),
        ({"until": "2024-05-10"}, [0]),
        ({"as_of": "2024-05-10"}, [0, 1]),
        ({"as_of": "2024-05-10T09:30:00"}, [0]),
        ({"as_of": "2024-05-10T09:30:01"}, [0, 1]),
        ({"since": "2024-05-10T09:30:00"}, [1, 2, 3]),
        ({"since": "2024-05", "until": "2024-06"}, [0, 1, 2, 3]),
        ({"since": "last week", "until": "this week"}, [1, 2]),
        ({"since": "12 May 2024"}, [2, 3]),
        ({"since": "12. Mai 2024"}, [2, 3]),
        ({"speaker": "mara"}, [0, 2, 4]),
        ({"session": "two"}, [2, 3, 4]),
        ({"conversation": "quay", "speaker": "Tobin", "since": "2024-05-15"}, [3]),
    ],
)
def test_what_passes(asked: dict[str, str], expected: list[int]) -> None:
    assert passed(**asked) == expected


@given(st.dates(datetime(2024, 4, 1).date(), datetime(2024, 6, 30).date()))
def test_since_and_until_part_what_has_a_time(day: object) -> None:
    before, after = passed(until=str(day)), passed(since=str(day))
    assert sorted(before + after) == [0, 1, 2, 3]


@pytest.mark.parametrize("text", ["soon", "", "2024-13-45", "May 2024 and June 2024", "the day we met"])
def test_a_time_that_cannot_be_read_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(UsageError, match=r"--since .*not a time; write 2023-05-07"):
        select(Filters(since=text), memory(), NOW)


def test_names_that_are_not_there_are_told_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"--speaker Maria: nobody .* there are Mara"):
        select(Filters(speaker="Maria"), memory(), NOW)
    with pytest.raises(NotFoundError, match=r"--session tow: there is none .* there are two"):
        select(Filters(session="tow"), memory(), NOW)


def test_a_filter_says_how_it_was_read() -> None:
    explained = select(Filters(since="last week", speaker="Tobin"), memory(), NOW).explained
    assert explained == {"since": "2024-05-06T00:00:00", "speaker": ["Tobin"], "messages": 2, "of": 5}
