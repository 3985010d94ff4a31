"""Laws of the windows and batches."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memcli.models.windows import OVERLAP, batches, readable, spans


@given(length=st.integers(0, 5_000), size=st.integers(1, 600))
def test_windows_cover_every_token_and_fit(length: int, size: int) -> None:
    found = spans(length, size)
    assert found[0][0] == 0
    assert found[-1][1] == length
    assert all(end - start <= size for start, end in found)
    for (start, end), (next_start, next_end) in pairwise(found):
        assert start < next_start <= end < next_end
        assert end - next_start <= OVERLAP


@given(lengths=st.lists(st.integers(0, 300), max_size=200), budget=st.integers(1, 1_000))
def test_every_item_is_in_one_batch_within_the_budget(lengths: list[int], budget: int) -> None:
    found = list(batches(lengths, budget))
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= max(budget, len(batch)) for batch in found)


@given(st.text(alphabet=st.characters()))
def test_readable_text_can_be_encoded_and_sound_text_is_untouched(text: str) -> None:
    cleaned = readable(text)
    cleaned.encode()
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert cleaned == text
