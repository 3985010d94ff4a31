"""Whatever the bytes are, a reader yields sound messages or raises InputError."""

import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.almost_transcripts import HEADS, REST, SHAPED, STARTS, VALUES, as_text
from memcli.errors import InputError
from memcli.transcripts import formats, read


def check(data: bytes, format: str | None) -> None:
    raised: InputError | None = None
    try:
        transcript = read(io.BytesIO(data), format, name="fuzz")
        for message in transcript.messages:
            whole = (message.text, message.speaker, message.message_id, message.conversation_id, message.locator)
            assert all(isinstance(field, str) and field.strip() for field in whole)
            assert message.role in {"user", "assistant", "system", "tool"}
            json.dumps([whole, message.timestamp, message.session_id, dict(message.metadata)], allow_nan=False, ensure_ascii=False).encode()
    except InputError as error:
        raised = error
    assert raised is None or (raised.source == "fuzz" and "\n" not in str(raised))


def wrapped(data: bytes, wrapping: str) -> bytes:
    if wrapping == "gzip":
        return gzip.compress(data, 1)
    if wrapping == "zip":
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr("conversations.json", data)
        return target.getvalue()
    return data


WRAPPINGS = st.sampled_from(["", "", "", "gzip", "zip"])


@pytest.mark.parametrize("format", [None, *formats()])
@settings(max_examples=80, deadline=None)
@given(
    data=st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-16", "replace")),
    start=STARTS,
    wrapping=WRAPPINGS,
)
def test_any_bytes(format: str | None, data: bytes, start: bytes, wrapping: str) -> None:
    check(wrapped(start + data, wrapping), format)


@pytest.mark.parametrize("format", [None, *formats()])
@settings(max_examples=80, deadline=None)
@given(value=VALUES, wrapping=WRAPPINGS)
def test_any_json(format: str | None, value: object, wrapping: str) -> None:
    check(wrapped(json.dumps(value).encode(), wrapping), format)


@pytest.mark.parametrize("format", sorted(SHAPED))
@settings(max_examples=120, deadline=None)
@given(data=st.data(), wrapping=WRAPPINGS)
def test_json_that_is_almost_right(format: str, data: st.DataObject, wrapping: str) -> None:
    records = data.draw(st.lists(SHAPED[format], min_size=1, max_size=3))
    text = as_text(format, records, data.draw(st.booleans()))
    check(wrapped(text.encode(), wrapping), format)
    cut = data.draw(st.integers(0, len(text)))
    check(wrapped(text[:cut].encode(), wrapping), format)
    check(wrapped(text.encode(), wrapping), None)


@pytest.mark.parametrize("format", [None, "whatsapp", "text"])
@settings(max_examples=200, deadline=None)
@given(lines=st.lists(st.tuples(HEADS, REST), max_size=6), wrapping=WRAPPINGS)
def test_text_that_is_almost_right(format: str | None, lines: list[tuple[str, str]], wrapping: str) -> None:
    check(wrapped("\n".join(head + rest for head, rest in lines).encode("utf-8", "surrogatepass"), wrapping), format)


@settings(max_examples=100, deadline=None)
@given(where=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_zip_archive_with_one_byte_changed(where: int, byte: int) -> None:
    archive = bytearray(wrapped(b'[{"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}}}}]' * 2, "zip"))
    archive[where % len(archive)] = byte
    check(bytes(archive), None)
