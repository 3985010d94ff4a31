"""Remarks: English sentences without a first or second person, and whom they are about all the same.

In a talk of two people a remark on what the other told or showed ("That kiln's amazing!") is about the other, and so is what is said
to the other by name ("A hard job, Tobin").
"""

from __future__ import annotations

import re

from memcli.language.lexicon import WORD

CRY = (
    r"(?:(?:wow|woah|whoa|ooh+|aw+|oh|hey|yeah|yes|yep|omg|and|so|really|just|man|gosh|haha|ah|well|but|true|exactly|right"
    r"|(?-i:[A-Z])\w+(?=[,!]))\b[,!.]?\s+)"
)
"""A word or a name that only calls, before the sentence proper."""
VERY = r"(?:(?:so|really|very|just|super|such|pretty|truly|absolutely|totally|quite|always|incredibly|simply|too|a|an|all)\s+)*"
VALUE = (
    r"(?:amazing|awesome|beautiful|great|good|nice|cool|lovely|wonderful|fantastic|incredible|gorgeous|stunning|inspiring|impressive"
    r"|adorable|cute|sweet|perfect|excellent|brilliant|special|powerful|touching|moving|admirable|inspirational|breathtaking|delicious"
    r"|yummy|fun|hilarious|funny|tough|rough|awful|terrible|sad|scary|heartbreaking|heartwarming|exciting|interesting|fascinating|huge"
    r"|big|precious|magical|peaceful|relaxing|delightful|remarkable|unbelievable|unreal|crazy|wild|insane|rewarding|thoughtful"
    r"|neat|fab|fabulous|magnificent|superb|outstanding|tasty|epic|meaningful|encouraging|uplifting|vibrant|serene"
    r"|cozy|cosy|creative|the best|majestic|spectacular|brave|courageous|tempting|annoying|frustrating|stressful)\b"
)
"""What somebody thinks of a thing."""
_ADMIRED = re.compile(
    rf"^\W*{CRY}{{0,3}}(?:"
    rf"(?:that|those)(?:\s+[\w'’-]+){{0,3}}?(?:['’](?:s|re)|\s+(?:is|are|looks?|sounds?|seems?|must be))\s+{VERY}{VALUE}"
    rf"|(?:seeing|hearing|knowing|reading|watching|having)\s+(?:that|those|such|all that)\b[^,.;]*?(?:\s+is|\s+are|['’]s)\s+{VERY}{VALUE}"
    r"|\w{2,}ing\s[^,.;]*?\smust(?:['’]ve| have) been\b|\w{2,}ing\s[^,.;]*?\smust\s+be\b"
    rf"|such\s+(?:an?\s+)?(?:[\w'’-]+\s+){{1,4}}(?:is|are)\s+{VERY}{VALUE}"
    r")",
    re.IGNORECASE,
)
"""A demonstrative, or what somebody saw of it, and a word that values it."""
_HEAD = re.compile(r"\b(?:that|those)\s+([\w-]+)(?:['’](?:s|re)\b|\s+(?:is|are|looks?|sounds?|seems?|must)\b)", re.IGNORECASE)

_ANAPHOR = re.compile(
    r"^\W*(?:and |but |so |plus,? )?(?:it|they|those|these|that|this|he|she|his|her|their|its|it['’]s|that['’]s|they['’](?:re|ve)"
    r"|he['’]s|she['’]s)\b",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"^\W*(?:wow|woah|whoa|ooh+|aww+|omg)[,!]?\s+(?:an?|such|so)\s[^.?]*!\W*$|"
    r"^\W*(?:(?:wow|woah|whoa|aww+|oh|yeah|cool|nice|great|awesome|congrats|congratulations|hey|omg|[A-Z]\w+)[,!]?\s+){0,3}"
    r"(?:that(?:['’]s|(?: \w+)? (?:is|was|sounds|must|looks)\b)|\w+(?: \w+)? must(?:['’]ve| have| be)\b|those|what an?|sounds"
    r"|looks|must (?:be|have)|good for)\b"
    rf"|^\W*{CRY}{{0,3}}(?:they|he|she)(?:['’](?:re|s)|\s+(?:are|is|looks?|sounds?|seems?|must be))\s+{VERY}{VALUE}",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"^\W*(?:(?:wow|woah|whoa|oh|hey|yeah|yes|omg|and|so|really|just|[A-Z]\w+)[,!]?\s+){0,3}"
    r"(?:way to go|congrat\w*|kudos|hats off|props|well done|bravo|good (?:luck|for)|best of luck"
    r"|(?:nice|great|good|awesome|amazing|excellent|fantastic) (?:job|work|going)"
    r"|sorry (?:about|for|to (?:hear|see))|(?:glad|happy|great|good|nice|cool|awesome|thrilled) to hear)\b",
    re.IGNORECASE,
)

_OWN_NEWS = re.compile(
    r"^\W*(?:(?:yeah|yes|yep|yup|no|nope|nah|oh|wow|hey|hi|hello|well|and|but|so|just|really|super|pretty|totally|definitely|also|aw+|ok"
    r"|okay|same|haha|(?-i:[A-Z])\w+(?=[,!]))\b[,!.]?\s+){0,4}"
    r"(?:thanks|thank|thx|ty|cheers|appreciate\w*|can['’]?t|cannot|could(?:n['’]?t)?|ha(?:ve|s)n['’]?t|(?:it|that|this) means"
    r"|glad|excited|looking forward|gonna|gotta|hoping|hope"
    r"|stoked|psyched|thrilled|proud|happy to|sorry|been|never|had|got|went|still|trying|working on|wish|love|loved|will|would love"
    r"|of course|sure|absolutely|definitely|no (?:doubts?|problem|worries)|same here|it['’]?s been|it has been|it was|it took|took"
    r"|here(?:['’]?s)?|check|miss|feeling|feels?|doing|(?:good|great|nice) to (?:see|hear))\b",
    re.IGNORECASE,
)
"""What somebody tells of himself without saying "I", though it names who is told: "Can't wait, Tobin!"."""

_PAST = re.compile(r"\b(?:was|were|had|did|went|got|came|took)\b", re.IGNORECASE)
"""Forms in which people tell their own news rather than say what they think of another's."""


def points_back(text: str) -> bool:
    """Whether a sentence begins with a word that stands for what was said before: "it", "they", "that"..."""
    return _ANAPHOR.match(text) is not None


def reacts(text: str) -> bool:
    """Whether a sentence at the beginning of a turn reacts to what the other has just told: "Wow, that's great!", "What a view!"."""
    return _REACTION.match(text) is not None


def praises(text: str) -> bool:
    """Whether a sentence praises or pities whom it is said to: "Way to go!", "Congrats on the prize", "Sorry about the leak"."""
    return _PRAISE.match(text) is not None


def admires(text: str) -> bool:
    """Whether a sentence values what the other has shown or told: "That kiln's amazing!", "Seeing such patience is inspiring"."""
    return _ADMIRED.match(text) is not None


def admired(text: str) -> str | None:
    """The noun behind the demonstrative of a sentence that `admires`, casefolded; None for a bare "that"."""
    head = _HEAD.search(text)
    return head[1].casefold() if head else None


def calls(text: str, called: frozenset[str]) -> bool:
    """Whether a sentence begins or ends with the name of whom it is said to, and tells nothing of who says it.

    Args:
        text: a sentence in which no first or second person stands.
        called: casefolded words by which the other may be called.
    """
    found = list(WORD.finditer(text))
    if len(found) < 3:
        return False
    lead = next((match for match in found[:3] if match.group().casefold() in called), None)
    last = found[-1]
    begins = lead is not None and text[lead.end() : lead.end() + 1] in (",", "!")
    ends = last.group().casefold() in called and text[: last.start()].rstrip()[-1:] in (",", "!", "-", "–", "—")
    return (begins or ends) and not _OWN_NEWS.match(text) and not _PAST.search(text)
