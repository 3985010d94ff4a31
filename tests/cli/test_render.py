"""Laws of what people see."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.cli.render.clean import clean, one_line
from memcli.cli.render.times import interval, moment
from memcli.cli.render.words import counted
from memcli.results import Interval

ANY = st.text(st.characters(exclude_categories=()))


@given(ANY)
def test_cleaned_text_holds_no_control_and_can_be_encoded(text: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", clean(text))
    clean(text).encode("utf-8")
    assert clean(clean(text)) == clean(text)


@given(ANY)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(st.text(st.characters(exclude_categories=("C", "Z"))))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("timestamp", "shown"),
    [
        ("2024-03-02T14:05:00", "2 March 2024 14:05"),
        ("2024-03-02T14:05:59+02:00", "2 March 2024 14:05 +0200"),
        ("around noon", "around noon"),
    ],
)
def test_moments(timestamp: str, shown: str) -> None:
    assert moment(timestamp) == shown


@pytest.mark.parametrize(
    ("start", "end", "granularity", "shown"),
    [
        ("2024-03-02T00:00:00", "2024-03-03T00:00:00", "day", "2 March 2024"),
        ("2024-03-01T00:00:00", "2024-04-01T00:00:00", "month", "March 2024"),
        ("2024-01-01T00:00:00", "2025-01-01T00:00:00", "year", "2024"),
        ("2024-03-04T00:00:00", "2024-03-11T00:00:00", "week", "4 March 2024 to 10 March 2024"),
        ("2024-03-02T14:05:00", "2024-03-02T14:06:00", "minute", "2 March 2024 14:05"),
        ("2016-01-01T00:00:00", None, "range", "since 1 January 2016"),
        (None, "2016-01-01T00:00:00", "range", "before 1 January 2016"),
        (None, None, None, ""),
    ],
)
def test_intervals(start: str | None, end: str | None, granularity: str | None, shown: str) -> None:
    assert interval(Interval(start, end, granularity)) == shown


def test_one_is_one_and_thousands_have_commas() -> None:
    assert [counted(n, "page") for n in (0, 1, 2, 1200)] == ["0 pages", "1 page", "2 pages", "1,200 pages"]
    assert counted(2, "entry", "entries") == "2 entries"
