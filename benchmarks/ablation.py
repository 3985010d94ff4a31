"""What each part of the write path is worth: `python -m benchmarks ablation`. Each row is the whole with one part taken away.

The parts are taken away by replacing one function of the write path for the time of the run, so the product itself has no switches for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.data import datasets, scratch_folder
from benchmarks.retrieval import measure, share
from memcli import admission, writer
from memcli.write import claims, compile
from memcli.write.gate import Existing, Verdict

judge, write_claims, compile_turn = admission.judge, writer.write_claims, writer.compile_turn


def without_gate(new: Existing, candidates: Sequence[Existing]) -> Verdict:
    """Every claim is new and unrelated."""
    return judge(new, ())


def without_merge(new: Existing, candidates: Sequence[Existing]) -> Verdict:
    """Duplicates stand side by side."""
    verdict = judge(new, candidates)
    return judge(new, ()) if verdict.merge_id is not None else verdict


def without_links(new: Existing, candidates: Sequence[Existing]) -> Verdict:
    """Merges only."""
    return replace(judge(new, candidates), links=())


def without_times(text: str, anchor: str | None) -> list[Any]:
    """No time cues, and so no dates in claims."""
    return []


def without_keywords(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """No keywords, and so no topics."""
    return ()


def never_idle(*_arguments: object, **_options: object) -> bool:
    """Greetings, thanks and offers become claims too."""
    return False


ROWS: dict[str, tuple[tuple[Any, str, Callable[..., Any]], ...]] = {
    "whole": (),
    "without the gate": ((admission, "judge", without_gate),),
    "without merging": ((admission, "judge", without_merge),),
    "without links": ((admission, "judge", without_links),),
    "without denoising (idle sentences are claims)": ((claims, "is_phatic", never_idle), (claims, "is_offer", never_idle)),
    "without time cues": ((compile, "find_time_cues", without_times),),
    "without keywords": ((claims, "find_keywords", without_keywords),),
}


@contextmanager
def taken_away(parts: Sequence[tuple[Any, str, Callable[..., Any]]]) -> Iterator[None]:
    """The write path without these parts."""
    with ExitStack() as stack:
        for module, name, substitute in parts:
            stack.enter_context(patch.object(module, name, substitute))
        yield


def main() -> None:
    """Print a table for each data set on this machine."""
    with scratch_folder() as folder:
        for name, conversations in datasets(Path(folder)):
            print(
                f"\n{name}\n\n| write path | recall@20 | recall@5 | answer F1 | abstained when it should |\n|---|---|---|---|---|",
                flush=True,
            )
            for number, (row, parts) in enumerate(ROWS.items()):
                scratch = Path(folder) / f"{name}-{number}"
                scratch.mkdir()
                with taken_away(parts):
                    found = measure(conversations, scratch).overall
                cells = (found.recall[20], found.recall[5], found.f1, found.abstained)
                print(f"| {row} | {' | '.join(share(cell) for cell in cells)} |", flush=True)


if __name__ == "__main__":
    main()
