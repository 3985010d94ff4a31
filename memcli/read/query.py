"""Reading a question: whom it names, what it is looking for, and the words and the text to search with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memcli.language.lexicon import FUNCTION, WORD
from memcli.store.search import search_terms

Slot = Literal["when", "how_long", "how_many", "who", "where", "why", "how", "yes_no", "what"]

_PATTERNS: tuple[tuple[Slot, str], ...] = (
    (
        "how_long",
        r"\bhow long\b|\bfor how (?:long|many (?:days|weeks|months|years))\b"
        r"|\bcuánto tiempo\b|\bwie lange\b|\bcombien de temps\b|多久|多长时间",
    ),
    (
        "when",
        r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\b(?:in )?which (?:month|year|week)\b"
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
"""What each question asks for; the first that matches decides."""

_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b", re.IGNORECASE)
_ROLES = frozenset(("user", "assistant", "system", "tool"))


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
    terms: tuple[str, ...]
    text: str

    def to_dict(self) -> dict[str, object]:
        """How the question was read, for `--explain`."""
        return {"slot": self.slot, "speakers": list(self.speakers), "terms": list(self.terms), "embedded_text": self.text}


def read_query(question: str, speakers: tuple[str, ...]) -> Query:
    """Read a question.

    Args:
        question: any text at all.
        speakers: everybody who speaks in the memory.
    """
    named = tuple(s for s in speakers if s.strip() and re.search(rf"(?<!\w){_called(s)}(?!\w)", question, re.IGNORECASE))
    text = question
    for name in sorted(named, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){_called(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    text = " ".join(text.split())
    bare = WORD.sub(lambda m: " " if m.group().casefold().replace("’", "'") in FUNCTION else m.group(), text)
    bare = _POSSESSIVE.sub(" ", bare)
    terms = search_terms(bare) or search_terms(text) or search_terms(question)
    slot: Slot = next((slot for slot, pattern in _SLOTS if pattern.search(question)), "what")
    return Query(question, slot, named, tuple(terms), text or question)


def _called(speaker: str) -> str:
    """A pattern for a speaker's name in a question. One known by role only is "the user": "a user interface" names nobody."""
    name = re.escape(speaker)
    return rf"the\s+{name}" if speaker.casefold() in _ROLES else name
