"""Which commands there are, and the typer application for one run of the program."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Final

import typer

from memcli import __version__

COMMANDS: Final = {
    "ingest": "Compile transcripts into the memory.",
    "ask": "Answer a question, with the facts and words behind it.",
    "search": "Find facts: no selection, no answer.",
    "compress": "Merge claims until a share of them is gone; can be undone.",
    "restore": "Undo a compression exactly.",
    "forget": "Delete messages for good, with all that was made of them.",
    "show": "Show any atom, what it rests on, and what rests on it.",
    "export": "Write the memory, or a claim's sources, in a standard form.",
    "eval": "Measure retrieval and answers on labelled questions.",
    "status": "Show what is in the memory file.",
    "verify": "Check that the memory file is sound.",
    "models": "List the models here; add, try or remove a language model.",
    "config": "Show or change your settings, and see where each comes from.",
    "doctor": "Check that everything is there that mem needs.",
    "completions": "Let your shell complete commands, options, ids and names.",
}
"""Every command with its line in `mem --help`, in that order, short enough for 80 columns. Its module and its function have its name."""

_EPILOG: Final = """\b
Example:
  mem ingest chat.jsonl
  mem ask "When does the support group meet?"

The memory file is --db, else $MEM_DB, else ./memory.memdb if there is one, else memory.memdb in your data folder."""

_SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def command_of(arguments: Sequence[str]) -> str | None:
    """The command that the arguments name, if it is one: `mem`'s own options, which may stand before it, take no value."""
    first = next((argument for argument in arguments if not argument.startswith("-")), None)
    return first if first in COMMANDS else None


def build(arguments: Sequence[str]) -> typer.Typer:
    """The application, with all the commands' names but only the module of the command that `arguments` name imported."""
    wanted = command_of(arguments)
    app = typer.Typer(name="mem", add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS, pretty_exceptions_enable=False)
    app.callback(epilog=_EPILOG)(_mem)
    for name, summary in COMMANDS.items():
        if name == wanted:
            module = import_module(f"memcli.cli.{name}")
            epilog = f"\b\nExample:\n{_indented(module.EXAMPLE)}"
            app.command(name, epilog=epilog, context_settings=_SETTINGS)(getattr(module, name))
        else:
            app.command(name, help=summary)(_named_only)
    return app


def _named_only() -> None:
    """Stands for a command that is not run, in the list of commands and in "did you mean"."""


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"mem {__version__}")
        raise typer.Exit


def _mem(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Compile chat transcripts into a memory, and ask it questions: every answer comes with the very words behind it."""
