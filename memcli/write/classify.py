"""What sort of sentence a span is: its kind, modality and polarity, and whether it asks or only offers help.

Closed patterns of several languages, tried in a fixed order; none of them knows a topic.
"""

from __future__ import annotations

import re

from memcli.atoms import ClaimKind, Modality, Polarity, TimeCue

_QUESTION_END = re.compile(r"[?？](?:[\"'”’)\]\s]|[^\w\s])*$")
_OFFER = re.compile(
    r"^(?:feel free to|let me know|i hope (?:this|that)|if you (?:have|need|want|would like)|would you like"
    r"|do you (?:want|need) (?:me|help|more)|happy (?:coding|designing|learning|to help)|good luck|you're welcome"
    r"|here(?:'s| is| are) (?:a|an|the|some|how|your)\b[^.]*:$"
    r"|(?:sure|certainly|absolutely|of course|great)\b[^.]*[!:]$|let's (?:dive|get started|break|go through)|is there anything)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|none|nobody|nothing|without|neither|nor|cannot|\w+n['’]t)\b"
    r"|\b(?:no|nunca|jamás|nicht|kein\w*|nie|niemals|pas|jamais)\b|[不没]",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:will|going to|gonna|plan(?:s|ning)? to|i'm planning|about to|scheduled|next (?:week|month|year|weekend)|tomorrow"
    r"|intend(?:s)? to|i'll|we'll)\b"
    r"|\b(?:voy a|vamos a|mañana|werde|werden|morgen|je vais|nous allons|demain)\b|明天|打算|准备|下(?:周|个月)",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:wish|hope|hoping|would love|'d love|would like to|'d like to|want(?:s)? to|wanna|dream of|dreaming of|thinking (?:of|about))\b"
    r"|\b(?:quiero|ojalá|me gustaría|möchte|hoffe|je voudrais|j'aimerais)\b|希望|想要",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"^(?:please\s+)?(?:always|never|from now on|remember to|make sure|don't ever|do not ever|whenever|when i ask)\b"
    r"|\b(?:always|from now on)\b.*\bwhen i ask\b"
    r"|^(?:siempre|nunca|immer|niemals|toujours|ne jamais)\b|^(?:以后|请总是|总是)",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:love|loves|like|likes|enjoy|enjoys|prefer|prefers|favou?rite|hate|hates|fan of|can't stand|obsessed|adore|into)\b"
    r"|\b(?:me gusta|me encanta|prefiero|mag|liebe|lieber|lieblings\w*|j'aime|je préfère|adore)\b|喜欢|最爱|讨厌",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:must|have to|has to|need to|needs to|can't|cannot|allergic|deadline|budget|at most|at least|no more than|require[sd]?)\b",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\bmy (?:\w+ )?(?:mom|mum|mother|dad|father|parents|brother|sister|son|daughter|wife|husband|partner|boyfriend|girlfriend|fiancée?"
    r"|friend|boss|colleague|coworker|cousin|aunt|uncle|grandma|grandpa|grandmother|grandfather|dog|cat|roommate|neighbou?r|teacher|mentor)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:\w{3,}ed|went|did|made|got|took|came|saw|found|gave|bought|built|met|won|lost|left|began|wrote|read|had|was|were)\b",
    re.IGNORECASE,
)
_STATE = re.compile(r"\b(?:am|is|are|i'm|we're|feel|feels|feeling|live|lives|work|works|have|has|own|owns)\b", re.IGNORECASE)

_STATED_KINDS: tuple[tuple[re.Pattern[str], ClaimKind], ...] = (
    (_PREFERENCE, "preference"),
    (_CONSTRAINT, "constraint"),
    (_RELATION, "relation"),
)
"""Kinds that a word gives away, whatever the tense; the first that matches decides."""


def is_question(text: str) -> bool:
    """Whether a span asks something."""
    return _QUESTION_END.search(text.rstrip()) is not None


def is_offer(text: str) -> bool:
    """Whether a sentence is what an assistant says around an answer (offers, hopes, announcements), with no fact in it."""
    return _OFFER.match(text) is not None


def polarity(text: str) -> Polarity:
    """Whether a text says that something is so, or that it is not."""
    return "negative" if _NEGATION.search(text) else "positive"


def modality(text: str) -> Modality:
    """Whether a text tells what is or was, what is planned or wished for, or what is denied; never `asks`, see `is_question`."""
    if _PLAN.search(text):
        return "plans"
    if _WISH.search(text):
        return "wishes"
    return "denies" if _NEGATION.search(text) else "did"


def claim_kind(text: str, time: TimeCue | None, role: str) -> ClaimKind:
    """What a text states.

    Args:
        text: the words of the claim's supporting spans.
        time: the claim's time; a resolved one makes an event of what no pattern claims first.
        role: the speaker's; only a user gives instructions.
    """
    if role == "user" and _INSTRUCTION.search(text):
        return "instruction"
    for pattern, kind in _STATED_KINDS:
        if pattern.search(text):
            return kind
    if _PAST.search(text) or (time is not None and time.resolved):
        return "event"
    return "state" if _STATE.search(text) else "fact"
