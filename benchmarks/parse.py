"""How fast chat JSON lines are read, nothing embedded: `python -m benchmarks parse` or `python -m benchmarks.parse --megabytes 1000`.

A file is made of that size, of invented messages of some thirty to hundreds of words with a name, a time and, where the row says so, ids
and metadata; each row is read in a process of its own. Processor time is what the program takes; wall time is that on a busy machine, too.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.data import scratch_folder

WORDS = """
the sail is torn and I mended it with waxed thread before race on Sunday we could not find harbour pilot again so nobody went out
Überfahrt nach Norderney fällt aus wegen Sturm 明日は天気がよければ船を出します
""".split()  # noqa: SIM905
KINDS = ("role and content", "name and time", "ids and metadata")


def make(path: Path, kind: str, size: int) -> None:
    """Write a transcript of about this many bytes."""
    chance = random.Random(7)
    texts = [" ".join(chance.choices(WORDS, k=chance.choice((12, 30, 60, 150)))) for _ in range(5_000)]
    written = number = 0
    with path.open("wb") as file:
        while written < size:
            line: dict[str, object] = {"role": "assistant" if number % 2 else "user", "content": f"{number} {chance.choice(texts)}"}
            if kind != KINDS[0]:
                line |= {
                    "name": f"Person {number % 7}",
                    "timestamp": f"2024-02-{number // 86400 % 28 + 1:02}T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z",
                }
            if kind == KINDS[2]:
                line |= {
                    "id": f"m{number}",
                    "conversation_id": f"c{number // 500}",
                    "model": "none",
                    "usage": {"in": number % 300, "out": 17},
                }
            written += file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            number += 1


def measure(path: Path) -> dict[str, float]:
    """Read it."""
    from memcli.transcripts import read

    before, started = time.process_time(), time.perf_counter()
    messages = sum(1 for _ in read(path, "chat").messages)
    taken, wall = time.process_time() - before, time.perf_counter() - started
    megabytes = path.stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"megabytes": megabytes, "messages": messages, "processor": megabytes / taken, "wall": megabytes / wall, "peak": peak}


def main(megabytes: int = 200) -> None:
    """Print a row for each kind of line."""
    print("| lines with | MB | messages | bytes a line | MB a second of processor time | of wall time | peak MB |\n|" + "---|" * 7)
    with scratch_folder() as folder:
        for kind in KINDS:
            path = Path(folder) / "chat.jsonl"
            make(path, kind, megabytes * 1_000_000)
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.parse", "--measure", str(path)], check=True, capture_output=True, text=True
            )
            row = json.loads(done.stdout)
            print(
                f"| {kind} | {row['megabytes']:.0f} | {row['messages']:,} | {row['megabytes'] * 1e6 / row['messages']:.0f}"
                f" | {row['processor']:.0f} | {row['wall']:.0f} | {row['peak']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
    else:
        main(options.megabytes)
