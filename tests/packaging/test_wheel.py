"""A wheel built from the checkout carries all it needs, and runs where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", str(out), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (path,) = out.glob("memcli-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel, and borrows the libraries of this one but not its memcli."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (site,) = (home / "lib").glob("python*/site-packages")
    # Plain path lines: this environment's own .pth files, an editable memcli among them, are not read from there.
    borrowed = [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    return home


def run(home: Path, where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV", "MEM_DB"}}
    command = [str(home / "bin" / arguments[0]), *arguments[1:]]
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(("folder", "inside"), [("migrations", "_migrations"), ("completions", "_completions")])
def test_the_wheel_carries_the_top_level_folders(wheel: Path, folder: str, inside: str) -> None:
    wanted = {path.name: path.read_bytes() for path in (ROOT / folder).iterdir() if path.is_file()}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        missing = [name for name in wanted if f"memcli/{inside}/{name}" not in names]
        assert missing == []
        assert all(archive.read(f"memcli/{inside}/{name}") == content for name, content in wanted.items())


def test_the_wheel_carries_every_module_and_no_tests_or_examples(wheel: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "memcli").rglob("*.py")}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert modules - names == set()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"memcli"}


def test_the_installed_package_is_the_wheels_own(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "python", "-c", "import memcli.atoms; print(memcli.atoms.__file__)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(installed))


def test_mem_runs_from_another_folder(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "mem", "--help")
    assert done.returncode == 0, done.stderr
    assert "ingest" in done.stdout


def test_a_memory_is_made_by_the_installed_program(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(
        '{"speaker": "Oona", "content": "My sailing boat is called Kittiwake.", "timestamp": "2024-05-01T10:00:00"}\n', encoding="utf-8"
    )
    made = run(installed, tmp_path, "mem", "ingest", "chat.jsonl", "--db", "boat.memdb")
    assert made.returncode == 0, made.stderr
    found = run(installed, tmp_path, "mem", "search", "What is the boat called?", "--db", "boat.memdb", "--json")
    assert found.returncode == 0, found.stderr
    assert "Kittiwake" in found.stdout


def test_the_source_archive_carries_the_examples_and_the_migrations(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (path,) = tmp_path.glob("memcli-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {"LICENSE", "README.md", "constraints.txt", "Makefile", "examples/river-house.jsonl", "examples/questions.jsonl"}
    wanted |= {f"migrations/{path.name}" for path in (ROOT / "migrations").glob("*.sql")}
    assert wanted - names == set()
