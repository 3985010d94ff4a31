"""Precedence of settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli import config
from memcli.errors import InputError, MemError, StoreError, UsageError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder and, in it, an empty current folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "MEM_DB", "MEM_EMBEDDER"):
        monkeypatch.delenv(name, raising=False)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return tmp_path


def _write(text: str) -> None:
    config.config_file().parent.mkdir(parents=True)
    config.config_file().write_text(text, encoding="utf-8")


def test_the_memory_file_by_precedence(home: Path) -> None:
    assert config.resolve_db(None, {}) == config.data_file()
    _write('db = "notes.memdb"')
    assert config.resolve_db(None, {}) == config.config_file().parent / "notes.memdb"
    (home / "here" / "memory.memdb").touch()
    assert config.resolve_db(None, {}) == Path("memory.memdb")
    assert config.resolve_db(None, {"MEM_DB": ""}) == Path("memory.memdb")
    assert config.resolve_db(None, {"MEM_DB": "e.memdb"}) == Path("e.memdb")
    assert config.resolve_db("f.memdb", {"MEM_DB": "e.memdb"}) == Path("f.memdb")
    assert config.resolve_db("~/f.memdb", {}) == home / "f.memdb"


def test_the_embedder_by_precedence(home: Path) -> None:
    new, old = home / "new.memdb", home / "old.memdb"
    old.touch()
    assert config.resolve_embedder(None, new, {}) is None
    _write('embedder = "a"')
    assert config.resolve_embedder(None, new, {}) == "a"
    assert config.resolve_embedder(None, old, {}) is None
    assert config.resolve_embedder(None, old, {"MEM_EMBEDDER": "b"}) == "b"
    assert config.resolve_embedder("c", old, {"MEM_EMBEDDER": "b"}) == "c"


@pytest.mark.parametrize("call", [lambda: config.resolve_db("", {}), lambda: config.resolve_embedder("", Path("x"), {})])
def test_an_empty_flag_is_a_wrong_call(home: Path, call: object) -> None:
    assert callable(call)
    with pytest.raises(UsageError, match="empty"):
        call()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("db = ", "TOML"),
        ("dbs = 'x'", "dbs"),
        ("db = 5", "db must be"),
        ("embedder = ''", "embedder must be"),
        ("db = '~nobody-of-that-name/m.memdb'", "no home folder"),
        ("db = " + "[" * 100_000, "nested too deep"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_wrong_config_file_is_named(text: str, named: str) -> None:
    _write(text)
    with pytest.raises(InputError, match=named) as caught:
        config.load()
    assert str(config.config_file()) in str(caught.value)


@pytest.mark.parametrize(
    ("flag", "environ", "error"),
    [("~nobody-of-that-name/m", {}, UsageError), (None, {"MEM_DB": "~nobody-of-that-name/m"}, StoreError)],
)
@pytest.mark.usefixtures("home")
def test_a_home_folder_that_there_is_not_is_told(flag: str | None, environ: dict[str, str], error: type[MemError]) -> None:
    with pytest.raises(error, match="no home folder of that name"):
        config.resolve_db(flag, environ)
