"""Where questions come from: the command line, stdin, or a batch of them, one a line.

A line of a batch that begins with `{` or `[` must be an object `{"id": ..., "question": ...}`; any other line is itself the
question, with no id. Blank lines are skipped.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from memcli.cli.render.screen import is_terminal
from memcli.errors import InputError, UsageError
from memcli.results import Question


def one_question(given: str | None) -> str:
    """The question on the command line, or the whole of stdin for `-` and for none while stdin is no terminal.

    Raises:
        UsageError: there is none, or nothing but whitespace.
    """
    if given is None or given == "-":
        if given is None and (sys.stdin is None or is_terminal(sys.stdin)):
            raise UsageError("no question given; put it in quotes, or write it to stdin")
        given = standard_input().read().decode("utf-8-sig", "replace")
    else:
        given = utf8(given)
    question = given.strip()
    if not question:
        raise UsageError("the question is empty")
    return question


@contextmanager
def batch_lines(given: str | None) -> Iterator[tuple[str, io.BufferedReader]]:
    """The file of a batch, opened, with its name; stdin for `-` and for none.

    Raises:
        UsageError: there is no file, and stdin is a terminal.
        InputError: the file cannot be read.
    """
    if given is None or given == "-":
        if given is None and (sys.stdin is None or is_terminal(sys.stdin)):
            raise UsageError("--batch needs a file of questions, or questions on stdin")
        yield "-", standard_input()
        return
    with ExitStack() as opened:
        try:
            file = opened.enter_context(Path(given).open("rb"))
        except OSError as error:
            raise InputError("no such file" if isinstance(error, FileNotFoundError) else f"{error.strerror}", source=given) from error
        yield given, file


def read_batch(source: str, lines: io.BufferedReader) -> Iterator[Question | InputError]:
    """The questions of a batch, each as soon as its line is there; in place of a line that is wrong, what is wrong with it.

    What by its beginning is no text at all is one wrong input, and no line of it a question.
    """
    if problem := _no_text(lines.peek()):
        yield InputError(f"{problem}; expected a question a line", source=source)
        return
    for number, raw in enumerate(lines, start=1):
        try:
            line = raw.decode("utf-8").strip("\ufeff \t\r\n")
        except UnicodeDecodeError:
            yield InputError("not UTF-8 text", source=source, locator=f"line {number}")
            continue
        if not line.strip():  # a space that a word processor puts, U+00A0 or U+3000, is no question either
            continue
        try:
            yield _question(line)
        except ValueError as error:
            yield InputError(str(error), source=source, locator=f"line {number}")


def standard_input() -> io.BufferedReader:
    """Stdin as bytes, through a buffer of its own; the descriptor stays open.

    A thread may wait for the next line when the program ends (a pipe that is followed, and Ctrl-C). The interpreter dies
    with a fatal error if it cannot close `sys.stdin.buffer` because of that; this buffer it leaves alone.

    Raises:
        UsageError: it is closed, or open for writing only.
    """
    if sys.stdin is None:
        raise UsageError("stdin is closed")
    number = sys.stdin.fileno()
    try:
        os.read(number, 0)
    except OSError as error:
        raise UsageError(f"stdin cannot be read ({error.strerror}); it may be open for writing only") from error
    return open(number, "rb", closefd=False)


def _no_text(head: bytes) -> str | None:
    """Why bytes are no text in UTF-8, if they are not; they may end in the middle of a character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "not UTF-8 text"
    return "not text, as there are NUL bytes in it" if b"\0" in head else None


def utf8(argument: str) -> str:
    """An argument's bytes read as UTF-8, whatever the locale took them for."""
    try:
        return os.fsencode(argument).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # Not from a command line: a program called `main` with it.
        return argument


def _question(line: str) -> Question:
    if not line.startswith(("{", "[")):
        return Question(line)
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON that can be read: a number too long, or nested too deep") from error
    text = value.get("question") if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise ValueError('expected an object {"id": ..., "question": "..."} with a question that is not empty')
    name = value.get("id")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise ValueError("id must be a string, a whole number or null")
    return Question(text, name)
