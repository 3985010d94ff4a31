"""Cues: handles, keywords and pivots, each an exact slice of what was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.atoms import Span, SpanKind
from memcli.write.cues import MAX_KEYWORDS, find_handles, find_keywords, find_pivot
from memcli.write.spans import cut_spans


def handles(text: str, *people: str, kind: SpanKind = "sentence") -> list[tuple[str, str]]:
    return [(h.text, h.kind) for h in find_handles(Span(0, len(text), text, kind), people)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Ada Quill in Tromsø.", [("Ada Quill", "name"), ("Tromsø", "name")]),
        ("Lovely weather in the harbour.", []),
        ("See https://ferns.example/a?b=1.", [("https://ferns.example/a?b=1", "url")]),
        ("It is in src/tide/model.py somewhere.", [("src/tide/model.py", "file")]),
        ("It died with a TimeoutError.", [("TimeoutError", "error")]),
        ("It died with ECONNREFUSED.", [("ECONNREFUSED", "error")]),
        ("Firmware 1.0.21 is broken.", [("1.0.21", "version")]),
        ("Ask @nasa_images about it.", [("@nasa_images", "person")]),
        ("She read “The Salt Path” twice.", [("The Salt Path", "quoted")]),
        ("We leave on Tuesday in March.", []),
        ("I think I'm late.", []),
        ("Birgit's garage is full.", [("Birgit", "person")]),
        ("he saw birgit", []),
        ("Das Haus am See gehört der Tante.", []),
    ],
)
def test_handles(text: str, expected: list[tuple[str, str]]) -> None:
    assert handles(text, "Birgit") == expected


def test_code_gives_addresses_and_files_only() -> None:
    assert handles("Ada = open('notes.txt')  # Quill Harbour", "Ada", kind="code") == [("notes.txt", "file")]


@given(st.text(st.sampled_from("Ada Quill's @x 1.0.2 v3 “” \"*é王🫖.py/:https://\n"), max_size=60), st.integers(0, 9))
def test_every_handle_is_a_slice_and_none_overlap(text: str, start: int) -> None:
    position = start
    for handle in find_handles(Span(start, start + len(text), text), ("Ada", "a+b", "é")):
        assert handle.text == text[handle.offset - start :][: len(handle.text)] != ""
        assert handle.offset >= position
        position = handle.offset + len(handle.text)


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


def test_keywords_are_noun_phrases_longest_first() -> None:
    assert find_keywords("The brass telescopes of the harbour museum", frozenset()) == ("brass telescope", "harbour museum")


@pytest.mark.parametrize("text", ["Thanks so much!", "It is what it is.", "Tuesday in March", "12 345", "", "Birgit!"])
def test_what_says_nothing_has_no_keywords(text: str) -> None:
    assert find_keywords(text, frozenset(["birgit"])) == ()


@given(st.text(max_size=80))
def test_keywords_are_few_distinct_and_never_empty(text: str) -> None:
    found = find_keywords(text, frozenset(["ada"]))
    assert len(found) == len(set(found)) <= MAX_KEYWORDS
    assert all(keyword.strip() for keyword in found)


@given(st.text(max_size=80))
def test_cues_of_any_text_are_slices_of_it(text: str) -> None:
    for span in cut_spans(text):
        if pivot := find_pivot(span):
            assert text[pivot.offset : pivot.offset + len(pivot.text)] == pivot.text
