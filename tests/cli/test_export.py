"""`mem export` as a command: pipes, files, errors."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command

FORMATS = ("jsonl", "prov-json", "graphml", "dot", "markdown")


def test_a_memory_goes_through_a_pipe_into_another(river: Command, mem: Command) -> None:
    exporting = river.start("export", "--to", "jsonl")
    ingesting = subprocess.run(
        [*exporting.args[:3], "ingest", "-", "--db", "copy.memdb", "--json"],
        stdin=exporting.stdout,
        capture_output=True,
        cwd=mem.folder,
        env=mem.environ,
        timeout=120,
    )
    assert exporting.wait(10) == 0
    assert json.loads(ingesting.stdout)["messages"] == {"read": 8, "new": 8, "unchanged": 0}
    ours, theirs = river("export", "--to", "jsonl").stdout, mem("export", "--to", "jsonl", "--db", "copy.memdb").stdout
    for kind in ('"role": "user"', '"kind": "span"', '"kind": "claim"', '"kind": "support"', '"kind": "edge"'):
        assert [line for line in theirs.splitlines() if kind in line] == [line for line in ours.splitlines() if kind in line]
    assert ours.count('"kind": "claim"') > 5


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_and_stdout_hold_the_same_and_nothing_else_is_said(river: Command, tmp_path: Path, format: str) -> None:
    path = tmp_path / "out"
    printed, written = river("export", "--to", format), river("export", "--to", format, "-o", str(path))
    assert (printed.returncode, printed.stderr) == (0, "")
    assert (written.returncode, written.stdout, written.stderr) == (0, "", "")
    assert path.read_text(encoding="utf-8") == printed.stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("format", FORMATS)
def test_no_export_steers_the_terminal(river: Command, format: str) -> None:
    shown = river("export", "--to", format).stdout
    assert "kettle" in shown
    assert not {"\x1b", "\x07", "\u009b"} & set(shown)


def test_json_tells_what_was_written(river: Command, tmp_path: Path) -> None:
    told = river.json("export", "--to", "prov-json", "-o", str(tmp_path / "p.json"), "--claim", "claim:1")
    assert (told["format"], told["path"], told["claim"]) == ("prov-json", str(tmp_path / "p.json"), 1)
    assert told["rows"]["claim"] >= 1
    assert json.loads((tmp_path / "p.json").read_text())["entity"]["atom:claim/1"]


def test_a_terminal_is_told_what_was_written(river: Command, tmp_path: Path) -> None:
    assert "8 messages" in river.on_terminal("export", "--to", "dot", "-o", str(tmp_path / "g.dot"))


def test_a_reader_who_has_seen_enough(mem: Command, make_long_chat: Callable[[int], str]) -> None:
    assert mem("ingest", "-", "--db", "m.memdb", input=make_long_chat(150)).returncode == 0
    for format in FORMATS:
        child = mem.start("export", "--to", format, "--db", "m.memdb")
        assert child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(20) == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--to", "xml"), 2, "unknown format 'xml'; choose one of jsonl, prov-json, graphml, dot, markdown, parquet"),
        ((), 2, "--to"),
        (("--to", "parquet"), 2, "name one with -o"),
        (("--to", "jsonl", "--json"), 2, "it needs -o"),
        (("--to", "jsonl", "-o", ""), 2, "-o is empty"),
        (("--to", "jsonl", "-o", "."), 2, "is a folder"),
        (("--to", "jsonl", "-o", "memory.memdb"), 2, "is the memory itself"),
        (("--to", "jsonl", "-o", "nowhere/x"), 70, "No such file or directory"),
        (("--to", "jsonl", "--claim", "x"), 2, "no claim's number"),
        (("--to", "jsonl", "--claim", "4000"), 1, "no claim of that id"),
        (("--to", "jsonl", "--db", "none.memdb"), 4, "none.memdb"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(river: Command, arguments: tuple[str, ...], status: int, said: str) -> None:
    done = river("export", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_failed_export_leaves_the_old_file(river: Command, tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("kept")
    assert river("export", "--to", "dot", "-o", str(path), "--claim", "4000").returncode == 1
    assert path.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [path]
