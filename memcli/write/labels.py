"""A group's label: what its members have in common, in their own words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memcli.language.lexicon import FUNCTION, PHATIC, word_set, words
from memcli.store.groups import Term

MAX_PARTS = 3
"""Terms in a label: enough to tell groups apart, few enough to read at a glance."""

_NAME_WEIGHT = 1.5
"""A name tells more about what a group is about than a common word."""

_WEAK = word_set(
    "make made making take took taken taking give gave given giving went gone find found finding keep kept bring brought put want"
    " wanted need needed try tried trying start started use used using help helped helping show showed shown tell told ask asked"
    " work feel feeling felt look looking looked last next week month year yesterday today tomorrow tonight weekend ago recently"
    " lately still always never since photo picture image pic person people man woman one two three first time times way kind"
    " little big many much new old real whole part place someone somebody everyone ever even also back around together different"
    " excited experience idea life moment wait"
)
"""Words that say little by themselves: they count for less, and give a label only where there is nothing better."""


def group_label(terms: Sequence[Term]) -> str:
    """A label of up to `MAX_PARTS` terms, most telling first, such as `pottery · kiln`; empty for no terms.

    A term counts by the number of claims that share one of its words; names and longer phrases count for more, words that say little for
    less. A term whose words another has already said is left out, and so are terms of single claims where others are shared.
    Pure and deterministic: the order of `terms` does not matter.
    """
    claims_of: defaultdict[str, set[int]] = defaultdict(set)
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    names: set[str] = set()
    for term in terms:
        key = " ".join(_stem(word) for word in words(term.text)) or term.text.casefold()
        spellings[key][term.text] += 1
        if term.name:
            names.add(key)
        for word in key.split():
            claims_of[word].add(term.claim_id)

    def worth(key: str) -> tuple[float, str]:
        parts = [word for word in dict.fromkeys(key.split()) if word not in FUNCTION]
        telling = [word for word in parts if not _is_weak(word)]
        shared = sum(len(claims_of[word]) for word in telling) + 0.1 * sum(len(claims_of[word]) for word in parts)
        # The mean keeps a long phrase of one claim from beating the word that all share.
        return shared / max(1, len(parts)) ** 0.8 * (_NAME_WEIGHT if key in names else 1.0), key

    ranked = sorted(spellings, key=lambda key: (-worth(key)[0], key))
    chosen: list[str] = []
    said: set[str] = set()
    anything_shared = any(len(claims) > 1 for word, claims in claims_of.items() if not _is_weak(word))
    for key in ranked:
        parts = set(key.split()) or {key}
        if parts & said or (chosen and all(_is_weak(word) for word in parts)):
            continue
        if chosen and anything_shared and max((len(claims_of[word]) for word in parts), default=0) < 2:
            continue
        chosen.append(key)
        said |= parts
        if len(chosen) == MAX_PARTS:
            break
    return " · ".join(min(spellings[key], key=lambda text: (-spellings[key][text], text)) for key in chosen)


def _stem(word: str) -> str:
    """A word without its English plural or possessive, so that `quince` and `quinces` are shared."""
    word = word.removesuffix("'s")
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word


def _is_weak(word: str) -> bool:
    return word in _WEAK or word in PHATIC or word in FUNCTION or (word.isascii() and len(word) < 3)
