"""What a command meets around it: odd paths, locales, settings, streams and limits."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command

LINE = '{"role": "user", "name": "Bram", "content": "The kiln stands in Delft."}\n'
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_a_path_that_is_not_utf8_ends_with_4_and_makes_nothing(mem: Command) -> None:
    done = mem("ingest", "--db", b"caf\xe9.memdb", input=LINE)
    assert (done.returncode, done.stdout) == (4, "")
    assert "UTF-8" in done.stderr
    assert list(mem.folder.iterdir()) == []


def test_a_path_works_whatever_the_locale_takes_it_for(mem: Command) -> None:
    assert mem("ingest", "--db", "Käse.memdb", input=LINE, **ASCII).returncode == 0
    assert [path.name for path in mem.folder.iterdir()] == ["Käse.memdb"]
    for environ in (ASCII, {}):
        assert "Delft" in mem("search", "kiln", "--db", "Käse.memdb", **environ).stdout
        assert mem("verify", "--repair", "--db", "Käse.memdb", **environ).returncode == 0


@pytest.mark.parametrize("command", [("ingest",), ("search", "goat"), ("status",)])
def test_a_name_no_file_can_have_ends_with_4(mem: Command, command: tuple[str, ...]) -> None:
    done = mem(*command, "--db", "a" * 300, input=LINE)
    assert (done.returncode, done.stdout) == (4, "")
    assert "too long" in done.stderr


@pytest.mark.parametrize("environ", [{}, ASCII])
def test_an_id_that_is_no_text_is_not_found(river: Command, environ: dict[str, str]) -> None:
    for reference in (b"message:\xff", b"referent:\xff", b"\xff"):
        done = river("show", reference, **environ)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("MEM_DB", "~nobody-of-that-name/m.memdb", 4),
        ("MEM_EMBEDDER", "~nobody-of-that-name/model", 5),
        ("MEM_CACHE_DIR", "~nobody-of-that-name/cache", 5),
        ("MEM_EMBEDDER", "m" * 4000, 5),
        ("XDG_DATA_HOME", "/dev/null", 4),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_with_its_status(mem: Command, name: str, value: str, status: int) -> None:
    flags = [] if name in ("MEM_DB", "XDG_DATA_HOME") else ["--db", "new.memdb"]
    done = mem("ingest", *flags, input=LINE, **{name: value})
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 500
    assert list(mem.folder.glob("*.memdb")) == []


@pytest.mark.parametrize("arguments", ["ingest --db new.memdb", "ingest - --db new.memdb", "ask", "search --batch"])
def test_a_stdin_that_cannot_be_read_is_told(mem: Command, arguments: str) -> None:
    program = ["sh", "-c", f'"$0" -m memcli {arguments} 0>/dev/null', sys.executable]
    done = subprocess.run(program, cwd=mem.folder, env=mem.environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mem: stdin cannot be read")


@pytest.mark.parametrize("limit", [6, 7, 8, 9, 10])
def test_too_few_files_are_told_as_that(river: Command, mem: Command, limit: int) -> None:
    script = f'ulimit -n {limit}; exec "$0" -m memcli ingest chat.jsonl --db "$1"'
    program = ["sh", "-c", script, sys.executable, str(mem.folder / "new.memdb")]
    done = subprocess.run(program, cwd=river.folder, env=river.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        assert "oo many open files" in done.stderr
        assert "ulimit" in done.stderr


KNOCK = """
import os, runpy, signal, sys
class Knock:
    def find_spec(self, name, *_):
        if name == "memcli.cli.process":
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Knock())
sys.argv = ["mem", "status"]
{start}
"""


@pytest.mark.parametrize("start", ["runpy.run_module('memcli', run_name='__main__')", "from memcli.cli import main; sys.exit(main())"])
@pytest.mark.parametrize(("number", "status", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")])
def test_a_signal_while_the_program_is_loaded_ends_it_without_a_traceback(
    mem: Command, start: str, number: signal.Signals, status: int, said: str
) -> None:
    program = KNOCK.format(name=number.name, start=start)
    done = subprocess.run([sys.executable, "-c", program], cwd=mem.folder, env=mem.environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"mem: {said}\n")
