"""Orders: sentences that tell somebody to do something, and those that only look so."""

from __future__ import annotations

import pytest

from memcli.write.orders import is_imperative


@pytest.mark.parametrize(
    "text",
    [
        "Oil the hinge.",
        "Showcase your knots on the quay.",
        "Polish each oar twice.",
        "Push through and the gate opens.",
        "Reflect on the voyage.",
        "Tailor the sail to the mast.",
        "Regularly moor the boat.",
        "Put the oars away and rest.",
        "Spill the beans!",
    ],
)
def test_a_sentence_that_begins_with_a_bare_verb_orders(text: str) -> None:
    assert is_imperative(text)


@pytest.mark.parametrize(
    "text",
    [
        "Put in long nights but finally got it done.",
        "Need a hand with the nets.",
        "Miss the sea already.",
        "Love the new kiln!",
        "Friday the ferry sails.",
        "Mum the sailor laughed.",
        "Sailed the whole bay.",
        "Rowing the boat is hard.",
        "Oars the size of a mast.",
        "Dance practice has been great.",
        "Fuimos a la isla.",
        "Gestern war das Boot alt.",
        "Hoy navegamos a vela.",
        "船很快。",
    ],
)
def test_news_and_other_languages_order_nothing(text: str) -> None:
    assert not is_imperative(text)
