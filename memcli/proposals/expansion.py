"""More of what surrounds the facts, where it makes a language model surer of its answer (xMemory, stage II).

The reader's uncertainty U is the mean negative log-likelihood of its first few greedy tokens, were it to answer now. A fact's page is
added, as the claims that rest on it, if that lowers U; then, of a page that was added, one message after the other, word by word as it was
said. Claims that are added are facts like others and may be cited; a message only helps to read them, for claims alone carry truth.

All prompts of a question begin alike (instructions, question, facts) and what is tried stands behind, so that a runtime that keeps the
state of a common beginning reads only what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from memcli.proposals.assistant import Assistant
from memcli.proposals.wording import answer_prompt

FIRST_TOKENS: Final = 5
"""Greedy answer tokens over which uncertainty is taken; xMemory's number."""

PAGES: Final = 2
"""Pages tried for a question at most, those of the best facts first."""

MESSAGES: Final = 3
"""Messages tried of a page that was added, at most; those nearest to the fact first."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it may be added: a line of each claim that is not among the facts, and of each message, nearest first."""

    claims: tuple[tuple[int, str], ...]
    """Each with the caller's index of it."""
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """What was added: the indexes of claims, and lines of messages."""

    claims: tuple[int, ...]
    messages: tuple[str, ...]
    tried: tuple[tuple[str, float], ...]
    """What was tried (`facts`, `page 1`, `message 1 of page 1`, ...) and the uncertainty with it, in nats."""


def expand(assistant: Assistant, question: str, facts: Sequence[str], pages: Iterable[Page]) -> Expansion | None:
    """Add of the pages what lowers the model's uncertainty.

    Args:
        assistant: asks the model, and keeps account.
        question: the question.
        facts: a line each, as the answer is to be made from them.
        pages: those of the best facts, best first; they are taken one by one, `PAGES` at most.

    Returns:
        None if the model was not asked or does not tell how sure it is.
    """

    def unsure(claims: Sequence[str], messages: Sequence[str]) -> float | None:
        prompt = answer_prompt(assistant, question, [*facts, *claims], messages)
        return None if prompt is None else assistant.uncertainty("expand", prompt, tokens=FIRST_TOKENS)

    if not facts or not assistant.does("expand"):
        return None
    least = unsure((), ())
    if least is None:
        return None
    tried = [("facts", least)]
    added: dict[int, str] = {}
    messages: list[str] = []
    for number, page in enumerate(islice(pages, PAGES), 1):
        claims = added | dict(page.claims)
        if len(claims) > len(added):
            now = unsure([*claims.values()], messages)
            if now is None:
                break
            tried.append((f"page {number}", now))
            if not _surer(assistant, now, least):
                continue
            added, least = claims, now
        for place, line in enumerate(page.messages[:MESSAGES], 1):
            now = unsure([*added.values()], [*messages, line])
            if now is None:
                break
            tried.append((f"message {place} of page {number}", now))
            if _surer(assistant, now, least):
                least = now
                messages.append(line)
    return Expansion(tuple(added), tuple(messages), tuple(tried))


def _surer(assistant: Assistant, now: float, least: float) -> bool:
    surer = now < least
    assistant.count("expand", "accepted" if surer else "not surer")
    return surer
