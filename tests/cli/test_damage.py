"""What a command says of a memory file that is damaged, or that goes away under it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.store.connection import connect, tidy_close

if TYPE_CHECKING:
    from conftest import Command

LINE = '{"role": "user", "name": "Bram", "content": "The kiln stands in Delft."}\n'

DAMAGE = {
    "a text that is not UTF-8": "UPDATE claims SET text = CAST(x'ff41fe' AS TEXT)",
    "a table that is gone": "DROP TABLE messages",
    "spans of no message": "UPDATE spans SET message_id = 9999 WHERE id = 2",
    "vectors that are gone": "UPDATE span_vectors_vector_chunks00 SET vectors = x'00'",
    "an index of another format": "DELETE FROM span_views_config",
}


def damaged(source: Path, target: Path, sql: str) -> None:
    shutil.copy(source, target)
    connection = connect(target)
    connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql)
    tidy_close(connection)


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_memory_ends_with_4_and_the_way_to_learn_more(river: Command, mem: Command, kind: str) -> None:
    damaged(river.folder / "memory.memdb", mem.folder / "memory.memdb", DAMAGE[kind])
    statuses = set()
    for command in (["search", "goat"], ["ask", "What is the name of the goat?"], ["show", "1"], ["show", "message:m1"], ["status"]):
        done = mem(*command)
        statuses.add(done.returncode)
        assert done.returncode in (0, 4), (command, done.stderr)
        if done.returncode == 4:
            assert "memory.memdb is damaged (" in done.stderr, command
            assert "mem verify --db " in done.stderr
            assert done.stderr.count("\n") == 1
    assert 4 in statuses
    for flags in ((), ("--repair",)):
        done = mem("verify", *flags)
        assert done.stderr == ""
        assert done.stdout.startswith(("ok ", "wrong ", "fixed ")), done.stdout
        assert done.returncode == 4 or flags, done.stdout


@pytest.mark.parametrize(
    "sql", ["DELETE FROM models", "UPDATE groups SET centroid = x'00'", "DELETE FROM group_members", "DROP TABLE groups"]
)
def test_an_ingest_into_a_damaged_memory_ends_with_4(river: Command, mem: Command, make_long_chat: Callable[[int], str], sql: str) -> None:
    damaged(river.folder / "memory.memdb", mem.folder / "memory.memdb", sql)
    (mem.folder / "more.jsonl").write_text(make_long_chat(20), encoding="utf-8")
    done = mem("ingest", "more.jsonl")
    assert (done.returncode, done.stdout) == (4, "")
    assert "memory.memdb is damaged (" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("sql", ["UPDATE groups SET centroid = x'00'", "DELETE FROM group_members"])
def test_to_compress_or_to_forget_in_a_damaged_memory_ends_with_4(river: Command, mem: Command, sql: str) -> None:
    damaged(river.folder / "memory.memdb", mem.folder / "memory.memdb", sql)
    for command in (["compress", "--ratio", "0.5"], ["forget", "--message", "m1", "--yes"]):
        done = mem(*command)
        assert (done.returncode, done.stdout) == (4, "")
        assert "memory.memdb is damaged (" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("replace", [False, True])
def test_a_memory_that_goes_away_during_an_ingest_is_told(mem: Command, make_long_chat: Callable[[int], str], replace: bool) -> None:
    path = mem.folder / "new.memdb"
    child = mem.start("ingest", "-", "--db", "new.memdb")
    assert child.stdin is not None
    child.stdin.write(LINE.encode())
    child.stdin.flush()
    deadline = time.monotonic() + 60
    while mem("status", "--db", "new.memdb").returncode != 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    if replace:
        tidy_close(connect(mem.folder / "other.memdb"))
        (mem.folder / "other.memdb").replace(path)
    else:
        path.unlink()
    child.stdin.write(make_long_chat(3).encode())
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (4, b"")
    assert b"new.memdb was removed or replaced while in use" in err
    assert err.count(b"\n") == 1


def test_a_first_ingest_that_fails_leaves_no_memory_behind(mem: Command) -> None:
    (mem.folder / "bad.jsonl").write_text("{\n", encoding="utf-8")
    assert mem("ingest", "bad.jsonl", "--db", "new.memdb").returncode == 3
    (mem.folder / "good.jsonl").write_text(LINE, encoding="utf-8")
    assert mem("ingest", "good.jsonl", "--db", "new.memdb", "--embedder", "./none").returncode == 5
    assert sorted(path.name for path in mem.folder.iterdir()) == ["bad.jsonl", "good.jsonl"]


def test_an_ingest_that_fails_leaves_what_was_there_or_came_in(mem: Command) -> None:
    (mem.folder / "bad.jsonl").write_text("{\n", encoding="utf-8")
    (mem.folder / "good.jsonl").write_text(LINE, encoding="utf-8")
    tidy_close(connect(mem.folder / "old.memdb"))
    assert mem("ingest", "bad.jsonl", "--db", "old.memdb").returncode == 3
    assert (mem.folder / "old.memdb").exists()
    assert mem("ingest", "good.jsonl", "bad.jsonl", "--db", "new.memdb").returncode == 3
    assert json.loads(mem("status", "--json", "--db", "new.memdb").stdout)["counts"]["messages"] == 1
