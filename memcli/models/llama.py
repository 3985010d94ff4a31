"""GGUF models in this process, through llama-cpp-python."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memcli.errors import ModelError
from memcli.models.catalogue import ModelFile
from memcli.models.digest import file_digest
from memcli.models.gguf import check_memory, read_gguf
from memcli.models.grammar import conforms, salvage, to_grammar
from memcli.models.language import Completion, Prompt, Uncertainty

if TYPE_CHECKING:
    from memcli.models.decoding import Decoder
    from memcli.models.template import Template

BUILD_FLAG: Final = 'CMAKE_ARGS="-DGGML_NATIVE=OFF"'
"""Without it llama.cpp is built for just the CPU it is built on, and on some virtual machines crashes at the first prompt."""

INSTALL: Final = f"{BUILD_FLAG} pip install 'memcli[llm]'"
REBUILD: Final = f"{BUILD_FLAG} pip install --force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python llama-cpp-python"

_LARGEST_CONTEXT: Final = 8192
"""Tokens of context unless more are asked for: pages and bundles of facts are far shorter, and keys and values take memory."""
_UNKNOWN_CONTEXT: Final = 4096
_SMALLEST_CONTEXT: Final = 256

_FORMAT: Final = 1
"""The way prompts are put together and answers chosen; another number when answers would change with it."""

_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?(</think>\s*|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is run on this machine."""

    context: int | None
    threads: int
    seed: int


def settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """Read `$MEM_LLM_CONTEXT` (tokens), `$MEM_LLM_THREADS` and `$MEM_LLM_SEED`.

    Raises:
        ModelError: one of them is not a number that can be used.
    """
    return Settings(
        context=_number(environ, "MEM_LLM_CONTEXT", _SMALLEST_CONTEXT) if environ.get("MEM_LLM_CONTEXT") else None,
        threads=_number(environ, "MEM_LLM_THREADS", 1) if environ.get("MEM_LLM_THREADS") else _threads(),
        seed=_number(environ, "MEM_LLM_SEED", 0) if environ.get("MEM_LLM_SEED") else 0,
    )


def installed() -> bool:
    """Whether llama-cpp-python is there; it is not loaded for that."""
    try:
        return importlib.util.find_spec("llama_cpp") is not None
    except (ImportError, ValueError):  # an import that somebody blocks
        return False


class LlamaModel:
    """A GGUF file run by llama.cpp, which loads it at the first call. Calls from several threads take turns."""

    def __init__(self, source: ModelFile, *, notify: Callable[[str], None] | None = None, checked: bool = False) -> None:
        """See whether the file is whole, fits into memory, and can be run.

        Args:
            source: the file and what the user calls it.
            notify: told, in a line, about work that takes more than a moment.
            checked: take it for known that the model runs; else, once for each build of llama.cpp, it is tried in a child process,
                where a crash can be survived.

        Raises:
            ModelError: it cannot be run, and why; or a setting is wrong.
        """
        self._source = source
        self._header = read_gguf(source.path)
        if not installed():
            raise ModelError(f"{source.name}: running it takes llama-cpp-python, which is not installed: {INSTALL}")
        self._settings = settings()
        self._notify = notify
        self._sha256: str | None = None
        self._loaded: tuple[Decoder, Template] | None = None
        self._grammars: dict[str, str] = {}
        self._lock = threading.RLock()
        check_memory(self._header, self.context)
        if not checked:
            from memcli.models.check import ensure_runs

            ensure_runs(source, self.sha256, notify=notify)

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self._source.name

    @property
    def fingerprint(self) -> str:
        """Of the file's contents, and of the way prompts are put together."""
        return hashlib.sha256(f"{self.sha256} {_FORMAT}".encode()).hexdigest()

    @property
    def sha256(self) -> str:
        """Of the file's contents.

        Raises:
            ModelError: they cannot be read, or are not what was added under this name.
        """
        if self._sha256 is None:
            try:
                found = file_digest(self._source.path, notify=self._notify)
            except OSError as error:
                raise ModelError(f"{self._source.path}: cannot be read: {error.strerror}") from error
            if self._source.sha256 is not None and found != self._source.sha256:
                raise ModelError(
                    f"{self.name}: {self._source.path} is not the file that was added "
                    f"(sha256 {found[:12]}, then {self._source.sha256[:12]}); "
                    f"add it again: mem models remove {self.name}, then mem models add"
                )
            self._sha256 = found
        return self._sha256

    @property
    def context(self) -> int:
        """`$MEM_LLM_CONTEXT`, else 8192, but never more than the model was trained on."""
        own = self._header.context
        return min(self._settings.context or _LARGEST_CONTEXT, own or _UNKNOWN_CONTEXT)

    @property
    def parameters(self) -> int | None:
        """As the file's tensors have them."""
        return self._header.parameters

    @property
    def parallel(self) -> int:
        """One: it uses the cores itself."""
        return 1

    @property
    def chat(self) -> bool:
        """Whether prompts take the model's own chat template; else they are plain text."""
        with self._lock:
            return self._ready()[1].chat

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        """As `LanguageModel.complete`. JSON that is cut off is closed after its last whole item, where the schema allows that."""
        with self._lock:
            decoder, template = self._ready()
            tokens = self._tokens(decoder, template, prompt, max_tokens)
            stops = list(stop)
            if not template.chat and schema is None:
                from memcli.models.template import PLAIN_STOPS

                stops += PLAIN_STOPS
            try:
                text, finished, count = self._write(decoder, tokens, max_tokens, schema, stops)
            except (RuntimeError, ValueError) as error:
                raise ModelError(f"{self.name}: llama.cpp failed: {error}") from error
        if schema is not None:
            if not _is_json(text, schema):
                return Completion(salvage(text, schema) or text, False, _length(tokens), count)
            return Completion(text, True, _length(tokens), count)
        return Completion(_THOUGHTS.sub("", text), finished, _length(tokens), count)

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        """As `LanguageModel.likelihood`."""
        with self._lock:
            decoder, template = self._ready()
            answer = decoder.tokenize(continuation)
            if not answer:
                raise ModelError(f"{self.name}: an empty text has no likelihood")
            tokens = self._tokens(decoder, template, prompt, len(answer))
            try:
                found = decoder.likelihoods(tokens, answer)
            except RuntimeError as error:
                raise ModelError(f"{self.name}: llama.cpp failed: {error}") from error
        return Uncertainty(-sum(found) / len(found), _length(tokens), len(found))

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        """As `LanguageModel.uncertainty`; the end of the answer counts as one of its tokens."""
        from memcli.models.decoding import log_probability

        with self._lock:
            decoder, template = self._ready()
            read = self._tokens(decoder, template, prompt, tokens)
            found: list[float] = []
            try:
                for token, logits in decoder.greedy(read):
                    found.append(-log_probability(logits, token))
                    if decoder.ends(token) or len(found) == tokens:
                        break
            except RuntimeError as error:
                raise ModelError(f"{self.name}: llama.cpp failed: {error}") from error
        return Uncertainty(sum(found) / len(found), _length(read), len(found))

    def count_tokens(self, text: str) -> int:
        """As `LanguageModel.count_tokens`: exact."""
        with self._lock:
            return len(self._ready()[0].tokenize(text))

    def close(self) -> None:
        """Free the memory it takes; the next call loads it again."""
        with self._lock:
            if self._loaded is not None:
                self._loaded[0].close()
                self._loaded = None

    def _ready(self) -> tuple[Decoder, Template]:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> tuple[Decoder, Template]:
        from memcli.models.decoding import Decoder, open_llama
        from memcli.models.template import make_template

        said = self._settings
        try:
            llama = open_llama(str(self._source.path), context=self.context, threads=said.threads, seed=said.seed)
        except ImportError as error:
            raise ModelError(f"{self.name}: llama-cpp-python cannot be loaded ({error}); build it again: {REBUILD}") from error
        except Exception as error:  # the library raises ValueError, RuntimeError and bare Exception
            raise ModelError(f"{self.name}: llama.cpp cannot load {self._source.path}: {error}") from error
        decoder = Decoder(llama)
        return decoder, make_template(self._header.template, decoder.begin, decoder.end)

    def _tokens(self, decoder: Decoder, template: Template, prompt: Prompt, answer: int) -> list[list[int]]:
        """The prompt in tokens, what comes before the content apart from the rest, if it fits the context with an answer of that many."""
        parts: list[list[int]] = [[], []]
        for number, piece in enumerate(template.pieces(prompt)):
            begin = number == 0 and not (decoder.begin and piece.text.startswith(decoder.begin))
            parts[piece.part] += decoder.tokenize(piece.text, special=piece.markup and template.chat, begin=begin)
        length = _length(parts)
        if length + answer > self.context:
            raise ModelError(
                f"{self.name}: the prompt has {length} tokens, which with {answer} for the answer is more than its context of "
                f"{self.context}; set MEM_LLM_CONTEXT higher if the model has more, or give it less at once"
            )
        return parts

    def _write(
        self, decoder: Decoder, tokens: Sequence[Sequence[int]], most: int, schema: Mapping[str, Any] | None, stops: Sequence[str]
    ) -> tuple[str, bool, int]:
        """The greedy answer, whether it came to its end, and its number of tokens."""
        written, count = b"", 0
        for token, _ in decoder.greedy(tokens, self._grammar(schema)):
            if decoder.ends(token):
                return _text(written), True, count + 1
            piece = decoder.piece(token)
            written += piece
            count += 1
            text = _text(written) if stops or (schema is not None and piece.endswith((b"}", b"]"))) else ""
            if schema is None:
                found = [place for place in (text.find(one) for one in stops) if place >= 0]
                if found:
                    return text[: min(found)], True, count
            elif text and _is_json(text, schema):
                break
            if count >= most:
                break
        return _text(written), False, count

    def _grammar(self, schema: Mapping[str, Any] | None) -> str | None:
        if schema is None:
            return None
        key = json.dumps(schema)
        if key not in self._grammars:
            self._grammars[key] = to_grammar(schema)
        return self._grammars[key]


def _is_json(text: str, schema: Mapping[str, Any]) -> bool:
    try:
        return conforms(json.loads(text), schema)
    except ValueError:
        return False


def _length(parts: Sequence[Sequence[int]]) -> int:
    return sum(map(len, parts))


def _text(written: bytes) -> str:
    """As text, without the bytes of a character that was not written to its end."""
    return written.decode("utf-8", "ignore")


def _threads() -> int:
    """All cores but one: llama.cpp's threads wait for each other in a loop, and come to a standstill where they share a core."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        cores = os.cpu_count() or 1
    return max(1, min(cores, _container_cores() or cores) - 1)


def _container_cores() -> int | None:
    """The whole cores' worth of time that a container is given, whose processes see all cores; None without a limit."""
    group = Path("/sys/fs/cgroup")
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
        else:
            quota, period = ((group / "cpu" / name).read_text(encoding="ascii") for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
        return max(1, int(quota) // int(period)) if int(quota) > 0 else None
    except (OSError, ValueError):  # no such limit, or "max"
        return None


def _number(environ: Mapping[str, str], key: str, least: int) -> int:
    said = environ[key].strip()
    if not said.isascii() or not said.isdigit() or not least <= int(said) < 1 << 31:
        raise ModelError(f"{key} is {said!r}; give a whole number from {least} on")
    return int(said)
