"""Cold start, as a user meets it: `python -m benchmarks startup`. Whole processes, from their start to their end, medians of several."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.data import datasets, scratch_folder

ROUNDS = 9


def seconds(*arguments: str) -> float:
    """One run of the interpreter with these arguments."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Print what `mem --help` and a cold `mem search` take beside the imports they are measured against."""
    with scratch_folder() as folder:
        name, conversations = list(datasets(Path(folder)))[:2][-1]
        conversation = conversations[0]
        db = f"{folder}/memory.memdb"
        seconds("-m", "memcli", "ingest", str(conversation.path), "--format", conversation.format, "--db", db)
        question = conversation.questions[0].question
        commands = {
            "import typer": ("-c", "import typer"),
            "mem --help": ("-m", "memcli", "--help"),
            "import sentence_transformers": ("-c", "import sentence_transformers"),
            "mem search": ("-m", "memcli", "search", question, "--db", db),
        }
        taken: dict[str, list[float]] = {command: [] for command in commands}
        for _ in range(ROUNDS):
            for command, arguments in commands.items():
                taken[command].append(seconds(*arguments))
    middle = {command: statistics.median(values) for command, values in taken.items()}
    print(f"memory: {name}/{conversation.name}; median of {ROUNDS} runs, taken in turn\n")
    print("| command | seconds | beside | limit |\n|---|---|---|---|")
    print(f"| import typer | {middle['import typer']:.3f} | | |")
    print(f"| mem --help | {middle['mem --help']:.3f} | {middle['mem --help'] / middle['import typer']:.2f} × import typer | 4 × |")
    print(f"| import sentence_transformers | {middle['import sentence_transformers']:.3f} | | |")
    ratio = middle["mem search"] / middle["import sentence_transformers"]
    print(f"| mem search, cold | {middle['mem search']:.3f} | {ratio:.3f} × import sentence_transformers | 0.15 × |")


if __name__ == "__main__":
    main()
