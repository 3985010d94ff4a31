"""A merged claim says what its claims say, in fewer words, and never anything else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.compress.candidates import Statement
from memcli.compress.clauses import content, folded, is_negating, read_clause
from memcli.compress.merge_text import is_faithful, merged_text, rarities
from memcli.language.lexicon import count_words


def merge(*texts: str, budget: int = 1000, speaker: str = "Nils", cue: str | None = None) -> str:
    statements = [Statement(text, speaker, cue) for text in texts]
    rarity = rarities(statements)
    clauses = [read_clause(statement, rarity) for statement in statements]
    text = merged_text(clauses, budget)
    assert is_faithful(text, clauses), text
    return text


def test_what_both_begin_with_is_said_once() -> None:
    planted = merge("Nils planted a quince in Faro.", "Nils planted a medlar in Kiel.")
    assert planted == "Nils planted a quince in Faro and a medlar in Kiel."
    assert merge("Nils: Bought a boat.", "Nils: Sold the mill.") == "Nils: Bought a boat; Sold the mill."


def test_the_same_words_are_said_once() -> None:
    assert merge("Nils sails.", "Nils sails!") == "Nils sails."


def test_a_negation_is_not_carried_over_to_another_clause() -> None:
    assert merge("Nils does not like tea.", "Nils does like coffee.") == "Nils does not like tea; Nils does like coffee."


def test_a_relative_time_gives_way_to_its_date() -> None:
    text = merge("Nils sailed last June (June 2022).", "Nils sold the boat.", cue="last June")
    assert text == "Nils sailed in June 2022 and sold the boat."


@pytest.mark.parametrize(
    ("texts", "budget", "merged"),
    [
        (
            ("Vera moved to Lund in May 2021, and it was a long and tiring day.", "Vera works at the harbour office."),
            13,
            "Vera moved to Lund in May 2021 and works at the harbour office …",
        ),
        (
            ("Vera rowed to the island with three friends before breakfast.", "Vera baked rye bread for the whole crew of the ferry."),
            12,
            "Vera rowed to the island with three friends and baked rye bread …",
        ),
        (
            ("Vera: The harbour was full of seals. Painting and sailing keep me calm.", "Vera: Where did you buy the sail for the boat?"),
            14,
            "Vera: The harbour was full of seals; where did you buy the sail? …",
        ),
        (
            ("Vera did not sail to Faro with the children.", "Vera will sell the boat if the mast breaks in the next storm."),
            23,
            "Vera did not sail to Faro with the children; Vera will sell the boat if the mast breaks in the next storm.",
        ),
    ],
)
def test_what_goes_are_whole_phrases_that_the_sentence_can_do_without(texts: tuple[str, ...], budget: int, merged: str) -> None:
    assert merge(*texts, speaker="Vera", budget=budget) == merged


def test_a_name_is_told_once_and_what_tells_least_goes_first() -> None:
    texts = ("Nils: We will see, Rosaria.", "Nils: The heron of Rosaria nested under the old crane by the lock.", "Nils: Thanks, Rosaria.")
    assert merge(*texts, budget=7) == "Nils: The heron of Rosaria nested …"


@pytest.mark.parametrize(
    ("said", "cue", "written"),
    [
        ("Nils sailed yesterday (7 May 2023).", "yesterday", "Nils sailed on 7 May 2023"),
        ("Nils sailed over the weekend (the weekend of 7 May 2023).", "the weekend", "Nils sailed over the weekend of 7 May 2023"),
        ("Nils sailed last year (2022).", "last year", "Nils sailed in 2022"),
        ("Nils segelte gestern (7 May 2023).", "gestern", "Nils segelte 7 May 2023"),
    ],
)
def test_a_date_comes_with_its_preposition(said: str, cue: str, written: str) -> None:
    assert read_clause(Statement(said, "Nils", cue), {}).text == written


def test_captions_questions_and_openers_go_first() -> None:
    text = merge('Nils, asked by Tove "Where is the boat?": In Faro.', "Nils: Well, I painted it. (picture: a boat on a slip)")
    assert text == "Nils: In Faro; I painted it."


def test_a_short_one_keeps_names_numbers_and_negations() -> None:
    text = merge(
        "Nils: I really think that Odile should never have sold the 3 old boats to Rosaria.",
        "Nils: It is so nice that the bakery in Olomouc opens at 7 in the morning.",
        budget=6,
    )
    assert text.endswith("…")
    assert {"odile", "never", "3", "rosaria", "olomouc", "7"} <= set(folded(text))


def test_no_value_moves_to_another_clause() -> None:
    text = merge("Nils paid 30 euros for the anchor in Kiel.", "Nils paid 12 crowns for the rope in Bodø.", budget=8)
    first, second = text.split("; ")
    assert {"30", "kiel"} <= set(folded(first))
    assert {"12", "bodø"} <= set(folded(second))
    assert not {"12", "bodø"} & set(folded(first))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nils: Ich habe kein Boot.", "Nils: Ich kaufe 3 Segel."),
        ("Nils: 我在法鲁种了3棵树。", "Nils: 我不喜欢喝茶。"),
        ("Nils: Nunca fui a Faro.", "Nils: Compré 2 kilos de sal."),
    ],
)
def test_other_languages_lose_no_value_either(one: str, other: str) -> None:
    text = merge(one, other, budget=5)
    for word in "".join(ch if ch.isnumeric() else " " for ch in one + other).split():
        assert word in text
    assert any(is_negating(part) for part in text.replace(";", " ").split())


@pytest.mark.parametrize(
    "text",
    [
        "Nils paid 31 euros for the anchor.",
        "Nils paid 30 euros for the anchor in Faro.",
        "Nils paid for the anchor.",
        "Nils paid 30 euros for the anchor, and that was all that there was to pay for it on that day or on any other one.",
    ],
)
def test_words_that_a_model_might_propose_are_checked(text: str) -> None:
    statements = [Statement("Nils paid 30 euros for the anchor.", "Nils"), Statement("Nils sails.", "Nils")]
    clauses = [read_clause(statement, {}) for statement in statements]
    assert is_faithful("Nils paid 30 euros for the anchor; sails.", clauses)
    assert not is_faithful(text, clauses)


WORDS = (
    "I",
    "the",
    "not",
    "never",
    "boat",
    "mill",
    "Faro",
    "Odile",
    "3",
    "2022",
    "bought",
    "sold",
    "很",
    "树",
    "kein",
    "was",
    "and",
    "so",
    "(",
    "“",
)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), min_size=2, max_size=5), st.integers(1, 30))
def test_merged_words_are_faithful_and_shorter(said: list[list[str]], budget: int) -> None:
    statements = [Statement(f"Nils: {' '.join(words)}.", "Nils") for words in said]
    clauses = [read_clause(statement, rarities(statements)) for statement in statements]
    text = merged_text(clauses, budget)
    known = frozenset().union(*(content(s.text) for s in statements))
    assert content(text) <= known
    if is_faithful(text, clauses):
        assert count_words(text) <= sum(count_words(s.text) for s in statements)
        for words in said:
            assert {w.casefold() for w in words if w.isnumeric() or w in ("not", "never", "kein")} <= set(folded(text))


@pytest.mark.parametrize("texts", [("👍", "🎉"), ("…", "👍"), ("!!!", "?"), ("```\n\n```", "👍")])
def test_what_has_no_word_is_not_merged(texts: tuple[str, str]) -> None:
    clauses = [read_clause(Statement(text, "Ilse"), {}) for text in texts]
    assert not is_faithful(merged_text(clauses, 20), clauses)
