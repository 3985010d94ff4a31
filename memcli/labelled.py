"""Labelled questions: what `mem eval` measures on, read from JSON lines.

    {"id": "river-001", "question": "...", "category": "single-hop", "answer": "Biscuit", "evidence": ["s04-01"], "answerable": true}

Only `question` and one of `answer`, `evidence` and `answerable` are needed; other keys are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memcli.errors import InputError

UNNAMED = "uncategorised"
"""The category of questions that name none."""


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with the messages that hold its answer, and the answer."""

    question: str
    category: str = UNNAMED
    evidence: frozenset[str] = frozenset()
    """Ids of messages, as their transcript gave them; together they hold the answer. Empty: recall is not measured."""
    answer: str = ""
    """Empty: no F1 is measured, unless the question is unanswerable."""
    answerable: bool = True
    """False: the right answer is that the evidence is insufficient."""
    id: str | int | None = None
    conversation_id: str | None = None
    """The conversation that `evidence` is of; needed only where two conversations of a memory have message ids in common."""


def read_labelled(source: str | Path) -> list[LabelledQuestion]:
    """The questions in a file of JSON lines.

    Raises:
        InputError: the file cannot be read, or is wrong as `parse_labelled` says.
    """
    try:
        with Path(source).open("rb") as lines:
            return parse_labelled(lines, str(source))
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise InputError(reason, source=str(source)) from error


def parse_labelled(lines: Iterable[bytes], source: str) -> list[LabelledQuestion]:
    """The questions in JSON lines; blank lines are skipped.

    Args:
        lines: the lines, in UTF-8.
        source: what errors call them.

    Raises:
        InputError: a line is no labelled question, or there is none at all.
    """
    out = []
    for number, raw in enumerate(lines, start=1):
        try:
            line = raw.decode("utf-8").strip("\ufeff \t\r\n")
            if line.strip():
                out.append(_question(line))
        except UnicodeDecodeError as error:
            raise InputError("not UTF-8 text", source=source, locator=f"line {number}") from error
        except ValueError as error:
            raise InputError(str(error), source=source, locator=f"line {number}") from error
    if not out:
        raise InputError(f"no questions in it; expected lines like {_EXAMPLE}", source=source)
    return out


_EXAMPLE = '{"question": "...", "answer": "...", "evidence": ["message id"], "category": "..."}'


def _question(line: str) -> LabelledQuestion:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} (column {error.colno}); expected {_EXAMPLE}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON that can be read: a number too long, or nested too deep") from error
    if not isinstance(record, dict):
        raise ValueError(f"expected an object like {_EXAMPLE}")
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f'no question; expected "question": a text that is not empty, in an object like {_EXAMPLE}')
    if all(record.get(key) is None for key in ("answer", "evidence", "answerable")):
        raise ValueError('nothing to measure the question on; expected "answer", "evidence" or "answerable"')
    answer, evidence = _answer(record), _evidence(record)
    return LabelledQuestion(
        question=question.strip(),
        category=_text(record, "category") or UNNAMED,
        evidence=evidence,
        answer=answer,
        answerable=_answerable(record, default=bool(answer or evidence)),
        id=_id(record),
        conversation_id=_text(record, "conversation_id"),
    )


def _answer(record: Mapping[str, Any]) -> str:
    answer = record.get("answer")
    if isinstance(answer, bool) or not isinstance(answer, str | int | float | None):
        raise ValueError('"answer" must be a text, a number, or null')
    return "" if answer is None else str(answer).strip()


def _evidence(record: Mapping[str, Any]) -> frozenset[str]:
    evidence = record.get("evidence")
    if evidence is None:
        return frozenset()
    if not isinstance(evidence, list) or not all(
        isinstance(each, str | int) and not isinstance(each, bool) and each != "" for each in evidence
    ):
        raise ValueError('"evidence" must be a list of message ids: texts or whole numbers')
    return frozenset(map(str, evidence))


def _answerable(record: Mapping[str, Any], *, default: bool) -> bool:
    answerable = record.get("answerable")
    if answerable is None:
        return default
    if not isinstance(answerable, bool):
        raise ValueError('"answerable" must be true or false')
    return answerable


def _id(record: Mapping[str, Any]) -> str | int | None:
    name = record.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | None):
        raise ValueError('"id" must be a text, a whole number, or null')
    return name


def _text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    if not isinstance(value, str | None):
        raise ValueError(f'"{key}" must be a text, or null')
    return (value or "").strip() or None
