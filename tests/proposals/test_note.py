"""Keywords are words of their claim, relations are borne out by both claims, a description has its topic's words."""

from __future__ import annotations

import pytest

from memcli.proposals.note import Keyword, Pair, Related, check_description, check_keyword, check_relation, read_relation

PEOPLE = frozenset({"ottoline", "bo"})
CLAIM = "Ottoline sold Bo two copper kilns in Ghent."


def test_keywords_are_words_of_the_claim_in_the_singular() -> None:
    assert check_keyword("Copper kilns", CLAIM, PEOPLE) == Keyword("copper kiln")
    assert check_keyword("copper kiln", CLAIM, PEOPLE) == Keyword("copper kiln")
    assert check_keyword("iron kiln", CLAIM, PEOPLE) == "content"
    assert check_keyword("kiln copper", CLAIM, PEOPLE) == "content"
    assert check_keyword("Ottoline", CLAIM, PEOPLE) == "empty"
    assert check_keyword("the", CLAIM, PEOPLE) == "empty"
    assert check_keyword("two copper kilns in Ghent", CLAIM, PEOPLE) == "length"


def pair(earlier: str, later: str, *, same: bool = True) -> Pair:
    """Two claims."""
    return Pair(1, 2, earlier, later, same)


@pytest.mark.parametrize(
    ("relation", "two", "stands"),
    [
        ("supports", pair("Bo owns a blue dinghy.", "Bo has a blue dinghy."), True),
        ("supports", pair("Bo owns 2 blue dinghies.", "Bo owns 3 blue dinghies."), False),
        ("supports", pair("Bo likes the choir.", "Bo does not like the choir."), False),
        ("supports", pair("Bo likes the choir.", "Ottoline fired the kiln."), False),
        ("conflicts", pair("Bo likes the choir.", "Bo does not like the choir."), True),
        ("conflicts", pair("Bo owns 2 blue dinghies.", "Bo owns 3 blue dinghies."), True),
        ("conflicts", pair("Bo owns 2 blue dinghies.", "Bo owns 3 blue dinghies.", same=False), False),
        ("conflicts", pair("Bo owns a blue dinghy.", "Bo sails a blue dinghy."), False),
        ("related_to", pair("Bo likes the choir.", "The choir sings."), True),
        ("related_to", pair("Bo likes the choir.", "Ottoline fired the kiln."), False),
    ],
)
def test_a_relation_has_to_be_borne_out(relation: str, two: Pair, stands: bool) -> None:
    related = read_relation({"relation": relation, "strength": 6})
    assert isinstance(related, Related)
    assert (check_relation(related, two) is None) is stands


@pytest.mark.parametrize(
    "answer", [None, [], {"relation": "loves", "strength": 1}, {"relation": "supports", "strength": 70}, {"relation": "supports"}]
)
def test_what_is_no_relation_is_none(answer: object) -> None:
    assert read_relation(answer) is None


def test_a_description_has_the_words_of_its_topic() -> None:
    keywords = ("copper kiln", "glaze", "pottery class")
    assert check_description("Glazes for the copper kiln", keywords) is None
    assert check_description("Pottery and love", keywords) == "content"
    assert check_description("No pottery class", keywords) == "content"
    assert check_description("Pottery", keywords) == "empty"
    assert check_description("glaze glaze glaze glaze glaze glaze glaze glaze glaze", keywords) == "length"
