"""The sha256 of a model file, computed once for each state of the file and remembered in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from memcli.models.cache import models_folder

_CHUNK = 1 << 20

_LONG = 1 << 30
"""Bytes that take more than a moment to read."""


def file_digest(path: Path, *, notify: Callable[[str], None] | None = None) -> str:
    """The sha256 of a file, 64 hex digits; from the note of an earlier call if the file has kept its size and time.

    Raises:
        OSError: the file cannot be read.
    """
    known = read_note("sources", _note(path))
    if len(known) == 64 and set(known) <= set("0123456789abcdef"):
        return known
    if notify is not None and path.stat().st_size > _LONG:
        notify(f"reading {path.name} to know it again (once)")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    remember_digest(path, digest.hexdigest())
    return digest.hexdigest()


def remember_digest(path: Path, digest: str) -> None:
    """Keep what the sha256 of this state of a file was found to be."""
    write_note("sources", _note(path), digest)


def read_note(folder: str, name: str) -> str:
    """What the cache keeps under this name; empty if nothing, or if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return (models_folder() / folder / name).read_text(encoding="utf-8")
    return ""


def write_note(folder: str, name: str, text: str) -> None:
    """Keep a text in the cache. Where that cannot be written to, what it tells is found out again the next time."""
    note = models_folder() / folder / name
    with contextlib.suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=note.parent, delete=False) as file:
            file.write(text)
        Path(file.name).replace(note)


def _note(path: Path) -> str:
    stat = path.stat()
    state = f"{path.resolve()}\0{stat.st_size}\0{stat.st_mtime_ns}"
    return f"{hashlib.sha256(state.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}-file"
