"""`mem eval`: its table, its JSON, its details, and what it says about labels that are wrong."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Command

LABELS: list[dict[str, Any]] = [
    {"id": "a", "question": "What is the name of Ottilie's goat?", "category": "who", "evidence": ["m1"], "answer": "Brunhilde"},
    {"id": "b", "question": "Wann findet das Sommerfest statt?", "category": "when", "evidence": ["m6"], "answer": "14. Juli"},
    {"id": "c", "question": "我们的期中报告什么时候交？", "category": "when", "evidence": ["m7"]},
    {"id": "d", "question": "What is the name of Bram's parrot?", "category": "none", "answerable": False},
]
LINES = "".join(json.dumps(label, ensure_ascii=False) + "\n" for label in LABELS)


def test_json_has_every_measure_by_category_and_over_all(river: Command) -> None:
    result = river.json("eval", "-", input=LINES)
    assert result.keys() == {"all", "categories", "absent_evidence"}
    assert list(result["categories"]) == ["none", "when", "who"]
    assert result["absent_evidence"] == []
    whole = result["all"]
    assert whole["questions"] == 4
    assert whole["recall"].keys() == {"5", "10", "20"}
    assert whole["recall"]["10"] == 1.0
    assert whole["search_ms_p50"] > 0
    assert whole["balanced_accuracy"] == pytest.approx((whole["answered"] + whole["abstained"]) / 2, abs=1e-4)
    assert result["categories"]["none"]["recall"] == {"5": None, "10": None, "20": None}
    assert result["categories"]["who"]["abstained"] is None


def test_the_table_is_aligned_and_one_line_a_category(river: Command) -> None:
    done = river("eval", "-", "-k", "3", "-k", "1", input=LINES)
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows = done.stdout.splitlines()
    assert re.split(r"\s{2,}", head.strip()) == ["questions", "@1", "@3", "F1", "answered", "abstained", "balanced", "search ms"]
    assert [row.split()[0] for row in rows] == ["all", "none", "when", "who"]
    assert {len(line) for line in (head, *rows)} == {len(head)}


def test_details_are_a_line_a_question_with_the_rank_of_every_labelled_message(river: Command, mem: Command) -> None:
    place = mem.folder / "details.jsonl"
    done = river("eval", "-", "--details", str(place), "-q", input=LINES)
    assert done.returncode == 0, done.stderr
    details = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    assert [each["id"] for each in details] == ["a", "b", "c", "d"]
    assert details[0]["evidence_ranks"].keys() == {"m1"}
    assert details[0]["evidence_ranks"]["m1"] <= 10
    assert details[0]["expected"] == "Brunhilde"
    assert details[2]["question"] == LABELS[2]["question"]
    assert details[2]["f1"] is None
    assert details[3]["recall"] == {}


def test_labels_that_name_messages_which_are_not_there_are_told(river: Command, mem: Command) -> None:
    lines = '{"question": "Where does the goat sleep?", "evidence": ["m3", "x1"]}\n'
    assert river.json("eval", "-", input=lines)["absent_evidence"] == ["x1"]
    path = mem.folder / "labels.jsonl"
    path.write_text(lines, encoding="utf-8")
    shown = river.on_terminal("eval", str(path))
    assert "1 labelled message not in memory.memdb" in shown
    assert "x1" in shown


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "-: no questions in it"),
        (LINES + "What about the goat?\n", "-: line 5: not JSON"),
        ('{"question": "goat?"}', '-: line 1: nothing to measure the question on; expected "answer", "evidence" or "answerable"'),
    ],
)
def test_bad_labels_end_with_status_3_and_one_line(river: Command, lines: str, said: str) -> None:
    done = river("eval", "-", input=lines)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"mem: {said}")
    assert done.stderr.count("\n") == 1


def test_other_errors_end_with_their_status(river: Command, mem: Command) -> None:
    labels = mem.folder / "labels.jsonl"
    labels.write_text(LINES, encoding="utf-8")
    assert river("eval", "missing.jsonl").returncode == 3
    assert river("eval").returncode == 2
    assert river("eval", str(labels), "-k", "0").returncode == 2
    assert mem("eval", "labels.jsonl", "--db", "missing.memdb").returncode == 4
    done = river("eval", str(labels), "--details", str(mem.folder / "no" / "details.jsonl"))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    done = river("eval", str(labels), "--rerank", "no-such-model")
    assert done.returncode == 5
    assert "no such cross-encoder" in done.stderr
