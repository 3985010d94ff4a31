"""What a language model reads off a page: claims in its words, things and events. From the file to the calls, and from answers to changes.

The model is asked about those claims only that it can better: those that quote a sentence with "I" or "you" in it, because the rules could
not tell it in the third person, or an answer with its question. Of what passes the check, a claim takes the words that tell all it tells
and name people where it only quoted them; its supports, subject, kind, time and vector stay, and so do, beside it, the words of the rules,
by which the gate compares. Words that tell a part, or not who it is about (`covered`), or the same (`known`) change nothing: a second
claim about the same sentence would take the place of another in every search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.atoms import Handle, Mention, Pivot
from memcli.language.lexicon import word_set, words
from memcli.models import Embedder
from memcli.proposals import page as pages
from memcli.proposals.assistant import Asked
from memcli.proposals.grounding import MEANING, Grounded, Source, dated
from memcli.proposals.items import Voice, read_items
from memcli.store import page_claims, transcripts, vectors
from memcli.store.page_claims import PageClaim, PageSpan
from memcli.write.classify import is_question
from memcli.write.maxims import means_anybody
from memcli.write.persons import display_name
from memcli.write.referents import fold, resolve_mention

Change = Callable[[int], str]
"""Stores a proposal that has passed its check, within a transaction, given the model's row; returns what has become of it."""

_SEVERAL = re.compile(r"\b(?:you (?:both|all|two|three|guys|folks)|both of you|all of you|y['’]all|yourselves)\b", re.IGNORECASE)
"""A "you" that is several people, of whom the addressee is one."""

_WE = word_set("we us our ours ourselves")


@dataclass(frozen=True, slots=True)
class Reading:
    """What is asked about a page, and what follows from the answers.

    `outcomes` gives for each proposal in the answers, which are in the order of `asked`, a change that is to be made, or why there is none.
    """

    asked: tuple[Asked, ...]
    outcomes: Callable[[Sequence[object]], Iterator[Change | str]]


class Pages:
    """The pages of an open memory, as they are read."""

    def __init__(self, connection: apsw.Connection, embedder: Callable[[], Embedder]) -> None:
        """Prepare to read.

        Args:
            connection: the memory.
            embedder: gives its model.
        """
        self._connection = connection
        self._embedder = embedder
        self._parties: dict[int, tuple[str, ...]] = {}

    def people(self, page: int) -> tuple[str, ...]:
        """Everybody who takes part in a page's conversation, by the names that claims use."""
        conversation = page_claims.page_conversation(self._connection, page)
        if conversation not in self._parties:
            names = transcripts.speakers(self._connection, conversation)
            self._parties[conversation] = tuple(display_name(n, "assistant" if n.lower() == "assistant" else "user") for n in names)
        return self._parties[conversation]

    def claims(self, page: int) -> Reading:
        """The claims of a page that may be said anew."""
        spans, people = self._spans(page), self.people(page)
        held = page_claims.page_claims(self._connection, page)
        parts = pages.claim_parts([line for claim in held if (line := _line(claim, spans, people)) is not None])

        def outcomes(answers: Sequence[object]) -> Iterator[Change | str]:
            passed: list[tuple[int, Grounded]] = []
            for part, answer in zip(parts, answers, strict=True):
                for proposed in pages.read_claims(answer, part.lines):
                    verdict = pages.check_claim(proposed)
                    if isinstance(verdict, Grounded) and not _says_who(verdict.text, proposed.line.sentence.source):
                        yield "covered"
                    elif isinstance(verdict, Grounded):
                        passed.append((proposed.line.claim_id, verdict))
                    else:
                        yield verdict
            if passed:
                matrix = self._embedder().encode([grounded.text for _, grounded in passed])
                for (claim, grounded), vector in zip(passed, matrix, strict=True):
                    yield self._reworded(page, claim, grounded, vector)

        return Reading(tuple(part.asked for part in parts), outcomes)

    def _reworded(self, page: int, claim_id: int, grounded: Grounded, vector: NDArray[np.float32]) -> Change:
        def change(model_id: int) -> str:
            claim = next((one for one in page_claims.page_claims(self._connection, page) if one.id == claim_id), None)
            if claim is None or not grounded.whole or not set(claim.supports) <= set(grounded.sources):
                return "covered"
            support = vectors.fetch_vectors(self._connection, "span", list(grounded.sources)).sum(axis=0)
            if float(vector @ support) / max(float(np.linalg.norm(support)), 1e-9) < MEANING:
                return "meaning"
            if grounded.quotes or words(grounded.text) in (words(claim.text), words(claim.rule_text or "")):
                return "known"
            page_claims.reword_claim(self._connection, claim.id, grounded.text, model_id)
            return "accepted"

        return change

    def cues(self, page: int) -> Reading:
        """The things and events of a page."""
        spans, people = self._spans(page), self.people(page)
        parts = pages.cue_parts([_sentence(span, people, None) for span in spans.values()])

        def outcomes(answers: Sequence[object]) -> Iterator[Change | str]:
            for part, answer in zip(parts, answers, strict=True):
                for cue in pages.read_cues(answer, part.lines):
                    at = pages.check_cue(cue)
                    if isinstance(at, int) and cue.source is not None:
                        yield self._added(page, cue, spans[cue.source.id], at)
                    else:
                        yield str(at)

        return Reading(tuple(part.asked for part in parts), outcomes)

    def _added(self, page: int, cue: pages.Cue, span: PageSpan, at: int) -> Change:
        def change(model_id: int) -> str:
            if cue.kind == "event":
                event = Pivot(cue.text, span.start + at, "event")
                return "accepted" if page_claims.add_event(self._connection, span.id, event, model_id) else "known"
            named = any(word[:1].isupper() for word in cue.text.split())
            mention = Mention(Handle(cue.text, span.start + at, "name" if named else "thing"), cue.text, fold(cue.text))
            conversation = page_claims.page_conversation(self._connection, page)
            added = page_claims.add_thing(self._connection, span, mention, resolve_mention, conversation_id=conversation, model_id=model_id)
            return "accepted" if added else "known"

        return change

    def _spans(self, page: int) -> dict[int, PageSpan]:
        return {span.id: span for span in page_claims.page_spans(self._connection, page)}


def _says_who(text: str, source: Source) -> bool:
    """Whether a claim still says who said or did it: it names the speaker, or the sentence is about "you" from its first words on.

    "So glad you came!" without its "Ada: " would no longer say who is glad.
    """
    speaker = source.voice.speaker
    held = {word.removesuffix("'s") for word in words(text)}
    if speaker is None or held & set(words(speaker)):
        return True
    first = next(iter(read_items(source.text, source.voice)), None)
    return first is not None and first.spoken


def _line(claim: PageClaim, spans: Mapping[int, PageSpan], people: tuple[str, ...]) -> pages.Line | None:
    """A claim as the model may say it anew; None if it could not better it."""
    if not all(span in spans for span in claim.supports):
        return None
    said, *others = (spans[span] for span in claim.supports)
    if not others:
        sentence = _sentence(said, people, None)
        items = read_items(said.text, sentence.source.voice)
        framed = claim.rule_text is not None or claim.text.startswith(f"{sentence.speaker}: ")
        tellable = any(item.spoken for item in items) and not any(item.kind == "pronoun" and item.key in _WE for item in items)
        return pages.Line(claim.id, sentence) if framed and tellable and not sentence.source.question else None
    asked = others[-1]
    if len(others) > 1 or asked.message_id == said.message_id or not is_question(asked.text):
        return None
    return pages.Line(claim.id, _sentence(said, people, asked.id), _sentence(asked, people, None))


def _sentence(span: PageSpan, people: tuple[str, ...], answers: int | None) -> pages.Sentence:
    speaker = display_name(span.speaker, span.role)
    others = [name for name in people if name != speaker]
    own = span.kind == "sentence"
    single = len(others) == 1 and not means_anybody(span.text) and not _SEVERAL.search(span.text)
    addressee = others[0] if own and single else None
    voice = Voice(speaker if own else None, addressee, tuple(dict.fromkeys([speaker, *people])), span.timestamp)
    source = Source(span.id, span.text, voice, question=is_question(span.text), answers=answers)
    return pages.Sentence(source, speaker, dated(span.text, span.timestamp))
