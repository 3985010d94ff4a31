"""The cache of exported models: entries that are whole or not there, made by a child process, shared by all processes of a user.

    <cache>/models/<fingerprint>-<format>/    model.onnx, model.bin, tokenizer.json, mem.json
    <cache>/models/sources/<signature>        the fingerprint of a model folder, so that its weights are hashed once

An entry is built in a folder of its own beside the others and renamed into place. Two processes that build the same one at once
both succeed: who comes second finds the first one's entry and uses it. A new entry takes the place of those of older formats.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.config import expanded
from memcli.errors import OUT_OF_FILES, ModelError
from memcli.models.manifest import FORMAT, PROBE_TEXT, Manifest, read_manifest
from memcli.models.source import ModelSource

if TYPE_CHECKING:
    from memcli.models.embedder import Embedder
    from memcli.models.onnx_embedder import OnnxEmbedder

_UNFINISHED = ".unfinished-"
_ENTRY = re.compile(r"[0-9a-f]{32}-(?P<format>[0-9]{1,9})")
_ABANDONED_AFTER = 24 * 3600.0
"""Seconds after which a folder that an interrupted export left behind is swept; no export runs that long."""

_PROBE_COSINE = 0.999
"""Below what differs between CPUs by many orders, above what damaged weights give."""


def models_folder(cache_dir: Path | None = None) -> Path:
    """Return where entries are: in `cache_dir`, else `$MEM_CACHE_DIR`, else the user's cache folder. It need not exist.

    Raises:
        ModelError: `$MEM_CACHE_DIR` names a home folder that there is not.
    """
    if cache_dir is None:
        chosen = os.environ.get("MEM_CACHE_DIR")
        if chosen:
            cache_dir = expanded(chosen, lambda said: ModelError(f"MEM_CACHE_DIR: {said}"))
        else:
            import platformdirs

            cache_dir = Path(platformdirs.user_cache_dir("mem", appauthor=False))
    return cache_dir / "models"


def open_cached(source: ModelSource, *, cache_dir: Path | None = None, progress: Callable[[str], None] | None = None) -> Embedder:
    """Load the model in `source` from its entry, making the entry first when it is missing or damaged.

    Raises:
        ModelError: the weights are not the expected ones, or the model cannot be exported or loaded.
        OSError: too many files are open.
    """
    root = models_folder(cache_dir)
    try:
        root.mkdir(parents=True, exist_ok=True)
        fingerprint = _known_fingerprint(source, root)
        entry = root / f"{fingerprint[:32]}-{FORMAT}"
        manifest = read_manifest(entry, fingerprint)
        if manifest is not None:
            embedder = _open(entry, manifest, source)
            if embedder is not None:
                return embedder
        if progress is not None:
            progress(f"preparing the embedding model {source.name} for its first use (once, about 20 seconds)")
        manifest = _build(entry, source, fingerprint)
    except OSError as error:
        if error.errno in OUT_OF_FILES:
            raise  # which is nobody's fault but the limit's
        raise ModelError(
            f"{source.name}: cannot use the model cache {root}: {error}; set MEM_CACHE_DIR to a folder that can be written"
        ) from error
    if manifest.reason and progress is not None:
        progress(f"{source.name} runs through sentence-transformers, which starts slowly: {manifest.reason}")
    embedder = _open(entry, manifest, source)
    if embedder is None:
        raise ModelError(f"{source.name}: its new cache entry {entry} does not load; check the disk, delete the folder and try again")
    return embedder


def _known_fingerprint(source: ModelSource, root: Path) -> str:
    """Return the fingerprint of `source`, from the note made when this very state of its files was hashed, if there is one."""
    note = root / "sources" / _signature(source)
    with contextlib.suppress(OSError, ValueError):
        noted = note.read_text(encoding="ascii")
        if len(noted) == 64 and set(noted) <= set("0123456789abcdef"):
            return noted
    fingerprint = source.fingerprint()
    note.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="ascii", dir=note.parent, delete=False) as file:
        file.write(fingerprint)
    Path(file.name).replace(note)
    return fingerprint


def _signature(source: ModelSource) -> str:
    expected = source.expected_weights or "any"
    return f"{source.signature()}-{expected[:8]}-{FORMAT}"


def _open(entry: Path, manifest: Manifest, source: ModelSource) -> Embedder | None:
    """Load an entry; None if onnxruntime cannot, or if what it loads gives other vectors than the export did."""
    if manifest.runtime == "sentence-transformers":
        from memcli.models.torch_embedder import TorchEmbedder

        return TorchEmbedder(source, manifest.fingerprint)
    from memcli.models.onnx_embedder import OnnxEmbedder

    try:
        embedder = OnnxEmbedder(entry, manifest, source.name)
        return embedder if _gives_probe(embedder, manifest) else None
    except Exception as error:  # onnxruntime and tokenizers raise classes of their own, and bare Exception
        if isinstance(error, OSError) and error.errno in OUT_OF_FILES:
            raise
        return None


def _gives_probe(embedder: OnnxEmbedder, manifest: Manifest) -> bool:
    vector = embedder.encode([PROBE_TEXT])[0]
    return len(manifest.probe) == len(vector) and float(vector.dot(manifest.probe)) >= _PROBE_COSINE


def _build(entry: Path, source: ModelSource, fingerprint: str) -> Manifest:
    """Export `source` in a child process and put the result at `entry`, unless somebody else has done so meanwhile."""
    sweep(entry.parent)
    damaged = _identity(entry)
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=entry.parent, ignore_cleanup_errors=True) as workshop:
        built = Path(workshop) / "entry"
        built.mkdir()
        _run_export(source, built, fingerprint)
        manifest = read_manifest(built, fingerprint)
        if manifest is None:
            raise ModelError(f"{source.name}: its export left no whole entry; check that {entry.parent} has 200 MB free and try again")
        # A folder cannot be renamed over another; only the damaged one moves away, never what somebody has put there since.
        if damaged is not None and _identity(entry) == damaged:
            entry.rename(Path(workshop) / "damaged")
        try:
            built.rename(entry)
        except OSError:
            theirs = read_manifest(entry, fingerprint)
            if theirs is None:
                raise
            return theirs
        drop_superseded(entry.parent)
        return manifest


def _identity(folder: Path) -> tuple[int, int] | None:
    """Tell one folder from another that takes its name later; None if there is none."""
    try:
        stat = folder.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_ctime_ns


def _run_export(source: ModelSource, built: Path, fingerprint: str) -> None:
    package_parent = str(Path(__file__).resolve().parents[2])
    search = os.pathsep.join(filter(None, (package_parent, os.environ.get("PYTHONPATH"))))
    # -P: a torch.py in the folder the user happens to be in is not ours to import.
    command = [sys.executable, "-P", "-m", "memcli.models.export", str(source.folder.resolve()), str(built), fingerprint, source.name]
    environment = {**os.environ, "PYTHONPATH": search, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"it ended with status {done.returncode}"
        raise ModelError(f"{source.name}: preparing the embedding model failed: {reason}; to see it all, run: {' '.join(command)}")


def sweep(root: Path) -> None:
    """Remove what exports left behind that were killed long ago."""
    oldest = time.time() - _ABANDONED_AFTER
    for path in root.glob(f"{_UNFINISHED}*"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path, ignore_errors=True)


def drop_superseded(root: Path) -> None:
    """Remove the entries of older formats, which this version cannot use: 90 MB for each model.

    Each is renamed first, so that nobody finds half of one; a process that has one open keeps what it has open.
    """
    for path in root.iterdir():
        found = _ENTRY.fullmatch(path.name)
        if found is None or int(found["format"]) >= FORMAT:
            continue
        with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=root, ignore_cleanup_errors=True) as aside:
            path.rename(Path(aside) / path.name)
