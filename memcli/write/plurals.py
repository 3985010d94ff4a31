"""Plurals: whether an English word is the plural of a noun for which "they" may stand."""

from __future__ import annotations

from functools import lru_cache

from memcli.language.lexicon import FUNCTION_EN, word_set
from memcli.language.singular import singular
from memcli.language.word_classes import word_class

_NOTHING_MEANT = word_set(
    "years months weeks days hours minutes seconds times decades centuries nights mornings weekends ages thanks congrats lots tons loads"
    " things ways hugs kisses wishes cheers dollars euros pounds"
)
"""Plurals of time, measure and courtesy, which no pronoun takes up."""


@lru_cache(maxsize=50_000)
def is_plural(word: str) -> bool:
    """Whether a casefolded English word is most likely a plural noun: "herons", "children"; not "weeks", "runs"."""
    if word in FUNCTION_EN or word in _NOTHING_MEANT or not word.isalpha():
        return False
    return singular(word, "en") != word and word_class(word) in ("noun", "vague")
