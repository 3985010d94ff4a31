"""What files and pipes do to a transcript: encodings, compression, broken bytes, slow writers."""

import codecs
import gzip
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from memcli.errors import InputError
from memcli.transcripts import read

LINES = '{"role": "user", "content": "Grüße aus 東京 🏺"}\n{"role": "assistant", "content": "ok"}\n'
TEXTS = ["Grüße aus 東京 🏺", "ok"]


def texts(data: bytes, name: str = "talk.jsonl") -> list[str]:
    return [m.text for m in read(io.BytesIO(data), name=name).messages]


@pytest.mark.parametrize(
    "data",
    [
        LINES.encode(),
        codecs.BOM_UTF8 + LINES.encode(),
        LINES.encode("utf-16"),
        codecs.BOM_UTF16_BE + LINES.encode("utf-16-be"),
        LINES.replace("\n", "\r\n").encode(),
        b"\n \n" + LINES.replace("\n", "\n\n").encode(),
        LINES.encode() + bytes(4096),
        gzip.compress(LINES.encode()),
        gzip.compress(codecs.BOM_UTF8 + LINES.encode()),
        gzip.compress(gzip.compress(LINES.encode("utf-16"))),
        json.dumps([json.loads(line) for line in LINES.splitlines()], indent=1).encode("utf-16"),
    ],
    ids=["utf-8", "bom", "utf-16", "utf-16-be", "crlf", "blank lines", "zero padding", "gzip", "gzip bom", "gzip twice", "utf-16 array"],
)
def test_the_same_messages_in_every_wrapping(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "talk.bin"
    path.write_bytes(data)
    assert texts(data, "talk.bin") == TEXTS
    transcript = read(path)
    assert ([m.text for m in transcript.messages], transcript.warnings) == (TEXTS, [])


def test_the_conversation_of_a_compressed_file_has_the_plain_name(tmp_path: Path) -> None:
    path = tmp_path / "kiln log.jsonl.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    assert {m.conversation_id for m in read(str(path)).messages} == {"kiln log"}
    assert {m.conversation_id for m in read(io.BytesIO(LINES.encode())).messages} == {"stdin"}


def test_invalid_utf_8_is_replaced_and_reported() -> None:
    transcript = read(io.BytesIO(b'{"role": "user", "content": "caf\xe9 \xff"}\n{"role": "user", "content": "\xc3"}\n'), name="-")
    assert [m.text for m in transcript.messages] == ["caf\ufffd \ufffd", "\ufffd"]
    assert transcript.warnings == ["2 passages with invalid UTF-8, replaced by U+FFFD"]


def test_lone_surrogates_and_nul_are_replaced_everywhere_and_pairs_are_kept() -> None:
    record = r'{"role": "user", "name": "O\udc00", "content": "a\ud83d b\u0000 \ud83c\udffa", "id": "\ud800", "x\udfff": ["\ud800", 1e999]}'
    transcript = read(io.BytesIO(record.encode()), name="t\udcff.jsonl")
    (message,) = transcript.messages
    assert (message.text, message.speaker, message.message_id) == ("a\ufffd b\ufffd 🏺", "O\ufffd", "\ufffd")
    assert (message.source, message.conversation_id) == ("t\ufffd.jsonl", "t\ufffd")
    assert message.metadata == {"x\ufffd": ["\ufffd", None]}
    assert transcript.warnings == ["1 message with lone surrogates or NUL characters, replaced by U+FFFD"]


def test_raw_nul_and_control_characters_inside_strings() -> None:
    assert texts(b'{"role": "user", "content": "a\x00b\tc"}\n') == ["a\ufffdb\tc"]


def test_metadata_nested_without_end_is_cut() -> None:
    deep = b'{"role": "user", "content": "a", "x": ' + b"[" * 400 + b"]" * 400 + b"}\n"
    (message,) = read(io.BytesIO(deep)).messages
    assert len(json.dumps(message.metadata["x"])) < 100


@pytest.mark.parametrize("value", [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000], ids=["arrays", "objects", "digits"])
def test_json_that_no_parser_takes_is_an_input_error(value: bytes) -> None:
    with pytest.raises(InputError, match=r"^talk\.jsonl: line 2: not JSON"):
        texts(b'{"role": "user", "content": "a"}\n' + value + b'\n{"role": "user", "content": "b"}\n')


def test_a_damaged_gzip_file_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl.gz"
    path.write_bytes(gzip.compress(LINES.encode() * 50_000)[:-2000])
    with pytest.raises(InputError, match=r"talk\.jsonl\.gz: .*cannot be read: it ends in the middle"):
        list(read(path).messages)


@contextmanager
def pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as sink:
        yield source, sink


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_each_line_of_a_pipe_is_there_as_soon_as_it_is_complete(encoding: str) -> None:
    with ThreadPoolExecutor(1) as pool, pipe() as (source, sink):
        sink.write("".encode(encoding) if encoding == "utf-8" else codecs.BOM_UTF16_LE)
        sink.write('{"role": "user", "content": "one"}\n'.encode(encoding))
        transcript = pool.submit(read, source).result(timeout=5)
        for word in ("one", "two", "three"):
            if word != "one":
                sink.write(f'{{"role": "user", "content": "{word}"}}\n'.encode(encoding))
            assert pool.submit(next, transcript.messages).result(timeout=5).text == word
        sink.write('{"role": "user", "cont'.encode(encoding))
        sink.close()
        assert list(transcript.messages) == []
        assert transcript.warnings == ["line 4: half-written last line skipped; reading again picks it up once it is whole"]
        assert not source.closed


def test_a_long_line_through_a_pipe_arrives_whole() -> None:
    text = "clay " * 200_000
    data = json.dumps({"role": "user", "content": text}).encode() + b"\n" + LINES.encode()
    with pipe() as (source, sink):
        writer = threading.Thread(target=lambda: (sink.write(data[:70_000]), sink.write(data[70_000:]), sink.close()))
        writer.start()
        assert [m.text for m in read(source).messages] == [text, *TEXTS]
        writer.join()


def test_standard_input_of_a_real_process_is_followed() -> None:
    program = (
        "import sys; from memcli.transcripts import read\nfor m in read(sys.stdin.buffer, name='-').messages: print(m.text, flush=True)"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for word in (b"one", b"two"):
            process.stdin.write(b'{"role": "user", "content": "%s"}\n' % word)
            assert process.stdout.readline() == word + b"\n"
        process.stdin.close()
        assert process.wait(timeout=10) == 0


def test_a_named_pipe_is_read_as_a_path(tmp_path: Path) -> None:
    path = tmp_path / "fifo.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(LINES.encode(),))
    writer.start()
    assert [m.text for m in read(path).messages] == TEXTS
    writer.join()


def test_a_file_is_closed_whether_it_was_read_or_not(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(LINES)
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("open files cannot be counted here")
    before = len(list(descriptors.iterdir()))
    list(read(path).messages)
    next(read(path).messages)
    read(path)
    assert len(list(descriptors.iterdir())) == before
