"""Claims: from a turn and what came just before it to self-contained sentences, each with 1 to 3 supporting spans.

One rule a shape of evidence, tried in this order for each span of a turn:

1. a short answer is joined with the question it answers;
2. an image is joined with the sentence that points to it;
3. the prose of a long answer is taken in runs of up to three neighbouring spans, so that it gives few claims, not hundreds;
4. any other sentence that is not phatic stands on its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.atoms import DraftClaim, SpanRef, TimeCue, Turn
from memcli.language.lexicon import PHATIC, content_words, count_words, is_phatic, word_set, words
from memcli.language.times import describe_cue
from memcli.write.classify import claim_kind, is_offer, is_question, modality, polarity
from memcli.write.cues import find_keywords
from memcli.write.persons import display_name, resolve, subject_of

MAX_CLAIMS = 12
"""Claims a turn of talk may give (MemIR's page budget, kept for each turn so that a page's first message cannot starve its last)."""

MAX_CLAIMS_LONG = 18
"""Claims a long technical turn may give (MemIR: 18 for long technical pages)."""

LONG_TURN_SPANS = 12
"""Spans from which an assistant's turn counts as long and is taken in runs."""

SHORT_ANSWER_WORDS = 6
"""A reply this short says little without its question."""

MAX_QUOTED_QUESTION = 200
"""Characters of a question that a joined claim quotes; a longer one is cited but not quoted."""

MAX_CLAIM = 600
"""Characters of a claim's text; a longer run is cut at a word and ends in an ellipsis, its spans stay whole."""

_IMAGE = re.compile(r"^\[(\w+):?\s*(.*?)\]$", re.DOTALL)
_POINTING = re.compile(r"\b(this|these|here|look|check|photo|picture|pic|image|snap|shot|one|it)\b", re.IGNORECASE)
_YES_NO = word_set("yes yeah yep yup no nope nah sí ja nein oui non")
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
    addressee = display_name(*others[-1]) if others and len(parties) == 1 else None
    names = tuple(dict.fromkeys([speaker, *(display_name(p, "assistant" if p.lower() == "assistant" else "user") for p in parties)]))
    writer = _Writer(turn, before, speaker, addressee, names, frozenset(p.casefold() for p in people))
    if message.role in ("system", "tool"):
        return []
    if message.role == "assistant" and len(turn.spans) >= LONG_TURN_SPANS:
        return writer.runs()[:MAX_CLAIMS_LONG]
    return writer.sentences()[: MAX_CLAIMS if message.role == "user" and len(turn.spans) < LONG_TURN_SPANS else MAX_CLAIMS_LONG]


class _Writer:
    """Writes the claims of one turn; holds what every rule needs to know about it."""

    def __init__(
        self, turn: Turn, before: Sequence[Turn], speaker: str, addressee: str | None, people: tuple[str, ...], names: frozenset[str]
    ) -> None:
        self.turn = turn
        self.speaker = speaker
        self.addressee = addressee
        self.people = people
        self.names = names
        self.name_words = frozenset(word for name in names for word in words(name))
        self.question = self._open_question(before)

    def _open_question(self, before: Sequence[Turn]) -> tuple[SpanRef, str, str] | None:
        """The question the turn replies to: the last one of the turn before, asked by somebody else."""
        if not before or before[-1].message.speaker == self.turn.message.speaker:
            return None
        asked = before[-1]
        if asked.message.session_id != self.turn.message.session_id or asked.message.role in ("system", "tool"):
            return None
        for index in range(len(asked.spans) - 1, max(-1, len(asked.spans) - 4), -1):
            text = asked.spans[index].text
            if is_question(text) and count_words(text) > 2:
                return SpanRef(1, index), text, display_name(asked.message.speaker, asked.message.role)
        return None

    def sentences(self) -> list[DraftClaim]:
        """One claim a sentence, answers joined with questions and images with the words that point to them."""
        claims = []
        answered = False
        for index, span in enumerate(self.turn.spans):
            if span.kind == "image":
                if claim := self._image(index):
                    claims.append(claim)
                continue
            replies = self.question is not None and not answered and not is_question(span.text)
            if replies and not (index < len(self.turn.spans) - 1 and not content_words(span.text) and not _is_yes_no(span.text)):
                answered = True
                if _is_yes_no(span.text) or (count_words(span.text) <= SHORT_ANSWER_WORDS and not self._is_idle(index)):
                    claims.append(self._joined(index))
                    continue
            if self._is_idle(index):
                continue
            if self.turn.message.role == "assistant" and is_question(span.text):
                continue
            claims.append(self._single(index))
        return claims

    def runs(self) -> list[DraftClaim]:
        """The spans of a long turn in runs of up to three neighbours; headings go with what follows them."""
        spans = self.turn.spans
        useful = [i for i in range(len(spans)) if not self._is_idle(i)]
        size = 3 if len(useful) > MAX_CLAIMS_LONG else 2
        groups: list[list[int]] = []
        for index in useful:
            gap = bool(groups) and "\n\n" in self.turn.message.text[spans[groups[-1][-1]].end : spans[index].start]
            heading = bool(groups) and len(groups[-1]) == 1 and len(words(spans[groups[-1][0]].text)) <= 8
            if groups and len(groups[-1]) < size and (not gap or heading) and spans[index].kind != "code":
                groups[-1].append(index)
            else:
                groups.append([index])
        if len(groups) > MAX_CLAIMS_LONG:
            weight = {
                id(g): len(set(content_words(" ".join(spans[i].text for i in g)))) * (0.3 if spans[g[0]].kind == "code" else 1)
                for g in groups
            }
            kept = {id(g) for g in sorted(groups, key=lambda g: -weight[id(g)])[:MAX_CLAIMS_LONG]}
            groups = [g for g in groups if id(g) in kept]
        return [self._run(group) for group in groups]

    def _is_idle(self, index: int) -> bool:
        """Whether a span is phatic or an offer. "In May." is neither, though each of its words is a function word."""
        span = self.turn.spans[index]
        if span.kind != "sentence":
            return False
        if is_offer(span.text):
            return True
        dated = any(PHATIC.isdisjoint(words(cue.expression)) for cue in self.turn.times[index])
        return not dated and is_phatic(span.text, self.name_words)

    def _claim(
        self, text: str, refs: tuple[SpanRef, ...], said: str, *, subject: str | None, indexes: Sequence[int], asks: bool = False
    ) -> DraftClaim:
        time = next((cue for i in indexes for cue in self.turn.times[i] if cue.resolved), None)
        return DraftClaim(
            text=_shortened(text),
            supports=refs,
            subject=subject,
            speaker=self.speaker,
            kind=claim_kind(said, time, self.turn.message.role),
            modality="asks" if asks else modality(said),
            polarity=polarity(said),
            time=time,
            keywords=find_keywords(said, self.names),
        )

    def _single(self, index: int) -> DraftClaim:
        span = self.turn.spans[index]
        asks = is_question(span.text)
        if self.turn.message.role == "assistant" or span.kind in ("code", "quote"):
            subject = subject_of(span.text, self.speaker, self.addressee, self.people) if span.kind == "sentence" else None
            subject = None if subject == self.speaker else subject
            text = span.text
        else:
            resolved = resolve(span.text, self.speaker, self.addressee, self.people, question=asks)
            text, subject = resolved.text, resolved.subject
        text = _with_dates(text, self.turn.times[index])
        return self._claim(text, (SpanRef(0, index),), span.text, subject=subject, indexes=(index,), asks=asks)

    def _joined(self, index: int) -> DraftClaim:
        assert self.question is not None
        ref, question, asker = self.question
        answer = _with_dates(self.turn.spans[index].text, self.turn.times[index])
        if len(question) <= MAX_QUOTED_QUESTION:
            text = f'{self.speaker}, asked by {asker} "{question}": {answer}'
        else:
            text = f"{self.speaker}, asked by {asker}: {answer}"
        subject = subject_of(question, asker, self.speaker, self.people, default=self.speaker)
        return self._claim(text, (SpanRef(0, index), ref), f"{question} {self.turn.spans[index].text}", subject=subject, indexes=(index,))

    def _image(self, index: int) -> DraftClaim | None:
        match = _IMAGE.match(self.turn.spans[index].text)
        caption = match[2].strip() if match else ""
        if not caption or match is None:
            return None
        kind = "picture" if match[1] == "image" else match[1]
        prose = [i for i, s in enumerate(self.turn.spans) if s.kind == "sentence"]
        pointing = [i for i in prose if _POINTING.search(self.turn.spans[i].text) and not is_question(self.turn.spans[i].text)]
        chosen = pointing[-1] if pointing else (prose[-1] if prose else None)
        if chosen is None:
            text = f"{self.speaker} shared a {kind}: {caption}"
            return self._claim(text, (SpanRef(0, index),), caption, subject=self.speaker, indexes=())
        said = self.turn.spans[chosen].text
        resolved = resolve(said, self.speaker, self.addressee, self.people, question=is_question(said))
        text = f"{_with_dates(resolved.text, self.turn.times[chosen])} ({kind}: {caption})"
        refs = (SpanRef(0, chosen), SpanRef(0, index))
        return self._claim(text, refs, f"{said} {caption}", subject=resolved.subject, indexes=(chosen,))

    def _run(self, group: Sequence[int]) -> DraftClaim:
        spans = [self.turn.spans[i] for i in group]
        said = " ".join(s.text for s in spans)
        subject = subject_of(said, self.speaker, self.addressee, self.people)
        parts = [_with_dates(s.text, self.turn.times[i]) for i, s in zip(group, spans, strict=True)]
        return self._claim(
            " ".join(parts), tuple(SpanRef(0, i) for i in group), said, subject=None if subject == self.speaker else subject, indexes=group
        )


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
        date = describe_cue(cue) if cue.anchor is not None and cue.resolved else ""
        if date and date.casefold() != cue.expression.casefold():
            note = f" ({date[0].lower() + date[1:] if date.startswith(('The ', 'Since ')) else date})"
            text = text[:position] + note + text[position:]
            position += len(note)
    return text
