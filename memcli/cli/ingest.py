"""`mem ingest`: transcripts in."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.hiring import hiring
from memcli.cli.questions import standard_input
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen, is_terminal
from memcli.cli.render.words import counted
from memcli.errors import InputError, UsageError
from memcli.results import IngestReport
from memcli.transcripts import formats

EXAMPLE = """
mem ingest chat.jsonl export.zip
tail -f chat.jsonl | mem ingest -
"""

Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", show_default=False, help="Files, or folders of them; - or, in a pipe, nothing: read from stdin."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", show_default=False, help=f"Take every input for this format, undetected: {', '.join(formats())}."
    ),
]

Redact = Annotated[
    bool,
    typer.Option(
        "--redact/--no-redact",
        envvar="MEM_REDACT",
        show_envvar=False,
        show_default=False,
        help="Store [redacted: kind] in the place of tokens, keys, passwords and card numbers ($MEM_REDACT).",
    ),
]

Source = str | Path | IO[bytes]

_WARNINGS_SHOWN = 5
_COUNTED_BYTES = 64_000_000
"""Larger inputs are not read twice: counting them would take more than about a second."""
_CUES = {"handle": ("mention",), "time": ("time",), "time_cue": ("time",), "pivot": ("event",), "keyword": ("keyword",)}
"""The kinds of cues, as a person reads them."""


def ingest(
    files: Files = None,
    *,
    format: Format = None,
    redact: Redact = False,
    db: options.Db = None,
    embedder: options.Embedder = None,
    llm: options.Llm = None,
    no_llm: options.NoLlm = False,
    llm_uses: options.LlmUses = None,
    budget: options.Budget = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Compile transcripts into the memory, which is made if it does not exist.

    Of a folder every transcript in it is read, at any depth, unless the folder is itself one export; files that are none
    are skipped, and named. The same messages again add nothing; interrupted, the memory is sound, and the same command finishes the job.
    """
    screen = Screen(json, quiet)
    sources = _sources(files or [])
    if format is not None and format not in formats():
        raise UsageError(f"unknown format {format!r}; choose one of {', '.join(formats())}")
    path = config.resolve_db(db)
    model = config.resolve_embedder(embedder, path)
    helper = hiring(llm, no_llm, llm_uses, budget)
    if path == config.data_file():
        with suppress(OSError):  # opening the file says what is wrong
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    from memcli.memory import Memory

    with (
        Memory.open(path, embedder=model, llm=helper, notify=screen.note) as memory,
        progress(screen, "messages", lambda: _message_count(sources, format)) as report,
    ):
        outcome = memory.ingest(sources, format=format, redact=redact, progress=report)
    for warning in outcome.warnings[:_WARNINGS_SHOWN]:
        screen.note(warning)
    if (more := len(outcome.warnings) - _WARNINGS_SHOWN) > 0:
        screen.note(f"and {counted(more, 'more warning')}; --json lists them")
    if screen.as_json:
        screen.json(outcome.to_dict())
    else:
        _print_outcome(screen, outcome, path)
    return 0


def _sources(files: Sequence[str]) -> list[Source]:
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
    return [standard_input() if path == "-" else path for file in files for path in _named(file)]


def _named(file: str) -> list[str]:
    """What an argument names: itself, or where no file has that name and it is a pattern in quotes, the files that fit."""
    if file == "-" or Path(file).exists():
        return [file]
    from glob import glob, has_magic

    if found := sorted(glob(file, recursive=True)) if has_magic(file) else []:  # noqa: PTH207 - a pattern may be absolute
        return found
    raise InputError("no file fits this pattern" if has_magic(file) else "no such file", source=file)


def _message_count(sources: Sequence[Source], format: str | None) -> int | None:
    """How many messages there are to read, if they can be counted in a moment: parsing takes less than a hundredth of the work."""
    from memcli.transcripts import read
    from memcli.transcripts.folder import transcripts_in
    from memcli.transcripts.notes import Warnings

    files = [Path(source) for source in sources if isinstance(source, str | Path)]
    try:
        parts = [part for file in files for part in (file.rglob("*") if file.is_dir() else (file,)) if not part.is_dir()]
        if len(files) < len(sources) or not all(map(Path.is_file, parts)) or sum(part.stat().st_size for part in parts) > _COUNTED_BYTES:
            return None
        found = [transcript for file in files for transcript in transcripts_in(file, format, Warnings())]
        return sum(1 for transcript in found for _ in read(transcript, format).messages)
    except (InputError, OSError):
        return None  # Reading in earnest says what is wrong.


def _print_outcome(screen: Screen, outcome: IngestReport, path: Path) -> None:
    seconds = outcome.seconds.get("total", sum(outcome.seconds.values()))
    screen.line((f"{counted(outcome.files, 'transcript')} into {path}", "bold"), f" in {seconds:.1f} s")
    screen.line(f"{outcome.messages_new:,} new, {outcome.messages_unchanged:,} unchanged", lead="  messages  ")
    if outcome.messages_new:
        cues = ", ".join(counted(count, *_CUES.get(kind, (kind,))) for kind, count in outcome.cues.items() if count)
        merged = f", and {outcome.merged:,} said before" if outcome.merged else ""
        joined = f", joined by {counted(outcome.edges, 'edge')}" if outcome.edges else ""
        screen.line(f"{outcome.claims:,}{merged}{joined}", lead="  claims    ")
        screen.line(f"{outcome.spans:,}, on {counted(outcome.pages, 'page')}", lead="  spans     ")
        screen.line(cues or "none", lead="  cues      ")
    if outcome.language_model is not None:
        _print_language_model(screen, outcome.language_model)
    if outcome.redacted:
        found = ", ".join(f"{count:,} {kind}" for kind, count in outcome.redacted.items())
        screen.line(found, lead="  redacted  ")
    if outcome.warnings:
        where = "" if screen.talks else "; --json lists them"
        screen.line(f"{len(outcome.warnings):,}{where}", lead="  warnings  ", style="yellow")


def _print_language_model(screen: Screen, used: Mapping[str, Any]) -> None:
    """What the language model has done, in a line for each use it was put to."""
    if not used["stages"]:
        screen.line(f"{used['model']} had nothing new to read", lead="  model     ")
    for use, stage in used["stages"].items():
        took = f"{stage['prompt_tokens'] + stage['answer_tokens']:,} tokens, {stage['seconds']:.1f} s"
        screen.line(f"{used['model']}, {use}: {stage['accepted']:,} of {stage['proposed']:,} proposals taken; {took}", lead="  model     ")
    if used["stopped"]:
        screen.line(f"stopped: {used['stopped']}; mem ingest goes on with the pages left", lead="  model     ", style="yellow")
