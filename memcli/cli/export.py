"""`mem export`: the memory, or where a claim comes from, in a standard form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen
from memcli.cli.render.words import counted
from memcli.errors import UsageError

EXAMPLE = """
mem export --to markdown | less
mem export --to jsonl | mem ingest - --db copy.memdb
mem export --to prov-json --claim 17 -o claim-17.json
mem export --to parquet -o memory-tables
"""

To = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="FORMAT",
        show_default=False,
        help="jsonl (all of it; mem ingest reads it back), prov-json (W3C PROV), graphml, dot, markdown, or parquet (a folder).",
    ),
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", show_default=False, help="The file to write (parquet: folder); else stdout.")
]
Claim = Annotated[
    str | None,
    typer.Option(
        "--claim",
        metavar="ID",
        show_default=False,
        help="Only this claim, with the claims joined to it, and all that they rest on.",
    ),
]


def export(
    *,
    to: To,
    output: Output = None,
    claim: Claim = None,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Write the memory, or where one claim comes from, in a standard form: messages, spans, cues, claims, and what was made of which.

    A file is written beside its place and moved there once it is whole; only you can read it. With --json (and -o): what was written.
    """
    screen = Screen(json, quiet)
    path = None if output in (None, "-") else Path(output or "")
    if output == "":
        raise UsageError("-o is empty; give the path of the file to write, or - for stdout")
    if path is None and json:
        raise UsageError("--json tells what was written to a file: it needs -o, as the export itself goes to stdout")
    number = None if claim is None else _claim_number(claim)
    from memcli.memory import Memory

    with (
        Memory.open(config.resolve_db(db), create=False, read_only=True) as memory,
        # A bar would draw over the export itself, or over the pager that shows it.
        progress(screen if path is not None else Screen(quiet=True), "rows", lambda: None) as report,
    ):
        outcome = memory.export(to, path or sys.stdout, claim=number, progress=report)
    if screen.as_json:
        screen.json(outcome.to_dict())
    elif path is not None:
        shown = [counted(outcome.rows[kind], kind) for kind in ("message", "span", "claim") if kind in outcome.rows]
        screen.note(f"{path}: {', '.join(shown)}")
    return 0


def _claim_number(reference: str) -> int:
    """The number of a claim that is written `17` or `claim:17`."""
    number = reference.strip().removeprefix("claim:").strip()
    if not (number.isascii() and number.isdecimal() and len(number) <= 18):
        raise UsageError(f"--claim {reference}: no claim's number; mem search and mem ask show claims with their numbers")
    return int(number)
