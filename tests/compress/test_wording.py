"""A language model may word what compression merges; its text is taken only if it keeps all that the claims say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from memcli.compression import Limits, compress_memory
from memcli.errors import ModelError
from memcli.models.language import Completion, Prompt, Uncertainty
from memcli.proposals.assistant import Assistant
from memcli.proposals.merge import why_not_merge
from memcli.restoring import restore_memory
from memcli.store.completions import tallies
from memcli.store.compress import people

if TYPE_CHECKING:
    from conftest import Store

Problems = Callable[[apsw.Connection, Path], Sequence[Any]]
Reply = Callable[[list[str]], str]


class Wording:
    """A model that words merged claims by a function of their texts."""

    name, fingerprint, context, parameters, parallel = "wording", "5d" * 32, 8192, None, 1

    def __init__(self, reply: Reply) -> None:
        self.reply = reply

    def complete(self, prompt: Prompt, *, max_tokens: int, schema: Mapping[str, Any] | None = None, stop: Sequence[str] = ()) -> Completion:
        texts = re.findall(r"^\[\d+\] (.*)$", prompt.content, re.MULTILINE)
        return Completion(json.dumps({"text": self.reply(texts)}), True, 20, 10)

    def likelihood(self, prompt: Prompt, continuation: str) -> Uncertainty:
        raise ModelError("it does not tell likelihoods")

    def uncertainty(self, prompt: Prompt, *, tokens: int = 5) -> Uncertainty:
        raise ModelError("it does not tell likelihoods")

    def count_tokens(self, text: str) -> int:
        return len(text)

    def close(self) -> None:
        return None


def _merged(connection: apsw.Connection) -> dict[str, str]:
    """The texts of merged claims, by what they are made of."""
    return dict(
        connection.execute(
            "SELECT (SELECT group_concat(archived_id) FROM lineage WHERE absorber_id = c.id), c.text FROM claims c WHERE c.origin = 'merge'"
        )
    )


def _made(texts: list[str]) -> str:
    return "; ".join(text.rstrip(".") for text in texts)


def _altered(texts: list[str]) -> str:
    return re.sub(r"\d+", lambda match: str(int(match.group()) + 1), _made(texts))[:-12]


def _failing(_texts: list[str]) -> str:
    raise ModelError("it broke down")


@pytest.mark.parametrize("reply", [_altered, _failing, lambda _texts: "They all live happily in Ghent."])
def test_what_does_not_keep_the_claims_changes_nothing(copy: Store, problems: Problems, reply: Reply) -> None:
    outcome = compress_memory(copy.connection, 0.5, Limits(), assistant=Assistant(Wording(reply)))
    assert outcome.merges
    worded = _merged(copy.connection)
    restore_memory(copy.connection, outcome.run)
    compress_memory(copy.connection, 0.5, Limits())
    assert worded
    assert sorted(worded.values()) == sorted(_merged(copy.connection).values())
    assert not problems(copy.connection, Path(copy.connection.filename))


def test_what_keeps_them_is_taken_and_accounted_for(copy: Store, problems: Problems) -> None:
    assistant = Assistant(Wording(_made))
    outcome = compress_memory(copy.connection, 0.5, Limits(), assistant=assistant)
    assert outcome.language_model is not None
    account = outcome.language_model["stages"]["merge"]
    assert account["calls"] > 0
    assert tallies(copy.connection)["merge"] == dict(assistant.outcomes("merge"))
    texts = dict(copy.connection.execute("SELECT id, text FROM claims"))
    known = people(copy.connection)
    for made_of, text in _merged(copy.connection).items():
        claims = [texts[int(claim)] for claim in made_of.split(",")]
        if text == _made(claims):
            assert why_not_merge(text, claims, known) is None
    assert copy.connection.execute("SELECT count(*) FROM completions WHERE stage = 'merge'").get == account["calls"]
    assert not problems(copy.connection, Path(copy.connection.filename))
    back = restore_memory(copy.connection, outcome.run)
    assert back.after is not None
    assert back.after.claims == outcome.before.claims
