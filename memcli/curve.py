"""The curve of a memory: what it would still answer, and how large it would be, at several shares of its claims removed.

    a copy of the file -> questions, given or made of its claims -> measured -> compressed, measured, restored; for each share

The memory itself is only read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from memcli.errors import NotFoundError
from memcli.evaluation import Scores, evaluate, scores
from memcli.labelled import LabelledQuestion
from memcli.made_questions import make_questions
from memcli.memory import Memory
from memcli.results import Answer, Extent
from memcli.store.askable import load_askable
from memcli.store.connection import connect, read_transaction, tidy_close
from memcli.store.copies import copy_memory
from memcli.store.failures import loading
from memcli.store.labelled import absent_messages

if TYPE_CHECKING:
    from memcli.compression import Limits

RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

SHORT = 0.01
"""How far a compression may stay behind its ratio before larger ones are not tried: they would merge the same claims."""

Progress = Callable[[str, int, int | None], None]
"""Told (stage, done, of how many): `questions`, over all measurements, and the stages of compressions."""


@dataclass(frozen=True, slots=True)
class Point:
    """The memory compressed once."""

    ratio: float
    """The share of claims that was to go."""
    removed: float
    """The share that went."""
    scores: Scores
    extent: Extent

    def to_dict(self, before: Scores) -> dict[str, Any]:
        """A member of `points` in what `mem compress --curve --json` prints."""
        return {
            "ratio": self.ratio,
            "removed": round(self.removed, 4),
            **_told(self.scores),
            "recall_kept": {str(k): kept(value, before.recall[k]) for k, value in self.scores.recall.items()},
            "f1_kept": kept(self.scores.f1, before.f1),
            **self.extent.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Curve:
    """What was measured before, and at each share that could be reached, ascending."""

    questions: int
    made: bool
    """Whether the questions were made of the memory's claims."""
    before: Scores
    extent: Extent
    points: tuple[Point, ...]
    absent: tuple[str, ...] = ()
    """Labelled messages that are not in the memory, which no search can find."""

    def to_dict(self) -> dict[str, Any]:
        """What `mem compress --curve --json` prints."""
        return {
            "questions": self.questions,
            "made": self.made,
            "before": {**_told(self.before), **self.extent.to_dict()},
            "points": [point.to_dict(self.before) for point in self.points],
            "absent_evidence": list(self.absent),
        }


def _told(scores: Scores) -> dict[str, Any]:
    """What is measured on questions whose answer nobody knows as well."""
    known = scores.to_dict()
    return {"recall": known["recall"], "f1": known["f1"]}


def kept(after: float | None, before: float | None) -> float | None:
    """A share of what was before; None where there was nothing to keep."""
    return round(after / before, 4) if after is not None and before else None


def measure_curve(
    path: Path,
    questions: Sequence[LabelledQuestion] | None = None,
    *,
    limits: Limits | None = None,
    ratios: Sequence[float] = RATIOS,
    embedder: str | None = None,
    notify: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Curve:
    """Measure a memory at several ratios, on a copy in a temporary folder that is removed at the end.

    Args:
        path: the memory file.
        questions: labelled questions; None to make some of the memory's claims.
        limits: what compression leaves alone.
        ratios: shares of claims to remove, each more than 0 and less than 1, ascending. Those beyond what can be reached are not tried.
        embedder: as for `Memory.open`.
        notify: as for `Memory.open`.
        progress: told of the work.

    Raises:
        NotFoundError: there are no questions, and no claims to make any of.
        StoreError: the file cannot be read, or the copy not written.
        ModelError: the embedder is missing, or is not the file's.
    """
    with TemporaryDirectory(prefix="mem-curve-") as folder:
        copy = Path(folder) / "copy.memdb"
        made = questions is None
        absent: list[str] = []
        connection = connect(path, create=False, read_only=True)
        try:
            with loading(path):
                copy_memory(connection, copy)
                if questions is None:
                    with read_transaction(connection):
                        questions = make_questions(load_askable(connection))
                else:
                    absent = absent_messages(connection, ((q.conversation_id, message) for q in questions for message in q.evidence))
        finally:
            tidy_close(connection)
        if not questions:
            raise NotFoundError("no claims to make questions of: ingest transcripts first, or give questions with --questions FILE")
        with Memory.open(copy, embedder=embedder, create=False, notify=notify) as memory:
            return _measured(memory, questions, limits, ratios, progress, made=made, absent=tuple(absent))


def _measured(
    memory: Memory,
    questions: Sequence[LabelledQuestion],
    limits: Limits | None,
    ratios: Sequence[float],
    progress: Progress | None,
    *,
    made: bool,
    absent: tuple[str, ...],
) -> Curve:
    total = (1 + len(ratios)) * len(questions)
    ask = memory.ask if any(label.answer or not label.answerable for label in questions) else _silent

    def scores_now(times: int) -> Scores:
        def report(stage: str, done: int, _total: int | None) -> None:
            if progress is not None:
                progress(stage, times * len(questions) + done, total)

        return scores(evaluate(questions, lambda text, k: memory.search(text, k=k), ask, progress=report))

    before = scores_now(0)
    extent: Extent | None = None
    points: list[Point] = []
    for number, ratio in enumerate(ratios, 1):
        outcome = memory.compress(ratio, limits=limits, progress=progress)
        extent = extent or outcome.before
        if outcome.run is None or outcome.after is None:
            break
        points.append(Point(ratio, outcome.achieved, scores_now(number), outcome.after))
        if outcome.achieved < ratio - SHORT:
            break
        memory.restore(outcome.run)
    assert extent is not None
    return Curve(len(questions), made, before, extent, tuple(points), absent)


def _silent(question: str) -> Answer:
    """In the place of an answer that nobody could judge, and that takes longer than all the rest."""
    return Answer(question, None, False, 0.0, (), {})
