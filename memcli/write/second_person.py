"""English sentences in the second person told of whom they were said to: "You sold the boat" -> "Tobin sold the boat".

A sentence is turned into the first person and told by `memcli.write.third_person`, which knows the verbs. Wherever a "you" may be a
subject as well as an object, the sentence is not rewritten, and the caller keeps the speaker's own words.
"""

from __future__ import annotations

import re

from memcli.language.lexicon import WORD, word_set
from memcli.language.word_classes import PREPOSITIONS, word_class
from memcli.write.third_person import in_third_person, mask_quotes
from memcli.write.verbs import IRREGULAR_PAST, MODALS, is_adverb

_YOU = re.compile(r"\b(?:you(?:['’](?:re|ve|ll|d))?|your|yours|yourself|yourselves|u|ur|ya|y['’]all)\b(?!-)", re.IGNORECASE)
_TOLD = {"your": "my", "yours": "mine", "yourself": "myself", "you're": "I'm", "you've": "I've", "you'll": "I'll", "you'd": "I'd"}
_LEAD = re.compile(
    r"^\W*(?:(?:yeah|yes|yep|no|nope|oh|wow|well|and|but|so|also|plus|ok|okay|definitely|absolutely|really|totally|man|haha|aw+)\b[,!]?\s+){0,2}$",
    re.IGNORECASE,
)
_AUXILIARIES = MODALS | word_set("have haven't had hadn't do don't did didn't can't couldn't won't wouldn't shouldn't mustn't")
_ENDS = PREPOSITIONS | word_set("and but or so because when while if that to too again soon there here")


def told_of_addressee(text: str, name: str) -> str | None:
    """An English sentence in the second person told in the third: the first "you" by name, later ones as "they".

    Args:
        text: one sentence that begins with "you" or "your" and has no first person in it.
        name: whom it is said to.

    Returns:
        The sentence, or None where it cannot be told so without risk to its meaning or grammar.
    """
    found = list(_YOU.finditer(text))
    if not found or not _LEAD.match(text[: found[0].start()]) or len(_YOU.findall(mask_quotes(text))) < len(found):
        return None
    out: list[str] = []
    position = 0
    for match in found:
        turned = _turned(text, match, first=match is found[0])
        if turned is None:
            return None
        replacement, position_after = turned
        out += [text[position : match.start()], replacement]
        position = position_after
    out.append(text[position:])
    turned_text = "".join(out)
    return in_third_person(turned_text[:1].upper() + turned_text[1:], name)


def _turned(text: str, match: re.Match[str], *, first: bool) -> tuple[str, int] | None:
    """A second person in the first, and where what it replaces ends; None where it may be subject or object."""
    word = match.group().lower().replace("’", "'")
    if word in _TOLD:
        return _TOLD[word], match.end()
    if word != "you":
        return None
    after = WORD.search(text, match.end())
    adjacent = after is not None and text[match.end() : after.start()] == " "
    following = after.group().lower().replace("’", "'") if after is not None and adjacent else ""
    if following == "are" and after is not None:
        return "I am", after.end()
    if following == "were" and after is not None:
        return "I was", after.end()
    if following in ("aren't", "weren't", "all", "guys", "both", "two", "and", "too", "know", "see", "guess"):
        return None
    before = WORD.findall(text[: match.start()])
    previous = before[-1].lower() if before else ""
    verb = following in _AUXILIARIES or following in IRREGULAR_PAST or (is_adverb(following) and following not in _ENDS)
    if first or (previous not in PREPOSITIONS and previous != "to" and (verb or word_class(following) == "verb") and following):
        return "I", match.end()
    ends = not following or following in _ENDS or text[match.end() : match.end() + 1] in ",.!?;)"
    return ("me", match.end()) if ends and not verb and (previous in PREPOSITIONS or word_class(previous) == "verb") else None
