"""Evidence recall and answers on labelled conversations: `python -m benchmarks retrieval`; see benchmarks/data.py for more data.

Each conversation gets a memory of its own. `memcli.evaluation` says what the measures are; `mem eval` takes them of any memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Evaluation, Memory
from memcli.evaluation import CUTS, Outcome, Scores


def measure(conversations: list[Conversation], scratch: Path) -> Evaluation:
    """Every question of every conversation."""
    outcomes: list[Outcome] = []
    for conversation in conversations:
        with Memory.open(scratch / f"{conversation.name}.memdb") as memory:
            memory.ingest([conversation.path], format=conversation.format)
            outcomes += memory.evaluate(conversation.questions).outcomes
    return Evaluation(tuple(outcomes))


def share(value: float | None) -> str:
    """A share as the tables show it; nothing where it cannot be measured."""
    return "" if value is None else f"{value:.4f}"


def cells(scores: Scores) -> dict[str, str]:
    """The measures by name."""
    return {
        **{f"recall@{k}": share(scores.recall[k]) for k in reversed(CUTS)},
        "answer F1": share(scores.f1),
        "answered when answerable": share(scores.answered),
        "abstained when not": share(scores.abstained),
        "balanced accuracy of that": share(scores.balanced_accuracy),
        "words of facts, median": f"{scores.fact_words:g}",
        "search ms, median": f"{scores.search_ms:.1f}",
    }


def print_reliability(outcomes: Sequence[Outcome]) -> None:
    """Confidence against truth: of the questions answered with a confidence in a tenth, how many have an answer."""
    print("\n| confidence from | questions | mean confidence | answerable |\n|---|---|---|---|")
    for tenth in range(10):
        inside = [outcome for outcome in outcomes if min(int(outcome.confidence * 10), 9) == tenth]
        if inside:
            mean, truth = fmean(outcome.confidence for outcome in inside), fmean(outcome.label.answerable for outcome in inside)
            print(f"| {tenth / 10} | {len(inside)} | {mean:.2f} | {truth:.2f} |", flush=True)


def main() -> None:
    """Print two tables for each data set on this machine: its measures by category, and how far confidence can be relied on."""
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            scratch = Path(folder) / name
            scratch.mkdir()
            found = measure(conversations, scratch)
            columns = {"all": found.overall, **found.categories}
            print(f"\n{name}: {len(conversations)} conversations, {len(found.outcomes)} questions\n")
            print(f"| measure | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
            rows = [cells(scores) for scores in columns.values()]
            for measure_name in rows[0]:
                print(f"| {measure_name} | {' | '.join(row[measure_name] for row in rows)} |", flush=True)
            print_reliability(found.outcomes)


if __name__ == "__main__":
    main()
