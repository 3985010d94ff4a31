"""Cues: handles and pivots, each an exact slice of what was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.atoms import Span
from memcli.write.cues import find_pivot
from memcli.write.spans import cut_spans


@pytest.mark.parametrize(
    ("text", "kind", "label"),
    [
        ("I adopted a three-legged goat yesterday.", "purchase", "adopted a three-legged goat yesterday"),
        ("We visited the salt mines, then slept.", "visit", "visited the salt mines"),
        ("She painted the old boathouse because it rained.", "creation", "painted the old boathouse"),
        ("He moved to a barge near Ghent.", "change", "moved to a barge near Ghent"),
    ],
)
def test_pivots(text: str, kind: str, label: str) -> None:
    pivot = find_pivot(Span(7, 7 + len(text), text))
    assert pivot is not None
    assert (pivot.kind, pivot.text) == (kind, label)
    assert text[pivot.offset - 7 :].startswith(pivot.text)


@pytest.mark.parametrize("text", ["Did you visit the salt mines?", "I feel tired of the noisy harbour.", "I went there.", "王教授买了书。"])
def test_what_is_no_concrete_event_has_no_pivot(text: str) -> None:
    assert find_pivot(Span(0, len(text), text)) is None


@given(st.text(max_size=80))
def test_cues_of_any_text_are_slices_of_it(text: str) -> None:
    for span in cut_spans(text):
        if pivot := find_pivot(span):
            assert text[pivot.offset : pivot.offset + len(pivot.text)] == pivot.text
