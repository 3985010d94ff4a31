"""Files made to fill memory, disk or time: told in one line, after reading next to nothing of them."""

from __future__ import annotations

import gzip
import io
import json
import re
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from memcli.errors import InputError
from memcli.transcripts import read
from memcli.transcripts.streams import FREELY, TIMES

MESSAGE = json.dumps({"role": "user", "name": "Noor", "content": "Die Fähre fährt um zwölf."}, ensure_ascii=False).encode() + b"\n"
SAID = re.compile(
    r"^\S+(?:: [^:]+)*: cannot be read: it unpacks to more than 200 times its size, as no transcript does; unpack it yourself .*$"
)


@pytest.fixture(scope="module")
def blank() -> bytes:
    """Gzip of a message and then blanks, more than anything may unpack to."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    packed = packer.compress(MESSAGE)
    piece = b" " * 9_999_999 + b"\n"
    for _ in range(FREELY // len(piece) + 1):
        packed += packer.compress(piece)
    packed += packer.flush()
    assert len(packed) * TIMES < FREELY
    return packed


def _failure(source: Path | io.BytesIO) -> str:
    began = time.monotonic()
    with pytest.raises(InputError) as caught:
        for _ in read(source).messages:
            pass
    assert time.monotonic() - began < 20
    return str(caught.value)


def test_a_gzip_bomb_is_told(tmp_path: Path, blank: bytes) -> None:
    path = tmp_path / "chat.jsonl.gz"
    path.write_bytes(blank)
    assert SAID.fullmatch(_failure(path))
    assert SAID.fullmatch(_failure(io.BytesIO(blank)))


def test_one_inside_another_is_told_too(tmp_path: Path, blank: bytes) -> None:
    path = tmp_path / "chat.jsonl.gz.gz"
    path.write_bytes(gzip.compress(blank))
    assert SAID.fullmatch(_failure(path))


def test_a_zip_bomb_is_told_before_anything_of_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    piece = b" " * 1_000_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("conversations.json", "w") as entry:
        for _ in range(FREELY // len(piece) + 1):
            entry.write(piece)
    began = time.monotonic()
    assert SAID.fullmatch(_failure(path))
    assert time.monotonic() - began < 1


def test_a_log_that_repeats_itself_is_no_bomb(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl.gz"
    path.write_bytes(gzip.compress(MESSAGE * 100_000, 1))
    assert path.stat().st_size * 50 < len(MESSAGE) * 100_000
    assert sum(1 for _ in read(path).messages) == 100_000
