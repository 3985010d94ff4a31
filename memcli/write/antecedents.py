"""Antecedents: what "they", "she" or "he" at a sentence's beginning stands for, as far as the sentence before tells.

English only. A candidate is a phrase of fitting number: a plural for "they", somebody's name or relation for "she" and "he". Whose it
is decides who the sentence is about; the words themselves take the pronoun's place only where there is exactly one candidate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memcli.atoms import Handle
from memcli.language.lexicon import FUNCTION_EN, WORD, word_set, words
from memcli.language.singular import singular
from memcli.language.word_classes import word_class
from memcli.write.handle_words import ACQUAINTANCE, KIN
from memcli.write.plurals import is_plural

_STATEMENT = re.compile(
    r"^\W*(?:(?:and|but|so|yeah|yes|no|oh|wow|well|aw+|plus|also|haha|then)\b[,!]?\s+){0,2}(they|she|he)(?:['’](?:re|ve|ll|d|s))?\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^\W*(?:(?:and|but|so|yeah|oh|wow|well|aw+|cool|nice|great|how|what|why|where|when|who|which)\b[,!]?\s+){0,2}"
    r"(?:\w+\s+){0,1}(?:are|is|do|does|did|were|was|have|has|can|could|will|would|['’]re|['’]s)\s+(they|she|he)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(They|She|He)(?P<tail>['’](?:re|ve|ll|s))?(?=\s)")
_VERBS = {"re": " are", "ve": " have", "ll": " will", "s": "'s"}
_GROUPS = word_set(
    "team family group crew company band couple crowd audience staff class community club choir shop store restaurant agency school"
    " everyone everybody someone somebody anyone people person partner spouse"
)
"""Singulars that "they" may stand for."""
_WOMEN = word_set("mother sister grandmother wife daughter aunt girlfriend niece fiancee")
_MEN = word_set("father brother grandfather husband son uncle boyfriend nephew")
_PERSONS = word_set(
    "girl boy woman man guy lady child kid baby toddler stranger fan player actor actress singer artist author writer host guest chef nurse"
    " vet pet pup puppy kitten kitty character hero heroine soldier veteran leader member trainer instructor"
    " professor lawyer engineer babysitter landlord employee employer customer visitor volunteer"
)
"""Singulars for people and animals."""
_FORMS = {
    "they": word_set("they them their theirs they're they've"),
    "she": word_set("she her hers she's"),
    "he": word_set("he him his he's"),
}
_WHOSE = word_set("my your the")
"""What may stand before a noun that is told again in a later sentence."""
_BEFORE_PLURAL = word_set("my your our his her their the these those some many few several two three four five both all")
_CLASSES = frozenset(["noun", "empty", "adjective", "vague", "tail"])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A phrase a pronoun may stand for; `again` is how a later sentence may say it, None if it cannot be told again."""

    pronouns: frozenset[str]
    again: str | None


def pronoun_of(text: str) -> str | None:
    """Which of "they", "she" and "he" an English sentence tells or asks of; None if its subject is another word."""
    found = _STATEMENT.match(text) or _QUESTION.match(text)
    return found[1].lower() if found else None


def candidates(text: str, handles: Sequence[Handle], start: int, people: frozenset[str]) -> list[Candidate]:
    """The phrases of an English sentence that a pronoun of the next one may stand for, in order.

    Args:
        text: the sentence.
        handles: the handles found in it.
        start: where the sentence begins in its message, from which the handles' offsets count.
        people: casefolded words of the participants' names, which stand for no third person.
    """
    found = list(WORD.finditer(text))
    named = [
        (h.offset - start, h.offset - start + len(h.text))
        for h in handles
        if h.kind in ("person", "name") and h.text.casefold() not in FUNCTION_EN  # "WHAT?!" is no name
    ]
    out: list[Candidate] = []
    for i, match in enumerate(found):
        lower = match.group().casefold().replace("’", "'")
        place = next((place for place in named if place[0] <= match.start() < place[1]), None)
        if place is not None:
            if match.start() == place[0] and people.isdisjoint(w.casefold() for w in WORD.findall(text[place[0] : place[1]])):
                out.append(Candidate(frozenset(["she", "he", "they"]), text[place[0] : place[1]]))
        elif lower in KIN or lower in ACQUAINTANCE or lower in _PERSONS:
            pronouns = {"she", "they"} if KIN.get(lower) in _WOMEN else {"he", "they"} if KIN.get(lower) in _MEN else {"she", "he", "they"}
            phrase = _phrase(text, found, i)
            out.append(Candidate(frozenset(pronouns), phrase if phrase and phrase.split()[0].lower() in _WHOSE else None))
        elif lower in _GROUPS:
            out.append(Candidate(frozenset(["they"]), None))
        elif (is_plural(lower) or (i > 0 and _is_plural_behind(found[i - 1].group(), lower))) and not _goes_on(text, found, i):
            out.append(Candidate(frozenset(["they"]), _phrase(text, found, i)))
        elif len(found) > 1 and lower not in FUNCTION_EN and _is_capitalised(text, match, i) and lower.removesuffix("'s") not in people:
            out.append(Candidate(frozenset(["she", "he", "they"]), None))
    return out


def repeats(text: str, pronoun: str) -> bool:
    """Whether an English sentence already speaks of "they", "she" or "he" in any form."""
    return not _FORMS[pronoun].isdisjoint(words(text))


def _is_plural_behind(determiner: str, lower: str) -> bool:
    """Whether a word that may be a verb is a plural because of what stands before it: "my pets"."""
    return determiner.casefold() in _BEFORE_PLURAL and word_class(lower) == "either" and singular(lower, "en") != lower


def _is_capitalised(text: str, match: re.Match[str], i: int) -> bool:
    """Whether a word looks like a name: capitalised inside a sentence, or at its beginning as an owner."""
    word = match.group()
    if not word[:1].isupper() or word.isupper() or word.casefold().replace("’", "'") in FUNCTION_EN:
        return False
    return word.endswith(("'s", "’s")) if i == 0 else text[: match.start()].rstrip()[-1:].isalnum()


def _goes_on(text: str, found: Sequence[re.Match[str]], i: int) -> bool:
    """Whether the next word is a noun to which this one only belongs: "arts" in "arts centre"."""
    if i + 1 == len(found) or text[found[i].end() : found[i + 1].start()] != " ":
        return False
    following = found[i + 1].group().casefold()
    return following not in FUNCTION_EN and word_class(following) == "noun"


def _phrase(text: str, found: Sequence[re.Match[str]], i: int) -> str | None:
    """The noun with its adjectives and what says whose it is; None where something else stands before it ("some", "two", "of")."""
    first = i
    while first > 0 and i - first < 3 and text[found[first - 1].end() : found[first].start()] == " ":
        before = found[first - 1].group().casefold()
        if before in _WHOSE:
            return text[found[first - 1].start() : found[i].end()]
        if before in FUNCTION_EN or word_class(before) not in _CLASSES:
            break
        first -= 1
    if first > 0:
        before = found[first - 1].group().casefold()
        if before in ("of", "a", "an") or word_class(before) in ("determiner", "stop", "pronoun"):
            return None
    return text[found[first].start() : found[i].end()]


def told_again(text: str, before: Sequence[Candidate]) -> str | None:
    """A sentence with its first "They", "She" or "He" said in the words it stands for; None unless exactly one candidate fits.

    Args:
        text: the sentence.
        before: the candidates of the sentence before it.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    fitting = {c.again for c in before if opening[1].lower() in c.pronouns}
    phrase = fitting.pop() if len(fitting) == 1 else None
    if phrase is None:
        return None
    plural = opening[1] == "They"
    if plural and not is_plural(phrase.split()[-1].casefold()):
        return None
    tail = opening["tail"]
    joined = _VERBS[tail[1:].lower()] if tail else ""
    return phrase[:1].upper() + phrase[1:] + joined + text[opening.end() :]
