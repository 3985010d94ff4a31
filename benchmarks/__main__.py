"""Print the tables of docs/benchmarks.md: `python -m benchmarks [NAME ...]`; without a name, all of them in turn."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "embedder",
    "startup",
    "ingest",
    "parse",
    "shape",
    "growth",
    "retrieval",
    "density",
    "channels",
    "ablation",
    "long_history",
    "compress",
    "compress_large",
    "compress_scale",
    "compress_baselines",
    "compress_ablation",
    "language_model",
    "language_model_reading",
)


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in names or NAMES:
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
