"""What compression keeps in one large memory: `python -m benchmarks compress_large`; see benchmarks/data.py for more data.

All conversations of a data set go into one memory, which is measured as it is and compressed at each ratio. With BEAM's ten conversations,
61,000 spans, it is past what is unpacked whole (`memcli.reach`), so that each question is answered from a few regions of it. Message
ids repeat from one conversation to another: evidence counts only in the conversation that the question is about. What is kept is the
measure after compression over the measure before. `python -m benchmarks.compress_large beam` measures that set alone; making its memory
takes about five minutes.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.compress import RATIOS, Measured, kept
from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Memory
from memcli.evaluation import CUTS, scores
from memcli.labelled import LabelledQuestion


def make_memory(path: Path, conversations: Sequence[Conversation]) -> list[LabelledQuestion]:
    """Put all conversations into one new memory; returns their questions, each with the conversation that it is about."""
    questions: list[LabelledQuestion] = []
    with Memory.open(path) as memory:
        known: set[str] = set()
        for conversation in conversations:
            memory.ingest([conversation.path], format=conversation.format)
            (name,) = {str(one["id"]) for one in memory.status().conversations} - known
            known.add(name)
            questions += [replace(question, conversation_id=name) for question in conversation.questions]
    return questions


def measure(path: Path, questions: Sequence[LabelledQuestion], ratio: float | None) -> Measured:
    """A memory's measures, after compressing it if there is a ratio."""
    found = Measured()
    with Memory.open(path) as memory:
        if ratio is not None:
            started = time.perf_counter()
            done = memory.compress(ratio)
            found.seconds = time.perf_counter() - started
            found.extents = [extent for extent in (done.before, done.after) if extent is not None]
        found.outcomes = list(memory.evaluate(questions).outcomes)
    return found


def main(names: Sequence[str] = ()) -> None:
    """Print a table for each data set on this machine, or for those named."""
    columns = [*(f"recall@{k} kept" for k in reversed(CUTS)), "answer F1 kept", "indexes and file, removed", "search ms, before / after"]
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            if names and name not in names:
                continue
            path, small = Path(folder) / "whole.memdb", Path(folder) / "small.memdb"
            questions = make_memory(path, conversations)
            base = measure(path, questions, None)
            before = scores(base.outcomes)
            told = " / ".join(f"{before.recall[k] or 0:.4f}" for k in reversed(CUTS))
            sizes = f"{len(conversations)} conversations, {len(questions)} questions"
            print(f"\n{name}: {sizes}; before: recall {told}, F1 {before.f1 or 0:.4f}\n")
            print(f"| ratio | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
            for ratio in RATIOS:
                shutil.copyfile(path, small)
                found = measure(small, questions, ratio)
                after = scores(found.outcomes)
                first, last = found.extents
                row = [
                    *(kept(after.recall[k], before.recall[k]) for k in reversed(CUTS)),
                    kept(after.f1, before.f1),
                    f"{1 - last.index_bytes / first.index_bytes:.1%}, {1 - last.bytes / first.bytes:.1%}",
                    f"{before.search_ms:.1f} / {after.search_ms:.1f}",
                ]
                print(f"| {ratio} | {' | '.join(row)} |", flush=True)
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
