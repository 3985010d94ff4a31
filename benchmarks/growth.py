"""Cost as a memory grows: `python -m benchmarks growth`. Made-up clustered vectors; what groups and their search cost a claim.

Each claim is searched for, added and stored as an ingest does it, and flushed in batches. Processor time tells the cost on a machine that
does other things as well; the time on the clock is shown beside it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import scratch_folder
from memcli.store.connection import connect, transaction
from memcli.store.vectors import create_vector_tables, insert_vectors
from memcli.write.groups import Groups

DIMENSION = 384
STOPS = (1_000, 10_000, 50_000, 150_000)
BATCH = 500
CHECKED = 200
"""Vectors searched for at each stop, to compare what is found with the true nearest claims."""


def clustered(count: int, seed: int = 7) -> Iterator[NDArray[np.float32]]:
    """Unit vectors in nested clusters: themes of correlated axes, subjects within them, sayings within these; new ones begin all along."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(64, DIMENSION)).astype(np.float32) / np.sqrt(DIMENSION)
    subjects: list[NDArray[np.float32]] = []
    for number in range(count):
        if not subjects or rng.random() < 0.3 * (1 + number) ** -0.05:
            theme = axes[rng.integers(len(axes))] + 0.5 * rng.normal(size=64).astype(np.float32) @ axes / 8
            subject = theme + 0.9 * rng.normal(size=DIMENSION).astype(np.float32) / np.sqrt(DIMENSION)
            subjects.append(subject / np.linalg.norm(subject))
        chosen = subjects[rng.integers(len(subjects))]
        vector = chosen + rng.uniform(0.3, 1.1) * rng.normal(size=DIMENSION).astype(np.float32) / np.sqrt(DIMENSION)
        yield (vector / np.linalg.norm(vector)).astype(np.float32)


def recall(groups: Groups, matrix: NDArray[np.float32], queries: NDArray[np.float32]) -> float:
    """The share of the ten nearest of claims 1, 2, ... (the rows of `matrix`) that a search finds."""
    found = 0
    for query in queries:
        true = np.argpartition(-(matrix @ query), 10)[:10] + 1
        found += len({claim for claim, _ in groups.nearest_claims(query, 10)} & set(true.tolist()))
    return found / (10 * len(queries))


def main(stops: tuple[int, ...] = STOPS) -> None:
    """Print a row a stop: of the tenth of all claims (or as many as there are) before it."""
    window = stops[-1] // 10 // BATCH
    vectors = clustered(stops[-1] + CHECKED * len(stops))
    matrix = np.zeros((stops[-1], DIMENSION), np.float32)
    processor, clock, flushes = [], [], []
    print("| claims | groups | processor, ms a claim | clock | of which flush | recall@10 | file, MB |\n|" + "---|" * 7)
    with scratch_folder() as folder:
        path = Path(folder) / "growth.memdb"
        connection = connect(path)
        connection.execute("PRAGMA foreign_keys = OFF")  # there are vectors, but no claims
        create_vector_tables(connection, DIMENSION)
        groups = Groups(connection)
        for start in range(0, stops[-1], BATCH):
            matrix[start : start + BATCH] = [next(vectors) for _ in range(BATCH)]
            batch = list(enumerate(matrix[start : start + BATCH], start + 1))
            with transaction(connection):
                insert_vectors(connection, "claim", batch)
                began, began_processor = time.perf_counter(), time.process_time()
                for claim, vector in batch:
                    groups.nearest_claims(vector, 10)
                    groups.add(claim, vector)
                added = time.perf_counter()
                groups.flush()
                clock.append((time.perf_counter() - began) / BATCH * 1e3)
                processor.append((time.process_time() - began_processor) / BATCH * 1e3)
                flushes.append((time.perf_counter() - added) / BATCH * 1e3)
            count = start + BATCH
            if count in stops:
                number = connection.execute("SELECT count(*) FROM groups").get
                queries = np.stack([next(vectors) for _ in range(CHECKED)])
                print(
                    f"| {count} | {number} | {np.mean(processor[-window:]):.3f} | {np.mean(clock[-window:]):.3f}"
                    f" | {np.mean(flushes[-window:]):.3f} | {recall(groups, matrix[:count], queries):.3f}"
                    f" | {path.stat().st_size / 1e6:.0f} |",
                    flush=True,
                )
        connection.close()
    print(f"\nlast tenth / first tenth, processor time: {np.mean(processor[-window:]) / np.mean(processor[:window]):.2f}")


if __name__ == "__main__":
    main()
