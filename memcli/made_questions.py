"""Questions made of claims, for memories that nobody has labelled questions for.

A claim becomes a question by leaving out most of what it tells: whom it is about and a few words of it stay, spread over it, and the
messages that it rests on are the evidence to be found. This needs no grammar, and so no language in particular. The questions are easier
than people's, who use words of their own; they serve to compare a memory with itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memcli.labelled import LabelledQuestion
from memcli.language.lexicon import FUNCTION, PHATIC, WORD
from memcli.store.askable import Askable
from memcli.store.search import UNSPACED

CATEGORY = "made of claims"

QUESTIONS = 200
"""As many as tell a difference of recall of two points in a hundred."""

KEPT = 5
"""Words of a claim that a question keeps at most; about as many tell something in a question that people ask."""

LEAST = 4
"""Telling words of a claim that a question is made of: with fewer the half of them would fit anything."""

_GAP = " … "
_PAIRS = re.compile(f"[{UNSPACED}]{{1,2}}|[^{UNSPACED}]+")


def make_questions(claims: Sequence[Askable], count: int = QUESTIONS) -> list[LabelledQuestion]:
    """At most `count` questions of claims that lie evenly over all of them; the same ones for the same claims."""
    made: dict[str, LabelledQuestion] = {}
    for claim in claims:
        question = _question(claim)
        if question is not None:
            made.setdefault(question.question, question)
    every = list(made.values())
    return [every[i] for i in _spread(len(every), count)]


def _question(claim: Askable) -> LabelledQuestion | None:
    text = claim.text.removeprefix(f"{claim.speaker}: ")
    named = {word.casefold() for word in WORD.findall(claim.about)}
    words = [word for word in _words(text) if word.casefold() not in FUNCTION | PHATIC | named]
    if len(words) < LEAST:
        return None
    kept = [words[i] for i in _spread(len(words), min(KEPT, len(words) // 2))]
    return LabelledQuestion(
        f"{claim.about}: {_GAP.join(kept)}{_GAP.rstrip()}?", CATEGORY, claim.messages, conversation_id=claim.conversation
    )


def _words(text: str) -> Iterator[str]:
    """The words of a text; a run of an unspaced script in pairs of characters."""
    for word in WORD.findall(text):
        yield from _PAIRS.findall(word)


def _spread(size: int, count: int) -> Iterable[int]:
    """At most `count` of the first `size` numbers, at equal distances, the first among them."""
    return range(size) if size <= count else (i * size // count for i in range(count))
