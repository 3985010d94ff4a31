"""The cross-encoder seam: a model that reads a question and a text together and says how well they fit.

It is slower than comparing vectors by orders of magnitude, and imports torch, so it only ever sees the best few facts, and only if the user
asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.config import expanded
from memcli.errors import ModelError
from memcli.models.windows import readable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import CrossEncoder

__all__ = ["Reranker"]

BATCH = 16
"""Pairs a batch: the fastest of 8, 16, 32 and 64 for 50 pairs of 68 tokens on two cores, a six-layer model; larger ones pad more."""

_HOW = "name a cross-encoder's folder, or fetch one once while online: hf download cross-encoder/ms-marco-MiniLM-L6-v2"


class Reranker:
    """A cross-encoder of sentence-transformers, on the CPU; nothing is ever downloaded."""

    def __init__(self, name_or_path: str) -> None:
        """Load the model.

        Args:
            name_or_path: a folder that `sentence_transformers.CrossEncoder` can load, or the full name of a model in the local
                Hugging Face cache.

        Raises:
            ModelError: it is not on this machine, cannot be loaded, or gives more than one score a pair.
        """
        self.name = name_or_path
        self._model = _load(name_or_path)
        if (labels := self._model.num_labels) != 1:
            raise ModelError(f"{name_or_path}: gives {labels} scores a pair, and a reranker must give one; {_HOW}")

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text fits the question.

        Returns an array of shape `(len(texts),)`, float32, in the order of `texts`: higher fits better, on the model's own scale. A pair
        past the model's window is cut off at its end.

        Raises:
            ModelError: the model failed.
        """
        import numpy as np

        if not texts:
            return np.empty(0, np.float32)
        pairs = [(readable(question), readable(text)) for text in texts]
        try:
            found = self._model.predict(pairs, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)
        except Exception as error:
            raise ModelError(f"{self.name}: the cross-encoder failed: {error}") from error
        return np.asarray(found, dtype=np.float32).reshape(len(texts))


def _load(name: str) -> CrossEncoder:
    folder = _folder(name)
    try:
        import sentence_transformers
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(f"{name}: sentence-transformers is needed for a reranker; pip install sentence-transformers") from error
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        model: CrossEncoder = sentence_transformers.CrossEncoder(str(folder), device="cpu", local_files_only=True)
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[-1]
        raise ModelError(f"{name}: sentence-transformers cannot load {folder} as a cross-encoder: {reason}") from error
    return model


def _folder(name: str) -> Path:
    """Where the model is on this machine: found before anything heavy is imported, so that a mistyped name is told at once."""
    path = expanded(name, ModelError)
    try:
        if path.is_dir():
            if not (path / "config.json").is_file():
                raise ModelError(f"{name}: the folder holds no cross-encoder (no config.json is in it); {_HOW}")
            return path
    except (OSError, ValueError) as error:
        raise ModelError(f"{name}: no such cross-encoder on this machine; {_HOW}") from error
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        found = None
    if not isinstance(found, str):
        raise ModelError(f"{name}: no such cross-encoder on this machine; {_HOW}")
    return Path(found).parent
