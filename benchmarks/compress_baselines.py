"""`mem compress` beside other ways to have fewer claims: `python -m benchmarks compress_baselines`; see benchmarks/data.py for more data.

`benchmarks.compress_methods` says what the others do and what is held equal. Two readers measure what is kept, for they tell different
things:

    as mem reads      the whole read path. It finds each message behind a merged claim on its own, so that hardly any evidence is lost by
                      merging; what is pruned is lost. Only `mem compress` keeps what each claim was made of, and is judged by it; what the
                      others have merged is judged by the merged words.
    claims alone      claims are ranked by their own vector and words, and each is handed over with all messages it rests on, as the
                      papers' systems read. A claim made of claims that do not belong together is hard to find and brings messages that
                      nobody asked for, which is what this measures.

Unanswerable questions are answered best by a memory that has forgotten everything, so the answers' F1 is given without them as well.
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.compress import RATIOS, kept
from benchmarks.compress_methods import METHODS, shrink
from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Memory
from memcli.evaluation import CUTS, Outcome, recall_at, scores
from memcli.labelled import LabelledQuestion
from memcli.models import load_embedder
from memcli.read.features import standard
from memcli.read.query import Query, read_query
from memcli.read.routes import K1, Floats, Postings
from memcli.store.connection import connect, tidy_close
from memcli.store.search import postings
from memcli.store.vectors import load_vectors

COLUMNS = ("recall@20", "recall@5", "F1", "F1 of answerable", "claims alone @20", "claims alone @5")

WORDS = 0.5
"""What a claim's words count against its vector when claims are ranked as wholes; the same as among the spans of a message."""

Vectors = NDArray[np.float32]
Shrink = Callable[[apsw.Connection, float], float]
"""Compresses a memory to a ratio; returns the share of its active claims that went."""


@dataclass
class Kept:
    """What a memory, or several, answer."""

    outcomes: list[Outcome] = field(default_factory=list)
    alone: list[dict[int, float]] = field(default_factory=list)
    """Recall of each question with labels, from claims alone."""
    removed: list[float] = field(default_factory=list)
    """Of each memory, the share of its active claims that went."""

    def measures(self) -> list[float]:
        """In the order of `COLUMNS`; only the last two where the whole read path was not measured."""
        alone = [fmean(recall[k] for recall in self.alone) for k in (20, 5)]
        if not self.outcomes:
            return alone
        found = scores(self.outcomes)
        answerable = [o.f1 for o in self.outcomes if o.f1 is not None and o.label.answerable]
        return [found.recall[20] or 0.0, found.recall[5] or 0.0, found.f1 or 0.0, fmean(answerable), *alone]


def look(path: Path, questions: Sequence[LabelledQuestion], into: Kept, *, whole: bool) -> None:
    """Measure one memory, with the whole read path as well if wanted."""
    into.alone += recall_of_claims(path, questions)
    if whole:
        with Memory.open(path, create=False, read_only=True) as memory:
            into.outcomes += memory.evaluate(questions).outcomes


def recall_of_claims(path: Path, questions: Iterable[LabelledQuestion]) -> list[dict[int, float]]:
    """Recall at each cut of each question with labels, if claims are ranked as wholes and each brings all messages it rests on."""
    connection = connect(path, create=False, read_only=True)
    try:
        claims, matrix = load_vectors(connection, "claim")
        speakers = [row[0] for row in connection.execute("SELECT DISTINCT speaker FROM messages ORDER BY speaker")]
        behind: dict[int, list[str]] = {}
        for claim, message in connection.execute(
            "SELECT c.id, m.external_id FROM claims c JOIN claim_supports cs ON cs.claim_id = c.id JOIN spans s ON s.id = cs.span_id"
            " JOIN messages m ON m.id = s.message_id WHERE c.status = 'active' ORDER BY c.id, cs.position"
        ):
            behind.setdefault(claim, []).append(message)
        found = []
        for label in questions:
            if not label.evidence:
                continue
            query = read_query(label.question, tuple(speakers))
            score = claim_scores(query, embedded(query.text), claims, matrix, lambda term: postings(connection, "claim", term))
            met: dict[str, int] = {}
            for claim in claims[np.argsort(-score, kind="stable")].tolist():
                for message in behind[claim]:
                    met.setdefault(message, len(met) + 1)
                if len(met) >= max(CUTS):
                    break
            found.append(recall_at({message: met.get(message) for message in label.evidence}, CUTS))
        return found
    finally:
        tidy_close(connection)


def claim_scores(query: Query, vector: NDArray[np.float32], claims: NDArray[np.int64], vectors: Vectors, postings: Postings) -> Floats:
    """How well each claim as a whole fits, shape (c,): its cosine and BM25 of its words, both standardised, the words counting half.

    Args:
        query: the question as read.
        vector: its embedding, shape (d,), unit length.
        claims: ids, ascending, shape (c,).
        vectors: of the claims, shape (c, d).
        postings: looks a token up in the index of claims.
    """
    words = np.zeros(len(claims))
    for term in query.terms:
        found = np.array(postings(term), np.int64).reshape(-1, 2)
        found = found[np.isin(found[:, 0], claims)]
        if len(found):
            rarity = np.log(1 + (len(claims) - len(found) + 0.5) / (len(found) + 0.5))
            words[np.searchsorted(claims, found[:, 0])] += rarity * found[:, 1] * (K1 + 1) / (found[:, 1] + K1)
    return standard((vectors @ vector).astype(np.float64)) + WORDS * standard(words)


@functools.cache
def embedded(text: str) -> Vectors:
    """A question's vector, shape (d,)."""
    vector: Vectors = _model().encode([text])[0]
    return vector


_model = functools.cache(load_embedder)


def measure(
    conversations: Sequence[Conversation],
    scratch: Path,
    ways: dict[str, Shrink],
    ratios: Sequence[float],
    *,
    whole: bool = True,
    memory_of: Callable[[Conversation, Path], Path] | None = None,
) -> tuple[Kept, dict[tuple[str, float], Kept]]:
    """What the memories of conversations answer, before and after each way to compress them, by way and ratio."""
    base = Kept()
    after = {(way, ratio): Kept() for way in ways for ratio in ratios}
    for conversation in conversations:
        path = (memory_of or compiled)(conversation, scratch)
        look(path, conversation.questions, base, whole=whole)
        for (way, ratio), found in after.items():
            small = scratch / "small.memdb"
            shutil.copyfile(path, small)
            connection = connect(small, create=False)
            try:
                found.removed.append(ways[way](connection, ratio))
            finally:
                tidy_close(connection)
            look(small, conversation.questions, found, whole=whole)
            small.unlink()
    return base, after


def compiled(conversation: Conversation, scratch: Path) -> Path:
    """The memory of a conversation."""
    path = scratch / f"{conversation.name}.memdb"
    with Memory.open(path) as memory:
        memory.ingest([conversation.path], format=conversation.format)
    return path


def table(base: Kept, after: dict[tuple[str, float], Kept], first: str) -> str:
    """What is kept, in Markdown: the measures after compression over those before."""
    before = base.measures()
    columns = COLUMNS[-len(before) :]
    lines = [f"| {first} | ratio | claims removed | {' | '.join(f'{name} kept' for name in columns)} |", f"|{'---|' * (len(columns) + 3)}"]
    for (way, ratio), found in after.items():
        shares = [kept(now, then) for now, then in zip(found.measures(), before, strict=True)]
        lines.append(f"| {way} | {ratio} | {fmean(found.removed):.1%} | {' | '.join(shares)} |")
    return "\n".join([*lines, f"\nbefore: {', '.join(f'{name} {value:.3f}' for name, value in zip(columns, before, strict=True))}"])


def main() -> None:
    """Print a table for each data set on this machine."""
    ways: dict[str, Shrink] = {name: functools.partial(_shrunk, name) for name in METHODS}
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            scratch = Path(folder) / name
            scratch.mkdir()
            print(
                f"\n{name}: {len(conversations)} conversations\n\n{table(*measure(conversations, scratch, ways, RATIOS), 'method')}",
                flush=True,
            )


def _shrunk(method: str, connection: apsw.Connection, ratio: float) -> float:
    return shrink(connection, method, ratio)


if __name__ == "__main__":
    main()
