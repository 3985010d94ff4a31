"""What the repository itself promises: exact pins, no addresses of package registries, and examples whose labels are right."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Joined from pieces, so that this file does not name what it looks for.
REGISTRY = re.compile(
    "|".join(
        (
            r"\b" + r"\.".join(("pypi", "org")),
            r"\." + r"\.".join(("pythonhosted", "org")),
            r"\." + r"\.".join(("pytorch", "org")) + r"/whl",
            r"\." + r"\.".join(("npmjs", "org")),
            r"--(?:extra-)?index" + "-url",
            "--find" + "-links",
        )
    )
)
PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][0-9A-Za-z.]*")


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_file_names_a_package_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked_files()
        if (match := REGISTRY.search(path.read_text(encoding="utf-8", errors="replace")))
    ]
    assert found == []


def test_the_registry_pattern_finds_what_it_is_for() -> None:
    assert REGISTRY.search("https://" + "pypi" + ".org/simple")
    assert REGISTRY.search("pip install --extra-index" + "-url somewhere")


def test_constraints_are_exact_pins_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    names = [canonical(line.split("==")[0]) for line in lines]
    assert len(names) == len(set(names))
    assert "memcli" not in names


def test_every_declared_dependency_has_a_pin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["dependencies"] + [r for extra in project["optional-dependencies"].values() for r in extra]
    pinned = {canonical(line.split("==")[0]) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()}
    names = {canonical(re.split(r"[\[<>=!~; ]", requirement)[0]) for requirement in declared}
    assert names - pinned == set()


def test_example_ids_are_unique_and_times_run_forward() -> None:
    for path in sorted(EXAMPLES.glob("*.jsonl")):
        rows = records(path.name)
        assert len({row["id"] for row in rows}) == len(rows), path.name
        if path.name != "questions.jsonl":
            times = [row["timestamp"] for row in rows]
            assert times == sorted(times), path.name


def test_every_label_points_at_a_message_of_its_transcript() -> None:
    ids = {path.name: {row["id"] for row in records(path.name)} for path in EXAMPLES.glob("*.jsonl")}
    questions = records("questions.jsonl")
    assert len(questions) >= 130
    for question in questions:
        evidence = question["evidence"]
        assert set(evidence) <= ids[question["transcript"]], question["id"]
        assert len(set(evidence)) == len(evidence), question["id"]
        assert question["answerable"] == bool(evidence) == (question["answer"] is not None), question["id"]
        assert question["answerable"] == (question["category"] != "unanswerable"), question["id"]
