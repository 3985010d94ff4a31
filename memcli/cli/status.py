"""`mem status`: what is in the memory file."""

from __future__ import annotations

from collections.abc import Mapping

from memcli import config
from memcli.cli import options
from memcli.cli.render.screen import Screen
from memcli.results import Status

EXAMPLE = """
mem status
mem status --json --db notes.memdb
"""


def status(
    *,
    db: options.Db = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Show what is in the memory file: how many of each atom, its models, its sizes."""
    screen = Screen(json, quiet)
    from memcli.memory import Memory

    with Memory.open(config.resolve_db(db), create=False, read_only=True) as memory:
        found = memory.status()
    if screen.as_json:
        screen.json(found.to_dict())
    else:
        _print_status(screen, found)
    return 0


def _print_status(screen: Screen, found: Status) -> None:
    screen.line((found.path, "bold"), (f"  schema {found.schema_version}", "dim"))
    _print_table(screen, "atoms", {name: f"{count:,}" for name, count in found.counts.items()})
    models = {str(model.get("role")): f"{model.get('name')}, {model.get('dimension')} dimensions" for model in found.models}
    _print_table(screen, "models", models)
    _print_table(screen, "sizes", {name: _size(count) for name, count in found.bytes.items()})


def _print_table(screen: Screen, title: str, rows: Mapping[str, str]) -> None:
    if not rows:
        return
    screen.gap()
    screen.line(title, style="bold")
    names = {name: name.replace("_", " ") for name in rows}
    left = max(map(len, names.values()))
    numeric = all(value[:1].isdigit() for value in rows.values())
    right = max(map(len, rows.values())) if numeric else 0
    for name, value in rows.items():
        screen.line(f"{value:>{right}}", lead=f"  {names[name]:<{left}}  ")


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
