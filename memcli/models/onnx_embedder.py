"""An exported model run by onnxruntime: what every start but the first uses."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from memcli.errors import ModelError
from memcli.models.manifest import CONTEXT_FILE, GRAPH_FILE, PROBE_TEXT, TOKENIZER_FILE, Manifest
from memcli.models.windows import batches, pieces, pool, readable, smoothed, spans, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOKENS_PER_BATCH = 384
"""Padded tokens in one run of the model. On two cores with 1 MB of L2 cache each, 256 to 512 were fastest by a little (about 5%
over 1024); small batches also keep memory low."""

TEXTS_PER_ROUND = 4096
"""Texts tokenized, sorted and run at once; bounds what a long list holds in memory beside its vectors."""

CONTEXT_COSINE = 0.97
"""The least cosine, in the mean, between vectors in context of 8-bit and of full weights at which the former are used. Measured on
the default model: 0.992 in the mean, 0.983 at worst, in half the time; without a scale of its own for each channel 0.952."""

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
        self._session = _session(folder / GRAPH_FILE)
        self._context_file = folder / CONTEXT_FILE if CONTEXT_FILE in manifest.sizes else None
        self._context_session: onnxruntime.InferenceSession | None = None
        self._loading = threading.Lock()

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

    def encode_in_context(self, blocks: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """See `Embedder.encode_in_context`."""
        if not self._manifest.token_states:
            return [smoothed(self.encode(block)) for block in blocks]
        session = self._session_for_contexts()
        flat = list(self._tokenize([text for block in blocks for text in block]))
        ends = list(accumulate((len(block) for block in blocks), initial=0))
        work = [flat[start:end] for start, end in pairwise(ends)]

        def run(block: Sequence[Sequence[int]]) -> NDArray[np.float32]:
            return self._embed_block(session, block)

        if len(work) == 1 or self._workers == 1:
            return [run(block) for block in work]
        with ThreadPoolExecutor(self._workers) as threads:
            return list(threads.map(run, work))

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

    def _session_for_contexts(self) -> onnxruntime.InferenceSession:
        """The 8-bit model, loaded when it is first needed; the full one where there is no other, or that one is damaged."""
        with self._loading:
            if self._context_session is None:
                self._context_session = self._session
                if self._context_file is not None:
                    try:
                        session = _session(self._context_file)
                        vector = self._embed_block(session, list(self._tokenize([PROBE_TEXT])))[0]
                    except Exception as error:  # onnxruntime raises classes of its own
                        if isinstance(error, OSError):
                            raise
                    else:
                        if float(vector.dot(self._manifest.probe)) >= CONTEXT_COSINE:
                            self._context_session = session
            return self._context_session

    def _embed_block(self, session: onnxruntime.InferenceSession, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Embed texts, given as token ids, as one: unit vectors `(len(texts), dimension)`, each of its own tokens' states.

        One window a run: 8-bit arithmetic takes its scale from all of a run, so that a window's states would depend on the others'.
        """
        ids = [token for text in texts for token in text]
        lengths = [len(text) for text in texts]
        before, special = len(self._manifest.prefix), self._manifest.max_tokens - self._window
        found: list[tuple[int, int, NDArray[np.float32]]] = []
        for start, end in spans(len(ids), self._window):
            window = [*self._manifest.prefix, *ids[start:end], *self._manifest.suffix]
            states = self._call(session, "token_states", [window])[0]
            for text, first, past in pieces(lengths, start, end):
                # Who has a window to itself has its special tokens too, which `encode` counts.
                whole = past - first == len(window) - special
                found.append((text, past - first, (states if whole else states[before + first : before + past]).mean(axis=0)))
        found.sort(key=lambda piece: piece[0])
        vectors = unit(np.stack([mean for _, _, mean in found])) if found else np.empty((0, self.dimension), np.float32)
        return pool(vectors, [text for text, _, _ in found], [tokens for _, tokens, _ in found], len(texts))

    def _run_all(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        vectors = np.empty((len(windows), self.dimension), dtype=np.float32)

        def run(batch: list[int]) -> None:
            vectors[batch] = self._call(self._session, "embedding", [windows[index] for index in batch])

        groups = list(batches([len(window) for window in windows], TOKENS_PER_BATCH))
        if len(groups) == 1 or self._workers == 1:
            for group in groups:
                run(group)
        else:
            with ThreadPoolExecutor(self._workers) as threads:
                list(threads.map(run, groups))
        return vectors

    def _call(self, session: onnxruntime.InferenceSession, output: str, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Run one batch: ids and mask `(b, longest)`, int64, in; that output, and nothing that only others need, float32, out."""
        longest = max(len(window) for window in windows)
        ids = np.full((len(windows), longest), self._manifest.pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        try:
            result: NDArray[np.float32] = session.run([output], {"input_ids": ids, "attention_mask": mask})[0]
        except Exception as error:
            raise ModelError(f"{self._name}: the embedding model failed: {_last_line(error)}") from error
        return result


def _session(graph: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # An arena never gives back the memory of the largest batch it has seen, and is no faster here.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _last_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[-1]
