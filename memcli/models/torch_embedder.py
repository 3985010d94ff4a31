"""A model run by sentence-transformers itself: for those that cannot be exported, at the price of importing torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memcli.errors import ModelError
from memcli.models.source import ModelSource
from memcli.models.windows import pool, readable, smoothed, spans, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

_ROOM_FOR_RETOKENIZING = 8
"""Tokens kept free in a window: its text, cut out of a longer one, may split into a few more pieces at its ends."""


def load_sentence_transformer(source: ModelSource) -> SentenceTransformer:
    """Load the model in `source` by sentence-transformers, on the CPU, without the network.

    Raises:
        ModelError: sentence-transformers is not installed or cannot load the model.
    """
    try:
        import sentence_transformers
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(f"{source.name}: sentence-transformers is needed for this model; pip install sentence-transformers") from error
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return sentence_transformers.SentenceTransformer(str(source.folder), device="cpu", local_files_only=True).eval()
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[-1]
        raise ModelError(f"{source.name}: sentence-transformers cannot load {source.folder}: {reason}") from error


class TorchEmbedder:
    """Embeds through `SentenceTransformer.encode`; long texts are cut by its own tokenizer."""

    def __init__(self, source: ModelSource, fingerprint: str) -> None:
        """Load the model; raises `ModelError` as `load_sentence_transformer` does."""
        self._name = source.name
        self._fingerprint = fingerprint
        self._model = load_sentence_transformer(source)
        self._dimension = int(self._model.encode([""], show_progress_bar=False).shape[1])
        self._window = self._find_window()

    @property
    def name(self) -> str:
        """See `Embedder.name`."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """See `Embedder.fingerprint`."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """See `Embedder.dimension`."""
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`."""
        if not texts:
            return np.empty((0, self._dimension), dtype=np.float32)
        windows: list[str] = []
        owners: list[int] = []
        weights: list[int] = []
        for owner, text in enumerate(map(readable, texts)):
            for window, weight in self._windows(text):
                windows.append(window)
                owners.append(owner)
                weights.append(weight)
        try:
            vectors = self._model.encode(windows, show_progress_bar=False, convert_to_numpy=True)
        except Exception as error:
            raise ModelError(f"{self._name}: the embedding model failed: {error}") from error
        return pool(unit(np.asarray(vectors, dtype=np.float32)), owners, weights, len(texts))

    def encode_in_context(self, blocks: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """See `Embedder.encode_in_context`; a text's context is what the vectors around it have in common with its own."""
        return [smoothed(self.encode(block)) for block in blocks]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Embedder.count_tokens`."""
        return [len(self._ids(readable(text))) for text in texts]

    def _find_window(self) -> int | None:
        limit = self._model.max_seq_length
        if limit is None or math.isinf(limit):
            return None
        special = len(self._model.tokenizer("")["input_ids"])
        return max(1, int(limit) - special - _ROOM_FOR_RETOKENIZING)

    def _ids(self, text: str) -> list[int]:
        tokenizer = self._model.tokenizer
        if hasattr(tokenizer, "encode_batch"):  # a bare tokenizers.Tokenizer, as static embeddings have
            return list(tokenizer.encode(text, add_special_tokens=False).ids)
        return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _windows(self, text: str) -> list[tuple[str, int]]:
        """Cut `text` into pieces that fit the model, each with its number of tokens."""
        if self._window is None:
            return [(text, 1)]
        ids = self._ids(text)
        if len(ids) <= self._window:
            return [(text, len(ids))]
        return [(self._model.tokenizer.decode(ids[start:end]), end - start) for start, end in spans(len(ids), self._window)]
