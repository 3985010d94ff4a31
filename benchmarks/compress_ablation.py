"""What each part of `mem compress` is worth: `python -m benchmarks compress_ablation`. Each row is the whole with one part taken away.

Measured with claims alone (`benchmarks.compress_baselines`): the whole read path finds each message behind a merged claim by itself, and
so hides which claims were merged.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw

from benchmarks.compress import RATIOS
from benchmarks.compress_baselines import Shrink, measure, table
from benchmarks.compress_methods import ABLATIONS, ablate
from benchmarks.data import datasets, scratch_folder


def main() -> None:
    """Print a table for each data set on this machine."""
    ways: dict[str, Shrink] = {name: functools.partial(_ablated, changed) for name, changed in ABLATIONS.items()}
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            scratch = Path(folder) / name
            scratch.mkdir()
            base, after = measure(conversations, scratch, ways, RATIOS, whole=False)
            print(f"\n{name}: {len(conversations)} conversations\n\n{table(base, after, 'compression')}", flush=True)


def _ablated(changed: Mapping[str, Any], connection: apsw.Connection, ratio: float) -> float:
    return ablate(connection, ratio, changed)


if __name__ == "__main__":
    main()
