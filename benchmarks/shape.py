"""What the write path makes of the labelled conversations: `python -m benchmarks shape`.

Claims a message, messages without a claim, how many claims joined existing ones, and the share of near-duplicates among search results: of
all pairs within the 20 best facts of a question, those whose vectors have a cosine above 0.8 (A-MEM's is 28.2% by MemCoRe's account).
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks.data import Conversation, datasets, scratch_folder
from memcli import Memory
from memcli.store.connection import connect
from memcli.store.vectors import fetch_vectors

NEAR = 0.8
FACTS = 20


def near_duplicates(path: Path, conversation: Conversation) -> list[float]:
    """For each question the share of pairs of its best facts that are near-duplicates."""
    shares = []
    connection = connect(path, read_only=True)
    with Memory.open(path, read_only=True) as memory:
        for labelled in conversation.questions:
            ids = [fact.claim_id for fact in memory.search(labelled.question, k=FACTS).facts]
            if len(ids) > 1:
                matrix = fetch_vectors(connection, "claim", ids)
                pairs = (matrix @ matrix.T)[np.triu_indices(len(ids), 1)]
                shares.append(float((pairs > NEAR).mean()))
    connection.close()
    return shares


def main() -> None:
    """Print a row for each data set on this machine."""
    print("| data | messages | claims a message | messages without a claim | merged | edges | groups | topics | near-duplicate pairs @20 |")
    print("|" + "---|" * 9)
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            totals = dict.fromkeys(("messages", "claims", "empty", "merged", "edges", "groups", "topics"), 0)
            shares: list[float] = []
            for conversation in conversations:
                path = Path(folder) / f"{name}-{conversation.name}.memdb"
                with Memory.open(path) as memory:
                    report = memory.ingest([conversation.path], format=conversation.format)
                    counts = memory.status().counts
                connection = connect(path, read_only=True)
                empty = connection.execute(
                    "SELECT count(*) FROM messages WHERE id NOT IN"
                    " (SELECT s.message_id FROM claim_supports cs JOIN spans s ON s.id = cs.span_id)"
                ).fetchall()[0][0]
                connection.close()
                for key, value in (
                    ("messages", report.messages_new),
                    ("claims", report.claims),
                    ("empty", int(str(empty))),
                    ("merged", report.merged),
                    ("edges", report.edges),
                    ("groups", counts["groups"]),
                    ("topics", counts["topics"]),
                ):
                    totals[key] += value
                shares += near_duplicates(path, conversation)
            messages = totals["messages"]
            rest = " | ".join(str(totals[key]) for key in ("merged", "edges", "groups", "topics"))
            print(
                f"| {name} | {messages} | {totals['claims'] / messages:.2f} | {totals['empty'] / messages:.1%} | {rest} |"
                f" {fmean(shares):.2%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
