"""Completions, pressed in the shells themselves: what a person gets on the command line is what the shell would then run."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.cli.app import COMMANDS
from memcli.cli.shells import SCRIPTS, generate, script, scripts_folder
from memcli.cli.shells.grammar import grammar

if TYPE_CHECKING:
    from conftest import Command

CHAT = [
    ("Łucja van Dór", "I bought a green canoe in Ghent yesterday.", "2024-03-02T14:05:00", "D1:1", "paddling: north"),
    ("Bram O'Neil", "My canoe leaks since Tuesday.", "2024-03-02T14:06:00", "D1:2", "paddling: north"),
    ("小林", "我下周五去根特。", "2024-03-02T14:07:00", "D1:3", "paddling: north"),
    ("Bram O'Neil", 'Der Verein heißt "Blaue Feder" und tagt in Ghent.', "2024-03-03T14:07:00", "D1:1", "club"),
]


@pytest.fixture(scope="module")
def canoe(river: Command, tmp_path_factory: pytest.TempPathFactory, child_environment: Callable[[Path], dict[str, str]]) -> Command:
    """The command, on the PATH as `mem`, in a folder with a memory of `CHAT`."""
    folder = tmp_path_factory.mktemp("canoe")
    keys = ("name", "content", "timestamp", "id", "conversation_id")
    lines = [json.dumps(dict(zip(keys, row, strict=True)), ensure_ascii=False) for row in CHAT]
    (folder / "chat one.jsonl").write_text("\n".join(lines), encoding="utf-8")
    program = folder / "bin" / "mem"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memcli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environ = child_environment(folder) | {"HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    environ["PATH"] = f"{program.parent}:{environ['PATH']}"
    command = replace(river, folder=folder, environ=environ)
    done = command("ingest", "chat one.jsonl", "--db", "memory.memdb")
    assert done.returncode == 0, done.stderr
    return command


def _need(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_are_what_the_program_generates(shell: str) -> None:
    assert script(shell) == generate(shell), "write them anew: python -m memcli.cli.shells"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shells_find_no_fault_with_their_scripts(shell: str) -> None:
    _need(shell)
    done = subprocess.run([shell, "-n", scripts_folder() / SCRIPTS[shell]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_grammar_has_every_command_and_what_each_takes() -> None:
    commands = {command.name: command for command in grammar()}
    assert list(commands) == list(COMMANDS)
    ingest = {name: option for option in commands["ingest"].options for name in option.names}
    assert {"--format", "--db", "-q", "--quiet", "-h", "--help"} <= ingest.keys()
    assert "whatsapp" in (ingest["--format"].values or ())
    assert ingest["--quiet"].values is None
    assert (commands["ingest"].arguments, commands["ingest"].endless) == (("file",), True)
    assert commands["show"].arguments == ("atom",)
    assert commands["status"].arguments == ()


# What the memory file knows ---------------------------------------------------------------------------------------------


def _values(command: Command, kind: str, prefix: str = "", db: str = "", **environ: str) -> dict[str, str]:
    done = command("__complete", kind, prefix, db, **environ)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(line.split("\t") for line in done.stdout.splitlines())


def test_values_come_with_what_they_mean(canoe: Command) -> None:
    claims = _values(canoe, "claim")
    assert "1" in claims
    assert any("green canoe" in text for text in claims.values())
    assert claims == {name: text for name, text in _values(canoe, "atom").items() if name.isdecimal()}
    assert _values(canoe, "message", "D1:2") == {"D1:2": "Bram O'Neil: My canoe leaks since Tuesday."}
    assert list(_values(canoe, "speaker")) == ["Łucja van Dór", "Bram O'Neil", "小林"]
    assert _values(canoe, "conversation", "pad") == {"paddling: north": ""}
    assert "all-MiniLM-L6-v2" in _values(canoe, "embedder")
    assert _values(canoe, "run") == {}


def test_an_id_of_several_messages_is_offered_as_show_takes_it(canoe: Command) -> None:
    offered = _values(canoe, "atom", "message:D1:1")
    assert sorted(offered) == ["message:club/D1:1", "message:paddling: north/D1:1"]
    assert list(_values(canoe, "atom", "message:club/")) == ["message:club/D1:1"]
    for reference in offered:
        assert canoe("show", reference).returncode == 0


def test_every_value_offered_for_show_is_there(canoe: Command) -> None:
    kinds = [name for name in _values(canoe, "atom") if name.endswith(":")]
    assert {"claim:", "message:", "referent:", "span:", "handle:", "group:"} <= set(kinds)
    for kind in kinds:
        for reference in list(_values(canoe, "atom", kind))[:1]:
            assert canoe("show", reference).returncode == 0, reference


def test_a_number_is_completed_to_all_that_begin_with_it(mem: Command, make_long_chat: Callable[[int], str]) -> None:
    assert mem("ingest", "--db", "long.memdb", input=make_long_chat(130)).returncode == 0
    found = list(_values(mem, "claim", "12", "long.memdb"))
    assert found[:3] == ["12", "120", "121"]
    assert all(name.startswith("12") for name in found)
    assert len(_values(mem, "claim", "", "long.memdb")) == 100


@pytest.mark.parametrize(
    "arguments", [(), ("claim",), ("claim", "x"), ("nonsense", ""), ("atom", "nonsense:1"), ("claim", "\udcff", "\udcff")]
)
def test_where_there_is_nothing_to_offer_nothing_is_said_or_made(mem: Command, arguments: tuple[str, ...]) -> None:
    (mem.folder / "chat.txt").write_text("no memory", encoding="utf-8")
    for environ in ({}, {"MEM_DB": "missing.memdb"}, {"MEM_DB": "chat.txt"}, {"MEM_DB": "~nobody-of-that-name/m"}):
        encoded = [os.fsencode(argument) for argument in arguments]
        done = mem("__complete", *encoded, **environ)
        assert (done.returncode, done.stderr) == (0, "")
        assert not [line for line in done.stdout.splitlines() if line[0].isdecimal()]
    assert [path.name for path in mem.folder.iterdir()] == ["chat.txt"]


def test_a_memory_of_an_older_version_is_not_brought_up_to_date_by_a_press_of_tab(canoe: Command, mem: Command) -> None:
    import apsw

    copy = mem.folder / "old.memdb"
    shutil.copy(canoe.folder / "memory.memdb", copy)
    with apsw.Connection(str(copy)) as connection:
        connection.execute("PRAGMA user_version = 1")
    before = copy.read_bytes()
    assert list(_values(mem, "speaker", db=str(copy))) == ["Łucja van Dór", "Bram O'Neil", "小林"]
    assert copy.read_bytes() == before
    assert [path.name for path in mem.folder.iterdir()] == ["old.memdb"]


def test_it_is_quick_and_imports_next_to_nothing(canoe: Command) -> None:
    program = "import sys; sys.argv = ['mem', '__complete', 'claim', '']; from memcli.cli import main; main()\n" \
        "print(*sys.modules, file=sys.stderr)"  # fmt: skip
    best = 9.0
    for _ in range(5):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=canoe.folder, env=canoe.environ, capture_output=True, text=True, check=True
        )
        best = min(best, time.perf_counter() - began)
    assert done.stdout.startswith("1\t")
    packages = {name.partition(".")[0] for name in done.stderr.split()}
    assert packages.isdisjoint({"numpy", "onnxruntime", "typer", "click", "rich", "platformdirs", "tokenizers", "sqlite_vec"})
    assert best < 0.15


# In the shells ----------------------------------------------------------------------------------------------------------

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='$ '; source {0}/mem.bash"),
    "zsh": (["zsh", "-f", "-i"], "PS1='$ '; autoload -Uz compinit; compinit -u -D; source {0}/_mem"),
}


def _typed(command: Command, shell: str, keys: str, start: str | None = None, until: str | None = None) -> tuple[list[str], str]:
    """Type `keys` into an interactive shell; the words that the shell would run then, and all that the terminal showed."""
    argv, setup = START[shell]
    ours, theirs = pty.openpty()
    environ = command.environ | {"COLUMNS": "100"}
    child = subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, cwd=command.folder, env=environ, start_new_session=True)
    os.close(theirs)
    shown = ""

    def wait(pattern: str) -> None:
        nonlocal shown
        deadline = time.monotonic() + 20
        while not re.search(pattern, shown, re.MULTILINE) and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]|\r", "", shown + os.read(ours, 65536).decode("utf-8", "replace"))

    try:
        os.write(ours, f"{(start or setup).format(scripts_folder())}; echo re'ady'\n".encode())
        wait(r"^ready$")
        os.write(ours, keys.encode())
        if until is not None:
            wait(until)
        # To the beginning of the line, and have its words printed instead of run.
        os.write(ours, b"\x01printf '@%s@\\n' \x05 'th''e end'\r")
        wait(r"^@the end@$")
    finally:
        child.kill()
        child.wait(10)
        os.close(ours)
    return re.findall(r"^@(.*)@$", shown, re.MULTILINE)[:-1], shown


PRESSED = [
    ("mem inge", "mem ingest"),
    ("mem --ver", "mem --version"),
    ("mem ingest --form", "mem ingest --format"),
    ("mem ingest --format wha", "mem ingest --format whatsapp"),
    ("mem ingest --format=chatg", "mem ingest --format=chatgpt"),
    ("mem export --to prov", "mem export --to prov-json"),
    ("mem compress --protect eve", "mem compress --protect event"),
    ("mem config set emb", "mem config set embedder"),
    ("mem completions show z", "mem completions show zsh"),
    ("mem ingest chat", "mem ingest|chat one.jsonl"),
    ("mem status --db mem", "mem status --db memory.memdb"),
    ("mem status --db=mem", "mem status --db=memory.memdb"),
    ("mem ask --batch chat", "mem ask --batch|chat one.jsonl"),
    ("mem ask chat", "mem ask chat"),
    ("mem search export --to prov", "mem search export --to prov"),
    ("mem show mess", "mem show message:"),
    ("mem show message:D1:2", "mem show message:D1:2"),
    ("mem show message:D1:3", "mem show message:D1:3"),
    ("mem show message:c", "mem show|message:club/D1:1"),
    ("mem show message:p", "mem show|message:paddling: north/D1:"),
    ("mem search x --speaker B", "mem search x --speaker|Bram O'Neil"),
    ('mem search x --speaker "B', "mem search x --speaker|Bram O'Neil"),
    ("mem search x --speaker=Ł", "mem search x|--speaker=Łucja van Dór"),
    ("mem search x --speaker 小", "mem search x --speaker 小林"),
    ("mem search x --conversation padd", "mem search x --conversation|paddling: north"),
    ("mem search x --conversation padd\t --js", "mem search x --conversation|paddling: north|--json"),
    ("mem search x --db nowhere --speaker B", "mem search x --db nowhere --speaker B"),
    ("mem search x --embedder all", "mem search x --embedder all-MiniLM-L6-v2"),
]


def _words(wanted: str) -> list[str]:
    first, *others = wanted.split("|")
    return [*first.split(" "), *(word for other in others for word in ([other]))]


@pytest.mark.parametrize("shell", START)
def test_a_press_of_tab_completes_the_word_and_quotes_it(canoe: Command, shell: str) -> None:
    _need(shell)
    # All in one shell, a line after the other, each ended by printing its words.
    end = "\t\x01printf '@%s@\\n' \x05 'nex''t'\r"
    words, shown = _typed(canoe, shell, "".join(f"{keys}{end}" for keys, _ in PRESSED))
    lines: list[list[str]] = [[]]
    for word in words:
        if word == "next":
            lines.append([])
        else:
            lines[-1].append(word)
    got = dict(zip((keys for keys, _ in PRESSED), lines, strict=False))
    assert got == {keys: _words(wanted) for keys, wanted in PRESSED}, shown


@pytest.mark.parametrize("shell", START)
def test_a_list_tells_what_each_claim_says(canoe: Command, shell: str) -> None:
    _need(shell)
    _, shown = _typed(canoe, shell, "mem export --claim " + ("\t" if shell == "zsh" else "\t\t"), until="canoe leaks")
    assert re.search(r"\b[0-9]+ +\S*.*green canoe", shown)


def test_fish_completes_and_tells_what_each_is(canoe: Command) -> None:
    _need("fish")

    def offered(line: str) -> list[str]:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {scripts_folder()}/mem.fish; complete -C $argv[1]", line],
            cwd=canoe.folder, env=canoe.environ, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert offered("mem inge") == ["ingest\tCompile transcripts into the memory"]
    assert [line.split("\t")[0] for line in offered("mem ")] == sorted(COMMANDS)
    assert [line.split("\t")[0] for line in offered("mem ingest --format wha")] == ["whatsapp"]
    assert offered("mem show message:D1:2") == ["message:D1:2\tBram O'Neil: My canoe leaks since Tuesday."]
    assert [line.split("\t")[0] for line in offered("mem search x --speaker Br")] == ["Bram O'Neil"]
    assert [line.split("\t")[0] for line in offered("mem search x --speaker=Br")] == ["--speaker=Bram O'Neil"]
    assert offered("mem search x --db nowhere --speaker Br") == []
    assert any("green canoe" in line for line in offered("mem export --claim "))
    assert offered("mem ingest chat") == ["chat one.jsonl"]
    assert offered("mem ask chat") == []
    assert offered("mem ask --batch chat") == ["chat one.jsonl"]
    assert offered("mem search export --to prov") == []
    assert [line.split("\t")[0] for line in offered("mem config set emb")] == ["embedder"]


# mem completions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", SCRIPTS)
def test_show_prints_the_script(mem: Command, shell: str) -> None:
    assert mem("completions", "show", shell).stdout == script(shell)
    assert mem("completions", "show", SHELL=f"/usr/bin/{shell}").stdout == script(shell)


INSTALLED = {
    "bash": "data/bash-completion/completions/mem",
    "zsh": "data/zsh/site-functions/_mem",
    "fish": "config/fish/completions/mem.fish",
}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_install_puts_it_where_the_shell_looks_and_says_what_is_left(mem: Command, shell: str) -> None:
    path = mem.folder / INSTALLED[shell]
    for arguments in (("--shell", shell), (shell,)):  # the second time it is replaced
        done = mem.json("completions", "install", *arguments)
        assert (done["shell"], done["path"]) == (shell, str(path))
        assert done["next"]
    assert path.read_text(encoding="utf-8") == script(shell)
    assert stat.S_IMODE(path.stat().st_mode) & 0o444 == 0o444
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert str(path) in mem("completions", "install", SHELL=shell).stdout


def test_zsh_and_fish_find_what_was_installed(canoe: Command) -> None:
    if shutil.which("zsh"):
        folder = Path(canoe.json("completions", "install", "zsh")["path"]).parent
        setup = f"PS1='$ '; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D"
        assert _typed(canoe, "zsh", "mem show message:D1:2\t", start=setup)[0] == ["mem", "show", "message:D1:2"]
        assert _typed(canoe, "zsh", "mem inge\t", start=setup)[0] == ["mem", "ingest"]
    if shutil.which("fish"):
        assert canoe("completions", "install", "fish").returncode == 0
        done = subprocess.run(["fish", "-c", "complete -C 'mem inge'"], env=canoe.environ, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("ingest\t")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("completions",), "Missing argument"),
        (("completions", "remove"), "unknown action 'remove'; choose one of show, install"),
        (("completions", "show", "tcsh"), "unknown shell 'tcsh'; choose one of bash, zsh, fish"),
        (("completions", "install"), "which shell? name one of bash, zsh, fish"),
        (("completions", "show", "zsh", "--shell", "bash"), "name one shell"),
    ],
)
def test_what_cannot_be_meant_is_told(mem: Command, arguments: tuple[str, ...], said: str) -> None:
    done = mem(*arguments, SHELL="/bin/sh")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(mem.folder.iterdir()) == []


def test_a_home_that_cannot_be_written_to_is_told(mem: Command) -> None:
    (mem.folder / "data").write_text("", encoding="utf-8")
    done = mem("completions", "install", "bash")
    assert (done.returncode, done.stdout) == (70, "")
    assert "Not a directory" in done.stderr or "File exists" in done.stderr
    assert done.stderr.count("\n") == 1
