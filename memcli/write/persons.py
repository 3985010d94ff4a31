"""Who a sentence is about, and the sentence with its first and second person resolved to names.

English sentences are told in the third person ("I moved" -> "Mara moved", see `memcli.write.third_person`); where that cannot be done
faithfully, and in other languages, the words stay as they are behind the speaker's name ("Mara: ..."). What is changed are the
words for the speaker and the addressee and the verbs that must agree with them; nothing else is added or left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memcli.language.lexicon import is_english, word_set, words
from memcli.write.orders import is_imperative
from memcli.write.remarks import cheers_on, means_much, without_frame
from memcli.write.second_person import told_of_addressee
from memcli.write.third_person import in_third_person, is_numeral, mask_quotes

_I = re.compile(r"\b(I|I['’](?:m|ve|d|ll))\b")
_FIRST = re.compile(r"\b(i|me|my|mine|myself|im|ive|i['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_FIRST_PLURAL = re.compile(r"\b(we|us|our|ours|ourselves|we['’](?:re|ve|d|ll)|let['’]s)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(you|your|yours|yourself|u|ur|ya|you['’](?:re|ve|d|ll))\b", re.IGNORECASE)
_FIRST_OTHER = re.compile(
    r"\b(yo|mi|mis|me|conmigo|nosotros|nosotras|nuestr[oa]s?|ich|mir|mich|mein\w*|wir|uns|unser\w*|je|moi|mon|ma|mes|nous|notre|nos)\b"
    r"|\bj['’]|[我俺咱]|私|僕|俺",
    re.IGNORECASE,
)
_SECOND_OTHER = re.compile(
    r"\b(tú|tu|tus|usted|ustedes|vosotros|contigo|du|dir|dich|dein\w*|ihr|euch|euer|toi|ton|ta|tes|vous|votre|vos)\b|[你您]|あなた",
    re.IGNORECASE,
)
_SET_PHRASES = re.compile(
    r"\b(?:thank (?:you|u)|(?:thanks to|because of) you|see (?:you|ya)|you know(?: what)?(?=[,!.?]|$)|you see(?=,)|mind you"
    r"|bless you|if you will|you(?:['’]re| are) (?:so |totally |absolutely )?right"
    r"|(?:as )?you(?: can|['’]ll| will) (?:see|tell|notice|imagine|guess)"
    r"|here (?:you|ya) (?:go|are)|your(?: (?:so|totally|completely|absolutely))? right(?=[,.!]|$)"
    r"|let (?:me|you) (?:know|guess|see)|excuse me|believe me|trust me|my (?:god|goodness|gosh))\b",
    re.IGNORECASE,
)
"""Phrases whose "you" and "my" are about nobody."""
_ASKING = re.compile(
    r"\b(?:since|after) (?:we|our)\b[^,.!?？]*|\b(?:i['’]m (?:just )?curious|i was (?:just )?wondering|i wonder|tell me|i have to ask)\b",
    re.IGNORECASE,
)
"""What stands about a question and is not what it asks of: "..., since we last spoke?", "I'm curious, ..."."""
_QUESTION = re.compile(r"[?？]\W*$")
_CONDITION = re.compile(r"\b(?:if|when|whenever|once|whether|unless) you(?:['’]\w+)?\b", re.IGNORECASE)
"""In an explanation: anybody who does so."""
_CIRCUMSTANCE = re.compile(
    r"^\W*(?:if|when|while|since|because|as|after|before|although|though|once|until|whenever|unless|for|to|in|on|at|with|during|instead|given"
    r"|based|by|depending|where|next|now|then|finally|so|also|however|therefore|[a-z]+ly)\b[^,.;:!?]*,\s+",
    re.IGNORECASE,
)
"""Under which circumstances the main clause behind it holds, or an order is to be followed."""
_JOINTLY = re.compile(r"^\W*let['’]?s\b", re.IGNORECASE)
_POSSIBLE = re.compile(
    r"^\W*you(?:['’]ll)?\s+(?:(?:also|then|first|will|would|might|may|can)\s+)?"
    r"(?:can|could|may|might|should|must|need|have to|want to|use)\b",
    re.IGNORECASE,
)
"""What anybody may or must do who wants something: advice, like an order."""
_HELPED = re.compile(r"\b(?:help|allow|let|enable)s? you (?!at|in|on|with|for|through|out)\w+", re.IGNORECASE)
"""Whom something serves who uses it."""
_PLACEHOLDER = re.compile(r"\[[^\]\n]*\]")
_YOUR = re.compile(r"\b(?:your|yours|ur)\b", re.IGNORECASE)
_OF_YOU = re.compile(
    r"\byou['’](?:re|ve|ll|d)\b|\blike you\b|\byou (?:all|guys|both|two|were|did|have|are)\b"
    r"|\b(?:how|what|so|but|and)\b[^,;]*\byou\b|[-–—]\s*you\b",
    re.IGNORECASE,
)
"""What tells of the addressee, though the sentence is about anybody as it begins."""
_OPENING_CLAUSE = re.compile(
    r"^\W*(?:(?:and|but|so|well|yeah|oh),?\s+)?(?:if|when|while|since|because|as|after|before|although|though|once|until|whenever"
    r"|unless|for|to|[a-z]+ing)\b[^,.;!?]*,",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"^\W*(?:(?:\w+)[,!]\s+){0,2}(?:and |but |so )?(?:(?:i|i'm|i am|im)\s+)?(?:(?:so|really|very|just|also|always|truly|do|still|too)\s+)*"
    r"(?:glad|happy|sorry|sure|think|know|hear|heard|hope|bet|guess|see|believe|remember|love how|love that|sounds like|looks like"
    r"|seems like|proud that|great|good|nice)\b(?:\s+(?:to (?:hear|see|know)|like))?(?:\s+(?:about|that|how))?\s+"
    r"(?=(?:you(?:['’]\w+)?\s+(?!(?:at|on|in|soon|later|there|for|from|too|and|all|guys|so|well|today|tomorrow|tonight)\b)\w|your\s))",
    re.IGNORECASE,
)
"""What stands before what somebody says of the addressee: "I'm glad that you ...", "Sounds like you ..."."""
_SERVED = re.compile(
    r"\b(?:help|allow|let|enable|make|give|take|show|teach(?:e)?|keep|remind|bring|get|push)s? you\b(?! (?:at|too|so much)\b)",
    re.IGNORECASE,
)
"""What a thing does to anybody who does it or has it: "It helps you see new things"."""
_ELIDED_I = re.compile(
    r"^\W*(?:(?:and|but|yeah|yes|oh|wow|well|hey|thanks|sure|cool|(?-i:[A-Z])\w+(?=[,!]))\b[,!]?\s+){0,2}"
    r"(?:(?:so|really|just|also|always|truly|totally|absolutely|definitely|completely|still|highly|very|super|much|i)\s+)*"
    r"(?:(?:agree|want(?:ed)?|bet(?! (?:it|that|this|they)\b)|recommend|loved?|hope|haven['’]?t|been|got|went|saw|met|took|tried|enjoyed"
    r"|used|finished|watched|started|appreciate[ds]?|miss(?:ed)?|thanks? for|can['’]?t (?:wait|thank)|cannot wait|couldn['’]?t"
    r"|looking forward|(?:keep|send|wish|giv|tell|show|bring|miss|hugg|thank)ing you"
    r"|(?:proud|impressed|inspired|touched|moved|thankful|grateful|excited|thrilled|stoked|jealous|envious|happy|glad)"
    r" (?:of|by|for|about|to(?! (?:hear|see|know)\b))"
    r"|(?:great|good|nice|lovely|wonderful|awesome) (?:to )?(?:hear(?:ing)? from|see(?:ing)?|meet(?:ing)?|talk(?:ing)? (?:to|with)"
    r"|chat(?:ting)? (?:to|with)|catch(?:ing|in['’]?)? up with) you)\b)(?![^?？]*[?？]\W*$)",
    re.IGNORECASE,
)
"""A sentence that leaves out its "I": "Totally agree", "Love your kiln"."""
_CALLS = word_set(
    "anytime always hi hey hello yo dear thanks thank thx you so much ok okay yes yeah yep no nope wow woah whoa oh ah aw well sure bye"
    " goodbye congrats congratulations sorry cheers welcome good morning evening night cool nice great awesome absolutely totally exactly"
    " definitely right true agreed and but hola gracias sí hallo danke ja nein guten morgen salut bonjour merci oui non"
)
"""Words that may stand between a sentence's beginning and the name of somebody who is called."""
_REQUEST = re.compile(r"^\W*(?:please\s+)?(?:can|could|would|will|do|did|are|have|what|how|which|why|where|when|should)\b", re.IGNORECASE)
_LABEL = re.compile(r"^\W*(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*|^\W*(?:\*\*|__)[^*_]+:(?:\*\*|__)\s*")
"""The bold name of a list's item: "**Ask around**: ..."."""
_YOUR_ONLY = re.compile(r"^\W*your\s(?!(?:.*\W)?(?:you|u|ur|ya)\b)", re.IGNORECASE | re.DOTALL)
"""A sentence about what is the addressee's, with no "you" that a name could not stand for."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A sentence about somebody: `text` stands alone, `subject` is who it is about (None: nobody in particular)."""

    text: str
    subject: str | None


def display_name(speaker: str, role: str) -> str:
    """How a speaker is called in a claim: the name, or "The user" / "The assistant" for one known by role only."""
    bare = speaker.strip()
    return f"The {bare.lower()}" if bare.lower() == role else bare


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _rewrite_second_person(text: str, name: str) -> str:
    """A sentence that begins with "your": the first by name, later ones as "their"."""
    first = True

    def replace(match: re.Match[str]) -> str:
        nonlocal first
        lower = match.group().lower()
        told = {"your": _possessive(name) if first else "their", "yours": "theirs", "yourself": "themselves"}.get(lower, match.group())
        first = False
        return told

    return _SECOND.sub(replace, text)


@lru_cache(maxsize=256)
def _names_of(people: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What each person may be called: the whole name, or its first word where only one of them bears it."""
    firsts = [p.split()[0] if p.split() else p for p in people]
    found = []
    for person, first in zip(people, firsts, strict=True):
        called = [person]
        if first != person and len(first) > 2 and first.lower() != "the" and firsts.count(first) == 1:
            called.append(first)
        found.append((re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in called)), person))
    return tuple(found)


def _is_called(text: str, start: int, end: int) -> bool:
    """Whether a name at [start, end) only calls somebody: "Tobin, I sold it", "Thanks Tobin!", "I sold it, Tobin."."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if after and after[0] not in ",!?.:;-–—)":
        return False
    return not before or before[-1] in ",!.-–—;" or _CALLS.issuperset(words(before))


def _nearest(text: str, speaker: str, addressee: str | None, people: tuple[str, ...], english: bool) -> str | None:
    """The person a piece of text mentions first."""
    first = next((m for m in _FIRST.finditer(text) if m.group().lower() != "i" or not is_numeral(text, m)), None) or _FIRST_PLURAL.search(
        text
    )
    second = _SECOND.search(text)
    if not english:
        first, second = first or _FIRST_OTHER.search(text), second or _SECOND_OTHER.search(text)
    candidates = [(first.start(), speaker)] if first else []
    if second and addressee:
        candidates.append((second.start(), addressee))
    for pattern, person in _names_of(people):
        if person != speaker:
            candidates += [(m.start(), person) for m in pattern.finditer(text) if not _is_called(text, *m.span())][:1]
    return min(candidates)[1] if candidates else None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def only_us(text: str) -> bool:
    """Whether the first person stands in an English sentence as "us" or "our" alone, so that it may be anybody."""
    return only_we(text) and not re.search(r"\bwe\b", text, re.IGNORECASE)


def only_we(text: str) -> bool:
    """Whether the first person stands in an English sentence as "we", "us" or "our" alone."""
    return _FIRST_PLURAL.search(text) is not None and not _FIRST.search(text) and not _SECOND.search(text)


def may_mean_anybody(text: str) -> bool:
    """Whether the "you" of an English sentence may be anybody: it says nothing of what is yours, mine or ours, nor what you are or did."""
    if _YOUR.search(text) or _FIRST.search(text) or _FIRST_PLURAL.search(text):
        return False
    return _SECOND.search(text) is not None and not _OF_YOU.search(text)


def serves_anybody(text: str) -> bool:
    """Whether the "you" of an English sentence is only whom a thing serves: "It helps you see new things"."""
    return may_mean_anybody(text) and not _SECOND.search(_SERVED.sub(" ", text))


def mentioned(text: str, speaker: str, addressee: str | None, people: tuple[str, ...]) -> str | None:
    """The person of the conversation a sentence is about as far as its own words tell; None if they name nobody.

    The grammatical subject decides where it can be read off the first words ("I", "my", "you", "your", a person's name), past an
    opening clause ("When you called, I ...") and past an opinion about the addressee ("I'm glad you ..."). Somebody's relatives and
    belongings count as that person: "my sister" is about the speaker, so that questions about a speaker's family find it. What stands
    in quotation marks is about nobody here. "I bet", "I'm sure" and the like only frame the clause behind them; what means a lot to
    the speaker is about the speaker, and encouragement about whom it is said to.
    """
    english = is_english(text)
    said = mask_quotes(text)
    if english and addressee != "The assistant":
        if means_much(said):
            return speaker
        if addressee is not None and cheers_on(said):
            return addressee
        said = without_frame(said)
    if english:
        said = _SET_PHRASES.sub(_blank, said)
        if _QUESTION.search(said):
            said = _ASKING.sub(_blank, said)
        if opinion := _OPINION.match(said):
            said = said[opinion.end() :]
        elif (opening := _OPENING_CLAUSE.match(said)) and (found := _nearest(said[opening.end() :], speaker, addressee, people, english)):
            return found
        elif _ELIDED_I.match(said):
            return speaker
    if addressee == "The assistant" and (_REQUEST.match(said) or _FIRST.search(said)):
        return speaker
    return _nearest(said, speaker, addressee, people, english)


def subject_of(text: str, speaker: str, addressee: str | None, people: tuple[str, ...], *, default: str | None = None) -> str | None:
    """Who a sentence is about: whom it mentions (see `mentioned`), else the speaker.

    People tell things about their own life unless they say otherwise.

    Args:
        text: the sentence.
        speaker: who says it.
        addressee: the only other party of the conversation, if there is just one.
        people: everybody who takes part.
        default: who it is about if it names nobody; the speaker when None.
    """
    return mentioned(text, speaker, addressee, people) or default or speaker


def without_circumstance(text: str) -> str:
    """The main clause of an English sentence that begins with another one: "When it storms, reef the sails" -> "reef the sails"."""
    opening = _CIRCUMSTANCE.match(text)
    return text[opening.end() :] if opening else text


def addressed(text: str, addressee: str | None) -> str | None:
    """Whom a sentence of an assistant is about: the addressee where it says "you" or "your" of him; None otherwise.

    Orders, advice that would hold for anybody, and explanations are about nobody.
    """
    spoken_to = _SECOND.search(text) is not None
    if addressee is None or not (spoken_to or _SECOND_OTHER.search(text)):
        return None
    if not is_english(text):
        return None if is_imperative(text) else addressee
    if not spoken_to:
        return None
    said = _PLACEHOLDER.sub(" ", _SET_PHRASES.sub(" ", mask_quotes(text)))
    label = _LABEL.match(said)
    main = said[label.end() :] if label and label.end() < len(said) else said
    if is_imperative(main) or (label and ":" not in label.group() and is_imperative(said)):
        return None
    main = without_circumstance(main)
    if is_imperative(main) or _JOINTLY.match(main) or (_POSSIBLE.match(main) and not _YOUR.search(said)):
        return None
    return addressee if _SECOND.search(_HELPED.sub(" ", _CONDITION.sub(" ", said))) else None


def resolve(
    text: str, speaker: str, addressee: str | None, people: tuple[str, ...], *, question: bool, subject: str | None = None
) -> Resolved:
    """The sentence with its persons resolved, and who it is about.

    Args:
        text: one sentence.
        speaker: the speaker's name for display.
        addressee: the other party's, if there is just one.
        people: every participant's.
        question: whether it asks rather than tells; a question keeps its own words behind the speaker's name.
        subject: who it is about, if that is known already.
    """
    subject = subject or subject_of(text, speaker, addressee, people)
    quoted = Resolved(f"{speaker}: {text}", subject)
    if question or not is_english(text) or _FIRST_PLURAL.search(text):
        return quoted
    has_first, has_second = _FIRST.search(text) is not None, _SECOND.search(text) is not None
    if has_first and not has_second:
        told = in_third_person(text, speaker)
        return Resolved(told, subject) if told is not None else quoted
    if has_second and not has_first and addressee is not None and subject == addressee:
        if _YOUR_ONLY.match(text):
            return Resolved(_capitalised(_rewrite_second_person(text, addressee)), subject)
        told = None if any(pattern.search(text) for pattern, _ in _names_of(people)) else told_of_addressee(text, addressee)
        return Resolved(told, subject) if told is not None else quoted
    return quoted


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
