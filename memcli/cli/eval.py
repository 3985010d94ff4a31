"""`mem eval`: how well the memory answers labelled questions."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.questions import batch_lines
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen
from memcli.cli.render.words import counted
from memcli.errors import UsageError
from memcli.evaluation import CUTS, Evaluation, Scores
from memcli.labelled import parse_labelled

EXAMPLE = """
mem eval questions.jsonl
mem eval questions.jsonl -k 5 -k 50 --details outcomes.jsonl
"""

Questions = Annotated[str, typer.Argument(metavar="QUESTIONS", show_default=False, help="Labelled questions in JSON lines; - for stdin.")]
Cuts = Annotated[
    list[int] | None,
    typer.Option(
        "-k", min=1, metavar="N", show_default=False, help="Measure recall among the first N messages; repeatable (5, 10 and 20)."
    ),
]
Details = Annotated[
    str | None,
    typer.Option("--details", metavar="FILE", show_default=False, help="Write what became of each question there, a JSON object a line."),
]

_ABSENT_SHOWN = 5


def eval(  # named after the command
    questions: Questions,
    *,
    k: Cuts = None,
    details: Details = None,
    db: options.Db = None,
    embedder: options.Embedder = None,
    rerank: options.Rerank = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Measure retrieval and answers on labelled questions, by category and over all.

    A line of QUESTIONS is {"question": "...", "answer": "...", "evidence": ["message id", ...], "category": "...",
    "answerable": true}; question and one of answer, evidence and answerable are needed. docs/evaluate.md explains the labels and
    the measures: recall of the labelled messages, token F1 of the answers, and whether answers are given when there is one.
    """
    screen = Screen(json, quiet)
    with batch_lines(questions) as (source, lines):
        labels = parse_labelled(lines, source)
    path = config.resolve_db(db)
    model = config.resolve_embedder(embedder, path)
    from memcli.memory import Memory

    with (
        Memory.open(path, embedder=model, reranker=rerank or None, create=False, read_only=True, notify=screen.note) as memory,
        _details_file(details) as out,
        progress(screen, "questions", lambda: len(labels)) as report,
    ):
        outcome = memory.evaluate(labels, cuts=k or CUTS, progress=report)
        if out is not None:
            out.writelines(json_module.dumps(each.to_dict(), ensure_ascii=False) + "\n" for each in outcome.outcomes)
    if outcome.absent:
        shown = ", ".join(outcome.absent[:_ABSENT_SHOWN]) + (", ..." if len(outcome.absent) > _ABSENT_SHOWN else "")
        screen.note(f"{counted(len(outcome.absent), 'labelled message')} not in {path}, which no search can find: {shown}")
    if screen.as_json:
        screen.json(outcome.to_dict())
    else:
        _print_table(screen, outcome)
    return 0


@contextmanager
def _details_file(path: str | None) -> Iterator[IO[str] | None]:
    """The file for the details, opened before the work is done, so that a place that cannot be written to is told at once."""
    if path is None:
        yield None
        return
    with ExitStack() as opened:
        try:
            # JSON writes half a surrogate pair as this error handler does.
            file = opened.enter_context(Path(path).open("w", encoding="utf-8", errors="backslashreplace"))
        except OSError as error:
            raise UsageError(f"--details {path}: cannot be written: {error.strerror}") from error
        yield file


def _print_table(screen: Screen, outcome: Evaluation) -> None:
    recalls = [f"@{k}" for k in outcome.cuts]
    heads = ["", "questions", *recalls, "F1", "answered", "abstained", "balanced", "search ms"]
    rows = [_row("all", outcome.overall), *(_row(name, found) for name, found in outcome.categories.items())]
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    for number, row in enumerate((heads, *rows)):
        first, *rest = (
            cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        screen.line(first + "  " + "  ".join(rest), style="dim" if number == 0 else "bold" if number == 1 else "")


def _row(name: str, found: Scores) -> list[str]:
    shares = [*found.recall.values(), found.f1, found.answered, found.abstained, found.balanced_accuracy]
    return [name, str(found.questions), *("" if share is None else f"{share:.3f}" for share in shares), f"{found.search_ms:.1f}"]
