"""What a language model notes beside claims: their keywords, how they stand to one another, and what topics are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import apsw

from memcli.language.lexicon import words
from memcli.proposals import note
from memcli.retelling import Change, Pages, Reading
from memcli.store import gate, notes, topics
from memcli.store.claims import insert_keyword
from memcli.write.gate import LINK, MERGE

MOST_KEYWORDS = 5
"""Keywords of a claim (MemCoRe: 3 to 5)."""

_BELOW_MERGE = MERGE - 0.01
"""The greatest strength that a model may give an edge: what is one claim is the gate's business."""


class Notes:
    """Keywords and relations of the claims of pages, and descriptions of topics."""

    def __init__(self, connection: apsw.Connection, pages: Pages) -> None:
        """Prepare to ask.

        Args:
            connection: the memory.
            pages: its pages.
        """
        self._connection = connection
        self._pages = pages

    def keywords(self, page: int) -> Reading:
        """Keywords for the claims of a page that have fewer than they may."""
        people = frozenset(word for name in self._pages.people(page) for word in words(name))
        claims = [claim for claim in notes.noted_claims(self._connection, page) if claim.keywords < MOST_KEYWORDS]
        parts = [claims[start : start + note.EACH] for start in range(0, len(claims), note.EACH)]

        def outcomes(answers: Sequence[object]) -> Iterator[Change | str]:
            for part, answer in zip(parts, answers, strict=True):
                for claim, said in zip(part, note.read_answers(answer, len(part)), strict=True):
                    for proposed in said if isinstance(said, list) else ():
                        verdict = note.check_keyword(str(proposed), f"{claim.said} {claim.text}", people)
                        yield self._keyed(claim.id, verdict.text) if isinstance(verdict, note.Keyword) else verdict

        return Reading(tuple(note.keywords_asked([claim.text for claim in part]) for part in parts), outcomes)

    def _keyed(self, claim: int, keyword: str) -> Change:
        def change(_model_id: int) -> str:
            held = notes.keywords_of(self._connection, claim)
            if keyword in held or len(held) >= MOST_KEYWORDS:
                return "known"
            insert_keyword(self._connection, keyword, claim)
            return "accepted"

        return change

    def relations(self, page: int) -> Reading:
        """How the claims of a page stand to those that the gate has linked them with."""
        pairs = notes.linked_pairs(self._connection, page)
        parts = [pairs[start : start + note.EACH] for start in range(0, len(pairs), note.EACH)]

        def outcomes(answers: Sequence[object]) -> Iterator[Change | str]:
            for part, answer in zip(parts, answers, strict=True):
                for pair, said in zip(part, note.read_answers(answer, len(part)), strict=True):
                    related = note.read_relation(said)
                    if related is not None:
                        yield note.check_relation(related, _pair(pair)) or self._related(pair, related)

        return Reading(tuple(note.relations_asked([_pair(pair) for pair in part]) for part in parts), outcomes)

    def _related(self, pair: notes.LinkedPair, related: note.Related) -> Change:
        def change(_model_id: int) -> str:
            if related.relation == pair.relation:
                return "known"
            strength = min(max(related.strength, LINK), _BELOW_MERGE)
            gate.insert_edges(self._connection, [(pair.later_id, pair.earlier_id, related.relation, strength)])
            return "accepted"

        return change

    def topic(self, topic: notes.Undescribed) -> Reading:
        """The description of a topic."""

        def outcomes(answers: Sequence[object]) -> Iterator[Change | str]:
            for said in note.read_answers(answers[0], 1):
                if isinstance(said, str):
                    text = " ".join(said.split()).rstrip(".")
                    yield note.check_description(text, topic.keywords) or self._described(topic.id, text)

        return Reading((note.topic_asked(topic.keywords),), outcomes)

    def _described(self, topic: int, text: str) -> Change:
        def change(model_id: int) -> str:
            topics.describe_topic(self._connection, topic, text, model_id)
            return "accepted"

        return change


def _pair(pair: notes.LinkedPair) -> note.Pair:
    return note.Pair(pair.earlier_id, pair.later_id, pair.earlier, pair.later, pair.same_subject)
