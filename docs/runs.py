"""Runs of `mem` on the transcripts in `examples/`, for the pages and pictures that show what it prints."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

COLUMNS = 100


@dataclass(frozen=True, slots=True)
class Workshop:
    """A folder with the example transcripts, in which commands are run away from the user's own settings and memories."""

    folder: Path

    def run(self, command: str, *, colour: bool = False, columns: int = COLUMNS) -> str:
        """What a command line for sh prints on a terminal of so many columns; with `colour` with its escape sequences.

        Raises:
            RuntimeError: it ended with a status other than 0 and 1, or said that something is wrong.
        """
        ours, theirs = pty.openpty()
        # Only stdout is a terminal: progress, which ends up nowhere in a text, goes to stderr.
        child = subprocess.Popen(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self._environment(colour, columns),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
        )
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # Linux says so when the last writer has closed the terminal.
            while chunk := os.read(ours, 65536):
                shown += chunk
        os.close(ours)
        _, complaint = child.communicate(timeout=60)
        if (child.returncode not in (0, 1) and "2>&1" not in command) or complaint:
            raise RuntimeError(f"{command}: status {child.returncode}: {complaint.decode()}")
        text = shown.decode("utf-8").replace("\r\n", "\n").replace(str(self.folder), "~")
        return text if colour else re.sub(r"\x1b\[[0-9;]*m", "", text)  # jq of old does not know NO_COLOR

    def _environment(self, colour: bool, columns: int) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MEM_", "NO_COLOR", "XDG_")) or name == "MEM_CACHE_DIR"
        }
        places = {"XDG_CONFIG_HOME": str(self.folder / ".config"), "XDG_DATA_HOME": str(self.folder / ".local" / "share")}
        if "MEM_CACHE_DIR" not in kept and "XDG_CACHE_HOME" in os.environ:
            places["XDG_CACHE_HOME"] = os.environ["XDG_CACHE_HOME"]
        terminal = {"COLUMNS": str(columns), "TERM": "xterm-256color", "HF_HUB_OFFLINE": "1"} | ({} if colour else {"NO_COLOR": "1"})
        path = f"{self.folder / '.bin'}{os.pathsep}{os.environ['PATH']}"
        return kept | places | terminal | {"PATH": path, "PYTHONPATH": str(ROOT)}


@contextmanager
def workshop() -> Iterator[Workshop]:
    """A `Workshop`, gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for transcript in (ROOT / "examples").glob("*.jsonl"):
            shutil.copy(transcript, folder)
        program = folder / ".bin" / "mem"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memcli "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        yield Workshop(folder)
