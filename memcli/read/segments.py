"""Segments: the pieces of evidence that an answer may be cut out of, each a sentence, a reply or a picture's caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memcli.language.lexicon import WORD
from memcli.store.facts import ClaimRecord

MAX_SEGMENTS = 12
"""Segments looked into, best first: three answers in four that any fact holds stand in the first ten."""

MAX_SEGMENT_WORDS = 40
"""Words of a segment that are looked at."""

Source = Literal["told", "reply", "caption"]

_CAPTION = re.compile(r"^\[(\w+):?\s*(?:an? )?(?:(?:photo(?:graphy|graph)?|picture|image) of )?(.*?)\]$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of evidence: its words with their places in `text`."""

    claim: int
    """Index of the fact."""
    evidence: int
    """Index of the evidence in the fact."""
    source: Source
    text: str
    words: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]


def cut_segments(facts: Sequence[ClaimRecord]) -> tuple[Segment, ...]:
    """The evidence of the facts that tells, best first, each piece once."""
    out: list[Segment] = []
    seen: set[tuple[str, str, int]] = set()
    for number, fact in enumerate(facts):
        if fact.modality == "asks":
            continue
        for place, evidence in enumerate(fact.evidence):
            key = (evidence.conversation_id, evidence.message_id, evidence.start)
            if key in seen or "\n" in evidence.text or (place and evidence.text.rstrip().endswith(("?", "？"))):
                continue  # code and tables are shown, not cut; a question that was answered is no answer
            seen.add(key)
            caption = _CAPTION.match(evidence.text)
            text = caption[2] if caption else evidence.text
            bounds = tuple((m.start(), m.end()) for m in WORD.finditer(text))[:MAX_SEGMENT_WORDS]
            if bounds:
                reply = len(fact.evidence) > 1 and place == 0 and fact.evidence[1].text.rstrip().endswith(("?", "？"))
                source: Source = "caption" if caption else "reply" if reply else "told"
                out.append(Segment(number, place, source, text, tuple(text[a:b] for a, b in bounds), bounds))
            if len(out) == MAX_SEGMENTS:
                return tuple(out)
    return tuple(out)
