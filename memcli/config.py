"""Settings, by precedence: flag, environment, the file's own settings, the user's config file, default.

The user's config file is `config.toml` in the user's config folder (`~/.config/mem` on Linux,
`~/Library/Application Support/mem` on macOS). It need not exist, and may hold

    db = "~/notes/memory.memdb"         # the memory file to use where neither --db, $MEM_DB nor ./memory.memdb is there
    embedder = "all-MiniLM-L6-v2"       # the embedding model of memory files yet to be made

A relative `db` is relative to the config file's folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memcli.errors import InputError, MemError, StoreError, UsageError

FILE_NAME = "memory.memdb"


@dataclass(frozen=True, slots=True)
class Config:
    """What the user's config file says; None where it says nothing."""

    db: Path | None = None
    embedder: str | None = None


def config_file() -> Path:
    """Where the user's config file is, or would be."""
    from platformdirs import user_config_path

    return user_config_path("mem", appauthor=False) / "config.toml"


def data_file() -> Path:
    """The memory file in the user's data folder, whether or not it is there."""
    from platformdirs import user_data_path

    return user_data_path("mem", appauthor=False) / FILE_NAME


def load(path: Path | None = None) -> Config:
    """Read the user's config file, or the one at `path`; an empty `Config` if there is none.

    Raises:
        InputError: it cannot be read, is not TOML, or has a key or a value that means nothing.
    """
    path = path if path is not None else config_file()
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from error
    import tomllib

    try:
        settings = tomllib.loads(raw.decode("utf-8-sig"))
    except ValueError as error:
        raise InputError(f"is not TOML: {error}", source=str(path)) from error
    except RecursionError as error:
        raise InputError("is nested too deep to be read", source=str(path)) from error
    for key, value in settings.items():
        if key not in ("db", "embedder"):
            raise InputError(f"unknown key {key!r}; the keys are db and embedder", source=str(path))
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{key} must be a text in quotes", source=str(path))
    db = settings.get("db")
    if db is not None:
        db = path.parent / expanded(db, lambda said: InputError(f"db: {said}", source=str(path)))
    return Config(db, settings.get("embedder"))


def resolve_db(flag: str | None, environ: Mapping[str, str] = os.environ) -> Path:
    """The memory file: `flag`, else `$MEM_DB`, else `./memory.memdb` if it exists, else the config file's, else the user's data folder's.

    Raises:
        UsageError: the flag is empty, or names a home folder that there is not.
        StoreError: `$MEM_DB` names a home folder that there is not.
        InputError: the config file is needed and wrong.
    """
    if flag is not None and not flag:
        raise UsageError("--db is empty; give the path of the memory file")
    if flag:
        return expanded(flag, lambda said: UsageError(f"--db {said}"))
    if named := environ.get("MEM_DB"):
        return expanded(named, lambda said: StoreError(f"MEM_DB: {said}"))
    here = Path(FILE_NAME)
    if _is_there(here):
        return here
    return load().db or data_file()


def resolve_embedder(flag: str | None, db: Path, environ: Mapping[str, str] = os.environ) -> str | None:
    """The embedder to ask for: `flag`, else `$MEM_EMBEDDER`, else, for a file yet to be made, the config file's.

    None leaves the choice to the file at `db`, which names its own, and to the default if it is new.

    Raises:
        UsageError: the flag is empty.
        InputError: the config file is needed and wrong.
    """
    if flag is not None and not flag:
        raise UsageError("--embedder is empty; give a model's name or folder")
    if named := flag or environ.get("MEM_EMBEDDER"):
        return named
    return None if _is_there(db) else load().embedder


def expanded(path: str, error: Callable[[str], MemError]) -> Path:
    """`path` with `~` and `~user` replaced by the home folder; raises what `error` makes of a reason if there is no such folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as reason:
        raise error(f"{path}: there is no home folder of that name; write the whole path") from reason


def _is_there(path: Path) -> bool:
    """Whether something is at `path`; also where that cannot be seen, as opening it will say why."""
    try:
        return path.exists()
    except OSError:
        return True
