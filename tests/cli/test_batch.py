"""`--batch`: in order, with ids, each answer as soon as its question is there, and no bad line in anyone's way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Command


def _objects(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("command", ["search", "ask"])
def test_answers_come_in_order_with_the_ids_of_their_questions(river: Command, command: str) -> None:
    ids: list[str | int | None] = ["b", 7, None, "a", 2**60, ""]
    questions = [{"id": name, "question": f"What happened to the goat, number {n}?"} for n, name in enumerate(ids)]
    done = river(command, "--batch", "-", "--json", input="\n\n".join(map(json.dumps, questions)))
    assert (done.returncode, done.stderr) == (0, "")
    answers = _objects(done.stdout)
    assert [answer["id"] for answer in answers] == ids
    assert [answer["question"] for answer in answers] == [question["question"] for question in questions]
    assert all(("answer" in answer) == (command == "ask") for answer in answers)


def test_a_batch_may_be_a_file_or_stdin_without_a_dash(river: Command, mem: Command) -> None:
    lines = '{"id": 1, "question": "goat"}\n{"id": 2, "question": "kiln"}\n'
    questions = mem.folder / "questions.jsonl"
    questions.write_text("\ufeff" + lines, encoding="utf-8")
    results = [river("search", "--batch", str(questions)), river("search", "--batch", input=lines)]
    for done in results:
        assert done.returncode == 0
        assert [answer["id"] for answer in _objects(done.stdout)] == [1, 2]


def test_a_line_that_is_not_json_is_a_question(river: Command) -> None:
    done = river("search", "--batch", input="Where does the goat sleep?\r\n")
    (answer,) = _objects(done.stdout)
    assert (done.returncode, answer["id"], answer["question"]) == (0, None, "Where does the goat sleep?")


def test_a_line_of_nothing_but_spaces_of_any_kind_is_skipped(river: Command) -> None:
    done = river("search", "--batch", "-k", "1", input="goat\n\u00a0\n\u3000\u2003\n \u2028\t\r\n\ufeff\nkiln\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert [answer["question"] for answer in _objects(done.stdout)] == ["goat", "kiln"]


def test_bad_lines_are_named_and_all_good_ones_answered(river: Command) -> None:
    bad = [
        "{",
        "[1]",
        '{"id": 1}',
        '{"question": 5}',
        '{"question": "  "}',
        '{"id": true, "question": "q"}',
        "[" * 100_000,
        '{"id": ' + "9" * 5000,
    ]
    lines = ['{"id": "first", "question": "goat"}', *bad, '{"id": "last", "question": "kiln"}']
    done = river("search", "--batch", input="\n".join(lines))
    assert done.returncode == 3
    assert [answer["id"] for answer in _objects(done.stdout)] == ["first", "last"]
    errors = done.stderr.splitlines()
    assert [error.split(": ")[:3] for error in errors] == [["mem", "-", f"line {number}"] for number in range(2, len(bad) + 2)]


def test_a_missing_batch_file_ends_with_3(river: Command) -> None:
    done = river("ask", "--batch", "missing.jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "mem: missing.jsonl: no such file\n")


def test_each_answer_is_there_before_the_next_question(river: Command) -> None:
    child = river.start("search", "--batch", "-")
    assert child.stdin is not None
    assert child.stdout is not None
    for number in range(3):
        child.stdin.write(json.dumps({"id": number, "question": "goat"}).encode() + b"\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["id"] == number
    child.communicate(timeout=30)
    assert child.returncode == 0


ANY_TEXT = [
    "@nasa", "50%", "don't", 'a "b', "C++", "1.0.21", "???", "\"'`*()-^:", "AND OR NOT NEAR",
    "NEAR(goat, 3", "col:goat", "-goat", "goat*", "' OR 1=1 --",
    "期中报告", "报告什么时候交？", "🫖", "👩‍👩‍👧", "\u0000goat", "\ud800 goat", "\x1b[31m", "ﷺ",
    "\u202egoat", "goat " * 20_000,
]  # fmt: skip


@pytest.mark.parametrize(("command", "texts"), [("search", ANY_TEXT), ("ask", ANY_TEXT[:-1])])
def test_any_text_at_all_is_a_question(river: Command, command: str, texts: list[str]) -> None:
    done = river(command, "--batch", input="\n".join(json.dumps({"id": n, "question": text}) for n, text in enumerate(texts)))
    assert (done.returncode, done.stderr) == (0, "")
    answers = _objects(done.stdout)
    assert [answer["id"] for answer in answers] == list(range(len(texts)))
    assert [answer["question"] for answer in answers] == texts


def test_a_query_of_unusual_text_finds_the_message_that_has_it(river: Command) -> None:
    wanted = {"@nasa": "m5", "50%": "m5", "C++": "m5", "1.0.21": "m5", "期中报告": "m7", "🫖": "m8", 'the "goat': "m1"}
    done = river("search", "--batch", "-k", "3", input="\n".join(json.dumps({"id": text, "question": text}) for text in wanted))
    for answer in _objects(done.stdout):
        assert wanted[answer["id"]] in {evidence["message_id"] for fact in answer["facts"] for evidence in fact["evidence"]}, answer["id"]


@pytest.mark.parametrize("data", [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", b"what\0is\0this\n", "goat\n".encode("utf-16")])
def test_a_file_that_is_no_text_is_wrong_input_and_no_line_of_it_a_question(river: Command, mem: Command, data: bytes) -> None:
    path = mem.folder / "doc.pdf"
    path.write_bytes(data)
    for name, done in ((str(path), river("ask", "--batch", str(path))), ("-", river("search", "--batch", input=data))):
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.startswith(f"mem: {name}: not ")
        assert done.stderr.count("\n") == 1


def test_a_line_that_is_no_text_far_into_a_batch_is_a_bad_line(river: Command) -> None:
    padding = b" " * 300_000
    done = river("search", "--batch", "-k", "1", input=b"goat\n" + padding + b"\ncaf\xe9\nkiln\n")
    assert (done.returncode, done.stderr) == (3, "mem: -: line 3: not UTF-8 text\n")
    assert [answer["question"] for answer in _objects(done.stdout)] == ["goat", "kiln"]


def test_a_batch_without_questions_is_noted_on_a_terminal(river: Command, mem: Command) -> None:
    path = mem.folder / "empty.jsonl"
    path.write_text("\n", encoding="utf-8")
    assert river.on_terminal("ask", "--batch", str(path)) == "mem: no questions in the batch\n"
    done = river("ask", "--batch", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
