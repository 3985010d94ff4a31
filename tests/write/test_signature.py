"""Signatures: what of a claim is compared."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.write.quantities import tokens
from memcli.write.signature import Signature, sign

MONDAY = 1_710_151_200.0
"""11 March 2024, 10:00 UTC."""


def signature(text: str, **changes: object) -> Signature:
    fields: dict[str, Any] = {
        "subject": "Signe",
        "speaker": "Signe",
        "kind": "fact",
        "modality": "did",
        "polarity": "positive",
        "said_at": MONDAY,
        "start": None,
        "end": None,
        "handles": (),
        "extent": len(text),
    }
    return sign(text, **(fields | changes))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The kiln takes 250 ms.", {"250 ms"}),
        ("The kiln takes 250ms.", {"250 ms"}),
        ("The kiln takes 250 milliseconds.", {"250 ms"}),
        ("Two goats", {"2"}),
        ("2 goats", {"2"}),
        ("zwei Ziegen", {"2"}),
        ("1,900 plates", {"1900"}),
        ("1900 plates", {"1900"}),
        ("It costs $1,250.50", {"1250.5 $"}),
        ("40% of them", {"40 %"}),
        ("40 percent of them", {"40 %"}),
        ("the first draft", {"1."}),
        ("the 2nd draft", {"2."}),
        ("on 7 May 2024", {"5-07"}),
        ("on May 7th", {"5-07"}),
        ("on 2024-05-07", {"5-07"}),
        ("am 7. Mai", {"5-07"}),
        ("7 de mayo", {"5-07"}),
        ("version 2.3.1", {"2.3.1"}),
        ("no number", set()),
    ],
)
def test_numbers(text: str, expected: set[str]) -> None:
    assert signature(text).numbers == expected


def test_names_leave_out_who_it_is_about() -> None:
    assert signature("Signe met Ulf in Narvik.", handles=("Signe", "Ulf", "Narvik")).names == {"ulf", "narvik"}


def test_fillers_do_not_count_and_the_speakers_label_neither() -> None:
    assert signature("Signe: the kiln is really broken!").words == signature("The kiln is broken.").words
    assert signature("signe: the kiln is broken").words == signature("The kiln is broken.").words


def test_letters_of_names_of_people_do_not_differ_by_case() -> None:
    assert signature("The kiln is hot.", subject="SIGNE", speaker="signe") == signature("The kiln is hot.")


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("Signe owns a kiln.", {}, None),
        ("Signe swam.", {"kind": "event"}, "on 19793"),
        ("Signe will swim.", {"modality": "plans"}, "on 19793"),
        ("Where is the kiln?", {"modality": "asks"}, "on 19793"),
        ("That was cold.", {"kind": "event"}, "at 1710151200"),
        ("Signe swam.", {"kind": "event", "start": "2024-03-01", "end": "2024-03-02"}, "2024-03-01/2024-03-02"),
        ("Signe swam.", {"kind": "event", "said_at": None}, None),
    ],
)
def test_what_a_claim_is_dated_by(text: str, changes: dict[str, Any], expected: str | None) -> None:
    assert signature(text, **changes).when == expected


def test_a_relative_and_an_absolute_date_are_one() -> None:
    day = {"kind": "event", "start": "2024-05-07", "end": "2024-05-08"}
    relative = signature("Signe swam yesterday (7 May 2024).", **day)
    absolute = signature("Signe swam 7 May 2024.", **day)
    assert (relative.words, relative.numbers, relative.when) == (absolute.words, absolute.numbers, absolute.when)


def test_code_and_formulas_are_compared_character_by_character() -> None:
    assert signature("```\nx = 1\n```").words != signature("```\nX = 1\n```").words
    assert signature("P(A|B) = 0.5").verbatim
    assert not signature("The odds are even.").verbatim


def test_only_a_shortened_text_needs_the_length_of_its_span() -> None:
    assert signature("A kiln…", extent=900).extent == 900
    assert signature("A kiln.", extent=900).extent == 0


def test_an_attribute_is_measured_with_its_words() -> None:
    (found,) = signature("Signe's gallery limit is now 40 plates.").quantities
    assert (found.value, found.unit, found.fresh) == ("40", "plate", True)
    assert {"galleri", "limit"} <= found.frame


@pytest.mark.parametrize(
    "text",
    [
        "Signe wants at least 40% of the hall.",
        "Signe did it in 3 weeks.",
        "Signe uses kiln 2.3.1 daily.",
        "Signe came in 2019.",
        "Signe won the 2nd prize.",
    ],
)
def test_goals_durations_versions_years_and_ordinals_measure_nothing(text: str) -> None:
    assert signature(text).quantities == ()


def test_what_was_never_done() -> None:
    negative = signature("Signe has never fired porcelain cups or glazed stoneware tiles.", polarity="negative")
    assert negative.denied == (frozenset({"porcelain", "cup"}), frozenset({"stonewar", "tile"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Signe has never thrown large stoneware bowls in Narvik.", [{"larg", "stonewar", "bowl"}]),
        ("Signe has never thrown bowls.", []),
        ("Signe has never glazed their stoneware bowl.", [{"glaze", "stonewar", "bowl"}]),
        ("Signe hat nie große Schalen gedreht.", [{"schalen", "gedreht"}]),
        ("Signe never leaves.", []),
    ],
)
def test_a_thing_never_done_ends_where_its_circumstances_begin(text: str, expected: list[set[str]]) -> None:
    assert [set(thing) for thing in signature(text, polarity="negative").denied] == expected


def test_what_was_done_stands_behind_its_verb() -> None:
    assert frozenset({"stonewar", "bowl"}) in signature("Signe has stoneware bowls, and they sell.").done
    assert signature("Signe dreams - stoneware bowls.").done == ()


def test_what_others_are_said_to_be_measures_nothing() -> None:
    assert signature("Ulf's limit is 40 plates.", subject="Ulf").quantities == ()


@given(st.text(st.sampled_from("Sig1,.29 %$ms-/May…王\n!?'’七月```=éß²½İ"), max_size=40))
def test_any_text_has_a_signature_and_always_the_same(text: str) -> None:
    assert signature(text) == signature(text)
    assert all(token.text for token in tokens(text))
