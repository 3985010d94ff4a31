"""`mem config`: what holds, why, and how to change it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli import config

if TYPE_CHECKING:
    from conftest import Command


def settings(mem: Command, *arguments: str, **environ: str) -> dict[str, tuple[str, str]]:
    done = mem("config", "show", "--json", *arguments, **environ)
    assert done.returncode == 0, done.stderr
    return {each["key"]: (each["value"], each["source"]) for each in json.loads(done.stdout)["settings"]}


def test_each_value_is_shown_with_what_it_comes_from(mem: Command) -> None:
    file = mem.folder / "config" / "mem" / "config.toml"
    assert settings(mem)["db"] == (str(mem.folder / "data" / "mem" / "memory.memdb"), "default")
    assert mem("config", "set", "db", "notes.memdb").returncode == 0
    assert settings(mem)["db"] == (str(mem.folder / "notes.memdb"), str(file))
    (mem.folder / "memory.memdb").touch()
    assert settings(mem)["db"] == ("./memory.memdb", "this folder")
    assert settings(mem, MEM_DB="e.memdb")["db"] == ("e.memdb", "$MEM_DB")
    assert settings(mem, "--db", "f.memdb", MEM_DB="e.memdb")["db"] == ("f.memdb", "--db")
    shown = mem("config", "show", MEM_DB="e.memdb").stdout
    assert [line.split()[-1] for line in shown.splitlines()[:3]] == ["$MEM_DB", "folder", str(file)]


def test_a_memory_is_fixed_to_its_embedder(river: Command) -> None:
    value, source = settings(river)["embedder"]
    assert (value, source.split(",")[0]) == ("all-MiniLM-L6-v2", "the memory file")
    assert settings(river, MEM_EMBEDDER="other")["embedder"] == ("other", "$MEM_EMBEDDER")


@pytest.mark.parametrize("present", list(itertools.product((False, True), repeat=4)))
def test_what_is_shown_is_what_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, present: tuple[bool, ...]) -> None:
    flag, environment, here, file = present
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    if here:
        (tmp_path / "memory.memdb").touch()
    if file:
        config.store("db", "from-file.memdb")
        config.store("embedder", "from-file")
    said = "from-flag" if flag else None
    environ = {"MEM_DB": "from-environment", "MEM_EMBEDDER": "from-environment"} if environment else {}
    db, embedder, *_ = config.explain(said, said, default="the default", environ=environ)
    assert Path(db.value) == config.resolve_db(said, environ)
    assert embedder.value == (config.resolve_embedder(said, tmp_path / "new.memdb", environ) or "the default")
    assert len(db.overridden) == sum(present)


def test_setting_keeps_what_else_is_in_the_file(mem: Command) -> None:
    file = mem.folder / "config" / "mem" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('# mine\nembedder = "one"  # for now\n', encoding="utf-8")
    assert mem("config", "set", "embedder", 'a "quoted" ü').returncode == 0
    assert mem("config", "set", "db", "~/m.memdb", HOME=str(mem.folder)).returncode == 0
    assert file.read_text(encoding="utf-8").startswith("# mine\nembedder = ")
    assert "# for now" in file.read_text(encoding="utf-8")
    assert config.load(file) == config.Config(mem.folder / "m.memdb", 'a "quoted" ü')
    assert mem("config", "unset", "embedder").returncode == 0
    assert mem("config", "unset", "embedder").returncode == 0
    assert config.load(file).embedder is None
    assert list(file.parent.iterdir()) == [file]


def test_a_new_file_is_its_owners_alone(mem: Command) -> None:
    done = mem("config", "set", "embedder", "x")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    path = Path(mem("config", "path").stdout.strip())
    assert path.stat().st_mode & 0o777 == 0o600
    assert mem.json("config", "path") == {"path": str(path), "exists": True}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set",), "expected mem config set KEY VALUE"),
        (("set", "db"), "expected mem config set KEY VALUE"),
        (("unset",), "expected mem config unset KEY"),
        (("show", "db"), "expected mem config show"),
        (("set", "dbs", "x"), "the keys are db, embedder, llm and llm_uses"),
        (("set", "db", " "), "mem config unset db"),
        (("set", "db", "~nobody-of-that-name/x"), "no home folder"),
        (("edit",), "choose one of show, path, set, unset"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(mem: Command, arguments: tuple[str, ...], said: str) -> None:
    done = mem("config", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_a_wrong_file_is_named_and_not_written_over(mem: Command) -> None:
    file = mem.folder / "config" / "mem" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("db = ", encoding="utf-8")
    for arguments in (("show",), ("set", "db", "x")):
        done = mem("config", *arguments)
        assert done.returncode == 3
        assert "is not TOML" in done.stderr
    assert file.read_text(encoding="utf-8") == "db = "
