"""Exit statuses, and the one line that goes with each."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from memcli.store.connection import connect, tidy_close

if TYPE_CHECKING:
    from conftest import Command


def test_an_answered_question_ends_with_0_and_silence_on_stderr(river: Command) -> None:
    done = river("ask", "What is the name of Ottilie's goat?")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Brunhilde" in done.stdout


def test_a_question_nobody_answered_ends_with_1_and_says_so(river: Command) -> None:
    done = river("ask", "What is the name of Wendelin's submarine?")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("Insufficient evidence")


def test_nothing_found_ends_with_1_and_prints_nothing(mem: Command) -> None:
    tidy_close(connect(mem.folder / "empty.memdb"))
    done = mem("search", "anything", "--db", "empty.memdb")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ask", ""], "empty"),
        (["ask", " \t\n"], "empty"),
        (["search"], "empty"),
        (["ask", "who", "-k", "0"], "-k"),
        (["ask", "who", "--colour"], "--colour"),
        (["ask", "who", "is", "it"], 'put the whole question in quotes: mem ask "..."'),
        (["search", "the", "goat"], 'put the whole question in quotes: mem search "..."'),
        (["asl", "who"], "'ask'"),
        (["--db", "x.memdb", "ask", "who"], "options follow the command"),
        (["ingest", "-", "-"], "once"),
        (["ingest", "-", "--format", "nonsense"], "nonsense"),
        (["show"], "ID"),
        (["status", "--db", ""], "--db"),
    ],
)
def test_a_wrong_call_ends_with_2_and_one_line_that_points_to_the_help(mem: Command, arguments: list[str], named: str) -> None:
    done = mem(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("mem: ")
    assert named in done.stderr
    assert "--help" in done.stderr
    assert list(mem.folder.iterdir()) == []


def test_the_bare_command_shows_its_help_on_stderr(mem: Command) -> None:
    done = mem()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: mem" in done.stderr


def test_a_missing_file_ends_with_3_before_anything_is_read(mem: Command) -> None:
    (mem.folder / "there.jsonl").write_text('{"role": "user", "content": "Hello."}\n', encoding="utf-8")
    done = mem("ingest", "there.jsonl", "missing.jsonl", "--db", "new.memdb")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "mem: missing.jsonl: no such file\n")
    assert not (mem.folder / "new.memdb").exists()


def test_a_file_that_is_no_transcript_ends_with_3_and_is_named(mem: Command) -> None:
    (mem.folder / "bad.jsonl").write_text('{"role": "user", "content": "Fine."}\n{"role": "user", "conte\n{}\n', encoding="utf-8")
    done = mem("ingest", "bad.jsonl", "--db", "new.memdb")
    assert done.returncode == 3
    assert done.stderr.startswith("mem: bad.jsonl: line 2: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("search", "who"), ("show", "1"), ("verify",)])
def test_a_memory_that_is_not_there_ends_with_4_and_the_way_to_make_one(mem: Command, arguments: tuple[str, ...]) -> None:
    done = mem(*arguments, "--db", "missing.memdb")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.count("\n") == 1
    assert "missing.memdb" in done.stderr
    assert "ingest" in done.stderr
    assert list(mem.folder.iterdir()) == []


def test_a_file_that_is_no_memory_ends_with_4(mem: Command) -> None:
    (mem.folder / "memory.memdb").write_bytes(b"This is a letter, not a memory.\n" * 40)
    done = mem("verify")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.count("\n") == 1


def test_an_embedder_that_is_missing_ends_with_5(mem: Command) -> None:
    done = mem("ingest", "--db", "new.memdb", "--embedder", "./no-such-model", input='{"role": "user", "content": "Hello."}\n')
    assert (done.returncode, done.stdout) == (5, "")
    assert "no-such-model" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_traceback_is_shown_only_with_debug(mem: Command) -> None:
    assert "Traceback" not in mem("status", "--db", "missing.memdb").stderr
    assert "Traceback" in mem("status", "--db", "missing.memdb", "--debug").stderr


def test_sound_memory_verifies_with_0(river: Command) -> None:
    done = river("verify")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("sound\n")


def test_termination_ends_a_waiting_command_with_143(mem: Command) -> None:
    child = mem.start("ingest", "-", "--db", "new.memdb")
    assert child.stdin is not None
    child.stdin.write(b'{"role": "user", "content": "The kettle is green."}\n')
    child.stdin.flush()
    deadline = time.monotonic() + 60
    while not (mem.folder / "new.memdb").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (143, b"", b"mem: terminated\n")
    assert mem("verify", "--db", "new.memdb").returncode == 0


def test_a_full_disk_or_a_closed_stdout_leaves_no_traceback(river: Command) -> None:
    for target, status, message in (("/dev/full", 70, b"mem: No space left on device\n"), ("&-", 0, b"")):
        done = subprocess.run(
            ["sh", "-c", f'"$0" -m memcli status >{target}', sys.executable],
            cwd=river.folder,
            env=river.environ,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert (done.returncode, done.stderr) == (status, message)


def test_a_defect_is_told_from_nothing_found(mem: Command) -> None:
    program = "import sys, memcli.config as c; c.resolve_db = None; from memcli.cli import main; sys.exit(main(['status']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=mem.environ, cwd=mem.folder, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.count("\n") == 1
    assert "--debug" in done.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("http://localhost:1", "an embedding model at a URL is not supported yet; give a model's name or folder"),
        ("nonexist", "no such embedding model on this machine"),
    ],
)
def test_an_embedder_that_cannot_be_had_is_told_as_it_is(mem: Command, name: str, said: str) -> None:
    done = mem("ingest", "--db", "new.memdb", "--embedder", name, input='{"role": "user", "content": "Hello."}\n')
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith(f"mem: {name}: {said}")
    assert "sentence-transformers/" not in done.stderr
    assert "URL" not in mem("ingest", "--help").stdout


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("abc", "abc: no claim's number; write KIND:ID for anything else, for example message:abc"),
        ("9999", "claim:9999: no claim of that id in this memory; mem search and mem ask show claims with their numbers"),
        ("conversation:nope", "conversation:nope: no conversation of that id in this memory; mem status lists the conversations"),
        ("time_cue:9999", "time_cue:9999: no time cue of that id in this memory; mem show of a claim or message lists"),
    ],
)
def test_what_cannot_be_shown_is_answered_with_where_its_ids_are(river: Command, reference: str, said: str) -> None:
    done = river("show", reference)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"mem: {said}")
