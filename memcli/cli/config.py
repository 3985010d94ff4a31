"""`mem config`: the user's settings, where each comes from, and the file they are kept in."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer

from memcli import config as settings
from memcli.cli import options
from memcli.cli.render.screen import Screen
from memcli.errors import StoreError, UsageError

EXAMPLE = """
mem config show
mem config set db ~/notes/memory.memdb
mem config unset embedder
mem config path
"""

_ACTIONS: Final = {"show": 0, "path": 0, "set": 2, "unset": 1}
"""Each action, and how many words follow it."""

Action = Annotated[str, typer.Argument(metavar="show|set|unset|path", help="What to do.")]
Words = Annotated[list[str] | None, typer.Argument(metavar="[KEY [VALUE]]", show_default=False, help=f"Keys: {', '.join(settings.KEYS)}.")]


def config(
    action: Action = "show",
    words: Words = None,
    *,
    db: options.Db = None,
    embedder: options.Embedder = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Show or change your settings. show: each value with what it comes from, and what that overrides; --db and --embedder count."""
    screen = Screen(json, quiet)
    given = words or []
    if action not in _ACTIONS:
        raise UsageError(f"unknown action {action!r}; choose one of {', '.join(_ACTIONS)}")
    if len(given) != _ACTIONS[action]:
        form = " ".join(("mem config", action, "KEY", "VALUE")[: 2 + _ACTIONS[action]])
        raise UsageError(f"{action}: expected {form}")
    path = settings.config_file()
    if action == "show":
        from memcli.models import DEFAULT_EMBEDDER

        recorded = _recorded_embedder(settings.resolve_db(db))
        _show(screen, settings.explain(db, embedder, recorded=recorded, default=DEFAULT_EMBEDDER))
        return 0
    if action != "path":
        settings.store(given[0], given[1] if action == "set" else None)
    if screen.as_json:
        screen.json({"path": str(path), "exists": path.exists()})
    elif action == "path":
        screen.line(str(path))
    else:
        screen.note(f"{path}: {' = '.join(given)}" if action == "set" else f"{path}: {given[0]} removed")
    return 0


def _recorded_embedder(db: Path) -> str | None:
    """The embedder of the memory file; None if there is no such file or it cannot be opened, which is not asked here."""
    from memcli.memory import Memory

    with suppress(StoreError, OSError), Memory.open(db, create=False, read_only=True) as memory:
        return memory.embedder_name
    return None


def _show(screen: Screen, found: list[settings.Setting]) -> None:
    if screen.as_json:
        screen.json({"path": str(settings.config_file()), "settings": [setting.to_dict() for setting in found]})
        return
    width = max(len(setting.key) for setting in found)
    for setting in found:
        screen.line((setting.value, "bold"), f"  from {setting.source}", lead=f"{setting.key:<{width}}  ")
        for value, source in setting.overridden:
            screen.line(f"instead of {value}, from {source}", lead=" " * (width + 4), style="dim")
