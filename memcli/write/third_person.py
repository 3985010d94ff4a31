"""English sentences in the first person told in the third: "I dive" -> "Mara dives".

No parser: closed word lists and the order of words. Wherever they do not settle how a sentence is to be told, it is not rewritten,
and the caller keeps the speaker's own words.
"""

from __future__ import annotations

import re

from memcli.language.lexicon import FUNCTION_EN, WORD, word_set
from memcli.write.plurals import is_plural

_MODALS = word_set("can could will would shall should may might must ought")
_ADVERBS = word_set(
    "also just really always never still usually often sometimes recently finally actually even only already probably definitely"
    " currently mostly rarely mainly once now then both honestly truly literally especially particularly generally kinda sorta almost"
    " seldom forever instead rather quite so too yet maybe perhaps indeed somehow therefore however not first ever again soon pretty"
    " very barely hardly long better"
)
_VERBS_LY = word_set("fly rely apply reply supply imply tally comply multiply ally bully rally dally sully outfly reapply")
_VERBS_ED = word_set("need feed seed weed speed heed bleed breed proceed succeed exceed embed shed wed bed sled interbreed overfeed")
_VERBS_EN = word_set(
    "listen open happen sharpen threaten strengthen lighten frighten tighten loosen widen shorten soften fasten weaken brighten hasten"
    " deepen flatten straighten darken sweeten moisten reopen lengthen"
)
_SAME_IN_PAST = word_set("put set cut hit let hurt cost read shut burst cast quit split spread fit upset bet rid reset")
"""Verbs whose past looks like their base form; what "I read" means the rest of the sentence must tell."""
_IRREGULAR_PAST = word_set(
    "was were had did went got made took came saw knew thought felt found gave told became left kept began brought bought built caught"
    " chose drew drank drove ate fell fought flew forgot grew heard held laid led learned learnt lent lost meant met paid ran rode rose"
    " said sang sat sent shook shot slept sold spent spoke stood stole stuck swam swore taught threw understood woke wore won wrote broke"
    " bent bit blew bled dug dealt dreamt fed fled froze hid hung lit lay mistook overcame overslept rang sank sewed sought spun"
    " sprang stung struck swept swung tore withdrew wound wove forgave forbade rebuilt rewrote redid outgrew undid retook overheard"
    " crept wept knelt leapt spelt spilt burnt bound clung flung slid slung strode strove thrust trod used didnt wasnt"
)
_PARTICIPLES = word_set(
    "been seen done gone known grown shown flown thrown drawn sworn torn worn born begun swum sung drunk rung sunk won got gotten better"
)
_UNSURE_AFTER_WOULD = word_set("come become overcome run") | _SAME_IN_PAST
_BASE = word_set(
    "go make take get have feel think know want need see say come give find tell become keep bring begin hear believe live mean hope"
    " buy teach learn eat write sit stand lose pay meet include continue follow understand sing remember choose enjoy prefer hate"
    " appreciate agree spend send build draw drive wear sell speak grow throw forget relax try carry bake sew knit explore listen"
    " watch become add create join volunteer attend adopt arrange discuss handle manage organise organize maintain teach write"
    " collect prepare share feed consider imagine suppose guess seem miss love"
)
"""Base forms that are verbs wherever "and" stands before them and a noun is not plainly meant."""
_EITHER = word_set(
    "run walk swim dive dance cook work play paint drink hike hope plan travel visit sleep talk practice train garden fish camp hunt"
    " ride surf ski skate stretch exercise rest study call help dream laugh cry smile code test review design ship use start end"
    " finish clean wash order snack jog climb sail row race paint sketch sculpt photograph read set put cut let hit lift worry care"
    " wonder wish struggle stay move look turn show ask leave fly reply rely apply like do be"
)
"""Base forms that may be nouns (or, as "read", pasts) as well."""
_IMPERATIVES = (
    _BASE
    | _EITHER
    | word_set(
        "let please check count explain thank thanks remind give generate summarize summarise fix correct excuse forgive trust"
        " bless text email"
        " pass wait convert compare suggest recommend provide describe list rewrite translate improve update debug"
    )
) - word_set("love hope miss")
_ORDERS = word_set(
    "don't install open click select replace restart remove delete copy paste save download upload enable disable configure deploy"
    " increase reduce avoid ensure verify focus break identify define store implement optimize monitor assign allocate schedule research"
    " contact book order choose pick limit track document refactor log mix apply address highlight aim double-check be draft submit"
    " request gather confirm determine evaluate assess establish encourage celebrate spend aim keep"
)
_BEGIN_ORDERS = (_IMPERATIVES | _SAME_IN_PAST | _ORDERS) - word_set(
    "like thanks thank miss hate appreciate hope agree want bet recommend prefer wish wonder suppose guess"
)
_FINITE = word_set(
    "is are was were has had will would isn't aren't wasn't weren't hasn't hadn't won't went came took kept gave became began seems"
    " starts started ended helps helped makes feels"
)
"""Forms that only a subject before them explains."""
_PREPOSITIONS = word_set("of in on at for with from about to")
_DETERMINERS = word_set("the a an my your our his her their this that")
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
_THIRD = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "dont": "doesn't",
    "haven't": "hasn't",
    "havent": "hasn't",
    "go": "goes",
}
_KEPT = word_set("was cant wont didnt couldnt wouldnt shouldnt hadnt wasnt")
_NO_VERB = (
    FUNCTION_EN - _MODALS - word_set("am was have do had did don't haven't hadn't didn't wasn't couldn't wouldn't can't won't shouldn't")
)
_DOUBTFUL = word_set("dunno gotta wanna gonna gon thx")
_SIBILANT = re.compile(r"(s|x|z|ch|sh|o)$")
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
        lower in _MODALS
        or lower in _IRREGULAR_PAST
        or lower in _THIRD
        or lower in _BASE
        or lower in _EITHER
        or lower in _ADVERBS
        or lower.endswith(("n't", "ed"))
    )


def _is_adverb(lower: str) -> bool:
    return lower in _ADVERBS or (lower.endswith("ly") and lower not in _VERBS_LY)


def is_imperative(text: str) -> bool:
    """Whether an English sentence tells somebody to do something: it begins with a verb's base form."""
    found = [w.lower() for w in WORD.findall(text)[:4]]
    while found and (_is_adverb(found[0]) or found[0] in ("please", "first", "then", "and", "next")):
        found = found[1:]
    if len(found) > 1 and found[0] in ("do", "have") and found[1] in ("you", "we", "they", "i", "it"):
        return False  # asks: "Do you have ...", "Have you ..."
    return bool(found) and found[0] in _BEGIN_ORDERS and not _is_noun_subject(text, found[0])


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


def _third_person(verb: str, text: str) -> str | None:
    """The third person singular of a verb form that follows "I"; None if it is not surely a verb of known tense."""
    lower = verb.lower().replace("’", "'")
    if lower in _THIRD:
        return _THIRD[lower]
    if lower in _KEPT or lower in _MODALS or lower.endswith("n't") or lower in _IRREGULAR_PAST:
        return verb
    if lower in _SAME_IN_PAST:
        return None if _HABIT.search(text) or lower == "bet" else verb
    if lower.endswith("ed") and lower not in _VERBS_ED:
        return verb
    if lower in _NO_VERB or lower in _DOUBTFUL or not lower.isalpha() or lower.endswith("ing") or verb[:1].isupper():
        return None
    return _inflected(verb)


def _inflected(verb: str) -> str:
    lower = verb.lower()
    if lower in _THIRD:
        return _THIRD[lower]
    if lower == "be":
        return verb
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.search(lower) else "s")


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
    if lower not in _BASE and lower not in _EITHER:
        # "I swim and kayak": right behind the verb stands another one, known or not.
        known = lower in FUNCTION_EN or lower in _IRREGULAR_PAST or lower.endswith(("ed", "ing", "ly"))
        return word.group() if known or not inflected or between.strip() else None
    if _INFINITIVE.search(between) or text[verb[0] : verb[1]].lower().replace("’", "'") in (_MODALS | {"don't", "didn't", "did"}):
        infinitive = _TO.search(between)
        sure = infinitive is None or infinitive[1].lower() in (_EITHER | _BASE if text[verb[0] : verb[1]].lower() not in _MOVES else _BASE)
        return word.group() if sure else None
    if inflected and not between.strip(" ,"):
        return _inflected(word.group())
    if lower in _EITHER:
        return None if inflected else word.group()
    return None if _WHO.search(between) or not inflected else _inflected(word.group())


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
        elif agree and not _is_adverb(lower):
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
        elif not _is_adverb(lower):
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
    known = _IRREGULAR_PAST | (FUNCTION_EN - {"my", "our", "the"})
    return partner is not None and not any(w in known or w.endswith("ed") or w in _BASE for w in found)


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
    while found and (
        _is_adverb(found[0]) or found[0] in ("yeah", "yes", "no", "oh", "and", "but", "so", "well", "ok", "okay", "hi", "hey")
    ):
        found = found[1:]
    if not found or found[0] in ("i", "i'm", "i've", "i'd", "i'll", "im", "ive", "my"):
        return False
    first = found[0]
    speaks = _SPEAKS.search(text) is not None
    if first in _IRREGULAR_PAST or (first.endswith("ed") and first not in _VERBS_ED and not speaks):
        return True
    if speaks:
        elided = first == "been" or (first.endswith("ing") and "," not in text.split(" I", 1)[0])
        return elided or (first in _IMPERATIVES and first not in ("thanks", "hope", "love"))
    return first in _IMPERATIVES or first in _SAME_IN_PAST or first.endswith("ing") or first in ("been", "glad", "sorry", "happy", "can't")


def _contracted(contraction: str, text: str, position: int) -> str | None:
    """What the verb of "I'm", "I've", "I'll" or "I'd" is after a name; None if "I'd" may be "had" as well as "would"."""
    if contraction != "i'd":
        return {"i'm": "is", "i've": "has", "i'll": "will"}[contraction]
    for match in WORD.finditer(text, position):
        lower = match.group().lower()
        if lower == "better":
            return "had"
        if _is_adverb(lower):
            continue
        if lower in _UNSURE_AFTER_WOULD:
            return None
        if lower in _VERBS_ED or lower in _VERBS_EN:
            return "would"
        past = lower in _IRREGULAR_PAST or lower in _PARTICIPLES or lower.endswith(("ed", "en"))
        return "had" if past else "would"
    return None
