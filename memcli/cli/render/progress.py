"""Progress bars on stderr."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from memcli.cli.render.screen import Screen

if TYPE_CHECKING:
    from rich.progress import TaskID

Report = Callable[[str, int, int | None], None]
"""Told by a stage of the work: its name, how much it has done, and of how much, if that is known."""

_PATIENCE_S: Final = 1.0
"""What is over sooner shows no bar: it would only flicker."""


@contextmanager
def progress(screen: Screen, stage: str, total: Callable[[], int | None]) -> Iterator[Report | None]:
    """Show a bar for each stage that reports; None, and nothing shown, if nobody is there to look at it.

    Args:
        screen: the command's.
        stage: the stage that the work begins with, whose bar is there before it first reports.
        total: how much that stage has to do, if that can be known; asked only if somebody looks.
    """
    if not screen.talks:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bars = Progress(*columns, console=Console(stderr=True), transient=True)
    known = total()
    tasks: dict[str, TaskID] = {stage: bars.add_task(stage, total=known)}

    def report(reporting: str, done: int, of: int | None) -> None:
        if reporting not in tasks:
            tasks[reporting] = bars.add_task(reporting, total=of)
        bars.update(tasks[reporting], completed=done, total=known if reporting == stage and of is None else of)

    start = threading.Timer(_PATIENCE_S, bars.start)
    start.daemon = True
    start.start()
    try:
        yield report
    finally:
        start.cancel()
        start.join()
        bars.stop()
