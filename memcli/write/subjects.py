"""Who each sentence of a turn is about: the speaker, the other party, somebody else who takes part, or nobody in particular."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memcli.atoms import Turn
from memcli.language.lexicon import is_english, words
from memcli.write.antecedents import Candidate, candidates, pronoun_of, repeats
from memcli.write.classify import is_question
from memcli.write.maxims import is_maxim, means_anybody
from memcli.write.persons import addressed, mentioned
from memcli.write.remarks import admired, admires, calls, points_back, praises, reacts
from memcli.write.third_person import is_imperative

_TAG = re.compile(
    r"[,.]?\s*\b(?:right|huh|eh|no|hey|\w+n['’]t (?:it|they|he|she|that|we|i)|don['’]t you think|y['’]?know)\s*[?？]\W*$", re.IGNORECASE
)
"""A question that only asks for assent."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Who talks: names for display, as `memcli.write.persons.display_name` gives them.

    Attributes:
        speaker: who says the turn.
        addressee: the only other party, None if there are several or none.
        people: everybody who has taken part.
        called: casefolded words by which participants may be called.
    """

    speaker: str
    addressee: str | None
    people: tuple[str, ...]
    called: frozenset[str]

    @property
    def between_persons(self) -> bool:
        """Whether there are two parties and the other is no assistant, about which people tell nothing."""
        return self.addressee is not None and self.addressee != "The assistant"


def find_subjects(turn: Turn, told_before: Turn | None, talk: Talk, idle: Sequence[bool], *, asked: bool) -> list[str | None]:
    """Who each span of a turn is about, None for nobody in particular.

    Args:
        turn: the turn.
        told_before: the turn just before it in the same session if somebody else said it.
        talk: who talks.
        idle: for each span whether it tells nothing.
        asked: whether the turn replies to a question.
    """
    if turn.message.role == "assistant":
        return [addressed(span.text, talk.addressee) if span.kind == "sentence" else None for span in turn.spans]
    return _Reader(turn, told_before, talk, idle, asked).subjects()


class _Reader:
    """Reads a person's turn sentence by sentence."""

    def __init__(self, turn: Turn, told_before: Turn | None, talk: Talk, idle: Sequence[bool], asked: bool) -> None:
        self.turn = turn
        self.told_before = told_before
        self.talk = talk
        self.idle = idle
        self.asked = asked
        self.opening = True  # whether nothing but reactions has been said so far
        self.previous: str | None = None  # whom the last telling sentence names
        self.found: list[str | None] = []

    def subjects(self) -> list[str | None]:
        """The subject of each span."""
        for index, span in enumerate(self.turn.spans):
            if span.kind != "sentence":
                self.found.append(None if span.kind == "code" else self.talk.speaker)
                continue
            told = mentioned(span.text, self.talk.speaker, self.talk.addressee, self.talk.people)
            nobody = told is not None and told == self.talk.addressee and means_anybody(span.text)
            if told is None and self.talk.addressee != "The assistant":
                told = self._unnamed(index) if self.talk.between_persons else None
                pronoun = pronoun_of(span.text) if told is None or points_back(span.text) or is_question(span.text) else None
                if pronoun is not None and is_english(span.text):
                    reaction = told if told == self.talk.addressee and not is_question(span.text) else None
                    known, told = self._of_pronoun(index, pronoun)
                    told = told if known else reaction
                    nobody = told is None
                elif told is None:
                    nobody = is_maxim(span.text)
            self.previous = told if told is not None or not self.idle[index] else self.previous
            self.opening = self.opening and (self.idle[index] or (told is not None and told == self.talk.addressee))
            self.found.append(None if nobody else told or self.talk.speaker)
        return self.found

    def _unnamed(self, index: int) -> str | None:
        """Whom a sentence that names nobody is about in a talk of two persons; None for the speaker or nobody."""
        text, other = self.turn.spans[index].text, self.talk.addressee
        if praises(text) or (admires(text) and self._admires_others(index)):
            return other
        if self.previous is not None and points_back(text):
            return self.previous
        if (is_question(text) and not _TAG.search(text)) or is_imperative(text):
            return other
        reacting = (self.opening and not self.asked) or (self.previous is not None and self.previous == other)
        if reacting and reacts(text):
            return other
        return other if calls(text, self.talk.called) and not (self.opening and self.asked) else None

    def _admires_others(self, index: int) -> bool:
        """Whether what a sentence values is the other's: said before anything of one's own, or named by the other alone."""
        if self.opening or self.previous == self.talk.addressee:
            return True
        noun = admired(self.turn.spans[index].text)
        if noun is None or self.told_before is None:
            return False
        own = {word for span in self.turn.spans[:index] for word in words(span.text)}
        return noun not in own and noun in words(self.told_before.message.text)

    def _of_pronoun(self, index: int, pronoun: str) -> tuple[bool, str | None]:
        """Whether something near is what "they", "she" or "he" stands for, and whom the sentence that says it is about."""
        for earlier in range(index - 1, -1, -1):
            if self.turn.spans[earlier].kind != "sentence":
                continue
            about = self.found[earlier]
            third = about is not None and about not in (self.talk.speaker, self.talk.addressee)  # somebody else who takes part
            if third or self._fits(self.turn, earlier, pronoun):
                return True, about
        if self.told_before is None or not self.opening:
            return False, None
        for earlier in range(len(self.told_before.spans) - 1, -1, -1):
            span = self.told_before.spans[earlier]
            if span.kind == "sentence" and self._fits(self.told_before, earlier, pronoun):
                other = self.talk.addressee
                teller = other or self.told_before.message.speaker
                told = mentioned(span.text, teller, self.talk.speaker if other else None, self.talk.people)
                return True, told or (self.talk.speaker if is_question(span.text) else teller)
        return False, None

    def _fits(self, turn: Turn, index: int, pronoun: str) -> bool:
        """Whether a sentence has something the pronoun may stand for, or tells of the same pronoun."""
        if repeats(turn.spans[index].text, pronoun):
            return True
        return any(pronoun in candidate.pronouns for candidate in candidates_of(turn, index, self.talk.called))


def candidates_of(turn: Turn, index: int, called: frozenset[str]) -> list[Candidate]:
    """What a pronoun behind a sentence of a turn may stand for."""
    span = turn.spans[index]
    return candidates(span.text, turn.handles[index], span.start, called) if is_english(span.text) else []
