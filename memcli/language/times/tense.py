"""Whether a sentence speaks of the past or the future at a given place: a few hundred verb forms, no parser."""

from __future__ import annotations

import re
from typing import Literal

Direction = Literal["past", "future", "present", "habit", "unclear", "ahead", "unread"]
"""`ahead`: something agreed on that begins then; `unclear`: no verb tells; `unread`: in a language whose verbs are not known."""

_PAST_VERBS = (
    r"was|were|did|didn't|wasn't|weren't|had|hadn't|went|came|got|took|made|saw|met|said|told|knew|thought|gave|found|left|felt|"
    r"brought|bought|taught|caught|fought|sought|began|ran|sang|swam|drank|drove|rode|wrote|rose|spoke|broke|chose|froze|stole|woke|"
    r"wore|tore|swore|bore|grew|flew|blew|drew|threw|ate|fell|held|kept|slept|wept|swept|meant|sent|spent|lent|built|lost|won|sat|"
    r"stood|understood|paid|laid|heard|led|fed|sold|shot|stuck|struck|hung|dug|spun|became|forgot|hid|lit|slid"
)
_AUXILIARY = r"(?:am|is|are|i'm|we're|you're|they're|he's|she's|it's|that's|[a-z]+'(?:s|re|m))"
_NOT_ARRANGED = (
    r"(?:doing|feeling|trying|struggling|wondering|wanting|needing|loving|enjoying|looking (?!forward)\w+|"
    r"having (?:been|trouble|issues|problems|a hard)|getting (?:stuck|better|worse|tired|used)|going through|dealing|worrying)\b"
)
"""What one is doing is no appointment: "I'm feeling proud of my talk on April 1"."""
_NOT_PAST = "need|feed|seed|speed|indeed|exceed|proceed|succeed|bleed|breed|weed|shed|sled|wed|embed|naked|wicked|sacred|hundred|red|bed"

_MARKS = re.compile(
    r"(?P<future>\b(?:will|won't|shall|gonna|gotta|tomorrow|upcoming|let's|let us|should|must|might|"
    r"(?:going|plan(?:s|ned|ning)?|hop(?:e|es|ed|ing)|want(?:s|ed)?|need(?:s|ed)?|ha(?:ve|s)|decided|agreed|about|scheduled|supposed|due|"
    r"like|love|intend(?:s|ed|ing)?|promised|expect(?:s|ed|ing)?|ready|able|try|trying) to|"
    r"plan(?:s|ning)? on|look(?:s|ing)? forward|can't wait|cannot wait|coming up|(?:can|could|would) (?:you|we|i)|"
    r"are you (?:free|around|available))\b"
    r"|'ll\b|\b(?:tickets?|planned|booked|scheduled) for(?= )"
    r"|\b" + _AUXILIARY + r"(?: not)?(?: (?:also|still|just|all|finally|really|so|kinda))? (?!" + _NOT_ARRANGED + r")[a-z]{2,}ing\b)"
    r"|(?P<past>\b(?:have|has|i've|we've|you've|they've|he's|she's|haven't|hasn't)"
    r"(?: (?:just|already|also|never|not|recently|always|finally))?"
    r" (?:been|gone|seen|done|had|taken|given|known|made|met|[a-z]{2,}ed)\b"
    r"|\b(?:" + _PAST_VERBS + r")\b)"
    r"|(?P<present>\b" + _AUXILIARY + r"(?: (?:so|very|really|super|pretty|quite|too|all|not))? [a-z]{2,}ed\b"
    r"|\b(?:am|is|are|has|have|does|do|can|could|would|leaves?|starts?|begins?|opens?|arrives?|departs?|closes|visits|comes|"
    r"i'm|we're|you're|they're|he's|she's|it's|that's)\b)"
    r"|(?P<regular>\b(?!(?:" + _NOT_PAST + r")\b)[a-z]{2,}ed\b)"
)
_SENTENCE_END = re.compile(r"[.!?;\n](?:\s|$)")
_REACH = 200
_HABIT = re.compile(
    r"\b(?:usually|typically|normally|generally|often|sometimes|regularly|annually|yearly|weekly|every|each|whenever|"
    r"always(?! (?:remember|want|wanted|love|loved|be)\b))\b"
)
_CLAUSE_END = re.compile(r"[,:;]|\b(?:and|but|because|that|which|who|when|as|since|so|what)\b")
_FORCED = re.compile(r"\b(?:(?P<past>since|ever since)|(?P<future>until|till|til|by|due|starting|beginning)(?: the| on)?)\s+$")


_BEGINS = re.compile(r"\b(?:(?P<sure>starting|beginning|effective|as of)|from|through|until|till|to)(?: on| in)?(?: the)?\s+$")
_GOT = re.compile(r"\b(?:got|gotten|landed|received|found|won|given|gave|took)\b")
_AGREED = re.compile(
    r"\b(?:accepted|signed|booked|offered|hired|planned|agreed|enrolled|registered|secured|scheduled|reserved|rented|leased|arranged|decided|confirmed"
    r"|approved|granted|extended|postponed|moved|pushed|delayed)\b"
)


def direction_at(low: str, begin: int, finish: int) -> Direction:
    """The tense of the verb nearest to `low[begin:finish]` in its sentence; a verb before it wins over one after it.

    `low` is lower-cased text. "since" before the place means the past; "until" and "by" the future unless a verb in the
    past tense stands before them. "habit" if the sentence tells of something that
    recurs, "ahead" if it tells of something that was agreed on and begins at the place ("I got a job, starting July 1"),
    "unclear" if no verb is known.
    """
    forced = _FORCED.search(low, max(0, begin - 24), begin)
    if forced and forced["past"]:
        return "past"
    # A long run without a full stop is read only near the expression.
    left, right = max(0, begin - _REACH), min(len(low), finish + _REACH)
    for stop in _SENTENCE_END.finditer(low, left, begin):
        left = stop.end()
    stop_after = _SENTENCE_END.search(low, finish, right)
    if stop_after:
        right = stop_after.start()
    if _HABIT.search(low, left, right):
        return "habit"
    best: Direction = "unclear"
    since = left
    for mark in _MARKS.finditer(low, left, begin):
        # "you will be prepared for Friday": after a future, in the same clause, a form in -ed is a participle.
        if not (mark["regular"] and best == "future" and not _CLAUSE_END.search(low, since, mark.start())):
            best = _direction_of(mark)
        since = mark.end()
    after = _MARKS.search(low, finish, right)
    # "I started, and on Friday I'll stop": a verb in the same clause wins over one in the clause before.
    if after and (best == "unclear" or (_CLAUSE_END.search(low, since, begin) and not _CLAUSE_END.search(low, finish, after.start()))):
        best = _direction_of(after)
    if best == "unclear" and low[right : right + 1] == "?":
        return "present"
    begins = _BEGINS.search(low, max(left, begin - 24), begin)
    agreed = _AGREED.search(low, left, begin) or (begins is not None and begins["sure"] and _GOT.search(low, left, begin))
    if best == "past" and begins and agreed:
        return "ahead"
    if forced and best != "past":
        return "future"
    return best


def _direction_of(mark: re.Match[str]) -> Direction:
    kind = mark.lastgroup
    if kind == "future":
        return "future"
    return "present" if kind == "present" else "past"
