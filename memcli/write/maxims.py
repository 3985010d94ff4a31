"""Maxims: English sentences about nobody in particular, such as "Weddings are the best!" or "Practice makes perfect".

Their subject is a bare plural, a gerund or a thing at large, their verb is in the simple present, and they point to nothing that was
told before. Closed word lists, no parser; in doubt a sentence is no maxim.
"""

from __future__ import annotations

import itertools
import re

from memcli.language.lexicon import FUNCTION_EN, is_english, word_set, words
from memcli.language.singular import singular
from memcli.language.word_classes import word_class
from memcli.write.plurals import is_plural
from memcli.write.remarks import CRY, VALUE, VERY
from memcli.write.third_person import is_imperative

MAX_SUBJECT = 9
"""Words of the longest subject of a maxim; longer ones tell of something particular."""

_LEAD = re.compile(rf"^\W*{CRY}{{0,2}}", re.IGNORECASE)
_PREDICATE = re.compile(
    r"(?:\s+(?:is|are|can be)|['’]s)\b|(?<!\bto)\s+(?P<verb>can|makes?|takes?|helps?|pays?|brings?|gives?|means?|matters?|have|has"
    r"|deserves?|needs?|requires?|teach(?:es)?|heals?|builds?|changes?|keeps?|shows?|conquers?|happens?|counts?|should|beats?|wins?)\b",
    re.IGNORECASE,
)
_UNDER_WAY = re.compile(
    r"^\W*(?:(?:not|still|just|really|also|already|so|all)\s+)*(?:been|going|coming|getting|doing|\w{2,}ing\s+(?:up|in|out|on|well))\b"
)
_ANYBODY = word_set("people everyone everybody nobody anyone anybody")
_AT_LARGE = word_set(
    "life love art music family friendship honesty kindness patience practice time nature change growth success failure trust hope"
    " happiness communication creativity consistency perseverance persistence support teamwork balance diversity acceptance knowledge"
    " education health money courage confidence discipline dedication passion gratitude laughter respect beauty"
)
"""Nouns that mean the thing at large where nothing stands before them."""
_PARTICULAR = word_set(
    "the this that these those his hers her their theirs its it he she they him them here there another some my our your today now"
    " currently tonight yesterday tomorrow lately recently soon i me we us"
)
_PRESENT_CASE = word_set("his her him their them here there today now currently tonight almost finally soon yet again")
"""Words behind "is" or "are" that tell of something particular."""
_OWN_AFFAIRS = word_set(
    "things plans sales orders customers clients students kids children exams classes lessons tickets results preparations rehearsals days"
    " weekends nights thoughts thanks congrats cheers tests parents guys folks reviews workouts lots tons plenty loads"
)
"""Plurals that in a talk are mostly somebody's own, though nothing says whose."""
_CLAUSE = word_set("who which that when while where because if and for to")
_NO_GERUND = word_set("nothing something anything everything morning evening during looking sibling ceiling")
_VALUED = re.compile(VALUE, re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|did|wasn['’]t|weren['’]t|didn['’]t|(?<!a )must)\b", re.IGNORECASE)
"""Forms that tell of something particular: what was, and what somebody concludes from it."""
_WHAT_IT_CAN = re.compile(
    rf"^\W*{CRY}{{0,2}}it(?:['’]s| is)\s+{VERY}{VALUE}\s+(?:how|what)\s+(?!(?:it|that|this|the|those|these|he|she|they)\b)\w+(?:\s+\w+)?"
    r"\s+(?:can|brings?|makes?|helps?)\b",
    re.IGNORECASE,
)
"""What is found good of a thing at large: "It's amazing how art can ..."."""
_GENERIC_YOU = re.compile(
    r"\b(?:you never know|you (?:only )?live (?:only )?once|you can['’]?t (?:go wrong with|please everyone|have it all|put a price)"
    r"|you get what you (?:pay|put)|you reap what you|you win some|you can never have too)\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"\b(?:right|huh|it|they)\W*$", re.IGNORECASE)


def is_maxim(text: str) -> bool:
    """Whether an English sentence holds of anybody: "Weddings are the best!", "Practice makes perfect", "You never know"."""
    if not is_english(text) or (text.rstrip().endswith(("?", "？")) and not _TAG.search(text)):
        return False
    if means_anybody(text) or _WHAT_IT_CAN.match(text):
        return True
    lead = _LEAD.match(text)
    return _tells_of_kind(text[lead.end() :] if lead else text)


def means_anybody(text: str) -> bool:
    """Whether the "you" of an English sentence is anybody: "You never know", "You can't go wrong with soup"."""
    return _GENERIC_YOU.search(text) is not None


def _tells_of_kind(said: str) -> bool:
    """Whether a sentence's subject is a bare plural, a gerund or a thing at large, and its verb is in the simple present."""
    predicate = _PREDICATE.search(said)
    if predicate is None or _PAST.search(said):
        return False
    before, rest = said[: predicate.start()], said[predicate.end() :]
    subject = [word.split("'")[0] for word in words(before)]
    if not 1 <= len(subject) <= MAX_SUBJECT or "," in before or not _PARTICULAR.isdisjoint(subject) or _UNDER_WAY.match(rest):
        return False
    if subject == ["life"] and len(words(rest)) < 3:
        return False  # "Life's good": the speaker's own
    if len(subject[0]) > 4 and subject[0].endswith("ing") and subject[0] not in _NO_GERUND and word_class(subject[0]) != "noun":
        return _VALUED.fullmatch(subject[0]) is None  # "Exciting to see what's next" has no subject
    if not (_PARTICULAR if predicate["verb"] else _PRESENT_CASE).isdisjoint(words(rest)):
        return False  # "Herons need it": of something that was told before
    if subject[0] in _ANYBODY:
        return len(subject) == 1 and predicate["verb"] is not None
    return _CLAUSE.isdisjoint(subject) and _is_kind(subject)


def _is_kind(subject: list[str]) -> bool:
    """Whether a subject is a plural or a thing at large with nothing before it but adjectives."""
    if subject[0] in FUNCTION_EN or len(subject) > 4 or not all(word.isalpha() for word in subject):
        return False
    head = next((word for word, after in itertools.pairwise(subject) if after in ("of", "in", "with", "from", "like")), subject[-1])
    if word_class(head) in ("verb", "pronoun", "adverb", "determiner") or head in _OWN_AFFAIRS:
        return False
    many = is_plural(head) or (len(subject) > 1 and word_class(head) == "either" and singular(head, "en") != head and "like" not in subject)
    return head in _AT_LARGE or (many and not is_imperative(" ".join(subject)))
