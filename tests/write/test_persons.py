"""Persons: first and second person resolved to names, and who a sentence is about."""

from __future__ import annotations

import pytest

from memcli.write.persons import addressed, display_name, mentioned, resolve, subject_of

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
        ("Sailors like my nets, so I'm always busy.", "Sailors like Mara's nets, so Mara is always busy."),
        ("My geese woke the crew, so I moved.", "Mara's geese woke the crew, so Mara moved."),
        ("My oars remind me of Bodø.", "Mara's oars remind Mara of Bodø."),
        ("I slept two weeks and I'm well.", "Mara slept two weeks and they're well."),
        ("I had it in my bag.", "Mara had it in their bag."),
        ("Looking back, I think it was late.", "Looking back, Mara thinks it was late."),
        ("I fly to Rome.", "Mara flies to Rome."),
        ("I rely on it and reply late.", "Mara: I rely on it and reply late."),
        ("I apply the glue.", "Mara applies the glue."),
        ("I supply rope.", "Mara supplies rope."),
        ("I tally the nets.", "Mara tallies the nets."),
        ("I dont like it.", "Mara doesn't like it."),
        ("I need a mast.", "Mara needs a mast."),
        ("I'd need a mast.", "Mara would need a mast."),
        ("I'd never seen it.", "Mara had never seen it."),
        ("I'd bought it.", "Mara had bought it."),
        ("I'd listen.", "Mara would listen."),
        ("I am never late and I was tired.", "Mara is never late and they were tired."),
        ("I am late and I'm sorry.", "Mara is late and they're sorry."),
        ("I swim and dive.", "Mara swims and dives."),
        ("I wake up and make coffee.", "Mara wakes up and makes coffee."),
        ("I am tired and need sleep.", "Mara is tired and needs sleep."),
        ("I like apples and pears.", "Mara likes apples and pears."),
        ("I want to rest and get warm.", "Mara wants to rest and get warm."),
        ("I bought a kayak and learned to roll.", "Mara bought a kayak and learned to roll."),
        ("Marek and I go to Faro.", "Marek and Mara go to Faro."),
        ("It was late and I go home.", "It was late and Mara goes home."),
        ("I first met Ana in Faro.", "Mara first met Ana in Faro."),
        ("I, however, like it.", "Mara, however, likes it."),
        ("I was late. I ran. My net tore.", "Mara was late. They ran. Their net tore."),
        ("The part I like best is my garden.", "The part Mara likes best is their garden."),
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
        "You two won the race.",
        "You were brave to tell them what you wanted.",
        "You know, your boat sank.",
        "You make people feel that you care.",
        "If you like, your boat can stay.",
        "Tobin, you won the race.",
        "Me encanta la fruta.",
        "Ich wohne in Kiel.",
        "J'habite à Lyon.",
        "我住在里斯本。",
        "私は京都に住んでいます。",
        "Я живу в Казани.",
        "I have a net and use it.",
        "I sail and kayak.",
        "I read every night.",
        "I use tabs, i.e. four spaces.",
        "World War I ended and I was born.",
        "I work in phase I trials.",
        "Type I and my pump do not match.",
        "I. Of my boats",
        'Tobin said "I am late" and took my net.',
        "So do I.",
        "I gotta go.",
        "Been mending a net I found.",
        "Count on me.",
        "It was hard to put myself first.",
        "I, Mara, sail.",
        "I LOVE it.",
        "Went to the quay with my sister.",
        "Help me with my net.",
        "I need some me-time.",
        "Thanks for letting me join your crew.",
        "I hand-wash the nets.",
    ],
)
def test_what_cannot_be_rewritten_faithfully_keeps_its_words_behind_the_name(said: str) -> None:
    assert rewritten(said)[0] == f"Mara: {said}"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("You won the race.", "Tobin won the race."),
        ("You're so patient with your geese.", "Tobin is so patient with their geese."),
        ("Yeah, you've got the right sail!", "Yeah, Tobin has got the right sail!"),
        ("You are late and you must run.", "Tobin is late and they must run."),
        ("You sail every day.", "Tobin sails every day."),
        ("You should oil the hinge yourself.", "Tobin should oil the hinge themselves."),
        ("You made it when they told you to stop.", "Tobin made it when they told Tobin to stop."),
        ("You deserve it.", "Tobin deserves it."),
    ],
)
def test_what_is_said_of_the_addressee_is_told_in_the_third_person(said: str, text: str) -> None:
    assert rewritten(said) == (text, "Tobin")


def test_a_question_keeps_its_words() -> None:
    assert rewritten("Do I need a permit?", question=True)[0] == "Mara: Do I need a permit?"


def test_what_belongs_to_the_addressee_is_named() -> None:
    assert rewritten("Your garden won a prize.") == ("Tobin's garden won a prize.", "Tobin")
    assert rewritten("Your garden won a prize.", None)[0] == "Mara: Your garden won a prize."


ABOUT = """
You can see some of the oars I carved. | Mara
Got your back. | Mara
Loved your regatta speech. | Mara
Appreciate your kind words. | Mara
Really appreciate your help, Tobin! | Mara
Can't wait to see your kiln! | Mara
Looking forward to your regatta. | Mara
Great to hear from you. | Mara
Lovely chatting with you again. | Mara
So proud of you for winning. | Mara
Definitely sending you the map! | Mara
Thanks for your patience! | Mara
Here you go, that's the map. | Mara
Your totally right! | Mara
Anytime, Tobin! | Mara
I moved to Lisbon. | Mara
My brother sings. | Mara
My sister Ana got engaged. | Mara
Mum is proud of me. | Mara
My mum is proud of you. | Mara
My dog ate your hat. | Mara
We bought a canoe. | Mara
We went camping. | Mara
Our boat sank. | Mara
Let's meet at noon. | Mara
I saw you at the quay. | Mara
I gave you a compass. | Mara
I love your garden. | Mara
I love Tobin's garden. | Mara
I'm proud of you. | Mara
I see you at the quay. | Mara
Thank you for the compass, it works. | Mara
Thanks, Tobin! | Mara
Tobin, I moved to Lisbon. | Mara
Hey Tobin! My boat sank. | Mara
I moved, Tobin. | Mara
I gave Tobin a compass. | Mara
The lighthouse is green. | Mara
A ton of people came. | Mara
You know, the boat sank. | Mara
See you on the quay! | Mara
If you like, I can come. | Mara
When you called, my phone was off. | Mara
Because of you I sold it. | Mara
It was a gift from my aunt. | Mara
Ana told me a secret. | Mara
"You are late," said my aunt. | Mara
World War I ended long ago. | Mara
Me encanta tu barco. | Mara
Mi hermana canta. | Mara
Mein Garten ist schön. | Mara
Ich habe dich gesehen. | Mara
Ma sœur chante. | Mara
J'ai un bateau. | Mara
我的花园很漂亮。 | Mara
我妹妹唱歌。 | Mara
You won the race. | Tobin
You did great. | Tobin
You did great, Tobin. | Tobin
Tobin, you did great. | Tobin
Totally agree with you. | Mara
Love your kiln! | Mara
Highly recommend your ferry. | Mara
Taking your advice, I sold the boat. | Mara
Hope you sleep well. | Tobin
Your goose is fat. | Tobin
Your sister sings well. | Tobin
Tobin's painting is lovely. | Tobin
Tobin gave me a compass. | Tobin
The prize went to Tobin. | Tobin
Wow, your garden is huge! | Tobin
I'm glad you won. | Tobin
I'm so happy that you came back. | Tobin
I hope you sleep well. | Tobin
I think your idea is good. | Tobin
I heard you sold the boat. | Tobin
I bet you miss it. | Tobin
Glad you like it. | Tobin
Hey Tobin, glad to hear you're well. | Tobin
Sounds like you had fun. | Tobin
Sorry to hear that you lost it. | Tobin
When I called, you were asleep. | Tobin
Do you still sail? | Tobin
How is your aunt? | Tobin
I'm curious, which boat did you buy? | Tobin
Tell me, what's your plan? | Tobin
Could you lend me a net? | Tobin
"I am late," said Tobin. | Tobin
Tu jardín es bonito. | Tobin
Dein Garten ist schön. | Tobin
Du hast gewonnen. | Tobin
Ton jardin est beau. | Tobin
你的花园很漂亮。 | Tobin
Your support means a lot. | Mara
Your kind words really mean the world to me! | Mara
Having you in the crew means so much. | Mara
It means a lot to share this with you. | Mara
Your belief in my boat means everything. | Mara
Your mum said it means a lot. | Tobin
I bet you can row it. | Tobin
I can imagine your geese sleep well. | Tobin
I'm sure it was hard for you. | Tobin
I hope it goes as well as your last race. | Tobin
I know we'll win. | Mara
Keep up the good work and let's see how far we get! | Tobin
Hang in there, we all know storms. | Tobin
Never give up, we need a skipper. | Tobin
Don't worry, I won't sink. | Mara
Take care, I'll write soon. | Mara
"""
ABOUT_ROWS = [tuple(line.split(" | ")) for line in ABOUT.splitlines() if line]


def test_the_table_of_subjects_is_large() -> None:
    assert len(ABOUT_ROWS) >= 60


@pytest.mark.parametrize(("said", "subject"), ABOUT_ROWS)
def test_who_a_sentence_is_about(said: str, subject: str) -> None:
    assert subject_of(said, "Mara", "Tobin", PEOPLE) == subject


def test_a_first_name_is_enough_where_only_one_bears_it() -> None:
    people = ("Mara Quill", "Tobin Reed")
    assert subject_of("Tobin's painting is lovely.", "Mara Quill", "Tobin Reed", people) == "Tobin Reed"
    assert subject_of("Tobin's painting is lovely.", "Mara Quill", None, (*people, "Tobin Marsh")) == "Mara Quill"


def test_a_question_is_not_about_those_who_last_talked() -> None:
    for said in ("Hey Tobin, what's been up since we last talked?", "Anything new after our last chat?"):
        assert mentioned(said, "Mara", "Tobin", PEOPLE) != "Mara"


def test_asking_an_assistant_tells_of_who_asks() -> None:
    for said in ("Can you find a ferry?", "What do you think of the plan?", "Could you book it for me?"):
        assert subject_of(said, "The user", "The assistant", ("The user", "The assistant")) == "The user"


@pytest.mark.parametrize(
    ("said", "subject"),
    [
        ("Your budget is 500 euros.", "The user"),
        ("You mentioned a ferry.", "The user"),
        ("As your crew grows, the boat sinks.", "The user"),
        ("Check your logs.", None),
        ("Practice on your boat is fun.", "The user"),
        ("**Show the colours**: A flag can tell others your port.", "The user"),
        ("- **Be seen:** It helps you at night.", "The user"),
        ("**Ropes**: Check your knots.", None),
        ("Do you have a chart of your bay?", "The user"),
        ("Have you oiled your winch?", "The user"),
        ("Install the client.", None),
        ("Showcase your knots on the quay.", None),
        ("Before sailing, grease the winch of your boat.", None),
        ("**Depth**: During the race, look at your chart.", None),
        ("**Pull** firmly on your rope.", None),
        ("Let's rig your boat.", None),
        ("You can also hire a crew.", None),
        ("To reach the island, you need to row: an hour at most.", None),
        ("A map can help you find the bay.", None),
        ("[Your Name], [Your Address]", None),
        ("You already own two anchors.", "The user"),
        ("Given your budget, a raft is best.", "The user"),
        ("By rowing daily, you can reach your island.", "The user"),
        ("Puedes alquilar un bote.", None),
        ("Dein Boot ist zu schwer.", "The user"),
        ("你的船太重了。", "The user"),
        ("First, oil the hinge.", None),
        ("The tide turns at six.", None),
        ("It rains when you sail.", None),
        ("Thank you for the map.", None),
        ("I recommend copper.", None),
    ],
)
def test_what_an_assistant_says_is_about_the_user_or_nobody(said: str, subject: str | None) -> None:
    assert addressed(said, "The user") == subject


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("On day 2 I ran.", "On day 2 the user ran."),
        ("I ran.", "The user ran."),
        ('"Hm", I said.', '"Hm", the user said.'),
        ("My net tore and my boat sank.", "The user's net tore and their boat sank."),
        ("The net is mine.", "The net is the user's."),
        ("It was late. I slept.", "It was late. The user slept."),
    ],
)
def test_the_user_inside_a_sentence_has_no_capital(said: str, text: str) -> None:
    assert resolve(said, "The user", "The assistant", ("The user",), question=False).text == text


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


@pytest.mark.parametrize(
    "said",
    [
        "You're right, honest work is what counts.",
        "Haven't talked in ages, wanted to let you know I moved.",
        "Wanted to let you know I got the job.",
        "Been busy with the boat since you called.",
    ],
)
def test_an_opinion_or_ones_own_news_is_about_who_tells_it(said: str) -> None:
    assert subject_of(said, "Mara", "Tobin", ("Mara", "Tobin")) == "Mara"
