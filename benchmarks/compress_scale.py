"""Compression of large memories: `python -m benchmarks compress_scale`; made up (see `invented_memory`), without an embedding model.

Each size is made, searched, compressed to half the claims, and searched again, each step in a process of its own, so that its memory can
be told. Processor time tells the cost on a machine that does other things as well; the time on the clock is shown beside it. The 200,000
claims take about ten minutes to make. `python -m benchmarks.compress_scale 10000 50000` measures other sizes.
"""

from __future__ import annotations

import multiprocessing
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.data import scratch_folder
from benchmarks.invented_memory import WordVectors, World, make_memory

SIZES = (10_000, 50_000, 200_000)
RATIO = 0.5
QUESTIONS = 60
FACTS = 10


@dataclass(frozen=True)
class Searched:
    """Times of searches, in milliseconds, and megabytes of memory."""

    opening: float
    """Reading the memory and its first search."""
    wall: float
    """Median of the others."""
    processor: float
    megabytes: int


@dataclass(frozen=True)
class Compressed:
    """A compression: seconds on the clock and of processor time, megabytes of memory, and the bytes before and after."""

    wall: float
    processor: float
    megabytes: int
    index_bytes: tuple[int, int]
    file_bytes: tuple[int, int]


def search(path: Path, claims: int) -> Searched:
    """Ask a memory questions about what was said in it."""
    from memcli.recall import Recall
    from memcli.store.connection import connect

    questions = World(claims).questions(QUESTIONS)
    embedder = WordVectors()
    connection = connect(path, read_only=True)
    started = time.perf_counter()
    recall = Recall(connection, lambda: embedder)
    recall.search(questions[0], k=FACTS)
    opening = (time.perf_counter() - started) * 1e3
    wall, processor = [], []
    for question in questions[1:]:
        began, began_processor = time.perf_counter(), time.process_time()
        recall.search(question, k=FACTS)
        wall.append((time.perf_counter() - began) * 1e3)
        processor.append((time.process_time() - began_processor) * 1e3)
    connection.close()
    return Searched(opening, median(wall), median(processor), _megabytes())


def compress(path: Path) -> Compressed:
    """Compress a memory to half its claims."""
    from memcli.compression import Limits, compress_memory
    from memcli.store.connection import connect, tidy_close

    connection = connect(path)
    started, started_processor = time.perf_counter(), time.process_time()
    done = compress_memory(connection, RATIO, Limits())
    wall, processor = time.perf_counter() - started, time.process_time() - started_processor
    tidy_close(connection)
    assert done.after is not None
    index, file = (done.before.index_bytes, done.after.index_bytes), (done.before.bytes, done.after.bytes)
    return Compressed(wall, processor, _megabytes(), index, file)


def _megabytes() -> int:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@contextmanager
def _process() -> Iterator[Callable[..., object]]:
    """A fresh process that calls one function."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield lambda function, *arguments: pool.submit(function, *arguments).result()


def main(sizes: tuple[int, ...] = SIZES) -> None:
    """Print a row a size."""
    print(
        "| claims | compression, claims a second (of processor time) | memory, MB | indexes, MB | file, MB"
        " | search, ms (of processor time), before | after | times faster | opening and first search, ms | memory, MB |\n|" + "---|" * 10
    )
    with scratch_folder() as folder:
        for claims in sizes:
            whole, small = Path(folder) / f"{claims}.memdb", Path(folder) / f"{claims}-small.memdb"
            make_memory(whole, claims)
            with _process() as call:
                before = call(search, whole, claims)
            shutil.copyfile(whole, small)
            with _process() as call:
                done = call(compress, small)
            with _process() as call:
                after = call(search, small, claims)
            assert isinstance(before, Searched)
            assert isinstance(after, Searched)
            assert isinstance(done, Compressed)
            print(
                f"| {claims:,} | {claims / done.wall:,.0f} ({claims / done.processor:,.0f}) | {done.megabytes:,}"
                f" | {_change(done.index_bytes)} | {_change(done.file_bytes)} | {before.wall:.1f} ({before.processor:.1f})"
                f" | {after.wall:.1f} ({after.processor:.1f}) | {before.wall / after.wall:.2f} ({before.processor / after.processor:.2f})"
                f" | {before.opening:,.0f} / {after.opening:,.0f} | {before.megabytes:,} / {after.megabytes:,} |",
                flush=True,
            )
            for path in (whole, small):
                path.unlink()


def _change(sizes: tuple[int, int]) -> str:
    before, after = sizes
    return f"{before / 1e6:.0f} / {after / 1e6:.0f} (-{1 - after / before:.0%})"


if __name__ == "__main__":
    main(tuple(int(argument) for argument in sys.argv[1:]) or SIZES)
