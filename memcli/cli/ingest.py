"""`mem ingest`: transcripts in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Annotated

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.questions import standard_input
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen, is_terminal
from memcli.errors import InputError, UsageError
from memcli.results import IngestReport
from memcli.transcripts import formats

EXAMPLE = """
mem ingest chat.jsonl export.zip
tail -f chat.jsonl | mem ingest -
"""

Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", show_default=False, help="Files or folders; - or, in a pipe, nothing: read from stdin."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", show_default=False, help=f"Take every input for this format, undetected: {', '.join(formats())}."
    ),
]


def ingest(
    files: Files = None,
    *,
    format: Format = None,
    db: options.Db = None,
    embedder: options.Embedder = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Compile transcripts into the memory, which is made if it does not exist.

    The same messages again add nothing; interrupted, the memory is sound, and the same command finishes the job.
    """
    screen = Screen(json, quiet)
    sources = _sources(files or [])
    if format is not None and format not in formats():
        raise UsageError(f"unknown format {format!r}; choose one of {', '.join(formats())}")
    path = config.resolve_db(db)
    model = config.resolve_embedder(embedder, path)
    if path == config.data_file():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    from memcli.memory import Memory

    with Memory.open(path, embedder=model) as memory, progress(screen) as report:
        outcome = memory.ingest(sources, format=format, progress=report)
    for warning in outcome.warnings:
        screen.note(warning)
    if screen.as_json:
        screen.json(outcome.to_dict())
    else:
        _print_outcome(screen, outcome, path)
    return 0


def _sources(files: Sequence[str]) -> list[str | Path | IO[bytes]]:
    """What to read, every file of it there.

    Raises:
        UsageError: there is nothing to read, or stdin twice.
        InputError: a file does not exist.
    """
    if not files:
        if sys.stdin is None or is_terminal(sys.stdin):
            raise UsageError("nothing to read; name the transcripts, or pipe one in")
        files = ["-"]
    if files.count("-") > 1:
        raise UsageError("stdin (-) can be read only once")
    for file in files:
        if file != "-" and not Path(file).exists():
            raise InputError("no such file", source=file)
    return [standard_input() if file == "-" else file for file in files]


def _print_outcome(screen: Screen, outcome: IngestReport, path: Path) -> None:
    seconds = outcome.seconds.get("total", sum(outcome.seconds.values()))
    inputs = "1 transcript" if outcome.files == 1 else f"{outcome.files} transcripts"
    screen.line((f"{inputs} into {path}", "bold"), f" in {seconds:.1f} s")
    screen.line(f"{outcome.messages_new} new, {outcome.messages_unchanged} unchanged", lead="  messages  ")
    if outcome.messages_new:
        cues = ", ".join(f"{count} {kind}" for kind, count in outcome.cues.items() if count)
        screen.line(f"{outcome.claims}, joined by {outcome.edges} edges", lead="  claims    ")
        screen.line(f"{outcome.spans}, on {outcome.pages} pages", lead="  spans     ")
        screen.line(cues or "none", lead="  cues      ")
    if outcome.warnings:
        screen.line(f"{len(outcome.warnings)}; --json lists them", lead="  warnings  ", style="yellow")
