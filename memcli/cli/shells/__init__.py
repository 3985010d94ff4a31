"""Completions for bash, zsh and fish.

`grammar` reads the program's commands and options as data; `bash`, `zsh` and `fish` write a script from them; `values` answers what only
the memory file knows, through the hidden `mem __complete KIND PREFIX [DB]`. The scripts in `completions/` are what
`python -m memcli.cli.shells` writes, and a test keeps them so.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

SCRIPTS: Final = {"bash": "mem.bash", "zsh": "_mem", "fish": "mem.fish"}
"""Each shell, and the name of the file of its script."""


def scripts_folder() -> Path:
    """Where the scripts are: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "_completions"
    return installed if installed.is_dir() else package.parent / "completions"


def script(shell: str) -> str:
    """The completion script of a shell of `SCRIPTS`, as it was generated."""
    return (scripts_folder() / SCRIPTS[shell]).read_text(encoding="utf-8")


def generate(shell: str) -> str:
    """The completion script of a shell of `SCRIPTS`, from the program as it is now."""
    from memcli.cli.shells.grammar import grammar

    text: str = import_module(f"memcli.cli.shells.{shell}").generate(grammar())
    return text
