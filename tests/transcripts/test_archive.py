"""Zip archives of transcripts that are no export, and large documents read in pieces."""

import gzip
import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import InputError
from memcli.transcripts import read
from memcli.transcripts.jsonstream import LARGEST, JSONStream
from memcli.transcripts.jsontext import BadJSONError

LINE = '{"role": "user", "content": "The sail is torn."}\n'


def zipped(**files: bytes) -> io.BytesIO:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    target.seek(0)
    return target


def test_every_transcript_in_an_archive_whatever_its_format() -> None:
    files = {
        "b__talk_txt": b"Runa: hi\nOtto: yo\nRuna: ok\n",
        "a_jsonl_gz": gzip.compress(LINE.encode()),
        "photo_jpg": b"\xff\xd8\xff\x00",
        "c_csv": b"x,y\n",
        "empty_txt": b"",
    }
    transcript = read(zipped(**files), name="all.zip")
    assert [(m.conversation_id, m.locator, m.text) for m in transcript.messages] == [
        ("a", "a.jsonl.gz: line 1", "The sail is torn."),
        ("talk", "b/talk.txt: line 1", "hi"),
        ("talk", "b/talk.txt: line 2", "yo"),
        ("talk", "b/talk.txt: line 3", "ok"),
    ]
    assert transcript.warnings == ["3 files that are no transcripts skipped"]


def test_a_forced_format_holds_for_every_file_in_an_archive() -> None:
    assert [m.text for m in read(zipped(a_log=LINE.encode()), "chat").messages] == ["The sail is torn."]
    with pytest.raises(InputError, match=r"^z\.zip: a\.log: .*locomo expects"):
        list(read(zipped(a_log=LINE.encode()), "locomo", name="z.zip").messages)


def test_a_broken_line_in_an_archive_is_named() -> None:
    with pytest.raises(InputError, match=r"^z\.zip: a\.jsonl: line 2: not JSON"):
        list(read(zipped(a_jsonl=(LINE + "{]\n" + LINE).encode()), name="z.zip").messages)


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def whole(stream: JSONStream) -> object:
    value = stream.value()
    stream.finish()
    return value


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(values=st.lists(JSON_VALUES, max_size=5), size=st.integers(1, 40), indent=st.none() | st.integers(0, 2))
def test_a_document_in_pieces_is_the_same_document(values: list[object], size: int, indent: int | None) -> None:
    stream = JSONStream(pieces(json.dumps(values, indent=indent), size))
    assert [stream.value() for _ in stream.elements()] == values
    stream.finish()
    stream = JSONStream(pieces(json.dumps({"a": values, "b": values}, indent=indent), size))
    assert {key: [stream.value() for _ in stream.elements()] for key in stream.members()} == {"a": values, "b": values}


@given(text=st.text('[]{},:"\\ 12eutrn\n', max_size=30), size=st.integers(1, 9))
def test_a_document_that_is_none_is_refused_as_the_parser_refuses_it(text: str, size: int) -> None:
    stream = JSONStream(pieces(text, size))
    try:
        expected = json.loads(text, strict=False)
    except ValueError:
        with pytest.raises(BadJSONError):
            whole(stream)
    else:
        assert whole(stream) == expected


def test_an_error_names_the_line_however_much_was_read_before_it() -> None:
    rows = ",\n".join(['{"mapping": null, "title": "' + "x" * 300 + '"}'] * 2_000)
    with pytest.raises(InputError, match=r"^conversations\.json: line 2001: not JSON"):
        list(read(io.BytesIO(f"[{rows},\n{{]".encode()), "chatgpt", name="conversations.json").messages)


class Endless(io.RawIOBase):
    """A JSON array that is `size` bytes long and is made as it is read."""

    def __init__(self, item: bytes, size: int, start: bytes = b"[") -> None:
        super().__init__()
        self.item, self.left, self.ready = item, size, start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        while len(self.ready) < len(buffer) and self.left > 0:
            self.ready += self.item * max(1, 65_536 // len(self.item))
            self.left -= len(self.item) * max(1, 65_536 // len(self.item))
        chunk, self.ready = self.ready[: len(buffer)], self.ready[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


@pytest.mark.parametrize(
    ("start", "item", "format"),
    [
        (b"[", json.dumps({"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "x" * 900}]}).encode() + b",", "claude"),
        (b"[", json.dumps({"role": "user", "content": "x" * 900}).encode() + b",", "chat"),
        (
            b'{"name": "Bees", "type": "x", "id": 1, "messages": [',
            json.dumps({"id": 1, "type": "message", "text": "x" * 900}).encode() + b",",
            "telegram",
        ),
    ],
)
def test_a_large_array_takes_the_memory_of_its_largest_item(start: bytes, item: bytes, format: str) -> None:
    stream = io.BufferedReader(Endless(item, 12_000_000, start))
    messages = read(stream, format).messages
    tracemalloc.start()
    found = sum(1 for _ in islice(messages, 10_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == 10_000
    assert peak < 8_000_000


@pytest.mark.parametrize("start", [b'{"role": "user", "content": "', b'[{"role": "user", "content": "', b"User: a\nAssistant: "])
def test_a_line_or_value_without_end_is_refused(start: bytes) -> None:
    stream = io.BufferedReader(Endless(b"x" * 1024, 2 * LARGEST, start))
    with pytest.raises(InputError, match="million"):
        list(read(stream, "text" if start.startswith(b"User") else "chat").messages)
