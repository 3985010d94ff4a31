"""Claims: what a turn tells, in one sentence each, with the spans that say so."""

from __future__ import annotations

import pytest

from memcli.atoms import DraftClaim, Message, Role, SpanRef, Turn
from memcli.write.claims import MAX_CLAIM, MAX_CLAIMS, MAX_CLAIMS_LONG, write_claims
from memcli.write.classify import is_question
from memcli.write.compile import compile_turn

PEOPLE = ("Mara", "Tobin")


def turn(text: str, speaker: str = "Mara", role: Role = "user", session: str | None = None, people: tuple[str, ...] = PEOPLE) -> Turn:
    return compile_turn(Message("quay", "1", speaker, role, text, "2024-05-08T10:00:00", session), people)


def claims(text: str, *before: Turn, speaker: str = "Mara", role: Role = "user", people: tuple[str, ...] = PEOPLE) -> list[DraftClaim]:
    return write_claims(turn(text, speaker, role, people=people), before, people)


def only(found: list[DraftClaim]) -> DraftClaim:
    assert len(found) == 1, found
    return found[0]


# Answers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do you keep the kayak?", "In the boathouse."),
        ("Did you sell the kayak?", "Yes!"),
        ("Did you sell the kayak?", "No."),
        ("How many oars are left?", "Three"),
        ("¿Vendiste el kayak?", "Sí."),
        ("你把船放在哪里？", "仓库里。"),
        ("When did the choir sing?", "In May."),
        ("When did the choir sing?", "In May 2023."),
        ("Which language is the tide table in?", "C++"),
    ],
)
def test_a_short_answer_is_joined_with_its_question(question: str, answer: str) -> None:
    claim = only(claims(answer, turn(f"Lovely day. {question}", "Tobin")))
    assert claim.text.startswith(f'Mara, asked by Tobin "{question}": {answer.strip(".")}')
    assert claim.supports == (SpanRef(0, 0), SpanRef(1, 1))
    assert claim.subject == "Mara"
    assert claim.modality != "asks"


def test_a_long_answer_stands_on_its_own() -> None:
    claim = only(claims("I keep it behind the boathouse next to the old mill.", turn("Where is the kayak?", "Tobin")))
    assert claim.supports == (SpanRef(0, 0),)
    assert claim.text == "Mara keeps it behind the boathouse next to the old mill."


def test_only_the_first_sentence_answers() -> None:
    found = claims("In the boathouse. Bring a lamp.", turn("Where is the kayak?", "Tobin"))
    assert [c.supports for c in found] == [(SpanRef(0, 0), SpanRef(1, 0)), (SpanRef(0, 1),)]


@pytest.mark.parametrize("text", ["Thanks!", "Thanks, Tobin!"])
def test_thanks_are_no_answer(text: str) -> None:
    assert claims(text, turn("Where is the kayak?", "Tobin")) == []


def test_a_name_is_an_answer() -> None:
    assert only(claims("Tobin.", turn("Who sold the kayak?", "Tobin"))).supports == (SpanRef(0, 0), SpanRef(1, 0))


def test_a_long_answer_without_spaces_is_long() -> None:
    assert only(claims("我把它放在老磨坊旁边的船库后面。", turn("你把船放在哪里？", "Tobin"))).supports == (SpanRef(0, 0),)


def test_one_does_not_answer_oneself_nor_across_sessions() -> None:
    assert only(claims("In the boathouse.", turn("Where is the kayak?", "Mara"))).supports == (SpanRef(0, 0),)
    assert only(claims("In the boathouse.", turn("Where is the kayak?", "Tobin", session="s0"))).supports == (SpanRef(0, 0),)


def test_a_very_long_question_is_cited_but_not_quoted() -> None:
    question = "Where " + "and where " * 40 + "is it?"
    claim = only(claims("In the boathouse.", turn(question, "Tobin")))
    assert claim.text == "Mara, asked by Tobin: In the boathouse."
    assert len(claim.supports) == 2


# Pictures ------------------------------------------------------------------------------------------------------------


def test_a_picture_is_joined_with_the_words_that_point_to_it() -> None:
    found = claims("I was at the pier. Look at this heron!\n[image: a heron on a jetty]")
    joined = found[-1]
    assert joined.text == "Mara: Look at this heron! (picture: a heron on a jetty)"
    assert joined.supports == (SpanRef(0, 1), SpanRef(0, 2))


def test_a_picture_alone_was_shared() -> None:
    claim = only(claims("[image: a heron on a jetty]"))
    assert (claim.text, claim.subject, claim.supports) == ("Mara shared a picture: a heron on a jetty", "Mara", (SpanRef(0, 0),))


def test_a_picture_without_a_caption_says_nothing() -> None:
    assert claims("[image]") == []


# What is no claim ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Hi!",
        "Thanks so much, that's great!",
        "Wow, congrats 🎉",
        "Good morning, how are you doing today!",
        "¡Hola!",
        "谢谢！",
        "ok",
        "---",
        "Thanks, Tobin!",
        "Hi Tobin, how are you?",
    ],
)
def test_a_phatic_turn_gives_no_claim(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize("text", ["It was in May.", "It was on 3 June."])
def test_a_turn_that_says_when_is_not_phatic(text: str) -> None:
    assert only(claims(text)).time is not None


@pytest.mark.parametrize("role", ["system", "tool"])
def test_machinery_tells_nothing(role: Role) -> None:
    assert claims("The harbour opens at nine.", speaker=role, role=role) == []


@pytest.mark.parametrize("text", ["Would you like me to draw a map?", "Let me know if the ferry is late.", "Here is a list of boats:"])
def test_what_an_assistant_offers_is_no_claim(text: str) -> None:
    assert claims(text, speaker="assistant", role="assistant", people=("user", "assistant")) == []


# What kind of claim --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "modality", "polarity"),
    [
        ("I sold the kayak.", "did", "positive"),
        ("I'm going to sell the kayak.", "plans", "positive"),
        ("I'll sell the kayak.", "plans", "positive"),
        ("I hope to sell the kayak.", "wishes", "positive"),
        ("I never sold the kayak.", "denies", "negative"),
        ("I didn't sell the kayak.", "denies", "negative"),
        ("I didn’t sell the kayak.", "denies", "negative"),
        ("I won't sell the kayak.", "denies", "negative"),
        ("Did Tobin sell the kayak?", "asks", "positive"),
        ("Who bought the kayak? 🤔", "asks", "positive"),
        ("你买了船吗？", "asks", "positive"),
        ("Nunca vendí el kayak.", "denies", "negative"),
        ("Ich habe das Kajak nicht verkauft.", "denies", "negative"),
    ],
)
def test_modality_and_polarity(text: str, modality: str, polarity: str) -> None:
    claim = only(claims(text))
    assert (claim.modality, claim.polarity) == (modality, polarity)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Always answer in French.", "instruction"),
        ("From now on, call the boat Petrel.", "instruction"),
        ("I love quinces.", "preference"),
        ("I am allergic to walnuts.", "constraint"),
        ("My sister lives in Porto.", "relation"),
        ("I painted the boathouse.", "event"),
        ("I live on a barge.", "state"),
        ("The tide turns at six.", "fact"),
    ],
)
def test_kind(text: str, kind: str) -> None:
    assert only(claims(text)).kind == kind


def test_other_languages_keep_their_words_behind_the_name() -> None:
    for text in ("Ich wohne auf einem Hausboot.", "Vivo en un barco.", "我住在船上。", "Я живу на барже."):
        assert only(claims(text)).text == f"Mara: {text}"


# Times ---------------------------------------------------------------------------------------------------------------


def test_a_relative_date_gets_its_date_in_brackets() -> None:
    claim = only(claims("I repaired the mast yesterday."))
    assert claim.text == "Mara repaired the mast yesterday (7 May 2024)."
    assert claim.time is not None
    assert (claim.time.start, claim.time.end, claim.time.granularity) == ("2024-05-07T00:00:00", "2024-05-08T00:00:00", "day")


def test_an_absolute_date_is_left_as_it_is() -> None:
    assert only(claims("I repaired the mast on 3 June 2021.")).text == "Mara repaired the mast on 3 June 2021."


def test_each_of_two_like_expressions_gets_its_own_date() -> None:
    text = "Mara ran yesterday (7 May 2024) and swam yesterday (7 May 2024)."
    assert only(claims("I ran yesterday and swam yesterday.")).text == text


def test_a_date_stands_behind_its_own_expression() -> None:
    assert only(claims("The yesterdays of the harbour were better than yesterday.")).text.endswith("better than yesterday (7 May 2024).")


# Budgets -------------------------------------------------------------------------------------------------------------


def test_a_long_answer_of_an_assistant_gives_few_claims_of_few_spans() -> None:
    text = "\n\n".join(
        f"Step {n} oils hinge {n} of the {n}th gate. Then gate {n} swings. Nobody should force it. Wait for tide {n}." for n in range(60)
    )
    found = claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))
    assert len(found) == MAX_CLAIMS_LONG == 18
    assert all(1 <= len(claim.supports) <= 3 for claim in found)
    assert all(claim.supports[0].index < claim.supports[-1].index for claim in found if len(claim.supports) > 1)
    used = [ref for claim in found for ref in claim.supports]
    assert len(used) == len(set(used))


def test_a_long_turn_of_a_person_gives_a_bounded_number_of_claims() -> None:
    assert len(claims(" ".join(f"I mended net {n}." for n in range(11)))) == 11
    assert len(claims(" ".join(f"I mended net {n}." for n in range(100)))) == MAX_CLAIMS_LONG
    assert MAX_CLAIMS < MAX_CLAIMS_LONG


def test_a_very_long_sentence_is_cut_in_the_claim_but_not_in_its_span() -> None:
    claim = only(claims("I mended the net and " + "the other net and " * 60 + "slept."))
    assert len(claim.text) <= MAX_CLAIM
    assert claim.text.endswith("…")


def test_code_is_never_put_into_the_third_person() -> None:
    found = claims("```\nI = my[me]\n```")
    assert only(found).text == "```\nI = my[me]\n```"


# Keywords and questions ----------------------------------------------------------------------------------------------


def test_keywords_are_what_it_is_about_without_the_people() -> None:
    keywords = only(claims("Tobin and I restored the brass telescope near Bodø.")).keywords
    assert 1 <= len(keywords) <= 5
    assert any("telescope" in keyword for keyword in keywords)
    assert not any("tobin" in keyword or "mara" in keyword for keyword in keywords)


@pytest.mark.parametrize(
    ("text", "asks"),
    [("Really?", True), ("Really? 😂", True), ('He said "why?"', True), ("真的吗？", True), ("Why? Because.", False), ("a?b", False)],
)
def test_questions_are_known_by_their_end(text: str, asks: bool) -> None:
    assert is_question(text) is asks
