"""Search by words: preparation is the same on both sides, so that whatever was said is found by saying it again."""

from __future__ import annotations

from collections import Counter

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.store.connection import connect
from memcli.store.search import TOKENIZER, delete_views, insert_views, postings, search_terms, search_text, tokenize

VIEWS = ("span", "claim", "referent", "time_cue", "pivot", "keyword")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> apsw.Connection:
    """A memory whose indexes are empty; a test takes its rows out again."""
    return connect(tmp_path_factory.mktemp("search") / "index.memdb")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Straße", "STRASSE"),
        ("crème brûlée", "creme brulee"),
        ("ＫＹＯＴＯ", "kyoto"),
        ("ﬁne", "fine"),
        ("telescopes", "telescope"),
        ("running", "runs"),
        ("C++", "c++"),
        ("F#", "f#"),
        ("don’t", "don't"),
        ("state-of-the-art", "state of the art"),
        ("e\u0301te\u0301", "été"),
        ("İstanbul", "istanbul"),
        ("カタカナ", "カタカナ"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("①", "1"),
        ("50%", "50 %"),
    ],
)
def test_forms_of_one_word_are_one_term(said: str, asked: str) -> None:
    assert set(search_terms(asked)) <= set(tokenize(said))
    assert search_terms(asked)


@pytest.mark.parametrize(("one", "other"), [("C++", "C"), ("C#", "C"), ("C++", "C#"), ("🫖", "🥝"), ("1.0.21", "1.0.22"), ("猫", "犬")])
def test_what_differs_stays_apart(one: str, other: str) -> None:
    assert set(search_terms(one)) != set(search_terms(other))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("期中报告", ["期中", "中报", "报告"]),
        ("猫", ["猫"]),
        ("買ったC++本", ["買っ", "った", "cplusplu", "本"]),
        ("我用C#写的", ["我用", "csharp", "写的"]),
        ("전시회", ["전시", "시회"]),
        ("tea 🫖 pot", ["tea", "🫖", "pot"]),
        ("🫖🥝", ["🫖", "🥝"]),
        ("to be or to be", ["to", "be", "or"]),
        ("?!…", []),
        ("", []),
    ],
)
def test_terms_of_a_query(text: str, terms: list[str]) -> None:
    assert search_terms(text) == terms


def test_a_query_has_no_more_terms_than_its_limit() -> None:
    assert len(search_terms(" ".join(f"w{n}x" for n in range(1000)))) == 256
    assert len(search_terms("a1 b2 c3", limit=2)) == 2


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\0", "a\0b", "\ufffe"])
def test_what_cannot_be_encoded_is_no_error(text: str) -> None:
    assert isinstance(search_terms(text), list)
    assert isinstance(tokenize(text), list)


def test_the_schema_names_the_tokenizer_that_terms_are_made_with(index: apsw.Connection) -> None:
    wanted = " ".join([TOKENIZER[0], *(f"'{word}'" if " " in word else word for word in TOKENIZER[1])])
    for view in VIEWS:
        assert wanted in index.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (f"{view}_views",)).get


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.lists(st.sampled_from(["C++", "報告書", "kayak", "don't", "🫖", "1.0.21", "ÅLESUND", "มะม่วง", "부산에서", "a\0b"])).map(" ".join),
)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_postings_are_the_tokens_counted(index: apsw.Connection, text: str) -> None:
    insert_views(index, "span", [(7, text), (9, "kayak C++")])
    try:
        for token, count in Counter(tokenize(text)).items():
            assert dict(postings(index, "span", token))[7] == count
    finally:
        delete_views(index, "span", [7, 9])
    assert not postings(index, "span", "kayak")


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_a_text_is_found_by_its_own_terms(index: apsw.Connection, text: str) -> None:
    terms = search_terms(text)
    insert_views(index, "claim", [(3, text), (4, "something else")])
    try:
        assert set(terms) <= set(tokenize(text))
        assert all(3 in dict(postings(index, "claim", term)) for term in terms)
    finally:
        delete_views(index, "claim", [3, 4])


def test_every_adjacent_pair_of_a_run_is_a_token() -> None:
    run = "我们的期中报告"
    assert {run[i : i + 2] for i in range(len(run) - 1)} <= set(tokenize(f"so {run}, ok"))
    assert set(run) <= set(tokenize(run))


def test_search_text_leaves_plain_words_alone() -> None:
    assert search_text("plain words") == "plain words"
