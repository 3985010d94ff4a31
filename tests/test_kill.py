"""An ingest that is killed, at any moment, leaves a sound file; the same command finishes the job as if nothing had happened."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from memcli import Memory
from memcli.store.connection import connect

if TYPE_CHECKING:
    from conftest import Program

KILLS = 20
MESSAGES = 620
SUBJECTS = ("ferry", "greenhouse", "choir", "kiln", "sledge", "orchard", "telescope", "bakery")
PLACES = ("Ghent", "Tromsø", "Faro", "Olomouc", "Kiel", "Bodø")


def long_transcript(seed: int) -> str:
    """Some 1500 sentences by three people in four sessions: about five batches, each a transaction."""
    rng = random.Random(seed)
    written = []
    for n in range(MESSAGES):
        subject, place = rng.choice(SUBJECTS), rng.choice(PLACES)
        said = [
            f"I painted the {subject} number {n} in {place} yesterday, with Ottoline's old brushes and what was left of the"
            f" {rng.choice(SUBJECTS)} paint.",
            f"Will you look after the {subject} of {place} while the others are away for {rng.randint(2, 9)} weeks?",
            f"My cousin sold {n} tickets for the {subject}.",
            "Thanks, that's great!",
        ]
        written.append(
            {
                "role": "user",
                "name": ("Ottoline", "Bo", "Ottoline", "Bo", "Cyprian")[n % 5],
                "content": " ".join(rng.sample(said, rng.randint(1, 3))),
                "timestamp": f"2024-05-{1 + n // 60:02}T{8 + n % 60 // 10:02}:{n % 60:02}:00",
                "id": f"k{n}",
                "session_id": f"s{n // 155}",
            }
        )
    return "".join(json.dumps(line) + "\n" for line in written)


def test_an_ingest_killed_at_any_moment_is_sound_and_can_be_finished(
    program: Program, same_content: Callable[[apsw.Connection, apsw.Connection], None], record_property: Callable[[str, object], None]
) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails, so that the failure can be repeated
    record_property("seed", seed)
    rng = random.Random(seed)
    (program.folder / "chat.jsonl").write_text(long_transcript(seed), encoding="utf-8")

    started = time.monotonic()
    assert program.run("ingest", "chat.jsonl", "--db", "unkilled.memdb")[0] == 0
    whole = time.monotonic() - started
    unkilled = connect(program.folder / "unkilled.memdb")

    kills, runs, finished, midway = 0, 0, 0, 0
    while kills < KILLS or not finished:
        runs += 1
        path = program.folder / f"killed{finished}.memdb"
        child = program.start("ingest", "chat.jsonl", "--db", path.name)
        if kills < KILLS:
            time.sleep(rng.uniform(0.1, 0.75) * whole)
            child.send_signal(signal.SIGKILL)
        child.communicate(timeout=120)
        kills += child.returncode == -signal.SIGKILL
        held = _sound(path)
        midway += 0 < held < MESSAGES
        if child.returncode == 0:
            same_content(connect(path), unkilled)
            finished += 1
    assert midway, "no kill struck between two batches: the transcript is too short to test anything"
    assert program.run("verify", "--db", f"killed{finished - 1}.memdb")[0] == 0
    unkilled.close()


def _sound(path: Path) -> int:
    """Open and check a file that a killed process left; how many messages it holds."""
    with Memory.open(path) as memory:
        checked = memory.verify()
        assert checked.problems == ()
        return memory.status().counts["messages"]


@pytest.mark.parametrize("wait", [0.0, 0.3])
def test_a_terminated_ingest_is_sound_too(program: Program, wait: float) -> None:
    (program.folder / "chat.jsonl").write_text(long_transcript(1), encoding="utf-8")
    child = program.start("ingest", "chat.jsonl", "--db", "m.memdb")
    deadline = time.monotonic() + 30
    while not (program.folder / "m.memdb-wal").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(wait)
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (143, b"mem: terminated\n")
    _sound(program.folder / "m.memdb")


CUT_OFF = """
import os, signal, sys
from pathlib import Path
import apsw

class Killer(apsw.VFS):
    deleted = 0
    def __init__(self):
        super().__init__("killer", "", makedefault=True)
    def xDelete(self, name, sync):
        if name.endswith("-journal"):
            Killer.deleted += 1
            if Killer.deleted == int(sys.argv[2]):
                os.kill(os.getpid(), signal.SIGKILL)
        return super().xDelete(name, sync)

killer = Killer()
from memcli.store.connection import connect, tidy_close
connection = connect(Path(sys.argv[1]))
connection.execute("INSERT OR REPLACE INTO settings VALUES ('note', 'x')")
tidy_close(connection)
"""


@pytest.mark.parametrize("moment", [1, 2])
def test_a_file_left_to_be_rolled_back_is_read_all_the_same(program: Program, moment: int) -> None:
    (program.folder / "chat.jsonl").write_text('{"id": "1", "speaker": "Oda", "text": "I keep eleven geese behind the mill."}\n', "utf-8")
    assert program.run("ingest", "chat.jsonl", "--db", "memory.memdb")[0] == 0
    child = program.start_python("-c", CUT_OFF, "memory.memdb", str(moment))
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    assert (program.folder / "memory.memdb-journal").exists()
    for command in ("status", "verify"):
        status, _, complaint = program.run(command, "--db", "memory.memdb")
        assert (status, complaint) == (0, "")
