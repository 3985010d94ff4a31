"""`mem verify`: is the memory file sound?"""

from __future__ import annotations

from typing import Annotated

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.render.screen import Screen
from memcli.cli.render.words import counted
from memcli.errors import StoreError
from memcli.results import Verification

EXAMPLE = """
mem verify
mem verify --repair --db notes.memdb
"""

Repair = Annotated[bool, typer.Option("--repair", help="Rebuild what can be rebuilt from the rest of the file.")]


def verify(
    *,
    repair: Repair = False,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Check that the memory file is sound: every law, every index, every row.

    Exit status 0 if it is, 4 if anything is wrong (any more, with --repair).
    """
    screen = Screen(json, quiet)
    from memcli.memory import Memory

    with Memory.open(config.resolve_db(db), create=False, read_only=not repair, notify=screen.note) as memory:
        outcome = memory.verify(repair=repair)
    if screen.as_json:
        screen.json(outcome.to_dict())
    else:
        _print_outcome(screen, outcome)
    return 0 if outcome.sound else StoreError.exit_code


def _print_outcome(screen: Screen, outcome: Verification) -> None:
    wrong = {problem.check for problem in outcome.problems}
    for check in outcome.checks:
        mark = ("wrong", "red") if check in wrong else ("fixed", "yellow") if check in outcome.repaired else ("ok   ", "green")
        screen.line(mark, f"  {check}")
    if outcome.problems:
        screen.gap()
    for problem in outcome.problems:
        screen.line((problem.check, "bold"), f": {problem.message} ({counted(problem.rows, 'row')}; {_way_out(problem.repairable)})")
    screen.gap()
    verdict = ("sound", "bold green") if outcome.sound else (f"{counted(len(outcome.problems), 'problem')} found", "bold red")
    screen.line(f"{outcome.path}: ", verdict)


def _way_out(repairable: bool) -> str:
    return "mem verify --repair rebuilds it" if repairable else "ingest the transcripts into a new file, or restore a backup"
