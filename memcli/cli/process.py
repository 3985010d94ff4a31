"""The command as a process: its exit status, its streams, its signals, and how an error reaches a person.

Exit statuses are the contract's: 0 done, 1 nothing found, 2 usage, 3 input, 4 memory file, 5 model, 130 interrupted.
Besides them, as shells do, 143 for a termination signal; and 70 (EX_SOFTWARE of sysexits.h) when the system failed the
program or the program is wrong, which a script must not take for "nothing found".
"""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Final, TextIO

from memcli.errors import OUT_OF_FILES, MemError, UsageError

INTERRUPTED: Final = 130
TERMINATED: Final = 143
FAILED: Final = 70


_signals: set[int] = set()
"""The signals to stop that have arrived."""


class _Terminated(BaseException):
    """SIGTERM arrived. Not an `Exception`, so that nothing but the way out catches it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mem` with `argv` and return its exit status; without `argv`, be the program and end the process.

    Never raises: every error becomes one line on stderr, behind its traceback if `--debug` is among the arguments.
    """
    status = _status(list(sys.argv[1:] if argv is None else argv))
    if argv is not None:
        return status
    for number in (signal.SIGINT, signal.SIGTERM):  # All is done: too late to stop.
        signal.signal(number, signal.SIG_IGN)
    # The memory is closed and everything is written. Taking the interpreter apart, with a model's runtime in it, would
    # keep the user waiting for about a sixth of the whole time of a search.
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(status)


def _status(arguments: list[str]) -> int:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    debug = "--debug" in options
    try:
        _prepare(debug)
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _hush()
        return 0
    except SystemExit:
        # The only one raised while typer runs for us, not standing alone: writing help met a closed pipe.
        _hush()
        return 0
    except _Terminated:
        return _fail("terminated", TERMINATED)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except Exception as error:
        # A signal that arrives while a C extension is being imported comes out as the import's failure.
        if _signals:
            return _fail("terminated", TERMINATED) if signal.SIGTERM in _signals else _fail("interrupted", INTERRUPTED)
        if debug:
            sys.excepthook(type(error), error, error.__traceback__)
        return _explain(error, arguments)
    return _fail("interrupted", INTERRUPTED) if status == INTERRUPTED else status


def _run(arguments: list[str]) -> int:
    from memcli.cli.app import build

    if not arguments:
        with redirect_stdout(sys.stderr):
            build([])(args=["--help"], prog_name="mem", standalone_mode=False)
        return UsageError.exit_code
    status = build(arguments)(args=arguments, prog_name="mem", standalone_mode=False)
    return status if isinstance(status, int) else 0


def _prepare(debug: bool) -> None:
    # A stream that the caller closed is as good as one that nobody reads.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    # JSON is UTF-8 whatever the locale says. What UTF-8 cannot hold, half a surrogate pair, comes out as \udc80: that
    # is how JSON writes it too.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if not debug:
        warnings.simplefilter("ignore")  # A library's remark to its programmers is nothing a user can act on.
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _stop(number: int, frame: FrameType | None) -> None:
    _signals.add(number)
    raise _Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _hush() -> None:
    """Nobody reads stdout any more: let what the interpreter still flushes at its end go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _fail(message: str, status: int) -> int:
    from memcli.cli.render.screen import Screen

    with suppress(OSError, ValueError):  # Nobody may be reading stderr either.
        Screen.error(message)
    return status


def _explain(error: Exception, arguments: list[str]) -> int:
    if isinstance(error, MemError):
        message, status = str(error), error.exit_code
    elif type(error).__name__ == "Abort":
        return _fail("interrupted", INTERRUPTED)
    elif callable(describe := getattr(error, "format_message", None)):
        # Typer's own errors, or click's, whichever this version of typer is built on.
        message, status = str(describe()), UsageError.exit_code
    elif isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        hint = "; close some, or raise the limit (ulimit -n)" if error.errno in OUT_OF_FILES else ""
        return _fail(f"{place}{error.strerror}{hint}", FAILED)
    else:
        hint = "" if "--debug" in arguments else "; run it again with --debug to see where"
        return _fail(f"this should not have happened: {type(error).__name__}: {error}{hint}", FAILED)
    if status == UsageError.exit_code:
        from memcli.cli.app import COMMANDS, command_of

        command = command_of(arguments)
        if command in ("ask", "search") and "extra argument" in message:
            message = f'put the whole question in quotes: mem {command} "..."'
        if command is None and arguments[0].startswith("-") and not COMMANDS.keys().isdisjoint(arguments):
            message = f"{message.rstrip('.')}; options follow the command"
        return _fail(f"{message.rstrip('.')} (help: mem {command + ' ' if command else ''}--help)", status)
    return _fail(message, status)
