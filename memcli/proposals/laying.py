"""Laying a claim along what was said: item for item, in order, with nothing left out but what says nothing.

English has most of the rules; of other languages, a sentence stands if it repeats the speaker's with "I" by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from rapidfuzz.distance import OSA

from memcli.language.lexicon import word_set
from memcli.language.word_classes import word_class
from memcli.proposals.items import Item

_MIN_TYPO: Final = 8
"""Letters from which two words that differ by one slip of the finger are one word."""


_FILLERS = word_set("just really very also actually totally absolutely definitely honestly literally basically truly")
"""Words without which a sentence says the same, wherever they stand. "Just" before a number is none."""

_OPENERS = word_set(
    "well oh hey hi hello yeah yes yep yup wow ok okay so and but anyway ah aw aww haha thanks thank btw lol hmm great cool nice sure"
    " exactly absolutely please sorry congrats too"
)
"""Words that may go at the beginning or the end of a sentence, beside a comma."""

_LINKING = word_set("that")
"""Words that may be there or not: "she says (that) it broke"."""

SAYING = word_set("say says said mentions mentioned explains explained reports reported")

_TURNING = word_set(
    "not no never none nobody nothing nowhere neither nor without hardly barely scarcely rarely seldom lacks lack except unless if whether"
    " until or else almost nearly maybe perhaps probably possibly likely supposedly allegedly apparently would could might may should must"
    " think thinks thought believe believes believed guess hope hopes hoped wish wishes wished dream dreams dreamt dreamed imagine imagined"
    " pretend pretends pretended claim claims claimed say says said tell tells told ask asks asked suppose supposed doubt doubts seem seems"
    " seemed appear appears appeared according suggest suggests suggested promise promised expect expected want wants wanted plan plans"
    " planned try tries tried trying fail failed stop stopped quit refuse refused forget forgot deny denied avoid avoided story movie novel"
    " film game book joke joking kidding jk all every each any only most few some many half both less more least than fewer"
    " too enough rather instead like as when whenever whatever whoever once before after apart aside besides despite otherwise way sort"
    " kind sense hoping lie lied lies lying wrote write writes read reads heard hear hears texted shouted joked replied answered rumor"
    " rumour put nicht kein keine nie ohne wenn falls ob fast vielleicht nur alle jeder nunca no ni sin si casi quizás solo todos cada"
    " pas jamais rien sans presque peut-être seulement tous chaque ne"
)
"""Words in whose reach nothing may be left out: what is said may then hold only together with it."""

NEGATING = word_set(
    "not no never none nobody nothing nowhere neither nor without hardly barely scarcely rarely seldom nicht kein keine keinen nie niemals"
    " ohne nunca jamás nada nadie sin pas jamais rien sans"
)
"""Words that turn a sentence. "Not very happy" is not "not happy", so nothing at all may be left out beside them."""

_CUT_BEFORE = word_set("because so but while which who where although though since")
"""Words before which what is left of a sentence may end."""

_PASTS = (
    "go/went get/got buy/bought sell/sold make/made take/took see/saw meet/met come/came leave/left find/found give/gave "
    "tell/told say/said have/had eat/ate drink/drank write/wrote read/read begin/began win/won lose/lost keep/kept "
    "feel/felt learn/learned teach/taught bring/brought think/thought know/knew grow/grew build/built spend/spent "
    "pay/paid run/ran swim/swam sing/sang drive/drove ride/rode fly/flew choose/chose wear/wore catch/caught sleep/slept "
    "send/sent become/became do/did break/broke fall/fell hear/heard hold/held stand/stood sit/sat speak/spoke"
)
_IRREGULAR: dict[str, str] = dict(re.findall(r"(\w+)/(\w+)", _PASTS))
"""The past of verbs by their base form."""

_BASES = frozenset(_IRREGULAR) - {"read"} | word_set(
    "love like want need agree bet hope wish appreciate live work play use try enjoy hate prefer call ask help look seem believe remember"
    " plan"
)
"""Verbs whose base form cannot stand behind a name."""

_WH = word_set("when where who what which how why whom whose")
_AUXILIARY = word_set("do did be was have had will can would could should")
_MOVED = _AUXILIARY - {"do", "did"}
_MEASURES = word_set("many much long far often old big tall")
_YES = word_set("yes yeah yep yup sure definitely absolutely ja sí oui 是 是的 对")
NEUTRAL = {"his": "their", "her": "their", "hers": "theirs", "him": "them", "himself": "themself", "herself": "themself"}
_THEY = word_set("they them their theirs themself themselves")

SHORT_ANSWER: Final = 6
"""Words of an answer that may be told together with its question, as the rules have it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a claim's items were found in a source: what stands for what."""

    pairs: tuple[tuple[Item, Item], ...]
    whole: bool


def lay(told: list[Item], said: list[Item], speaker: str | None) -> Fit | None:
    """How a claim follows from one sentence; None if it does not.

    Args:
        told: the claim's items.
        said: the sentence's.
        speaker: who says it, casefolded.
    """
    found = _laid(told, said, speaker)
    if found is None and told[0].kind == "person" and told[0].key == speaker and len(told) > 3:
        # "Mara says that ..."
        rest = told[1:]
        if rest[0].text in SAYING:
            rest = rest[1:]
            rest = rest[1:] if rest[0].text in _LINKING else rest
            found = _laid(rest, said, speaker, subject=told[0].key) if rest else None
    if found is None:
        found = _laid_with_time_moved(told, said, speaker)
    return found


def _laid(told: list[Item], said: list[Item], speaker: str | None, *, subject: str | None = None) -> Fit | None:
    free = not any(item.text in _TURNING or item.key in _TURNING for item in said)
    for start in range(len(said)):
        fit = _laid_from(told, said, start, speaker, free, subject)
        if fit is not None:
            return fit
    return None


def _laid_from(told: list[Item], said: list[Item], start: int, speaker: str | None, free: bool, subject: str | None) -> Fit | None:
    """Lay a claim along a source from one of its items on."""
    pairs: list[tuple[Item, Item]] = []
    own = _is_own_beginning(told, said, start, speaker)
    subject = told[0].key if own else subject
    negated = any(item.text in NEGATING for item in said)
    whole = True
    here, there = int(own), start
    while here < len(told):
        found = _same(told[here], said[there], pairs, subject) if there < len(said) else None
        if found is not None:
            here, there, subject = here + 1, there + 1, found or subject
        elif pairs and there < len(said) and _may_go(said, there, negated=negated):
            there += 1
        elif pairs and told[here].text in _LINKING:
            here += 1
        elif len(pairs) == 1 and free and pairs[0][1].spoken and (jumped := _next_predicate(said, there)) is not None:
            there, whole, free = jumped, False, False
        else:
            return None
    before, after = _edge(said, range(start)), _edge(said, range(there, len(said)))
    if (own and not after) or (not before and not (free and _may_begin(said, start))):
        return None
    if not after and not (free and _may_end(said, there)):
        return None
    return Fit(tuple(pairs), whole and before and after)


def _same(told: Item, said: Item, pairs: list[tuple[Item, Item]], subject: str | None) -> str | None:
    """Whether two items are one; then the pair is kept, and who the claim is about is returned ("" for nobody yet)."""
    if told.kind == "pronoun" and said.kind == "person":
        persons = {pair[1].key for pair in pairs if pair[1].kind == "person"} | ({subject} if subject else set())
        mine = said.spoken and said.key == subject and (told.text in _THEY or (told.text in NEUTRAL and persons == {subject}))
        if not mine or ((told.text in ("their", "theirs", "his", "hers")) != said.possessive and told.text != "her"):
            return None
        pairs.append((told, said))
        return subject
    if told.kind != said.kind or told.possessive != said.possessive:
        return None
    if told.kind == "person":
        if told.key != said.key:
            return None
        pairs.append((told, said))
        return subject or told.key
    if told.key != said.key and not _is_form(told, said, pairs) and not _is_slip(told.key, said.key):
        return None
    if _is_unturned(told, said, pairs):
        return None
    pairs.append((told, said))
    return subject or ""


def _is_form(told: Item, said: Item, pairs: list[tuple[Item, Item]]) -> bool:
    """Whether a verb is the third person of one whose subject is "I" or "you"; or a contraction is spelt out."""
    if {told.key, said.key} == {"'s", "be"} or {told.key, said.key} == {"'s", "have"}:
        return True
    if told.kind != "word" or told.article or said.article or not any(pair[1].spoken for pair in pairs[-3:]):
        return False
    behind = bool(pairs) and pairs[-1][1].spoken and not pairs[-1][1].possessive
    return (behind or word_class(said.key) == "verb") and told.key in third_persons(said.key)


def _is_unturned(told: Item, said: Item, pairs: list[tuple[Item, Item]]) -> bool:
    """Whether a verb still has the form of "I" or "you" behind a name: "Mara love", "Mara are"."""
    if not pairs or told.kind != "word" or not pairs[-1][1].spoken or pairs[-1][1].possessive or pairs[-1][0].kind != "person":
        return False
    if pairs[-1][1].text not in ("i", "you"):
        return False
    return told.text in ("am", "are", "were") or (told.key == said.key and told.text == said.text and told.text in _BASES)


def third_persons(verb: str) -> tuple[str, ...]:
    """What the third person of an English verb may be, by its base form."""
    return (f"{verb}s", f"{verb}es", f"{verb[:-1]}ies") if verb.endswith("y") else (f"{verb}s", f"{verb}es")


def _is_slip(told: str, said: str) -> bool:
    """Whether one long word is the other with two neighbouring letters swapped, inside."""
    if min(len(told), len(said)) < _MIN_TYPO or len(told) != len(said):
        return False
    return sorted(told) == sorted(said) and told[:2] == said[:2] and told[-2:] == said[-2:] and OSA.distance(told, said) == 1


def _is_own_beginning(told: list[Item], said: list[Item], start: int, speaker: str | None) -> bool:
    """Whether a claim names the speaker before a sentence that leaves out its "I": "Went to Ghent" is "Mara went to Ghent"."""
    if start or len(told) < 2 or not said or said[0].kind != "word" or told[1].key != said[0].key:
        return False
    own = told[0].kind == "person" and not told[0].possessive and told[0].key == speaker
    return own and (said[0].key in _IRREGULAR.values() or (word_class(said[0].key) == "ed" and len(said[0].key) > 4))


def _may_go(said: list[Item], index: int, *, negated: bool) -> bool:
    """Whether an item within a sentence may be left out."""
    if said[index].text in _LINKING:
        return True
    counts = index + 1 < len(said) and said[index + 1].kind == "number"
    return said[index].text in _FILLERS and not negated and not counts


def _edge(said: list[Item], left_out: range) -> bool:
    """Whether what is left out at an end of a sentence says nothing: openers, fillers, somebody who is called."""
    called = 0
    for index in left_out:
        item = said[index]
        if item.kind == "person" and not item.possessive and not item.spoken:
            called += 1
            apart = item.broken or all(said[i].text in _OPENERS for i in range(index))
            closed = index + 1 == len(said) or said[index + 1].broken
            if called > 1 or not apart or not closed or (index + 1 == len(said) and not item.broken):
                return False
        elif item.text not in _OPENERS and item.text not in _FILLERS and item.text not in _LINKING:
            return False
    return True


def _may_begin(said: list[Item], start: int) -> bool:
    """Whether a claim may begin within a sentence: at a clause of "I" or "you" behind a comma or a conjunction; or behind a time."""
    if all(item.kind == "time" or item.text in _OPENERS for item in said[:start]):
        return True
    subject = said[start]
    opens = subject.broken or said[start - 1].text in ("and", "but", "so")
    return opens and subject.kind == "person" and subject.spoken and not subject.possessive


def _may_end(said: list[Item], end: int) -> bool:
    """Whether a claim may end within a sentence: before a comma, a conjunction with a clause behind it, or a time."""
    if all(item.kind == "time" or item.text in _OPENERS for item in said[end:]):
        return True
    item = said[end]
    if item.broken or item.text in _CUT_BEFORE:
        return True
    return item.text == "and" and end + 1 < len(said) and (said[end + 1].kind in ("person", "pronoun") or _is_past(said[end + 1]))


def _is_past(item: Item) -> bool:
    return item.kind == "word" and (item.key in _IRREGULAR.values() or word_class(item.key) == "ed")


def _next_predicate(said: list[Item], there: int) -> int | None:
    """Where the second predicate of the same subject begins: "I sold the kiln and moved to Ghent" -> "moved"; None if there is none."""
    for index in range(there, len(said)):
        item = said[index]
        if item.kind in ("person", "pronoun", "time") or item.text in _WH or item.text in _LINKING or item.text.endswith("ing"):
            return None
        if index > there and said[index - 1].text == "and" and _is_past(item) and _is_past(said[there]):
            return index
    return None


_JOINING = word_set("and or but because so while when if although though since which who where that then as")


def _laid_with_time_moved(told: list[Item], said: list[Item], speaker: str | None) -> Fit | None:
    """The same for a claim that tells the only time of a sentence of one clause at another place in it."""
    times = [[item for item in items if item.kind == "time"] for items in (told, said)]
    if [len(found) for found in times] != [1, 1] or times[0][0].key != times[1][0].key:
        return None
    at = said.index(times[1][0])
    rest = [replace(item, broken=False) if place == at + 1 else item for place, item in enumerate(said) if place != at]
    fit = _laid([item for item in told if item.kind != "time"], rest, speaker)
    if fit is None or not fit.whole:
        return None
    laid = [said_item for _, said_item in fit.pairs]
    joined = any(item.text in _JOINING for item in laid) or any(item.broken for item in laid[1:])
    return None if joined else fit


# A question and its answer ---------------------------------------------------------------------------------------------------


def lay_answer(told: list[Item], asked: list[Item], answered: list[Item]) -> Fit | None:
    """How a claim follows from a question and a short answer together; None if it does not."""
    answer = [item for item in answered if item.text not in _OPENERS and item.text not in _FILLERS]
    question = [item for item in asked if item.text not in _OPENERS and item.text not in _FILLERS]
    if not question or any(item.kind in ("person", "pronoun") or item.text in _TURNING for item in answer):
        return None
    if question[0].key in _AUXILIARY:
        said_yes = not answer and 0 < len(answered) <= 3 and any(item.text in _YES for item in answered)
        return _fit_statement(told, question, []) if said_yes else None
    if not answer or len(answered) > SHORT_ANSWER or question[0].text not in _WH:
        return None
    how = question[0].text == "how"
    noun = 1
    if how or question[0].text in ("what", "which"):
        while noun < len(question) and question[noun].key not in _AUXILIARY:
            noun += 1
    counted = question[1:noun]
    if how and (not counted or counted[0].text not in _MEASURES):
        return None
    beside = {"when": word_set("in on at"), "how": word_set("for")}.get(question[0].text, frozenset())
    for block in ([*answer, *counted[1:]],) if how else (answer, [*answer, *counted]):
        if fit := _fit_statement(told, question[noun:], block, beside):
            return fit
    return None


def _fit_statement(told: list[Item], question: list[Item], answer: list[Item], beside: frozenset[str] = frozenset()) -> Fit | None:
    """Whether a claim is a question's words in their order with the answer, in one piece, somewhere among them."""
    if any(item.text in _TURNING for item in question):
        return None
    auxiliary = question[0].key if question and question[0].key in _AUXILIARY else None
    rest = question[1:] if auxiliary is not None else question
    for at in range(len(told) - len(answer) + 1) if answer else [0]:
        pairs: list[tuple[Item, Item]] = []
        if any(_same(one, two, pairs, None) is None for one, two in zip(told[at : at + len(answer)], answer, strict=True)):
            continue
        before = told[: at - 1] if at and told[at - 1].text in beside else told[:at]
        stated = [*before, *told[at + len(answer) :]]
        if auxiliary in _MOVED:
            places = [place for place, item in enumerate(stated) if item.key == auxiliary]
            if len(places) != 1:
                continue
            del stated[places[0]]
        if len(stated) == len(rest) and _states(stated, rest, auxiliary, pairs):
            return Fit(tuple(sorted(pairs, key=lambda pair: pair[0].start)), True)
    return None


def _states(stated: list[Item], asked: list[Item], auxiliary: str | None, pairs: list[tuple[Item, Item]]) -> bool:
    subject: str | None = None
    for one, two in zip(stated, asked, strict=True):
        if auxiliary == "did" and one.kind == "word" and one.key in _pasts(two.key) and two.kind == "word":
            pairs.append((one, two))
            auxiliary = None
            continue
        found = _same(one, two, pairs, subject)
        if found is None:
            return False
        subject = found or subject
    return auxiliary != "did"


def _pasts(verb: str) -> tuple[str, ...]:
    if verb in _IRREGULAR:
        return (_IRREGULAR[verb],)
    regular = (f"{verb}ed", f"{verb}d", f"{verb}{verb[-1:]}ed")
    return (*regular, f"{verb[:-1]}ied") if verb.endswith("y") else regular
