"""Names become folders, and folders fingerprints, or a message that says what to do."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memcli.errors import ModelError
from memcli.models import load_embedder
from memcli.models.source import DEFAULT_EMBEDDER, ModelSource, find_source


@pytest.fixture
def copied(tmp_path: Path) -> ModelSource:
    """The default model in a folder that a test may spoil."""
    source = find_source(DEFAULT_EMBEDDER)
    folder = tmp_path / "copied"
    shutil.copytree(source.folder, folder)
    return replace(source, folder=folder)


def test_fingerprint_is_of_the_content_not_the_place(copied: ModelSource) -> None:
    assert copied.fingerprint() == find_source(DEFAULT_EMBEDDER).fingerprint()
    (copied.folder / "README.md").write_text("changed")
    assert copied.fingerprint() == find_source(DEFAULT_EMBEDDER).fingerprint()


@pytest.mark.parametrize(
    ("file", "change"),
    [("sentence_bert_config.json", {"max_seq_length": 128}), ("1_Pooling/config.json", {"pooling_mode_cls_token": True})],
)
def test_fingerprint_changes_with_the_settings(copied: ModelSource, file: str, change: dict[str, object]) -> None:
    before = copied.fingerprint()
    path = copied.folder / file
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert copied.fingerprint() != before


def test_other_weights_than_the_published_ones_are_refused_naming_both(copied: ModelSource) -> None:
    weights = copied.folder / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\x00\x01\x02\x03")
    with pytest.raises(ModelError, match=r"(?s)sha256 (?!53aa5117)[0-9a-f]{64}, expected 53aa51172d142c89.*pip install") as caught:
        copied.fingerprint()
    assert caught.value.exit_code == 5


def test_a_folder_without_weights_is_refused(copied: ModelSource) -> None:
    (copied.folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="no model weights"):
        copied.fingerprint()


def test_an_unknown_name_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="hf download acme/embed-nothing"):
        load_embedder("acme/embed-nothing", cache_dir=tmp_path)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no sentence-transformers model"):
        load_embedder(str(tmp_path), cache_dir=tmp_path)


def test_a_model_in_the_hub_cache_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "models--acme--small"
    snapshot = repository / "snapshots" / "abc"
    shutil.copytree(find_source(DEFAULT_EMBEDDER).folder, snapshot)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert find_source("acme/small").folder == snapshot


def test_a_folder_is_recorded_so_that_it_is_found_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models" / "small").mkdir(parents=True)
    (tmp_path / "models" / "small" / "config.json").write_text("{}")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "models")
    for typed in ("small", "./small", "../models/small"):
        monkeypatch.chdir(tmp_path / "models")
        name = find_source(typed).name
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert find_source(name).folder.samefile(tmp_path / "models" / "small")
