"""Texts in context: each is the mean of its own tokens as the model reads them among the others of their block."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.models import Embedder, load_embedder
from memcli.models.manifest import CONTEXT_FILE, read_manifest
from memcli.models.onnx_embedder import OnnxEmbedder
from memcli.models.windows import pieces, smoothed, spans

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BLOCK = [
    "Zuzana finally sold the blue rowing boat.",
    "À qui ?",
    "To the ferryman's daughter, for two hundred and a crate of pears.",
    "",
    "それはよかったですね。",
    "🚣🏽 haha",
]
LONG = "We carried the beehives over the frozen brook before breakfast. " * 50


@pytest.fixture(scope="module")
def entry(cache_dir: Path, embedder: Embedder) -> Path:
    """The folder of the exported model; `embedder` has made sure that it is there."""
    return next(path.parent for path in (cache_dir / "models").glob("*/mem.json"))


@pytest.fixture(scope="module")
def exact(entry: Path, embedder: Embedder) -> OnnxEmbedder:
    """The same model with full weights for contexts too."""
    manifest = read_manifest(entry, embedder.fingerprint)
    assert manifest is not None
    sizes = {name: size for name, size in manifest.sizes.items() if name != CONTEXT_FILE}
    assert sizes != manifest.sizes
    return OnnxEmbedder(entry, replace(manifest, sizes=sizes), "exact")


def test_a_text_alone_in_its_block_has_the_vector_that_encode_gives_it(exact: OnnxEmbedder) -> None:
    texts = [*BLOCK, LONG, "\ud800"]
    found = np.concatenate(exact.encode_in_context([[text] for text in texts]))
    np.testing.assert_allclose(found, exact.encode(texts), atol=1e-3)


def test_texts_are_means_of_their_own_tokens_states(exact: OnnxEmbedder, reference: SentenceTransformer) -> None:
    import torch

    ids = [reference.tokenizer(text, add_special_tokens=False)["input_ids"] for text in BLOCK]
    row = torch.tensor([[reference.tokenizer.cls_token_id, *(token for text in ids for token in text), reference.tokenizer.sep_token_id]])
    with torch.no_grad():
        states = reference[0]({"input_ids": row, "attention_mask": torch.ones_like(row)})["token_embeddings"][0].numpy()
    found = exact.encode_in_context([BLOCK])[0]
    start = 1
    for text, vector in zip(ids, found, strict=True):
        mean = states[start : start + len(text)].mean(axis=0) if text else states.mean(axis=0)
        start += len(text)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-3)


def test_8_bit_weights_are_near_enough(exact: OnnxEmbedder, embedder: Embedder) -> None:
    blocks = [BLOCK, BLOCK[:1], [LONG[:300], *BLOCK[::-1]]]
    found, expected = (np.concatenate(model.encode_in_context(blocks)) for model in (embedder, exact))
    cosines = (found * expected).sum(axis=1)
    assert cosines.mean() >= 0.97
    assert cosines.min() >= 0.9
    assert (cosines < 0.99999).any(), "the 8-bit weights are not in use"


def test_a_blocks_vectors_depend_on_its_texts_and_their_order_and_on_nothing_else(embedder: Embedder) -> None:
    blocks = [BLOCK, BLOCK[::-1], ["ok"], [], BLOCK[:2], [LONG, "ok"]]
    together = embedder.encode_in_context(blocks)
    assert [block.shape for block in together] == [(len(block), embedder.dimension) for block in blocks]
    for block, found in zip(blocks, together, strict=True):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, embedder.encode_in_context([block])[0])
    assert float(together[0][2] @ together[1][3]) < 0.9999
    assert embedder.encode_in_context([]) == []


def test_what_an_answer_is_about_shows_in_its_vector(embedder: Embedder) -> None:
    question = embedder.encode(["a boat that was sold"])[0]
    among, alone = (embedder.encode_in_context([block])[0] for block in (BLOCK[:3], BLOCK[2:3]))
    assert float(among[2] @ question) > float(alone[0] @ question) + 0.05


def test_a_block_past_the_window_is_read_to_its_end(exact: OnnxEmbedder) -> None:
    ending = "A brass band played tangos on a submarine."
    found = exact.encode_in_context([["Hello.", LONG, ending, ""]])[0]
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert float(found[2] @ exact.encode([ending])[0]) > 0.6
    assert float(found[1] @ exact.encode([LONG])[0]) > 0.9


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.text(alphabet=st.characters(), max_size=200), max_size=5), max_size=3))
def test_any_strings_give_unit_vectors(embedder: Embedder, blocks: list[list[str]]) -> None:
    for block, found in zip(blocks, embedder.encode_in_context(blocks), strict=True):
        assert found.shape == (len(block), embedder.dimension)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)


@pytest.mark.parametrize("damage", [b"", b"\xff", b"\x00"])
def test_full_weights_stand_in_for_damaged_8_bit_ones(
    entry: Path, cache_dir: Path, exact: OnnxEmbedder, tmp_path: Path, damage: bytes
) -> None:
    shutil.copytree(cache_dir, tmp_path / "cache")
    file = tmp_path / "cache" / "models" / entry.name / CONTEXT_FILE
    whole = file.read_bytes()
    middle = len(whole) // 2
    garbled = whole[:middle] + damage * (len(whole) - middle) if damage else whole[::-1]
    file.write_bytes(garbled)
    found = load_embedder(cache_dir=tmp_path / "cache").encode_in_context([BLOCK])[0]
    np.testing.assert_allclose(found, exact.encode_in_context([BLOCK])[0], atol=1e-5)


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 40))
def test_every_token_of_a_window_is_somebodys_and_everybody_is_in_a_window(lengths: list[int], size: int) -> None:
    seen: set[int] = set()
    for start, end in spans(sum(lengths), size):
        found = list(pieces(lengths, start, end))
        seen |= {text for text, _, _ in found}
        tokens = [token for text, first, past in found if lengths[text] for token in range(first, past)]
        assert tokens == list(range(end - start))
        assert all(past - first <= lengths[text] for text, first, past in found if lengths[text])
    assert seen == set(range(len(lengths)))


def test_where_there_are_no_token_states_the_texts_around_lend_their_vectors() -> None:
    rows = np.eye(6, dtype=np.float32)
    found = smoothed(rows)
    np.testing.assert_allclose(found[0], np.array([1, 1, 1, 0, 0, 0]) / np.sqrt(3), atol=1e-6)
    np.testing.assert_allclose(found[3], np.array([0, 1, 1, 1, 1, 1]) / np.sqrt(5), atol=1e-6)
    assert smoothed(rows[:0]).shape == (0, 6)
