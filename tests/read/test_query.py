"""Reading a question: its slot, the speakers it names, what is searched for and what is embedded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.read.query import read_query

SPEAKERS = ("Mara", "Tobin", "Ann Marie")


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("When did Mara move?", "when"),
        ("What year was it?", "when"),
        ("How long did it last?", "how_long"),
        ("For how many weeks?", "how_long"),
        ("How many geese are there?", "how_many"),
        ("Where is the kayak?", "where"),
        ("Which city is it in?", "where"),
        ("Who sold it?", "who"),
        ("Why did it sink?", "why"),
        ("Did it sink?", "yes_no"),
        ("How does it float?", "how"),
        ("What is it?", "what"),
        ("kayak", "what"),
        ("¿Cuándo se mudó?", "when"),
        ("Wo ist das Kajak?", "where"),
        ("Combien de canards ?", "how_many"),
        ("你什么时候搬家？", "when"),
        ("船在哪里？", "where"),
        ("船卖了吗？", "yes_no"),
    ],
)
def test_slot(question: str, slot: str) -> None:
    assert read_query(question, SPEAKERS).slot == slot


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does Mara grow?", ("Mara",)),
        ("what does mara grow?", ("Mara",)),
        ("What is Mara's boat called?", ("Mara",)),
        ("Who is older, Mara or Tobin?", ("Mara", "Tobin")),
        ("What does Ann Marie grow?", ("Ann Marie",)),
        ("What do Marathon runners eat?", ()),
        ("Samara?", ()),
    ],
)
def test_the_speakers_named(question: str, named: tuple[str, ...]) -> None:
    assert read_query(question, SPEAKERS).speakers == named


def test_names_are_not_embedded() -> None:
    assert read_query("What is Mara's boat called?", SPEAKERS).text == "What is boat called?"
    assert read_query("Mara", SPEAKERS).text == "Mara"


def test_a_speaker_known_by_role_is_named_only_as_the_user() -> None:
    roles = ("user", "assistant")
    assert read_query("What does the user grow?", roles).speakers == ("user",)
    assert read_query("Which user interface is it?", roles).speakers == ()
    assert "user" in read_query("Which user interface is it?", roles).terms


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("Where is the kayak?", ("kayak",)),
        ("Where is Birgit's kayak?", ("birgit", "kayak")),
        ("C++ compiler", ("cplusplu", "compil")),
        ("Which C# job?", ("csharp", "job")),
        ("What is C++?", ("cplusplu",)),
        ("the of and", ("the", "of", "and")),
        ("Mara", ("mara",)),
        ("报告", ("报告",)),
        ("猫", ("猫",)),
        ("?!", ()),
    ],
)
def test_terms(question: str, terms: tuple[str, ...]) -> None:
    assert read_query(question, SPEAKERS).terms == terms


@given(st.text(max_size=60), st.lists(st.text(max_size=6), max_size=4, unique=True))
def test_any_question_about_any_speakers_can_be_read(question: str, speakers: list[str]) -> None:
    query = read_query(question, tuple(speakers))
    assert query.question == question
    assert set(query.speakers) <= set(speakers)
    assert len(query.terms) == len(set(query.terms))
    assert query.text or not question
