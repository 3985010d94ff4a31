"""`mem restore`: undo a compression."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.compress import print_extents
from memcli.cli.render.progress import progress
from memcli.cli.render.screen import Screen
from memcli.cli.render.words import counted

EXAMPLE = """
mem restore
mem restore 3 --json
"""

Run = Annotated[
    int | None,
    typer.Argument(metavar="[RUN]", min=1, show_default=False, help="The run's number, as mem compress told it; else the last one."),
]


def restore(
    run: Run = None,
    *,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Undo a compression exactly: the last one that stands, or that of a number if none after it stands.

    What has come into the memory since stays.
    """
    screen = Screen(json, quiet)
    from memcli.memory import Memory

    with Memory.open(config.resolve_db(db), create=False) as memory, progress(screen, "restore", lambda: None) as report:
        outcome = memory.restore(run, progress=report)
    if screen.as_json:
        screen.json(outcome.to_dict())
        return 0
    screen.line((f"run {outcome.run}", "bold"), f" undone: {counted(outcome.merges, 'claim')} more than before")
    if outcome.after is not None:
        print_extents(screen, outcome.before, outcome.after)
    for note in outcome.notes:
        screen.line(note, lead="  note      ", style="yellow")
    return 0
