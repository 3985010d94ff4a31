"""Persons: first and second person resolved to names, and who a sentence is about."""

from __future__ import annotations

import pytest

from memcli.write.persons import display_name, resolve, subject_of

PEOPLE = ("Mara", "Tobin")


def rewritten(text: str, addressee: str | None = "Tobin", *, question: bool = False) -> tuple[str, str | None]:
    resolved = resolve(text, "Mara", addressee, PEOPLE, question=question)
    return resolved.text, resolved.subject


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I moved to Lisbon.", "Mara moved to Lisbon."),
        ("I went home.", "Mara went home."),
        ("I go to Faro every winter.", "Mara goes to Faro every winter."),
        ("I watch herons.", "Mara watches herons."),
        ("I study moss.", "Mara studies moss."),
        ("I play the tuba.", "Mara plays the tuba."),
        ("I have two geese.", "Mara has two geese."),
        ("I do pottery.", "Mara does pottery."),
        ("I am a plumber.", "Mara is a plumber."),
        ("I was late.", "Mara was late."),
        ("I'm learning to weld.", "Mara is learning to weld."),
        ("I’m learning to weld.", "Mara is learning to weld."),
        ("I've sold the boat.", "Mara has sold the boat."),
        ("I'd love a second kiln.", "Mara would love a second kiln."),
        ("I'd finished the map.", "Mara had finished the map."),
        ("I'll repaint the shed.", "Mara will repaint the shed."),
        ("I can weld.", "Mara can weld."),
        ("I must weld.", "Mara must weld."),
        ("I don't eat walnuts.", "Mara doesn't eat walnuts."),
        ("I don’t eat walnuts.", "Mara doesn't eat walnuts."),
        ("I haven't slept.", "Mara hasn't slept."),
        ("I can't weld.", "Mara can't weld."),
        ("I never eat walnuts.", "Mara never eats walnuts."),
        ("I really like quinces.", "Mara really likes quinces."),
        ("I recently joined a choir.", "Mara recently joined a choir."),
        ("I quietly sail.", "Mara quietly sails."),
        ("My sister lives in Porto.", "Mara's sister lives in Porto."),
        ("The letter is for me.", "The letter is for Mara."),
        ("The bike is mine.", "The bike is Mara's."),
        ("Tobin gave me a compass.", "Tobin gave Mara a compass."),
        ("I carry my towel.", "Mara carries their towel."),
        ("I was ill and I missed the ferry.", "Mara was ill and they missed the ferry."),
        ("I told Tobin I'd call.", "Mara told Tobin they'd call."),
        ("Marek and I built a raft.", "Marek and Mara built a raft."),
        ("I had it in my bag.", "Mara had it in their bag."),
    ],
)
def test_english_in_the_first_person_is_told_in_the_third(said: str, text: str) -> None:
    assert rewritten(said)[0] == text


@pytest.mark.parametrize(
    "said",
    [
        "We bought a canoe.",
        "Let's meet at noon.",
        "The lighthouse is green.",
        "I saw you at the market.",
        "You won the race.",
        "Me encanta la fruta.",
        "Ich wohne in Kiel.",
        "J'habite à Lyon.",
        "我住在里斯本。",
        "私は京都に住んでいます。",
        "Я живу в Казани.",
    ],
)
def test_what_cannot_be_rewritten_faithfully_keeps_its_words_behind_the_name(said: str) -> None:
    assert rewritten(said)[0] == f"Mara: {said}"


def test_a_question_keeps_its_words() -> None:
    assert rewritten("Do I need a permit?", question=True)[0] == "Mara: Do I need a permit?"


def test_what_belongs_to_the_addressee_is_named() -> None:
    assert rewritten("Your garden won a prize.") == ("Tobin's garden won a prize.", "Tobin")
    assert rewritten("Your garden won a prize.", None)[0] == "Mara: Your garden won a prize."


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("I moved to Lisbon.", "Mara"),
        ("My brother sings.", "Mara"),
        ("We bought a canoe.", "Mara"),
        ("You won the race.", "Tobin"),
        ("Your goose is fat.", "Tobin"),
        ("Tobin gave me a compass.", "Tobin"),
        ("I gave Tobin a compass.", "Mara"),
        ("Tobin, I moved to Lisbon.", "Mara"),
        ("The lighthouse is green.", "Mara"),
        ("Tu jardín es bonito.", "Tobin"),
        ("Mi hermana canta.", "Mara"),
        ("Dein Garten ist schön.", "Tobin"),
        ("Mein Garten ist schön.", "Mara"),
        ("你的花园很漂亮。", "Tobin"),
        ("我的花园很漂亮。", "Mara"),
    ],
)
def test_who_a_sentence_is_about(said: str, subject: str) -> None:
    assert subject_of(said, "Mara", "Tobin", PEOPLE) == subject


def test_names_with_strange_characters_are_names() -> None:
    assert subject_of("(x+y)* left early.", "Mara", None, ("Mara", "(x+y)*")) in ("Mara", "(x+y)*")
    assert resolve("I sail.", "C++ \\1 \\g<0>", None, (), question=False).text == "C++ \\1 \\g<0> sails."


@pytest.mark.parametrize(
    ("speaker", "role", "name"),
    [
        ("Mara", "user", "Mara"),
        ("user", "user", "The user"),
        ("Assistant", "assistant", "The assistant"),
        (" Mara ", "user", "Mara"),
        ("user", "assistant", "user"),
    ],
)
def test_display_names(speaker: str, role: str, name: str) -> None:
    assert display_name(speaker, role) == name


@pytest.mark.parametrize(("name", "possessive"), [("Mara", "Mara's"), ("Agnes", "Agnes'"), ("The user", "The user's")])
def test_possessives(name: str, possessive: str) -> None:
    assert resolve("My goose is fat.", name, None, (name,), question=False).text == f"{possessive} goose is fat."
