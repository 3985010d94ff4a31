"""Words as the gate compares them: their stems, and which of them say something by themselves."""

from __future__ import annotations

import functools

from memcli.language.lexicon import FUNCTION, word_set
from memcli.store.search import search_terms

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar enero janvier",
            "february feb februar febrero février",
            "march mar märz marzo mars",
            "april apr abril avril",
            "may mai mayo",
            "june jun juni junio juin",
            "july jul juli julio juillet",
            "august aug agosto août",
            "september sep sept septiembre septembre",
            "october oct oktober octubre octobre",
            "november nov noviembre novembre",
            "december dec dezember diciembre décembre",
        ),
        1,
    )
    for name in names.split()
}
TIME_WORDS = word_set(
    "yesterday today tonight tomorrow monday tuesday wednesday thursday friday saturday sunday ago last next previous gestern heute ayer"
    " hoy hier aujourd'hui"
) | frozenset(MONTHS) - {"may", "mar", "mars", "mai"}
"""Words whose meaning a claim's resolved interval carries."""

FILLERS = word_set(
    "a an the just really very so also actually well oh hey hi hello yeah yes yep wow and but ok okay absolutely definitely totally"
    " already that's"
)
"""Words without which a sentence says the same."""

DATED_FILLERS = FILLERS | TIME_WORDS
"""The same for a sentence whose time is known: words that only name it."""

_NOUNS = word_set("son sons war wars die dies hat hats bin bins")
"""English content words that are function words of another language."""

_NEGATING = word_set("never not no none nothing nobody cannot longer anymore nie niemals nicht kein keine nunca jamás jamais")
"""Words that `polarity` stands for."""

_TURNING = word_set("now currently jetzt nun ahora maintenant désormais")
"""Words that say that something has become so, and nothing about what."""

_EMPTY = (FUNCTION | FILLERS | _NEGATING | _TURNING | TIME_WORDS) - _NOUNS

CACHED_WORDS = 32_768
"""Distinct words whose stems are remembered: more than a long conversation has."""


@functools.lru_cache(maxsize=CACHED_WORDS)
def stem(word: str) -> str:
    """A casefolded word without its ending, as the search index stems it; a run of an unspaced script as its pairs of characters."""
    return " ".join(search_terms(word.removesuffix("'s"))) or word


@functools.lru_cache(maxsize=CACHED_WORDS)
def is_content(word: str) -> bool:
    """Whether a casefolded word says something by itself: no function word, filler, negation or time word."""
    return word not in _EMPTY and (word in _NOUNS or word.removesuffix("'s") not in FUNCTION)
