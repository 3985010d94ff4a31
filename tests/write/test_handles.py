"""Handles: the exact mentions of concrete things, and what is none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.atoms import Message, Span, SpanKind
from memcli.write.compile import compile_turn
from memcli.write.handles import find_handles, find_message_handles, name_words
from memcli.write.spans import cut_spans


def handles(text: str, *people: str, kind: SpanKind = "sentence") -> list[tuple[str, str]]:
    return [(h.text, h.kind) for h in find_handles(Span(0, len(text), text, kind), people)]


def message_handles(text: str, *people: str, familiar: frozenset[str] = frozenset()) -> list[str]:
    found = find_message_handles(tuple(cut_spans(text)), people, familiar)
    return [handle.text for handles in found for handle in handles]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Ada Quill in Tromsø.", [("Ada Quill", "name"), ("Tromsø", "name")]),
        ("Lovely weather in the harbour.", []),
        ("See https://ferns.example/a?b=1.", [("https://ferns.example/a?b=1", "url")]),
        ("Write to otter@ferns.example about it.", [("otter@ferns.example", "url")]),
        ("It is in src/tide/model.py somewhere.", [("src/tide/model.py", "file")]),
        ("The reply was in reply.json() I think.", []),
        ("We run it on Frobnik.js now.", [("Frobnik.js", "name")]),
        ("It died with a TimeoutError.", [("TimeoutError", "error")]),
        ("It died with ECONNREFUSED.", [("ECONNREFUSED", "error")]),
        ("That was EVERYTHING to me.", []),
        ("Boilerware 1.0.21 is broken.", [("Boilerware 1.0.21", "version")]),
        ("It needs version v3 or 2.4.1.", [("v3", "version"), ("2.4.1", "version")]),
        ("Ask @nasa_images about it.", [("@nasa_images", "person")]),
        ("She read “The Salt Path” twice.", [("The Salt Path", "quoted")]),
        ("He told me “come home soon” and left.", []),
        ('a game called "moss garden"', [("moss garden", "quoted")]),
        ("We leave on Tuesday in March.", []),
        ("I think I'm late.", []),
        ("Birgit's garage is full.", [("Birgit", "person")]),
        ("he saw birgit", []),
        ("A quote by J.R. Fennick please.", [("J.R. Fennick", "name")]),
        ("It is near St. Ondra and the Lake Quern.", [("St. Ondra", "name"), ("Lake Quern", "name")]),
        ("The Friends' Meeting House burnt down.", [("Friends' Meeting House", "name")]),
        ("I like Lord of the Newts and Birgit.", [("Lord of the Newts", "name"), ("Birgit", "person")]),
        ("Call `login_user` before `div`.", [("login_user", "code")]),
        ("Set refresh_token and MAX_TIDES there.", [("refresh_token", "code"), ("MAX_TIDES", "code")]),
        ("Closer to the user than before.", []),
        ("My NAN moved to the UK with her TV at 9 PM.", [("NAN", "name"), ("UK", "name")]),
        ("THIS IS SO UNFAIR TO ZORBA!", []),
        ("I took a Swedish class.", []),
        ("Wow, Birgit, that is great!", [("Birgit", "person")]),
        ("**Ensure Stability**: Check the beams near Quernford.", [("Quernford", "name")]),
        ("Common Mistakes in Boat Building", []),
        ("Frobnik Configuration and Setup with GitLedger", [("GitLedger", "name")]),
        (r"Let \( Area = AB \) and \frac{Total}{Ace} hold.", []),
        ("| Get Users | GET | None |", []),
    ],
)
def test_handles(text: str, expected: list[tuple[str, str]]) -> None:
    assert handles(text, "Birgit", "user") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I sold my first screenplay.", [("first screenplay", "stage")]),
        ("The second script and the 3rd horror novel.", [("second script", "stage"), ("3rd horror novel", "stage")]),
        ("I liked the new one.", [("new one", "stage")]),
        ("Read Chapter 3 of it.", [("Chapter 3", "stage")]),
        ("She has a new day job.", [("new day job", "stage")]),
        ("any new book shelves, the first time, next week, a new idea", []),
        ("new films bore me", []),
        ("My mom and my little sister Ana left.", [("My mom", "kin"), ("my little sister Ana", "kin")]),
        ("Birgit's cousin Ada Quill left.", [("Birgit's cousin Ada Quill", "kin")]),
        ("My friend Ulla and my friend left.", [("My friend Ulla", "kin")]),
        ("I called Mom.", [("Mom", "kin")]),
        ("The mother of all storms.", []),
    ],
)
def test_stages_and_kin(text: str, expected: list[tuple[str, str]]) -> None:
    assert handles(text, "Birgit") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Haus am See gehört der Tante.", []),
        ("Frau Quandt hat das Auto verkauft und meine Schwester Ulla auch.", [("Frau Quandt", "name"), ("meine Schwester Ulla", "kin")]),
        ("Mi hermana Inés vive en Cádiz.", [("Mi hermana Inés", "kin"), ("Cádiz", "name")]),
        ("Ma mère aime la Bretagne.", [("Ma mère", "kin"), ("Bretagne", "name")]),
        ("我妈妈喜欢《红楼梦》。", [("我妈妈", "kin"), ("红楼梦", "quoted")]),
        ("昨天李雷说他很忙。", [("李雷", "person")]),
    ],
)
def test_other_languages(text: str, expected: list[tuple[str, str]]) -> None:
    assert handles(text, "李雷") == expected


def test_a_sentence_may_begin_with_a_name_that_the_message_or_the_conversation_knows() -> None:
    assert message_handles("Tilly sleeps.") == []
    assert message_handles("I named her Tilly. Tilly sleeps.") == ["Tilly", "Tilly"]
    assert message_handles("Tilly sleeps.", familiar=frozenset(["Tilly"])) == ["Tilly"]


def test_a_word_that_the_message_has_in_lower_case_is_no_name() -> None:
    assert message_handles("Gravel is cheap. We bought gravel. A heap of Gravel.") == []


def test_what_is_learnt_are_the_words_of_names() -> None:
    text = "I met Ada Quill and my cousin Inga at https://moss.example."
    assert name_words(find_handles(Span(0, len(text), text), ())) == {"Ada", "Quill", "Inga"}


def test_code_gives_addresses_files_and_errors_only() -> None:
    assert handles("Ada = open('notes.txt')  # Quill Harbour", "Ada", kind="code") == [("notes.txt", "file")]


def test_a_caption_gives_no_capitalised_words() -> None:
    assert handles("[image: A Boat At Sea with Birgit]", "Birgit", kind="image") == [("Birgit", "person")]


ALPHABET = "Ada Quill's my sister first script one @x 1.0.2 v3 “” \"*`_é王我妈🫖.py/:https:// \\()$\n"


PIECES = [*ALPHABET, "my ", "second ", "novel", "Ada ", "'s ", "**", "ERR_X ", "Chapter 3 "]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(0, 9))
def test_every_handle_is_a_slice_and_none_overlap(pieces: list[str], start: int) -> None:
    text = "".join(pieces)
    position = start
    for handle in find_handles(Span(start, start + len(text), text), ("Ada", "a+b", "é")):
        assert handle.text == text[handle.offset - start :][: len(handle.text)] != ""
        assert handle.offset >= position
        position = handle.offset + len(handle.text)


@given(st.text(max_size=200))
def test_any_text_can_be_read_and_reads_the_same_twice(text: str) -> None:
    message = Message("c", "1", "Ada", "user", text)
    assert compile_turn(message, ("Ada", "")).handles == compile_turn(message, ("Ada", "")).handles


@pytest.mark.parametrize("piece", ["A_BCD ", "a.py ", "1.2.3.", "aA", "`x_y` ", "a/", "Ab", "\\("])
def test_a_long_line_costs_in_proportion(piece: str) -> None:
    code = piece * (60_000 // len(piece))
    started = time.process_time()
    find_handles(Span(0, len(code), code, "code"), ("Ada",))
    find_handles(Span(0, 1200, code[:1200]), ("Ada",))
    assert time.process_time() - started < 1


def test_a_sentence_costs_microseconds() -> None:
    text = "Yesterday we took Ada Quill's old boat from Tromsø to the second harbour, and my cousin Inga read “The Salt Path” aloud."
    span = Span(0, len(text), text)
    best = min(_seconds(span) for _ in range(5))
    assert best < 400e-6, "forty microseconds on an idle machine for a common sentence; this one is long and the machine may be busy"


def _seconds(span: Span) -> float:
    started = time.process_time()
    for _ in range(50):
        find_handles(span, ("Birgit", "Ada"))
    return (time.process_time() - started) / 50
