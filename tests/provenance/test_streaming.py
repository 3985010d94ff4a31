"""An export holds the row at hand, not the memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from memcli.memory import Memory
from memcli.store.connection import connect

MESSAGES, LENGTH = 4000, 1000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4 MB of words, a message and a span a kilobyte."""
    path = tmp_path_factory.mktemp("large") / "large.memdb"
    connection = connect(path)
    connection.execute("BEGIN")
    connection.execute("INSERT INTO conversations VALUES (1, 'c'); INSERT INTO pages VALUES (1, 1, NULL)")
    counted = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MESSAGES})"
    connection.execute(
        f"{counted} INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
        f" SELECT i, 1, 1, i, i, 'Signe', 'user', printf('%0{LENGTH}d', i), {LENGTH}, CAST(printf('%016d', i) AS BLOB) FROM n"
    )
    connection.execute(f"{counted} INSERT INTO spans SELECT i, i, 0, {LENGTH}, 'sentence', 1 FROM n")
    connection.execute("COMMIT")
    connection.close()
    return path


@pytest.mark.parametrize("format", ["jsonl", "prov-json", "graphml", "dot", "markdown"])
def test_memory_does_not_grow_with_the_memory(large: Path, tmp_path: Path, format: str) -> None:
    with Memory.open(large, create=False, read_only=True) as memory:
        memory.export(format, tmp_path / "first")  # what is imported once does not count
        tracemalloc.start()
        try:
            memory.export(format, tmp_path / "second")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert format == "markdown" or (tmp_path / "second").stat().st_size > 2 * MESSAGES * LENGTH
    assert peak < 1_000_000


def test_the_output_begins_before_the_memory_is_read(large: Path) -> None:
    class EnoughError(Exception):
        pass

    class Out:
        written = 0

        def write(self, text: str) -> int:
            self.written += len(text)
            if self.written > 50_000:
                raise EnoughError
            return len(text)

    done: list[int] = []
    with Memory.open(large, create=False, read_only=True) as memory, pytest.raises(EnoughError):
        memory.export("jsonl", Out(), progress=lambda _stage, count, _total: done.append(count))  # type: ignore[arg-type]
    assert done == []  # not even the first 512 rows
