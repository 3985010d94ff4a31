"""An exported model run by onnxruntime: what every start but the first uses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from memcli.errors import ModelError
from memcli.models.manifest import GRAPH_FILE, TOKENIZER_FILE, Manifest
from memcli.models.windows import batches, pool, readable, spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOKENS_PER_BATCH = 384
"""Padded tokens in one run of the model. On two cores with 1 MB of L2 cache each, 256 to 512 were fastest by a little (about 5%
over 1024); small batches also keep memory low."""

TEXTS_PER_ROUND = 4096
"""Texts tokenized, sorted and run at once; bounds what a long list holds in memory beside its vectors."""

MAX_WORKERS = 8


class OnnxEmbedder:
    """Embeds with one single-threaded session shared by one thread per core.

    Batches are independent, so several run at once, none waiting for another after each layer as threads inside one run do.
    On two cores this gave 880 to 900 texts/s against 830 to 860 with two threads inside each run (same graph, 256 to 768 tokens).
    """

    def __init__(self, folder: Path, manifest: Manifest, name: str) -> None:
        """Load the entry in `folder`, whose `manifest` has the runtime `onnx`; any exception of the libraries passes through."""
        self._name = name
        self._manifest = manifest
        self._window = manifest.max_tokens - len(manifest.prefix) - len(manifest.suffix)
        self._workers = min(MAX_WORKERS, _cores())
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # An arena never gives back the memory of the largest batch it has seen, and is no faster here.
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(str(folder / GRAPH_FILE), options, providers=["CPUExecutionProvider"])

    @property
    def name(self) -> str:
        """See `Embedder.name`."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """See `Embedder.fingerprint`."""
        return self._manifest.fingerprint

    @property
    def dimension(self) -> int:
        """See `Embedder.dimension`."""
        return self._manifest.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), TEXTS_PER_ROUND):
            part = texts[start : start + TEXTS_PER_ROUND]
            vectors[start : start + len(part)] = self._encode_round(part)
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`."""
        rounds = (texts[start : start + TEXTS_PER_ROUND] for start in range(0, len(texts), TEXTS_PER_ROUND))
        return [len(ids) for part in rounds for ids in self._tokenize(part)]

    def _tokenize(self, texts: Sequence[str]) -> Iterator[list[int]]:
        encodings = self._tokenizer.encode_batch_fast([readable(text) for text in texts], add_special_tokens=False)
        return (encoding.ids for encoding in encodings)

    def _encode_round(self, texts: Sequence[str]) -> NDArray[np.float32]:
        windows: list[list[int]] = []
        owners: list[int] = []
        for owner, ids in enumerate(self._tokenize(texts)):
            for start, end in spans(len(ids), self._window):
                windows.append([*self._manifest.prefix, *ids[start:end], *self._manifest.suffix])
                owners.append(owner)
        special = self._manifest.max_tokens - self._window
        vectors = self._run_all(windows)
        return pool(vectors, owners, [len(window) - special for window in windows], len(texts))

    def _run_all(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        vectors = np.empty((len(windows), self.dimension), dtype=np.float32)

        def run(batch: list[int]) -> None:
            vectors[batch] = self._run([windows[index] for index in batch])

        groups = list(batches([len(window) for window in windows], TOKENS_PER_BATCH))
        if len(groups) == 1 or self._workers == 1:
            for group in groups:
                run(group)
        else:
            with ThreadPoolExecutor(self._workers) as threads:
                list(threads.map(run, groups))
        return vectors

    def _run(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Embed one batch: ids and mask `(b, longest)`, int64, in; unit vectors `(b, dimension)` out."""
        longest = max(len(window) for window in windows)
        ids = np.full((len(windows), longest), self._manifest.pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        try:
            result: NDArray[np.float32] = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        except Exception as error:
            raise ModelError(f"{self._name}: the embedding model failed: {_last_line(error)}") from error
        return result


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _last_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[-1]
