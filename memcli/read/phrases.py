"""Phrases that may answer: every short run of words of the best facts' evidence, described by features of no particular topic.

A *segment* is one piece of evidence (a sentence, a reply, a picture's caption). A *phrase* is a run of up to `MAX_WORDS` of its
words. What is told about a phrase is what can be seen from outside of any topic: how long it is, between which classes of words it
is cut, how near it stands to the question's own words, whether the fact is about who is asked about, how well the fact was found.
`phrase_features` gives one row a phrase; `answer_weights` holds what each feature is worth.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcli.language.lexicon import FUNCTION, FUNCTION_EN, PHATIC, WORD, language_of, word_set
from memcli.language.word_classes import SAYS_LITTLE, word_class
from memcli.read.query import Query
from memcli.read.segments import Segment, cut_segments
from memcli.store.facts import ClaimRecord
from memcli.store.search import search_terms

MAX_WORDS = 11
"""Words of a phrase."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

CLASSES = (
    "edge", "comma", "stop", "determiner", "possessive", "preposition", "conjunction", "pronoun", "be", "verb", "adverb", "adjective",
    "noun", "ing", "ed", "name", "number", "vague", "phatic", "asked",
)  # fmt: skip
"""Classes of words as a phrase's ends see them; `edge` and `comma` are what stands outside of a segment or at a mark."""

_CODE = {name: number for number, name in enumerate(CLASSES)}
_OF_WORD_CLASS = {
    "determiner": "determiner", "preposition": "preposition", "conjunction": "conjunction", "pronoun": "pronoun", "be": "be",
    "stop": "stop", "adverb": "adverb", "verb": "verb",
    "either": "noun", "adjective": "adjective", "empty": "vague", "ing": "ing", "ed": "ed",
    "vague": "vague", "tail": "noun", "noun": "noun",
}  # fmt: skip
_POSSESSIVES = word_set("my your his her its our their")
_NUMBERS = word_set(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand once twice dozen couple few"
    " several first second third fourth fifth"
)
_CAUSE = word_set("because since cause 'cause cuz as so to for after due")
_PLACE = word_set("in at to from near on around inside outside through")
_PICTURE = re.compile(r"\b(photos?|pictures?|images?|pics?|shown?|posters?|paintings?|drawings?|look like)\b", re.IGNORECASE)
_NO_NOUN = r"(?!(?:is|was|has|does|did|do|are|were|had|have|this)\b)"
_PLURAL_ASK = re.compile(rf"\b(?:what|which)\s+(?:{_NO_NOUN}\w+\s+){{0,2}}?{_NO_NOUN}\w+[^s\W]s\b", re.IGNORECASE)
_SLOTS = ("what", "why", "how", "who", "where", "how_many", "how_long", "yes_no", "when")


@dataclass(frozen=True, slots=True)
class Phrases:
    """All phrases of the segments, one row each: segment index, first word and end word (half-open), and their features."""

    segments: tuple[Segment, ...]
    segment: Integers
    first: Integers
    end: Integers
    features: Floats

    def text(self, row: int) -> str:
        """A phrase's own words."""
        segment = self.segments[int(self.segment[row])]
        return segment.text[segment.bounds[int(self.first[row])][0] : segment.bounds[int(self.end[row]) - 1][1]]

    def of(self, facts: Collection[int]) -> Phrases:
        """Only the phrases of these facts, by index."""
        kept = np.isin(self.segment, [n for n, segment in enumerate(self.segments) if segment.claim in facts])
        return Phrases(self.segments, self.segment[kept], self.first[kept], self.end[kept], self.features[kept])


@lru_cache(maxsize=65536)
def _class_of(word: str, english: bool) -> int:
    lower = word.casefold().replace("’", "'")
    if lower in _POSSESSIVES:
        return _CODE["possessive"]
    if lower in _NUMBERS or (word[0].isdigit() and not word.isalpha()):
        return _CODE["number"]
    if english or lower in FUNCTION_EN:
        found = _OF_WORD_CLASS[word_class(lower)]
        if found == "noun" and lower in SAYS_LITTLE:
            found = "vague"
        if found in ("noun", "vague", "adjective", "ing", "ed") and lower in PHATIC:
            found = "phatic"
        return _CODE[found]
    return _CODE["preposition" if lower in FUNCTION else "phatic" if lower in PHATIC else "noun"]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word as the index knows it; "" for one that gives no token."""
    found = search_terms(word)
    return found[0] if found else ""


def _listed(text: str) -> list[str]:
    return text.split()


def _names() -> list[str]:
    names = [f"{where}:{name}" for where in ("before", "first", "last", "after", "inside") for name in CLASSES]
    names += [f"length:{n}" for n in range(1, MAX_WORDS + 1)]
    names += [f"{slot}:words" for slot in _SLOTS] + [f"{slot}:log_words" for slot in _SLOTS]
    names += _listed("asked_inside asked_before asked_after gap_before gap_after touches_before touches_after marks_inside quoted")
    names += _listed("person_inside head_last head_inside whole to_end from_start shared")
    names += _listed("who:name where:name where:place_before how_many:number how_long:number why:cause_before why:cause_first what:name")
    names += _listed("list:commas list:words picture:caption caption reply rank first_claim score_gap coverage coverage2 about about_other")
    names += _listed("speaker plans denies segment_words exclaims answers with_best reply:whole answers:from_start")
    return names


FEATURES = tuple(_names())
"""The columns of `Phrases.features`."""


def head_noun(question: str) -> str:
    """The noun a what- or which-question asks for an instance of ("which *city*", "what kind of *dance*"), as a stem; "" if none."""
    match = re.search(r"\b(?:what|which)\b(.*)", question, re.IGNORECASE)
    if not match:
        return ""
    head = ""
    for word in WORD.findall(match[1])[:7]:
        found = word_class(word.casefold())
        if found in ("noun", "tail", "either", "ing", "vague"):
            head = word
        elif found in ("pronoun", "be", "verb", "ed", "stop") or word.casefold() in ("did", "does", "do", "has", "have", "had"):
            break
        elif word.casefold() == "of":
            head = ""
    return stem(head) if head else ""


def wants_several(query: Query) -> bool:
    """Whether a question asks for several things ("which books", "what activities")."""
    return query.slot == "what" and _PLURAL_ASK.search(query.question) is not None


def phrase_features(query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float], positions: Sequence[int] = ()) -> Phrases:
    """Every phrase of the facts' evidence with its features.

    Args:
        query: the question as read.
        facts: the best claims, best first.
        scores: their fused scores.
        positions: the place of each fact's message among all messages, so that a reply is known by the question before it.
    """
    segments = cut_segments(facts)
    if not segments:
        none = np.zeros(0, np.int64)
        return Phrases((), none, none, none, np.zeros((0, len(FEATURES))))
    words = _Words.read(query, segments)
    segment, first, end = _runs(words, [len(s.words) for s in segments])
    features = np.hstack([_of_words(query, words, first, end), _of_segments(query, facts, scores, positions, segments, words)[segment]])
    whole, from_start = (first == words.start[segment]) & (end == words.stop[segment]), first == words.start[segment]
    reply, answers = features[:, _COLUMN["reply"]], features[:, _COLUMN["answers"]]
    features = np.column_stack([features, whole * reply, from_start * answers])
    return Phrases(segments, segment, first - words.start[segment], end - words.start[segment], features)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of all segments in one row of `w`; `start` and `stop` say where each segment's lie."""

    codes: Integers
    before: Integers
    """(w,) the class of what stands before each word, a mark or the segment's edge."""
    after: Integers
    marked: Flags
    """(w,) whether a mark parts the word from the one before it."""
    parted: Flags
    """(w,) whether that mark ends a sentence or opens or closes a bracket, which no phrase crosses."""
    joined: Flags
    """(w,) whether a single sign and no space stands before the word ("6:30", "berth.name"), where no phrase is cut."""
    comma: Flags
    quote_before: Flags
    quote_after: Flags
    asked: Flags
    person: Flags
    head: Flags
    place: Flags
    cause: Flags
    shared: Floats
    """(w,) in how many other segments a telling word stands, at most 3."""
    start: Integers
    stop: Integers

    @staticmethod
    def read(query: Query, segments: Sequence[Segment]) -> _Words:
        asked = frozenset(query.terms)
        people = frozenset(stem(w) for name in query.speakers for w in WORD.findall(name))
        head = head_noun(query.question)
        stems = [[stem(w) for w in s.words] for s in segments]
        frequency = Counter(word for row in stems for word in set(row))
        flat = [word for row in stems for word in row]
        lower = [w.casefold().replace("’", "'") for s in segments for w in s.words]
        codes: list[int] = []
        before: list[int] = []
        after: list[int] = []
        marked: list[bool] = []
        parted: list[bool] = []
        joined: list[bool] = []
        comma: list[bool] = []
        quotes: list[bool] = []
        closes: list[bool] = []
        for row, segment in zip(stems, segments, strict=True):
            english = language_of(segment.text) in ("en", None)
            classes = [_class_in_place(i, w, english) for i, w in enumerate(segment.words)]
            own = [_CODE["asked"] if s in asked else c for s, c in zip(row, classes, strict=True)]
            text, bounds = segment.text, segment.bounds
            gaps = [text[: bounds[0][0]], *(text[a[1] : b[0]] for a, b in pairwise(bounds)), text[bounds[-1][1] :][:2]]
            joints = [False, *(len(g) == 1 and not g.isspace() for g in gaps[1:-1])]
            marks = [True, *(g.strip(_NO_MARK) != "" and not j for g, j in zip(gaps[1:-1], joints[1:], strict=True)), True]
            codes += own
            before += [_CODE["edge"], *(_CODE["comma"] if m else c for m, c in zip(marks[1:-1], own[:-1], strict=True))]
            after += [*(_CODE["comma"] if m else c for m, c in zip(marks[1:-1], own[1:], strict=True)), _CODE["edge"]]
            marked += marks[:-1]
            joined += joints
            parted += [False, *(_PARTS.search(g) is not None for g in gaps[1:-1])]
            comma += [False, *("," in g for g in gaps[1:-1])]
            has_quote = [any(q in g for q in _QUOTES) for g in gaps]
            quotes += has_quote[:-1]
            closes += has_quote[1:]
        sizes = np.array([len(s.words) for s in segments], np.int64)
        stop = np.cumsum(sizes)
        shared = [min(3, frequency[s] - 1) if c in _TELLING else 0 for s, c in zip(flat, codes, strict=True)]
        return _Words(
            np.array(codes), np.array(before), np.array(after), np.array(marked), np.array(parted), np.array(joined), np.array(comma),
            np.array(quotes), np.array(closes), np.array([s in asked for s in flat]), np.array([s in people for s in flat]),
            np.array([s == head != "" for s in flat]),
            np.array([w in _PLACE for w in lower]), np.array([w in _CAUSE for w in lower]), np.array(shared, np.float64),
            stop - sizes, stop,
        )  # fmt: skip


def _class_in_place(index: int, word: str, english: bool) -> int:
    code = _class_of(word, english)
    return _CODE["name"] if index and word[0].isupper() and code in _NAMEABLE else code


def _runs(words: _Words, sizes: Sequence[int]) -> tuple[Integers, Integers, Integers]:
    """Segment, first word and end of every run of up to `MAX_WORDS` words that may stand alone: no dangling "of the" at its ends."""
    pairs = [_pairs(size) for size in sizes]
    pieces = [(np.full(len(a), n), a + words.start[n], b + words.start[n]) for n, (a, b) in enumerate(pairs)]
    segment, first, end = (np.concatenate([p[i] for p in pieces]) for i in range(3))
    parts = _sums(words.parted)
    whole = ~words.joined[first] & ~np.append(words.joined, False)[end]
    keep = whole & _OPENS[words.codes[first]] & _CLOSES[words.codes[end - 1]] & (parts[end] == parts[first + 1])
    return segment[keep], first[keep], end[keep]


@lru_cache(maxsize=128)
def _pairs(words: int) -> tuple[Integers, Integers]:
    pairs = [(i, j) for i in range(words) for j in range(i + 1, min(words, i + MAX_WORDS) + 1)]
    return np.array([i for i, _ in pairs], np.int64), np.array([j for _, j in pairs], np.int64)


def _sums(values: NDArray[Any]) -> Floats:
    """Running totals from 0: the difference of entries b and a is the total of [a, b)."""
    return np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0, dtype=np.float64)])


def _of_words(query: Query, w: _Words, first: Integers, end: Integers) -> Floats:
    """The features of phrases that their own words and those beside them give."""
    size = (end - first).astype(np.float64)
    slot = np.array([s == query.slot for s in _SLOTS], np.float64)

    def count(flags: NDArray[Any]) -> Floats:
        total = _sums(flags)
        return np.asarray(total[end] - total[first])

    asked = _sums(w.asked)
    of_word = np.repeat(np.arange(len(w.start)), w.stop - w.start)
    own = of_word[first]
    left, right = asked[first] - asked[w.start[own]], asked[w.stop[own]] - asked[end]
    gap_before, gap_after = _gaps(w, first, end)
    marks = _sums(w.marked)
    commas = _sums(w.comma)
    has_name, has_number = count(w.codes == _CODE["name"]) > 0, count(w.codes == _CODE["number"]) > 0
    begins, ends = first == w.start[own], end == w.stop[own]
    cause_before = np.concatenate([[False], w.cause[:-1]])[first] & ~begins
    place_before = np.concatenate([[False], w.place[:-1]])[first] & ~begins
    wants_list = wants_several(query)
    flags = [
        count(w.asked), left, right, gap_before / 6, gap_after / 6, gap_before == 0, gap_after == 0, marks[end] - marks[first + 1],
        w.quote_before[first] & w.quote_after[end - 1], count(w.person), w.head[end - 1], count(w.head), begins & ends, ends, begins,
        count(w.shared) / size, slot[3] * has_name, slot[4] * has_name, slot[4] * place_before, slot[5] * has_number, slot[6] * has_number,
        slot[1] * cause_before, slot[1] * w.cause[first], slot[0] * has_name, wants_list * (commas[end] - commas[first + 1]),
        wants_list * np.log(size),
    ]  # fmt: skip
    return np.hstack(
        [
            *(_EYE[codes] for codes in (w.before[first], w.codes[first], w.codes[end - 1], w.after[end - 1])),
            count(_EYE[w.codes]), np.eye(MAX_WORDS)[end - first - 1], size[:, None] * slot / 5, np.log(size)[:, None] * slot,
            np.column_stack([np.asarray(f, np.float64) for f in flags]),
        ]
    )  # fmt: skip


def _gaps(w: _Words, first: Integers, end: Integers) -> tuple[Floats, Floats]:
    """Words between a phrase and the question's nearest word before and after it in its segment, at most 6."""
    before, after = np.full(len(w.codes) + 1, 6.0), np.full(len(w.codes) + 1, 6.0)
    for start, stop in zip(w.start, w.stop, strict=True):
        near = 6.0
        for i in range(start, stop):
            before[i] = near
            near = 0.0 if w.asked[i] else min(6.0, near + 1)
        near = 6.0
        for i in range(stop - 1, start - 1, -1):
            near = 0.0 if w.asked[i] else min(6.0, near + 1)
            after[i] = near
    last = np.isin(end, w.stop)
    return before[first], np.where(last, 6.0, after[np.minimum(end, len(w.codes))])


def _of_segments(
    query: Query,
    facts: Sequence[ClaimRecord],
    scores: Sequence[float],
    positions: Sequence[int],
    segments: Sequence[Segment],
    words: _Words,
) -> Floats:
    """What all phrases of a segment share: how its fact was found, whom it is about, what it replies to."""
    top = max(scores)
    named = {form for s in query.speakers for form in (s.strip().casefold(), f"the {s.strip().casefold()}")}
    asking: dict[int, float] = {}
    for place, fact, score in zip(positions, facts, scores, strict=False):
        if fact.modality == "asks":
            asking[place + 1] = max(asking.get(place + 1, 0.0), math.exp((score - top) / 10))
    picture = bool(_PICTURE.search(query.question))
    best = facts[segments[0].claim].evidence[0]
    terms = len(frozenset(query.terms)) or 1
    rows = []
    for number, segment in enumerate(segments):
        fact = facts[segment.claim]
        held = {stem(w) for w in segment.words} & set(query.terms)
        coverage = len(held) / terms
        about = (fact.subject or "").casefold() in named
        caption = segment.source == "caption"
        own = fact.evidence[segment.evidence]
        rows.append(
            (
                picture and caption, caption, segment.source == "reply", math.log1p(segment.claim), segment.claim == 0,
                (top - scores[segment.claim]) / 10, coverage, coverage * coverage, about, bool(named) and not about,
                own.speaker.strip().casefold() in named, fact.modality == "plans", fact.modality == "denies",
                math.log(len(segment.words)), segment.text.rstrip().endswith("!"),
                asking.get(positions[segment.claim], 0.0) if positions else 0.0, number > 0 and own.message_id == best.message_id,
            )
        )  # fmt: skip
    return np.array(rows, np.float64)


_EYE = np.eye(len(CLASSES))
_TELLING = frozenset(_CODE[name] for name in ("noun", "name", "ing", "adjective", "ed", "verb"))
_NAMEABLE = frozenset(_CODE[name] for name in ("noun", "vague", "adjective", "ing", "ed", "verb"))
_NO_FIRST = word_set("conjunction be edge comma")
_NO_LAST = _NO_FIRST | word_set("determiner possessive preposition pronoun")
_OPENS = np.array([name not in _NO_FIRST for name in CLASSES])
_CLOSES = np.array([name not in _NO_LAST for name in CLASSES])
_COLUMN = {name: number for number, name in enumerate(FEATURES)}
_NO_MARK = " -’'\""
_PARTS = re.compile(r"[.!?;…]\s|[()\[\]{}=<>|]")
_QUOTES = '"“”„«»《》「」'
