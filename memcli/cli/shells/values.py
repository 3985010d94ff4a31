"""`mem __complete KIND PREFIX [DB]`: what a completion script asks for, one value a line, with a tab and its description.

It runs at every press of Tab, so it imports next to nothing, writes nothing anywhere, and never says that anything is wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path


def main(arguments: Sequence[str]) -> int:
    """Print the values; always 0."""
    kind, prefix, db = (*map(_text, arguments), "", "", "")[:3]
    with suppress(Exception):  # A shell in the middle of a command line has no place for a message.
        found: dict[str, str] = {}
        for value, description in _found(kind, prefix, db):
            found.setdefault(value, description)
        lines = (f"{value}\t{description}\n" for value, description in found.items())
        sys.stdout.buffer.write("".join(lines).encode("utf-8"))
        sys.stdout.flush()
    return 0


def _text(argument: str) -> str:
    """An argument's bytes read as UTF-8, whatever the locale took them for."""
    return os.fsencode(argument).decode("utf-8", "replace")


def _found(kind: str, prefix: str, db: str) -> Iterator[tuple[str, str]]:
    if kind in ("embedder", "reranker"):
        yield from _models(kind, prefix)
    if kind == "llm":
        yield from _language_models(prefix)
    from memcli.config import resolve_db
    from memcli.store.complete import complete

    with suppress(Exception):  # no memory yet, or none that can be read
        yield from complete(resolve_db(db or None), kind, prefix)


def _models(kind: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Models of this machine: the packaged one, and those in the Hugging Face cache."""
    from memcli.models.source import DEFAULT_EMBEDDER

    names = [(DEFAULT_EMBEDDER, "the default")] if kind == "embedder" else []
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
    names += [(folder.name.removeprefix("models--").replace("--", "/", 1), "fetched") for folder in sorted(hub.glob("models--*"))]
    yield from (name for name in names if name[0].startswith(prefix))


def _language_models(prefix: str) -> Iterator[tuple[str, str]]:
    """Those that a package carries, and those that were added."""
    from memcli.models.catalogue import PACKAGES, read_index

    names = [(name, "from its package") for name in PACKAGES] + [(entry.name, entry.path) for entry in read_index().values()]
    yield from (name for name in names if name[0].startswith(prefix))
