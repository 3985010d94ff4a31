"""`mem forget` as a user meets it."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command

SAID = (
    ("Ottilie", "I adopted a three-legged goat named Brunhilde yesterday."),
    ("Bram", "Where will she sleep, in the zeppelin hangar?"),
    ("Ottilie", "In the old boathouse."),
    ("Bram", "My pottery kiln broke on Tuesday, the heating coil is gone."),
    ("Ottilie", "Das Sommerfest in Wuppertal ist am 14. Juli."),
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, child_environment: Callable[..., dict[str, str]]) -> tuple[bytes, bytes]:
    """A transcript, and a memory of it."""
    folder = tmp_path_factory.mktemp("shelf")
    lines = (
        {"role": "user", "name": name, "content": text, "id": f"m{n}", "conversation_id": "mill", "timestamp": f"2024-03-0{n + 1}T10:00:00"}
        for n, (name, text) in enumerate(SAID)
    )
    transcript = "".join(json.dumps(line) + "\n" for line in lines).encode()
    (folder / "chat.jsonl").write_bytes(transcript)
    ingest = [sys.executable, "-m", "memcli", "ingest", "chat.jsonl", "--db", "memory.memdb"]
    subprocess.run(ingest, cwd=folder, env=child_environment(folder), check=True, capture_output=True, timeout=120)
    return transcript, (folder / "memory.memdb").read_bytes()


@pytest.fixture
def shelved(mem: Command, shelf: tuple[bytes, bytes]) -> Command:
    """The command in a folder with a copy of both."""
    (mem.folder / "chat.jsonl").write_bytes(shelf[0])
    (mem.folder / "memory.memdb").write_bytes(shelf[1])
    return mem


def held(command: Command) -> bytes:
    return b"".join(file.read_bytes() for file in command.folder.glob("memory.memdb*"))


def test_what_is_forgotten_is_gone_and_does_not_come_back(shelved: Command) -> None:
    assert b"zeppelin" in held(shelved)
    told = shelved.json("forget", "--message", "m1", "--dry-run")
    assert told["dry_run"] is True
    assert told["examples"]["messages"][0]["text"] == SAID[1][1]
    done = shelved.json("forget", "--message", "mill/m1", "--yes")
    assert {key: done[key] for key in ("messages", "claims", "claims_weakened", "keywords")} == {
        key: told[key] for key in ("messages", "claims", "claims_weakened", "keywords")
    }
    assert (done["messages"], done["claims_weakened"], done["scrubbed"], done["undone_runs"]) == (1, 1, True, [])
    assert b"zeppelin" not in held(shelved)
    again = shelved.json("ingest", "chat.jsonl")
    assert again["messages"] == {"read": 5, "new": 0, "unchanged": 5}
    assert shelved("verify").returncode == 0
    assert shelved("show", "message:m1").returncode == 1
    assert shelved("forget", "--message", "m1", "--yes").returncode == 1


def test_a_compression_is_undone_and_told(shelved: Command) -> None:
    lines = [
        {"role": "user", "name": "Bram", "content": f"We repaired the old sledge near {place}.", "conversation_id": "mill"}
        for place in ("Ghent", "Faro", "Kiel", "Olomouc", "Bod\u00f8", "Troms\u00f8")
    ]
    assert shelved("ingest", "-", input="".join(json.dumps(line) + "\n" for line in lines)).returncode == 0
    assert shelved.json("compress", "--ratio", "0.2")["run"] == 1
    done = shelved("forget", "--speaker", "bram", "--yes")
    assert done.returncode == 0
    assert "compression run 1 was undone" in done.stdout
    assert "forgotten: 8 messages" in done.stdout
    assert "nothing of it is left" in done.stdout
    for word in (b"zeppelin", b"pottery", b"Bram"):
        assert word not in held(shelved)
    assert shelved("verify").returncode == 0


def test_a_dry_run_shows_what_goes(shelved: Command, shelf: tuple[bytes, bytes]) -> None:
    done = shelved("forget", "--matching", r"(?i)\bKILN\b|zeppelin", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "> My pottery kiln broke on Tuesday, the heating coil is gone." in done.stdout
    assert "would go: 2 messages" in done.stdout
    assert "1 more rest on less" in done.stdout
    assert (shelved.folder / "memory.memdb").read_bytes() == shelf[1]


def test_a_script_has_to_say_yes(shelved: Command, shelf: tuple[bytes, bytes]) -> None:
    done = shelved("forget", "--conversation", "mill")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--yes" in done.stderr
    assert (shelved.folder / "memory.memdb").read_bytes() == shelf[1]


@pytest.mark.parametrize(("reply", "gone"), [("y", True), ("n", False), ("", False)])
def test_a_person_is_asked(shelved: Command, reply: str, gone: bool) -> None:
    ours, theirs = pty.openpty()
    settings = shelved.environ | {"COLUMNS": "100", "TERM": "xterm-256color"}
    child = subprocess.Popen(
        [sys.executable, "-m", "memcli", "forget", "--before", "2024-03-03"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=shelved.folder,
        env=settings,
    )
    os.close(theirs)
    shown, answered = b"", False
    deadline = time.monotonic() + 60
    while select.select([ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux says so when the last writer has closed the terminal.
            break
        shown += chunk
        if b"[y/N]" in shown and not answered:
            os.write(ours, f"{reply}\n".encode())
            answered = True
    os.close(ours)
    assert child.wait(10) == 0
    assert answered
    assert "Where will she sleep" in shown.decode()
    assert (b"zeppelin" not in held(shelved)) == gone
    assert (b"nothing was forgotten" in shown) == (not gone)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "nothing was said"),
        (["--speaker", "Odile", "--yes"], 1, "--speaker Odile"),
        (["--before", "someday", "--yes"], 2, "--before someday"),
        (["--matching", "(", "--yes"], 2, "not a regular expression"),
        (["--matching", " ", "--yes"], 2, "--matching is empty"),
        (["--claim", "4711", "--yes"], 1, "--claim 4711"),
        (["--claim", "0", "--yes"], 2, "claim"),
    ],
)
def test_what_cannot_be_meant_is_one_line(shelved: Command, arguments: list[str], status: int, message: str) -> None:
    done = shelved("forget", *arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_help_has_examples(mem: Command) -> None:
    text = mem("forget", "--help").stdout
    for option in ("--claim", "--message", "--conversation", "--session", "--speaker", "--matching", "--before", "--dry-run", "--yes"):
        assert option in text
    assert "mem forget --message D1:3 --dry-run" in text
