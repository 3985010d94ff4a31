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
from memcli.write.orders import is_imperative
from memcli.write.plurals import is_plural
from memcli.write.remarks import CRY, VALUE, VERY
from memcli.write.verbs import is_adverb

MAX_SUBJECT = 9
"""Words of the longest subject of a maxim; longer ones tell of something particular."""

_LEAD = re.compile(rf"^\W*{CRY}{{0,2}}", re.IGNORECASE)
_PREDICATE = re.compile(
    r"(?:\s+(?:is|are|can be)|['’]s(?!\s[\w-]+\s(?:is|are|can|has|have|makes?)\b))\b"
    r"|(?<!\bto)\s+(?:do(?:es)? )?(?P<verb>can|makes?|takes?|helps?|pays?|brings?|gives?|means?|matters?|have|has"
    r"|deserves?|needs?|requires?|teach(?:es)?|heals?|builds?|changes?|keeps?|shows?|conquers?|happens?|counts?|should|beats?|wins?|lets?"
    r"|reminds?|creates?|connects?|inspires?|boosts?|fl(?:y|ies)|lasts?|goes|will)\b",
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
    "the this that these those his hers her their theirs its it he she they him them here there another some my your today now"
    " currently tonight yesterday tomorrow lately recently soon i me"
)
_PRESENT_CASE = word_set("his her him their them here there today now currently tonight almost finally soon yet again")
"""Words behind "is" or "are" that tell of something particular."""
_OWN_AFFAIRS = word_set(
    "things plans sales orders customers clients students kids children exams classes lessons tickets results preparations rehearsals days"
    " weekends nights thoughts thanks congrats cheers tests parents guys folks reviews workouts lots tons plenty loads"
)
"""Plurals that in a talk are mostly somebody's own, though nothing says whose."""
_AGREES = word_set("are have make take bring give help need teach let keep")
"""Predicates that only a plural has, or an order."""
_SUCH = re.compile(
    r"(?:(?:these|those|such)\s+|\w+\s+(?=\w+\s+like\s))?(?P<noun>\w+)(?P<like>\s+like\s+(?:this|that|these|those))?(?:\s+(?:really|truly|always|sure))?$",
    re.IGNORECASE,
)
_WAY = re.compile(
    rf"^\W*(?:(?:always|also|just|really)\s+)?(?:an?|the)\s+{VERY}(?:{VALUE}\s+)?(?:ways?|outlets?|tools?|escapes?)\s+(?:to|for)\b",
    re.IGNORECASE,
)
_ANY = re.compile(r"(?:an?(?: little)?|one|every|each|any|even an?)\s+[a-z]", re.IGNORECASE)
_AT_ALL = re.compile(r"\b(?:in|of|around|to) the (?:world|end|long run)\b", re.IGNORECASE)
"""What is everywhere or always, though it has "the" before it."""
_US = word_set("us our ourselves we")
_DEFINITE = word_set("the that this those these")
_CLAUSE = word_set("who which that when while where because if for to")
_NO_GERUND = word_set("nothing something anything everything morning evening during looking sibling ceiling")
_VALUED = re.compile(VALUE, re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|did|wasn['’]t|weren['’]t|didn['’]t|(?<!a )must)\b", re.IGNORECASE)
"""Forms that tell of something particular: what was, and what somebody concludes from it."""
_IT_IS = re.compile(
    rf"^\W*{CRY}{{0,2}}it(?:['’]s| is| can be)\s+{VERY}(?:"
    r"(?:important|crucial|essential|vital|key|normal|natural|wise|healthy|okay|ok|fine|necessary|common|human|worth it)\s+"
    r"(?:for\s+(?:\w+\s+){1,3}?)?(?P<should>to|that)"
    rf"|{VALUE}\s+(?:to (?:see|think|know) )?(?:how|what|when)|(?<=can be )(?:so |really )?{VALUE}\s+to)\s+(?P<told>\w.*)",
    re.IGNORECASE | re.DOTALL,
)
"""What is found of a thing at large: "It's amazing how art can ...", "It's important to rest"."""
_MAIN_THING = re.compile(
    rf"^\W*{CRY}{{0,2}}(?:the|one)\s+(?:(?:(?:most|really|very)\s+)*(?:important|main|key|crucial|essential|vital)\s+(?:thing|part|point|step)"
    r"|key|trick|secret|point)(?:\s+(?:to|of|in|for|with|here)\b[^,.;:]{0,40}?)?\s+is\s+(?:(?:just|simply|always|really|not)\s+)*to\s+\w",
    re.IGNORECASE,
)
"""What is to be done by anybody: "The key is to rest"."""
_NEEDED = re.compile(rf"^\W*{VERY}(?:key|crucial|important|essential|vital|everything|what (?:counts|matters)|necessary)\b", re.IGNORECASE)
_GENERIC_YOU = re.compile(
    r"\b(?:you never know|who knows (?:what|if|when|where)|you (?:only )?live (?:only )?once|you can['’]?t (?:go wrong with"
    r"|please everyone|have it all|put a price)"
    r"|you get what you (?:pay|put)|you reap what you|you win some|you can never have too)\b",
    re.IGNORECASE,
)
_ASSENT = re.compile(r",?\s*\b\w+n['’]t (?:it|they)\W*$", re.IGNORECASE)
_TAG = re.compile(r"\b(?:right|huh|it|they)\W*$", re.IGNORECASE)


def is_maxim(text: str) -> bool:
    """Whether an English sentence holds of anybody: "Weddings are the best!", "Practice makes perfect", "You never know"."""
    if not is_english(text) or (text.rstrip().endswith(("?", "？")) and not _TAG.search(text)):
        return False
    if means_anybody(text) or _MAIN_THING.match(text):
        return True
    if found := _IT_IS.match(text):
        return bool(found["should"] or not _PAST.search(text)) and _tells_of_all(words(found["told"]))
    lead = _LEAD.match(text)
    return _tells_of_kind(_ASSENT.sub("", text[lead.end() :] if lead else text))


def _tells_of_all(told: list[str]) -> bool:
    """Whether the words behind "It's good how ..." point at nothing particular; "these" and "those" may, where they do it to us."""
    return _PRESENT_CASE.isdisjoint(told) and (told[0] not in _PARTICULAR or (told[0] in ("these", "those") and not _US.isdisjoint(told)))


def means_anybody(text: str) -> bool:
    """Whether the "you" of an English sentence is anybody: "You never know", "You can't go wrong with soup"."""
    return _GENERIC_YOU.search(text) is not None


def _tells_of_kind(said: str) -> bool:
    """Whether a sentence's subject is a bare plural, a gerund or a thing at large, and its verb is in the simple present."""
    predicate = _PREDICATE.search(said)
    if predicate is None or _PAST.search(said):
        return False
    before, rest = said[: predicate.start()], said[predicate.end() :]
    rest = _AT_ALL.sub(" ", rest)
    raw = words(before)
    subject = [word.split("'")[0] for word in raw]
    while subject and (subject[-1] == "sure" or (is_adverb(subject[-1]) and word_class(subject[-1]) != "noun")):
        subject.pop()
    such = _SUCH.match(before)
    if such is not None and (
        (such["like"] and singular(such["noun"].casefold(), "en") != such["noun"].casefold())
        or (word_class(singular(such["noun"].casefold(), "en")) == "vague" and not _US.isdisjoint(words(rest)))
    ):
        return True  # "Moments like these remind us to rest"
    if (
        len(subject) < 6
        and ((subject and subject[0] not in FUNCTION_EN and _WAY.match(rest)) or _ANY.match(before))
        and not (_PARTICULAR | _OWN_AFFAIRS).intersection(subject + words(rest))
    ):
        return not _ANY.match(before) or predicate["verb"] == "can"  # "Yoga is a great way to rest", "A mentor can do wonders"
    gerund = bool(subject) and _is_gerund(subject)
    particular = _PARTICULAR - _DEFINITE if gerund and _NEEDED.match(rest) else _PARTICULAR
    if not 1 <= len(subject) <= MAX_SUBJECT or "," in before or not particular.isdisjoint(subject) or _UNDER_WAY.match(rest):
        return False
    if subject == ["life"] and len(words(rest)) < 3:
        return False  # "Life's good": the speaker's own
    if gerund:
        return _VALUED.fullmatch(subject[0]) is None  # "Exciting to see what's next" has no subject
    if not (_PARTICULAR if predicate["verb"] else _PRESENT_CASE).isdisjoint(words(rest)):
        return False  # "Herons need it": of something that was told before
    if subject[0] in _ANYBODY:
        return len(subject) == 1 and predicate["verb"] is not None
    if len(subject) < 5 and any(word.endswith(("'s", "s'")) and _is_many(word.rstrip("s").rstrip("'")) for word in raw[:-1]):
        return subject[0] not in FUNCTION_EN  # "Young people's patience is amazing"
    several = predicate.group().strip() in _AGREES
    sides = " ".join(subject).split(" and ")
    return _CLAUSE.isdisjoint(subject) and all(_is_kind(side.split(), several=several) for side in sides)


def _is_gerund(subject: list[str]) -> bool:
    """Whether a subject says what somebody does: "mending nets", "meeting new people"."""
    first = subject[0]
    if len(first) < 5 or not first.endswith("ing") or first in _NO_GERUND:
        return False
    return word_class(first) != "noun" or (len(subject) > 1 and word_class(subject[1]) not in ("noun", "vague", "tail", "either"))


def _is_many(word: str) -> bool:
    """Whether what stands before an apostrophe is people or things of a kind."""
    return word in _ANYBODY or is_plural(word) or is_plural(f"{word}s")


def _is_kind(subject: list[str], *, several: bool) -> bool:
    """Whether a subject is a plural or a thing at large with nothing before it but adjectives.

    Args:
        subject: its casefolded words.
        several: whether the verb shows that it is a plural.
    """
    if not subject or subject[0] in FUNCTION_EN or len(subject) > 4 or not all(word.isalpha() for word in subject):
        return False
    head = next((word for word, after in itertools.pairwise(subject) if after in ("of", "in", "with", "from", "like")), subject[-1])
    if word_class(head) in ("verb", "pronoun", "adverb", "determiner") or head in _OWN_AFFAIRS:
        return False
    told_apart = several or (len(subject) > 1 and "like" not in subject)
    many = is_plural(head) or (told_apart and word_class(head) == "either" and singular(head, "en") != head)
    return head in _AT_LARGE or (many and (several or not is_imperative(" ".join(subject))))
