"""The language model seam: what the rest of the program asks of a model, and the function that picks who answers.

A model is asked three things: text, JSON of a given form, and how sure it is. What it writes is a proposal; `memcli.proposals` decides
what of it is believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memcli.errors import ModelError

__all__ = ["Completion", "LanguageModel", "Prompt", "Uncertainty", "load_language_model"]

URL = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is given: instructions, the same for every call of a stage, then the content that is to be worked on.

    The instructions come first, so that a runtime which keeps the state of a common beginning reads them once.
    """

    instructions: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote, and what it took."""

    text: str
    finished: bool
    """False if it was cut off at the largest number of tokens."""
    prompt_tokens: int
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """How unsure a model is of what it would answer."""

    mean_nll: float
    """Mean negative log-likelihood, in nats a token, of its own first greedy tokens; 0 is certain."""
    prompt_tokens: int
    answer_tokens: int


class LanguageModel(Protocol):
    """Writes text. Implementations load what is heavy at the first call, and answer the same to the same as far as their runtime can."""

    @property
    def name(self) -> str:
        """What the user calls the model; loading this name again gives the same model."""
        ...

    @property
    def fingerprint(self) -> str:
        """64 hex digits that change when the answers would: weights and settings, or server and model name."""
        ...

    @property
    def context(self) -> int:
        """Tokens that a prompt and its answer may have together."""
        ...

    @property
    def parameters(self) -> int | None:
        """The number of its weights; None if that is not known."""
        ...

    @property
    def parallel(self) -> int:
        """How many calls at once make it faster: 1 for a model in this process."""
        ...

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        """Answer a prompt, greedily.

        Args:
            prompt: what to answer; it must fit the context with `max_tokens`.
            max_tokens: where to cut the answer off.
            schema: a JSON schema (objects, arrays, strings, numbers, booleans, enums, maxItems, maxLength) that the answer is held to
                while it is written; a finished answer is valid JSON of that form.
            stop: texts before which the answer ends.

        Raises:
            ModelError: the model failed, or the prompt does not fit.
        """
        ...

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        """How unlikely the model finds `continuation` as the beginning of its answer.

        Raises:
            ModelError: the model failed, the prompt does not fit, or the server does not tell likelihoods.
        """
        ...

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        """How unsure the model is of its first `tokens` greedy answer tokens (xMemory's U, with its 5 tokens).

        Raises:
            ModelError: as `likelihood`.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """The number of tokens of a text; of a server that does not tell, a guess that is rather too large.

        Raises:
            ModelError: the model failed.
        """
        ...

    def close(self) -> None:
        """Free what it holds. Closing twice does nothing."""
        ...


def load_language_model(name: str, *, notify: Callable[[str], None] | None = None) -> LanguageModel:
    """Find a language model: checked for being there and being one, loaded at its first call.

    Args:
        name: the path of a GGUF file, a name from `mem models list`, or the address (http://...) of an OpenAI-compatible server, with
            the model's name after a `#` where the server has several.
        notify: told, in a line, about work that takes more than a moment.

    Raises:
        ModelError: there is no such model, it is not one, or what runs it is not installed.
    """
    if not name.strip():
        raise ModelError("the name of the language model is empty: give a GGUF file, a name from mem models list, or a server's address")
    if URL.match(name):
        from memcli.models.server import ServerModel

        return ServerModel(name, notify=notify)
    from memcli.models.catalogue import find_model
    from memcli.models.llama import LlamaModel

    return LlamaModel(find_model(name), notify=notify)
