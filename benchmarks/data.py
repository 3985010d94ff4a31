"""The labelled conversations that are measured on.

The project's own are in `examples/`. Two public sets are measured on too when they are on this machine, and are not part of the project:

    LOCOMO=/path/to/locomo.json   an array of LoCoMo conversations, each with `conversation` and `qa` (Maharana et al. 2024)
    BEAM=/path/to/folder          one folder a conversation with `chat.json` and `probing_questions.json` (Tavakoli et al. 2026)
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memcli.labelled import LabelledQuestion, read_labelled

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True)
class Conversation:
    """A transcript on disk and the questions about it."""

    name: str
    path: Path
    format: str
    questions: tuple[LabelledQuestion, ...]


def datasets(scratch: Path) -> Iterator[tuple[str, list[Conversation]]]:
    """Every data set on this machine: its name and its conversations."""
    yield "examples", list(_examples())
    if locomo := os.environ.get("LOCOMO"):
        yield "locomo", list(_locomo(Path(locomo), scratch))
    if beam := os.environ.get("BEAM"):
        yield "beam", list(_beam(Path(beam)))


def _examples() -> Iterator[Conversation]:
    by_file: dict[str, list[LabelledQuestion]] = {}
    path = EXAMPLES / "questions.jsonl"
    for line, labelled in zip(path.read_text(encoding="utf-8").splitlines(), read_labelled(path), strict=True):
        by_file.setdefault(json.loads(line)["transcript"], []).append(labelled)
    for name, questions in by_file.items():
        yield Conversation(Path(name).stem, EXAMPLES / name, "chat", tuple(questions))


def _locomo(path: Path, scratch: Path) -> Iterator[Conversation]:
    for record in json.loads(path.read_text(encoding="utf-8")):
        name = record["sample_id"]
        alone = scratch / f"{name}.json"
        alone.write_text(json.dumps([{k: v for k, v in record.items() if k != "qa"}]), encoding="utf-8")
        known = {m["dia_id"] for part in record["conversation"].values() if isinstance(part, list) for m in part}
        questions = []
        for q in record["qa"]:
            evidence = {e for text in q.get("evidence") or [] for e in re.findall(r"D\d+:\d+", text)} & known
            category = LOCOMO_CATEGORIES[q["category"]]
            answer = str(q.get("answer", ""))
            questions.append(LabelledQuestion(q["question"], category, frozenset(evidence), answer, category != "adversarial"))
        yield Conversation(name, alone, "locomo", tuple(questions))


def _beam(path: Path) -> Iterator[Conversation]:
    for folder in sorted(path.iterdir(), key=lambda p: (len(p.name), p.name)):
        if not (folder / "chat.json").exists():
            continue
        questions = []
        for category, items in json.loads((folder / "probing_questions.json").read_text(encoding="utf-8")).items():
            for q in items:
                evidence = frozenset(str(i) for i in _integers(q.get("source_chat_ids", [])))
                answer = str(q.get("answer") or q.get("ideal_answer") or "")
                questions.append(LabelledQuestion(q["question"], category, evidence, answer, category != "abstention"))
        yield Conversation(folder.name, folder / "chat.json", "beam", tuple(questions))


def _integers(value: object) -> list[int]:
    if isinstance(value, dict):
        return [i for inner in value.values() for i in _integers(inner)]
    if isinstance(value, list):
        return [i for inner in value for i in _integers(inner)]
    return [value] if isinstance(value, int) else []


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for the memories of one run."""
    return tempfile.TemporaryDirectory(prefix="mem-bench-")
