"""A model file is known for what it is before anything native touches it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.errors import ModelError
from memcli.models.gguf import GGUF, check_memory, free_memory, read_gguf

MakeGGUF = Callable[..., Path]


def test_the_header_of_a_real_model_tells_what_it_is(smollm: Path) -> None:
    model = read_gguf(smollm)
    assert (model.architecture, model.context, model.parameters) == ("llama", 8192, 134_515_008)
    assert model.size == smollm.stat().st_size
    assert model.template is not None
    assert "<|im_start|>" in model.template
    # Weights, 30 layers of 3 heads of 64 keys and values each in 16 bits, and work space.
    assert model.memory(8192) - model.memory(0) == 8192 * 30 * 2 * 3 * 64 * 2
    assert model.size < model.memory(0) < 6 * model.size


def test_a_file_cut_anywhere_is_refused(make_gguf: MakeGGUF) -> None:
    whole = make_gguf().read_bytes()
    path = make_gguf("cut.gguf")
    assert read_gguf(path).parameters == 256
    for length in range(0, len(whole), 3):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelError) as refused:
            read_gguf(path)
        assert str(path) in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_real_model_that_lacks_its_last_byte_is_refused(smollm: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with smollm.open("rb") as whole, cut.open("wb") as file:
        file.write(whole.read(4 << 20))
        file.truncate(smollm.stat().st_size - 1)
    with pytest.raises(ModelError, match=r"is cut short: 98362431 bytes of 98362432; fetch the model file again"):
        read_gguf(cut)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 400), value=st.integers(0, 255))
def test_a_damaged_header_is_read_or_refused_and_never_crashes(make_gguf: MakeGGUF, place: int, value: int) -> None:
    path = make_gguf()
    data = bytearray(path.read_bytes())
    data[place % len(data)] = value
    path.write_bytes(data)
    with suppress(ModelError):
        assert isinstance(read_gguf(path), GGUF)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not a GGUF"),
        (b"PK\x03\x04 no model", "is not a GGUF"),
        (b"GGUF\x01\0\0\0" + b"\0" * 40, "version 1"),
        (b"GGUF\x03", "cut short"),
    ],
)
def test_what_is_no_model_is_called_that(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=says):
        read_gguf(path)


def test_a_folder_and_a_missing_file_are_called_that(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a folder"):
        read_gguf(tmp_path)
    with pytest.raises(ModelError, match="there is no such model file; mem models list"):
        read_gguf(tmp_path / "missing.gguf")


def test_one_part_of_a_split_model_says_how_to_join_it(make_gguf: MakeGGUF) -> None:
    with pytest.raises(ModelError, match="llama-gguf-split --merge"):
        read_gguf(make_gguf(**{"split.count": 3}))


def test_a_model_too_big_for_this_machine_says_how_big_it_is(make_gguf: MakeGGUF) -> None:
    huge = read_gguf(make_gguf(shape=(1 << 20, 1 << 20)))
    assert huge.size > 1 << 41
    with pytest.raises(
        ModelError, match=r"needs about 2199\.\d GB of memory with a context of 512 tokens, and \d+\.\d GB are free; choose a smaller"
    ):
        check_memory(huge, 512)


def test_a_small_model_fits(make_gguf: MakeGGUF) -> None:
    free = free_memory()
    assert free is not None
    assert free > 1 << 28
    check_memory(read_gguf(make_gguf()), 512)
