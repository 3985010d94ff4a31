"""What each channel of reading is worth: `python -m benchmarks channels`; see benchmarks/data.py for more data.

Each row takes a channel's features away (their weights become 0; the others are not fitted anew) and measures evidence recall of the
facts, as `python -m benchmarks retrieval` does.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Memory
from memcli.evaluation import CUTS, FACTS_A_MESSAGE, ranks_of, recall_at
from memcli.models import load_embedder
from memcli.read import fuse
from memcli.read.features import NAMES
from memcli.recall import Recall
from memcli.store.connection import connect

CHANNELS: dict[str, tuple[str, ...]] = {
    "all": (),
    "BM25 of spans": ("span_words",),
    "BM25 of messages": ("message_words", "held"),
    "BM25 of windows": ("window_words", "held_around"),
    "BM25 of sessions": ("session_words",),
    "every BM25": ("span_words", "message_words", "held", "window_words", "held_around", "session_words"),
    "vectors of spans": ("span_vector", "span_cosine"),
    "vectors of messages in context": ("context_vector", "context_cosine"),
    "vectors of windows": ("window_vector", "window_cosine"),
    "every vector": ("span_vector", "span_cosine", "context_vector", "context_cosine", "window_vector", "window_cosine"),
    "who speaks": ("speaker",),
    "whom a claim is about, what it does": ("about_speaker", "asks", "standing"),
    "the user's words": ("user", "user_own"),
    "times": ("dated", "happened_then", "said_then"),
    "the question replied to": ("reply",),
    "neighbouring messages": ("before_1", "after_1", "before_2", "after_2", "before_3", "after_3"),
    "the session's best message": ("session_best",),
    "length": ("length",),
}


def measure(conversations: list[Conversation], folder: Path) -> dict[str, dict[str, list[dict[int, float]]]]:
    """Recall at each cut of every question: channel -> category -> questions."""
    table: dict[str, dict[str, list[dict[int, float]]]] = defaultdict(lambda: defaultdict(list))
    embedder = load_embedder()
    facts = FACTS_A_MESSAGE * max(CUTS)
    whole = fuse._WEIGHTS.copy()
    for conversation in conversations:
        path = folder / f"{conversation.name}.memdb"
        with Memory.open(path) as memory:
            memory.ingest([conversation.path], format=conversation.format)
        with closing(connect(path, read_only=True)) as connection:
            recall = Recall(connection, lambda: embedder)
            for channel, names in CHANNELS.items():
                fuse._WEIGHTS[:] = np.where(np.isin(NAMES, names), 0.0, whole)
                for q in conversation.questions:
                    if q.evidence:
                        table[channel][q.category].append(recall_at(ranks_of(q, recall.search(q.question, k=facts)), CUTS))
            fuse._WEIGHTS[:] = whole
    return table


def main() -> None:
    """Print a table for each data set on this machine."""
    with scratch_folder() as scratch:
        for name, conversations in datasets(Path(scratch)):
            folder = Path(scratch) / name
            folder.mkdir()
            table = measure(conversations, folder)
            categories = sorted(table["all"])
            heads = " | ".join(f"{category} @20" for category in categories)
            print(f"\n{name}\n\n| without | @20 | @10 | @5 | {heads} |\n|{'---|' * (len(categories) + 4)}")
            for channel, by in table.items():
                every = [cuts for values in by.values() for cuts in values]
                cells = [f"{fmean(cuts[k] for cuts in every):.4f}" for k in (20, 10, 5)]
                cells += [f"{fmean(cuts[20] for cuts in by[c]):.3f}" for c in categories]
                print(f"| {'nothing' if channel == 'all' else channel} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
