"""A language model whose every answer is decided by the test: for what a real one does only now and then, such as lying."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memcli.errors import ModelError
from memcli.models.language import Completion, Prompt, Uncertainty

Reply = Callable[[Prompt], str]


@dataclass
class Scripted:
    """Answers by `reply`, is as unsure as `unsure` says, and keeps what it was asked."""

    reply: Reply = lambda _prompt: ""
    unsure: Callable[[Prompt], float] = lambda _prompt: 1.0
    name: str = "scripted"
    fingerprint: str = "5c" * 32
    context: int = 8192
    parameters: int | None = None
    parallel: int = 1
    asked: list[Prompt] = field(default_factory=list)

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        self.asked.append(prompt)
        return Completion(self.reply(prompt), True, 10, 5)

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        raise ModelError("it does not tell likelihoods")

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        self.asked.append(prompt)
        return Uncertainty(self.unsure(prompt), 10, tokens)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def close(self) -> None:
        return None


def failing(_prompt: Prompt) -> str:
    """A reply that never comes."""
    raise ModelError("the model broke down")


def parts(prompt: Prompt) -> tuple[str, list[str]]:
    """A prompt's question, and its numbered facts in order."""
    lines = prompt.content.splitlines()
    facts = [line for line in lines if line.startswith("[")]
    return lines[0].removeprefix("Question: "), facts
