"""What sort of sentence a span is: kind, modality and polarity, in five languages."""

from __future__ import annotations

import pytest

from memcli.write.classify import answer_sort, claim_kind, is_cheer, is_offer, is_question, modality, polarity

# sentence | kind | modality | polarity
TABLE = """
A non-slip mat is on the deck. | state | did | positive
I moved into the flat. | event | did | positive
It looks like rain. | fact | did | positive
It sounds like a heron. | fact | did | positive
I felt like a guest. | event | did | positive
My sister moved to Porto. | event | did | positive
My sister lives in Porto. | relation | did | positive
My brother is a welder. | relation | did | positive
My boss called about the lease. | event | did | positive
I am into pottery. | preference | did | positive
She is really into moss. | preference | did | positive
I fell in love with the sea. | event | did | positive
There was so much love in the room. | event | did | positive
The kids love the harbour. | preference | did | positive
I love quinces. | preference | did | positive
I really like the blue kiln. | preference | did | positive
Love the new kiln! | preference | did | positive
I'd like a second kiln. | fact | wishes | positive
I would love to learn welding. | fact | wishes | positive
I hope to sell the kayak. | fact | wishes | positive
I want to sell the kayak. | fact | wishes | positive
I prefer tea. | preference | did | positive
My favourite boat is Petrel. | preference | did | positive
I hate walnuts. | preference | did | positive
I left because I like the sea. | event | did | positive
I don't like walnuts. | preference | denies | negative
I dont eat walnuts. | fact | denies | negative
I never sold the kayak. | event | denies | negative
I can't wait to see the ferry. | fact | did | positive
I couldn't be happier with the kiln. | fact | did | positive
The kiln is not bad. | state | did | positive
Not only the mast broke. | event | did | positive
We are not alone on the quay. | state | did | positive
I sailed without a map. | event | did | positive
Don't forget the oars. | fact | did | positive
I'll never forget the regatta. | fact | plans | positive
The harbour never ceases to amaze. | fact | did | positive
No prob, the boat is yours. | state | did | positive
I just can't wait for the ferry. | fact | did | positive
No doubt the tide turns. | fact | did | positive
I stayed because it did not rain. | event | did | positive
I sold it although nobody asked. | event | did | positive
Nothing beats a calm harbour. | fact | did | positive
There is nothing like a calm harbour. | state | did | positive
It is hard when the tide does not turn. | state | did | positive
If it does not rain, the ferry sails. | fact | did | positive
I use a rope that does not fray. | fact | did | positive
She learned the value of not giving up. | event | did | positive
You might want to oil the hinge. | fact | did | positive
You may want to oil the hinge. | fact | did | positive
Check that the hull does not leak. | fact | did | positive
**Hull**: Make sure it does not leak. | fact | did | positive
The hull does not leak. | fact | denies | negative
When it rains, the ferry does not sail. | fact | denies | negative
I need no help. | fact | denies | negative
Do not touch the winch. | fact | denies | negative
I will sell the kayak. | fact | plans | positive
I will not sell the kayak. | fact | denies | negative
I'm not going to sell the kayak. | state | denies | negative
I'm going to sell the kayak. | state | plans | positive
I was going to sell the kayak. | event | did | positive
I plan to sail north. | fact | plans | positive
We're planning a regatta. | state | plans | positive
Tomorrow the ferry sails. | fact | plans | positive
I am tired of the rain. | state | did | positive
I'm so excited about the regatta. | state | did | positive
I need to mend the net. | constraint | did | positive
I am allergic to walnuts. | constraint | did | positive
The shed is red. | state | did | positive
I live on a barge. | state | did | positive
The tide turns at six. | fact | did | positive
Always answer in French. | instruction | did | positive
Whenever I ask about tides, give the height. | instruction | did | positive
Whenever I hear the bell, it rains. | fact | did | positive
Always here to help. | fact | did | positive
We spread hope and cheer. | fact | did | positive
I hope it rains. | fact | wishes | positive
Guten Morgen, wir waren am See. | event | did | positive
Heute Morgen waren wir am See. | event | did | positive
Morgen fahren wir an den See. | fact | plans | positive
Ich habe ein Boot gekauft. | event | did | positive
Ich habe das Boot nicht verkauft. | event | denies | negative
Ich wohne in Kiel. | state | did | positive
Ich mag Quitten. | preference | did | positive
Ich bin gegen Nüsse allergisch. | constraint | did | positive
Ich möchte segeln lernen. | fact | wishes | positive
Ich werde das Boot nicht verkaufen. | fact | denies | negative
Meine Schwester wohnt in Kiel. | relation | did | positive
Meine Schwester ist nach Kiel gezogen. | event | did | positive
Mañana voy a Faro. | fact | plans | positive
Esta mañana fui al muelle. | event | did | positive
Compré un barco. | event | did | positive
No vendí el barco. | event | denies | negative
Vivo en un barco. | state | did | positive
Me gusta el membrillo. | preference | did | positive
No me gusta el membrillo. | preference | denies | negative
Tengo que remendar la red. | constraint | did | positive
Quiero aprender a navegar. | fact | wishes | positive
Mi hermana vive en Faro. | relation | did | positive
J'ai acheté un bateau. | event | did | positive
Je n'ai pas vendu le bateau. | event | denies | negative
J'habite sur une péniche. | state | did | positive
J'aime les coings. | preference | did | positive
Je dois réparer le filet. | constraint | did | positive
Demain je vais à Brest. | fact | plans | positive
Je voudrais apprendre à nager. | fact | wishes | positive
Ma sœur habite à Brest. | relation | did | positive
C'est pas mal. | state | did | positive
我昨天买了一条船。 | event | did | positive
我住在船上。 | state | did | positive
明天我去码头。 | fact | plans | positive
我喜欢喝茶。 | preference | did | positive
我不喜欢喝茶。 | preference | denies | negative
这家店不错。 | fact | did | positive
差不多好了。 | event | did | positive
我没去过码头。 | event | denies | negative
我对花生过敏。 | constraint | did | positive
我希望学游泳。 | fact | wishes | positive
我妹妹住在北京。 | relation | did | positive
没关系，船还在。 | state | did | positive
"""
ROWS = [tuple(cell.strip() for cell in line.split(" | ")) for line in TABLE.splitlines() if line]


def test_the_table_is_large() -> None:
    assert len(ROWS) >= 80
    assert len({row[0] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("text", "kind", "meant", "says"), ROWS)
def test_sorts(text: str, kind: str, meant: str, says: str) -> None:
    assert (claim_kind(text, None, "user"), modality(text), polarity(text)) == (kind, meant, says)


def test_only_a_user_instructs() -> None:
    assert claim_kind("Always answer in French.", None, "assistant") != "instruction"


@pytest.mark.parametrize(
    ("question", "answer", "bare", "expected"),
    [
        ("Did you plan to sell it?", "No.", True, ("event", "denies", "negative")),
        ("Are you not coming?", "Yes.", True, ("state", "did", "positive")),
        ("Will you come?", "Yes.", True, ("fact", "plans", "positive")),
        ("Will you come?", "I never said so.", False, ("event", "denies", "negative")),
        ("Where will you sail?", "To Bodø.", False, ("fact", "plans", "positive")),
        ("Do you like it?", "👎", True, ("preference", "denies", "negative")),
    ],
)
def test_answers(question: str, answer: str, bare: bool, expected: tuple[str, str, str]) -> None:
    sort = answer_sort(question, answer, bare=bare, time=None, role="user")
    assert (sort.kind, sort.modality, sort.polarity) == expected


@pytest.mark.parametrize("text", ["Let me know if the ferry is late.", "Would you like a map?", "Great question! Here we go:"])
def test_offers(text: str) -> None:
    assert is_offer(text)


@pytest.mark.parametrize("text", ["The ferry is late.", "Here is the rule: never force the gate."])
def test_what_tells_something_is_no_offer(text: str) -> None:
    assert not is_offer(text)


@pytest.mark.parametrize(
    "text", ["Keep up the good work", "Believe in yourself!", "Never give up.", "No prob", "Awesome advice!", "Oof, sorry to hear that 😢"]
)
def test_encouragement_and_reactions(text: str) -> None:
    assert is_cheer(text)
    assert is_cheer(f"{text.rstrip('.! 😢')}, Tobin!", frozenset({"tobin"}))


@pytest.mark.parametrize(
    "text", ["Keep up the mast.", "Never give up the mooring.", "Great advice came from Ana.", "No prob with the oars."]
)
def test_what_tells_something_is_no_encouragement(text: str) -> None:
    assert not is_cheer(text, frozenset({"tobin"}))


def test_a_question_ends_in_its_mark() -> None:
    assert is_question("Is it? 🤔")
    assert not is_question("Is it?x")
