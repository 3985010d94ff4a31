"""Answering a batch of questions: one JSON object a line, in the order of the questions, each as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedReader

from memcli.cli.questions import read_batch
from memcli.cli.render.screen import Screen
from memcli.errors import InputError
from memcli.results import Answer, Question, SearchResult


def answer_batch(screen: Screen, source: str, lines: BufferedReader, answer: Callable[[Question], Answer | SearchResult]) -> int:
    """Answer every question of a batch and return the exit status.

    A line that is wrong is named on stderr, keeps no other question from its answer, and makes the status 3.
    """
    status = 0
    answered = False
    for question in read_batch(source, lines):
        if isinstance(question, InputError):
            screen.error(str(question))
            status = question.exit_code
        else:
            screen.json_line(answer(question).to_dict())
            answered = True
    if not answered and status == 0:
        screen.note("no questions in the batch")
    return status
