"""`mem compress --curve`: what a memory would still find, and that drawing it changes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memcli.cli.render.chart import Line, line_chart

if TYPE_CHECKING:
    from conftest import Command

SVG = "{http://www.w3.org/2000/svg}"

_SAID = (
    "I restored the {thing} in {place} with my cousin last spring.",
    "The {thing} near {place} costs {number} euros a month.",
    "Wir haben die {thing} in {place} am Freitag {number} Mal repariert.",
    "我们在{place}修好了那个{thing}，花了{number}天时间。",
)
_LABELS = (
    {"question": "Where did Rurik restore the windmill?", "answer": "in Turku", "evidence": ["n0"], "category": "place"},
    {"question": "What does the sundial near Coimbra cost?", "answer": "11 euros a month", "evidence": ["n1"], "category": "price"},
    {"question": "What colour is Svenja's submarine?", "answerable": False, "category": "unknown"},
)


def _chat() -> str:
    things = ("windmill", "sundial", "Orgel", "水车", "loom", "lighthouse", "Kutsche")
    places = ("Turku", "Coimbra", "Gotha", "苏州", "Bergen")
    lines = (
        {
            "role": "user",
            "name": ("Rurik", "Svenja")[n % 2],
            "content": _SAID[n % 4].format(thing=things[n % 7], place=places[n % 5], number=n + 10),
            "timestamp": f"2025-02-{n % 28 + 1:02}T08:00:00",
            "id": f"n{n}",
        }
        for n in range(56)
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, child_environment: Callable[..., dict[str, str]]) -> bytes:
    """The bytes of a memory of 56 messages."""
    folder = tmp_path_factory.mktemp("workshop")
    (folder / "chat.jsonl").write_text(_chat(), encoding="utf-8")
    ingest = [sys.executable, "-m", "memcli", "ingest", "chat.jsonl", "--db", "memory.memdb"]
    subprocess.run(ingest, cwd=folder, env=child_environment(folder), check=True, capture_output=True, timeout=120)
    return (folder / "memory.memdb").read_bytes()


@pytest.fixture
def mended(mem: Command, workshop: bytes) -> Command:
    """The command in a folder with a copy of it."""
    (mem.folder / "memory.memdb").write_bytes(workshop)
    return mem


def _read(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_text(encoding="utf-8"))


def _words(chart: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in chart.iter(f"{SVG}text")]


def _check(found: dict[str, Any]) -> None:
    """The numbers of a curve fit together."""
    before, points = found["before"], found["points"]
    assert points
    removed = [point["removed"] for point in points]
    assert removed == sorted(removed)
    for point in points:
        assert point["claims"] == pytest.approx(before["claims"] * (1 - point["removed"]), abs=1)
        assert point["bytes"] > 0
        for k, share in point["recall_kept"].items():
            assert share == pytest.approx(point["recall"][k] / before["recall"][k], abs=1e-3)


def test_without_questions_some_are_made_of_the_claims(mended: Command, workshop: bytes) -> None:
    found = mended.json("compress", "--curve", "curve.svg")
    assert found["made"] is True
    assert found["questions"] > 20
    assert found["chart"] == "curve.svg"
    assert found["before"]["recall"]["20"] > 0.8
    assert found["before"]["f1"] is None
    assert found["points"][0]["ratio"] == 0.1
    _check(found)
    chart = _read(mended.folder / "curve.svg")
    assert {"What compression keeps", "recall@20", "recall@5", "bytes of the file"} <= set(_words(chart))
    assert len([circle for circle in chart.iter(f"{SVG}circle") if "recall@20" in "".join(circle.itertext())]) == len(found["points"]) + 1
    assert (mended.folder / "memory.memdb").read_bytes() == workshop
    assert {path.name for path in mended.folder.iterdir()} >= {"curve.svg", "memory.memdb"}
    assert not list(mended.folder.glob("*.memdb-*"))


def test_labelled_questions_are_measured_with_their_answers(mended: Command) -> None:
    lines = "".join(json.dumps(label) + "\n" for label in _LABELS)
    found = mended.json("compress", "--curve", "own.svg", "--questions", "-", input=lines)
    assert found["made"] is False
    assert found["questions"] == len(_LABELS)
    assert found["before"]["f1"] > 0
    assert all(point["f1_kept"] is not None for point in found["points"])
    _check(found)
    assert "F1 of answers" in _words(_read(mended.folder / "own.svg"))


def test_the_same_memory_gives_the_same_curve(mended: Command) -> None:
    def measured(name: str) -> list[dict[str, Any]]:
        return mended.json("compress", "--curve", name)["points"]

    assert measured("one.svg") == measured("two.svg")
    assert (mended.folder / "one.svg").read_bytes() == (mended.folder / "two.svg").read_bytes()


def test_what_is_left_alone_ends_the_curve(mended: Command) -> None:
    found = mended.json("compress", "--curve", "curve.svg", "--keep-recent", "40")
    _check(found)
    assert found["points"][-1]["ratio"] < 0.9
    assert found["points"][-1]["removed"] < found["points"][-1]["ratio"]


def test_a_table_is_printed(mended: Command) -> None:
    done = mended("compress", "--curve", "curve.svg", "--keep-recent", "30")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "questions made of its claims" in done.stdout
    assert "% kept" in done.stdout
    assert done.stdout.endswith("chart in curve.svg\n")
    assert "mem compress --curve curve.svg" in mended("compress", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--curve", "curve.png"], 2, "name it curve.svg"),
        (["--curve", "no/such/folder/curve.svg"], 2, "cannot be written"),
        (["--curve", "curve.svg", "--ratio", "0.5"], 2, "leave --ratio"),
        (["--curve", "curve.svg", "--dry-run"], 2, "leave --ratio and --dry-run out"),
        (["--questions", "questions.jsonl", "--ratio", "0.5"], 2, "--questions goes with --curve"),
        (["--curve", "curve.svg", "--questions", "none.jsonl"], 3, "no such file"),
        (["--curve", "curve.svg", "--questions", "memory.memdb"], 3, "not"),
        (["--curve", "curve.svg", "--db", "none.memdb"], 4, "does not exist"),
    ],
)
def test_what_cannot_be_drawn_is_said_and_leaves_no_chart(mended: Command, arguments: list[str], status: int, message: str) -> None:
    done = mended("compress", *arguments)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not list(mended.folder.glob("curve.*"))


def test_a_memory_without_claims_has_no_curve(mem: Command) -> None:
    (mem.folder / "thanks.jsonl").write_text('{"role": "user", "content": "Hi!"}\n', encoding="utf-8")
    assert mem("ingest", "thanks.jsonl", "--db", "memory.memdb").returncode == 0
    done = mem("compress", "--curve", "curve.svg", "--db", "memory.memdb")
    assert done.returncode == 1
    assert "no claims to make questions of" in done.stderr
    assert not (mem.folder / "curve.svg").exists()


def test_an_old_chart_survives_what_fails(mended: Command) -> None:
    (mended.folder / "curve.svg").write_text("<svg/>", encoding="utf-8")
    assert mended("compress", "--curve", "curve.svg", "--questions", "none.jsonl").returncode == 3
    assert (mended.folder / "curve.svg").read_text(encoding="utf-8") == "<svg/>"


def test_a_chart_is_sound_whatever_its_names_are() -> None:
    lines = [Line('a < b & "c"', [(0.0, 1.0), (0.5, 0.93)]), Line("d", [(0.0, 1.0), (0.5, 0.925)]), Line("size", [(0.0, 1.0)], plain=True)]
    chart = ElementTree.fromstring(line_chart("<title>", "]]>", "x & y", "z", lines))
    words = _words(chart)
    assert {"<title>", "]]>", "x & y", 'a < b & "c"', "d", "size", "90%", "100%"} <= set(words)
    names = [float(text.attrib["y"]) for text in chart.iter(f"{SVG}text") if "".join(text.itertext()) in {'a < b & "c"', "d"}]
    assert abs(names[0] - names[1]) >= 16, "the names of lines that end together lie over each other"
