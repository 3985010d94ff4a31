"""How well a memory answers labelled questions: evidence recall, token F1 of answers, and silence where there is no answer.

    recall@k            the share of a question's labelled messages among the first k distinct messages met when walking the facts of a
                        search in rank order; the mean over questions with labels
    F1                  token F1 of the answer against the labelled one; of an unanswerable question 1 if no answer is given, else 0
    balanced accuracy   the mean of the share of answerable questions that are answered and the share of unanswerable ones that are not

F1 is that of SQuAD (Rajpurkar et al. 2016): lower case, no punctuation, no English articles. In scripts without spaces each character is
a token.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from memcli.errors import UsageError
from memcli.labelled import LabelledQuestion
from memcli.results import Answer, SearchResult

CUTS = (5, 10, 20)
"""The k of recall@k, as the papers report it."""

FACTS_A_MESSAGE = 3
"""Facts asked for per message of the largest cut: a message makes two to three facts, so the walk meets enough distinct ones."""

Progress = Callable[[str, int, int | None], None]

_ARTICLES = frozenset(("a", "an", "the"))
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Letters of scripts written without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""


def tokens(text: str) -> list[str]:
    """A text's words as F1 compares them."""
    plain = "".join(" " if ch in string.punctuation or unicodedata.category(ch).startswith("P") else ch for ch in text.lower())
    return [token for token in _UNSPACED.sub(r" \g<0> ", plain).split() if token not in _ARTICLES]


def token_f1(said: str, gold: str) -> float:
    """Token F1 of an answer, in [0, 1]; of two texts without a word 1."""
    a, b = tokens(said), tokens(gold)
    if not a or not b:
        return float(a == b)
    return 2 * sum((Counter(a) & Counter(b)).values()) / (len(a) + len(b))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question."""

    label: LabelledQuestion
    ranks: Mapping[str, int | None]
    """Of each labelled message: its place (from 1) among the distinct messages found; None if it was not found."""
    recall: Mapping[int, float]
    """By cut; empty where no message is labelled."""
    answer: str | None
    sufficient: bool
    confidence: float
    f1: float | None
    """None for an answerable question without a labelled answer."""
    fact_words: int
    """Words of the facts behind the answer."""
    search_ms: float

    def to_dict(self) -> dict[str, Any]:
        """A line of `mem eval --details`."""
        label = self.label
        return {
            "id": label.id,
            "question": label.question,
            "category": label.category,
            "answerable": label.answerable,
            "expected": label.answer or None,
            "answer": self.answer,
            "sufficient": self.sufficient,
            "confidence": round(self.confidence, 3),
            "f1": None if self.f1 is None else round(self.f1, 4),
            "recall": {str(k): round(value, 4) for k, value in self.recall.items()},
            "evidence_ranks": dict(self.ranks),
            "fact_words": self.fact_words,
            "search_ms": round(self.search_ms, 2),
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures over some questions; None where no question of them can be measured so."""

    questions: int
    recall: Mapping[int, float | None]
    f1: float | None
    answered: float | None
    """The share of answerable questions that were answered, rightly or wrongly."""
    abstained: float | None
    """The share of unanswerable questions that were not answered."""
    balanced_accuracy: float | None
    fact_words: float
    """Median words of the facts behind an answer."""
    search_ms: float
    """Median time of a search, embedding included."""

    def to_dict(self) -> dict[str, Any]:
        """The scores object of `mem eval --json`."""
        return {
            "questions": self.questions,
            "recall": {str(k): _rounded(value) for k, value in self.recall.items()},
            "f1": _rounded(self.f1),
            "answered": _rounded(self.answered),
            "abstained": _rounded(self.abstained),
            "balanced_accuracy": _rounded(self.balanced_accuracy),
            "fact_words_p50": self.fact_words,
            "search_ms_p50": round(self.search_ms, 2),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every question's outcome, and their scores."""

    outcomes: tuple[Outcome, ...]
    cuts: tuple[int, ...] = CUTS
    absent: tuple[str, ...] = ()
    """Labelled messages that are not in the memory, which no search can find."""

    @property
    def overall(self) -> Scores:
        """The scores over all questions."""
        return scores(self.outcomes, self.cuts)

    @property
    def categories(self) -> dict[str, Scores]:
        """The scores by category, in the categories' alphabetical order."""
        names = sorted({outcome.label.category for outcome in self.outcomes})
        return {name: scores([o for o in self.outcomes if o.label.category == name], self.cuts) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The object `mem eval --json` prints."""
        categories = {name: found.to_dict() for name, found in self.categories.items()}
        return {"all": self.overall.to_dict(), "categories": categories, "absent_evidence": list(self.absent)}


def scores(outcomes: Sequence[Outcome], cuts: Iterable[int] = CUTS) -> Scores:
    """The measures over at least one outcome."""
    answered = _mean(float(o.sufficient) for o in outcomes if o.label.answerable)
    abstained = _mean(float(not o.sufficient) for o in outcomes if not o.label.answerable)
    return Scores(
        questions=len(outcomes),
        recall={k: _mean(o.recall[k] for o in outcomes if o.recall) for k in cuts},
        f1=_mean(o.f1 for o in outcomes if o.f1 is not None),
        answered=answered,
        abstained=abstained,
        balanced_accuracy=None if answered is None or abstained is None else (answered + abstained) / 2,
        fact_words=median(o.fact_words for o in outcomes),
        search_ms=median(o.search_ms for o in outcomes),
    )


def evaluate(
    questions: Sequence[LabelledQuestion],
    search: Callable[[str, int], SearchResult],
    ask: Callable[[str], Answer],
    *,
    cuts: Sequence[int] = CUTS,
    progress: Progress | None = None,
) -> tuple[Outcome, ...]:
    """Ask every question, and measure.

    Args:
        questions: what to ask.
        search: gives the best facts for a question, as many as are asked for.
        ask: answers a question.
        cuts: the k of recall@k.
        progress: told ("questions", done, of how many).

    Raises:
        UsageError: there is no question, or a cut is not positive.
    """
    if not questions:
        raise UsageError("no questions to evaluate")
    if not cuts or min(cuts) < 1:
        raise UsageError("recall is measured at one or more whole numbers from 1")
    outcomes = []
    for number, label in enumerate(questions, start=1):
        found = search(label.question, FACTS_A_MESSAGE * max(cuts))
        outcomes.append(_outcome(label, found, ask(label.question), cuts))
        if progress is not None:
            progress("questions", number, len(questions))
    return tuple(outcomes)


def _outcome(label: LabelledQuestion, found: SearchResult, answer: Answer, cuts: Sequence[int]) -> Outcome:
    ranks = ranks_of(label, found)
    return Outcome(
        label=label,
        ranks=ranks,
        recall=recall_at(ranks, cuts),
        answer=answer.answer,
        sufficient=answer.sufficient,
        confidence=answer.confidence,
        f1=_f1(label, answer),
        fact_words=sum(len(fact.text.split()) for fact in answer.facts),
        search_ms=found.timings_ms["total"],
    )


def recall_at(ranks: Mapping[str, int | None], cuts: Iterable[int]) -> dict[int, float]:
    """Recall at each cut from the places of the labelled messages; {} if no message is labelled."""
    places = [rank for rank in ranks.values() if rank is not None]
    return {k: sum(rank <= k for rank in places) / len(ranks) for k in cuts} if ranks else {}


def ranks_of(label: LabelledQuestion, found: SearchResult) -> dict[str, int | None]:
    """Each labelled message's place; a message counts as the label's if its conversation does, where the label names one."""
    met: dict[tuple[str, str], int] = {}
    for fact in found.facts:
        for evidence in fact.evidence:
            met.setdefault((evidence.conversation_id, evidence.message_id), len(met) + 1)
    best: dict[str, int] = {}
    for (conversation, message), rank in met.items():
        if label.conversation_id in (None, conversation):
            best.setdefault(message, rank)
    return {message: best.get(message) for message in sorted(label.evidence)}


def _f1(label: LabelledQuestion, answer: Answer) -> float | None:
    if not label.answerable:
        return float(not answer.sufficient)
    return token_f1(answer.answer or "", label.answer) if label.answer else None


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
