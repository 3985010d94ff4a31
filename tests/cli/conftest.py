"""Runs of the real command in child processes, away from the settings and memories of whoever runs the tests."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

MEM = (sys.executable, "-m", "memcli")

CHAT = [
    ("Ottilie", "I adopted a three-legged goat named Brunhilde yesterday.", "2024-03-02T14:05:00", "m1"),
    ("Bram", "Where will she sleep?", "2024-03-02T14:06:00", "m2"),
    ("Ottilie", "In the old boathouse behind the mill.", "2024-03-02T14:07:00", "m3"),
    ("Bram", "My pottery kiln broke on Tuesday, the heating coil is gone.", "2024-03-09T09:00:00", "m4"),
    (
        "Ottilie",
        "Don't buy one with firmware 1.0.21, mine crashed at 50% and at @nasa's C++ meetup nobody could fix it.",
        "2024-03-09T09:01:00",
        "m5",
    ),
    ("Bram", "Das Sommerfest findet am 14. Juli statt.", "2024-03-09T09:02:00", "m6"),
    ("Ottilie", "我们的期中报告下周五交。", "2024-03-10T09:00:00", "m7"),
    ("Bram", "The \x1b[31mred\x1b]0;taken over\x07 kettle\u009b2J is still on the stove 🫖.", "2024-03-10T09:01:00", "m8"),
]


def chat_lines(rows: list[tuple[str, str, str, str]]) -> str:
    """A chat transcript in JSON lines."""
    keys = ("name", "content", "timestamp", "id")
    return "".join(json.dumps({"role": "user", **dict(zip(keys, row, strict=True))}, ensure_ascii=False) + "\n" for row in rows)


def long_chat(count: int) -> str:
    """A transcript of `count` messages, no two alike."""
    return chat_lines(
        [
            (
                "Bram" if n % 2 else "Ottilie",
                f"On shelf {n} stands a jar of number {n * 7} glaze from Delft.",
                f"2024-04-{n % 28 + 1:02}T10:00:00",
                f"g{n}",
            )
            for n in range(count)
        ]
    )


@dataclass(frozen=True)
class Command:
    """The command in a folder of its own."""

    folder: Path
    environ: dict[str, str]

    def __call__(self, *arguments: str | bytes, input: str | bytes | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end; without `input`, stdin is empty."""
        data = input.encode("utf-8", "surrogateescape") if isinstance(input, str) else input or b""
        done = subprocess.run([*MEM, *arguments], input=data, capture_output=True, cwd=self.folder, env=self.environ | environ, timeout=120)
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    def json(self, *arguments: str, input: str | None = None) -> dict[str, Any]:
        """Run it with --json and return what it prints, whatever its status, if that is exactly one line."""
        done = self(*arguments, "--json", input=input)
        assert done.stderr == ""
        assert done.stdout.count("\n") == 1
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start it with a pipe for each stream and leave it running."""
        pipe = subprocess.PIPE
        return subprocess.Popen([*MEM, *arguments], cwd=self.folder, env=self.environ, stdin=pipe, stdout=pipe, stderr=pipe)

    def on_terminal(self, *arguments: str, columns: int = 80, until: str | None = None, **environ: str) -> str:
        """Run it with a terminal for all three streams and return what that showed, by its end or when `until` was shown."""
        ours, theirs = pty.openpty()
        settings = self.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"} | environ
        child = subprocess.Popen([*MEM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.folder, env=settings)
        os.close(theirs)
        shown = b""
        deadline = time.monotonic() + 120
        while select.select([ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # Linux says so when the last writer has closed the terminal.
                break
            if not chunk:
                break
            shown += chunk
            if until is not None and until.encode() in shown:
                child.terminate()
                until = None
        os.close(ours)
        child.wait(10)
        return shown.decode("utf-8").replace("\r\n", "\n")


@pytest.fixture
def mem(tmp_path: Path, child_environment: Callable[[Path], dict[str, str]]) -> Command:
    """The command in an empty folder."""
    return Command(tmp_path, child_environment(tmp_path))


@pytest.fixture(scope="session")
def river(tmp_path_factory: pytest.TempPathFactory, child_environment: Callable[[Path], dict[str, str]]) -> Command:
    """The command in a folder whose memory.memdb holds `CHAT`; not to be written to."""
    folder = tmp_path_factory.mktemp("river")
    (folder / "chat.jsonl").write_text(chat_lines(CHAT), encoding="utf-8")
    command = Command(folder, child_environment(folder))
    done = command("ingest", "chat.jsonl", "--db", "memory.memdb")
    assert done.returncode == 0, done.stderr
    return command


@pytest.fixture(scope="session")
def make_long_chat() -> Callable[[int], str]:
    """`long_chat`, for modules that cannot import it from here."""
    return long_chat
