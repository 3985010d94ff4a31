import io
import zipfile
from pathlib import Path

import pytest

from memcli.errors import InputError, UsageError
from memcli.transcripts import formats, read

WANTED = r'expected a transcript, for example JSON lines like {"role": "user", "content": "\.\.\."}; formats: beam, chat, '


def test_the_formats_are_listed_by_name() -> None:
    assert set(formats()) >= {"beam", "chat", "chatgpt", "locomo"}
    assert list(formats()) == sorted(formats())


@pytest.mark.parametrize(
    ("data", "looks"),
    [
        (b"Dear diary,\ntoday I bought clay.", r"text that begins 'Dear diary,\\ntoday I bought clay\.'"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe\xfd\xfc", "binary data"),
        ("Dear diary".encode("utf-16"), "UTF-16 text that begins 'Dear diary'"),
        ("Dear diary".encode("utf-16-le"), r"UTF-16 text without a byte-order mark \(save it as UTF-8\)"),
        (b"[1, 2, 3]", "a JSON array of a JSON number"),
        (b"[]", "an empty JSON array"),
        (b'{"name": "memcli", "version": 1}', 'a JSON object with the keys "name", "version"'),
        (b'[{"question": "x"}]', 'a JSON array of a JSON object with the keys "question"'),
        (b'{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}', r'the keys "a", "b", "c", "d", "e", \.\.\.'),
    ],
)
def test_a_wrong_file_is_told_in_one_line(data: bytes, looks: str) -> None:
    with pytest.raises(InputError, match=f"^some/file: looks like .*{looks}; {WANTED}") as caught:
        read(io.BytesIO(data), name="some/file")
    assert "\n" not in str(caught.value)
    assert caught.value.source == "some/file"


def test_a_zip_archive_and_a_folder_without_a_transcript(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match=r'looks like a folder holding "a\.txt"; expected'):
        read(tmp_path)
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("photo.jpg", b"x")
    with pytest.raises(InputError, match=r'b\.zip: looks like a zip archive holding "photo\.jpg"; expected'):
        read(tmp_path / "b.zip")
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(InputError, match=r"c\.zip: cannot be read: "):
        read(tmp_path / "c.zip")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl: no such file$"):
        read(tmp_path / "gone.jsonl")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_told_from_a_transcript(data: bytes) -> None:
    transcript = read(io.BytesIO(data), name="talk.jsonl")
    with pytest.raises(InputError, match=r'^talk\.jsonl: no messages in it: expected objects like {"role": "user", "content": "\.\.\."}$'):
        list(transcript.messages)


def test_the_name_helps_where_the_content_does_not_tell() -> None:
    assert read(io.BytesIO(b"[]"), name="export/conversations.json").format == "chatgpt"
    assert read(io.BytesIO(b'{"role'), name="x.jsonl").format == "chat"


@pytest.mark.parametrize("name", ["-", "x.jsonl", "conversations.json"])
def test_no_name_makes_a_transcript_of_plain_text(name: str) -> None:
    with pytest.raises(InputError, match="looks like text that begins 'Dear diary'; expected a transcript"):
        read(io.BytesIO(b"Dear diary\n"), name=name)


def test_a_format_can_be_forced_and_says_what_it_expected() -> None:
    with pytest.raises(InputError, match=r'looks like a JSON object with the keys "role", "content"; locomo expects .*session_N'):
        list(read(io.BytesIO(b'[{"role": "user", "content": "x"}]'), "locomo").messages)
    with pytest.raises(UsageError, match="unknown format 'word'; choose one of beam, chat"):
        read(io.BytesIO(b""), "word")
