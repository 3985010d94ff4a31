"""Ingest speed and memory: `python -m benchmarks ingest`. Each figure comes from a process of its own.

"Embedding alone" is the time the same process takes to embed the same texts, in the same batches, with nothing else done.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.data import datasets, scratch_folder


def whole(db: str, transcript_format: str, *paths: str) -> dict[str, float]:
    """Ingest these transcripts; seconds from the first import to the closed file, and the process's peak memory."""
    started = time.perf_counter()
    from memcli import Memory

    with Memory.open(db) as memory:
        report = memory.ingest(list(paths), format=transcript_format)
    taken = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": taken, "messages": report.messages_new, "spans": report.spans, "mb": peak}


def alone(transcript_format: str, *paths: str) -> dict[str, float]:
    """Embed the spans of these transcripts and do nothing else."""
    from memcli.ingest import BATCH_SPANS
    from memcli.models import load_embedder
    from memcli.transcripts import read
    from memcli.write.spans import cut_spans

    texts = [s.text for path in paths for m in read(path, transcript_format).messages for s in cut_spans(m.text)]
    embedder = load_embedder()
    started = time.perf_counter()
    for first in range(0, len(texts), BATCH_SPANS):
        embedder.encode(texts[first : first + BATCH_SPANS])
    return {"seconds": time.perf_counter() - started, "texts": len(texts)}


def child(*arguments: str) -> dict[str, float]:
    """Run this module in a process of its own and read what it printed."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.ingest", *arguments], check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    """Print a row for each data set on this machine."""
    print("| data | messages | spans | whole, s | embedding alone, s | ratio | messages/s | again, s | share | peak MB |\n|" + "---|" * 10)
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            paths = [str(c.path) for c in conversations]
            transcript_format = conversations[0].format
            child("alone", transcript_format, paths[0])  # warm the disk cache
            bare = child("alone", transcript_format, *paths)
            first = child("whole", f"{folder}/{name}.memdb", transcript_format, *paths)
            again = child("whole", f"{folder}/{name}.memdb", transcript_format, *paths)
            assert again["messages"] == 0
            print(
                f"| {name} | {first['messages']:.0f} | {first['spans']:.0f} | {first['seconds']:.1f} | {bare['seconds']:.1f}"
                f" | {first['seconds'] / bare['seconds']:.2f} | {first['messages'] / first['seconds']:.0f}"
                f" | {again['seconds']:.2f} | {again['seconds'] / first['seconds']:.3f} | {first['mb']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps({"whole": whole, "alone": alone}[sys.argv[1]](*sys.argv[2:])))
    else:
        main()
