"""Reading a question: whom it names, what it is looking for, and the words and the text to search with."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memcli.language.lexicon import FUNCTION, WORD, language_of
from memcli.language.times import find_time_cues
from memcli.read.names import find_speakers
from memcli.store.search import search_terms
from memcli.store.transcripts import said_at

Slot = Literal["when", "how_long", "how_many", "who", "where", "why", "how", "yes_no", "what"]

_PATTERNS: tuple[tuple[Slot, str], ...] = (
    (
        "how_long",
        r"\bhow long\b|\bfor how (?:long|many (?:days|weeks|months|years))\b"
        r"|\bcuánto tiempo\b|\bwie lange\b|\bcombien de temps\b|多久|多长时间",
    ),
    (
        "when",
        r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|week|time)\b(?! of the week)|\bwhat\b[^?]*\b(?:deadline|due date)\b"
        r"|\bqué día\b|\bwelche[mnr] (?:tag|monat|jahr)\b|\bquel(?:le)? (?:jour|mois|année)\b|哪一天"
        r"|\bcuándo\b|\bwann\b|\bquand\b|什么时候|哪天|几月|几点|何时|いつ",
    ),
    ("how_many", r"\bhow (?:many|much|often|old)\b|\bcuánt[oa]s?\b|\bwie ?viele?\b|\bcombien\b|多少|几[个次只本]"),
    (
        "where",
        r"\bwhere\b|\b(?:what|which) (?:city|country|place|state|town)\b|\bdónde\b|\bwo(?:hin|her)?\b|\boù\b|哪里|哪儿|在哪|どこ",
    ),
    ("who", r"\bwho(?:m|se)?\b|\bquién(?:es)?\b|\bwer\b|\bwem\b|\bwen\b|\bqui\b|谁|だれ|誰"),
    ("why", r"\bwhy\b|\bpor qué\b|\bwarum\b|\bpourquoi\b|为什么|なぜ"),
    ("yes_no", r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\b|吗[?？]?$"),
    ("how", r"\bhow\b|\bcómo\b|\bwie\b|\bcomment\b|怎么|如何"),
)
_SLOTS = tuple((slot, re.compile(pattern, re.IGNORECASE)) for slot, pattern in _PATTERNS)
"""What each question asks for; where two match at the same place the earlier one decides."""

_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|i['’](?:m|ve|d|ll)|yo|mi|mis|nosotr[oa]s|nuestr[oa]s?|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|moi|mon|ma|mes|nous)\b"
    r"|[我俺咱]|私|僕",
    re.IGNORECASE,
)
_WHAT = re.compile(r"\b(?:what|which|welche[mnrs]?|qué|cuál(?:es)?|quelles?|quels?|quoi)\b|什么|哪", re.IGNORECASE)
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:should|do|can|could) i\b"
    r"|\b(?:help|recommend|suggest|advise|explain|show|give|write|plan|tell) me\b"
    r"|\bkannst du\b|\bkönnen sie\b|\bpuedes\b|\bpodrías\b|\bpeux-tu\b|\bpourriez-vous\b|请|帮我|能不能",
    re.IGNORECASE,
)
_TELLS = r"(?:say|said|mention|mentioned|tell|told|bring up|brought up|ask|asked|describe|described|share|shared|report|reported)"
_I_TOLD = re.compile(
    rf"\bi\s+(?:\w+\s+)?{_TELLS}\b|\b(?:habe? ich|ich habe)\b.*\b(?:gesagt|erwähnt|erzählt)\b|\b(?:dije|mencioné|conté)\b"
    r"|\bj['’]ai (?:dit|mentionné|raconté)\b|我(?:说|提|讲)过?",
    re.IGNORECASE,
)
_ADVISED = r"(?:recommended|suggested|advised|explained|said|gave|told|proposed|mentioned|provided|showed)"
_YOU_TOLD = re.compile(
    rf"\bdid you\s+(?:\w+\s+)?\w+|\byou\s+(?:\w+\s+)?{_ADVISED}\b"
    r"|\b(?:hast du|haben sie)\b.*\b(?:empfohlen|vorgeschlagen|erklärt|gesagt)\b|\b(?:recomendaste|sugeriste|dijiste|explicaste)\b"
    r"|\b(?:as-tu|avez-vous|tu as|vous avez) (?:recommandé|suggéré|dit|expliqué)\b|你(?:建议|推荐|说|解释)过?",
    re.IGNORECASE,
)
_OVERVIEW = re.compile(
    r"\bsummar(?:y|i[sz]e\w*)\b|\boverview\b|\bthroughout\b|\bacross (?:our|all|the)\b|\bover time\b|\bso far\b"
    r"|\border in which\b|\bin what order\b|\bzusammenfass\w*|\büberblick\b|\breihenfolge\b|\bresum(?:en|e|ir)\b|\brésum\w+"
    r"|\bdans quel ordre\b|\ben qué orden\b|总结|概述|顺序",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it was read.

    `terms` are index tokens to look for; `text` is what is embedded: the question without the names of speakers, since spans
    speak in the first person ("I moved", not "Mara moved") and a name would only find greetings.
    """

    question: str
    slot: Slot
    speakers: tuple[str, ...]
    """Speakers the question names, as the transcript spells them."""
    own: bool
    """Whether the asker asks about himself ("When does my sprint end?")."""
    terms: tuple[str, ...]
    text: str
    period: tuple[float, float] | None = None
    """The stretch of time that the question names, [start, end), seconds since 1970; an open end is infinite."""
    told_by: Literal["asker", "assistant"] | None = None
    """Whose words the question is after, if it says so: "what did I say about", "what did you recommend"."""
    overview: bool = False
    """Whether it asks about a whole history: for a summary, or for the order of things."""
    request: bool = False
    """Whether it asks for something to be done, to which standing instructions and preferences apply."""

    def to_dict(self) -> dict[str, object]:
        """How the question was read, for `--explain`."""
        out: dict[str, object] = {"slot": self.slot, "speakers": list(self.speakers), "own": self.own, "told_by": self.told_by}
        out |= {"overview": self.overview, "request": self.request, "terms": list(self.terms)}
        if self.period is not None:
            ends = (None if math.isinf(end) else datetime.fromtimestamp(end, UTC).replace(tzinfo=None).isoformat() for end in self.period)
            out["period"] = dict(zip(("start", "end"), ends, strict=True))
        return out | {"embedded_text": self.text}


MAX_QUESTION = 20_000
"""Characters of a question that are read; nobody asks at greater length, but files get piped in by mistake."""


def read_query(question: str, speakers: tuple[str, ...]) -> Query:
    """Read a question, the first `MAX_QUESTION` characters of it.

    Args:
        question: any text at all.
        speakers: everybody who speaks in the memory.
    """
    question = question[:MAX_QUESTION]
    mentions = find_speakers(question, speakers)
    named = tuple(dict.fromkeys(mention.speaker for mention in mentions))
    text = question
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    text = " ".join(text.split())
    bare = WORD.sub(lambda m: " " if m.group().casefold().replace("’", "'") in FUNCTION else m.group(), text)
    bare = _POSSESSIVE.sub(" ", bare)
    terms = search_terms(bare) or search_terms(text) or search_terms(question)
    own = _FIRST_PERSON.search(question) is not None
    return Query(
        question,
        _slot(question),
        named,
        own,
        tuple(terms),
        text or question,
        period=_period(question),
        told_by="assistant" if _YOU_TOLD.search(question) else "asker" if _I_TOLD.search(question) else None,
        overview=_OVERVIEW.search(question) is not None,
        request=_REQUEST.search(question) is not None,
    )


def _period(question: str) -> tuple[float, float] | None:
    """The time that a question names, if it is one and stands for itself: what "last week" counts from is not known."""
    cues = [cue for cue in find_time_cues(question, None) if cue.resolved]
    if len(cues) != 1:
        return None
    low, high = said_at(cues[0].start), said_at(cues[0].end)
    return -math.inf if low is None else low, math.inf if high is None else high


def _slot(question: str) -> Slot:
    """What a question asks for: the question word that stands first decides ("What does she do when it rains?" asks what)."""
    found = [(match.start(), order, slot) for order, (slot, pattern) in enumerate(_SLOTS) if (match := pattern.search(question))]
    if not found:
        return "what"
    start, _, slot = min(found)
    what = _WHAT.search(question)
    if slot == "yes_no" and language_of(question) == "de":
        return "what"  # German "was" is English "what"
    return slot if what is None or start <= what.start() else "what"
