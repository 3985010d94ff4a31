"""Any text at all is a question: it never raises but for being blank, and finds the message that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli import Message, UsageError
from memcli.recall import Recall
from memcli.store.search import tokenize

if TYPE_CHECKING:
    from conftest import OpenStore

SAID = {
    "cpp": "I rewrote the tide predictor in C++ over the winter.",
    "csharp": "The museum wants its ticket machine in C# by spring.",
    "c": "Old Piet still writes plain C for the lock gates.",
    "version": "Firmware 1.0.21 made the weather vane spin backwards.",
    "mention": "Send the comet pictures to @nasa before they close.",
    "percent": "The battery of the buoy is down to 50% already.",
    "dont": "I don't trust the new harbour pilot at all.",
    "path": "The settings live in ~/.config/buoy/settings.toml on the barge.",
    "mail": "Write to keeper@lighthouse.example about the spare key.",
    "emoji": "Granny's teapot arrived unbroken 🫖",
    "flag": "The neighbours flew 🇳🇴 all week",
    "chinese": "我们的期中报告下周五必须交给王教授，别忘了附上图书馆的数据。",
    "japanese": "来週の火曜日に京都の陶芸教室で急須を作ります。",
    "korean": "다음 주에 부산에서 도자기 전시회를 엽니다.",
    "thai": "พรุ่งนี้ฉันจะไปซื้อมะม่วงที่ตลาดน้ำ",
    "russian": "В субботу мы чинили старый телескоп на даче.",
    "greek": "Το καΐκι βάφτηκε γαλάζιο την Τρίτη.",
    "arabic": "اشتريت سجادة قديمة من سوق فاس.",
    "hebrew": "קניתי מפרש חדש לסירה ביפו.",
    "hindi": "कल मैंने जयपुर में एक नीला घड़ा खरीदा।",
    "accents": "The café in Kraków sells crème brûlée on Mondays.",
    "german": "Die Straßenbahn nach Gröpelingen fällt am Dienstag aus.",
    "near": "NEAR the sluice the word AND is painted OR scratched, NOT printed.",
    "wide": "Ｔｈｅ ｐｌａｔｅ ｓａｙｓ ＫＹＯＴＯ１２３ in wide letters.",
    "hyphen": "Her state-of-the-art loom jammed on Friday.",
    "plain": "The greengrocer ran out of quinces.",
    "other": "Nobody has seen the cat since breakfast.",
    "more": "We sailed round the island twice.",
}


KNOWN = frozenset(token for text in SAID.values() for token in tokenize(text))


@pytest.fixture(scope="module")
def recall(open_store: OpenStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recall]:
    with open_store(tmp_path_factory.mktemp("queries") / "q.memdb") as store:
        people = ("Ines", "Okko", "Ruth")
        store.add(
            Message("quay", name, people[n % 3], "user", text, f"2024-03-{n + 1:02}T10:00:00", f"s{n}")
            for n, (name, text) in enumerate(SAID.items())
        )
        yield store.recall()


def found(recall: Recall, question: str, k: int = 3) -> list[str]:
    return [fact.evidence[0].message_id for fact in recall.search(question, k=k, explain=False).facts]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("C++", "cpp"),
        ("c++", "cpp"),
        ("C++ program", "cpp"),
        ("What is written in C++?", "cpp"),
        ("C#", "csharp"),
        ("C# machine", "csharp"),
        ("1.0.21", "version"),
        ("@nasa", "mention"),
        ("nasa", "mention"),
        ("50%", "percent"),
        ("don't", "dont"),
        ("don’t trust", "dont"),
        ("~/.config/buoy/settings.toml", "path"),
        ("keeper@lighthouse.example", "mail"),
        ("🫖", "emoji"),
        ("🇳🇴", "flag"),
        ("我们的期中报告什么时候交？", "chinese"),
        ("报告", "chinese"),
        ("图书馆", "chinese"),
        ("王教授", "chinese"),
        ("京都", "japanese"),
        ("急須", "japanese"),
        ("火曜日に陶芸教室", "japanese"),
        ("전시회", "korean"),
        ("부산", "korean"),
        ("มะม่วง", "thai"),
        ("ตลาดน้ำ", "thai"),
        ("телескоп", "russian"),
        ("ТЕЛЕСКОП", "russian"),
        ("καΐκι", "greek"),
        ("καικι", "greek"),
        ("سجادة", "arabic"),
        ("מפרש", "hebrew"),
        ("घड़ा", "hindi"),
        ("creme brulee", "accents"),
        ("Krakow", "accents"),
        ("STRASSENBAHN", "german"),
        ("Gropelingen", "german"),
        ("sluice AND painted", "near"),
        ("kyoto123", "wide"),
        ("state of the art", "hyphen"),
        ("quince", "plain"),
    ],
)
def test_a_message_is_found_by_its_own_words(recall: Recall, question: str, message: str) -> None:
    assert message in found(recall, question)


@pytest.mark.parametrize("text", SAID.values(), ids=SAID.keys())
def test_a_message_is_found_first_by_all_its_words(recall: Recall, text: str) -> None:
    assert SAID[found(recall, text)[0]] == text


@pytest.mark.parametrize("name", ["chinese", "japanese", "korean"])
def test_any_two_characters_out_of_a_run_find_it(recall: Recall, name: str) -> None:
    run = SAID[name]
    pairs = {run[i : i + 2] for i in range(len(run) - 1) if run[i : i + 2].isalpha()}
    missed = [pair for pair in pairs if name not in found(recall, pair)]
    assert not missed


@pytest.mark.parametrize(
    "question",
    [
        'a "b',
        '"',
        "(",
        "))((",
        "quinces AND (",
        "quinces NEAR/3 buoy",
        "NEAR(quinces buoy, 2)",
        "AND",
        "OR NOT",
        "NOT",
        "*",
        "quin*",
        "^quinces",
        "text:quinces",
        "{text}: quinces",
        "-quinces",
        "- text : quinces",
        "quinces + buoy",
        "'; DROP TABLE claims; --",
        "%s %d {} {0} \\",
        "?!.,;:",
        "…",
        "\u200b",
        "\ufeff",
        "\u0301",
        "a\0b",
        "\0",
        "\\u0000",
        "\ud83e",
        "the \udcff key",
        "\ud83e\udd5d",
        "🙃🙃🙃",
        "🏴\U000e0067\U000e0062\U000e007f",
        "的",
        "了吗？",
        "the of and",
        "Ines",
        "Ines Okko Ruth",
        "0",
        "-1",
        "NaN",
        "\u202eneerg si taob eht",
        "x" * 5000,
        "Ā" * 300,
        "王" * 3000,
    ],
    ids=lambda question: ascii(question[:20]),
)
def test_any_text_is_a_question(recall: Recall, question: str) -> None:
    found = recall.search(question, k=5, explain=True).to_dict()
    # Where no word of the question is in the memory, only what is near in meaning is found.
    assert len(found["facts"]) <= 5
    assert any(term in KNOWN for term in found["explain"]["query"]["terms"]) <= (len(found["facts"]) == 5)
    answered = recall.ask(question, k=5, explain=True)
    assert (answered.answer is not None) == answered.sufficient
    assert 0 <= answered.confidence <= 1


def test_a_hundred_kilobytes_are_a_question(recall: Recall) -> None:
    assert len(recall.search("key " * 25_600, k=5, explain=False).facts) == 5


@pytest.mark.parametrize("question", ["", " ", "\n\t", "\u3000", "\xa0"], ids=ascii)
def test_only_a_blank_question_is_refused(recall: Recall, question: str) -> None:
    for ask in (recall.search, recall.ask):
        with pytest.raises(UsageError):
            ask(question, k=5, explain=False)


@pytest.mark.parametrize("k", [0, -1])
def test_at_least_one_fact_must_be_asked_for(recall: Recall, k: int) -> None:
    with pytest.raises(UsageError):
        recall.search("quinces", k=k, explain=False)


def test_as_many_facts_as_there_are_may_be_asked_for(recall: Recall) -> None:
    facts = recall.search("quinces", k=10_000, explain=False).facts
    assert len({fact.claim_id for fact in facts}) == len(facts) >= len(SAID)
    assert [fact.rank for fact in facts] == list(range(1, len(facts) + 1))
    assert [fact.score for fact in facts] == sorted((fact.score for fact in facts), reverse=True)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60), st.lists(st.sampled_from([*'"*^(){}:+-', "AND", "NEAR", "quinces", "王", "🫖", "\0", "\ud800"])).map(" ".join)
    )
)
def test_no_question_breaks_anything(recall: Recall, question: str) -> None:
    if question.strip():
        result = recall.search(question, k=2, explain=True)
        assert result.question == question
        assert len(result.facts) <= 2
    else:
        with pytest.raises(UsageError):
            recall.search(question, k=2, explain=True)


def test_an_empty_memory_finds_nothing_and_says_so(open_store: OpenStore, tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(tmp_path_factory.mktemp("empty") / "e.memdb") as store:
        assert store.recall().search("quinces", k=3, explain=True).facts == ()
        answered = store.recall().ask("quinces", k=3, explain=True)
        assert (answered.answer, answered.sufficient, answered.confidence) == (None, False, 0.0)
        store.add([Message("quay", "1", "Ines", "user", "Hi!"), Message("quay", "2", "Okko", "user", "---")])
        assert store.recall().search("quinces", k=3, explain=False).facts == ()


def test_a_message_of_nothing_but_a_code_name_can_be_found(open_store: OpenStore, tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(tmp_path_factory.mktemp("symbol") / "s.memdb") as store:
        store.add([Message("quay", "1", "Ines", "user", "C++"), Message("quay", "2", "Okko", "user", SAID["plain"])])
        assert "1" in found(store.recall(), "C++")


@pytest.mark.parametrize(
    ("speaker", "question"),
    [("user", "What does the user grow?"), ("user", "What do I grow?"), ("mara", "What does Mara grow?")],
)
def test_a_speaker_asked_about_is_who_the_facts_are_about(
    open_store: OpenStore, tmp_path_factory: pytest.TempPathFactory, speaker: str, question: str
) -> None:
    with open_store(tmp_path_factory.mktemp("speaker") / "s.memdb") as store:
        store.add(
            [
                Message("quay", "1", "assistant", "assistant", "Nice to meet you, Mara, shall we talk about gardens?"),
                Message("quay", "2", speaker, "user", "I grow purple carrots behind the mill."),
            ]
        )
        answered = store.recall().ask(question, k=3, explain=False)
        assert answered.sufficient, answered.reason
        assert "purple carrots" in str(answered.answer)
