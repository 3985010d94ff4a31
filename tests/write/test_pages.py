"""Pages: when a message goes on with the local event and when it begins another."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from memcli.write.pages import MAX_GAP_S, MAX_MESSAGES, MAX_SPANS, MIN_WORDS, PageState, continues, extend

EAST = np.array([1, 0], np.float32)
NORTH = np.array([0, 1], np.float32)


def page(messages: int = 1, spans: int = 1, vector: NDArray[np.float32] | None = EAST, said_at: float | None = 0.0) -> PageState:
    state = extend(None, session="s", said_at=said_at, spans=spans, vector=vector)
    for _ in range(messages - 1):
        state = extend(state, session="s", said_at=said_at, spans=0, vector=vector)
    return state


def goes_on(
    state: PageState,
    *,
    session: str | None = "s",
    said_at: float | None = 60.0,
    text: str = "more of it",
    spans: int = 1,
    words: int = MIN_WORDS,
    vector: NDArray[np.float32] | None = EAST,
) -> bool:
    return continues(state, session=session, said_at=said_at, text=text, spans=spans, words=words, vector=vector)


def test_more_of_the_same_goes_on() -> None:
    assert goes_on(page())


def test_another_session_is_another_page() -> None:
    assert not goes_on(page(), session="t")
    assert not goes_on(page(), session=None)


@pytest.mark.parametrize(("gap", "same"), [(MAX_GAP_S, True), (MAX_GAP_S + 1, False), (-1e6, True), (None, True)])
def test_a_long_silence_ends_a_page(gap: float | None, same: bool) -> None:
    assert goes_on(page(), said_at=gap) is same


def test_unknown_times_end_nothing_and_are_skipped() -> None:
    assert goes_on(page(said_at=None), said_at=1e9)
    assert extend(page(said_at=5.0), session="s", said_at=None, spans=1, vector=EAST).last_said_at == 5.0


def test_a_page_is_bounded() -> None:
    assert goes_on(page(MAX_MESSAGES - 1))
    assert not goes_on(page(MAX_MESSAGES))
    assert goes_on(page(spans=MAX_SPANS - 2), spans=2)
    assert not goes_on(page(spans=MAX_SPANS - 2), spans=3)


@pytest.mark.parametrize(
    "text",
    [
        "By the way, the choir sings.",
        "BTW the choir",
        "Anyway — the choir",
        "Übrigens, der Chor",
        "对了，合唱团",
        "- on another note, the choir",
    ],
)
def test_an_announced_change_of_subject_ends_a_page(text: str) -> None:
    assert not goes_on(page(), text=text)


@pytest.mark.parametrize("text", ["He passed by the way station.", "Anywayward", "The unrelated choir"])
def test_the_same_words_inside_a_sentence_announce_nothing(text: str) -> None:
    assert goes_on(page(), text=text)


def test_words_about_something_else_end_a_page_if_there_are_enough_of_them() -> None:
    assert not goes_on(page(), vector=NORTH)
    assert goes_on(page(), vector=NORTH, words=MIN_WORDS - 1)
    assert goes_on(page(), vector=None)
    assert goes_on(page(vector=None), vector=NORTH)


def test_a_page_remembers_the_sum_of_its_vectors() -> None:
    state = page(vector=None)
    for vector in (EAST, None, NORTH, EAST):
        state = extend(state, session="s", said_at=1.0, spans=2, vector=vector)
    assert (state.messages, state.spans) == (5, 9)
    np.testing.assert_array_equal(state.total, [2, 1])
