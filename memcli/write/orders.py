"""Orders: English sentences that tell somebody to do something."""

from __future__ import annotations

import re

from memcli.language.lexicon import FUNCTION_EN, PHATIC, WORD, is_english, word_set
from memcli.language.word_classes import word_class
from memcli.write.verbs import IMPERATIVES, IRREGULAR_PAST, SAME_IN_PAST, is_adverb, third_person_of

_ORDERS = word_set(
    "don't install open click select replace restart remove delete copy paste save download upload enable disable configure deploy"
    " increase reduce avoid ensure verify focus break identify define store implement optimize monitor assign allocate schedule research"
    " contact book order choose pick limit track document refactor log mix apply address highlight aim double-check be draft submit"
    " request gather confirm determine evaluate assess establish encourage celebrate spend aim keep reflect engage stick employ lean"
    " conclude detail dedicate complete experiment drag anticipate outline elaborate attach offer revise consult coordinate rehearse"
    " brainstorm rotate inhale exhale repeat enter press type note"
)
_FEELS = word_set(
    "agree appear appreciate belong bet deserve doubt expect fail fall feel guess happen hate hear hope hurt lack like love matter mean"
    " miss need own prefer realize recommend seem smell sound suppose taste thank thanks want wish wonder"
)
"""Bare verbs that begin a sentence whose "I" is left out: "Need a hand", "Miss the sea"."""
_BEGIN_ORDERS = (IMPERATIVES | SAME_IN_PAST | _ORDERS) - (_FEELS - {"feel", "fail"})
_OBJECTS = word_set("the a an your his her its their this these those any each every all both some it them yourself yourselves")
"""Words that behind a sentence's first word make it a verb, if it could be a noun."""
_PARTICLES = word_set("up out away down through back off ahead")
_DAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november"
    " december today tomorrow yesterday"
)
_NO_ORDERS = _FEELS | _DAYS | word_set("mum mom dad grandma grandpa auntie") | FUNCTION_EN | PHATIC | IRREGULAR_PAST
_FINITE = word_set(
    "is are was were has had will would isn't aren't wasn't weren't hasn't hadn't won't went came took kept gave became began seems"
    " starts started ended helps helped makes feels"
)
"""Forms that only a subject before them explains."""
_TOLD = re.compile(
    r"\b(?:and|but)\s+(?:(?:then|finally|still|just|also|we|i|it)\s+){0,2}(?:got|was|were|did|had|went|made|took|came|felt|found|won|lost)\b",
    re.IGNORECASE,
)
"""A second verb that is past: then the first one is past as well."""
_PREPOSITIONS = word_set("of in on at for with from about to")
_DETERMINERS = word_set("the a an my your our his her their this that")


def is_imperative(text: str) -> bool:
    """Whether an English sentence tells somebody to do something: it begins with a verb's base form."""
    found = [w.lower() for w in WORD.findall(text)[:4]]
    while found and (is_adverb(found[0]) or found[0] in ("please", "first", "then", "and", "next")):
        found = found[1:]
    if len(found) > 1 and found[0] in ("do", "have") and found[1] in ("you", "we", "they", "i", "it"):
        return False  # asks: "Do you have ...", "Have you ..."
    return bool(found) and _may_order(text, found) and not _is_noun_subject(text, found[0])


def _may_order(text: str, found: list[str]) -> bool:
    """Whether the first of some casefolded words is a bare verb that orders, as far as it and the next one tell."""
    first, second = found[0], found[1] if len(found) > 1 else ""
    if first in SAME_IN_PAST and second not in _OBJECTS and _TOLD.search(text):
        return False  # "Put in long nights but got it done"
    if first in _BEGIN_ORDERS:
        return True
    if first in _NO_ORDERS or first.endswith(("ing", "ed")):
        return False
    kind = word_class(first)
    if kind == "verb":
        return word_class(third_person_of(first)) == "verb"
    if kind not in ("either", "noun", "vague", "tail") or first.endswith("s") or not first.isalpha():
        return False
    return (second in _OBJECTS or (kind == "either" and second in _PARTICLES)) and is_english(text)


def _is_noun_subject(text: str, first: str) -> bool:
    """Whether the noun that looks like an order is what a finite verb soon after it tells of: "Dance practice has been great"."""
    seen = False
    previous, end = "", 0
    for match in list(WORD.finditer(text))[:8]:
        lower = match.group().lower().replace("’", "'")
        if not seen:
            seen = lower == first
        elif re.search(r"[,;:!?(–]", text[end : match.start()]):
            return False
        elif lower in _FINITE:
            return True
        elif lower in FUNCTION_EN and lower not in _PREPOSITIONS and not (lower in _DETERMINERS and previous in _PREPOSITIONS):
            return False
        previous, end = lower, match.end()
    return False
