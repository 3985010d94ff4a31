"""The program's commands, options and arguments as data, with what each value is: read from typer's own parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import typer.main

from memcli.cli.app import COMMANDS, build

FILE: Final = "file"
TEXT: Final = "text"
"""Nothing can be offered."""
QUESTION: Final = "question"
"""Words, or with --batch a file of them."""

STORED: Final = frozenset(
    {"atom", "claim", "message", "conversation", "session", "speaker", "run", "embedder", "reranker", "llm"},
)
"""Kinds of values that `memcli.cli.shells.values` lists out of the memory file."""

MODELS: Final = frozenset({"embedder", "reranker", "llm"})
"""Stored kinds that may be a folder, or a file in one, instead."""

Values = str | tuple[str, ...]
"""What a value is: `FILE`, `TEXT`, `QUESTION`, one of `STORED`, or one of these words."""

_ACTION: Final = re.compile(r"^[a-z]+: ")
"""What a help begins with of an option that one action of a command has: "add: what it is to be called"."""

_CLAUSE: Final = re.compile(r"; | \(|: (?![^\[]*\])")
"""Where the first clause of a help ends; a colon in brackets belongs to an example."""

_OPTIONS: Final[Mapping[str, Values]] = {
    "db": FILE,
    "output": FILE,
    "details": FILE,
    "curve": FILE,
    "questions": FILE,
    "embedder": "embedder",
    "rerank": "reranker",
    "llm": "llm",
    "speaker": "speaker",
    "conversation": "conversation",
    "session": "session",
    "claim": "claim",
    "message": "message",
}
"""What the value of an option is, by the name of its parameter; `TEXT` where nothing is said."""

_ARGUMENTS: Final[Mapping[str, tuple[Values, ...]]] = {
    "ingest": (FILE,),
    "ask": (QUESTION,),
    "search": (QUESTION,),
    "show": ("atom",),
    "restore": ("run",),
    "eval": (FILE,),
    "models": (("list", "add", "check", "remove"), "llm"),
    "config": (("show", "path", "set", "unset"), (), FILE),
    "completions": (("show", "install"), ()),
}
"""What the arguments of a command are, in order; the last is the others' too if the command takes any number."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command. `values` is None of one that takes no value."""

    names: tuple[str, ...]
    help: str
    metavar: str
    values: Values | None
    repeatable: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command. `arguments` are what each of its arguments is, in order; with `endless` the last stands for all that follow."""

    name: str
    help: str
    options: tuple[Option, ...]
    arguments: tuple[Values, ...]
    endless: bool


class _OptionParameter(Protocol):
    """What is read of an option of typer's, or of the click that this version of typer is built on."""

    name: str
    opts: list[str]
    help: str | None
    metavar: str | None
    is_flag: bool
    multiple: bool


def grammar() -> tuple[Command, ...]:
    """Every command, in the order of `mem --help`. Imports all of them."""
    return tuple(_command(name, summary) for name, summary in COMMANDS.items())


def _command(name: str, summary: str) -> Command:
    group: Any = typer.main.get_command(build([name]))
    parameters = group.commands[name].params
    context = group.commands[name].make_context(name, [], resilient_parsing=True)
    found = [parameter for parameter in (*parameters, group.commands[name].get_help_option(context)) if not parameter.hidden]
    options = tuple(_option(name, parameter) for parameter in found if parameter.param_type_name == "option")
    arguments = [parameter for parameter in found if parameter.param_type_name == "argument"]
    kinds = tuple(values or _words(name, "") for values in _ARGUMENTS.get(name, (TEXT,) * len(arguments)))
    return Command(name, _short(summary), options, kinds if arguments else (), any(parameter.nargs == -1 for parameter in arguments))


def _option(command: str, parameter: _OptionParameter) -> Option:
    names = tuple(sorted(parameter.opts, key=len))
    takes = not (parameter.is_flag or parameter.name == "help")
    values = (_words(command, parameter.name) or _OPTIONS.get(parameter.name, TEXT)) if takes else None
    return Option(names, _short(parameter.help or ""), str(parameter.metavar or "VALUE"), values, bool(parameter.multiple))


def _short(text: str) -> str:
    """The first of several clauses, without its full stop: what fits beside a name in a list."""
    return _CLAUSE.split(_ACTION.sub("", text))[0].strip().rstrip(".")


def _words(command: str, parameter: str) -> tuple[str, ...]:
    """The words that a parameter can be, where the program has them written down; `parameter` is empty for an argument."""
    if (command, parameter) == ("ingest", "format"):
        from memcli.transcripts import formats

        return formats()
    if (command, parameter) == ("export", "to"):
        from memcli.provenance.export import FORMATS

        return tuple(FORMATS)
    if parameter == "protect":
        from typing import get_args

        from memcli.atoms import ClaimKind

        return get_args(ClaimKind)
    if (command, parameter) == ("config", ""):
        from memcli.config import KEYS

        return KEYS
    if command == "completions" and parameter in ("", "shell"):
        from memcli.cli.shells import SCRIPTS

        return tuple(SCRIPTS)
    return ()
