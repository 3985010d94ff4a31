"""Schemas as grammars, and what is left of JSON that was cut off."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.models.grammar import conforms, salvage, to_grammar

CLAIMS = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "maxItems": 4,
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string", "maxLength": 40}, "spans": {"type": "array", "items": {"type": "integer"}}},
                "required": ["text", "spans"],
            },
        },
        "done": {"type": "boolean"},
    },
    "required": ["claims"],
}

texts = st.text(max_size=12)
claim = st.fixed_dictionaries({"text": texts, "spans": st.lists(st.integers(0, 99), max_size=3)})
answers = st.fixed_dictionaries({"claims": st.lists(claim, max_size=4)}, optional={"done": st.booleans()})


@given(answers, st.integers(0, 400), st.booleans())
def test_what_is_salvaged_is_valid_and_holds_nothing_that_was_not_written(answer: dict[str, Any], cut: int, ascii_only: bool) -> None:
    text = json.dumps(answer, ensure_ascii=ascii_only)
    whole = salvage(text[:cut], CLAIMS)
    if whole is None:
        assert "{" not in text[:cut]
        return
    found = json.loads(whole)
    assert conforms(found, CLAIMS)
    assert (
        found["claims"] == answer["claims"][: len(found["claims"])] or found["claims"][:-1] == answer["claims"][: len(found["claims"]) - 1]
    )
    for mine, written in zip(found["claims"], answer["claims"], strict=False):
        assert mine["text"] == written["text"]
        assert mine["spans"] == written["spans"][: len(mine["spans"])]


def test_an_item_whose_list_was_cut_is_closed_only_after_whole_numbers() -> None:
    assert salvage('{"claims": [{"text": "Bram bakes.", "spans": [1, 2', CLAIMS) == '{"claims": [{"text": "Bram bakes.", "spans": [1]}]}'
    assert salvage('{"claims": [{"text": "Bram bakes.", "spans": [1]}, {"text": "Ottilie do', CLAIMS) == (
        '{"claims": [{"text": "Bram bakes.", "spans": [1]}]}'
    )
    assert salvage("I would rather not.", CLAIMS) is None


def test_an_array_that_was_not_come_to_is_empty_and_a_text_is_not_made_up() -> None:
    numbers = {"type": "array", "items": {"type": "integer"}}
    schema = {"type": "object", "properties": {"direct": numbers, "support": numbers}, "required": ["direct", "support"]}
    assert salvage('{"direct": [1, 2, 3', schema) == '{"direct": [1, 2], "support": []}'
    wanting = {"type": "object", "properties": {"direct": numbers, "why": {"type": "string"}}, "required": ["direct", "why"]}
    assert salvage('{"direct": [1, 2, 3], "why": "Sin', wanting) is None


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"claims": []}, True),
        ({"claims": [], "done": True}, True),
        ({"claims": [], "done": 1}, False),
        ({}, False),
        ([], False),
        ({"claims": [{"text": "a" * 41, "spans": []}]}, False),
        ({"claims": [{"text": "a", "spans": [True]}]}, False),
        ({"claims": [{"text": "a", "spans": []}] * 5}, False),
    ],
)
def test_conforming_is_what_the_schema_says(value: object, fits: bool) -> None:
    assert conforms(value, CLAIMS) is fits


def test_a_schema_without_a_grammar_is_refused() -> None:
    with pytest.raises(ValueError, match="no grammar"):
        to_grammar({"type": "object", "properties": {"anything": {}}})
