from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.transcripts.times import normalise


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2024-02-03T10:15:00Z", "2024-02-03T10:15:00+00:00"),
        ("2024-02-03T10:15:00.5+05:30", "2024-02-03T10:15:00.500000+05:30"),
        ("2024-02-03 10:15", "2024-02-03T10:15:00"),
        ("2024-02-03 10:15:09 UTC", "2024-02-03T10:15:09+00:00"),
        ("2024-02-03", "2024-02-03T00:00:00"),
        ("2024/2/3 7:05", "2024-02-03T07:05:00"),
        (1706954100, "2024-02-03T09:55:00+00:00"),
        ("1706954100.25", "2024-02-03T09:55:00.250000+00:00"),
        (1706954100123, "2024-02-03T09:55:00.123000+00:00"),
        ("1706954100123456", "2024-02-03T09:55:00.123456+00:00"),
        (20240203, "2024-02-03T00:00:00"),
        ("7:05 pm on 3 February, 2024", "2024-02-03T19:05:00"),
        ("12:10 am on 3 May, 2024", "2024-05-03T00:10:00"),
        ("March-15-2024", "2024-03-15T00:00:00"),
        ("Sat, 3 Feb 2024 10:15:00 -0800", "2024-02-03T10:15:00-08:00"),
        ("Sat Feb 3 10:15:00 2024", "2024-02-03T10:15:00"),
        ("February 3rd, 2024 at 5 PM", "2024-02-03T17:00:00"),
        ("2/23/2024, 7:05:01 PM", "2024-02-23T19:05:01"),
        ("23/2/2024", "2024-02-23T00:00:00"),
        ("03.04.2024 10:15", "2024-04-03T10:15:00"),
    ],
)
def test_forms_that_are_read(value: object, moment: str) -> None:
    assert normalise(value) == moment


@pytest.mark.parametrize(
    "value",
    [
        "yesterday",
        "03/04/2024",
        "2024-13-45",
        "31 Feb 2024",
        "13:00 pm on 3 May, 2024",
        "10:15",
        "May 2024",
        "2024",
        "99999999999999999999",
        "",
    ],
)
def test_writings_that_cannot_be_told_are_not_guessed(value: str) -> None:
    assert normalise(value) is None


@pytest.mark.parametrize("value", [None, True, 0, 17, 2024, -5, float("nan"), float("inf"), 1e300, 10**400, [], {}, "x" * 10_000])
def test_what_cannot_be_told_is_not_guessed(value: object) -> None:
    assert normalise(value) is None


@given(st.integers(100_000_000, 9_999_999_999), st.sampled_from([1000, 1_000_000, 1_000_000_000]))
def test_a_moment_is_the_same_in_every_unit(seconds: int, per_second: int) -> None:
    expected = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat()
    assert normalise(seconds) == normalise(str(seconds)) == expected
    assert normalise(seconds * per_second) == expected


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_iso_times_and_their_offsets_survive(moment: datetime, minutes: int) -> None:
    there = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert normalise(there.isoformat()) == there.isoformat()
    assert normalise(moment.isoformat(" ")) == moment.isoformat()


@given(st.text() | st.integers() | st.floats() | st.from_regex(r"[0-9apm:/. ,+-]{1,30}|[0-9]{1,2} (May|June) [0-9]{4}", fullmatch=True))
def test_nothing_raises_and_results_are_iso(value: object) -> None:
    result = normalise(value)
    assert result is None or datetime.fromisoformat(result).isoformat() == result
