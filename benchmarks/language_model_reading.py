"""What a language model is worth at the reader's side: `python -m benchmarks language_model_reading`; see benchmarks/data.py for more data.

    LLM=smollm2              the model, as `mem ask --llm` takes it
    LLM_QUESTIONS=50         questions asked of each conversation, spread evenly over those that there are
    LLM_CONVERSATIONS=2      conversations asked about, of each data set

Each use is measured alone, then all together, against none. Two rows are of stand-ins for a model, which show what the checks are for: one
that asks on whatever it is told, and one that answers with scraps of the facts.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.data import Conversation, datasets, scratch_folder
from benchmarks.retrieval import share
from memcli import Memory
from memcli.errors import ModelError
from memcli.evaluation import token_f1
from memcli.labelled import LabelledQuestion
from memcli.language.lexicon import content_words
from memcli.models import Embedder, load_embedder
from memcli.models.language import Completion, LanguageModel, Prompt, Uncertainty, load_language_model
from memcli.proposals.assistant import Assistant
from memcli.proposals.reading import REFINE
from memcli.proposals.uses import Use
from memcli.recall import Recall
from memcli.results import Answer
from memcli.store.connection import connect

SHOWN = 6
"""Facts handed over, as `mem ask` does."""

ROWS: dict[str, tuple[Use, ...]] = {
    "none": (),
    "select": ("select",),
    "refine": ("refine",),
    "answer": ("answer",),
    "answer, expand": ("answer", "expand"),
    "all": ("select", "refine", "answer", "expand"),
}


@dataclass
class StandIn:
    """Not a model: asks for random words of the facts, answers with random scraps of them, and is as unsure as a die."""

    name: str = "stand-in"
    fingerprint: str = "0" * 64
    context: int = 1 << 20
    parameters: int | None = None
    parallel: int = 1
    _random: random.Random = field(default_factory=lambda: random.Random(7))

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        """A question of three words, or five words of a fact with its number."""
        facts = [line.split(") ", 1)[-1] for line in prompt.content.splitlines() if line.startswith("[")]
        if prompt.instructions == REFINE:
            known = [word for fact in facts for word in content_words(fact)]
            said = f"What about {' '.join(self._random.sample(known, min(3, len(known))))}?"
            return Completion(json.dumps({"sufficient": False, "missing": "more", "question": said}), True, 0, 0)
        number = self._random.randrange(len(facts))
        words = facts[number].split()
        first = self._random.randrange(len(words))
        return Completion(f"{' '.join(words[first : first + 5])} [{number + 1}]", True, 0, 0)

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        """Nobody asks."""
        return Uncertainty(self._random.random(), 0, 1)

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        """A die."""
        return Uncertainty(self._random.random(), 0, tokens)

    def count_tokens(self, text: str) -> int:
        """Its words."""
        return len(text.split())

    def close(self) -> None:
        """Nothing is open."""


HEADS = (
    *("answer F1", "answered when answerable", "abstained when not", f"evidence in {SHOWN} facts"),
    *("answers changed", "proposals accepted", "calls", "s a call"),
)

STAND_INS: dict[str, tuple[Use, ...]] = {"a stand-in that asks on": ("refine",), "a stand-in that answers in scraps": ("answer", "expand")}


@dataclass
class Row:
    """What was measured with some uses."""

    f1: list[float] = field(default_factory=list)
    silent: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    evidence: list[float] = field(default_factory=list)
    changed: int = 0
    calls: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, question: LabelledQuestion, answer: Answer, plain: str | None) -> None:
        """Measure an answer; `plain` is the one without a model."""
        if not question.answerable:
            self.f1.append(float(not answer.sufficient))
            self.silent.append(float(not answer.sufficient))
        else:
            self.answered.append(float(answer.sufficient))
            if question.answer:
                self.f1.append(token_f1(answer.answer or "", question.answer))
        if question.evidence:
            shown = {evidence.message_id for fact in answer.facts for evidence in fact.evidence}
            self.evidence.append(len(shown & question.evidence) / len(question.evidence))
        self.changed += answer.answer != plain
        for stage in (answer.language_model or {}).get("stages", {}).values():
            self.calls += stage["calls"]
            self.seconds += stage["seconds"]
            self.outcomes.update({"accepted": stage["accepted"], **stage["rejected"]})

    def cells(self) -> list[str]:
        """The row of the table."""
        measures = [share(fmean(values) if values else None) for values in (self.f1, self.answered, self.silent, self.evidence)]
        proposed = self.outcomes.total()
        cost = [f"{self.calls}", f"{self.seconds / max(1, self.calls):.1f}"]
        return [*measures, f"{self.changed}", f"{self.outcomes['accepted']} of {proposed}", *cost]


def spread(questions: Sequence[LabelledQuestion], count: int) -> list[LabelledQuestion]:
    """So many questions, evenly over all."""
    count = min(count, len(questions))
    return [questions[number * len(questions) // count] for number in range(count)]


def ask(recall: Recall, questions: Sequence[LabelledQuestion], row: Row, plain: dict[str, str | None]) -> None:
    """Ask all questions of one memory."""
    for question in questions:
        answer = recall.ask(question.question, k=SHOWN)
        row.add(question, answer, plain.setdefault(question.question, answer.answer))


def measure(conversations: Sequence[Conversation], model: LanguageModel, folder: Path, embedder: Callable[[], Embedder]) -> dict[str, Row]:
    """Every row over all conversations; what the model answered once is not asked again."""
    rows = {name: Row() for name in (*ROWS, *STAND_INS)}
    for conversation in conversations:
        path = folder / f"{conversation.name}.memdb"
        with Memory.open(path) as memory:
            memory.ingest([conversation.path], format=conversation.format)
        questions = spread(conversation.questions, int(os.environ.get("LLM_QUESTIONS", "50")))
        kept: dict[bytes, str] = {}
        plain: dict[str, str | None] = {}
        with closing(connect(path, read_only=True)) as connection:
            for name, uses in (ROWS | STAND_INS).items():
                asked = StandIn() if name in STAND_INS else model
                assistant = Assistant(asked, uses=frozenset(uses), recall=kept.get) if uses else None
                ask(Recall(connection, embedder, assistant=lambda one=assistant: one), questions, rows[name], plain)
                if assistant is not None and asked is model:
                    kept |= {one.digest: one.response for one in assistant.take_fresh()}
    return rows


def main() -> None:
    """Print a table for each data set on this machine."""
    try:
        model = load_language_model(os.environ.get("LLM", "smollm2"))
    except ModelError as error:
        print(f"not measured: {error}")
        return
    embedder = load_embedder()
    with scratch_folder() as scratch:
        for name, conversations in datasets(Path(scratch)):
            folder = Path(scratch) / name
            folder.mkdir()
            started = time.perf_counter()
            rows = measure(conversations[: int(os.environ.get("LLM_CONVERSATIONS", "2"))], model, folder, lambda: embedder)
            asked = len(rows["none"].silent) + len(rows["none"].answered)
            print(f"\n{name}: {asked} questions with {model.name}, {time.perf_counter() - started:.0f} s\n")
            print(f"| used for | {' | '.join(HEADS)} |\n|{'---|' * (len(HEADS) + 1)}")
            for row, found in rows.items():
                print(f"| {row} | {' | '.join(found.cells())} |", flush=True)
    model.close()


if __name__ == "__main__":
    main()
