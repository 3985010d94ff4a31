"""Who a sentence without a first or second person is about: the other party, nobody, or whom its pronoun stands for."""

from __future__ import annotations

import pytest

from memcli.atoms import Message, Role, Turn
from memcli.write.claims import write_claims
from memcli.write.compile import compile_turn
from memcli.write.maxims import is_maxim
from memcli.write.remarks import admires, calls

PEOPLE = ("Mara", "Tobin")
CALLED = frozenset(["mara", "tobin", "tob"])


def turn(text: str, speaker: str = "Mara", role: Role = "user", people: tuple[str, ...] = PEOPLE) -> Turn:
    return compile_turn(Message("quay", "1", speaker, role, text, "2024-05-08T10:00:00"), people)


def told(text: str, *before: str, people: tuple[str, ...] = PEOPLE) -> list[tuple[str, str | None]]:
    """Text and subject of each claim of Mara's turn that replies to Tobin's."""
    found = write_claims(turn(text, people=people), [turn(said, "Tobin", people=people) for said in before], people)
    return [(claim.text, claim.subject) for claim in found]


def subjects(text: str, *before: str) -> list[str | None]:
    return [subject for _, subject in told(text, *before)]


# Remarks on what is the other's ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "That kiln's amazing!",
        "Wow, that old kiln is so beautiful!",
        "Those nets look really impressive.",
        "Seeing that kind of patience is inspiring!",
        "Hearing such songs is touching.",
        "Such a calm harbour is lovely.",
        "Rowing all night must have been tough.",
    ],
)
def test_a_remark_on_what_the_other_showed_is_about_the_other(text: str) -> None:
    assert admires(text)
    assert subjects(text, "I fired the kiln and mended the nets.") == ["Tobin"]


@pytest.mark.parametrize(
    "text", ["That kiln is from Bodø.", "Those nets cost forty euros.", "Seeing the ferry takes time.", "Das ist schön."]
)
def test_what_values_nothing_of_the_others_is_no_such_remark(text: str) -> None:
    assert not admires(text)


def test_a_remark_on_ones_own_thing_stays_ones_own() -> None:
    assert subjects("I built a kiln. That kiln is amazing.", "Good morning, the ferry is late.") == ["Mara", "Mara"]
    assert subjects("I slept badly. Those nets are beautiful!", "I mended the nets.") == ["Mara", "Tobin"]


def test_what_is_said_to_the_other_by_name_is_about_the_other() -> None:
    heard = "I need a berth for the winter."
    assert subjects("Searching for the perfect berth is a tough job, Tobin.", heard) == ["Tobin"]
    assert subjects("Yep Tobin, staying calm is what counts.", heard) == ["Tobin"]
    assert subjects("The boat looks so clean, Tob!", heard) == ["Tobin"]


@pytest.mark.parametrize(
    "text",
    [
        "Can't wait for the regatta, Tobin!",
        "Hey Tobin, it's been busy on the quay.",
        "Hey Tobin, haven't slept for days.",
        "Thanks for the rope, Tobin!",
        "Hey Tobin, that storm last night was loud.",
        "My boat sank, Tobin.",
    ],
)
def test_ones_own_news_told_to_the_other_by_name_stays_ones_own(text: str) -> None:
    assert subjects(text, "The ferry is late.") == ["Mara"]


def test_an_answer_that_ends_in_the_askers_name_is_the_answerers() -> None:
    assert subjects("It is moored behind the old mill on the north bank, Tobin.", "Where is the boat?") == ["Mara"]


def test_a_name_alone_calls_nobody() -> None:
    assert not calls("Tobin.", CALLED)
    assert not calls("The prize went to Tobin", CALLED)
    assert calls("A hard night for the crew, Tobin", CALLED)


# Nobody in particular -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Weddings are the best!",
        "Practice makes perfect.",
        "Small steps count.",
        "Herons have such grace!",
        "Music's amazing, isn't it?",
        "Taking risks is scary but it's the only way to grow, right?",
        "Mending nets helps with patience.",
        "It's amazing how music can calm a crowd.",
        "Support from neighbours is vital.",
        "People need rest.",
        "You never know what the tide brings.",
        "You can't go wrong with soup.",
        "Yeah, nature is so inspiring!",
    ],
)
def test_a_saying_is_about_nobody(text: str) -> None:
    assert is_maxim(text)
    assert subjects(text, "The ferry is late.") == [None]


@pytest.mark.parametrize(
    "text",
    [
        "The weddings are the best!",
        "Practice was long.",
        "Practice is going well.",
        "Orders are coming in.",
        "Herons love it.",
        "Quinces are her favourite.",
        "Success is almost here.",
        "Looking forward to more music.",
        "Exciting to see what's next!",
        "Feels like a dream.",
        "Being able to help was a joy.",
        "Life's good.",
        "Things are fine.",
        "These boats are fast.",
        "Are herons shy?",
        "Hochzeiten sind schön.",
        "Las bodas son bonitas.",
        "Les mariages sont beaux.",
        "婚礼很美。",
    ],
)
def test_what_tells_of_something_is_no_saying(text: str) -> None:
    assert not is_maxim(text)


def test_to_an_assistant_everything_is_told_of_the_user() -> None:
    people = ("user", "assistant")
    found = write_claims(turn("Tests are slow on the old machine.", "user", people=people), (), people)
    assert [claim.subject for claim in found] == ["The user"]


# They, she, he --------------------------------------------------------------------------------------------------------


def test_a_pronoun_is_about_whose_its_antecedent_is() -> None:
    assert subjects("Your geese are loud. They never sleep.") == ["Tobin", "Tobin"]
    assert subjects("The geese are loud. They never sleep.") == ["Mara", "Mara"]
    assert subjects("They never sleep.", "My geese are loud.") == ["Tobin"]
    assert subjects("Are they still loud?", "My geese ate the nets.") == ["Tobin"]
    assert subjects("I met him twice. He sang for hours.", "Did the tenor come?")[-1] == "Mara"
    assert subjects("I found a stray pup. She eats everything.", "My aunt is ill.") == ["Mara", "Mara"]


def test_a_pronoun_without_antecedent_is_about_nobody_known() -> None:
    assert subjects("It rained all day. They never sleep.", "The ferry is late.")[-1] is None
    assert subjects("She sings at noon.", "The ferry is late.") == [None]
    assert subjects("Does she sing on the quay these days?", "The ferry is late.") == [None]


def test_in_a_larger_circle_a_pronoun_stands_for_who_was_named() -> None:
    people = ("Mara", "Tobin", "Odile")
    assert [s for _, s in told("Odile mended the mast. She rested after that.", people=people)] == ["Odile", "Odile"]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("My geese woke the harbour. They hissed at the keeper.", "Mara's geese hissed at the keeper."),
        ("The herons came back. They're nesting on the mast.", "Mara: The herons are nesting on the mast."),
        ("The herons came back. They've built a nest.", "Mara: The herons have built a nest."),
        ("My sister bought a boat. She named it Petrel.", "Mara's sister named it Petrel."),
        ("Your geese are loud. They never sleep.", "Tobin's geese never sleep."),
        ("The herons chased the geese. They were loud.", "Mara: They were loud."),
        ("The sailor brought oars. They were heavy and wet.", "Mara: Oars were heavy and wet."),
        ("My neighbour sells oars. They shut at noon.", "Mara: They shut at noon."),
        ("Some herons came back. They slept.", "Mara: They slept."),
        ("I bought two of the lamps. Yesterday they broke.", "Mara: Yesterday (7 May 2024) they broke."),
    ],
)
def test_a_plain_antecedent_takes_the_place_of_its_pronoun(text: str, second: str) -> None:
    assert told(text)[-1][0] == second


def test_the_sentence_an_antecedent_stands_in_supports_the_claim() -> None:
    found = write_claims(turn("My geese woke the harbour. They hissed at the keeper."), (), PEOPLE)
    assert [(ref.back, ref.index) for ref in found[-1].supports] == [(0, 1), (0, 0)]


def test_news_of_him_is_no_remark_on_what_the_other_told() -> None:
    assert subjects("He's called Pim, he's five, and he's afraid of the toaster.", "WHAT. Name? Age? Photo?") == [None]
    assert subjects("He's so cute!", "I adopted a goat called Pim.") == ["Tobin"]
