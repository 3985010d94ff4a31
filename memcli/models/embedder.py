"""The embedder seam: the protocol that the rest of the program knows, and the function that picks who satisfies it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memcli.models.source import DEFAULT_EMBEDDER, find_source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DEFAULT_EMBEDDER", "Embedder", "load_embedder"]


class Embedder(Protocol):
    """Turns texts into unit vectors. Implementations may be called from several threads."""

    @property
    def name(self) -> str:
        """What the user calls the model; loading this name again gives the same model."""
        ...

    @property
    def fingerprint(self) -> str:
        """64 hex digits that change when, and only when, the vectors would: the same on every machine and for every runtime."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed `texts`, any strings at all, of any length.

        Returns an array of shape `(len(texts), dimension)`, float32, rows of length 1, in the order of `texts`. A text past the
        model's window is covered by overlapping windows (`memcli.models.windows`) and never cut off.

        Raises:
            ModelError: the model failed.
        """
        ...

    def encode_in_context(self, blocks: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Embed texts as they stand among others: those of a block are read as one text, each is the mean of its own tokens' states.

        A text that is alone in its block has the vector that `encode` gives it, as far as the arithmetic for contexts is as exact.
        A block past the model's window is covered by windows as a long text is.

        Returns for each block an array of shape `(len(block), dimension)`, float32, rows of length 1. A block's vectors depend on
        that block only, whatever others are embedded with it.

        Raises:
            ModelError: the model failed.
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the model's tokens in each of `texts`, special tokens left out."""
        ...


def load_embedder(name: str | None = None, *, cache_dir: Path | None = None, progress: Callable[[str], None] | None = None) -> Embedder:
    """Load an embedding model, exporting it to ONNX first if this machine's cache does not have it yet.

    Every kind of model is a branch here: one that needs no export (an endpoint, a GGUF file) is recognised by the form of its name
    before `find_source` is asked, and returns its own `Embedder`.

    Args:
        name: `DEFAULT_EMBEDDER` when None; else a folder that sentence-transformers can load, or a model name that is in the
            local Hugging Face cache. Nothing is ever downloaded.
        cache_dir: where exported models are kept; `$MEM_CACHE_DIR`, else the user's cache folder, when None.
        progress: told, in a line, about work that takes more than a moment.

    Raises:
        ModelError: the model is not there, is not what it should be, or cannot be loaded.
    """
    from memcli.models.cache import open_cached

    return open_cached(find_source(name or DEFAULT_EMBEDDER), cache_dir=cache_dir, progress=progress)
