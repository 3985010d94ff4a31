"""Claims: what a turn tells, in one sentence each, with the spans that say so."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from memcli.atoms import DraftClaim, Message, Role, SpanRef, Turn
from memcli.language.lexicon import is_phatic
from memcli.write.claims import LONG_ANSWER_SPANS, MAX_CLAIM, write_claims
from memcli.write.classify import is_offer, is_question
from memcli.write.compile import compile_turn
from memcli.write.runs import MAX_CLAIMS

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


@pytest.mark.parametrize(("sign", "polarity"), [("👍", "positive"), ("❤️", "positive"), (":)", "positive"), ("👎", "negative")])
def test_a_sign_is_an_answer_and_nothing_without_a_question(sign: str, polarity: str) -> None:
    claim = only(claims(sign, turn("Shall we sell the kayak?", "Tobin")))
    assert claim.text == f'Mara, asked by Tobin "Shall we sell the kayak?": {sign}'
    assert claim.supports == (SpanRef(0, 0), SpanRef(1, 0))
    assert claim.polarity == polarity
    assert claims(sign) == []
    assert claims(sign, turn("I sold the kayak.", "Tobin")) == []


def test_thanks_for_something_are_no_answer() -> None:
    found = claims("Thanks for asking! In the boathouse.", turn("Where is the kayak?", "Tobin"))
    assert found[-1].supports == (SpanRef(0, 1), SpanRef(1, 0))


@pytest.mark.parametrize("text", ["Thanks, Tob!", "Wow, Tob!", "Cool, thanks Tob! Yay!"])
def test_a_nickname_does_not_make_thanks_an_answer(text: str) -> None:
    assert claims(text, turn("Where is the kayak?", "Tobin")) == []


@pytest.mark.parametrize(
    ("question", "answer", "kind", "modality", "polarity"),
    [
        ("Did you plan to sell the kayak?", "No.", "event", "denies", "negative"),
        ("Are you going to sell the kayak?", "Yes!", "state", "plans", "positive"),
        ("Are you going to sell the kayak?", "Nope", "state", "denies", "negative"),
        ("Do you like quinces?", "Yes!", "preference", "did", "positive"),
        ("Do you like quinces?", "No, never.", "preference", "denies", "negative"),
        ("Why didn't you come?", "A flat tyre.", "fact", "did", "positive"),
        ("Do you like the new kiln?", "I sold it.", "event", "did", "positive"),
        ("When did the choir sing?", "In May 2023.", "event", "did", "positive"),
        ("What would you love to learn?", "Sailing.", "fact", "wishes", "positive"),
        ("¿Vas a vender el kayak?", "No.", "fact", "denies", "negative"),
        ("Hast du das Kajak verkauft?", "Nein.", "event", "denies", "negative"),
        ("你喜欢喝茶吗？", "不。", "preference", "denies", "negative"),
    ],
)
def test_an_answer_is_classified_by_itself_and_a_bare_one_by_its_question(
    question: str, answer: str, kind: str, modality: str, polarity: str
) -> None:
    claim = only(claims(answer, turn(question, "Tobin")))
    assert (claim.kind, claim.modality, claim.polarity) == (kind, modality, polarity)


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
    first, joined = claims("I was at the pier. Look at this heron!\n[image: a heron on a jetty]")
    assert first.text == "Mara was at the pier."
    assert joined.text == "Mara: Look at this heron! (picture: a heron on a jetty)"
    assert joined.supports == (SpanRef(0, 1), SpanRef(0, 2))


def test_a_sentence_that_answers_and_points_gives_one_claim() -> None:
    claim = only(claims("This heron!\n[image: a heron on a jetty]", turn("What did you see at the pier?", "Tobin")))
    assert claim.text == 'Mara, asked by Tobin "What did you see at the pier?": This heron! (picture: a heron on a jetty)'
    assert claim.supports == (SpanRef(0, 0), SpanRef(0, 1), SpanRef(1, 0))


def test_every_picture_is_told_of_once() -> None:
    found = claims("Look at these herons!\n" + "\n".join(f"[image: heron {n}]" for n in range(4)))
    assert sorted(supported(found)) == [0, 1, 2, 3, 4]
    assert sum(claim.text.count("heron 2") for claim in found) == 1


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


@pytest.mark.parametrize(
    "text", ["Keep up the good work, Tobin!", "Never give up.", "No prob", "Awesome advice!", "Oof, sorry to hear that."]
)
def test_encouragement_is_no_claim_unless_it_answers(text: str) -> None:
    assert claims(text) == []
    assert [claim.supports[-1] for claim in claims(text, turn("What does the flag mean?", "Tobin"))] == [SpanRef(1, 0)]
    mixed = claims(f"The flag is for rain and rough water this week. {text}", turn("What does the flag mean?", "Tobin"))
    assert [claim.supports[0] for claim in mixed] == [SpanRef(0, 0)]


def test_how_something_was_answers_a_question_and_is_idle_without_one() -> None:
    assert claims("It was great!") == []
    asked = turn("How did the regatta interview go?", "Tobin")
    assert only(claims("Thanks! It was great!", asked)).supports == (SpanRef(0, 1), SpanRef(1, 0))


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


# Who it is about -----------------------------------------------------------------------------------------------------


def subjects(text: str, *before: Turn) -> list[str | None]:
    return [claim.subject for claim in claims(text, *before)]


def test_what_points_back_is_about_whom_the_sentence_before_is_about() -> None:
    assert subjects("Your boat sank. It was old.") == ["Tobin", "Tobin"]
    assert subjects("My boat sank. It was old.") == ["Mara", "Mara"]
    assert subjects("Your boat sank. The tide turned at six.") == ["Tobin", "Mara"]


def test_a_reaction_is_about_what_the_other_told() -> None:
    told = turn("I rowed to Bodø.", "Tobin")
    assert subjects("Wow, that sounds exhausting!", told) == ["Tobin"]
    assert subjects("That boat looks fast! The race must've been hard!", told) == ["Tobin", "Tobin"]
    assert subjects("That was my boat.", told) == ["Mara"]
    assert subjects("That's an old heron there.", turn("What is that on your desk?", "Tobin")) == ["Mara"]


def test_praise_and_pity_are_about_whom_they_are_said_to() -> None:
    told = turn("I won the regatta.", "Tobin")
    assert subjects("Way to go winning it!", told) == ["Tobin"]
    assert subjects("The quay was loud. Congrats on the cup!", told) == ["Mara", "Tobin"]
    assert subjects("Sorry to hear about the torn sail, but glad to see the smile.", told) == ["Tobin"]
    assert subjects("Congrats to my sister, too!", told) == ["Mara"]


def test_an_echo_or_a_pronoun_that_opens_a_turn_is_about_what_the_other_told() -> None:
    told = turn("We danced by the lighthouse with both of our herons.", "Tobin")
    assert subjects("Wow, a dance by the lighthouse!", told) == ["Tobin"]
    assert subjects("They're adorable.", told) == ["Tobin"]
    assert subjects("They're adorable.", turn("How are the herons?", "Tobin")) == ["Mara"]
    assert subjects("Nice to hear of your dance! Must be great fun on the rocks.", told) == ["Tobin", "Tobin"]


@pytest.mark.parametrize("text", ["Hey Odile!", "Hello there, Odile.", "hi Odile"])
def test_a_greeting_is_no_claim_though_who_is_greeted_has_not_spoken(text: str) -> None:
    assert claims(text) == []


def test_a_heading_that_a_full_turn_leaves_at_the_end_of_a_claim_is_not_told_there() -> None:
    said = "The keeper oils the gate of the pier at dusk. Nobody forces it. The lamp is lit."
    text = "\n\n".join(f"## Pier {n}\n\n{said}\n\n### Log {n}\n\nThe tide turns." for n in range(24))
    found = claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))
    spans = turn(text, "assistant", "assistant", people=("user", "assistant")).spans
    assert sorted(set(supported(found))) == list(range(len(spans)))
    assert not [claim.text for claim in found if re.search(r"(?:Pier|Log) \d+$", claim.text)]


@pytest.mark.parametrize("title", ["Conclusion:", "### Step-by-Step Plan", "**Additional Tips:**", "## Explanation", "### 4. Summary"])
def test_an_empty_heading_leads_no_claim_and_nothing_else_is_lost(title: str) -> None:
    said = "The keeper oils the gate at dusk. Nobody forces it. The lamp is lit. It rusts."
    text = "\n\n".join(f"{title}\n\n{said}" for _ in range(6))
    spans = turn(text, "assistant", "assistant", people=("user", "assistant")).spans
    found = claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))
    assert all(re.match(r"(?:The|Nobody|It) ", claim.text) for claim in found)
    assert sorted(supported(found)) == [i for i, span in enumerate(spans) if re.match(r"(?:The|Nobody|It) ", span.text)]


def test_an_empty_label_leads_no_claim() -> None:
    text = "\n\n".join(["**Explanation:** The gate rusts at sea.", "**Gate 7:** It is oiled at dusk."] * 8)
    texts = [claim.text for claim in claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))]
    assert not any("Explanation" in told for told in texts)
    assert any("**Gate 7:** It is oiled" in told for told in texts)


@pytest.mark.parametrize("title", ["## Pier {n}", "**Pier {n}**", "Conclusion:"])
@pytest.mark.parametrize("lines", [1, 2, 4, 5])
def test_no_run_crosses_a_heading(title: str, lines: int) -> None:
    text = "\n\n".join(title.format(n=n) + "\n\n" + " ".join(f"Gate {k} of pier {n} rusts." for k in range(lines)) for n in range(30))
    for claim in claims(text, speaker="assistant", role="assistant", people=("user", "assistant")):
        assert len(set(re.findall(r"of pier (\d+)", claim.text))) <= 1, claim.text


def test_a_bold_label_keeps_its_colon() -> None:
    text = "\n\n".join(f"**Pier {n}:**\n\n*Oil* the gate at dusk.\n\nNobody forces it." for n in range(6))
    found = claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))
    assert all(re.match(r"\*\*Pier \d:\*\* \*Oil\*", claim.text) for claim in found if "Pier" in claim.text)


def test_a_question_and_advice_are_about_whom_they_are_put_to() -> None:
    assert subjects("Any news of the regatta?") == ["Tobin"]
    assert subjects("Take the early ferry.") == ["Tobin"]
    assert subjects("Look at what is left.") == ["Tobin"]


@pytest.mark.parametrize(
    "text",
    [
        "Dance practice has been great fun in the boathouse.",
        "Work on the pier went slowly.",
        "Totally agree about the regatta.",
        "Just want to say the regatta was loud.",
        "Highly recommend the early ferry.",
        "Taking your advice, I sold the kayak.",
    ],
)
def test_a_noun_or_an_elided_i_is_no_order(text: str) -> None:
    assert subjects(text) == ["Mara"]


def test_what_an_assistant_says_of_the_user_is_about_the_user() -> None:
    people = ("user", "assistant")
    said = "Your budget is 500 euros. The tide turns at six. Book the early ferry."
    found = claims(said, turn("Plan my trip.", "user", people=people), speaker="assistant", role="assistant", people=people)
    assert [claim.subject for claim in found] == ["The user", None, None]


# Times ---------------------------------------------------------------------------------------------------------------


def test_a_relative_date_gets_its_date_in_brackets() -> None:
    claim = only(claims("I repaired the mast yesterday."))
    assert claim.text == "Mara repaired the mast yesterday (7 May 2024)."
    assert claim.time is not None
    assert (claim.time.start, claim.time.end, claim.time.granularity) == ("2024-05-07T00:00:00", "2024-05-08T00:00:00", "day")


def test_a_date_does_not_part_an_expression_from_its_ending() -> None:
    assert only(claims("I saw yesterday's regatta.")).text == "Mara saw yesterday's (7 May 2024) regatta."


def test_an_absolute_date_is_left_as_it_is() -> None:
    assert only(claims("I repaired the mast on 3 June 2021.")).text == "Mara repaired the mast on 3 June 2021."


def test_each_of_two_like_expressions_gets_its_own_date() -> None:
    text = "Mara ran yesterday (7 May 2024) and swam yesterday (7 May 2024)."
    assert only(claims("I ran yesterday and swam yesterday.")).text == text


def test_a_date_stands_behind_its_own_expression() -> None:
    assert only(claims("The yesterdays of the harbour were better than yesterday.")).text.endswith("better than yesterday (7 May 2024).")


# Budgets -------------------------------------------------------------------------------------------------------------


def idle(found: Turn) -> set[int]:
    """Spans that no claim need lean on."""
    return {i for i, span in enumerate(found.spans) if span.kind == "sentence" and (is_offer(span.text) or is_phatic(span.text))}


def supported(found: list[DraftClaim]) -> list[int]:
    return [ref.index for claim in found for ref in claim.supports if ref.back == 0]


def test_a_long_answer_of_an_assistant_gives_few_claims_of_few_spans() -> None:
    text = "\n\n".join(
        f"Step {n} oils hinge {n} of the {n}th gate. Then gate {n} swings. Nobody should force it. Wait for tide {n}." for n in range(60)
    )
    found = claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))
    assert len(found) <= 240 / 3
    assert all(1 <= len(claim.supports) <= 3 for claim in found)
    assert all(claim.supports[0].index < claim.supports[-1].index for claim in found if len(claim.supports) > 1)
    assert sorted(supported(found)) == list(range(240))


@pytest.mark.parametrize("sentences", [11, 18, 19, 26, 30, 31, 60, 100])
def test_no_sentence_of_a_long_message_is_lost(sentences: int) -> None:
    found = claims(" ".join(f"I mended net {n}." for n in range(sentences)))
    assert sorted(supported(found)) == list(range(sentences))
    assert all(1 <= len(claim.supports) <= 3 for claim in found)
    assert len(found) <= max(MAX_CLAIMS, -(-sentences // 3))
    if sentences <= MAX_CLAIMS:
        assert len(found) == sentences


LONG_ANSWER = (
    "Here is how the harbour's booking service can be moved to the new queue.\n\n"
    + "\n\n".join(
        f"## Part {n}\n\nThe worker for berth {n} reads its tasks from the table of tides, and it writes what it did to the log. "
        f"A task that fails is tried again after {n} minutes. We use version 2.{n}.1 of the client. "
        f"TideError {n} means that the table is empty. Here is the script:\n\n"
        f"```python\ndef work_{n}(tide):\n" + "".join(f"    step_{n}_{k}(tide, berth={k})\n" for k in range(6)) + "```\n\n"
        "- check the mooring lines before the ebb sets in\n- tell the harbour master which berths are free\n"
        "Nobody has to be there while it runs, since the worker keeps its own records of what came and went."
        for n in range(20)
    )
    + "\n\nLet me know if the ferry is late."
)


def test_a_long_answer_with_code_loses_nothing_and_joins_code_with_what_introduces_it() -> None:
    assert len(LONG_ANSWER.split()) > 2000
    answer = turn(LONG_ANSWER, "assistant", "assistant", people=("user", "assistant"))
    found = write_claims(answer, (), ("user", "assistant"))
    assert set(range(len(answer.spans))) - idle(answer) <= set(supported(found))
    assert len(found) <= 1 + 20 * -(-(len(answer.spans) // 20) // 3)  # one for every three spans of each section
    assert all(1 <= len(claim.supports) <= 3 for claim in found)
    code = [claim for claim in found if "```" in claim.text]
    assert len(code) == 20
    assert sum("Here is the script:" in claim.text for claim in code) >= 12  # as many as the budget of one claim for three spans allows


@pytest.mark.parametrize("sections", [3, 6, 8])
@pytest.mark.parametrize("title", ["## Pier {n}", "### {n}. Pier", "**Pier {n}**", "Pier {n}", "Pier {n}:"])
@pytest.mark.parametrize("lines", [2, 3, 4])
def test_a_heading_begins_a_claim_and_never_ends_one(title: str, sections: int, lines: int) -> None:
    said = " ".join(["The gate of this pier is oiled at dusk.", "Nobody forces it.", "The keeper waits for the tide.", "It rusts."][:lines])
    text = "\n\n".join(f"{title.format(n=n)}\n\n{said}" for n in range(sections))
    answer = turn(text, "assistant", "assistant", people=("user", "assistant"))
    if len(answer.spans) < LONG_ANSWER_SPANS:
        pytest.skip("a short turn is not taken in runs")
    for claim in write_claims(answer, (), ("user", "assistant")):
        texts = [answer.spans[ref.index].text for ref in claim.supports]
        assert re.match(r"(?:The|Nobody|It) ", texts[-1]), texts
        assert not any("Pier" in right and re.match(r"(?:The|Nobody|It) ", left) for left, right in pairwise(texts)), texts


def test_versions_errors_and_decisions_of_a_long_answer_stand_alone_while_there_is_room() -> None:
    text = "The lamp room is dry. The stair is wet. We decided on copper. It lasts. LampError 7 is gone. " + "The tide came in again. " * 8
    texts = [claim.text for claim in claims(text, speaker="assistant", role="assistant", people=("user", "assistant"))]
    assert "We decided on copper." in texts
    assert "LampError 7 is gone." in texts


def test_code_is_joined_with_the_sentence_that_introduces_it() -> None:
    claim = only(claims("My script prints the tides:\n```\nprint(tide)\n```"))
    assert claim.text == "Mara's script prints the tides:\n```\nprint(tide)\n```"
    assert claim.supports == (SpanRef(0, 0), SpanRef(0, 1))


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


# Reactions and advice -------------------------------------------------------------------------------------------------


def test_a_reaction_is_no_answer_where_one_follows() -> None:
    found = claims("That mast looks amazing! In the boathouse.", turn("Here is the mast. Where do you keep the kayak?", "Tobin"))
    assert [(claim.text, claim.subject) for claim in found] == [
        ("Mara: That mast looks amazing!", "Tobin"),
        ('Mara, asked by Tobin "Where do you keep the kayak?": In the boathouse.', "Mara"),
    ]


@pytest.mark.parametrize("thanks", ["Appreciate your kind words.", "Really appreciate it, truly kind!", "Your words really mean a lot."])
def test_thanks_answer_nothing(thanks: str) -> None:
    for claim in claims(thanks, turn("The boat is new. Where do you keep the kayak?", "Tobin")):
        assert "asked by" not in claim.text


def test_an_assistants_run_of_orders_is_about_nobody_whatever_its_reasons_say() -> None:
    people = ("user", "assistant")
    advice = "Oil the winch. Coil your ropes neatly. That way your crew can sail at dawn. " + "The tide turns at six. " * 12
    told = "Your boat is old. You own two anchors. " + "The tide turns at six. " * 12
    for text, subject in ((advice, None), (told, "The user")):
        found = write_claims(turn(text, "assistant", "assistant", people=people), (), people)
        assert found[0].subject == subject, found[0]
