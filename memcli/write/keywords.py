"""Keywords of a claim: 3 to 5 noun phrases in a canonical form, found by rules.

A clause is walked once, and runs of modifiers and nouns are kept: a verb, an adverb or a function word ends one, a trailing adjective is
dropped, an adjective that tells nothing apart ("great") is dropped from its front. A run of capitalised words is a name and keeps its form.
Scripts without spaces are cut at their function words instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.language.european_nouns import FUNCTION_MORE, is_probably_a_noun
from memcli.language.lexicon import FUNCTION, PHATIC, is_phatic, language_of, word_set
from memcli.language.singular import singular
from memcli.language.unspaced import is_unspaced, unspaced_terms
from memcli.language.word_classes import SAYS_LITTLE, WordClass, in_doubt_a_verb, word_class

MAX_KEYWORDS = 5
"""Keywords of one claim (MemCoRe: 3 to 5)."""

MAX_PHRASE_WORDS = 3
"""Words of a phrase: its head and the two before it; longer ones hardly ever come back, and so link nothing."""

MAX_NAME_WORDS = 4
"""Words of a name, which is not cut short."""

MAX_WORD = 30
"""Characters of a word; a longer one is a sentence of a script without spaces, or no word."""

MAX_TEXT = 800
"""Characters looked at: a claim's text is not longer than a few sentences, its code may be."""

LANGUAGE_SAMPLE = 300
"""Characters from which the language is told."""

CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january february march april"
    " may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec mondays tuesdays"
    " wednesdays thursdays fridays saturdays sundays montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai"
    " juni juli oktober dezember lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto"
    " septiembre octubre noviembre diciembre lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet"
    " août septembre octobre novembre décembre"
)

_TOKEN = re.compile(
    r"(?P<skip>https?://\S+|www\.\S+|@\w[\w.]*|\\[A-Za-z]+)"
    r"|`(?P<code>[^`\n]{2,60})`"
    r"|(?P<word>[^\W_]+(?:[-'’&./_][^\W_]+)*)"
    r"|(?P<stop>[^\w\s*_~])"
)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_DECLARED = re.compile(
    r"(?:\b(?:def|class|function|interface|struct|enum|func|fn|TABLE(?:[ ]IF[ ]NOT[ ]EXISTS)?)[ ]|^\s*(?:import|from)[ ]|\brequire\(['\"])"
    r"([A-Za-z_][\w.-]{2,40})",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"[\w.$/-]+(?:[ ][\w.$/-]+){0,2}")
_NUMBER = re.compile(r"[\W\d_]+")
_SMALL: frozenset[WordClass] = frozenset(("determiner", "preposition", "conjunction"))
"""What a heading writes small; where all else is capitalised, capitals tell no names."""

_NOMINAL: frozenset[WordClass] = frozenset(("determiner", "preposition"))
_DOUBTFUL: frozenset[WordClass] = frozenset(("noun", "either", "ing", "ed"))
_THIRD_PERSON = word_set("he she it who this that which")
_NOUNS: frozenset[WordClass] = frozenset(("noun", "either", "ing"))
_PLURAL_MODIFIERS = word_set("sports arts games events goods systems operations sales savings women men people")
_KEPT_POSSESSIVES = word_set("bachelor's master's driver's farmer's women's men's children's valentine's mother's father's doctor's")
_BUILD_ON: frozenset[WordClass] = frozenset(("noun", "either", "adjective", "empty", "vague", "ing", "ed", "tail"))


def find_keywords(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """Up to `MAX_KEYWORDS` noun phrases: lower case, singular, the most telling first; none for a phatic text.

    Args:
        text: the words of a claim's supporting spans.
        names: casefolded names of the participants, which are handles and not keywords.
    """
    if len(text) > MAX_TEXT:
        text = text[: max(text.rfind(" ", 0, MAX_TEXT), 0) or MAX_TEXT]
    if is_unspaced(text):
        return tuple(dict.fromkeys(term for term in unspaced_terms(text) if term not in names))[:MAX_KEYWORDS]
    code: list[str] = []
    if "```" in text:
        code = [m[1].casefold() for block in _FENCE.findall(text) for m in _DECLARED.finditer(block)]
        text = _FENCE.sub(" . ", text)
    language = language_of(text[:LANGUAGE_SAMPLE])
    found: dict[str, float] = {}
    position = 0
    for clause in _clauses(text):
        phrases = _english(clause) if language == "en" else _other(clause, language)
        for words, is_name in phrases:
            phrase = _canonical(words, is_name, language)
            if phrase and not _names_a_person(words, names, short=is_name or len(clause) < 3):
                position += 1
                weight = (2.0 if len(words) > 1 else 0.0) + (1.5 if is_name else 0.0) - 0.01 * position
                found[phrase] = max(found.get(phrase, -9.0), weight)
    for word in dict.fromkeys(code):
        found.setdefault(word, 1.0 - 0.01 * len(found))
    if len(found) <= 2 and not code and is_phatic(text):
        return ()
    return tuple(_distinct(sorted(found, key=lambda phrase: -found[phrase])))


def _names_a_person(words: list[str], names: frozenset[str], *, short: bool) -> bool:
    """Whether a phrase holds a participant's name or, where it is written like one (`short`), begins one ("Meg" for Megan)."""
    return not names.isdisjoint(words) or (short and len(words) == 1 and any(name.startswith(words[0]) for name in names))


def _distinct(ranked: list[str]) -> list[str]:
    """The first `MAX_KEYWORDS` of them without those that lie wholly within a better one."""
    kept: list[str] = []
    for phrase in ranked:
        if len(kept) == MAX_KEYWORDS:
            break
        if not any(f" {phrase} " in f" {other} " for other in kept):
            kept.append(phrase)
    return kept


def _clauses(text: str) -> Iterator[list[str]]:
    """The words of each stretch between two marks; an inline piece of code is one word that begins with a back-tick."""
    clause: list[str] = []
    position = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        gap = text[position : match.start()]
        cut = kind in ("stop", "skip") or "**" in gap or "\n" in gap
        position = match.end()
        if cut and clause:
            yield clause
            clause = []
        if kind == "word":
            clause.append(match.group().replace("’", "'"))
        elif kind == "code":
            name = match["code"].removesuffix("()").strip(".:")
            if _IDENTIFIER.fullmatch(name) and not _NUMBER.fullmatch(name):
                clause.append(f"`{name}")
    if clause:
        yield clause


def _english(clause: list[str]) -> Iterator[tuple[list[str], bool]]:
    """The noun phrases of a clause of English, as they stand, and whether each is a name."""
    lower = [word.casefold() for word in clause]
    classes = [word_class(word) for word in lower]
    heading = len(clause) > 1 and all(word[0].isupper() or classes[i] in _SMALL for i, word in enumerate(clause))
    run: list[str] = []
    run_classes: list[WordClass] = []
    names = 0
    left: WordClass = "stop"
    opened: WordClass = "stop"
    for i, word in enumerate(clause):
        word_is, low = classes[i], lower[i]
        after: WordClass = classes[i + 1] if i + 1 < len(clause) else "stop"
        named = False
        if word[0] == "`":
            word_is = "noun"
            if run:
                yield from _phrase(run, run_classes, names)
                run, run_classes, names = [], [], 0
        elif len(low) > MAX_WORD or low in CALENDAR or (len(low) < 2 and word_is == "noun" and not run):
            word_is = "stop"
        elif word[0].isupper() and not heading and (i > 0 or (after in _BUILD_ON and clause[1:] and clause[1][0].isupper())):
            named = (word_is in _BUILD_ON and (i > 0 or not in_doubt_a_verb(low))) or (word.isupper() and len(word) > 1 and word_is != "be")
            if named:
                word_is = "noun"
        if low[-2:] == "'s" and word_is == "noun" and low not in _KEPT_POSSESSIVES and not (named and _goes_on(clause, i, after)):
            run.append(low[:-2])
            run_classes.append("noun")
            yield from _phrase(run, run_classes, names + named)
            run, run_classes, names, left = [], [], 0, "determiner"
            continue
        if word_is in _DOUBTFUL and not named and word[0] != "`":
            word_is = _by_neighbours(word_is, low, left, after, run, lower[i - 1] if i else "")
        if word_is in _BUILD_ON:
            if word_is in ("adjective", "empty", "ed") and run_classes and run_classes[-1] in ("noun", "vague", "either", "ing", "tail"):
                yield from _phrase(run, run_classes, names)
                run, run_classes, names = [], [], 0
            if not run:
                opened = "adverb" if i and classes[i - 1] == "adverb" else left
            run.append(word[1:].casefold() if word[0] == "`" else low)
            run_classes.append(word_is)
            names += named
        else:
            if run and not _is_predicate(run, opened, names):
                yield from _phrase(run, run_classes, names)
            run, run_classes, names = [], [], 0
        if word_is != "adverb":
            left = word_is
    if run and not _is_predicate(run, opened, names):
        yield from _phrase(run, run_classes, names)


def _goes_on(clause: list[str], i: int, after: WordClass) -> bool:
    """Whether a name goes on behind word `i`."""
    return after in _BUILD_ON and clause[i + 1][0].isupper()


def _is_predicate(run: list[str], opened: WordClass, names: int) -> bool:
    """Whether a run is one word that follows "is" or an adverb without an article: an adjective, in all likelihood."""
    return len(run) == 1 and not names and opened in ("be", "adverb") and not run[0].endswith("s")


def _by_neighbours(word_is: WordClass, word: str, left: WordClass, after: WordClass, run: list[str], before: str) -> WordClass:
    """What a word that may be a verb is, told by the words around it."""
    opens = after in ("determiner", "pronoun")
    if word_is == "noun":
        plural = word.endswith("s") and before not in _THIRD_PERSON
        return "verb" if (left == "pronoun" and not plural) or (opens and not run and left not in _NOMINAL) else "noun"
    if word_is == "either":
        if left == "pronoun" or (word.endswith("s") and before in _THIRD_PERSON) or (opens and left not in _NOMINAL):
            return "verb"
        if run and word.endswith("s") and after not in _BUILD_ON - {"adjective", "empty"} and in_doubt_a_verb(word):
            return "verb"
        after_plural = bool(run) and not word.endswith("s") and singular(run[-1], "en") != run[-1] and run[-1] not in _PLURAL_MODIFIERS
        if after_plural and (after not in _BUILD_ON or in_doubt_a_verb(word)):
            return "verb"
        return "verb" if left not in _NOMINAL and not run and in_doubt_a_verb(word) else "either"
    if word_is == "ed":
        return "ed" if left in ("determiner", "preposition", "empty", "adjective") and after in _BUILD_ON else "verb"
    if left in ("be", "pronoun") or (opens and left != "determiner"):
        return "verb"
    if not run and after in _BUILD_ON and left not in ("determiner", "empty", "adjective"):
        return "verb"
    return "verb" if run and run[-1].endswith(("s", "people")) and after not in _BUILD_ON else "ing"


def _phrase(run: list[str], classes: list[WordClass], names: int) -> Iterator[tuple[list[str], bool]]:
    """The run as a phrase: without what may not stand at its edges; nothing if no noun is left that tells something."""
    start, end = 0, len(run)
    while end > start and classes[end - 1] in ("adjective", "empty", "ed"):
        end -= 1
    while start < end and classes[start] == "empty":
        start += 1
    is_name = 2 * names > end - start
    start = max(start, end - (MAX_NAME_WORDS if is_name else MAX_PHRASE_WORDS))
    if start == end:
        return
    telling = any(classes[i] in _NOUNS and singular(run[i], "en") not in SAYS_LITTLE for i in range(start, end))
    head_says_little = classes[end - 1] in ("vague", "tail") or singular(run[end - 1], "en") in SAYS_LITTLE
    if not telling and (head_says_little or end - start == 1):
        return
    yield run[start:end], is_name


def _other(clause: list[str], language: str | None) -> Iterator[tuple[list[str], bool]]:
    """The noun phrases of a clause of another language: runs of capitalised words, and single content words.

    In German every noun is capitalised, so nothing else is taken.
    """
    run: list[str] = []
    previous = ""
    for i, word in enumerate([*clause, ""]):
        low = word.casefold()
        bare = re.sub(r"^(?:l|d|j|m|t|s|c|n|qu)'", "", low) if language == "fr" else low
        capital = word[:1].isupper() and not word.isupper() if i else False
        function = bare in FUNCTION or bare in PHATIC or bare in CALENDAR or bare in FUNCTION_MORE
        kept = bool(word) and not function and 2 < len(bare) <= MAX_WORD and not bare[0].isdigit()
        if language == "de":
            kept = kept and word[0].isupper() and (i > 0 or len(clause) == 1 or bare.endswith(("ung", "heit", "keit", "schaft", "chen")))
            capital = False
        if kept and capital and bare == low:
            run.append(low)
        else:
            if run:
                yield run, True
                run = []
            if kept and (language == "de" or is_probably_a_noun(bare, previous, language)):
                yield [bare], False
        previous = low


def _canonical(words: list[str], is_name: bool, language: str | None) -> str:
    """The phrase in lower case, its head in the singular unless it is a name."""
    head = words[-1] if is_name else singular(words[-1], language)
    if language == "en" and len(words) == 1 and head in SAYS_LITTLE:
        return ""
    return " ".join([*words[:-1], head]).strip("'.-/&")
