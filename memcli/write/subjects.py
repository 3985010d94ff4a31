"""Who each sentence of a turn is about: the speaker, the other party, somebody else who takes part, or nobody in particular."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memcli.atoms import Turn
from memcli.language.lexicon import content_words, is_english, is_phatic, words
from memcli.write.antecedents import Candidate, candidates, pronoun_of, repeats
from memcli.write.classify import is_question
from memcli.write.maxims import is_maxim, means_anybody
from memcli.write.orders import is_imperative
from memcli.write.persons import (
    addressed,
    may_mean_anybody,
    mentioned,
    only_us,
    only_we,
    serves_anybody,
    without_circumstance,
)
from memcli.write.remarks import (
    admired,
    admires,
    begins,
    calls,
    cries,
    exclaims,
    goes_on,
    means_much,
    names_a_side,
    picks_up,
    points_back,
    points_to_own,
    praises,
    reacts,
    shown,
    supposes,
    tells_how,
    tells_how_to,
    tells_of_the_case,
    thanks,
    without_frame,
)

_TAG = re.compile(
    r"[,.]?\s*\b(?:right|huh|eh|no|hey|\w+n['’]t (?:it|they|he|she|that|we|i)|don['’]t you think|y['’]?know)\s*[?？]\W*$", re.IGNORECASE
)
"""A question that only asks for assent."""
_MARKED = re.compile(r"[\s>#*•\-–+\d.)]*")
"""What may stand on a line before its first sentence."""
_ITEM = re.compile(r"\s*(?:[-*•+–]|\d+[.)])\s")


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
        sides = _sides(turn)
        return [
            addressed(span.text, talk.addressee) if span.kind == "sentence" and index not in sides else None
            for index, span in enumerate(turn.spans)
        ]
    return _Reader(turn, told_before, talk, idle, asked).subjects()


def _sides(turn: Turn) -> frozenset[int]:
    """The spans of an assistant's lists of pros and cons, which hold of whoever would choose so."""
    text = turn.message.text
    found = []
    inside = False
    for index, span in enumerate(turn.spans):
        begun = text[text.rfind("\n", 0, span.start) + 1 : span.start]
        if _MARKED.fullmatch(begun):
            inside = names_a_side(span.text) or (inside and _ITEM.match(begun + span.text) is not None)
        if inside and not tells_of_the_case(span.text):
            found.append(index)
    return frozenset(found)


class _Reader:
    """Reads a person's turn sentence by sentence."""

    def __init__(self, turn: Turn, told_before: Turn | None, talk: Talk, idle: Sequence[bool], asked: bool) -> None:
        self.turn = turn
        self.told_before = told_before
        self.talk = talk
        self.idle = idle
        self.asked = asked
        self.opening = True  # whether nothing but reactions has been said so far
        self.after_saying = self._is_after_saying()  # whether the last telling sentence was about nobody
        self.previous: str | None = None  # whom the last telling sentence names
        self.found: list[str | None] = []

    def subjects(self) -> list[str | None]:
        """The subject of each span."""
        for index, span in enumerate(self.turn.spans):
            if span.kind != "sentence":
                self.found.append(None if span.kind == "code" else self.talk.speaker)
                continue
            told = mentioned(span.text, self.talk.speaker, self.talk.addressee, self.talk.people)
            nobody = self._is_saying(span.text, told)
            of_us = told == self.talk.speaker and self.talk.between_persons and only_us(span.text) and pronoun_of(span.text) == "they"
            if (told is None or of_us) and not nobody and self.talk.addressee != "The assistant":
                told, nobody = self._unnamed(index)
            touched = told == self.talk.speaker and means_much(span.text)
            self.previous = told if not touched and (told is not None or not self.idle[index]) else self.previous
            ordered = told is not None and told == self.talk.addressee and is_imperative(span.text)
            self.after_saying = nobody or ordered or (self.after_saying and self.idle[index])
            self.opening = self.opening and (self.idle[index] or nobody or touched or (told is not None and told == self.talk.addressee))
            self.found.append(None if nobody else told or self.talk.speaker)
        return self.found

    def _is_after_saying(self) -> bool:
        """Whether the other's last sentence before the turn held of anybody."""
        last = self._last_heard() if self.talk.between_persons else None
        return last is not None and is_maxim(last)

    def _last_heard(self) -> str | None:
        """The other's last sentence before the turn that is no mere phrase."""
        spans = self.told_before.spans if self.told_before is not None else ()
        return next((s.text for s in reversed(spans) if s.kind == "sentence" and not is_phatic(s.text, self.talk.called)), None)

    def _is_general(self) -> bool:
        """Whether what was said last is nothing of the other's own."""
        if self.after_saying:
            return True
        if not self.opening or self.previous is not None:
            return self.previous == self.talk.speaker
        last = self._last_heard()
        if last is None or self.talk.addressee is None or not is_question(last):
            return False
        return mentioned(last, self.talk.addressee, self.talk.speaker, self.talk.people) == self.talk.speaker

    def _is_saying(self, text: str, told: str | None) -> bool:
        """Whether a sentence holds of anybody, though it may say "you" or "us"."""
        if self.talk.addressee == "The assistant":
            return False
        if self.after_saying and goes_on(text) and (told is None or (told == self.talk.speaker and only_us(text))):
            return True
        if told is None:
            return is_maxim(text) and not (admires(text) or praises(text) or calls(text, self.talk.called))
        if told == self.talk.speaker:
            return only_we(text) and is_maxim(text)
        if told == self.talk.addressee and goes_on(text) and serves_anybody(text) and self._is_general():
            return True
        return told == self.talk.addressee and (means_anybody(text) or (may_mean_anybody(text) and is_maxim(text)))

    def _unnamed(self, index: int) -> tuple[str | None, bool]:
        """Whom a sentence that names nobody is about (None for who says it), and whether it is about nobody who talks."""
        text = self._clause(index)
        if self.talk.between_persons and not is_question(text) and is_imperative(text) and tells_how_to(text):
            return None, True
        told = self._remarked(index) if self.talk.between_persons else None
        pronoun = pronoun_of(text) if told is None or points_back(text) or is_question(text) else None
        if pronoun is None or not is_english(text):
            return told, told is None and self._is_of_the_named(index)
        asks = is_question(text) and not _TAG.search(text)
        reaction = told if not asks and (told == self.talk.addressee or reacts(text)) else None
        known, about = self._of_pronoun(index, pronoun)
        if known and asks and about == self.talk.speaker and self.talk.between_persons:
            about = self.talk.addressee  # nobody is asked about what is the asker's own
        about = about if known else reaction
        return about, about is None

    def _clause(self, index: int) -> str:
        """A sentence without what only says how sure of it somebody is."""
        text = self.turn.spans[index].text
        return without_frame(text) if self.talk.between_persons and is_english(text) else text

    def _remarked(self, index: int) -> str | None:
        """Whom a sentence that names nobody is about in a talk of two persons; None for the speaker or nobody."""
        text, other = self._clause(index), self.talk.addressee
        if points_to_own(text):
            return self.talk.speaker
        if praises(text) or supposes(self.turn.spans[index].text) or (admires(text) and self._admires_others(index)):
            return other
        if self.previous is not None and points_back(text):
            return self.previous
        if (
            (is_question(text) and not _TAG.search(text))
            or is_imperative(text)
            or (is_english(text) and is_imperative(without_circumstance(text)))
        ):
            return other
        cried = any(self.idle[i] and cries(span.text) for i, span in enumerate(self.turn.spans[:index]))
        reacting = (self.opening and (cried or not self.asked)) or (self.previous is not None and self.previous == other)
        if reacting and self.told_before is not None and self.opening and pronoun_of(text) is not None and reacts(text):
            return self._last_told_of(self.told_before)
        if (reacting and reacts(text)) or ((reacting or self.opening) and exclaims(text)):
            return other
        if reacting and self.told_before is not None:
            if picks_up(text) and not any(thanks(span.text) for span in self.turn.spans[: index + 1]):
                return self._last_told_of(self.told_before)
            if not self.asked and (thing := shown(text)):
                cried = any(cries(span.text) for span in self.turn.spans[:index])
                if cried or not thing.isdisjoint(content_words(self.told_before.message.text)):
                    return other
        return other if calls(text, self.talk.called) and not (self.opening and self.asked) else None

    def _last_told_of(self, turn: Turn) -> str | None:
        """Whom the last telling sentence of the other's turn is about."""
        other = self.talk.addressee
        for span in reversed(turn.spans):
            if span.kind == "sentence" and not is_phatic(span.text, self.talk.called) and not is_question(span.text):
                told = mentioned(span.text, other or turn.message.speaker, self.talk.speaker, self.talk.people)
                return told or other
        return other

    def _is_of_the_named(self, index: int) -> bool:
        """Whether a sentence's subject is a named somebody or something that is no party of the talk.

        It is, if the sentence says how that is, or if the other has just named it; news of it may be the speaker's own.
        """
        span = self.turn.spans[index]
        named = next((h for h in self.turn.handles[index] if begins(span.text, h.offset - span.start)), None)
        if named is None or not self.talk.called.isdisjoint(words(named.text)) or not is_english(span.text):
            return False
        if any(named.text in earlier.text for earlier in self.turn.spans[:index]):
            return False
        heard = self.told_before is not None and named.text in self.told_before.message.text and not (self.opening and self.asked)
        return heard or tells_how(span.text, named.offset - span.start + len(named.text))

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
                if told is None and is_maxim(span.text):
                    return True, None
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
