"""Choosing among phrases: the one, or the few, that would share most words with the answer.

The scores of phrases are turned into shares. A word's share is that of the phrases that hold it; the phrase chosen has the largest
expected F1 of words against an answer of usual length (a minimum Bayes risk choice), which beats taking the best phrase since
rivals mostly differ in where they are cut. A question for several things takes phrases from several facts while that expectation
grows.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from memcli.language.lexicon import word_set
from memcli.read.answer_weights import PHRASE
from memcli.read.phrases import FEATURES, Floats, Phrases, stem

SPREAD = 1.0
"""Divides scores before they become shares; fitted, as the three below are, by benchmarks/fit_answer.py."""

USUAL_WORDS = 5.0
"""Words of the answer a phrase is thought to be measured against."""

LIST_SPREAD, LIST_WORDS, LIST_MOST = 2.0, 7.0, 4
"""The same for a question for several things, and how many phrases are joined at most."""

RIVALS = 300
"""Phrases that take part, best first."""

CANDIDATES = 40
"""Phrases that may be chosen."""

CALLED = 8.0
"""Added, where a name is asked for, to one that stands behind "called" and the like."""

_GIVES_NAME = word_set("called named name name's names titled title nicknamed dubbed")
_ARTICLES = word_set("a an the")
_WEIGHTS = np.array([PHRASE.get(name, 0.0) for name in FEATURES])


def choose(phrases: Phrases, *, several: bool, name: bool = False) -> list[int]:
    """Rows of the phrases chosen, best first; [] if there are none.

    Args:
        phrases: what may be chosen.
        several: whether the question asks for several things.
        name: whether it asks for a name; then only whole names and quoted titles are looked at, if there are any.
    """
    scores = phrases.features @ _WEIGHTS
    if name and (named := _names(phrases)).any():
        scores = np.where(named, scores + CALLED * _called(phrases), -np.inf)
    return choose_scored(phrases, scores, several=several)


def _called(phrases: Phrases) -> NDArray[np.bool_]:
    """Which phrases stand behind a word that gives a name."""
    first = zip(phrases.segment, phrases.first, strict=True)
    return np.array([place > 0 and phrases.segments[int(n)].words[int(place) - 1].casefold() in _GIVES_NAME for n, place in first])


def _names(phrases: Phrases) -> NDArray[np.bool_]:
    """Which phrases are a whole name that the question does not hold, or are quoted."""
    column = {name: phrases.features[:, number] for number, name in enumerate(FEATURES)}
    length = phrases.end - phrases.first
    whole = (column["inside:name"] == length) & (column["before:name"] == 0) & (column["after:name"] == 0)
    return np.asarray((whole | (column["quoted"] > 0)) & (column["person_inside"] == 0))


def choose_scored(phrases: Phrases, scores: Floats, *, several: bool) -> list[int]:
    """`choose` by given scores, one a phrase."""
    order = np.argsort(-scores, kind="stable")[:RIVALS]
    if not len(order):
        return []
    spread, usual, most = (LIST_SPREAD, LIST_WORDS, LIST_MOST) if several else (SPREAD, USUAL_WORDS, 1)
    shares = np.exp((scores[order] - scores[order[0]]) / spread)
    shares /= shares.sum()
    bags = [_bag(phrases, int(row)) for row in order]
    held: defaultdict[str, float] = defaultdict(float)
    for bag, part in zip(bags, shares, strict=True):
        for word in set(bag):
            held[word] += float(part)
    chosen: list[int] = []
    words: list[str] = []
    reached = 0.0
    while len(chosen) < most:
        best: tuple[float, int] | None = None
        for number in range(min(CANDIDATES, len(order))):
            row = int(order[number])
            if not bags[number] or any(_touch(phrases, row, other) for other in chosen) or set(bags[number]) <= set(words):
                continue
            together = words + bags[number]
            value = 2 * sum(held[word] for word in set(together)) / (len(together) + usual)
            if best is None or value > best[0]:
                best = (value, number)
        if best is None or best[0] <= reached:
            break
        reached = best[0]
        chosen.append(int(order[best[1]]))
        words += bags[best[1]]
    return chosen or [int(order[0])]


def _bag(phrases: Phrases, row: int) -> list[str]:
    segment = phrases.segments[int(phrases.segment[row])]
    words = segment.words[int(phrases.first[row]) : int(phrases.end[row])]
    return [stem(word) for word in words if word.casefold() not in _ARTICLES]


def _touch(phrases: Phrases, a: int, b: int) -> bool:
    """Whether two phrases overlap or stand side by side."""
    apart = phrases.first[a] > phrases.end[b] or phrases.first[b] > phrases.end[a]
    return bool(phrases.segment[a] == phrases.segment[b] and not apart)
