"""Who a sentence is about, and the sentence with its first and second person resolved to names.

English sentences are rewritten into the third person ("I moved" -> "Mara moved"); where that cannot be done faithfully, and in
other languages, the words stay as they are behind the speaker's name ("Mara: ..."). Nothing is ever added but names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memcli.language.lexicon import WORD, is_english, word_set

_I = re.compile(r"\b(I|I['’](?:m|ve|d|ll))\b")
_FIRST = re.compile(r"\b(i|me|my|mine|myself|i['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_FIRST_PLURAL = re.compile(r"\b(we|us|our|ours|ourselves|we['’](?:re|ve|d|ll)|let['’]s)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(you|your|yours|yourself|you['’](?:re|ve|d|ll))\b", re.IGNORECASE)
_FIRST_OTHER = re.compile(
    r"\b(yo|mi|mis|me|conmigo|nosotros|nosotras|nuestr[oa]s?|ich|mir|mich|mein\w*|wir|uns|unser\w*|je|moi|mon|ma|mes|nous|notre|nos)\b"
    r"|\bj['’]|[我俺咱]|私|僕|俺",
    re.IGNORECASE,
)
_SECOND_OTHER = re.compile(
    r"\b(tú|tu|tus|usted|ustedes|vosotros|contigo|du|dir|dich|dein\w*|ihr|euch|euer|toi|ton|ta|tes|vous|votre|vos)\b|[你您]|あなた",
    re.IGNORECASE,
)

_MODALS = word_set("can could will would shall should may might must ought")
_ADVERBS = word_set(
    "also just really always never still usually often sometimes recently finally actually even only already probably definitely"
    " currently mostly rarely mainly once now then both honestly truly literally especially particularly generally kinda"
)
_IRREGULAR_PAST = word_set(
    "was were had did went got made took came saw knew thought felt found gave told became left kept began brought bought built caught"
    " chose drew drank drove ate fell fought flew forgot grew heard held laid led learned learnt lent lost meant met paid ran rode rose"
    " said sang sat sent shook shot slept sold spent spoke stood stole stuck swam swore taught threw understood woke wore won wrote broke"
    " bent bit blew bled dug dealt dreamt fed fled froze hid hung lit lay mistook overcame overslept quit rang sank sewed sought spun"
    " split spread sprang stung struck swept swung tore withdrew wound wove put set cut hit let hurt cost read shut bet burst cast"
)
_THIRD = {"am": "is", "was": "was", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes"}
_SIBILANT = re.compile(r"(s|x|z|ch|sh|o)$")
_PARTICIPLE = re.compile(r"(ed|en|one|been|had|better|got)$")


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


def _third_person(verb: str) -> str:
    """The third person singular of a verb form that follows "I"."""
    lower = verb.lower().replace("’", "'")
    if lower in _THIRD:
        return _THIRD[lower]
    if lower in _MODALS or lower.endswith(("n't", "ed")) or lower in _IRREGULAR_PAST or not lower.isalpha():
        return verb
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.search(lower) else "s")


def _rewrite_first_person(text: str, name: str) -> str:
    """An English sentence with "I" in it, in the third person: the first "I" by name, later ones as "they"."""
    out: list[str] = []
    position = 0
    named = False
    agree = False  # the next verb still has to agree with the name
    for match in WORD.finditer(text):
        out.append(text[position : match.start()])
        position = match.end()
        word = match.group()
        lower = word.lower().replace("’", "'")
        replacement = word
        if lower == "i":
            replacement, agree = ("they", False) if named else (name, True)
            named = True
        elif lower == "i'm":
            replacement = "they're" if named else f"{name} is"
            named, agree = True, False
        elif lower in ("i've", "i'll", "i'd"):
            following = WORD.search(text, position)
            perfect = following is not None and _PARTICIPLE.search(following.group().lower()) is not None
            auxiliary = {"i've": "has", "i'll": "will", "i'd": "had" if perfect else "would"}[lower]
            replacement = f"they{word[1:]}" if named else f"{name} {auxiliary}"
            named, agree = True, False
        elif lower == "my":
            replacement = "their" if named else _possessive(name)
            named = True
        elif lower in ("me", "myself", "mine"):
            own = _possessive(name) if lower == "mine" else name
            replacement = {"me": "them", "myself": "themselves", "mine": "theirs"}[lower] if named else own
            named = True
        elif agree and lower not in _ADVERBS and not lower.endswith("ly"):
            replacement, agree = _third_person(word), False
        out.append(replacement)
    out.append(text[position:])
    return "".join(out)


def _rewrite_second_person(text: str, name: str) -> str:
    """A sentence about the addressee with its possessives by name; "you" itself takes the name where it is an object or subject."""

    def replace(match: re.Match[str]) -> str:
        lower = match.group().lower().replace("’", "'")
        forms = {"you're": f"{name} is", "you've": f"{name} has", "you'd": f"{name} would", "you'll": f"{name} will"}
        forms |= {"your": _possessive(name), "yours": _possessive(name), "yourself": name, "you": name}
        return forms[lower]

    return _SECOND.sub(replace, text)


def subject_of(text: str, speaker: str, addressee: str | None, people: tuple[str, ...], *, default: str | None = None) -> str | None:
    """Who a sentence is about.

    The grammatical subject decides where it can be read off the first words ("I", "my", "you", "your", a person's name);
    else any person of the conversation that is mentioned, the first person before the second; else the speaker, who tells
    things about his own life unless he says otherwise.

    Args:
        text: the sentence.
        speaker: who says it.
        addressee: the only other party of the conversation, if there is just one.
        people: everybody who takes part.
        default: who it is about if it names nobody; the speaker when None.
    """
    first = _FIRST.search(text) or _FIRST_PLURAL.search(text) or _FIRST_OTHER.search(text)
    second = _SECOND.search(text) or _SECOND_OTHER.search(text)
    named = None
    for person in people:
        if person != speaker and (found := re.search(rf"\b{re.escape(person)}\b", text)) and (named is None or found.start() < named[0]):
            vocative = re.match(r"\s*(?:[,!?.]|$)", text[found.end() :]) is not None
            if not vocative:
                named = (found.start(), person)
    candidates = [(first.start(), speaker)] if first else []
    if second and addressee:
        candidates.append((second.start(), addressee))
    if named:
        candidates.append(named)
    return min(candidates)[1] if candidates else default or speaker


def resolve(text: str, speaker: str, addressee: str | None, people: tuple[str, ...], *, question: bool) -> Resolved:
    """The sentence with its persons resolved, and who it is about.

    Args:
        text: one sentence.
        speaker: the speaker's name for display.
        addressee: the other party's, if there is just one.
        people: every participant's.
        question: whether it asks rather than tells; a question keeps its own words behind the speaker's name.
    """
    subject = subject_of(text, speaker, addressee, people)
    if question or not is_english(text):
        return Resolved(f"{speaker}: {text}", subject)
    if _FIRST_PLURAL.search(text):
        return Resolved(f"{speaker}: {text}", subject)
    has_first, has_second = _FIRST.search(text) is not None, _SECOND.search(text) is not None
    if has_second and (addressee is None or _I.search(text)):
        return Resolved(f"{speaker}: {text}", subject)
    if has_first:
        return Resolved(_capitalised(_rewrite_first_person(text, speaker)), subject)
    if has_second and addressee is not None and subject == addressee and re.match(r"\W*(your)\b", text, re.IGNORECASE):
        return Resolved(_capitalised(_rewrite_second_person(text, addressee)), subject)
    return Resolved(f"{speaker}: {text}", subject)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
