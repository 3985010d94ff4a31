"""Speed of the default embedder beside sentence-transformers on the same machine: `python benchmarks/embedder.py`.

Prints texts per second, the cold start (a new process, from its start to the first query's vector) and the latency of one query in a
warm process. The texts are invented here. The best of several rounds is shown, the two taking turns, for other programs only slow them.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memcli.models import load_embedder
from memcli.models.source import DEFAULT_EMBEDDER, find_source

TEXTS = 1000
ROUNDS = 3
QUERY = "what did the neighbour say about the garden fence?"

WHO = ("Ana", "Bert", "Chidi", "Dora", "Emre", "my brother", "the neighbour", "our landlord")
DID = ("finally repaired", "wants to sell", "talked for hours about", "forgot to mention", "is so proud of", "borrowed")
WHAT = ("the garden fence", "an old accordion", "that trip to the fjords", "her pottery class", "the flooded cellar", "a used kayak")
WHEN = ("last Tuesday", "before the holidays", "on the way to work", "two weeks ago", "right after lunch", "at the end of March")
AND = ("and it went better than anyone expected", "but I am not sure it was worth it", "so we had to change all our plans", "haha")


def invented_texts(count: int) -> list[str]:
    rng = random.Random(11)
    parts = (WHO, DID, WHAT, WHEN, AND)
    return [" ".join(rng.choice(part) for part in parts) + f", number {index}." for index in range(count)]


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def cold_start(code: str) -> float:
    root = str(Path(__file__).resolve().parents[1])
    return min(
        seconds(lambda: subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True)) for _ in range(ROUNDS)
    )


def main() -> None:
    folder = str(find_source(DEFAULT_EMBEDDER).folder)
    ours = load_embedder(progress=lambda line: print(line, file=sys.stderr))
    texts = invented_texts(TEXTS)
    ours.encode(texts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    our_cold = cold_start(f"from memcli.models import load_embedder; load_embedder().encode([{QUERY!r}])")
    load = f"from sentence_transformers import SentenceTransformer as S; m = S({folder!r}, device='cpu', local_files_only=True)"
    their_cold = cold_start(f"{load}; m.encode([{QUERY!r}])")

    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(folder, device="cpu", local_files_only=True)
    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(ROUNDS):
        rates["ours"].append(TEXTS / seconds(lambda: ours.encode(texts)))
        rates["theirs"].append(TEXTS / seconds(lambda: theirs.encode(texts, show_progress_bar=False)))
    our_query = statistics.median(seconds(lambda: ours.encode([QUERY])) for _ in range(50))
    their_query = statistics.median(seconds(lambda: theirs.encode([QUERY], show_progress_bar=False)) for _ in range(50))

    print(f"{TEXTS} texts, {sum(ours.count_tokens(texts)) / TEXTS:.1f} tokens each; {ours.name}; peak memory of ours {peak} MB")
    print(f"{'':24}{'mem':>10}{'sentence-transformers':>24}")
    print(f"{'texts/s':24}{max(rates['ours']):10.0f}{max(rates['theirs']):24.0f}")
    print(f"{'cold start, s':24}{our_cold:10.2f}{their_cold:24.2f}")
    print(f"{'warm query, ms':24}{our_query * 1000:10.1f}{their_query * 1000:24.1f}")


if __name__ == "__main__":
    main()
