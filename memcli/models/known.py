"""What this machine has of models, and taking up another: the work of `mem models`."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memcli.config import expanded
from memcli.errors import ModelError, UsageError
from memcli.models.catalogue import (
    PACKAGES,
    Added,
    copy_in,
    hub_name,
    models_home,
    name_of,
    packaged,
    read_index,
    register,
)
from memcli.models.check import was_checked
from memcli.models.digest import file_digest
from memcli.models.gguf import read_gguf
from memcli.models.llama import installed


def runtime() -> str | None:
    """The version of llama-cpp-python; None if it is not installed."""
    if not installed():
        return None
    try:
        return importlib.metadata.version("llama-cpp-python")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def known_embedders() -> list[dict[str, Any]]:
    """The default embedding model: `{"name", "path", "dimension", "problem"}`, `problem` None where there is none."""
    import json

    from memcli.models.source import DEFAULT_EMBEDDER, find_source

    try:
        source = find_source(DEFAULT_EMBEDDER)
    except ModelError as error:
        return [{"name": DEFAULT_EMBEDDER, "path": None, "dimension": None, "problem": str(error)}]
    try:
        dimension = json.loads((source.folder / "config.json").read_text(encoding="utf-8")).get("hidden_size")
    except (OSError, ValueError, AttributeError):
        dimension = None
    return [{"name": source.name, "path": str(source.folder), "dimension": dimension, "problem": None}]


def known_models(*, notify: Callable[[str], None] | None = None) -> list[dict[str, Any]]:
    """Every language model that has a name here: as `describe`, those of packages first.

    Raises:
        ModelError: the index cannot be read.
    """
    found = []
    for package in PACKAGES:
        try:
            file = packaged(package)
        except ModelError as error:
            found.append(_unknown(package, "package", None, str(error)))
            continue
        try:
            digest = file_digest(file.path, notify=notify)
        except OSError as error:
            found.append(_unknown(package, "package", str(file.path), f"cannot be read: {error.strerror}"))
            continue
        found.append(describe(Added(package, str(file.path), digest, package, owned=False), source="package"))
    return found + [describe(entry, source="added") for entry in read_index().values()]


def describe(entry: Added, *, source: str) -> dict[str, Any]:
    """What there is to tell of a model.

    `{"name", "source", "origin", "path", "size", "architecture", "parameters", "context", "chat_template", "sha256", "checked",
    "problem"}`: bytes, tokens, and None for what is not known; `problem` says why a file cannot be used.
    """
    try:
        header = read_gguf(Path(entry.path))
    except ModelError as error:
        return _unknown(entry.name, source, entry.path, str(error)) | {"origin": entry.origin, "sha256": entry.sha256}
    return {
        "name": entry.name,
        "source": source,
        "origin": entry.origin,
        "path": entry.path,
        "size": header.size,
        "architecture": header.architecture,
        "parameters": header.parameters,
        "context": header.context,
        "chat_template": header.template is not None,
        "sha256": entry.sha256,
        "checked": was_checked(entry.sha256),
        "problem": None,
    }


def add_model(
    model: str,
    *,
    name: str | None = None,
    copy: bool = False,
    sha256: str | None = None,
    report: Callable[[int, int], None] | None = None,
) -> Added:
    """Take up a model by its file, by the package that carries it, or from the hub.

    Args:
        model: a path, a package's name, or `ORG/NAME` with or without `:FILE.gguf`.
        name: what it is to be called; made of its file's name when None.
        copy: whether a file is copied into the data folder.
        sha256: what the file must be.
        report: told bytes done and bytes in all.

    Raises:
        ModelError: there is none, or it is damaged or not the expected one.
        UsageError: the name is taken, or an option does not go with such a model.
        OSError: something cannot be written.
    """
    path = expanded(model, ModelError)
    if path.is_file() or path.is_absolute() or (model.lower().endswith(".gguf") and ":" not in model):
        return _add_file(path.absolute(), name or name_of(path.name), str(path.absolute()), copy, sha256, report)
    if copy:
        raise UsageError("--copy is for a file of your own; what is fetched lies in mem's data folder anyway")
    named = hub_name(model)
    if named is None:
        file = packaged(model)
        return _add_file(file.path, name or (name_of(model) if model not in PACKAGES else model), model, False, sha256, report)
    from memcli.models.hub import fetch

    repository, wanted = named
    # Files of different repositories may have the same name.
    folder = models_home() / repository.replace("/", "--")
    target, file_name, digest = fetch(repository, wanted, folder, sha256=sha256, report=report)
    return _registered(target, name or name_of(target.name), f"{repository}:{file_name}", digest, owned=True)


def _add_file(path: Path, name: str, origin: str, copy: bool, sha256: str | None, report: Callable[[int, int], None] | None) -> Added:
    read_gguf(path)
    digest = file_digest(path)
    if sha256 is not None and digest != sha256:
        raise ModelError(f"{path}: has sha256 {digest}, expected {sha256}; fetch the file again, or check --sha256")
    target = copy_in(path, report) if copy else path
    try:
        return _registered(target, name, origin, digest, owned=copy)
    except UsageError:
        if copy:
            target.unlink(missing_ok=True)
        raise


def _registered(path: Path, name: str, origin: str, digest: str, *, owned: bool) -> Added:
    read_gguf(path)
    entry = Added(name, str(path), digest, origin, owned)
    if name not in PACKAGES:  # which are known without being added
        register(entry)
    return entry


def _unknown(name: str, source: str, path: str | None, problem: str) -> dict[str, Any]:
    unknown = ("origin", "size", "architecture", "parameters", "context", "chat_template", "sha256")
    about: dict[str, Any] = dict.fromkeys(unknown)
    return {"name": name, "source": source, "path": path, "checked": False, "problem": problem} | about
