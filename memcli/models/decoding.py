"""One context of llama.cpp: tokens in, likelihoods and greedy tokens out, the state of a common beginning kept from call to call.

Arithmetic depends in its last digits on how many tokens are computed at once, and a weak model's answers depend on the last digits. So
tokens are computed in chunks whose bounds depend on the prompt alone, and state is kept for whole chunks: an answer is the same whether
the beginning of its prompt was computed for it or for an earlier one.

llama-cpp-python's own loop applies a grammar to the whole vocabulary at every token. Here the likeliest token is tried first, and the
others only if the grammar forbids it, which it does seldom.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK: Final = 256
"""Tokens of a prompt that are computed at once."""

_TRIED_AT_ONCE: Final = 64
"""Candidates that the grammar is asked about when it forbids the likeliest; then all."""

Native = Any
"""A pointer of llama.cpp's, or an object of its Python binding; neither is annotated."""

_ERROR: Final = 4
"""GGML_LOG_LEVEL_ERROR."""

_complaints: deque[str] = deque(maxlen=8)


def open_llama(path: str, *, context: int, threads: int, seed: int) -> Native:
    """Load a model as a `llama_cpp.Llama`; what llama.cpp says meanwhile is kept from the screen, and its last complaint told.

    Raises:
        ImportError: llama-cpp-python is not installed, or its native library cannot be loaded.
        ValueError: llama.cpp does not take the file.
    """
    import llama_cpp

    _complaints.clear()
    llama_cpp.llama_log_set(_listener(), ctypes.c_void_p(0))
    try:
        return llama_cpp.Llama(path, n_ctx=context, n_batch=CHUNK, n_threads=threads, n_threads_batch=threads, seed=seed, verbose=False)
    except Exception as error:
        raise ValueError(_complaints[-1] if _complaints else str(error)) from error


class Decoder:
    """A model and its context. Not for several threads at once."""

    def __init__(self, llama: Native) -> None:
        """Take over a `llama_cpp.Llama`, made without `logits_all`."""
        import llama_cpp

        self._lib = llama_cpp
        self._llama = llama
        self._vocabulary = llama_cpp.llama_model_get_vocab(llama.model)
        self._size = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
        self._chunks: list[tuple[int, ...]] = []
        """What the context's state has read."""
        self._begun: tuple[list[tuple[int, ...]], NDArray[np.float32]] | None = None
        """The chunks of the last prompt, and the logits behind them."""
        self._batch = llama_cpp.llama_batch_init(CHUNK, 0, 1)
        self.begin, self.end = (self._written(token) for token in (llama.token_bos(), llama.token_eos()))
        """The tokens for the beginning and end of a text as templates write them; empty if the model has none."""

    def tokenize(self, text: str, *, special: bool = False, begin: bool = False) -> list[int]:
        """Tokens of a text; control tokens written out in it are read as such only if `special`."""
        found: list[int] = self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=begin, special=special)
        return found

    def piece(self, token: int) -> bytes:
        """The bytes that a token stands for; none for a control token."""
        buffer = ctypes.create_string_buffer(512)
        length = self._lib.llama_token_to_piece(self._vocabulary, token, buffer, 512, 0, False)
        return buffer.raw[: max(0, length)]

    def ends(self, token: int) -> bool:
        """Whether a token ends an answer."""
        return bool(self._lib.llama_vocab_is_eog(self._vocabulary, token))

    def likelihoods(self, prompt: Sequence[Sequence[int]], continuation: Sequence[int]) -> list[float]:
        """Log-probability, in nats, of each token of `continuation` after `prompt` and those before it.

        Args:
            prompt: tokens in parts, each of which other prompts may begin with too.
            continuation: tokens, at least one.
        """
        chunks = _chunks(prompt)
        found = [log_probability(self._begin(chunks), continuation[0])]
        # The last token is predicted, not read.
        for chunk in _chunks([continuation[:-1]]):
            rows = self._push(chunk, len(chunk))
            following = continuation[len(found) : len(found) + len(chunk)]
            found += [log_probability(row, token) for row, token in zip(rows, following, strict=True)]
        return found

    def greedy(self, prompt: Sequence[Sequence[int]], grammar: str | None = None) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The likeliest tokens after `prompt`, one by one without end, each with the logits that it was chosen by: shape (vocabulary,).

        The token that ends the answer is given like any other. Logits are valid until the next token is asked for.

        Args:
            prompt: tokens in parts, each of which other prompts may begin with too.
            grammar: what the answer is held to, in GBNF with the first rule `root`.

        Raises:
            ValueError: llama.cpp does not take the grammar.
        """
        sampler = self._sampler(grammar) if grammar is not None else None
        try:
            logits = self._begin(_chunks(prompt))
            while True:
                token = self._choose(logits, sampler)
                yield token, logits
                logits = self._push([token], 1)[0]
        finally:
            if sampler is not None:
                self._lib.llama_sampler_free(sampler)

    def close(self) -> None:
        """Free the context and the model."""
        self._lib.llama_batch_free(self._batch)
        self._llama.close()

    def _begin(self, chunks: list[tuple[int, ...]]) -> NDArray[np.float32]:
        """Bring the context to exactly these chunks; the logits of what comes next."""
        lib, memory = self._lib, self._lib.llama_get_memory(self._llama.ctx)
        again = self._begun is not None and self._begun[0] == chunks
        kept = _common(self._chunks, chunks if again else chunks[:-1])
        # A recurrent model's state cannot be taken back in part.
        if not lib.llama_memory_seq_rm(memory, -1, sum(map(len, self._chunks[:kept])), -1):
            kept = 0
            lib.llama_memory_clear(memory, True)
        self._chunks = self._chunks[:kept]
        if self._begun is not None and again and kept == len(chunks):
            return self._begun[1]
        for chunk in chunks[kept:-1]:
            self._push(chunk, 0)
        logits = self._push(chunks[-1], 1)[0].copy()
        self._begun = (chunks, logits)
        return logits

    def _push(self, chunk: Sequence[int], wanted: int) -> list[NDArray[np.float32]]:
        """Let the context read a chunk; the logits behind each of its last `wanted` tokens, valid until the next push."""
        import numpy as np

        batch, start, length = self._batch, sum(map(len, self._chunks)), len(chunk)
        batch.n_tokens = length
        for place, token in enumerate(chunk):
            batch.token[place] = token
            batch.pos[place] = start + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = place >= length - wanted
        status = self._lib.llama_decode(self._llama.ctx, batch)
        if status != 0:
            # What of the chunk is in the state is unknown.
            self._chunks = []
            self._lib.llama_memory_clear(self._lib.llama_get_memory(self._llama.ctx), True)
            raise RuntimeError(f"llama_decode returned {status}")
        self._chunks.append(tuple(chunk))
        pointers = [self._lib.llama_get_logits_ith(self._llama.ctx, place) for place in range(length - wanted, length)]
        return [np.ctypeslib.as_array(pointer, shape=(self._size,)) for pointer in pointers]

    def _written(self, token: int) -> str:
        text = self._lib.llama_vocab_get_text(self._vocabulary, token) if token >= 0 else None
        return text.decode("utf-8", "replace") if text else ""

    def _sampler(self, grammar: str) -> Native:
        sampler = self._lib.llama_sampler_init_grammar(self._vocabulary, grammar.encode(), b"root")
        if not sampler:
            raise ValueError("llama.cpp does not take the grammar")
        return sampler

    def _choose(self, logits: NDArray[np.float32], sampler: Native) -> int:
        import numpy as np

        best = int(np.argmax(logits))
        if sampler is None:
            return best
        token = self._allowed(sampler, [best], logits)
        if token is None:
            likeliest = np.argpartition(logits, -_TRIED_AT_ONCE)[-_TRIED_AT_ONCE:] if self._size > _TRIED_AT_ONCE else np.arange(self._size)
            token = self._allowed(sampler, likeliest.tolist(), logits)
        if token is None:
            token = self._allowed(sampler, range(self._size), logits)
        if token is None:
            raise RuntimeError("the grammar allows no token")
        self._lib.llama_sampler_accept(sampler, token)
        return token

    def _allowed(self, sampler: Native, candidates: Sequence[int], logits: NDArray[np.float32]) -> int | None:
        """The likeliest candidate that the grammar allows; None if it forbids them all."""
        import numpy as np

        form = np.dtype([("id", np.intc), ("logit", np.single), ("p", np.single)], align=True)
        data = np.zeros(len(candidates), form)
        data["id"] = candidates
        data["logit"] = logits[data["id"]]
        array = self._lib.llama_token_data_array(
            data=data.ctypes.data_as(ctypes.POINTER(self._lib.llama_token_data)), size=len(candidates), selected=-1, sorted=False
        )
        self._lib.llama_sampler_apply(sampler, ctypes.byref(array))
        best = int(np.argmax(data["logit"]))
        return int(data["id"][best]) if np.isfinite(data["logit"][best]) else None


@cache
def _listener() -> Native:
    """The function that llama.cpp tells what it does; it must outlive every model."""
    import llama_cpp

    @llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
    def listen(level: int, text: bytes, _data: object) -> None:
        if level == _ERROR and (line := text.decode("utf-8", "replace").strip()):
            _complaints.append(line)

    return listen


def log_probability(logits: NDArray[np.float32], token: int) -> float:
    """Natural logarithm of the probability that softmax over `logits`, shape (vocabulary,), gives to a token."""
    import numpy as np

    shifted = logits.astype(np.float64) - float(logits.max())
    return float(shifted[token] - np.log(np.exp(shifted).sum()))


def _chunks(parts: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Parts cut into pieces of at most `CHUNK` tokens."""
    return [tuple(part[start : start + CHUNK]) for part in parts for start in range(0, len(part), CHUNK)]


def _common(one: Sequence[Sequence[int]], other: Sequence[Sequence[int]]) -> int:
    """How many chunks both begin with."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
