"""Cross-encoders: what a score is, and what is said of models that cannot be used. The models are made here, small and untrained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from memcli import Memory, Message, ModelError
from memcli.models.reranker import Reranker

if TYPE_CHECKING:
    from conftest import Program

QUESTION = "Where does the old heron nest?"
TEXTS = ["the heron nests in the reeds", "a lamp", "who mended the boat near the old mill?", "鷺は葦に", ""]
WORDS = "the a old heron nests nest in reeds lamp who mended boat near mill where does ? . , goat kiln broke coil bought".split()  # noqa: SIM905
LETTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789", *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789")]


def save_cross_encoder(folder: Path, labels: int) -> Path:
    """An untrained BERT of one layer with `labels` outputs and a tokenizer of a few words and all letters."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *LETTERS]
    vocabulary = list(dict.fromkeys(vocabulary))
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    torch.manual_seed(11)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=64,
        initializer_range=0.7,
        num_labels=labels,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_cross_encoder(tmp_path_factory.mktemp("models") / "small-cross-encoder", 1)


@pytest.fixture(scope="module")
def reranker(folder: Path) -> Reranker:
    return Reranker(str(folder))


def test_scores_are_the_models_own_in_the_order_of_the_texts(folder: Path, reranker: Reranker) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        logits = [model(**tokenizer(QUESTION, text, return_tensors="pt")).logits[0, 0] for text in TEXTS]
    found = reranker.score(QUESTION, TEXTS)
    assert found.dtype == np.float32
    assert found.shape == (len(TEXTS),)
    assert len(set(found.tolist())) == len(TEXTS)
    np.testing.assert_array_equal(np.argsort(found), np.argsort([float(logit) for logit in logits]))
    np.testing.assert_allclose(found, torch.sigmoid(torch.stack(logits)), atol=1e-5)


def test_a_score_does_not_depend_on_the_texts_beside_it(reranker: Reranker) -> None:
    many = TEXTS * 9
    np.testing.assert_allclose(reranker.score(QUESTION, many)[: len(TEXTS)], reranker.score(QUESTION, TEXTS), atol=1e-5)
    np.testing.assert_allclose(reranker.score(QUESTION, many[::-1])[::-1], reranker.score(QUESTION, many), atol=1e-5)


def test_any_text_can_be_scored(reranker: Reranker) -> None:
    assert reranker.score(QUESTION, []).shape == (0,)
    assert np.isfinite(reranker.score("half a pair \ud83d", ["\udc80", "reeds " * 5_000, "\0"])).all()


def test_a_model_that_cannot_be_used_is_told_with_a_way_on(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{}", encoding="utf-8")
    two = save_cross_encoder(tmp_path / "two", 2)
    wrong = {
        "no-such-organisation/no-such-model": "no such cross-encoder on this machine; .*hf download",
        "no such name: at all": "no such cross-encoder on this machine; .*hf download",
        "x" * 5_000: "no such cross-encoder on this machine",
        str(tmp_path / "empty"): "no config.json is in it",
        str(tmp_path / "broken"): "sentence-transformers cannot load",
        str(two): "gives 2 scores a pair",
    }
    for name, expected in wrong.items():
        with pytest.raises(ModelError, match=expected) as caught:
            Reranker(name)
        assert "\n" not in str(caught.value)


def test_rerank_orders_the_facts_by_the_models_scores(folder: Path, program: Program) -> None:
    said = [
        "The old heron nests in the reeds near the mill.",
        "A heron mended nothing, but I bought a lamp in Delft.",
        "The kiln broke near the old mill and the coil is gone.",
        "Where the heron goes I do not know; the boat leaks.",
        "I bought a goat with two horns near the reeds.",
    ]
    rows = [Message("c", f"m{n}", ("Ada", "Ilse")[n % 2], "user", text, f"2024-05-0{n + 1}T10:00:00") for n, text in enumerate(said)]
    with Memory.open(program.folder / "memory.memdb") as memory:
        memory.add(rows)
    plain = program.json("search", QUESTION)
    ranked = program.json("search", QUESTION, "--rerank", str(folder), "--explain")
    assert {fact["claim_id"] for fact in ranked["facts"]} == {fact["claim_id"] for fact in plain["facts"]}
    stages = [next(stage for stage in fact["explain"]["stages"] if stage["stage"] == "rerank") for fact in ranked["facts"]]
    assert [stage["score"] for stage in stages] == sorted((stage["score"] for stage in stages), reverse=True)
    assert [fact["claim_id"] for fact in ranked["facts"]] == [plain["facts"][stage["from"] - 1]["claim_id"] for stage in stages]
    with Memory.open(program.folder / "memory.memdb", reranker=str(folder), read_only=True) as memory:
        in_library = memory.search(QUESTION, k=10)
    assert [fact.claim_id for fact in in_library.facts] == [fact["claim_id"] for fact in ranked["facts"]]
    assert program.json("ask", QUESTION, "--rerank", str(folder)).keys() == program.json("ask", QUESTION, "--rerank", "").keys()


def test_a_reranker_that_is_missing_is_status_5(program: Program) -> None:
    with Memory.open(program.folder / "memory.memdb") as memory:
        memory.add([Message("c", "m1", "Ada", "user", "The kiln broke.", "2024-05-01T10:00:00")])
    for command in ("search", "ask"):
        status, out, err = program.run(command, "What broke?", "--rerank", "no-such-model", "--json")
        assert (status, out) == (5, "")
        assert json.dumps(err).count("\\n") == 1
