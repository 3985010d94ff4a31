"""Keywords: noun phrases in one canonical form, none where nothing is said, never a sentence."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.language.singular import singular
from memcli.language.unspaced import is_unspaced
from memcli.language.word_classes import word_class
from memcli.write.keywords import MAX_KEYWORDS, MAX_NAME_WORDS, find_keywords


def keywords(text: str, *people: str) -> set[str]:
    return set(find_keywords(text, frozenset(people)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The brass telescopes of the harbour museum", {"brass telescope", "harbour museum"}),
        ("I finally bought two brass telescopes!", {"brass telescope"}),
        ("The kiln and the potter's wheel were really expensive.", {"kiln", "potter", "wheel"}),
        ("She wants to restore an old wooden ferry near the lighthouse.", {"wooden ferry", "lighthouse"}),
        ("We use rate limiting and lazy loading.", {"rate limiting", "lazy loading"}),
        ("It helps me plan the harvest.", {"harvest"}),
        ("The harvest plan was approved by the council.", {"harvest plan", "council"}),
        ("That ferry sounds great!", {"ferry"}),
        ("Our goats play outside.", {"goat"}),
        ("I'm learning to play the violin.", {"violin"}),
        ("Configure the firewall and restart the router.", {"firewall", "router"}),
        ("I got my master's degree in marine biology.", {"master's degree", "marine biology"}),
        ("The children's boots, three buses and the bus tickets", {"children's boot", "bus ticket"}),
        ("It must've been the tide, they'd think.", {"tide"}),
        (r"The radius is \frac{1}{2} of the square.", {"radius", "square"}),
        ("Use Tidewatch to plot the currents.", {"tidewatch", "current"}),
        ("We were so vivid and passionate.", set()),
        ("A lot of things, a few photos, the best way", set()),
        ("The quickest ferries are the oldest.", {"ferry"}),
    ],
)
def test_noun_phrases_of_english(text: str, expected: set[str]) -> None:
    assert keywords(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We watched The Salt Path at the Odeon.", "salt path"),
        ("He flew to Los Gatos for the race.", "los gatos"),
        ("They ate at Luigi's Pizza.", "luigi's pizza"),
        ("We deploy with Tide Runner every day.", "tide runner"),
    ],
)
def test_names_of_several_words_stay_whole_and_keep_their_form(text: str, name: str) -> None:
    assert name in keywords(text)


def test_a_heading_is_no_name() -> None:
    assert keywords("Key Harbour Metrics") == {"key harbour metric"}


def test_participants_and_their_short_names_are_no_keywords() -> None:
    assert keywords("Thanks for the plums, Brun!", "brunhild") == {"plum"}
    assert keywords("Brunhild grows plums", "brunhild") == {"plum"}


@pytest.mark.parametrize(
    "text",
    ["Thanks so much!", "It is what it is.", "Tuesday in March", "12 345", "", "Good morning everyone", "你好！", "Danke schön!", "Great!"],
)
def test_what_says_nothing_has_no_keywords(text: str) -> None:
    assert keywords(text) == set()


def test_code_gives_what_it_declares_and_identifiers_stay_whole() -> None:
    assert keywords("```python\nimport tides\ndef next_high_tide(port):\n    return 3\n```") == {"tides", "next_high_tide"}
    assert keywords("Call `next_high_tide()` in `ports/harbour.py`.") >= {"next_high_tide", "ports/harbour.py"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gestern habe ich mit meiner Schwester den Töpferkurs in Freiburg besucht.", {"schwester", "töpferkurs", "freiburg"}),
        ("Me encanta cocinar paella con las flores del jardín.", {"paella", "flor", "jardín"}),
        ("Elle a acheté des gâteaux et deux chevaux au marché.", {"gâteau", "cheval", "marché"}),
        ("昨天我和妹妹去北京大学看了《红楼梦》。", {"红楼梦", "妹妹", "北京大学"}),
        ("昨日、妹と東京タワーに行きました。", {"東京", "タワー"}),
    ],
)
def test_other_languages(text: str, expected: set[str]) -> None:
    assert keywords(text) == expected


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("boxes", "box"), ("berries", "berry"), ("ties", "tie"), ("glasses", "glasses"), ("bus", "bus"), ("buses", "bus"),
        ("wolves", "wolf"), ("series", "series"), ("analysis", "analysis"), ("classes", "class"), ("houses", "house"), ("heroes", "hero"),
        ("women", "woman"), ("caches", "cache"), ("churches", "church"), ("news", "news"), ("css", "css"),
        ("ferry-boats", "ferry-boat"),
    ],
)  # fmt: skip
def test_english_singulars(plural: str, one: str) -> None:
    assert singular(plural, "en") == one


@pytest.mark.parametrize(
    ("language", "plural", "one"),
    [
        ("es", "flores", "flor"), ("es", "canciones", "canción"), ("es", "luces", "luz"), ("es", "montañas", "montaña"),
        ("es", "crisis", "crisis"), ("fr", "gâteaux", "gâteau"), ("fr", "chevaux", "cheval"), ("fr", "fleurs", "fleur"),
        ("fr", "temps", "temps"), ("de", "Vasen", "Vasen"),
    ],
)  # fmt: skip
def test_other_singulars(language: str, plural: str, one: str) -> None:
    assert singular(plural, language) == one


@given(st.text("abcdefghinorstuvy", min_size=1, max_size=12), st.sampled_from(["en", "es", "fr"]))
def test_a_singular_is_never_empty(word: str, language: str) -> None:
    assert singular(word, language)


@given(st.text(max_size=120) | st.text("The goats' ferry-boats play 12 `a_b` **New** 王教授的 ไป 😀.,\n", max_size=120))
def test_keywords_are_few_short_and_canonical(text: str) -> None:
    found = find_keywords(text, frozenset(["ada"]))
    assert found == find_keywords(text, frozenset(["ada"]))
    assert len(found) == len(set(found)) <= MAX_KEYWORDS
    for keyword in found:
        assert keyword == keyword.strip() == keyword.casefold() != ""
        assert len(keyword.split()) <= MAX_NAME_WORDS
        if is_unspaced(keyword):
            assert len(keyword) <= 20


@given(st.lists(st.sampled_from(["we", "quickly", "went", "to", "sell", "and", "they", "provide", "very", "became"]), max_size=12))
def test_verbs_adverbs_and_function_words_make_no_keyword(words: list[str]) -> None:
    assert find_keywords(" ".join(words), frozenset()) == ()


def test_word_classes_of_one_ending() -> None:
    assert [word_class(w) for w in ("quickly", "family", "hopeful", "table", "seed", "restored", "ceiling")] == [
        "adverb", "noun", "adjective", "noun", "noun", "ed", "noun",
    ]  # fmt: skip


def test_a_very_long_text_costs_little() -> None:
    text = "the lantern of the old harbour " * 20_000
    started = time.perf_counter()
    assert keywords(text) == {"lantern", "harbour"}
    assert time.perf_counter() - started < 0.2
