"""Evidence recall and answers on labelled conversations: `python -m benchmarks retrieval`; see benchmarks/data.py for more data.

recall@k is the share of a question's labelled messages among the first k distinct messages met when walking the facts of a search in
rank order, averaged over questions. F1 is over normalised words (lower case, no punctuation or articles). Abstention is the balanced
accuracy of `sufficient`.
"""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, median

from benchmarks.data import Conversation, Labelled, datasets, scratch_folder
from memcli import Memory, SearchResult

CUTS = (5, 10, 20)
FACTS = 60
"""Facts asked for, so that the walk meets 20 distinct messages."""


def recall(result: SearchResult, labelled: Labelled) -> dict[int, float]:
    """Recall at each cut."""
    met = list(dict.fromkeys(evidence.message_id for fact in result.facts for evidence in fact.evidence))
    return {k: len(labelled.evidence & set(met[:k])) / len(labelled.evidence) for k in CUTS}


def words(text: str) -> list[str]:
    """Normalised words of an answer."""
    kept = "".join(" " if ch in string.punctuation else ch for ch in text.lower()).split()
    return [word for word in kept if word not in ("a", "an", "the")]


def f1(said: str, gold: str) -> float:
    """Token F1 of an answer."""
    a, b = words(said), words(gold)
    common = sum((Counter(a) & Counter(b)).values())
    return float(a == b) if not a or not b else 2 * common / (len(a) + len(b))


def measure(conversations: list[Conversation], scratch: Path) -> Mapping[str, Mapping[str, list[float]]]:
    """Every measure by category: measure -> category -> one value a question."""
    table: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for conversation in conversations:
        with Memory.open(scratch / f"{conversation.name}.memdb") as memory:
            memory.ingest([conversation.path], format=conversation.format)
            for labelled in conversation.questions:
                category = labelled.category
                if labelled.evidence:
                    found = memory.search(labelled.question, k=FACTS)
                    for k, value in recall(found, labelled).items():
                        table[f"recall@{k}"][category].append(value)
                    table["search ms"][category].append(found.timings_ms["total"])
                answer = memory.ask(labelled.question)
                table["fact words"][category].append(sum(len(fact.text.split()) for fact in answer.facts))
                if labelled.answerable:
                    table["answered"][category].append(float(answer.sufficient))
                    table["F1"][category].append(f1(answer.answer or "", labelled.answer))
                else:
                    table["abstained"][category].append(float(not answer.sufficient))
                    table["F1"][category].append(float(not answer.sufficient))
    return table


def main() -> None:
    """Print a table for each data set on this machine."""
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            scratch = Path(folder) / name
            scratch.mkdir()
            table = measure(conversations, scratch)
            categories = sorted({category for row in table.values() for category in row})
            print(f"\n{name}: {len(conversations)} conversations, {sum(len(c.questions) for c in conversations)} questions\n")
            print(f"| measure | all | {' | '.join(categories)} |\n|{'---|' * (len(categories) + 2)}")
            for measure_name, row in table.items():
                middle = median if measure_name in ("search ms", "fact words") else fmean
                whole = middle([value for values in row.values() for value in values])
                cells = " | ".join(f"{middle(row[category]):.3f}" if row.get(category) else "" for category in categories)
                print(f"| {measure_name} | {whole:.4f} | {cells} |")
            sides = [table[side].values() for side in ("answered", "abstained") if table.get(side)]
            balanced = fmean(fmean(value for values in side for value in values) for side in sides)
            print(f"\nabstention, balanced accuracy: {balanced:.4f}", flush=True)


if __name__ == "__main__":
    main()
