"""The cost of a message as the memory grows: `python -m benchmarks long_history`; takes about ten minutes.

A made-up chat of two people over years, from a vocabulary of things, places and people large enough that topics come, go and return.
Processor time of storing messages, embedding included, by tenths of the history; embedding in context comes after all of them and takes
the same for each.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.data import scratch_folder
from memcli import Memory, Message

MESSAGES = 50_000
TENTHS = 10

_SYLLABLES = "ba ko ri ten mal su vi dor pel na gra lo mi sta fen qui zo har ley bin tor".split()  # noqa: SIM905 - reads better
_VERBS = ("visited", "bought", "repaired", "painted", "lost", "found", "sold", "borrowed", "planned", "cancelled", "finished", "started")
_FRAMES = (
    "I {verb} the {thing} in {place} with {person}.",
    "{person} told me about a {thing} near {place}.",
    "My {thing} is {adjective} and costs {number} euros.",
    "We are going to {place} next week to see the {thing}.",
    "I don't like the {adjective} {thing} any more.",
    "Do you remember the {thing} from {place}?",
    "The {thing} now takes {number} minutes instead of {other}.",
    "Haha, that is so {adjective}!",
)
_ADJECTIVES = ("blue", "old", "tiny", "heavy", "broken", "lovely", "quiet", "expensive", "wooden", "strange")


def history(count: int) -> Iterator[Message]:
    """The made-up chat."""
    rng = random.Random(5)
    words = ["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(12_000)]
    people = [word.capitalize() for word in words[:400]]
    places = [word.capitalize() for word in words[400:1200]]
    moment = datetime(2015, 1, 3, 9, 0)
    for number in range(count):
        if rng.random() < 0.06:
            moment += timedelta(hours=rng.randint(8, 60))
        moment += timedelta(minutes=rng.randint(1, 4))
        centre = rng.randrange(1200, len(words) - 60)
        sentences = [
            rng.choice(_FRAMES).format(
                verb=rng.choice(_VERBS),
                thing=words[centre + rng.randrange(60)],
                place=rng.choice(places),
                person=rng.choice(people),
                adjective=rng.choice(_ADJECTIVES),
                number=rng.randint(2, 900),
                other=rng.randint(2, 900),
            )
            for _ in range(rng.randint(1, 4))
        ]
        yield Message("years", str(number), ("Mira", "Tobias")[number % 2], "user", " ".join(sentences), moment.isoformat())


def main() -> None:
    """Print the cost of each tenth."""
    marks: list[tuple[int, float, float]] = []

    def progress(stage: str, done: int, _total: int | None) -> None:
        if stage == "messages":
            marks.append((done, time.process_time(), time.perf_counter()))

    with scratch_folder() as folder, Memory.open(Path(folder) / "years.memdb") as memory:
        marks.append((0, time.process_time(), time.perf_counter()))
        memory.add(history(MESSAGES), progress=progress)
        print("| messages | processor ms a message | wall ms a message |\n|---|---|---|")
        costs = []
        for tenth in range(TENTHS):
            low = max(mark for mark in marks if mark[0] <= tenth * MESSAGES // TENTHS)
            high = max(mark for mark in marks if mark[0] <= (tenth + 1) * MESSAGES // TENTHS)
            cpu, wall = ((high[i] - low[i]) / (high[0] - low[0]) * 1000 for i in (1, 2))
            costs.append(cpu)
            print(f"| {low[0]:,} to {high[0]:,} | {cpu:.2f} | {wall:.2f} |")
        print(f"\nlast tenth / first tenth: {costs[-1] / costs[0]:.2f} (limit 1.3)", file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
