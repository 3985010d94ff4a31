"""Whether a sentence that a model wrote says what its sources say, and nothing else.

A proposal is laid beside each source, item by item (`memcli.proposals.items`). It stands if its items are those of one source, in that
order and with nothing left out between them: so nobody changes places, no "not", "almost", "plans to" or "more than" goes missing, and no
number, date, name, unit or content word is new. What may differ is what does not change what is said:

- "I" and "you" are the speaker and the addressee, by name, and then "they"; the verb behind "I" takes its third person;
- a time may be told by another expression for the same interval, and may move to the front or the end of a sentence of one clause;
- articles, fillers and openers may go; "Mara says that" may stand in front of what Mara says;
- clauses at either end may go where nothing in the sentence turns what they leave: no negation, condition, doubt, report or quantity;
- a question and the short answer to it may be told as one statement.

A paraphrase in other words does not stand, though it may be true: then the claim that the rules wrote stands, and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz import fuzz

from memcli.language.lexicon import FUNCTION, PHATIC, word_set
from memcli.language.times import describe_cue, find_time_cues
from memcli.proposals.items import Item, Voice, read_items
from memcli.proposals.laying import NEGATING, NEUTRAL, SAYING, Fit, lay, lay_answer, third_persons

Reason = Literal[
    "empty", "no_support", "foreign_support", "instruction", "pronoun", "question", "name", "number", "date", "negation", "content",
    "swapped", "omitted", "meaning",
]  # fmt: skip
"""Why a proposal is thrown away. `swapped`: the words of its sources in another order. `omitted`: something between them left out."""

MEANING: Final = 0.5
"""Cosine of a claim and its sources below which it is not believed whatever its words are: those of one event are above 0.6 throughout."""

LEAST: Final = 2
"""Items beside the person that a claim has at least: "Mara thinks" tells nothing."""

_LEAKED: Final = 88
"""Likeness to a line of the instructions, of 100, from which a proposal is a copy of it (rapidfuzz's partial ratio)."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a proposal may rest on: a span, or the claim that the rules wrote of it."""

    id: int
    text: str
    voice: Voice
    question: bool = False
    answers: int | None = None
    """The source that asks what this one answers."""


@dataclass(frozen=True, slots=True)
class Grounded:
    """A proposal that stands."""

    text: str
    """As it is to be kept: "her" and "his" for somebody whom the source calls "I" have become "their"."""
    sources: tuple[int, ...]
    """The sources that it follows from, first the one that its words are taken from; of an answer, the answer first."""
    whole: bool
    """Whether it tells everything that these sources tell."""
    quotes: bool = False
    """Whether it only quotes the speaker: "Ada: I ..."."""


_POINTING = word_set("this that these those 's-own")
_PARTIES = word_set("i me my mine myself we us our ours ourselves you your yours yourself")
"""Words for those who talk, which a claim that stands alone has names for."""


def ground(text: str, cited: Sequence[Source], *, instructions: str = "") -> Grounded | Reason:
    """Check a claim that a model wrote.

    Args:
        text: the claim.
        cited: the sources it names, those of them that exist; in the order of the transcript.
        instructions: what the model was told, of which the claim must not be a copy.

    Returns:
        the claim as it may be kept, or why it is thrown away.
    """
    text = " ".join(text.split()).strip()
    if not text:
        return "empty"
    if not cited:
        return "no_support"
    if text.rstrip("\"'”’)").endswith(("?", "？")):
        return "question"
    people = tuple(dict.fromkeys(name for source in cited for name in source.voice.people))
    anchor = next((source.voice.anchor for source in cited if source.voice.anchor), None)
    read = [read_items(source.text, source.voice) for source in cited]
    frame = _frame(text, cited[-1])
    text = text[len(frame) :]
    told = read_items(text, cited[-1].voice if frame else Voice(None, None, people, anchor))
    if instructions and _is_leaked(text, instructions) and _unknown(told, read):
        return "instruction"
    if not frame and (not told or told[0].kind == "pronoun" or told[0].key in _POINTING or any(item.key in _PARTIES for item in told)):
        return "pronoun"
    if len([item for item in told if item.kind != "person"]) < LEAST:
        return "empty"
    for index, source in enumerate(cited):
        if source.question:
            continue
        fit = lay(told, read[index], _folded(source.voice.speaker))
        if fit is not None:
            return _kept(frame, text, fit, (source.id,), anchor)
    places = {source.id: index for index, source in enumerate(cited) if source.question}
    for index, source in enumerate(cited):
        if source.answers in places and not source.question:
            answer = lay_answer(told, read[places[source.answers]], read[index])
            if answer is not None:
                return _kept(frame, text, answer, (source.id, source.answers), anchor)
    return _why(text, told, read, cited)


def _frame(text: str, source: Source) -> str:
    """What stands before the speaker's own words in a claim that quotes them, "Ada: " or "Ada to Ben: "; "" if it does not quote."""
    speaker, addressee = source.voice.speaker, source.voice.addressee
    frames = (f"{speaker}: ", f"{speaker} to {addressee}: ") if speaker is not None else ()
    return next((text[: len(frame)] for frame in frames if text.casefold().startswith(frame.casefold())), "")


def _folded(name: str | None) -> str | None:
    return name.casefold() if name is not None else None


def _kept(frame: str, text: str, fit: Fit, sources: tuple[int, ...], anchor: str | None) -> Grounded:
    for item, meant in reversed(fit.pairs):
        if item.kind == "pronoun" and meant.kind == "person" and item.text in NEUTRAL:
            neutral = "them" if item.text == "her" and not meant.possessive else NEUTRAL[item.text]
            text = text[: item.start] + neutral + text[item.end :]
    return Grounded(frame + dated(text, anchor), sources, fit.whole, bool(frame))


def dated(text: str, anchor: str | None) -> str:
    """A text with the date of each relative time behind it, in brackets: "yesterday (7 May 2023)".

    Args:
        text: a sentence.
        anchor: the moment its times count from, ISO 8601.
    """
    cues = [cue for cue in find_time_cues(text, anchor) if cue.resolved]
    for place, cue in reversed(list(enumerate(cues))):
        told_next = place + 1 < len(cues) and (cues[place + 1].start, cues[place + 1].end) == (cue.start, cue.end)
        if cue.anchor is not None and not told_next and (date := describe_cue(cue)).casefold() != cue.expression.casefold():
            end = cue.offset + len(cue.expression)
            text = f"{text[:end]} ({date[0].lower() + date[1:] if date.startswith(('The ', 'Since ')) else date}){text[end:]}"
    return text


def _why(text: str, told: list[Item], read: list[list[Item]], cited: Sequence[Source]) -> Reason:
    """The most telling reason why a claim follows from none of its sources."""
    every = [item for items in read for item in items]
    keys = {item.key for item in every} | {word for item in every for word in item.text.split()}
    parties = {name.casefold() for source in cited for name in (source.voice.speaker, source.voice.addressee) if name}
    missing = {item.kind for item in told if item.key not in keys and item.key not in parties}
    reasons: dict[str, Reason] = {"person": "name", "number": "number", "time": "date"}
    for kind, reason in reasons.items():
        if kind in missing:
            return reason
    if any(item.kind == "word" and item.start and text[item.start].isupper() and item.key not in keys for item in told):
        return "name"
    if all(_negated(told) != _negated(items) for items in read):
        return "negation"
    known = keys | {form for key in keys for form in third_persons(key)} | FUNCTION | SAYING
    if any(item.kind == "word" and item.key not in known and item.text not in known for item in told):
        return "content"
    order = [item.key for item in told if item.kind == "person" or (item.kind == "word" and item.text not in FUNCTION)]
    return "omitted" if any(_in_order(order, [item.key for item in items]) for items in read) else "swapped"


def _in_order(wanted: list[str], held: list[str]) -> bool:
    place = iter(held)
    return all(any(one == key or one in third_persons(key) for key in place) for one in wanted)


def _negated(items: list[Item]) -> bool:
    return any(item.text in NEGATING for item in items)


def _is_leaked(text: str, instructions: str) -> bool:
    return any(len(line) > 12 and fuzz.partial_ratio(text.casefold(), line.casefold()) >= _LEAKED for line in instructions.splitlines())


def _unknown(told: list[Item], read: list[list[Item]]) -> bool:
    keys = {item.key for items in read for item in items}
    return any(item.kind in ("word", "number") and item.key not in keys and item.text not in FUNCTION | PHATIC for item in told)
