"""`mem doctor`: what is wrong, and what to do next."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from memcli.store.connection import connect, tidy_close

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command


def checks(mem: Command, *arguments: str, **environ: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = mem("doctor", "--json", *arguments, **environ)
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["well"] == (done.returncode == 0)
    return done.returncode, {check["check"]: check for check in told["checks"]}


@pytest.fixture
def copied(river: Command, mem: Command) -> Path:
    """A memory of its own."""
    shutil.copy(river.folder / "memory.memdb", mem.folder / "my notes.memdb")
    (mem.folder / "my notes.memdb").chmod(0o600)
    return mem.folder / "my notes.memdb"


def test_all_is_well(river: Command) -> None:
    status, found = checks(river)
    assert status == 0
    assert {"python", "sqlite", "config", "extra llm", "extra parquet", "memory", "permissions", "cache", "embedder"} == set(found)
    assert "8 messages" in found["memory"]["message"]
    assert "384 dimensions" in found["embedder"]["message"]
    assert all(check["next"] for check in found.values() if check["state"] != "ok")


def test_a_person_reads_a_line_a_check_and_the_next_step_below(mem: Command) -> None:
    lines = mem("doctor", "--db", "none.memdb").stdout.splitlines()
    place = next(index for index, line in enumerate(lines) if line.startswith("note   memory: none.memdb: there is none yet"))
    assert lines[place + 1].strip() == "→ mem ingest FILE --db none.memdb makes it"


def test_a_memory_that_others_can_read(mem: Command, copied: Path) -> None:
    copied.chmod(0o644)
    status, found = checks(mem, "--db", copied.name)
    assert (status, found["permissions"]["state"]) == (4, "wrong")
    assert found["permissions"]["next"] == "chmod 600 'my notes.memdb'"


def test_a_file_that_is_no_memory(mem: Command) -> None:
    (mem.folder / "x.memdb").write_text("Dear diary, " * 99)
    (mem.folder / "x.memdb").chmod(0o600)
    status, found = checks(mem, "--db", "x.memdb")
    assert (status, found["memory"]["state"]) == (4, "wrong")
    assert "not a memory" in found["memory"]["message"]
    assert found["embedder"]["state"] == "ok"  # the other checks go on


def test_settings_that_cannot_be_read(mem: Command) -> None:
    file = mem.folder / "config" / "mem" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("dbs = 1")
    status, found = checks(mem)
    assert (status, found["config"]["state"]) == (3, "wrong")
    assert str(file) in found["config"]["next"]


def test_a_model_that_is_not_there(mem: Command) -> None:
    status, found = checks(mem, "--embedder", "no/such-model")
    assert (status, found["embedder"]["state"]) == (5, "wrong")
    assert "no/such-model" in found["embedder"]["message"]


def test_a_model_that_is_not_the_one_the_memory_was_made_with(mem: Command, copied: Path) -> None:
    connection = connect(copied)
    connection.execute("UPDATE models SET fingerprint = 'f00d' || substr(fingerprint, 5)")
    connection.execute("UPDATE settings SET value = (SELECT fingerprint FROM models) WHERE key = 'embedder'")
    tidy_close(connection)
    status, found = checks(mem, "--db", copied.name)
    assert (status, found["embedder"]["state"]) == (5, "wrong")
    assert found["embedder"]["next"] == "use --embedder all-MiniLM-L6-v2"
