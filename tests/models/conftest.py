from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memcli.models import Embedder, load_embedder
from memcli.models.catalogue import ModelFile, find_model
from memcli.models.llama import LlamaModel
from memcli.models.manifest import FORMAT
from memcli.models.source import DEFAULT_EMBEDDER, find_source

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

ROOT = Path(__file__).resolve().parents[2]

REPORT_WHAT_IS_IMPORTED = """
import json, sys
import memcli.models
heavy = {"torch", "transformers", "sentence_transformers", "scipy", "sklearn", "onnx", "huggingface_hub"}
early = sorted((heavy | {"onnxruntime", "tokenizers", "numpy"}) & set(sys.modules))
embedder = memcli.models.load_embedder()
shape = embedder.encode(["one", "two"]).shape
print(json.dumps({"early": early, "loaded": sorted(heavy & set(sys.modules)), "shape": shape, "fingerprint": embedder.fingerprint}))
"""


@dataclass(frozen=True, slots=True)
class Exported:
    """A cache folder that two processes, started together on an empty one, have filled, and what they said."""

    cache_dir: Path
    exit_codes: list[int]
    reports: list[dict[str, Any]]
    errors: list[str]


def start_process(cache_dir: Path) -> subprocess.Popen[str]:
    """Load the default model and report in a process, and process group, of its own."""
    environment = os.environ | {"MEM_CACHE_DIR": str(cache_dir), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", REPORT_WHAT_IS_IMPORTED]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.fixture(scope="session")
def start() -> Callable[[Path], subprocess.Popen[str]]:
    return start_process


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    cache_dir = tmp_path_factory.mktemp("cache")
    (cache_dir / "models" / f"{'0' * 32}-{FORMAT - 1}").mkdir(parents=True)
    processes = [start_process(cache_dir), start_process(cache_dir)]
    ends = [process.communicate(timeout=180) for process in processes]
    reports = [json.loads(out) for out, _ in ends if out]
    return Exported(cache_dir, [process.returncode for process in processes], reports, [err for _, err in ends])


@pytest.fixture(scope="session")
def cache_dir(exported: Exported) -> Path:
    return exported.cache_dir


@pytest.fixture(scope="session")
def embedder(cache_dir: Path) -> Embedder:
    return load_embedder(cache_dir=cache_dir)


@pytest.fixture(scope="session")
def reference() -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(find_source(DEFAULT_EMBEDDER).folder), device="cpu", local_files_only=True)


@pytest.fixture(scope="session")
def smollm() -> Path:
    """The file of a real instruct model, small enough for tests."""
    return find_model("smollm2").path


@pytest.fixture(scope="session")
def llama(smollm: Path) -> Iterator[LlamaModel]:
    """That model, loaded once in a run of the tests."""
    model = LlamaModel(ModelFile("smollm2", smollm))
    yield model
    model.close()


MakeGGUF = Callable[..., Path]


@pytest.fixture
def make_gguf(tmp_path: Path) -> MakeGGUF:
    """Writes a GGUF file of the right form: metadata, one tensor of 16-bit numbers of this shape, and as many bytes for it as it needs."""

    def make(name: str = "small.gguf", shape: tuple[int, ...] = (32, 8), **metadata: str | int) -> Path:
        def text(value: str) -> bytes:
            return struct.pack("<Q", len(value.encode())) + value.encode()

        pairs: dict[str, str | int] = {"general.architecture": "llama", "general.name": "Small", "llama.context_length": 512}
        pairs |= {"llama.block_count": 2, "llama.embedding_length": 32, "llama.attention.head_count": 4} | metadata
        head = struct.pack("<4sIQQ", b"GGUF", 3, 1, len(pairs))
        for key, value in pairs.items():
            typed = struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value)
            head += text(key) + typed
        head += text("token_embd.weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 1, 0)
        head += b"\0" * (-len(head) % 32)
        path = tmp_path / name
        with path.open("wb") as file:
            file.write(head)
            file.truncate(len(head) + 2 * math.prod(shape))
        return path

    return make
