"""A folder of transcripts: what of it is read, in which order, and what is said about the rest."""

import json
import os
from pathlib import Path

import pytest

from memcli.errors import InputError
from memcli.transcripts import read
from memcli.transcripts.folder import transcripts_in
from memcli.transcripts.notes import Warnings

LINE = '{"role": "user", "content": "The sail is torn."}\n'
EXPORT = json.dumps([{"title": "Sails", "create_time": 1.7e9, "mapping": {"a": {"message": None, "parent": None, "children": []}}}])


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(folder: Path, format: str | None = None) -> tuple[list[str], list[str]]:
    warnings = Warnings()
    paths = [Path(str(path)).relative_to(folder).as_posix() for path in transcripts_in(folder, format, warnings)]
    return paths, [line.replace(f"{folder}/", "") for line in warnings.lines]


def test_every_transcript_at_any_depth_sorted_by_name_without_hidden_ones(tmp_path: Path) -> None:
    write(tmp_path, c_jsonl=LINE, a__d__e__f_jsonl=LINE, b_json=f"[{LINE}]", _git__x_jsonl=LINE, _x_jsonl=LINE)
    assert found(tmp_path) == (["a/d/e/f.jsonl", "b.json", "c.jsonl"], [])


def test_what_is_no_transcript_is_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path, a_csv="x,y\n1,2\n", b_jsonl=LINE, c_jsonl="", d_jsonl='{"role": "us')
    (tmp_path / "memory.memdb").write_bytes(b"SQLite format 3\0")
    paths, warnings = found(tmp_path)
    assert paths == ["b.jsonl"]
    assert [warning.partition(" (")[0] for warning in warnings] == [
        r"skipped a.csv: looks like text that begins 'x,y\n1,2'",
        'skipped c.jsonl: no messages in it: expected objects like {"role": "user", "content": "..."}',
        "skipped d.jsonl: no messages in it",
    ]


def test_a_folder_without_a_transcript_is_an_input_error(tmp_path: Path) -> None:
    write(tmp_path, notes_txt="Dear diary")
    with pytest.raises(InputError, match=r'looks like a folder holding "notes\.txt"; expected transcripts, for example JSON lines'):
        found(tmp_path)
    write(tmp_path, empty__deep_x="")
    with pytest.raises(InputError, match="expected transcripts"):
        found(tmp_path / "empty")


def test_an_export_is_one_transcript_wherever_it_is(tmp_path: Path) -> None:
    write(tmp_path, export__conversations_json=EXPORT)
    assert found(tmp_path)[0] == ["."]
    assert read(tmp_path).format == "chatgpt"
    assert found(tmp_path / "export")[0] == ["."]


def test_an_export_hides_no_transcript_beside_it(tmp_path: Path) -> None:
    talk = {"a": {"parent": None, "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["The sail."]}}}}
    write(tmp_path, x_jsonl=LINE, export__conversations_json=json.dumps([{"title": "Sails", "mapping": talk}]))
    assert found(tmp_path) == (["export", "x.jsonl"], [])


def test_a_file_and_a_named_format(tmp_path: Path) -> None:
    write(tmp_path, x_jsonl=LINE)
    assert list(transcripts_in(tmp_path / "x.jsonl", None, Warnings())) == [tmp_path / "x.jsonl"]
    assert found(tmp_path, "chat") == (["x.jsonl"], [])
    with pytest.raises(InputError, match="expected transcripts"):
        found(tmp_path, "locomo")


def test_a_link_that_leads_back_and_a_pipe_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, x_jsonl=LINE)
    (tmp_path / "again").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert found(tmp_path) == (["x.jsonl"], [])
