"""English sentences in the first person told in the third: "I dive" -> "Mara dives".

No parser: closed word lists and the order of words. Wherever they do not settle how a sentence is to be told, it is not rewritten,
and the caller keeps the speaker's own words.
"""

from __future__ import annotations

import re

from memcli.language.lexicon import FUNCTION_EN, WORD, word_set
from memcli.write.plurals import is_plural
from memcli.write.verbs import (
    ADVERBS,
    IMPERATIVES,
    IRREGULAR_PAST,
    MODALS,
    PARTICIPLES,
    SAME_IN_PAST,
    SURE_VERBS,
    THIRD_PERSON,
    VERBS_ED,
    VERBS_EN,
    VERBS_OR_NOUNS,
    is_adverb,
    third_person_of,
)  # fmt: skip

_UNSURE_AFTER_WOULD = word_set("come become overcome run") | SAME_IN_PAST
_MOVES = word_set("go come drive walk run get return ride fly move travel")
"""After these "to work" is more likely a place than a verb."""
_NUMBERED = word_set(
    "war phase type part chapter class stage level tier grade volume book act title section schedule calculus algebra round step group"
    " article appendix category factor unit module figure table region zone henry elizabeth charles james"
)
_BEFORE_QUESTION_ORDER = word_set("am was do did have had can could will would should may might must nor neither don't didn't")
_PARTNER = re.compile(r"^\W*(?:(?:[Mm]y|[Oo]ur|[Tt]he)\s+(?:\w+\s+)?\w+|[A-Z]\w+(?:\s+[A-Z]\w+)?)\s+(?:and|&)\s+$")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|(?<!\w)'[^']{3,}?'(?!\w)|(?<!\w)‘[^’]+’(?!\w)|`[^`]*`")
_PLURAL = {"am": "are", "was": "were", "wasn't": "weren't"}
_KEPT = word_set("was cant wont didnt couldnt wouldnt shouldnt hadnt wasnt")
_NO_VERB = (
    FUNCTION_EN - MODALS - word_set("am was have do had did don't haven't hadn't didn't wasn't couldn't wouldn't can't won't shouldn't")
)
_DOUBTFUL = word_set("dunno gotta wanna gonna gon thx")
_HABIT = re.compile(r"\b(?:every|always|usually|often|daily|sometimes|never|each|regularly)\b", re.IGNORECASE)
_INFINITIVE = re.compile(
    r"\b(?:to|can|could|will|would|should|might|must|may|help|let|make|makes|'ll|'d|not|n't|did|didn't|don't)\b", re.IGNORECASE
)
_TO = re.compile(r"\bto (\w+)")
_FIRST = re.compile(r"\b(?:i|me|my|mine|myself|i['’]\w+)\b", re.IGNORECASE)
_THEY = re.compile(r"^the(?:y|ir|irs|m|mselves)\b")
_SPEAKS = re.compile(r"\b[Ii](?:['’]\w+)?\b")
_HYPHENED = re.compile(r"\b(?:me|my|I)-\w")
_MANY = word_set("they them people everyone everybody")
"""Words that, like a plural, "they" may stand for."""
_WHO = re.compile(r"\b(?:who|that|which|while|when|because|if|how|what|where|why)\b", re.IGNORECASE)


def mask_quotes(text: str) -> str:
    """`text` with what stands in quotation marks or backticks blanked out, character for character."""
    return _QUOTED.sub(lambda match: " " * len(match.group()), text)


def is_numeral(text: str, match: re.Match[str]) -> bool:
    """Whether an "I" or "i" in a text is a numeral, an abbreviation, a list mark or a piece of something else, not the speaker."""
    start, end = match.span()
    following, preceding = text[end : end + 1], text[start - 1 : start]
    if following in ("/", "&", "-", "_", "=", "[", ")", "*", "#", "+", "<") or preceding in ("/", "&", "-", "_", "[", "$", "."):
        return True
    if following == "." and (text[end + 1 : end + 2].strip() or not text[:start].strip()):
        return True
    if following == ":" and not text[:start].strip():
        return True
    before = WORD.findall(text[:start])
    if not before or text[len(text[:start].rstrip()) - 1 : start].strip() in (",", ".", ";", ":", "!"):
        return False
    if before[-1].lower() not in _NUMBERED:
        return False
    if before[-1][:1].isupper():
        return True
    after = WORD.search(text, end)
    return after is None or text[end : after.start()].strip() != "" or not _is_verb(after.group().lower().replace("’", "'"))


def _is_verb(lower: str) -> bool:
    return (
        lower in MODALS
        or lower in IRREGULAR_PAST
        or lower in THIRD_PERSON
        or lower in SURE_VERBS
        or lower in VERBS_OR_NOUNS
        or lower in ADVERBS
        or lower.endswith(("n't", "ed"))
    )


def _third_person(verb: str, text: str) -> str | None:
    """The third person singular of a verb form that follows "I"; None if it is not surely a verb of known tense."""
    lower = verb.lower().replace("’", "'")
    if lower in THIRD_PERSON:
        return THIRD_PERSON[lower]
    if lower in _KEPT or lower in MODALS or lower.endswith("n't") or lower in IRREGULAR_PAST:
        return verb
    if lower in SAME_IN_PAST:
        return None if _HABIT.search(text) or lower == "bet" else verb
    if lower.endswith("ed") and lower not in VERBS_ED:
        return verb
    if lower in _NO_VERB or lower in _DOUBTFUL or not lower.isalpha() or lower.endswith("ing") or verb[:1].isupper():
        return None
    return third_person_of(verb)


def _coordinated(text: str, joint: int, verb: tuple[int, int, bool], word: re.Match[str]) -> str | None:
    """A word behind "and" after the verb of "I": agreeing with the name if it is a second verb, as it is if not, None in doubt.

    Args:
        text: the sentence.
        joint: where the conjunction before the word begins.
        verb: where the first verb begins and ends, and whether it was put into the third person.
        word: the word.
    """
    lower = word.group().lower()
    between = text[verb[1] : joint].rstrip(" ,")
    inflected = verb[2]
    if lower not in SURE_VERBS and lower not in VERBS_OR_NOUNS:
        # "I swim and kayak": right behind the verb stands another one, known or not.
        known = lower in FUNCTION_EN or lower in IRREGULAR_PAST or lower.endswith(("ed", "ing", "ly"))
        return word.group() if known or not inflected or between.strip() else None
    if _INFINITIVE.search(between) or text[verb[0] : verb[1]].lower().replace("’", "'") in (MODALS | {"don't", "didn't", "did"}):
        infinitive = _TO.search(between)
        sure = infinitive is None or infinitive[1].lower() in (
            VERBS_OR_NOUNS | SURE_VERBS if text[verb[0] : verb[1]].lower() not in _MOVES else SURE_VERBS
        )
        return word.group() if sure else None
    if inflected and not between.strip(" ,"):
        return third_person_of(word.group())
    if lower in VERBS_OR_NOUNS:
        return None if inflected else word.group()
    return None if _WHO.search(between) or not inflected else third_person_of(word.group())


def in_third_person(text: str, name: str) -> str | None:
    """An English sentence in the first person singular told in the third: the first mention by name, later ones as "they".

    Args:
        text: one sentence, with no second person and no "we" in it.
        name: the speaker's name as it stands at a sentence's beginning; "The user" becomes "the user" inside one.

    Returns:
        The sentence, or None where it cannot be told so without risk to its meaning or grammar.
    """
    masked = mask_quotes(text)
    if (masked != text and _FIRST.search(_only_quoted(text, masked))) or _HYPHENED.search(masked):
        return None
    if _lacks_subject(masked):
        return None
    out: list[str] = []
    position = 0
    named = False
    agree = ""  # what the next verb still has to agree with: the "name", a plural ("they"), or nothing
    verb: tuple[int, int, bool] | None = None
    joint: int | None = None  # where a conjunction stands if nothing but adverbs has followed it
    previous = ""
    for match in WORD.finditer(text):
        out.append(text[position : match.start()])
        gap, position = text[position : match.start()], match.end()
        word = match.group()
        lower = word.lower().replace("’", "'")
        bare = {"im": "i'm", "ive": "i've"}.get(lower, lower)
        replacement: str | None = word
        written = name if _begins("".join(out)) or not name.startswith("The ") else "the " + name[4:]
        own = _possessive(written)
        if match.start() < len(masked) and masked[match.start()] == " ":
            pass
        elif lower == "i":
            if is_numeral(text, match):
                return None
            if previous in _BEFORE_QUESTION_ORDER and not gap.strip():
                return None
            if _has_partner(text[: match.start()]):
                replacement, agree = written, "they"
            else:
                replacement, agree = ("they", "they") if named and not _crowded(masked, match) else (written, "name")
            named, verb = True, None
        elif bare in ("i'm", "i've", "i'll", "i'd"):
            told = _contracted(bare, text, position)
            if told is None:
                return None
            short = named and not _crowded(masked, match)
            replacement = {"i'm": "they're", "i've": "they've", "i'll": "they'll", "i'd": "they'd"}[bare] if short else f"{written} {told}"
            verb = None if short else (match.start(), match.end(), bare in ("i'm", "i've"))
            named, agree = True, ""
        elif lower == "my":
            replacement, named = ("their" if named else own), True
        elif lower == "myself" and not named:
            return None
        elif lower in ("me", "myself", "mine"):
            forms = {"me": "them", "myself": "themselves", "mine": "theirs"}
            again = lower == "me" and _crowded(masked, match)
            replacement = forms[lower] if named and not again else (own if lower == "mine" else written)
            named = True
        elif agree and not is_adverb(lower):
            if text[position : position + 1] == "-":
                return None  # "I hand-wash": which part is the verb is not known
            if agree == "name":
                replacement = _third_person(word, text)
                verb = (match.start(), match.end(), replacement != word)
            else:
                replacement = _PLURAL.get(lower, word)
            agree = ""
        elif verb is not None and joint is not None:
            replacement = _coordinated(text, joint, verb, match)
        if replacement is not None and replacement.startswith("the") and word[:1].isupper() and _ends_sentence("".join(out)):
            replacement = _THEY.sub(lambda found: found.group().capitalize(), replacement)
        if replacement is None:
            return None
        if lower in ("and", "or", "but", "then"):
            joint = match.start()
        elif not is_adverb(lower):
            joint = None
        out.append(replacement)
        previous = lower
    out.append(text[position:])
    told_text = "".join(out)
    return told_text[:1].upper() + told_text[1:]


def _crowded(text: str, match: re.Match[str]) -> bool:
    """Whether a plural stands before a word of a sentence, so that "they" would not be the speaker alone."""
    return any(word in _MANY or is_plural(word) for word in map(str.casefold, WORD.findall(text[: match.start()])))


def _has_partner(before: str) -> bool:
    """Whether what stands before "I" is somebody else who does the same: "Marek and", "My sister and"."""
    partner = _PARTNER.match(before)
    found = [w.lower() for w in WORD.findall(before)][:-1]
    known = IRREGULAR_PAST | (FUNCTION_EN - {"my", "our", "the"})
    return partner is not None and not any(w in known or w.endswith("ed") or w in SURE_VERBS for w in found)


def _only_quoted(text: str, masked: str) -> str:
    return "".join(a if a != b else " " for a, b in zip(text, masked, strict=True))


def _begins(before: str) -> bool:
    trimmed = before.rstrip(" \"'“‘(*_")
    return not any(ch.isalnum() for ch in before) or trimmed.endswith((".", "!", "?"))


def _ends_sentence(before: str) -> bool:
    return before.rstrip(" \"'“‘(*_").endswith((".", "!", "?"))


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _lacks_subject(text: str) -> bool:
    """Whether a sentence leaves its subject out ("Went home with my mum") or commands ("Help me"), so that no name can take its place."""
    found = [w.lower().replace("’", "'") for w in WORD.findall(text)[:8]]
    while found and (is_adverb(found[0]) or found[0] in ("yeah", "yes", "no", "oh", "and", "but", "so", "well", "ok", "okay", "hi", "hey")):
        found = found[1:]
    if not found or found[0] in ("i", "i'm", "i've", "i'd", "i'll", "im", "ive", "my"):
        return False
    first = found[0]
    speaks = _SPEAKS.search(text) is not None
    if first in IRREGULAR_PAST or (first.endswith("ed") and first not in VERBS_ED and not speaks):
        return True
    if speaks:
        elided = first == "been" or (first.endswith("ing") and "," not in text.split(" I", 1)[0])
        return elided or (first in IMPERATIVES and first not in ("thanks", "hope", "love"))
    return first in IMPERATIVES or first in SAME_IN_PAST or first.endswith("ing") or first in ("been", "glad", "sorry", "happy", "can't")


def _contracted(contraction: str, text: str, position: int) -> str | None:
    """What the verb of "I'm", "I've", "I'll" or "I'd" is after a name; None if "I'd" may be "had" as well as "would"."""
    if contraction != "i'd":
        return {"i'm": "is", "i've": "has", "i'll": "will"}[contraction]
    for match in WORD.finditer(text, position):
        lower = match.group().lower()
        if lower == "better":
            return "had"
        if is_adverb(lower):
            continue
        if lower in _UNSURE_AFTER_WOULD:
            return None
        if lower in VERBS_ED or lower in VERBS_EN:
            return "would"
        past = lower in IRREGULAR_PAST or lower in PARTICIPLES or lower.endswith(("ed", "en"))
        return "had" if past else "would"
    return None
