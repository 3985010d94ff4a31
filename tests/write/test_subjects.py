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


@pytest.mark.parametrize(
    "text",
    [
        "Wow, amazing kiln!",
        "Ooh, new nets!",
        "Cool setup!",
        "Must feel so calm!",
        "Bet it felt warm!",
        "Wow, look at this kiln!",
        "That kiln looks mouthwatering.",
        "Wow, Tobin! The colors really blend nicely.",
        "Wow, it really shows how patient a potter is!",
        "It looks like a lighthouse!",
        "That takes patience.",
        "The kiln adds so much to the room.",
        "Takes a lot of courage!",
        "Firing a kiln and mending nets is hard - congrats!",
        "When the nets tear, keep mending.",
    ],
)
def test_a_reaction_without_a_demonstrative_is_about_the_other(text: str) -> None:
    heard = "Look what I did. I fired the kiln and mended the nets."
    assert subjects(text, heard) == ["Tobin"]


@pytest.mark.parametrize(
    "text",
    ["Exciting times ahead!", "Awesome catching up!", "Great news!", "It's been a long day.", "It's good to be back.", "Es ist schön."],
)
def test_ones_own_exclamations_stay_ones_own(text: str) -> None:
    assert subjects(text, "I fired the kiln.") in (["Mara"], [])


def test_behind_thanks_it_is_ones_own() -> None:
    assert subjects("Thanks, Tobin! It's great and so light.", "Your boat looks light.") == ["Mara"]


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
        "Stories and songs can truly mend a crew.",
        "Old people's patience is amazing.",
        "Meeting new crews can be scary.",
        "Enjoying the ride is key.",
        "Camping with geese can be so loud, right?",
        "Music really has a way of calming geese, doesn't it?",
        "It's important to rest at noon.",
        "It's so normal to be afraid of storms.",
        "Rowing machines are a great way to get fit.",
        "A mentor can do wonders.",
        "A little patience can go a long way.",
        "Family moments like that are so special.",
        "Who knows what the tide brings!",
        "Nature does have a way of showing people a place in the world.",
        "It's important for young crews to honour those who sailed.",
        "It's incredible how a song can carry a crew.",
        "It can be tough to lose a boat.",
        "Building boats really does make a difference.",
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
        "It's great to be back.",
        "It's amazing how this boat can turn.",
        "It was important to rest.",
        "Kids can be loud.",
        "A neighbour brings eggs.",
        "This boat is a great way to rest.",
        "Repairing the mast is fun.",
        "Are herons shy?",
        "Hochzeiten sind schön.",
        "Las bodas son bonitas.",
        "Les mariages sont beaux.",
        "婚礼很美。",
    ],
)
def test_what_tells_of_something_is_no_saying(text: str) -> None:
    assert not is_maxim(text)


@pytest.mark.parametrize(
    "text",
    [
        "Yeah, taking time for ourselves is crucial.",
        "Storms can teach us patience.",
        "Moments like these make us love the sea.",
        "Trips like these are great.",
        "It's awesome how these songs take us to the sea.",
        "It's so important to rest and forgive ourselves.",
        "Geese are great at making you feel small.",
        "Mending nets will make you patient.",
    ],
)
def test_a_saying_may_speak_of_us_or_of_a_you_that_is_anybody(text: str) -> None:
    assert subjects(text, "The ferry is late.") == [None]


def test_what_tells_of_the_other_or_of_our_own_is_no_saying() -> None:
    assert subjects("Finding a crew can be tough, but you've got the patience.") == ["Tobin"]
    assert subjects("Sailors like you make a difference.") == ["Tobin"]
    assert subjects("It's crazy to see how far you've sailed!") == ["Tobin"]
    assert subjects("Our geese can be loud.") == ["Mara"]
    assert subjects("The geese make us laugh.") == ["Mara"]


def test_it_behind_a_saying_or_an_order_is_about_nobody() -> None:
    assert subjects("Music is amazing. It's so calming.", "The ferry is late.") == [None, None]
    assert subjects("Geese are the best. They make us laugh.", "The ferry is late.") == [None, None]
    assert subjects("Yeah, they can comfort us.", "Geese are amazing.") == [None]
    assert subjects("Music is amazing. It took us two hours.", "The ferry is late.") == [None, "Mara"]
    assert subjects("My geese are loud. They make us laugh.", "The ferry is late.") == ["Mara", "Mara"]
    assert subjects("Just feed them at noon.", "Geese are so calm.") == [None]
    assert subjects("Try the soup. It's really filling.", "I sold the kayak to a neighbour.") == ["Tobin", None]


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


# Named things ---------------------------------------------------------------------------------------------------------


def test_how_a_named_third_party_is_is_about_nobody_who_talks() -> None:
    assert subjects("J.K. Marlow is such a brave writer.", "The ferry is late.") == [None]
    assert subjects('"Petrel Bay" is a classic!', "The ferry is late.") == [None]
    assert subjects("The Storm Petrels were truly fast.", "We raced against the Storm Petrels.") == [None]


def test_news_of_somebody_named_may_be_ones_own() -> None:
    assert subjects("Luca lost his first tooth yesterday!", "The ferry is late.") == ["Mara"]
    assert subjects("My goose is called Pim. Pim is loud.") == ["Mara", "Mara"]


def test_behind_a_cry_a_reaction_is_about_the_other_though_one_was_asked() -> None:
    assert subjects("Awesome, Tobin! Sounds like the kiln is really making a difference.", "I fired the kiln. And how is your goose?") == [
        "Tobin"
    ]


def test_a_pronoun_that_takes_up_what_the_other_said_of_ones_own_is_ones_own() -> None:
    assert subjects("She's an amazing sailor.", "Wow, your little one is so keen, it must be lovely!") == ["Mara"]


def test_what_one_bids_to_look_at_is_ones_own() -> None:
    assert subjects("Just look at this one!", "I read about old boats.") == ["Mara"]


def test_nobody_is_asked_about_what_is_the_askers_own() -> None:
    assert subjects("I bet the geese are loud. How do they sleep?", "I keep geese.")[-1] == "Tobin"


# Frames, thanks and cheers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I bet it smells of tar!", "Tobin"),
        ("I can imagine that mast was heavy.", "Tobin"),
        ("I can imagine all the rope you spliced was worth it.", "Tobin"),
        ("I'm sure that you will win.", "Tobin"),
        ("I guess your crew was glad.", "Tobin"),
        ("I bet they wake you at dawn.", "Tobin"),
        ("I bet they bring lots of joy.", "Tobin"),
        ("I hope she finds the harbour.", None),
        ("I hope my boat floats.", "Mara"),
        ("I'm sure I can row it.", "Mara"),
        ("I know that feeling.", "Mara"),
        ("I think it went well.", "Mara"),
        ("I think it's important to oil a hinge.", "Mara"),
    ],
)
def test_how_sure_one_is_of_something_does_not_make_it_ones_own(text: str, subject: str | None) -> None:
    assert subjects(text, "My geese are so loud.") == [subject]


def test_what_the_others_help_means_to_one_is_about_oneself() -> None:
    assert subjects("Your help with the nets means a lot to me.", "You row well.") == ["Mara"]
    assert subjects("Your songs mean a lot to your crew.", "I sing.") == ["Tobin"]


def test_what_the_others_words_mean_does_not_end_the_reply_to_them() -> None:
    heard = "I sailed round the cape and mended the nets."
    assert subjects("Your words mean a lot to me. That trip sounds great!", heard)[-1] == "Tobin"


@pytest.mark.parametrize(
    ("text", "before", "subject"),
    [
        ("It helps you see new bays.", "What do you love about your raft?", "Mara"),
        ("It helps you see new bays and islands every day.", "What do you love about your raft?", None),
        ("It helps you see new bays.", "Music is amazing.", None),
        ("It's like sailing to new shores.", "Music is amazing.", None),
        ("It gives you so much joy.", "I bought a raft.", "Tobin"),
        ("It helps your back.", "What do you love about your raft?", "Tobin"),
        ("I love rafts. It lets you forget the shore.", "The ferry is late.", None),
    ],
)
def test_a_you_that_is_anybody_in_reply_to_something_general(text: str, before: str, subject: str | None) -> None:
    assert subjects(text, before)[-1] == subject


@pytest.mark.parametrize(
    "text",
    [
        "Keep up the hard work and let's see where it leads us.",
        "Keep going!",
        "Stay strong and let's talk soon.",
        "Keep me posted on the race.",
    ],
)
def test_encouragement_is_about_whom_it_is_said_to(text: str) -> None:
    assert subjects(text, "I train for the regatta.") in (["Tobin"], [])


@pytest.mark.parametrize(
    "text", ["But the important thing is to stay calm.", "The key is to row slowly.", "The trick with eels is to wait."]
)
def test_what_is_to_be_done_by_anybody_is_about_nobody(text: str) -> None:
    assert is_maxim(text)
    assert subjects(text, "I lost the race.") == [None]


@pytest.mark.parametrize(
    "text", ["The plan is to row north.", "The key for me is to rest.", "The key is in the shed.", "The trick was to wait."]
)
def test_plans_and_keys_are_no_sayings(text: str) -> None:
    assert subjects(text, "I lost the race.") == ["Mara"]


def test_pros_and_cons_of_a_choice_are_about_nobody() -> None:
    text = (
        "You asked about your raft.\n\n**Pros:**\n- Shows your patience.\n- It suits your bay.\n\n"
        "**Cons:**\n- Your back may hurt.\n- You would pay less than for your current mooring.\n\nYour raft is old."
    )
    found = write_claims(turn(text, "assistant", "assistant", ("user", "assistant")), (), ("user", "assistant"))
    told_of = {claim.text: claim.subject for claim in found}
    sides = [subject for said, subject in told_of.items() if "patience" in said or "back may" in said]
    assert sides
    assert set(sides) == {None}
    assert told_of["Your raft is old."] == told_of["You would pay less than for your current mooring."] == "The user"
