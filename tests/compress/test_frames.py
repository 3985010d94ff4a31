"""Claims that say the same of several things are told once, with a list of what differs; and what is cut is cut at phrases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.compress.candidates import Statement
from memcli.compress.clauses import read_clause
from memcli.compress.merge_text import merged_text

Merge = Callable[..., str]


@pytest.mark.parametrize(
    ("texts", "merged"),
    [
        (
            (
                "Ilse sold 8 lamps at the market in Brno.",
                "Ilse sold 38 clocks at the market in Ghent.",
                "Ilse sold 5 clocks at the market in Kiel.",
            ),
            "Ilse sold 8 lamps at the market in Brno (38 clocks, Ghent; 5 clocks, Kiel).",
        ),
        (
            ("Ilse: Compré 2 kilos de sal en Faro.", "Ilse: Compré 9 kilos de sal en Lugo.", "Ilse: Compré 4 kilos de miel en Vigo."),
            "Ilse: Compré 2 kilos de sal en Faro (9, Lugo; 4, miel, Vigo).",
        ),
    ],
)
def test_what_differs_is_listed_behind_the_first(merge: Merge, texts: tuple[str, ...], merged: str) -> None:
    assert merge(*texts) == merged


def test_a_negation_is_no_value(merge: Merge) -> None:
    text = merge("Ilse sold 8 lamps in Brno.", "Ilse never sold lamps in Brno.", "Ilse sold 9 lamps in Kiel.", "Ilse kept 7 lamps in Lugo.")
    assert "Ilse never sold lamps in Brno" in text


def test_names_whose_phrases_went_stand_behind_the_sign_of_what_was_left_out(merge: Merge) -> None:
    text = merge(
        "Ilse: The clock was mended by a neighbour of Odile's during the long winter.",
        "Ilse: The lamp stood for years in the window of Bruno's bakery.",
        budget=8,
    )
    assert text == "Ilse: The lamp stood for years … Bruno; … Odile …"


def test_words_within_a_phrase_stay(merge: Merge) -> None:
    text = merge("Ilse: I looked into the history of the 3 old clocks for a friend.", "Ilse: We have had a good time.", budget=12)
    assert text == "Ilse: I looked into the history of the 3 old clocks …"


@pytest.mark.parametrize(
    ("texts", "merged"),
    [
        (("Ilse: The lamp is mine. Where did you find yours?", "Ilse: Good."), "Ilse: The lamp is mine …"),
        (("Ilse: I mended 4 clocks in a week, can you tell me how to sell them?", "Ilse: Good."), "Ilse: I mended 4 clocks …"),
    ],
)
def test_a_question_that_goes_takes_its_mark_along(merge: Merge, texts: tuple[str, ...], merged: str) -> None:
    assert merge(*texts, budget=5) == merged


def test_bold_titles_are_told_without_their_signs_and_are_no_names(merge: Merge) -> None:
    text = merge("**Warm Winter Clothing**: Wear a coat. Take a scarf along.", "**Dry Feet**: Buy boots in Brno.", budget=7)
    assert "*" not in text
    assert "Brno" in text
    assert "Warm" not in text or "Wear a coat" in text


def test_a_date_that_is_given_twice_is_told_once(merge: Merge) -> None:
    text = merge("Ilse opens on March 3 (3 March 2025) and closes on April 5 (5 April 2025).", "Ilse naps.")
    assert text == "Ilse opens on 3 March 2025 and closes on 5 April 2025; naps."


@pytest.mark.parametrize(
    "texts",
    [
        ("Nils paid 8 crowns for 3 lamps.", "Nils paid 8 crowns for 4 lamps.", "Nils paid 9 crowns for 3 lamps."),
        ("The choir meets at 8 in room 3.", "The choir meets at 8 in room 4.", "The choir meets at 9 in room 3."),
        ("Nils sold 8 lamps in Brno.", "Nils sold 9 lamps in Brno.", "Nils sold 8 lamps in Kiel."),
    ],
)
def test_a_list_never_leaves_open_what_its_values_are_of(texts: tuple[str, ...]) -> None:
    clauses = [read_clause(Statement(text, "Nils"), {}) for text in texts]
    assert "(" not in merged_text(clauses, 60)
