"""The `mem` command: one module a command, named after it, and `render` for what people see.

To add a command, write `memcli/cli/NAME.py` with a function `NAME` and an `EXAMPLE`, and list it in `app.COMMANDS`.
Nothing here imports a model, the store or a screen library before a command needs it: starting up is most of what a
person waits for.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mem` with `argv` and return its exit status; without `argv`, be the program and end the process."""
    if argv is None:
        # Until the command begins there is nothing to close, and nobody to catch an exception out of an import.
        signal.signal(signal.SIGINT, _leave)
        signal.signal(signal.SIGTERM, _leave)
        if sys.argv[1:2] == ["__complete"]:  # A shell asks at every press of Tab, and cannot wait for the command line's parser.
            from memcli.cli.shells.values import main as complete

            return complete(sys.argv[2:])
    from memcli.cli.process import main as run

    return run(argv)


def _leave(number: int, _frame: FrameType | None) -> None:
    word, status = ("terminated", 143) if number == signal.SIGTERM else ("interrupted", 130)
    try:
        os.write(2, f"mem: {word}\n".encode())
    finally:
        os._exit(status)
