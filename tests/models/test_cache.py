"""The cache of exported models: made once, light afterwards, sound whatever happens to it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from memcli.errors import ModelError
from memcli.models import Embedder, load_embedder
from memcli.models.cache import drop_superseded, sweep
from memcli.models.manifest import FORMAT
from memcli.models.source import DEFAULT_EMBEDDER, find_source

Start = Callable[[Path], "subprocess.Popen[str]"]


class Exported(Protocol):
    """What the fixture `exported` holds."""

    cache_dir: Path
    exit_codes: list[int]
    reports: list[dict[str, Any]]
    errors: list[str]


def entry_of(cache: Path) -> Path:
    return next(path.parent for path in (cache / "models").glob("*/mem.json"))


def copy_of(cache: Path, place: Path) -> Path:
    shutil.copytree(cache, place)
    return place


def test_two_processes_that_export_at_once_both_end_well(exported: Exported, embedder: Embedder) -> None:
    assert exported.exit_codes == [0, 0], exported.errors
    assert exported.reports[0] == exported.reports[1]
    assert exported.reports[0]["fingerprint"] == embedder.fingerprint
    assert sorted(path.name for path in (exported.cache_dir / "models").iterdir()) == sorted([entry_of(exported.cache_dir).name, "sources"])


def test_the_export_stays_out_of_the_process_that_asked_for_it(exported: Exported) -> None:
    assert [report["loaded"] for report in exported.reports] == [[], []]


def test_a_warm_start_imports_nothing_heavy(embedder: Embedder, cache_dir: Path, start: Start) -> None:
    process = start(cache_dir)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out) == {"early": [], "loaded": [], "shape": [2, 384], "fingerprint": embedder.fingerprint}


def test_a_warm_start_does_no_work_worth_reporting(embedder: Embedder, cache_dir: Path) -> None:
    told: list[str] = []
    assert load_embedder(cache_dir=cache_dir, progress=told.append).fingerprint == embedder.fingerprint
    assert told == []


def truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def zero_the_weights(path: Path) -> None:
    weights = path.parent / "model.bin"
    weights.write_bytes(bytes(weights.stat().st_size))


def garble(path: Path) -> None:
    path.write_bytes(b"\xff" * path.stat().st_size)


@pytest.mark.parametrize(
    ("file", "damage"), [("model.bin", truncate), ("model.onnx", garble), ("mem.json", truncate), ("tokenizer.json", zero_the_weights)]
)
def test_a_damaged_entry_is_noticed(
    embedder: Embedder, cache_dir: Path, tmp_path: Path, file: str, damage: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noticed: it is not used but built again; the build is kept from happening by a Python that does not exist."""
    cache = copy_of(cache_dir, tmp_path / "cache")
    assert callable(damage)
    damage(entry_of(cache) / file)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(ModelError, match="no-python"):
        load_embedder(cache_dir=cache)


def test_a_damaged_entry_is_built_again(embedder: Embedder, cache_dir: Path, tmp_path: Path) -> None:
    cache = copy_of(cache_dir, tmp_path / "cache")
    truncate(entry_of(cache) / "model.bin")
    told: list[str] = []
    again = load_embedder(cache_dir=cache, progress=told.append)
    assert len(told) == 1
    assert float((again.encode(["a boat"]) * embedder.encode(["a boat"])).sum()) > 0.9999


def test_a_failing_export_gives_its_reason_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(find_source(DEFAULT_EMBEDDER).folder, folder)
    truncate(folder / "model.safetensors")
    with pytest.raises(ModelError, match="sentence-transformers cannot load") as caught:
        load_embedder(str(folder), cache_dir=tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert [path.name for path in (tmp_path / "cache" / "models").iterdir()] == ["sources"]


def test_a_killed_export_leaves_nothing_that_is_taken_for_whole(tmp_path: Path, start: Start) -> None:
    process = start(tmp_path)
    models = tmp_path / "models"
    deadline = time.monotonic() + 60
    while not list(models.glob(".unfinished-*/entry")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    left = sorted(path.name for path in models.iterdir() if path.name != "sources")
    assert len(left) == 1
    assert left[0].startswith(".unfinished-")


def test_what_a_killed_export_left_is_swept_a_day_later(tmp_path: Path) -> None:
    old, new = tmp_path / ".unfinished-old", tmp_path / ".unfinished-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "model.bin").write_bytes(b"half")
    yesterday = time.time() - 25 * 3600
    os.utime(old, (yesterday, yesterday))
    sweep(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_entries_of_an_older_format_go_when_one_of_this_format_is_there(tmp_path: Path) -> None:
    name = "0123456789abcdef" * 2
    old, mine, newer, foreign = (tmp_path / f"{name}-{end}" for end in (FORMAT - 1, FORMAT, FORMAT + 1, "notes"))
    others = [tmp_path / "sources", tmp_path / "checked", tmp_path / f"short-{FORMAT - 1}"]
    for folder in (old, mine, newer, foreign, *others):
        folder.mkdir()
        (folder / "model.bin").write_bytes(b"weights")
    (tmp_path / "sources" / f"model-any-{FORMAT - 1}").write_text("0" * 64)
    held = (old / "model.bin").open("rb")
    drop_superseded(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, newer, foreign, *others])
    assert held.read() == b"weights"  # of a process of the older version that is using it
    held.close()


def test_an_export_leaves_no_entry_of_an_older_format(exported: Exported) -> None:
    """The fixture's processes found one there, empty, when they began."""
    assert not list((exported.cache_dir / "models").glob(f"*-{FORMAT - 1}"))


def test_a_cache_that_cannot_be_written_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelError, match="MEM_CACHE_DIR"):
        load_embedder(cache_dir=tmp_path / "file")


def test_a_model_that_cannot_be_exported_runs_through_sentence_transformers(tmp_path: Path, embedder: Embedder) -> None:
    """A pooling by maximum is not one the export knows; texts past the window are windowed all the same."""
    folder = tmp_path / "by-maximum"
    shutil.copytree(find_source(DEFAULT_EMBEDDER).folder, folder)
    pooling = folder / "1_Pooling" / "config.json"
    settings = json.loads(pooling.read_text()) | {"pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True}
    pooling.write_text(json.dumps(settings))
    told: list[str] = []
    other = load_embedder(str(folder), cache_dir=tmp_path / "cache", progress=told.append)
    assert "pooling is max" in told[-1]
    assert other.fingerprint != embedder.fingerprint
    beginning = "The meadow was quiet and nobody came by. " * 60
    found = other.encode(["short", beginning, beginning + "A brass band played tangos on a submarine. " * 20, "\ud800", ""])
    assert found.shape == (5, other.dimension)
    assert (abs((found * found).sum(axis=1) - 1) < 1e-4).all()
    assert float(found[1] @ found[2]) < 0.99
    assert other.encode([]).shape == (0, 384)
    in_context = other.encode_in_context([["a boat", "It sank."], []])
    assert [block.shape for block in in_context] == [(2, 384), (0, 384)]
    assert other.count_tokens(["a boat"]) == embedder.count_tokens(["a boat"])
