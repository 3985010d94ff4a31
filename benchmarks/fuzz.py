"""What every fuzz run shares: counting what inputs do to a function, and three ways to make inputs.

A crash is any exception that the function lets through; a hang is an input that takes more than `SLOW_S` of processor time, or `STUCK_S`
in all. What crashed is written to a folder, one file for each place. A run fails if anything crashed, or the process took more memory
than it may.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FrameType

SLOW_S = 10.0
"""Seconds of processor time after which an input counts as a hang: of those that a clock shows, a busy machine may take most."""
STUCK_S = 300.0
"""Seconds by the clock after which it counts as one."""
MOST_MB = 300
"""Megabytes that the process may take."""

Examine = Callable[[bytes], str]
"""Does the thing to one input and names the outcome; whatever it raises is a crash."""


class Campaign:
    """Counts what inputs do."""

    def __init__(self, examine: Examine, folder: Path) -> None:
        self.examine = examine
        self.folder = folder
        self.outcomes: Counter[str] = Counter()
        self.crashed: Counter[str] = Counter()
        self.slowest = 0.0
        self.started = time.perf_counter()
        signal.signal(signal.SIGALRM, _too_slow)
        signal.signal(signal.SIGPROF, _too_slow)

    def check(self, data: bytes) -> None:
        started = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, STUCK_S)
        signal.setitimer(signal.ITIMER_PROF, SLOW_S)
        try:
            outcome = self.examine(data)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            crash = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
            if crash not in self.crashed:
                self.folder.mkdir(parents=True, exist_ok=True)
                (self.folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
            self.crashed[crash] += 1
            outcome = "crashed"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.outcomes[outcome] += 1
        self.slowest = max(self.slowest, time.process_time() - started)

    def report(self, how: str) -> int:
        """Print what happened; 1 if anything went wrong."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 * 1024 if sys.platform == "darwin" else 1024)
        tried = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.most_common())
        print(
            f"{how}: {self.outcomes.total():,} inputs in {time.perf_counter() - self.started:,.0f} s ({time.process_time():,.0f} s of "
            f"processor time): {tried}, {len(self.crashed)} crashes; slowest {self.slowest * 1000:,.0f} ms; memory at most {peak} MB"
        )
        for crash, count in self.crashed.most_common():
            print(f"  {count:,} × {crash}")
        sys.stdout.flush()
        return int(bool(self.crashed) or peak > MOST_MB)


def arguments(description: str) -> argparse.ArgumentParser:
    """What every run can be told."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000, help="how many inputs to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"), help="folder for what crashed")
    return parser


def all_of(campaign: Campaign, how: str, inputs: Iterable[bytes]) -> int:
    """Try these inputs."""
    for data in inputs:
        campaign.check(data)
    return campaign.report(how)


def guided(campaign: Campaign, packages: Sequence[str], seeds: Callable[[], Iterable[bytes]], inputs: int, seed: int, longest: int) -> int:
    """Let atheris make `inputs` inputs out of `seeds`, of at most `longest` bytes, by what of `packages` they reach.

    Nothing of these packages may have been imported yet, or nobody sees where in it an input goes.
    """
    import atheris

    early = sorted(name for name in sys.modules for package in packages if f"{name}.".startswith(f"{package}."))
    if early:
        raise RuntimeError(f"imported too early to be watched: {', '.join(early)}")
    with atheris.instrument_imports(include=list(packages)):
        for package in packages:
            importlib.import_module(package)
    with tempfile.TemporaryDirectory() as corpus:
        for index, data in enumerate(seeds()):
            (Path(corpus) / str(index)).write_bytes(data)
        options = [f"-runs={inputs}", f"-seed={seed}", f"-max_len={longest}", "-rss_limit_mb=2000", "-verbosity=0"]
        atheris.Setup([sys.argv[0], corpus, *options], _reporting(campaign, inputs))
        atheris.Fuzz()
    return campaign.report("guided")


def has_atheris() -> bool:
    """Whether inputs can be guided by coverage."""
    return importlib.util.find_spec("atheris") is not None


def _reporting(campaign: Campaign, inputs: int) -> Callable[[bytes], None]:
    """The target of atheris, which ends the process itself after the last input, so that the report must come before."""

    def target(data: bytes) -> None:
        campaign.check(data)
        if campaign.outcomes.total() == inputs:
            campaign.report("guided")

    return target


def _too_slow(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError("it takes too long")
