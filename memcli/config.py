"""Settings, by precedence: flag, environment, the file's own settings, the user's config file, default.

The user's config file is `config.toml` in the user's config folder (`~/.config/mem` on Linux,
`~/Library/Application Support/mem` on macOS). It need not exist, and may hold

    db = "~/notes/memory.memdb"         # the memory file to use where neither --db, $MEM_DB nor ./memory.memdb is there
    embedder = "all-MiniLM-L6-v2"       # the embedding model of memory files yet to be made
    llm = "smollm2"                     # the language model that helps; none without it
    llm_uses = "claims,answer"          # what it is used for; what suits its size without it

A relative `db` is relative to the config file's folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memcli.errors import InputError, MemError, StoreError, UsageError

FILE_NAME = "memory.memdb"

KEYS = ("db", "embedder", "llm", "llm_uses")
"""What the config file may hold."""


@dataclass(frozen=True, slots=True)
class Config:
    """What the user's config file says; None where it says nothing."""

    db: Path | None = None
    embedder: str | None = None
    llm: str | None = None
    llm_uses: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it holds now: its value, what it comes from, and the (value, source) that it stands before, nearest first."""

    key: str
    value: str
    source: str
    overridden: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """`{"key", "value", "source", "overridden": [{"value", "source"}]}`."""
        overridden = [{"value": value, "source": source} for value, source in self.overridden]
        return {"key": self.key, "value": self.value, "source": self.source, "overridden": overridden}


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
        if key not in KEYS:
            raise InputError(f"unknown key {key!r}; the keys are {_listed(KEYS)}", source=str(path))
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{key} must be a text in quotes", source=str(path))
    db = settings.get("db")
    if db is not None:
        db = path.parent / expanded(db, lambda said: InputError(f"db: {said}", source=str(path)))
    return Config(db, settings.get("embedder"), settings.get("llm"), settings.get("llm_uses"))


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
    return named_embedder(flag, environ) or (None if _is_there(db) else load().embedder)


def named_embedder(flag: str | None, environ: Mapping[str, str] = os.environ) -> str | None:
    """The embedder that was asked for by `flag` or `$MEM_EMBEDDER`.

    Raises:
        UsageError: the flag is empty.
    """
    if flag is not None and not flag:
        raise UsageError("--embedder is empty; give a model's name or folder")
    return flag or environ.get("MEM_EMBEDDER") or None


def resolve_llm(flag: str | None, environ: Mapping[str, str] = os.environ) -> str | None:
    """The language model to ask for: `flag`, else `$MEM_LLM`, else the config file's; None for none.

    Raises:
        UsageError: the flag is empty.
        InputError: the config file is needed and wrong.
    """
    if flag is not None and not flag.strip():
        raise UsageError("--llm is empty; give a GGUF file, a model's name or a server's address, or --no-llm for none")
    return flag or environ.get("MEM_LLM") or load().llm


def resolve_llm_uses(flag: str | None, environ: Mapping[str, str] = os.environ) -> str | None:
    """What the language model is to be used for, as the user wrote it: `flag`, else `$MEM_LLM_USES`, else the config file's.

    Raises:
        InputError: the config file is needed and wrong.
    """
    return flag or environ.get("MEM_LLM_USES") or load().llm_uses


def explain(
    db: str | None = None,
    embedder: str | None = None,
    *,
    recorded: str | None = None,
    default: str,
    environ: Mapping[str, str] = os.environ,
) -> list[Setting]:
    """Every setting with where it comes from, by the precedence that the `resolve_` functions follow.

    Args:
        db: what `--db` says.
        embedder: what `--embedder` says.
        recorded: the embedder that the memory file is fixed to, if there is one.
        default: the embedder of a file yet to be made, where nothing else says.
        environ: the environment.

    Raises:
        InputError: the config file is wrong.
    """
    said, file = load(), str(config_file())
    here = Path(FILE_NAME)
    return [
        _setting(
            "db",
            (db, "--db"),
            (environ.get("MEM_DB"), "$MEM_DB"),
            (f"./{here}" if _is_there(here) else None, "this folder"),
            (said.db, file),
            (data_file(), "default"),
        ),
        _setting(
            "embedder",
            (embedder, "--embedder"),
            (environ.get("MEM_EMBEDDER"), "$MEM_EMBEDDER"),
            (recorded, "the memory file, which is fixed to it"),
            (said.embedder, file),
            (default, "default"),
        ),
        _setting("llm", (environ.get("MEM_LLM"), "$MEM_LLM"), (said.llm, file), ("none", "default")),
        _setting(
            "llm_uses", (environ.get("MEM_LLM_USES"), "$MEM_LLM_USES"), (said.llm_uses, file), ("what suits the model's size", "default")
        ),
    ]


def _setting(key: str, *candidates: tuple[str | Path | None, str]) -> Setting:
    (value, source), *others = [(str(value), source) for value, source in candidates if value]
    return Setting(key, value, source, tuple(others))


def store(key: str, value: str | None) -> None:
    """Write a setting to the user's config file, or with None take it out; everything else in the file stays as it is.

    A relative `db` is made absolute, since it is meant from where the user stands.

    Raises:
        UsageError: no such key, or the value means nothing.
        InputError: the file there is wrong.
        OSError: it cannot be written.
    """
    if key not in KEYS:
        raise UsageError(f"unknown key {key!r}; the keys are {_listed(KEYS)}")
    if value is not None and not value.strip():
        raise UsageError(f"{key} is empty; to go back to the default: mem config unset {key}")
    if key == "db" and value is not None:
        value = str(expanded(value, UsageError).absolute())
    path = config_file()
    load(path)
    import tomlkit

    document = tomlkit.parse(path.read_text(encoding="utf-8-sig")) if path.exists() else tomlkit.document()
    if value is not None:
        document[key] = value
    elif key in document:
        del document[key]
    else:
        return
    target = path.resolve()  # a link stays one
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        partial.write_text(tomlkit.dumps(document), encoding="utf-8")
        partial.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o600)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def expanded(path: str, error: Callable[[str], MemError]) -> Path:
    """`path` with `~` and `~user` replaced by the home folder; raises what `error` makes of a reason if there is no such folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as reason:
        raise error(f"{path}: there is no home folder of that name; write the whole path") from reason


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _is_there(path: Path) -> bool:
    """Whether something is at `path`; also where that cannot be seen, as opening it will say why."""
    try:
        return path.exists()
    except OSError:
        return True
