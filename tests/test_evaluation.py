"""The measures of `mem eval`, and the labels they are taken with."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Answer, Evaluation, Evidence, Fact, InputError, LabelledQuestion, Memory, Message, SearchResult, UsageError
from memcli.evaluation import FACTS_A_MESSAGE, evaluate, token_f1, tokens
from memcli.labelled import UNNAMED, parse_labelled, read_labelled

if TYPE_CHECKING:
    from conftest import OpenStore


def fact(rank: int, *messages: tuple[str, str]) -> Fact:
    """A fact of three words that rests on (conversation, message) pairs."""
    evidence = tuple(Evidence(message, place, None, "Ada", None, 0, 1, "x") for place, message in messages)
    return Fact(rank, rank, "three plain words", 1.0, None, "fact", None, evidence)


def run(
    labels: list[LabelledQuestion], facts: tuple[Fact, ...] = (), said: str | None = None, cuts: tuple[int, ...] = (1, 2, 5)
) -> Evaluation:
    """Evaluate against a memory that always finds and says the same."""
    found = SearchResult("?", facts, {"total": 2.0})
    answer = Answer("?", said, said is not None, 0.5, facts, {"total": 2.0})
    return Evaluation(evaluate(labels, lambda question, k: found, lambda question: answer, cuts=cuts), cuts)


@pytest.mark.parametrize(
    ("said", "gold", "expected"),
    [
        ("the Toaster!", "a toaster", 1.0),
        ("in an old boathouse", "the boathouse", 0.5),
        ("7 May 2023", "May 2023", 0.8),
        ("¿En Soria?", "en Soria", 1.0),
        ("“Low tide” – twice", "low tide", 0.8),
        ("周四晚上七点半", "周四七点", 8 / 11),
        ("东渠河", "东渠河。", 1.0),
        ("Berlin", "Porto", 0.0),
        ("", "Porto", 0.0),
        ("The!", "?", 1.0),
    ],
)
def test_f1_is_over_normalised_words(said: str, gold: str, expected: float) -> None:
    assert token_f1(said, gold) == pytest.approx(expected)


@given(st.text(max_size=40), st.text(max_size=40))
def test_f1_is_symmetric_and_a_share(a: str, b: str) -> None:
    assert 0.0 <= token_f1(a, b) <= 1.0
    assert token_f1(a, b) == token_f1(b, a)
    assert token_f1(a, a) == 1.0


@given(st.text(string.ascii_letters + " .,'", max_size=40))
def test_tokens_are_free_of_case_punctuation_and_articles(text: str) -> None:
    found = tokens(text)
    assert found == tokens(text.upper())
    assert not {"a", "an", "the"}.intersection(found)
    assert all(token.isalpha() for token in found)


def test_recall_counts_distinct_messages_in_the_order_of_the_facts() -> None:
    facts = (fact(1, ("c", "m1"), ("c", "m2")), fact(2, ("c", "m1")), fact(3, ("c", "m3")))
    found = run([LabelledQuestion("?", evidence=frozenset(("m2", "m3", "m9")))], facts)
    (outcome,) = found.outcomes
    assert outcome.ranks == {"m2": 2, "m3": 3, "m9": None}
    assert outcome.recall == {1: 0.0, 2: pytest.approx(1 / 3), 5: pytest.approx(2 / 3)}
    assert outcome.fact_words == 9


def test_a_label_that_names_its_conversation_is_not_found_in_another() -> None:
    facts = (fact(1, ("other", "m1")), fact(2, ("mine", "m1")))
    evidence = frozenset(("m1",))
    anywhere, mine = LabelledQuestion("?", evidence=evidence), LabelledQuestion("?", evidence=evidence, conversation_id="mine")
    assert [outcome.ranks["m1"] for outcome in run([anywhere, mine], facts).outcomes] == [1, 2]


def test_silence_is_right_only_where_there_is_no_answer() -> None:
    answerable, not_answerable = LabelledQuestion("?", "a", answer="Porto"), LabelledQuestion("?", "b", answerable=False)
    silent, talking = run([answerable, not_answerable]), run([answerable, not_answerable], said="Porto")
    assert (silent.overall.answered, silent.overall.abstained, silent.overall.balanced_accuracy) == (0.0, 1.0, 0.5)
    assert (talking.overall.answered, talking.overall.abstained, talking.overall.balanced_accuracy) == (1.0, 0.0, 0.5)
    assert [scores.f1 for scores in silent.categories.values()] == [0.0, 1.0]
    assert [scores.f1 for scores in talking.categories.values()] == [1.0, 0.0]


def test_what_is_not_labelled_is_not_measured() -> None:
    found = run([LabelledQuestion("?", evidence=frozenset(("m1",)))], (fact(1, ("c", "m1")),), said="Porto").overall
    assert (found.recall[1], found.f1, found.answered, found.abstained, found.balanced_accuracy) == (1.0, None, 1.0, None, None)
    assert run([LabelledQuestion("?", answer="Porto")]).overall.recall == {1: None, 2: None, 5: None}


def test_enough_facts_are_asked_for_to_meet_the_largest_cut() -> None:
    asked = []

    def search(question: str, k: int) -> SearchResult:
        asked.append((question, k))
        return SearchResult(question, (), {"total": 1.0})

    done: list[tuple[str, int, int | None]] = []
    evaluate(
        [LabelledQuestion("Who?"), LabelledQuestion("Where?")],
        search,
        lambda question: Answer(question, None, False, 0.0, (), {}),
        cuts=(7, 3),
        progress=lambda *told: done.append(told),
    )
    assert asked == [("Who?", 7 * FACTS_A_MESSAGE), ("Where?", 7 * FACTS_A_MESSAGE)]
    assert done == [("questions", 1, 2), ("questions", 2, 2)]


@pytest.mark.parametrize(("labels", "cuts"), [([], (5,)), ([LabelledQuestion("?")], ()), ([LabelledQuestion("?")], (5, 0))])
def test_nothing_to_measure_is_an_error(labels: list[LabelledQuestion], cuts: tuple[int, ...]) -> None:
    with pytest.raises(UsageError):
        run(labels, cuts=cuts)


def test_labels_are_read_with_their_defaults() -> None:
    lines = [
        '\ufeff{"question": " Who? ", "answer": 34, "evidence": [3, "m2"], "category": "who", "id": 7, "other": {}}\n',
        "\n \u3000\n",
        '{"question": "Where?", "answer": null, "evidence": []}\n',
        '{"question": "When?", "evidence": ["m1"], "conversation_id": "c"}',
    ]
    found = parse_labelled([line.encode() for line in lines], "labels")
    assert found == [
        LabelledQuestion("Who?", "who", frozenset(("3", "m2")), "34", True, 7),
        LabelledQuestion("Where?", UNNAMED, answerable=False),
        LabelledQuestion("When?", UNNAMED, frozenset(("m1",)), conversation_id="c"),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"Who is it?", "not JSON"),
        (b'{"question": "Who?", ', "not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b'["Who?"]', "expected an object like"),
        (b'{"answer": "Ada"}', "no question"),
        (b'{"question": "  ", "answer": "Ada"}', "no question"),
        (b'{"question": "Who?", "category": "who"}', "nothing to measure"),
        (b'{"question": "Who?", "answer": ["Ada"]}', '"answer" must be'),
        (b'{"question": "Who?", "answer": true}', '"answer" must be'),
        (b'{"question": "Who?", "evidence": "m1"}', '"evidence" must be a list'),
        (b'{"question": "Who?", "evidence": ["m1", null]}', '"evidence" must be a list'),
        (b'{"question": "Who?", "answerable": "no"}', '"answerable" must be'),
        (b'{"question": "Who?", "answer": "Ada", "id": 1.5}', '"id" must be'),
        (b'{"question": "Who?", "answer": "Ada", "category": 3}', '"category" must be'),
        (b'{"question": "Who\xff?"}', "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_what_was_expected(line: bytes, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_labelled([b'{"question": "Who?", "answer": "Ada"}\n', line], "labels.jsonl")
    assert str(caught.value).startswith("labels.jsonl: line 2: ")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_without_questions_or_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n\n", encoding="utf-8")
    for name, expected in (("empty.jsonl", "no questions in it"), ("missing.jsonl", "no such file")):
        with pytest.raises(InputError, match=expected):
            read_labelled(tmp_path / name)


def test_the_library_measures_a_file_of_labels_on_a_memory(tmp_path: Path, open_store: OpenStore) -> None:
    rows = [("m1", "Ada", "I keep my two canoes in a barn near Soria."), ("m2", "Ilse", "Mein Zug nach Bremen fährt am Montag.")]
    with open_store(tmp_path / "chat.memdb") as store:
        store.add(Message("c", name, speaker, "user", text, "2024-05-01T10:00:00") for name, speaker, text in rows)
    labels = [
        {"question": "Where does Ada keep her canoes?", "evidence": ["m1"], "answer": "in a barn near Soria"},
        {"question": "Wohin fährt Ilse?", "evidence": ["m2", "m7"], "conversation_id": "c"},
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(label) + "\n" for label in labels), encoding="utf-8")
    with Memory.open(tmp_path / "chat.memdb", read_only=True) as memory:
        found = memory.evaluate(path, cuts=(3, 2))
        again = memory.evaluate(read_labelled(path), cuts=(2, 3))
    assert found.absent == ("m7",)
    assert found.cuts == (2, 3)
    assert [outcome.recall for outcome in found.outcomes] == [{3: 1.0, 2: 1.0}, {3: 0.5, 2: 0.5}]
    assert [o.ranks for o in again.outcomes] == [o.ranks for o in found.outcomes]
