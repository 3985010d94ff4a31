"""Progress bars on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memcli.cli.render.screen import Screen

if TYPE_CHECKING:
    from rich.progress import TaskID

Report = Callable[[str, int, int | None], None]
"""Told by a stage of the work: its name, how much it has done, and of how much, if that is known."""


@contextmanager
def progress(screen: Screen) -> Iterator[Report | None]:
    """Show a bar for each stage that reports; None, and nothing shown, if nobody is there to look at it."""
    if not screen.talks:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield report
