"""Nothing is imported before it is needed: what a command waits for at its start is what its user waits for."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command

HEAVY = {"torch", "transformers", "sentence_transformers", "llama_cpp", "scipy", "sklearn", "igraph", "huggingface_hub"}
NOT_FOR_HELP = HEAVY | {"numpy", "apsw", "onnxruntime", "tokenizers", "rich", "platformdirs", "sqlite_vec", "rapidfuzz"}

PROGRAM = """
import sys, json
from memcli.cli import main
status = main(sys.argv[1:])
packages = {name.partition(".")[0] for name in sys.modules}
ours = [name for name in sys.modules if name.startswith("memcli.")]
print(json.dumps([status, sorted(packages), ours]), file=sys.stderr)
"""


def _imported(command: Command, *arguments: str) -> tuple[set[str], set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, cwd=command.folder, env=command.environ, check=True
    )
    status, packages, ours = json.loads(done.stderr)
    assert status == 0
    return set(packages), set(ours)


@pytest.mark.parametrize("arguments", [("--help",), ("search", "--help"), ("ingest", "--help")])
def test_help_imports_nothing_that_it_does_not_show(river: Command, arguments: tuple[str, ...]) -> None:
    packages, _ = _imported(river, *arguments)
    assert packages.isdisjoint(NOT_FOR_HELP)


def test_a_cold_search_imports_no_training_library_and_no_other_command(river: Command) -> None:
    packages, ours = _imported(river, "search", "What is the name of Ottilie's goat?")
    assert packages.isdisjoint(HEAVY | {"rich"})
    commands = {"memcli.cli.ingest", "memcli.cli.ask", "memcli.cli.search", "memcli.cli.show", "memcli.cli.status", "memcli.cli.verify"}
    assert ours & commands == {"memcli.cli.search"}
    assert not any(name.startswith("memcli.transcripts") for name in ours)


def test_the_overview_imports_no_command(river: Command) -> None:
    _, ours = _imported(river, "--help")
    assert ours == {"memcli.cli", "memcli.cli.app", "memcli.cli.process", "memcli.errors"}
