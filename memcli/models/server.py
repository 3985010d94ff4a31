"""Models behind an OpenAI-compatible HTTP server: llama-server, llama_cpp.server, Ollama, vLLM, and those that are rented.

The servers agree on /v1/chat/completions and differ in the rest; what one does not offer is asked for once, and then done without.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from memcli.errors import ModelError
from memcli.models.grammar import conforms, salvage
from memcli.models.language import Completion, Prompt, Uncertainty
from memcli.models.wire import RefusedError, Wire

_FORMAT: Final = 1
"""The way requests are put together; another number when answers would change with it."""

_CONTEXT: Final = 4096
"""Tokens of context of a server that does not tell its own, unless `$MEM_LLM_CONTEXT` says: what Ollama cuts prompts to by default."""

_PARALLEL: Final = 4
"""Requests at once: servers for one user have one to four slots, and larger ones are told by `$MEM_LLM_PARALLEL`."""

_BYTES_A_TOKEN: Final = 2
"""For a guess that is rather too large: English has four bytes a token, Chinese three, numbers and names two."""

_ROLES: Final = 12
"""Tokens that a chat template adds to a prompt."""

_THOUGHTS: Final = re.compile(r"\A\s*<think>.*?(</think>\s*|\Z)", re.DOTALL)
_CONTROL: Final = re.compile(r"<(?=\||/?s>|/?think>|(?:start|end)_of_turn>|\uff5c)|\[(?=/?(?:INST|SYSTEM_PROMPT)\])")
"""Where a control token of a common chat template begins. A server reads it as one wherever it stands, so a space goes into it."""

_REFUSED: Final = frozenset({400, 404, 405, 415, 422, 501})
"""What servers answer to a field or a path that they do not have."""


class ServerModel:
    """A model of an OpenAI-compatible server. May be called from several threads at once."""

    def __init__(self, url: str, *, notify: Callable[[str], None] | None = None) -> None:
        """Take an address such as `http://localhost:8080/v1#qwen3`; no request is made yet.

        Args:
            url: the server's address with its path up to where `/chat/completions` follows (`/v1` when it has none), and after a `#` the
                model's name; without one the first that the server lists is taken.
            notify: told, in a line, when a request is tried again.

        Raises:
            ModelError: it is no such address, or a setting is wrong.
        """
        address, _, named = url.partition("#")
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError as error:
            raise ModelError(f"{_shown(url)}: is no address: {error}") from error
        if parts.scheme.lower() not in ("http", "https") or not parts.hostname or parts.query:
            raise ModelError(f"{_shown(url)}: is no server's address; give one such as http://localhost:8080/v1#model-name")
        if parts.username is not None or parts.password is not None:
            raise ModelError(f"{_shown(url)}: a key does not belong in the address; set MEM_LLM_API_KEY")
        path = parts.path.rstrip("/") or "/v1"
        self._base = path.removesuffix("/chat/completions")
        self._wire = Wire(
            scheme=parts.scheme.lower(),
            host=parts.hostname,
            port=port,
            key=_key(parts.scheme.lower(), parts.hostname),
            timeout=_setting("MEM_LLM_TIMEOUT", 300),
            notify=notify,
        )
        self._named = named or None
        self._address = f"{parts.scheme.lower()}://{parts.netloc}{self._base}"
        self._parallel = _setting("MEM_LLM_PARALLEL", _PARALLEL)
        self._context = _setting("MEM_LLM_CONTEXT", 0)
        self._seed = _setting("MEM_LLM_SEED", 0)
        self._lock = threading.Lock()
        self._without: set[str] = set()
        """What the server was found not to offer."""
        self._listed: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """The address, with the model's name if one was given."""
        return f"{self._address}#{self._named}" if self._named else self._address

    @property
    def fingerprint(self) -> str:
        """Of the server's address and the model's name: what it runs under them cannot be seen from here."""
        return hashlib.sha256(f"{self._address}#{self._model} {_FORMAT}".encode()).hexdigest()

    @property
    def context(self) -> int:
        """`$MEM_LLM_CONTEXT`, else what the server tells of the model, else 4096."""
        if self._context:
            return self._context
        told = self._about()
        for key in ("max_model_len", "n_ctx", "context_length"):
            if isinstance(told.get(key), int) and told[key] > 0:
                return int(told[key])
        return _CONTEXT

    @property
    def parameters(self) -> int | None:
        """What the server tells (llama-server does), else what the model's name says, such as 4b."""
        told = self._about().get("n_params")
        if isinstance(told, int):
            return told
        sizes = re.findall(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])", self._model.lower())
        return int(float(sizes[0][0]) * (1_000_000_000 if sizes[0][1] == "b" else 1_000_000)) if sizes else None

    @property
    def parallel(self) -> int:
        """`$MEM_LLM_PARALLEL`, else 4."""
        return self._parallel

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        """As `LanguageModel.complete`. Where the server does not hold itself to a schema, an answer that breaks it is not finished."""
        request = self._request(prompt, max_tokens)
        if stop:
            request["stop"] = list(stop)
        answer = self._chat(request, schema)
        choice = _choice(self.name, answer)
        text = _content(self.name, choice)
        finished = choice.get("finish_reason") != "length"
        usage = answer.get("usage") or {}
        counts = (
            _count(usage.get("prompt_tokens"), lambda: self._guess(prompt.instructions) + self._guess(prompt.content) + _ROLES),
            _count(usage.get("completion_tokens"), lambda: self._guess(text)),
        )
        text = _THOUGHTS.sub("", text)
        if schema is not None:
            text = _unfenced(text)
            if not _is_json(text, schema):
                return Completion(salvage(text, schema) or text, False, *counts)
            return Completion(text, True, *counts)
        return Completion(text, finished, *counts)

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        """As `LanguageModel.likelihood`, through /completions with echo, so without the model's chat template."""
        if not continuation:
            raise ModelError(f"{self.name}: an empty text has no likelihood")
        before = f"{prompt.instructions}\n\n{prompt.content}\n\nAnswer: "
        # One token more than none: some servers refuse to write nothing at all.
        request = {"model": self._model, "prompt": before + continuation, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}
        answer = self._optional("echo", f"{self._base}/completions", request)
        told = (_choice(self.name, answer).get("logprobs") or {}) if answer is not None else {}
        found = _of_continuation(told, len(before), len(before) + len(continuation))
        if not found:
            raise ModelError(f"{self.name}: this server does not tell how likely a given text is (/completions with echo and logprobs)")
        return Uncertainty(sum(found) / len(found), len(told["token_logprobs"]) - len(found), len(found))

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        """As `LanguageModel.uncertainty`."""
        request = {**self._request(prompt, tokens), "logprobs": True, "top_logprobs": 1}
        answer = self._optional("logprobs", f"{self._base}/chat/completions", request)
        told = (_choice(self.name, answer).get("logprobs") or {}) if answer is not None else {}
        content = told.get("content")
        found = [-float(one["logprob"]) for one in content[:tokens]] if isinstance(content, list) and content else []
        if answer is None or not found:
            raise ModelError(f"{self.name}: this server does not tell how likely its tokens are (logprobs)")
        read = _count((answer.get("usage") or {}).get("prompt_tokens"), lambda: self._guess(prompt.instructions + prompt.content))
        return Uncertainty(sum(found) / len(found), read, len(found))

    def count_tokens(self, text: str) -> int:
        """As `LanguageModel.count_tokens`: exact where the server tells it (llama-server, vLLM, llama_cpp.server)."""
        root = self._base.removesuffix("/v1")
        for way, path, request in (
            ("tokenize", f"{root}/tokenize", {"content": text, "prompt": text, "model": self._model, "add_special_tokens": False}),
            ("count", f"{root}/extras/tokenize/count", {"input": text}),
        ):
            answer = self._optional(way, path, request)
            if answer is not None:
                count = answer.get("count", len(answer["tokens"]) if isinstance(answer.get("tokens"), list) else None)
                if isinstance(count, int):
                    return count
                self._without.add(way)
        return self._guess(text)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._wire.close()

    @property
    def _model(self) -> str:
        """The model's name on the server."""
        if self._named:
            return self._named
        return str(self._about().get("id") or "default")

    def _about(self) -> Mapping[str, Any]:
        """What the server's list says of this model, its own `meta` (of llama-server) among it; nothing if it is in no list.

        Raises:
            ModelError: the server cannot be reached.
        """
        with self._lock:
            if self._listed is None:
                try:
                    found = self._wire.get(f"{self._base}/models").get("data")
                except RefusedError as refused:
                    if refused.status not in _REFUSED:
                        raise ModelError(f"{self.name}: {refused}") from refused
                    found = None
                listed = [one for one in found if isinstance(one, dict) and one.get("id")] if isinstance(found, list) else []
                if self._named:  # which may be an alias that is not in the list
                    listed = [one for one in listed if one["id"] == self._named]
                told = listed[0] if listed else {}
                self._listed = {**told, **(told["meta"] if isinstance(told.get("meta"), dict) else {})}
            return self._listed

    def _request(self, prompt: Prompt, max_tokens: int) -> dict[str, Any]:
        content = _CONTROL.sub(r"\g<0> ", prompt.content)
        messages = [{"role": "system", "content": prompt.instructions}, {"role": "user", "content": content}]
        request: dict[str, Any] = {"model": self._model, "messages": messages, "max_tokens": max_tokens, "temperature": 0}
        return request | {"seed": self._seed}

    def _chat(self, request: dict[str, Any], schema: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """The answer to a request, held to a schema as far as the server can."""
        path = f"{self._base}/chat/completions"
        if schema is not None:
            strict = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
            answer = self._optional("json_schema", path, {**request, "response_format": strict})
            if answer is not None:
                return answer
            # llama_cpp.server takes the schema here; one that takes no notice of it shows by its answer that it must be told in words.
            loose = {**request, "response_format": {"type": "json_object", "schema": schema}}
            answer = self._optional("json_object", path, loose)
            if answer is not None:
                choice = _choice(self.name, answer)
                if choice.get("finish_reason") == "length" or _is_json(_content(self.name, choice), schema):
                    return answer
                self._without.add("json_object")
            told = f"\n\nAnswer with JSON of this schema and nothing else: {json.dumps(schema, ensure_ascii=False)}"
            first, *rest = request["messages"]
            request = {**request, "messages": [{**first, "content": first["content"] + told}, *rest]}
            answer = self._optional("any_json", path, {**request, "response_format": {"type": "json_object"}})
            if answer is not None:
                return answer
        try:
            return self._wire.post(path, request)
        except RefusedError as refused:
            raise ModelError(f"{self.name}: {refused}") from refused

    def _optional(self, way: str, path: str, request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The answer to a request that not every server takes; None, now and from now on, if this one does not."""
        if way in self._without:
            return None
        try:
            return self._wire.post(path, request)
        except RefusedError as refused:
            if refused.status not in _REFUSED or refused.about_length:
                raise ModelError(f"{self.name}: {refused}") from refused
            self._without.add(way)
            return None

    @staticmethod
    def _guess(text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def _choice(name: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ModelError(f"{name}: the server's answer holds no choice; is it OpenAI-compatible, and the path right (usually /v1)?")
    return choices[0]


def _content(name: str, choice: Mapping[str, Any]) -> str:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if content is None and isinstance(message, dict):
        return ""  # it used up its tokens on thinking, or refused
    if not isinstance(content, str):
        raise ModelError(f"{name}: the server's answer holds no text; is it OpenAI-compatible, and the path right (usually /v1)?")
    return content


def _of_continuation(told: Mapping[str, Any], start: int, end: int) -> list[float]:
    """Negative log-likelihoods of the tokens of an echoed prompt from one character to another; none if they cannot be trusted.

    Some servers tell each token's figures a place too early. Then there are none for the token that was written after the prompt, which
    must be there, and the likeliest.
    """
    offsets, values, best = told.get("text_offset"), told.get("token_logprobs"), told.get("top_logprobs")
    if not (isinstance(offsets, list) and isinstance(values, list) and isinstance(best, list) and len(offsets) == len(values) == len(best)):
        return []
    if not offsets or offsets[-1] < end or not best[-1] or values[-1] is None or values[-1] < max(best[-1].values()):
        return []
    return [-float(value) for offset, value in zip(offsets, values, strict=True) if value is not None and start <= offset < end]


def _count(told: object, guess: Callable[[], int]) -> int:
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else guess()


def _unfenced(text: str) -> str:
    """JSON without the code fence that a model which was only asked for JSON likes to put around it."""
    match = re.fullmatch(r"\s*```(?:json)?\s*(.*?)\s*(?:```)?\s*", text, re.DOTALL)
    return match[1] if match else text.strip()


def _is_json(text: str, schema: Mapping[str, Any]) -> bool:
    try:
        return conforms(json.loads(text), schema)
    except ValueError:
        return False


def _shown(url: str) -> str:
    """An address without what may be a secret in it."""
    return re.sub(r"//[^/@]*@", "//***@", url.partition("?")[0])[:200]


def _key(scheme: str, host: str) -> str | None:
    """The key for a server. `$OPENAI_API_KEY` may be there for something else, so it goes to no other machine unencrypted."""
    if key := os.environ.get("MEM_LLM_API_KEY", "").strip():
        return key
    private = scheme == "https" or host == "localhost" or host.startswith("127.") or host == "::1"
    return (os.environ.get("OPENAI_API_KEY", "").strip() or None) if private else None


def _setting(key: str, otherwise: int) -> int:
    said = os.environ.get(key, "").strip()
    if not said:
        return otherwise
    if not said.isascii() or not said.isdigit() or not (int(said) or key == "MEM_LLM_SEED"):
        raise ModelError(f"{key} is {said!r}; give a whole number")
    return int(said)
