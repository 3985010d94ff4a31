"""`mem compress` and `mem restore` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command


def _chat() -> str:
    things = ("ferry", "greenhouse", "choir", "kiln", "sledge", "orchard")
    places = ("Ghent", "Faro", "Olomouc", "Kiel", "Bodø")
    said = (
        "I painted the {thing} in {place} with my brother.",
        "We repaired the old {thing} near {place} for hours.",
        "Ich habe gestern in {place} von der {thing} geträumt.",
        "The {thing} of {place} is famous for its cakes.",
    )
    lines = (
        {
            "role": "user",
            "name": ("Bram", "Ottilie")[n % 2],
            "content": said[n % 4].format(thing=things[n % 6], place=places[n % 5]),
            "timestamp": f"2024-04-{n % 28 + 1:02}T10:00:00",
        }
        for n in range(60)
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, child_environment: Callable[..., dict[str, str]]) -> bytes:
    """The bytes of a memory of 60 messages."""
    folder = tmp_path_factory.mktemp("shelf")
    (folder / "chat.jsonl").write_text(_chat(), encoding="utf-8")
    ingest = [sys.executable, "-m", "memcli", "ingest", "chat.jsonl", "--db", "memory.memdb"]
    subprocess.run(ingest, cwd=folder, env=child_environment(folder), check=True, capture_output=True, timeout=120)
    return (folder / "memory.memdb").read_bytes()


@pytest.fixture
def shelved(mem: Command, shelf: bytes) -> Command:
    """The command in a folder with a copy of it."""
    (mem.folder / "memory.memdb").write_bytes(shelf)
    return mem


def test_compress_show_verify_and_restore(shelved: Command) -> None:
    done = shelved.json("compress", "--ratio", "0.5")
    assert done["run"] == 1
    assert done["ratio"] == 0.5
    assert done["achieved"] == pytest.approx(0.5, abs=0.02)
    assert set(done["before"]) == set(done["after"]) == {"claims", "tokens", "index_bytes", "bytes"}
    assert done["after"]["claims"] == done["before"]["claims"] - done["merges"]
    assert done["after"]["bytes"] == (shelved.folder / "memory.memdb").stat().st_size
    assert isinstance(done["skipped"], int)

    status = shelved.json("status")["counts"]
    assert status["claims"] == done["after"]["claims"]
    assert status["claims_archived"] > 0
    assert status["event_trees"] > 0
    assert shelved("verify").returncode == 0

    run = shelved.json("show", "run:1")
    merged = shelved.json("show", f"claim:{run['supports'][0]['id']}")
    absorbed = [row for row in merged["rests_on"] if row.get("relation") == "absorbed"]
    assert len(absorbed) == run["supports"][0]["absorbed"]
    archived = shelved.json("show", str(absorbed[0]["id"]))
    assert archived["status"] == "archived"
    assert "absorbed by" in {row.get("relation") for row in archived["supports"] if row["kind"] == "claim"}
    tree = shelved.json("show", f"event_tree:{run['rests_on'][0]['id']}")
    assert len(tree["rests_on"]) == tree["claims"] - 1

    back = shelved.json("restore")
    assert back["run"] == 1
    assert back["after"]["claims"] == done["before"]["claims"]
    assert shelved("verify").returncode == 0
    again = shelved("restore")
    assert again.returncode == 1
    assert "not compressed" in again.stderr


def test_a_dry_run_shows_merges_and_leaves_the_file_alone(shelved: Command, shelf: bytes) -> None:
    done = shelved("compress", "--ratio", "0.4", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "would go (40%)" in done.stdout
    assert (shelved.folder / "memory.memdb").read_bytes() == shelf
    as_json = shelved.json("compress", "--ratio", "0.4", "--dry-run")
    assert as_json["run"] is None
    assert as_json["after"] is None
    assert all(len(merged["claims"]) > 1 and merged["text"] for merged in as_json["merged"])


def test_what_is_protected_is_told(shelved: Command) -> None:
    done = shelved("compress", "--ratio", "0.9", "--keep-recent", "40")
    assert done.returncode == 0, done.stderr
    assert "could not be merged away" in done.stdout
    assert "recent" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ratio", "1.5"], "more than 0 and less than 1"),
        (["--ratio", "half"], "--ratio"),
        ([], "--ratio"),
        (["--ratio", "0.5", "--keep-recent", "soon"], "--keep-recent soon"),
        (["--ratio", "0.5", "--only-before", "someday"], "--only-before someday"),
        (["--ratio", "0.5", "--protect", "opinion"], "--protect opinion"),
    ],
)
def test_wrong_options_are_usage_errors(shelved: Command, arguments: list[str], message: str) -> None:
    done = shelved("compress", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_memory_that_is_not_there_is_told(mem: Command) -> None:
    done = mem("compress", "--ratio", "0.5", "--db", "none.memdb")
    assert done.returncode == 4
    assert "does not exist" in done.stderr


def test_help_has_examples_that_work(shelved: Command) -> None:
    for command in ("compress", "restore"):
        text = shelved(command, "--help").stdout
        assert f"mem {command}" in text
    assert json.loads(shelved("compress", "--ratio", "0.3", "--only-before", "2024-05-01", "--json").stdout)["run"] == 1
