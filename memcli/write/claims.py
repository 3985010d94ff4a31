"""Claims: from a turn and what came just before it to self-contained sentences, each with 1 to 3 supporting spans.

One rule a shape of evidence, tried in this order for each span of a turn:

1. a short answer is joined with the question it answers;
2. an image is joined with the sentence that points to it, and a code block with the sentence that introduces it;
3. a long turn is taken in runs of up to three neighbouring spans, so that it gives few claims, not hundreds;
4. any other sentence that is not phatic stands on its own.

No span is lost: each one that is not idle supports some claim. Idle are phatic sentences, encouragement, offers, headings that name
nothing ("Conclusion:"), captionless pictures and, in a short turn of an assistant, the questions it asks back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.atoms import DraftClaim, Span, SpanRef, TimeCue, Turn
from memcli.language.lexicon import PHATIC, WORD, count_words, is_phatic, is_sign, word_set, words
from memcli.language.times import describe_cue
from memcli.write.antecedents import told_again
from memcli.write.classify import Sort, answer_sort, claim_kind, is_cheer, is_offer, is_question, modality, polarity
from memcli.write.keywords import find_keywords
from memcli.write.persons import display_name, mentioned, resolve
from memcli.write.remarks import admires, exclaims, praises, supposes
from memcli.write.runs import MAX_SUPPORTS, grouped, introduces, is_empty_heading, opens_section, without_label
from memcli.write.subjects import Talk, candidates_of, find_subjects

LONG_ANSWER_SPANS = 12
"""Spans from which an assistant's turn is taken in runs."""

LONG_TURN_SPANS = 30
"""Spans past which anybody's turn is taken in runs."""

SHORT_ANSWER_WORDS = 6
"""A reply this short says little without its question."""

MAX_QUOTED_QUESTION = 200
"""Characters of a question that a joined claim quotes; a longer one is cited but not quoted."""

MAX_CLAIM = 600
"""Characters of a claim's text; a longer run is cut at a word and ends in an ellipsis, its spans stay whole."""

MIN_NICKNAME = 3
"""Letters from which the beginning of a participant's name is taken for the name."""

_IMAGE = re.compile(r"^\[(\w+):?\s*(.*?)\]$", re.DOTALL)
_POINTING = re.compile(r"\b(this|these|here|look|check|photo|picture|pic|image|snap|shot|one|it)\b", re.IGNORECASE)
_THANKS = re.compile(
    r"\W*(?:(?:so|really|much)\s+)*(?:thanks|thank you|thx|gracias|danke|merci|appreciated?|appreciating"
    r"|(?:your|those|these|the) (?:kind )?(?:words|support|help) (?:really )?means? )\b|谢谢",
    re.IGNORECASE,
)
_GREETING = re.compile(r"\W*(?:[Hh]ey|[Hh]i|[Hh]ello|HEY|HI|HELLO)(?: there)?,? [^\W\d_a-z][^\W\d_]*\W*")
"""A greeting with a name, perhaps of somebody who has not spoken yet."""
_OF_THE_ASKER = re.compile(r"\b(?:I|my|mine|mi|mis|ich|mein\w*|je|mon|ma|mes)\b|我", re.IGNORECASE)
_JUDGES = re.compile(
    r"\W*(?:\w+[,!]\s+)?(?:it|they|everything|all)(?:['’]s (?:been|going)| (?:was|were|went|is going|has been|have been))\b", re.IGNORECASE
)
"""How something was: phatic as a remark, an answer to a question."""
_YES_NO = word_set("yes yeah yep yup no nope nah sí ja nein oui non si 是 是的 对 对的 不是 没有 不 没 有")
"""First words of a short answer that says all of it with its question."""


def write_claims(turn: Turn, before: Sequence[Turn], people: tuple[str, ...]) -> list[DraftClaim]:
    """The claims of one turn.

    Args:
        turn: the turn, with its spans and cues.
        before: the turns of the same conversation just before it, oldest first; a few suffice.
        people: names of everybody who has taken part so far, as they stand in the transcript.
    """
    message = turn.message
    speaker = display_name(message.speaker, message.role)
    others = [(t.message.speaker, t.message.role) for t in before if t.message.speaker != message.speaker]
    parties = [p for p in people if p != message.speaker]
    named = [display_name(p, "assistant" if p.lower() == "assistant" else "user") for p in parties]
    addressee = None if len(parties) != 1 else display_name(*others[-1]) if others else named[0]
    names = tuple(dict.fromkeys([speaker, *named]))
    writer = _Writer(turn, before, speaker, addressee, names, frozenset(p.casefold() for p in people))
    if message.role in ("system", "tool"):
        return []
    return writer.claims()


class _Writer:
    """Writes the claims of one turn; holds what every rule needs to know about it."""

    def __init__(
        self, turn: Turn, before: Sequence[Turn], speaker: str, addressee: str | None, people: tuple[str, ...], names: frozenset[str]
    ) -> None:
        self.turn = turn
        self.assistant = turn.message.role == "assistant"
        self.speaker = speaker
        self.addressee = addressee
        self.people = people
        self.names = names
        self.name_words = frozenset(word for name in names for word in words(name))
        self.question = self._open_question(before)
        self.idle = [self._is_idle(span.text, turn.times[i]) if span.kind == "sentence" else False for i, span in enumerate(turn.spans)]
        self._settle_cheers()
        self.long = len(turn.spans) >= (LONG_ANSWER_SPANS if self.assistant else LONG_TURN_SPANS + 1)
        self.answer = self._answer()
        heard = before[-1] if before and self._is_heard(before[-1]) else None
        self.talk = Talk(speaker, addressee, people, self.name_words | self._nicknames(turn.message.text))
        self.subjects = find_subjects(turn, heard, self.talk, self.idle, asked=self.question is not None)

    def _open_question(self, before: Sequence[Turn]) -> tuple[SpanRef, str, str] | None:
        """The question the turn replies to: the last one of the turn before, asked by somebody else."""
        if not before or not self._is_heard(before[-1]):
            return None
        asked = before[-1]
        for index in range(len(asked.spans) - 1, max(-1, len(asked.spans) - 4), -1):
            text = asked.spans[index].text
            if is_question(text) and count_words(text) > 2:
                return SpanRef(1, index), text, display_name(asked.message.speaker, asked.message.role)
        return None

    def _is_heard(self, turn: Turn) -> bool:
        """Whether the turn before is somebody else's, said in the same session."""
        said = turn.message
        same = said.session_id == self.turn.message.session_id
        return same and said.speaker != self.turn.message.speaker and said.role not in ("system", "tool")

    def _is_idle(self, text: str, times: Sequence[TimeCue]) -> bool:
        """Whether a sentence is phatic or an offer. "In May." is neither, though each of its words is a function word."""
        if is_offer(text) or _GREETING.fullmatch(text):
            return True
        if any(not PHATIC.issuperset(words(cue.expression)) for cue in times):
            return False
        return is_phatic(text, self.name_words) or is_phatic(text, self.name_words | self._nicknames(text))

    def _settle_cheers(self) -> None:
        """Takes encouragement and reactions for idle, unless nothing else of the turn could answer the open question."""
        spans = self.turn.spans
        telling = [i for i, span in enumerate(spans) if span.kind == "sentence" and not self.idle[i]]
        cheers = [i for i in telling if is_cheer(spans[i].text, self.name_words | self._nicknames(spans[i].text))]
        if self.question is None or len(cheers) < len(telling):
            for index in cheers:
                self.idle[index] = True

    def _nicknames(self, text: str) -> frozenset[str]:
        """Its capitalised words that shorten a participant's name: "Tob" for Tobin."""
        shorts = [w for w in WORD.findall(text) if len(w) >= MIN_NICKNAME and w[0].isupper()]
        return frozenset(w.casefold() for w in shorts if any(name.startswith(w.casefold()) for name in self.name_words))

    def _answer(self) -> int | None:
        """The sentence to join with the open question: the first that is no mere thanks, if it says little without the question."""
        spans = self.turn.spans
        if self.question is None or (self.long and self.assistant):
            return None
        if spans and all(is_sign(span.text) for span in spans):
            return 0
        reaction: int | None = None
        for index, span in enumerate(spans):
            if span.kind != "sentence" or is_question(span.text) or _THANKS.match(span.text):
                continue
            if not self.idle[index] and _reacts_only(span.text):
                reaction = index if reaction is None else reaction
                continue
            if _is_yes_no(span.text):
                return index
            if not self.idle[index] or _JUDGES.match(span.text):
                return index if count_words(span.text) <= SHORT_ANSWER_WORDS else None
        return None if reaction is None or count_words(spans[reaction].text) > SHORT_ANSWER_WORDS else reaction

    def claims(self) -> list[DraftClaim]:
        """Every claim of the turn, in the order of its spans."""
        spans = self.turn.spans
        pictures, apart = self._pictures()
        useful = [
            i for i in range(len(spans)) if spans[i].kind != "image" and i != self.answer and i not in pictures and self._is_useful(i)
        ]
        groups = grouped(self.turn.message.text, spans, useful, in_runs=self.long)
        found = [(group[0], self._single(group[0]) if len(group) == 1 else self._run(group)) for group in groups]
        if self.answer is not None:
            found.append((self.answer, self._joined(self.answer, pictures.get(self.answer, []))))
        found += [(i, self._shown(i, images)) for i, images in pictures.items() if i != self.answer]
        found += [(i, self._shared(i)) for i in apart]
        return [claim for _, claim in sorted(found, key=lambda pair: pair[0])]

    def _is_useful(self, index: int) -> bool:
        span = self.turn.spans[index]
        if is_empty_heading(self.turn.message.text, self.turn.spans, index):
            return False
        if self.idle[index]:
            return bool(words(span.text)) and introduces(self.turn.spans, index)  # "Here is the script:" says what the code behind it is
        return self.long or not self.assistant or not is_question(span.text)

    def _pictures(self) -> tuple[dict[int, list[int]], list[int]]:
        """The sentences that point to pictures, with the pictures of each; and the pictures that none points to."""
        spans = self.turn.spans
        prose = [i for i, s in enumerate(spans) if s.kind == "sentence" and not self.idle[i]]
        telling = [i for i in prose if not is_question(spans[i].text)]
        pointing = [i for i in telling if _POINTING.search(spans[i].text)]
        chosen = (pointing or telling or prose or [-1])[-1]
        room = MAX_SUPPORTS - (2 if chosen == self.answer else 1)
        images = [i for i, s in enumerate(spans) if s.kind == "image" and _caption(s)[1]]
        if chosen < 0 or not images:
            return {}, images
        return {chosen: images[:room]}, images[room:]

    def _claim(
        self,
        text: str,
        refs: tuple[SpanRef, ...],
        said: str,
        *,
        subject: str | None,
        indexes: Sequence[int],
        asks: bool = False,
        sort: Sort | None = None,
    ) -> DraftClaim:
        time = self._time(indexes)
        sort = sort or Sort(claim_kind(said, time, self.turn.message.role), "asks" if asks else modality(said), polarity(said))
        return DraftClaim(
            text=_shortened(text),
            supports=refs,
            subject=None if self.assistant and subject == self.speaker else subject,
            speaker=self.speaker,
            kind=sort.kind,
            modality=sort.modality,
            polarity=sort.polarity,
            time=time,
            keywords=find_keywords(said, self.names),
        )

    def _time(self, indexes: Sequence[int]) -> TimeCue | None:
        return next((cue for i in indexes for cue in self.turn.times[i] if cue.resolved), None)

    def _resolved(self, index: int, again: str | None = None) -> str:
        """A sentence of a person with its persons resolved; what the assistant says, code and quotes keep their words."""
        span = self.turn.spans[index]
        if self.assistant or span.kind != "sentence":
            return without_label(span.text) if span.kind == "sentence" else span.text
        asks = is_question(span.text)
        text = again or span.text
        if self.subjects[index] is None:
            return f"{self.speaker}: {text}"  # a "you" in it is anybody
        return resolve(text, self.speaker, self.addressee, self.people, question=asks, subject=self.subjects[index]).text

    def _single(self, index: int) -> DraftClaim:
        span = self.turn.spans[index]
        again = self._told_again(index)
        text = _with_dates(self._resolved(index, again), self.turn.times[index])
        refs = (SpanRef(0, index),) if again is None else (SpanRef(0, index), SpanRef(0, index - 1))
        return self._claim(text, refs, span.text, subject=self.subjects[index], indexes=(index,), asks=is_question(span.text))

    def _told_again(self, index: int) -> str | None:
        """A person's sentence with its first "They", "She" or "He" in the words of the sentence before; None if these are not plain."""
        spans = self.turn.spans
        if self.assistant or index == 0 or spans[index - 1].kind != "sentence" or is_question(spans[index].text):
            return None
        return told_again(spans[index].text, candidates_of(self.turn, index - 1, self.talk.called))

    def _run(self, group: Sequence[int]) -> DraftClaim:
        """A claim of neighbouring spans; a person's sentences that are not all in the third person stand behind the name once.

        Headings at its end belong to what comes after it: they support the claim, for no span is lost, but are no part of its text.
        """
        refs = tuple(SpanRef(0, i) for i in group)
        titles = [opens_section(self.turn.message.text, self.turn.spans, i) for i in group]
        if False in titles:
            group = group[: len(group) - titles[::-1].index(False)]
        spans = [self.turn.spans[i] for i in group]
        prose = [i for i in group if self.turn.spans[i].kind == "sentence"]
        told = {i: self._resolved(i) for i in group}
        prefix = ""
        if any(told[i].startswith(f"{self.speaker}: ") for i in prose) and not self.assistant:
            told = {i: self.turn.spans[i].text for i in group}
            prefix = f"{self.speaker}: "
        parts = [_with_dates(told[i], self.turn.times[i]) for i in group]
        text = prefix + parts[0]
        for left, right, part in zip(group, group[1:], parts[1:], strict=False):
            text += self._between(left, right) + part
        said = " ".join(s.text for s in spans if s.kind != "code") or spans[0].text
        asks = bool(prose) and all(is_question(self.turn.spans[i].text) for i in prose)
        return self._claim(text, refs, said, subject=self._subject(prose), indexes=group, asks=asks)

    def _between(self, before: int, after: int) -> str:
        """What joins two spans in one claim: lines that end in no full stop are told apart."""
        left, right = self.turn.spans[before], self.turn.spans[after]
        if right.kind == "code" or left.kind == "code":
            return "\n"
        if "\n" not in self.turn.message.text[left.end : right.start] or not (left.text[-1:].isalnum() or left.text[-1:] in "*`)]"):
            return " "
        if not opens_section(self.turn.message.text, self.turn.spans, before) or not right.text.lstrip("*_`\"“'(")[:1].isupper():
            return "; "
        return " " if left.text.rstrip("*_").endswith(":") else ": "

    def _subject(self, prose: Sequence[int]) -> str | None:
        """Who a run is about: whom most of its sentences are about, the first of them if they are even.

        Headings do not count, nor do a person's sayings about nobody where somebody is also spoken of.
        """
        telling = [i for i in prose if not opens_section(self.turn.message.text, self.turn.spans, i)] or list(prose)
        subjects = [self.subjects[i] for i in telling if self.assistant or self.subjects[i] is not None]
        return max(subjects, key=subjects.count) if subjects else None if prose or self.assistant else self.speaker

    def _joined(self, index: int, images: Sequence[int]) -> DraftClaim:
        assert self.question is not None
        ref, question, asker = self.question
        span = self.turn.spans[index]
        answer = _with_dates(span.text, self.turn.times[index]) + self._captions(images)
        called = f"the {asker[4:]}" if asker.startswith("The ") else asker
        if len(question) <= MAX_QUOTED_QUESTION:
            text = f'{self.speaker}, asked by {called} "{question}": {answer}'
        else:
            text = f"{self.speaker}, asked by {called}: {answer}"
        subject = mentioned(span.text, self.speaker, self.addressee, self.people)
        if subject is None or (subject == self.addressee and self.subjects[index] is None):
            subject = mentioned(question, asker, self.speaker, self.people)
            # "Care to fill me in?" is not about who asks.
            subject = self.speaker if subject == asker and not _OF_THE_ASKER.search(question) else subject or self.speaker
        bare = _is_yes_no(span.text) or is_sign(span.text)
        sort = answer_sort(question, span.text, bare=bare, time=self._time((index,)), role=self.turn.message.role)
        refs = (SpanRef(0, index), *(SpanRef(0, i) for i in images), ref)
        return self._claim(text, refs, f"{question} {span.text}", subject=subject, indexes=(index,), sort=sort)

    def _captions(self, images: Sequence[int]) -> str:
        return "".join(f" ({kind}: {caption})" for kind, caption in (_caption(self.turn.spans[i]) for i in images))

    def _shown(self, index: int, images: Sequence[int]) -> DraftClaim:
        """A sentence with the pictures it points to."""
        said = " ".join([self.turn.spans[index].text, *(_caption(self.turn.spans[i])[1] for i in images)])
        text = _with_dates(self._resolved(index), self.turn.times[index]) + self._captions(images)
        refs = (SpanRef(0, index), *(SpanRef(0, i) for i in images))
        sort = Sort(
            claim_kind(self.turn.spans[index].text, self._time((index,)), self.turn.message.role),
            modality(self.turn.spans[index].text),
            polarity(self.turn.spans[index].text),
        )
        return self._claim(text, refs, said, subject=self.subjects[index], indexes=(index,), sort=sort)

    def _shared(self, index: int) -> DraftClaim:
        """A picture that no sentence points to."""
        kind, caption = _caption(self.turn.spans[index])
        return self._claim(f"{self.speaker} shared a {kind}: {caption}", (SpanRef(0, index),), caption, subject=self.speaker, indexes=())


def _caption(span: Span) -> tuple[str, str]:
    """What an image line shows ("picture", "file", "audio", "video") and its caption, empty if it has none."""
    match = _IMAGE.match(span.text)
    if match is None:
        return "picture", ""
    return "picture" if match[1] == "image" else match[1], match[2].strip()


def _reacts_only(text: str) -> bool:
    """Whether a sentence only values what the other told or showed, and thus answers nothing."""
    return admires(text) or praises(text) or exclaims(text) or supposes(text)


def _is_yes_no(text: str) -> bool:
    found = words(text)
    return 0 < len(found) <= SHORT_ANSWER_WORDS and found[0] in _YES_NO


def _shortened(text: str) -> str:
    if len(text) <= MAX_CLAIM:
        return text
    cut = text.rfind(" ", MAX_CLAIM // 2, MAX_CLAIM - 1)
    return text[: cut if cut > 0 else MAX_CLAIM - 1].rstrip() + "…"


def _with_dates(text: str, cues: Sequence[TimeCue]) -> str:
    """`text` with the date of each relative time expression behind it in brackets: "yesterday (7 May 2023)"."""
    position = 0  # a cue's offset counts in the span, not in its rewritten text: look for the cues one after another
    for cue in sorted(cues, key=lambda cue: cue.offset):
        found = re.compile(rf"(?<![^\W_]){re.escape(cue.expression)}(?![^\W_])").search(text, position)
        place = found.start() if found else text.find(cue.expression, position)
        if place < 0:
            continue
        position = place + len(cue.expression)
        if text[position : position + 2] in ("'s", "’s"):
            position += 2
        date = describe_cue(cue) if cue.anchor is not None and cue.resolved else ""
        if date and date.casefold() != cue.expression.casefold():
            note = f" ({date[0].lower() + date[1:] if date.startswith(('The ', 'Since ')) else date})"
            text = text[:position] + note + text[position:]
            position += len(note)
    return text
