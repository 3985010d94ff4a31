"""A merged text by a language model is taken only if it says what all the claims say, and no more."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from memcli.models.language import Completion, Prompt, Uncertainty
from memcli.proposals.assistant import Assistant
from memcli.proposals.merge import absolute, merge_claims, why_not_merge

PEOPLE = ("Ottoline", "Bo")
SOLD = ("Ottoline sold the kiln to Bo.", "Ottoline painted the shed in 2019.", "Ottoline does not like rain.")
DATED = ("Ottoline bought a dinghy last June (June 2022).", "Ottoline bought two oars.")


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Ottoline sold the kiln to Bo and painted the shed in 2019. Ottoline does not like rain.", SOLD),
        ("Ottoline sold the kiln to Bo; Ottoline painted the shed in 2019 and does not like rain.", SOLD),
        ("Ottoline bought a dinghy June 2022 and bought two oars.", DATED),
        ("Ottoline bought two oars; Ottoline bought a dinghy in June 2022.", DATED),
    ],
)
def test_a_shorter_text_of_the_same_is_taken(text: str, claims: Sequence[str]) -> None:
    assert why_not_merge(text, claims, PEOPLE) is None


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Ottoline sold the kiln to Bo in 2019 and painted the shed. Ottoline does not like rain.", SOLD),
        ("Ottoline sold the kiln to Bo and painted the shed in 2019. Ottoline likes rain.", SOLD),
        ("Bo sold the kiln to Ottoline and painted the shed in 2019. Bo does not like rain.", SOLD),
        ("Ottoline sold the shed to Bo and painted the kiln in 2019. Ottoline does not like rain.", SOLD),
        ("Ottoline sold the kiln to Bo and painted the shed in 2020. Ottoline does not like rain.", SOLD),
        ("Ottoline sold the kiln to Bo and painted the shed in 2019.", SOLD),
        ("Ottoline sold the old kiln to Bo and painted the shed in 2019. Ottoline does not like rain.", SOLD),
        ("Ottoline bought a dinghy and two oars in June 2022.", DATED),
        ("Ottoline bought a dinghy in June 2021 and bought two oars.", DATED),
        ("Ottoline bought a dinghy in June 2022 and bought three oars.", DATED),
        ("", DATED),
    ],
)
def test_a_text_that_mixes_loses_or_invents_is_not(text: str, claims: Sequence[str]) -> None:
    assert why_not_merge(text, claims, PEOPLE) is not None


def test_a_relative_time_goes_where_its_date_is_told() -> None:
    assert absolute("Bo left last June (June 2022) in a hurry.") == "Bo left June 2022 in a hurry."
    assert absolute("Bo left in June 2022.") == "Bo left in June 2022."


@dataclass
class Says:
    """A language model that always answers the same."""

    text: str
    name: str = "says"
    fingerprint: str = "c" * 64
    context: int = 4096
    parameters: int | None = None
    parallel: int = 1

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        """Its text."""
        return Completion(json.dumps({"text": self.text}), True, 50, 20)

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        """Not asked."""
        raise NotImplementedError

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        """Not asked."""
        raise NotImplementedError

    def count_tokens(self, text: str) -> int:
        """Not asked."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing to free."""


RULES = "Ottoline sold the kiln to Bo; Ottoline painted the shed in 2019; Ottoline does not like rain."


def test_the_rules_text_stands_unless_a_better_one_passes() -> None:
    better = "Ottoline sold the kiln to Bo and painted the shed in 2019; Ottoline does not like rain."
    assistant = Assistant(Says(better), uses=frozenset({"merge"}))
    assert merge_claims(assistant, SOLD, PEOPLE, rules=RULES) == better
    liar = Assistant(Says(better.replace("2019", "2018")), uses=frozenset({"merge"}))
    assert merge_claims(liar, SOLD, PEOPLE, rules=RULES) is None
    assert liar.account["merge"].outcomes == {"lost": 1}
    same = Assistant(Says(RULES), uses=frozenset({"merge"}))
    assert merge_claims(same, SOLD, PEOPLE, rules=RULES) is None
    unasked = Assistant(Says(better), uses=frozenset({"answer"}))
    assert merge_claims(unasked, SOLD, PEOPLE, rules=RULES) is None
    assert not unasked.account
