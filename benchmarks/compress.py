"""What compression keeps and what it saves: `python -m benchmarks compress`; see benchmarks/data.py for more data.

Every conversation gets a memory of its own, is measured, and is measured again at each ratio on a copy that was compressed. What is kept is
the measure after compression over the measure before; `memcli.evaluation` says what the measures are.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Memory
from memcli.evaluation import CUTS, Outcome, Scores, scores
from memcli.results import Extent

RATIOS = (0.3, 0.5, 0.7)


@dataclass
class Measured:
    """The outcomes over all conversations of a data set, and how large the memories are together."""

    outcomes: list[Outcome] = field(default_factory=list)
    extents: list[Extent] = field(default_factory=list)
    seconds: float = 0.0

    def size(self, name: str) -> int:
        """A measure of the extents, added up."""
        return sum(int(getattr(extent, name)) for extent in self.extents)


def measure(conversations: Sequence[Conversation], scratch: Path) -> tuple[Measured, dict[float, Measured]]:
    """Before compression, and after it by ratio."""
    whole, compressed = Measured(), {ratio: Measured() for ratio in RATIOS}
    for conversation in conversations:
        path = scratch / f"{conversation.name}.memdb"
        with Memory.open(path) as memory:
            memory.ingest([conversation.path], format=conversation.format)
            whole.outcomes += memory.evaluate(conversation.questions).outcomes
        for number, (ratio, after) in enumerate(compressed.items()):
            small = scratch / f"{conversation.name}-{ratio}.memdb"
            shutil.copyfile(path, small)
            with Memory.open(small) as memory:
                started = time.perf_counter()
                done = memory.compress(ratio)
                after.seconds += time.perf_counter() - started
                after.outcomes += memory.evaluate(conversation.questions).outcomes
            if done.after is not None:
                after.extents.append(done.after)
            if number == 0:
                whole.extents.append(done.before)
    return whole, compressed


def kept(after: float | None, before: float | None) -> str:
    """A share of what was before; nothing where it cannot be told."""
    return f"{after / before:.4f}" if after is not None and before else ""


def row(found: Measured, base: Measured) -> list[str]:
    """What is kept of the measures, what is removed of the sizes, the seconds of compression, and the time of a search."""
    after: Scores = scores(found.outcomes)
    before: Scores = scores(base.outcomes)
    removed = [f"{1 - found.size(name) / base.size(name):.1%}" for name in ("claims", "tokens", "index_bytes", "bytes")]
    return [
        *(kept(after.recall[k], before.recall[k]) for k in reversed(CUTS)),
        kept(after.f1, before.f1),
        *removed,
        f"{found.seconds:.1f}",
        f"{before.search_ms:.1f} / {after.search_ms:.1f}",
    ]


def main() -> None:
    """Print a table for each data set on this machine."""
    columns = [
        *(f"recall@{k} kept" for k in reversed(CUTS)),
        "answer F1 kept",
        *(f"{name} removed" for name in ("claims", "tokens", "bytes of indexes", "bytes of file")),
        "seconds",
        "search ms, before / after",
    ]
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            scratch = Path(folder) / name
            scratch.mkdir()
            base, compressed = measure(conversations, scratch)
            sizes = f"{base.size('claims'):,} claims, {base.size('tokens'):,} tokens, {base.size('index_bytes') / 1e6:.1f} MB of indexes"
            size = f"{sizes}, {base.size('bytes') / 1e6:.1f} MB"
            print(f"\n{name}: {len(base.extents)} conversations, {len(base.outcomes)} questions; before: {size}\n")
            print(f"| ratio | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
            for ratio, found in compressed.items():
                print(f"| {ratio} | {' | '.join(row(found, base))} |", flush=True)


if __name__ == "__main__":
    main()
