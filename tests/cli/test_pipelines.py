"""The command between others: followed files, several at once, readers that leave, and signals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import apsw
import pytest

if TYPE_CHECKING:
    from conftest import Command


def _shell(command: Command, script: str, shell: str = "sh", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a script in which `mem` is the command."""
    program = command.folder / "mem-for-scripts"
    program.mkdir(exist_ok=True)
    mem = program / "mem"
    mem.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memcli "$@"\n', encoding="utf-8")
    mem.chmod(0o755)
    settings = command.environ | {"PATH": f"{program}:{os.environ['PATH']}"} | environ
    return subprocess.run([shell, "-c", script], cwd=command.folder, env=settings, capture_output=True, text=True, timeout=120, check=False)


def _line(name: str, number: int, words: str) -> str:
    return json.dumps({"role": "user", "name": name, "content": words, "id": f"{name}{number}"}, ensure_ascii=False) + "\n"


def test_a_file_that_is_followed_is_in_the_memory_as_it_grows(mem: Command) -> None:
    log = mem.folder / "log.jsonl"
    log.write_text(_line("Bram", 1, "The kiln stands in Delft."), encoding="utf-8")
    follower = subprocess.Popen(["tail", "-n", "+1", "-f", log], stdout=subprocess.PIPE)
    child = subprocess.Popen(
        [sys.executable, "-m", "memcli", "ingest", "-", "--db", "log.memdb"],
        cwd=mem.folder, env=mem.environ, stdin=follower.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert follower.stdout is not None
    follower.stdout.close()
    try:
        for number, words in enumerate(("kiln", "Ziege", "根特"), start=1):
            if number > 1:
                with log.open("a", encoding="utf-8") as file:
                    file.write(_line("Bram", number, f"Das ist {words}."))
            deadline = time.monotonic() + 30
            while f'"Bram{number}"' not in mem("search", words, "--json", "--db", "log.memdb").stdout:
                assert time.monotonic() < deadline
                time.sleep(0.1)
    finally:
        follower.terminate()
        follower.wait(10)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, b"")
    assert b"3 new, 0 unchanged" in out


def test_xargs_may_ingest_several_files_at_once(mem: Command) -> None:
    for name in ("ana", "bram", "chiara", "dirk"):
        (mem.folder / f"{name}.jsonl").write_text(
            "".join(_line(name, n, f"My boat {n} is called {name}{n}.") for n in range(15)), encoding="utf-8"
        )
    done = _shell(mem, "ls *.jsonl | xargs -P 4 -n 1 mem ingest --db boats.memdb")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("15 new, 0 unchanged") == 4
    assert mem.json("status", "--db", "boats.memdb")["counts"]["messages"] == 60
    assert mem("verify", "--db", "boats.memdb").returncode == 0


def test_an_ingest_waits_for_who_is_writing(river: Command, mem: Command) -> None:
    shutil.copy(river.folder / "memory.memdb", mem.folder / "memory.memdb")
    connection = apsw.Connection(str(mem.folder / "memory.memdb"))
    connection.execute("BEGIN IMMEDIATE")
    child = mem.start("ingest", "-", "--db", "memory.memdb")
    assert child.stdin is not None
    child.stdin.write(_line("Bram", 1, "The kiln stands in Delft.").encode())
    child.stdin.close()
    child.stdin = None
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(2)
    connection.execute("ROLLBACK")
    connection.close()
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, b"")
    assert b"1 new" in out


def test_a_search_reads_while_somebody_writes(river: Command, mem: Command) -> None:
    shutil.copy(river.folder / "memory.memdb", mem.folder / "memory.memdb")
    connection = apsw.Connection(str(mem.folder / "memory.memdb"))
    connection.execute("BEGIN IMMEDIATE")
    assert mem("search", "goat", "--db", "memory.memdb").returncode == 0
    connection.close()


def test_jq_takes_the_json_apart(river: Command) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed here")
    done = _shell(river, "mem search goat --json | jq -r '.facts[0].evidence[0].text'")
    assert done.stdout == "I adopted a three-legged goat named Brunhilde yesterday.\n"
    done = _shell(
        river, """printf '%s\\n' goat kiln | mem search --batch -k 1 | jq -r '[.question, .facts[0].evidence[0].message_id] | join(" ")'"""
    )
    assert done.stdout == "goat m1\nkiln m4\n"


@pytest.mark.parametrize(
    "script", ["yes goat | mem search --batch | head -n 2", "mem export --to jsonl | head -n 2", "mem status --json | true"]
)
def test_a_pipe_that_ends_early_fails_nobody(river: Command, script: str) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed here")
    done = _shell(river, f"{script}; echo ${{PIPESTATUS[*]}} >&2", "bash")
    assert done.stdout.count("\n") == (0 if "true" in script else 2)
    statuses = done.stderr.split()
    assert statuses[-2:] == ["0", "0"]
    assert len(statuses) == script.count("|") + 1  # and nothing else was said


def test_a_question_that_nobody_answers_stops_a_chain(river: Command) -> None:
    assert _shell(river, "mem ask 'What is the name of the goat?' >/dev/null && echo yes").stdout == "yes\n"
    assert _shell(river, "mem ask 'Which submarine did Bram buy?' >/dev/null && echo yes").stdout == ""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_whole_lines_behind(river: Command, number: signal.Signals, status: int) -> None:
    child = river.start("ask", "--batch", "-")
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"What is the goat called?\nWhere is the kiln?\n")
    child.stdin.flush()
    lines = [child.stdout.readline(), child.stdout.readline()]
    child.send_signal(number)
    rest, _ = child.communicate(timeout=30)
    assert (child.returncode, rest) == (status, b"")
    assert [json.loads(line)["question"] for line in lines] == ["What is the goat called?", "Where is the kiln?"]


def test_a_pattern_in_quotes_is_the_files_that_fit(mem: Command, make_long_chat: Callable[[int], str]) -> None:
    for place in ("logs/2024/may.jsonl", "logs/june.jsonl", "logs/notes.txt", "[odd].jsonl"):
        path = mem.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_line(path.stem, 1, f"The kiln of {path.stem} stands in Delft."), encoding="utf-8")
    for pattern, files in (("logs/*.jsonl", 1), ("logs/**/*.jsonl", 2), ("[odd].jsonl", 1), ("[!x]*.jsonl", 1)):
        assert mem.json("ingest", pattern, "--db", "new.memdb")["files"] == files, pattern
    done = mem("ingest", "logs/*.zip", "--db", "other.memdb")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "mem: logs/*.zip: no file fits this pattern\n")
