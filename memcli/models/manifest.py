"""What the cache knows about an exported model: `mem.json`, the file that makes a folder an entry."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

Runtime = Literal["onnx", "sentence-transformers"]

GRAPH_FILE = "model.onnx"
WEIGHTS_FILE = "model.bin"
TOKENIZER_FILE = "tokenizer.json"
CONTEXT_FILE = "context.onnx"
"""The graph once more with weights of 8 bits, for texts in context only."""

MANIFEST_FILE = "mem.json"

FORMAT = 2
"""Raised when an entry written before can no longer be used; part of an entry's folder name."""

PROBE_TEXT = "The ferry leaves at noon, so let us meet at the blue gate."
"""Embedded after each load and compared with the manifest's vector: it costs one query and catches a damaged weights file."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """How to run an entry. Times, paths and versions are left out: equal models have equal manifests."""

    fingerprint: str
    runtime: Runtime
    reason: str
    """Why the model is not run through onnxruntime; empty if it is."""
    dimension: int = 0
    max_tokens: int = 0
    """The model's window in tokens, special ones included."""
    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    """Ids of the special tokens before and after a text."""
    pad: int = 0
    token_states: bool = False
    """Whether the graph has an output `token_states`, of which `embedding` is the mean."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes by file name, to tell a truncated file."""
    probe: tuple[float, ...] = ()
    """The vector of `PROBE_TEXT`."""


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write `mem.json` into `folder`."""
    (folder / MANIFEST_FILE).write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")


def read_manifest(folder: Path, fingerprint: str) -> Manifest | None:
    """Return the manifest of the entry in `folder`, or None if there is no whole entry for `fingerprint` in it."""
    try:
        data = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        for key in ("prefix", "suffix", "probe"):
            data[key] = tuple(data[key])
        manifest = Manifest(**data)
        whole = all((folder / name).stat().st_size == size for name, size in manifest.sizes.items())
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return manifest if whole and manifest.fingerprint == fingerprint else None
