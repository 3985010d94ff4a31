"""How densely what is found holds the answer: `python -m benchmarks density`; xMemory's measures (its Figure 5 and Table 3).

A labelled answer's words, function words left out, are its evidence units. A block that is handed to a reader hits as many of them as occur
in it. Compared over the 20 best blocks of each:

    chunks             messages, by the vectors of the same model over their texts: plain retrieval
    chunks with heads  the same, each below its speaker and day, so that every one of them hits a year that was asked for
    facts              the claims of `mem search`
    facts with words   the same, each with the very words that it was read from

The blocks and tokens needed are counted down to the block with which the last unit is covered, over those questions that every way
covers within its 20 blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Memory, Message
from memcli.evaluation import tokens
from memcli.language.lexicon import FUNCTION
from memcli.models import Embedder, load_embedder
from memcli.transcripts import read

BLOCKS = 20


@dataclass(frozen=True)
class Found:
    """What one way of retrieval gives for one question: of each block, best first, the units it hits, and its length."""

    category: str
    units: frozenset[str]
    hits: tuple[frozenset[str], ...]
    lengths: tuple[int, ...]
    """Tokens of each block, as the embedding model counts them."""

    @property
    def needed(self) -> int | None:
        """How many blocks cover every unit; None if all of them do not."""
        covered: set[str] = set()
        for number, hit in enumerate(self.hits, 1):
            covered |= hit
            if covered == self.units:
                return number
        return None


def units(answer: str) -> frozenset[str]:
    """The content words of a labelled answer."""
    return frozenset(word for word in tokens(answer) if word not in FUNCTION)


def head(message: Message) -> str:
    """Who said it, and on which day."""
    said = datetime.fromisoformat(message.timestamp) if message.timestamp else None
    return f"{message.speaker}, {said.day} {said:%B %Y}" if said else message.speaker


def collect(conversation: Conversation, path: Path, embedder: Embedder) -> Mapping[str, list[Found]]:
    """Each way's blocks for every answerable question."""
    out: dict[str, list[Found]] = defaultdict(list)
    messages = list(read(conversation.path, conversation.format).messages)
    vectors = embedder.encode([message.text for message in messages])
    with Memory.open(path) as memory:
        memory.ingest([conversation.path], format=conversation.format)
        for labelled in conversation.questions:
            wanted = units(labelled.answer)
            if not (labelled.answerable and wanted):
                continue
            nearest = np.argsort(-(vectors @ embedder.encode([labelled.question])[0]), kind="stable")[:BLOCKS]
            facts = memory.search(labelled.question, k=BLOCKS).facts
            ways = {
                "chunks": [messages[i].text for i in nearest],
                "chunks with heads": [f"{head(messages[i])}: {messages[i].text}" for i in nearest],
                "facts": [fact.text for fact in facts],
                "facts with words": ["\n".join((fact.text, *(evidence.text for evidence in fact.evidence))) for fact in facts],
            }
            for way, blocks in ways.items():
                hits = tuple(wanted.intersection(tokens(block)) for block in blocks)
                out[way].append(Found(labelled.category, wanted, hits, tuple(embedder.count_tokens(blocks))))
    return out


def hit_shares(found: Sequence[Found]) -> tuple[float, float, float]:
    """The shares of blocks that hit one unit, two, and three or more."""
    counts = [len(hit) for each in found for hit in each.hits]
    return (
        fmean(count == 1 for count in counts),
        fmean(count == 2 for count in counts),
        fmean(count >= 3 for count in counts),
    )


def density(found: Sequence[Found]) -> float:
    """Units hit per hundred tokens handed over, each hit counted."""
    return 100 * sum(len(hit) for each in found for hit in each.hits) / sum(sum(each.lengths) for each in found)


def print_blocks(ways: Mapping[str, list[Found]]) -> None:
    """A row for each way and category: what its blocks hit."""
    print("\n| category | blocks | hit 1 unit | hit 2 | hit 3 or more | units a 100 tokens |\n|---|---|---|---|---|---|")
    categories = sorted({each.category for found in ways.values() for each in found})
    for category in ("all", *categories):
        for way, found in ways.items():
            some = [each for each in found if category in ("all", each.category)]
            one, two, more = hit_shares(some)
            print(f"| {category} | {way} | {one:.2%} | {two:.2%} | {more:.2%} | {density(some):.2f} |")


def print_coverage(ways: Mapping[str, list[Found]]) -> None:
    """A row for each way: what it takes to cover the whole answer."""
    common = [n for n, each in enumerate(zip(*ways.values(), strict=True)) if all(found.needed for found in each)]
    print(
        f"\n| blocks | answers covered by {BLOCKS} blocks | blocks needed | tokens needed | tokens of all {BLOCKS} |\n|---|---|---|---|---|"
    )
    for way, found in ways.items():
        covered = fmean(each.needed is not None for each in found)
        needed = [(found[n], found[n].needed or 0) for n in common]
        blocks = fmean(number for _, number in needed)
        spent = fmean(sum(each.lengths[:number]) for each, number in needed)
        print(f"| {way} | {covered:.2%} | {blocks:.2f} | {spent:.1f} | {fmean(sum(each.lengths) for each in found):.1f} |")
    print(f"\nneeded: over the {len(common)} questions that every way covers", flush=True)


def main() -> None:
    """Print two tables for each data set on this machine."""
    embedder = load_embedder()
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            ways: dict[str, list[Found]] = defaultdict(list)
            for conversation in conversations:
                path = Path(folder) / f"{name}-{conversation.name}.memdb"
                for way, found in collect(conversation, path, embedder).items():
                    ways[way] += found
            print(f"\n{name}: {len(ways['facts'])} answerable questions")
            print_blocks(ways)
            print_coverage(ways)


if __name__ == "__main__":
    main()
