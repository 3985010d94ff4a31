"""`mem completions`: let the shell complete what is typed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from memcli.cli import options
from memcli.cli.render.screen import Screen
from memcli.cli.shells import SCRIPTS, script
from memcli.errors import UsageError

EXAMPLE = """
mem completions install
mem completions show zsh > ~/.zfunc/_mem
"""

_ACTIONS: Final = ("show", "install")

Action = Annotated[str, typer.Argument(metavar="show|install", help="Print the script, or put it where the shell looks for it.")]
Named = Annotated[str | None, typer.Argument(metavar="[SHELL]", show_default=False, help=f"{', '.join(SCRIPTS)}; else that of $SHELL.")]
Shell = Annotated[str | None, typer.Option("--shell", metavar="SHELL", show_default=False, help="The same, as an option.")]


def completions(
    action: Action,
    named: Named = None,
    *,
    shell: Shell = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Let your shell complete commands, options, formats, and the ids and names in your memory.

    install writes one file into your home folder, changes no other, and says what is left to do.
    """
    screen = Screen(json, quiet)
    if action not in _ACTIONS:
        raise UsageError(f"unknown action {action!r}; choose one of {', '.join(_ACTIONS)}")
    if named is not None and shell is not None and named != shell:
        raise UsageError(f"both {named} and --shell {shell}: name one shell")
    name = named or shell or _own_shell()
    if name not in SCRIPTS:
        raise UsageError(f"unknown shell {name!r}; choose one of {', '.join(SCRIPTS)}")
    if action == "show":
        if screen.as_json:
            screen.json({"shell": name, "script": script(name)})
        else:
            sys.stdout.write(script(name))
        return 0
    path, next_steps = _place(name)
    _write(path, script(name))
    if screen.as_json:
        screen.json({"shell": name, "path": str(path), "next": next_steps})
        return 0
    screen.line((str(path), "bold"))
    for step in next_steps:
        screen.line(step, lead="  next  ")
    return 0


def _own_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SCRIPTS:
        raise UsageError(f"which shell? name one of {', '.join(SCRIPTS)}")
    return name


def _place(shell: str) -> tuple[Path, list[str]]:
    """Where the script goes, and what the user has to do besides."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    if shell == "fish":
        config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return config / "fish" / "completions" / SCRIPTS["fish"], ["nothing: fish loads it by itself"]
    if shell == "zsh":
        path = data / "zsh" / "site-functions" / SCRIPTS["zsh"]
        return path, [f"unless it is there: fpath=({path.parent} $fpath) in ~/.zshrc, before compinit", "start a new zsh"]
    own = os.environ.get("BASH_COMPLETION_USER_DIR")
    path = (Path(own) if own else data / "bash-completion") / "completions" / "mem"
    return path, [f"where the package bash-completion is not in use: source {path} in ~/.bashrc", "start a new bash"]


def _write(path: Path, text: str) -> None:
    """Put a file there at once, its folders with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
