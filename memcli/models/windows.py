"""How texts become model inputs: windows over long texts, batches of similar length, and one vector a text again.

A text longer than the model's window is read in windows that overlap by `OVERLAP` tokens. Its vector is the mean of the windows'
vectors weighted by their tokens, scaled to length 1; so a text is represented in the same space whatever its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OVERLAP = 32
"""Tokens shared by neighbouring windows: about one sentence, so that none is seen only in halves."""

AROUND = 2
"""Texts on each side whose vectors stand for a text's context."""

SCHEME = f"overlap={OVERLAP};pool=token-weighted-mean"
"""Part of every fingerprint, for long texts' vectors depend on it."""


def readable(text: str) -> str:
    """Return `text` with lone surrogates, which no tokenizer accepts, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def spans(length: int, size: int) -> list[tuple[int, int]]:
    """Cover `length` tokens by half-open spans of at most `size` (> 0), each but the first beginning inside the one before.

    At least one span comes back: an empty text is one empty window.
    """
    if length <= size:
        return [(0, length)]
    step = size - min(OVERLAP, size // 2)
    starts = range(0, length - size + step, step)
    return [(start, min(start + size, length)) for start in starts]


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group indices of `lengths` into batches of at most `budget` tokens, padding counted; a longer item goes alone.

    Items are taken longest first, so that neighbours differ little and padding stays near 3%.
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    start = 0
    while start < len(order):
        count = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + count]
        start += count


def pieces(lengths: Sequence[int], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Which tokens of a window are whose, the window being `[start, end)` of texts of these lengths one after another.

    Yields (text, first token, token past the last), counted from `start`. A text without tokens has the whole window, from its
    neighbours' words, wherever it touches it.
    """
    first = 0
    for text, length in enumerate(lengths):
        past = first + length
        if length == 0 and start <= first <= end:
            yield text, 0, end - start
        elif max(first, start) < min(past, end):
            yield text, max(first, start) - start, min(past, end) - start
        first = past


def pool(vectors: NDArray[np.float32], owners: Sequence[int], weights: Sequence[int], count: int) -> NDArray[np.float32]:
    """Reduce windows' vectors `(w, d)` to texts' vectors `(count, d)`.

    Args:
        vectors: unit vectors, one a window.
        owners: for each window the index of its text, ascending; each of `range(count)` owns at least one.
        weights: for each window its number of tokens.
        count: the number of texts.
    """
    import numpy as np

    if len(vectors) == count:
        return vectors
    pooled = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    # A window without tokens still has a vector; at least 1 keeps it from vanishing.
    np.add.at(pooled, np.asarray(owners), vectors * np.maximum(np.asarray(weights, dtype=np.float32), 1.0)[:, None])
    return unit(pooled)


def smoothed(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Stand in for vectors in context where a model shows no token states: each row of `(n, d)` becomes the mean of the rows around it.

    Returns unit rows, of up to `AROUND` rows on each side and the row itself.
    """
    import numpy as np

    sums = np.concatenate((np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)))
    rows = np.arange(len(vectors))
    around = sums[np.minimum(rows + AROUND + 1, len(vectors))] - sums[np.maximum(rows - AROUND, 0)]
    return unit(around.astype(np.float32))


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale the rows of `(n, d)` to length 1; a row of zeros stays as it is."""
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (vectors / np.maximum(norms, 1e-12)).astype(np.float32, copy=False)
    return scaled
