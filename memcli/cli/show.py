"""`mem show`: one atom, what it rests on, and what rests on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from memcli import config
from memcli.cli import options
from memcli.cli.questions import utf8
from memcli.cli.render import times
from memcli.cli.render.clean import one_line
from memcli.cli.render.explain import say
from memcli.cli.render.screen import Screen
from memcli.errors import NotFoundError, UsageError
from memcli.results import Interval, Shown

EXAMPLE = """
mem show 17
mem show message:D1:3
"""

Reference = Annotated[
    str,
    typer.Argument(metavar="ID", help="A claim's number, or KIND:ID: claim:17, message:D1:3, span:5, handle:4, conversation:chat, ..."),
]

_LISTED = {
    "claim": "mem search and mem ask show claims with their numbers",
    "message": "mem search and mem ask show the ids of the messages behind each fact",
    "conversation": "mem status lists the conversations",
    "page": "mem show of a message or conversation tells its pages",
    "referent": "it may be known by another name: mem show of a claim tells its subject",
    "keyword": "mem show of a claim lists its keywords",
}
_LISTED_ELSE = "mem show of a claim or message lists what it rests on and supports"
"""Where a person finds the ids of each kind of atom."""


def show(
    reference: Reference,
    *,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Show any atom: what it is, what it rests on, and what rests on it."""
    screen = Screen(json, quiet)
    reference = utf8(reference)
    if not reference.strip():
        raise UsageError("the ID is empty")
    from memcli.memory import Memory

    with Memory.open(config.resolve_db(db), create=False, read_only=True) as memory:
        try:
            shown = memory.show(reference)
        except NotFoundError as error:
            raise _not_found(reference) from error
    if screen.as_json:
        screen.json(shown.to_dict())
    else:
        _print_shown(screen, shown)
    return 0


def _not_found(reference: str) -> NotFoundError:
    """What is missing, and where its ids are listed."""
    kind, separator, name = reference.partition(":")
    if not separator and not reference.strip().isdecimal():
        return NotFoundError(f"{reference}: no claim's number; write KIND:ID for anything else, for example message:{reference.strip()}")
    kind, name = (kind, name.strip()) if separator else ("claim", reference.strip())
    return NotFoundError(f"{kind}:{name}: no {kind.replace('_', ' ')} of that id in this memory; {_LISTED.get(kind, _LISTED_ELSE)}")


def _print_shown(screen: Screen, shown: Shown) -> None:
    screen.line(f"{shown.kind} {shown.id}", style="bold")
    fields = {name: value for name, value in shown.fields.items() if value not in (None, "", (), [], {})}
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        screen.line(_said(name, value), lead=f"  {name:<{width}}  ")
    _print_atoms(screen, "rests on", shown.rests_on)
    _print_atoms(screen, "supports", shown.supports)


def _said(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if name == "time" and isinstance(value, Mapping):
        return times.interval(Interval(value["start"], value["end"], value["granularity"]))
    return say(value)


def _print_atoms(screen: Screen, title: str, atoms: Sequence[Mapping[str, Any]]) -> None:
    if not atoms:
        return
    screen.gap()
    screen.line(title, style="bold")
    for atom in atoms:
        said = [str(atom[key]) for key in ("speaker", "message_id") if atom.get(key)]
        if atom.get("timestamp"):
            said.insert(1, times.moment(str(atom["timestamp"])))
        head = one_line(" · ".join([f"{atom.get('kind')} {atom.get('id')}", *said]))
        screen.line(head, lead="  ", style="cyan")
        if atom.get("text"):
            screen.quote(str(atom["text"]), "  ")
