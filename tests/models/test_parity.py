"""The exported model gives the vectors that sentence-transformers gives, whatever the text."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.models import Embedder
from memcli.models.windows import OVERLAP

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

HAND_WRITTEN = [
    "",
    " ",
    "?!...",
    "Hm.",
    "Zdeněk přestěhoval dílnu do staré mlékárny u řeky.",
    "Η γιαγιά μου φτιάχνει το καλύτερο ψωμί στο νησί.",
    "Il treno delle sette era in ritardo di un'ora, come sempre.",
    "我们上周末去爬山，半路上下雨了。",
    "駅前の本屋さんが閉まるそうです。残念ですね。",
    "강아지가 또 신발을 물어뜯었어요.",
    "Сегодня наконец починили лифт в нашем доме.",
    "لقد زرعنا شجرة ليمون في الحديقة الخلفية.",
    "शनिवार को हम नाव से दूसरे किनारे गए थे।",
    "Bu akşam balkonda çay içelim mi?",
    "🦊🦊 omg 👩🏽‍🚀🚀 yesss 🎻",
    "for i, row in enumerate(rows):\n\tif row['qty'] <= 0:\n\t\tcontinue  # sold out",
    "SELECT name, count(*) FROM visits GROUP BY 1 HAVING count(*) > 3;",
    "TypeError: 'NoneType' object is not subscriptable (parser.py:88)",
    "https://example.org/a/b?c=%20d#e and v2.10.3-rc1",
    "<br/>\x00\x07 control\u200b characters\ufeff",
]


def invented_texts(count: int) -> list[str]:
    """Sentences of 3 to 600 words about nothing in particular, the same at every run."""
    rng = random.Random(20)
    phrase = (
        "the old lighthouse keeper Bram painted seven boats before breakfast while Odile counted 42 gulls on Saturday and "
        "nobody answered our letter about violins because rain flooded every cellar in Marrow Street since 1998"
    )
    words = phrase.split()
    return [" ".join(rng.choices(words, k=rng.choice((3, 8, 15, 15, 30, 60, 600)))) + "." for _ in range(count)]


def windowed_reference(model: SentenceTransformer, text: str) -> np.ndarray:
    """What windowing promises, computed from sentence-transformers' own parts, one window at a time."""
    import torch

    tokenizer = model.tokenizer
    ids = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
    size = model.max_seq_length - 2
    total = np.zeros(model.encode("").shape[0])
    start = 0
    while True:
        window = ids[start : start + size]
        row = torch.tensor([[tokenizer.cls_token_id, *window, tokenizer.sep_token_id]])
        with torch.no_grad():
            vector = model({"input_ids": row, "attention_mask": torch.ones_like(row)})["sentence_embedding"][0].numpy()
        total += len(window) * vector
        if start + size >= len(ids):
            return total / np.linalg.norm(total)
        start += size - OVERLAP


def test_vectors_equal_those_of_sentence_transformers_on_200_texts(embedder: Embedder, reference: SentenceTransformer) -> None:
    texts = HAND_WRITTEN + invented_texts(180)
    limit = reference.max_seq_length - 2
    short = [text for text, tokens in zip(texts, embedder.count_tokens(texts), strict=True) if tokens <= limit]
    long = [text for text in texts if text not in short]
    assert len(texts) == 200
    assert len(long) >= 5
    expected = dict(zip(short, reference.encode(short, normalize_embeddings=True, show_progress_bar=False), strict=True))
    expected |= {text: windowed_reference(reference, text) for text in long}
    found = embedder.encode(texts)
    cosines = [float(vector @ expected[text]) for vector, text in zip(found, texts, strict=True)]
    assert min(cosines) >= 0.9999


def test_a_text_is_never_cut_off_silently(embedder: Embedder) -> None:
    beginning = "The meadow was quiet and nobody came by. " * 60
    plain, with_ending = embedder.encode([beginning, beginning + "Suddenly a brass band played tangos on a submarine. " * 20])
    assert float(plain @ with_ending) < 0.95


def test_rows_are_unit_vectors_in_input_order(embedder: Embedder) -> None:
    texts = invented_texts(60)
    together = embedder.encode(texts)
    assert together.shape == (60, embedder.dimension)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    alone = np.concatenate([embedder.encode([text]) for text in texts])
    assert float((together * alone).sum(axis=1).min()) >= 0.99999


def test_no_texts_give_an_empty_array(embedder: Embedder) -> None:
    assert embedder.encode([]).shape == (0, 384)
    assert embedder.count_tokens([]) == []


def test_hostile_texts_are_embedded(embedder: Embedder) -> None:
    texts = ["", "\x00", "\ud800", "half \udfff of a pair", "a" * 100_000, "many words " * 9_000, "\n" * 5_000, "字" * 30_000]
    found = embedder.encode(texts)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet=st.characters(), max_size=400), max_size=6))
def test_any_strings_give_unit_vectors(embedder: Embedder, texts: list[str]) -> None:
    found = embedder.encode(texts)
    assert found.shape == (len(texts), 384)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-5)
