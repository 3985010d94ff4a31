"""Answers from facts: the value that the question asks for, in as few words as hold it, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.language.times import find_time_cues
from memcli.read.answer import Drafted, answer
from memcli.read.query import read_query
from memcli.results import Evidence
from memcli.store.facts import ClaimRecord
from memcli.write.classify import is_question, modality, polarity

SPEAKERS = ("Ines", "Okko")
SAID_ON = "2024-03-14T10:00:00"


def fact(
    number: int, subject: str | None, said: str, *, speaker: str | None = None, day: str = SAID_ON, message: str | None = None
) -> ClaimRecord:
    who = speaker or subject or "Ines"
    cues = tuple((c.expression, c.start, c.end, c.granularity, c.anchor) for c in find_time_cues(said, day))
    evidence = Evidence(message or f"m{number}", "quay", "s1", who, day, 0, len(said), said)
    mood = "asks" if is_question(said) else modality(said)
    return ClaimRecord(
        number, (number,), f"{who}: {said}", "fact", mood, polarity(said), subject, who, None, None, (evidence,), (number,), cues, (), ()
    )


def ask(question: str, facts: Sequence[ClaimRecord]) -> Drafted:
    return answer(read_query(question, SPEAKERS), facts, [10.0 - 1.25 * i for i in range(len(facts))])


ABOUT_INES = [
    fact(1, "Ines", "I adopted a heron called Pim from the harbour shelter yesterday."),
    fact(2, "Ines", "My heron Pim sleeps in the old boathouse."),
    fact(3, "Ines", "I lived on the lighthouse rock for three years."),
    fact(4, "Ines", "I own two kayaks."),
]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("When did Ines adopt a heron from the harbour shelter?", "13 March 2024"),
        ("In which month did Ines adopt a heron from the harbour shelter?", "March 2024"),
        ("In which year did Ines adopt a heron from the harbour shelter?", "2024"),
        ("How long did Ines live on the lighthouse rock?", "three years"),
        ("How many kayaks does Ines own?", "two"),
        ("Does Ines own kayaks?", "Yes"),
    ],
)
def test_typed_values_are_computed_or_read(question: str, value: str) -> None:
    terms = read_query(question, SPEAKERS).terms
    ranked = sorted(ABOUT_INES, key=lambda f: -len([t for t in terms if t in f.text.casefold()]))
    assert ask(question, ranked).text == value


def test_a_date_comes_from_the_same_message_before_the_day_it_was_told() -> None:
    facts = [
        fact(1, "Ines", "I sailed to the seal island.", message="m1"),
        fact(2, "Ines", "It all happened last Friday.", message="m1"),
    ]
    assert ask("When did Ines sail to the seal island?", facts).text == "The Friday before 14 March 2024"


def test_an_event_without_a_date_is_dated_by_the_day_it_was_told() -> None:
    assert ask("When did Ines sail to the seal island?", [fact(1, "Ines", "I sailed to the seal island.")]).text == "14 March 2024"


def test_the_latest_version_of_a_date_answers() -> None:
    first = fact(1, "Ines", "My regatta is on 12 April 2024.")
    moved = replace(fact(2, "Ines", "It moved to 19 April 2024."), supersedes=(1,), conflicts_with=(1,))
    drafted = ask("When is the regatta of Ines?", [first, moved])
    assert (drafted.text, drafted.roles) == ("19 April 2024", ("support", "direct"))


def test_the_month_asked_for_is_preferred() -> None:
    facts = [
        fact(1, "Ines", "I won the regatta last week.", day="2024-03-14T10:00:00"),
        fact(2, "Ines", "I won the regatta yesterday.", day="2024-08-20T10:00:00"),
    ]
    assert ask("When did Ines win the regatta in August?", facts).text == "19 August 2024"


def test_a_fact_about_one_person_never_answers_a_question_about_another() -> None:
    drafted = ask("What did Okko adopt from the harbour shelter?", ABOUT_INES)
    assert not drafted.sufficient
    assert drafted.text is None
    assert "Okko" in (drafted.reason or "")
    assert set(drafted.roles) == {"support"}


def test_questions_are_not_evidence() -> None:
    drafted = ask("What did Ines adopt?", [fact(1, "Ines", "What did you adopt, Ines?", speaker="Okko")])
    assert not drafted.sufficient


def test_nothing_found_is_no_answer() -> None:
    drafted = ask("What did Ines adopt?", [])
    assert (drafted.text, drafted.sufficient, drafted.confidence) == (None, False, 0.0)


def test_the_fact_the_answer_was_taken_from_is_the_direct_one() -> None:
    drafted = ask("How many kayaks does Ines own?", [ABOUT_INES[3], *ABOUT_INES[:3]])
    assert drafted.roles == ("direct", "support", "support", "support")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wo schläft der Reiher von Ines?", "Mein Reiher schläft im alten Bootshaus."),
        ("¿Qué come la garza de Ines?", "Mi garza come sardinas."),
        ("Ines的苍鹭吃什么？", "我的苍鹭吃沙丁鱼。"),
    ],
)
def test_other_languages_quote_the_best_words(question: str, said: str) -> None:
    assert ask(question, [fact(1, "Ines", said)]).text == said


def test_a_phrase_is_a_verbatim_slice_and_shorter_than_its_sentence() -> None:
    drafted = ask("What did Ines adopt from the harbour shelter?", ABOUT_INES)
    assert drafted.text is not None
    assert any(drafted.text in e.text and drafted.text != e.text for f in ABOUT_INES for e in f.evidence)
    assert "heron" in drafted.text


_TEXT = """Ines the a heron, kayak? sold two 12 "Pim" I my don't 船 [image: 🙂 ! . went to sea"""
_WORDS = st.lists(st.sampled_from(sorted(set(_TEXT.split()))), max_size=12)


@given(question=_WORDS, said=st.lists(_WORDS, max_size=5))
def test_any_text_gives_an_answer_or_a_reason(question: list[str], said: list[list[str]]) -> None:
    facts = [fact(i, "Ines", " ".join(words)) for i, words in enumerate(said)]
    drafted = answer(read_query(" ".join(question), SPEAKERS), facts, [1.0] * len(facts))
    assert len(drafted.roles) == len(facts)
    assert 0 <= drafted.confidence <= 1
    assert (drafted.text is not None) is drafted.sufficient
    assert (drafted.reason is None) is drafted.sufficient


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("What does Ines do when it rains?", "what"),
        ("Who fed the heron when Ines was away?", "who"),
        ("When did Ines say what she saw?", "when"),
        ("Was bringt Ines zum Hafenfest mit?", "what"),
        ("Was the heron asleep?", "yes_no"),
    ],
)
def test_the_first_question_word_decides(question: str, slot: str) -> None:
    assert read_query(question, SPEAKERS).slot == slot


def test_a_name_is_asked_for_and_given() -> None:
    facts = [
        fact(1, "Ines", "I adopted a heron from the shelter in Holmvik!"),
        fact(2, "Ines", "The heron is called Pim, and is afraid of the foghorn."),
    ]
    assert ask("What is the name of Ines's heron?", facts).text in ("Pim", "Holmvik")
    assert ask("What is the heron of Ines called?", facts[::-1]).text == "Pim"


def test_what_recurs_is_told_in_its_own_words() -> None:
    facts = [fact(1, "Ines", "The choir of ours meets every Tuesday at 7 pm in the net loft.")]
    assert ask("When does the choir of Ines meet?", facts).text == "every Tuesday at 7 pm"


def test_a_number_is_the_one_of_what_is_counted() -> None:
    facts = [fact(1, "Ines", "In 2019 I had two boats and nine oars.")]
    assert ask("How many oars did Ines have?", facts).text == "nine"


def test_what_was_said_later_replaces_what_was_said_before() -> None:
    facts = [
        fact(1, "Ines", "The logbook is due on 12 April 2024.", day="2024-03-01T10:00:00"),
        fact(2, "Ines", "The logbook is now due on 19 April 2024.", day="2024-04-01T10:00:00"),
    ]
    assert ask("When is the logbook of Ines due?", facts).text == "19 April 2024"
    assert ask("When was the logbook of Ines due?", facts).text == "12 April 2024"
