"""GGUF files, read without llama.cpp: what a model says of itself, whether the file is whole, and whether it fits into memory.

The format: magic, version, counts; then metadata as typed key-value pairs; then for each tensor its name, shape, type and offset; then,
aligned, the tensors. llama.cpp itself reports a damaged file in many lines, or not at all but by a crash.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from memcli.errors import ModelError

MAGIC: Final = b"GGUF"

_VERSIONS: Final = (2, 3)
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Metadata value types by their number, as `struct` spells them."""
_STRING: Final = 8
_ARRAY: Final = 9

_BLOCKS: Final = {
    **{0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36)},
    **{10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292)},
    **{16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136)},
    **{24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17)},
}
"""Tensor types by their number in ggml.h: elements in a block, and its bytes."""

_LARGEST_COUNT: Final = 1 << 20
"""Metadata pairs or tensors; a real model has some hundreds of each, so more is a damaged header."""
_LARGEST_STRING: Final = 1 << 26
_LARGEST_KEPT: Final = 1 << 12
"""Array elements that are kept: enough for one a layer; of a vocabulary only its length is wanted."""

_WORKING_BYTES: Final = 150 << 20
"""What llama.cpp takes besides weights, KV cache and logits for a model of the sizes that run on a CPU (measured: 60 to 130 MB)."""
_BATCH: Final = 512
"""Tokens of a prompt that are read at once, each of which may have a row of logits."""


Value = Any
"""Of metadata: a number, a text, a list of them, or for a list too long to keep its length."""


@dataclass(frozen=True, slots=True)
class GGUF:
    """What the header of a model file tells."""

    path: Path
    size: int
    """Bytes of the file."""
    metadata: Mapping[str, Any]
    parameters: int
    """Weights in all tensors together."""

    @property
    def architecture(self) -> str:
        """Such as `llama` or `qwen3`."""
        return str(self.metadata.get("general.architecture", "unknown"))

    @property
    def title(self) -> str:
        """The model's own name for itself; the file's when it has none."""
        return str(self.metadata.get("general.name") or self.path.stem)

    @property
    def context(self) -> int:
        """Tokens it was trained to read at once; 0 if it does not say."""
        return self._number("context_length")

    @property
    def template(self) -> str | None:
        """Its chat template (Jinja), None for a base model."""
        found = self.metadata.get("tokenizer.chat_template")
        return found if isinstance(found, str) and found.strip() else None

    def memory(self, context: int) -> int:
        """Bytes that running it with this many tokens of context takes: weights, keys and values of all layers, and work space."""
        heads = self._number("attention.head_count") or 1
        wide = self._number("embedding_length")
        keys = self._number("attention.key_length") or wide // heads
        values = self._number("attention.value_length") or wide // heads
        # A token's keys and values are kept in 16 bits each, for every layer.
        per_token = 2 * self._number("block_count") * (self._number("attention.head_count_kv") or heads) * (keys + values)
        vocabulary = self._number("vocab_size") or self.metadata.get("tokenizer.ggml.tokens.length", 0)
        return self.size + per_token * context + 4 * _BATCH * vocabulary + _WORKING_BYTES

    def _number(self, key: str) -> int:
        """An integer of the architecture's own; the largest where it has one for each layer; 0 if it has none."""
        value = self.metadata.get(f"{self.architecture}.{key}", 0)
        if isinstance(value, list):
            return max((int(one) for one in value), default=0)
        return int(value) if isinstance(value, int) else 0


def read_gguf(path: Path) -> GGUF:
    """Read the header of a model file and check that all its tensors are in it.

    Raises:
        ModelError: there is no such file, it cannot be read, is not GGUF, is damaged or cut short.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return _read(path, file, size)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelError(f"{path}: there is no such model file; mem models list shows the models that are known") from error
    except IsADirectoryError as error:
        raise ModelError(f"{path}: is a folder; give the .gguf file in it") from error
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
    except (struct.error, ValueError, KeyError, TypeError, OverflowError, MemoryError, RecursionError) as error:
        raise ModelError(f"{path}: its header is damaged or cut short; fetch the model file again") from error


def check_memory(model: GGUF, context: int) -> None:
    """Check that there is room to run `model` with this many tokens of context.

    Raises:
        ModelError: there is not.
    """
    needed, free = model.memory(context), free_memory()
    if free is not None and needed > free:
        raise ModelError(
            f"{model.path}: needs about {needed / 1e9:.1f} GB of memory with a context of {context} tokens, "
            f"and {free / 1e9:.1f} GB are free; choose a smaller model or quantisation, or set MEM_LLM_CONTEXT lower"
        )


def free_memory() -> int | None:
    """Bytes that a process can have without making others swap; within the limit of its control group. None where it cannot be told."""
    found = [_available(), _group_left()]
    known = [amount for amount in found if amount is not None]
    return min(known) if known else None


def _read(path: Path, file: BinaryIO, size: int) -> GGUF:
    if file.read(4) != MAGIC:
        raise ModelError(f"{path}: is not a GGUF model file (it does not begin with GGUF)")
    (version,) = _unpack(file, "I")
    if version not in _VERSIONS:
        raise ModelError(f"{path}: is GGUF version {version}; versions {' and '.join(map(str, _VERSIONS))} can be read")
    tensors, pairs = _unpack(file, "QQ")
    if max(tensors, pairs) > _LARGEST_COUNT:
        raise ModelError(f"{path}: its header is damaged; fetch the model file again")
    metadata: dict[str, Any] = {}
    for _ in range(pairs):
        key = _string(file)
        (kind,) = _unpack(file, "I")
        metadata[key] = _value(file, kind)
        if kind == _ARRAY and key == "tokenizer.ggml.tokens":
            metadata[f"{key}.length"] = metadata[key] if isinstance(metadata[key], int) else len(metadata[key])
    if metadata.get("split.count", 0) > 1:
        raise ModelError(f"{path}: is one part of a model in several files; join them first: llama-gguf-split --merge FIRST-PART OUT.gguf")
    parameters, end = 0, 0
    for _ in range(tensors):
        _string(file)
        (dimensions,) = _unpack(file, "I")
        if dimensions > 8:
            raise struct.error
        elements = math.prod(_unpack(file, f"{dimensions}Q"))
        kind, offset = _unpack(file, "IQ")
        block, block_bytes = _BLOCKS.get(kind, (1, 0))
        parameters += elements
        end = max(end, offset + -(-elements // block) * block_bytes)
    alignment = metadata.get("general.alignment", 32) or 32
    needed = -(-file.tell() // alignment) * alignment + end
    if size < needed:
        raise ModelError(f"{path}: is cut short: {size} bytes of {needed}; fetch the model file again")
    if not tensors:
        raise ModelError(f"{path}: holds no weights, only a vocabulary; choose a whole model")
    return GGUF(path, size, metadata, parameters)


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    form = f"<{form}"
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _string(file: BinaryIO) -> str:
    (length,) = _unpack(file, "Q")
    if length > _LARGEST_STRING:
        raise struct.error
    data = file.read(length)
    if len(data) < length:
        raise struct.error
    return data.decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Value:
    """A value; of an array too long to keep, only its length."""
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _unpack(file, _SCALARS[kind])[0]
    of, length = _unpack(file, "IQ")
    if length > _LARGEST_STRING:
        raise struct.error
    if of in _SCALARS:
        data = file.read(length * struct.calcsize(f"<{_SCALARS[of]}"))
        return length if length > _LARGEST_KEPT else list(struct.unpack(f"<{length}{_SCALARS[of]}", data))
    kept = length <= _LARGEST_KEPT
    values = []
    for _ in range(length):
        value = _value(file, of)
        if kept:
            values.append(value)
    return values if kept else length


def _available() -> int | None:
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        return None
    except (OSError, ValueError, IndexError):
        pass
    try:  # Elsewhere only all there is can be told, which still refuses what can never fit.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _group_left() -> int | None:
    """What a container still allows: its limit without what is in use, of which the page cache can be had back."""
    for limit, usage, statistics in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
            "/sys/fs/cgroup/memory/memory.stat",
        ),
    ):
        try:
            allowed, used = (int(Path(path).read_text(encoding="ascii")) for path in (limit, usage))
            kept = dict(line.split()[:2] for line in Path(statistics).read_text(encoding="ascii").splitlines())
        except (OSError, ValueError):
            continue  # no such limit, or "max"
        cache = int(kept.get("inactive_file", 0)) + int(kept.get("active_file", 0))
        return max(0, allowed - used + cache)
    return None
