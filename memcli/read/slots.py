"""The values of slots that have a type: dates, durations, numbers, yes and no. They are read from cues and numbers, never guessed.

A date is computed from a time cue of the fact that tells of the event, or of the same message; else it is the day on which the event was
told of. The question narrows it: "which year" takes the year, "in August" prefers what happened in an August.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.atoms import Granularity, TimeCue
from memcli.language.lexicon import FUNCTION
from memcli.language.times import describe_cue, describe_interval
from memcli.language.times.english_words import MONTH_NAMES
from memcli.read.query import Query
from memcli.store.facts import ClaimRecord
from memcli.store.search import search_terms

DATED = 1.25
"""What a time cue of its own is worth to a fact, in units of fused scores; fitted, see benchmarks/fit_answer.py."""

IN_MONTH = 1.9
"""What it is worth that the fact's time lies in the month or year that the question names."""

NEARLY = 1.9
"""Fused scores this near count as found equally well, where what was said later replaces what was said before."""

POOL = 10
"""Facts looked into for a value."""

Cue = tuple[str, str | None, str | None, Granularity | None, str | None]

_PAST = re.compile(r"\b(?:did|was|were|had|have|has|fue|hubo|war|waren|hat|haben|a|était|ont)\b|了", re.IGNORECASE)
_RECURS = re.compile(r"\bwhen (?:do|does)\b", re.IGNORECASE)
_RECURRENCE = re.compile(r"\b(?:every|each|daily|weekly|monthly|\w+days)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\bhow many\s+(?:\w+\s+of\s+)?(\w+)(?:\s+(\w+))?", re.IGNORECASE)
_UNIT_ASKED = re.compile(r"\b(?:what|which)\s+(year|month)\b", re.IGNORECASE)
_CLOCK_ASKED = re.compile(
    r"\bwhat time\b|\bat which hour\b|\ba qué hora\b|\bum (?:wie viel|wieviel) uhr\b|\bà quelle heure\b|几点", re.IGNORECASE
)
_MONTH = re.compile(rf"\b({'|'.join(MONTH_NAMES)})\b")
_YEAR = re.compile(r"\b((?:19|20)[0-9]{2})\b")
_DURATION = re.compile(
    r"\b(?:(?:about|around|over|almost|nearly|more than|at least)\s+)?(?:[0-9]+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|fifteen|twenty|thirty|forty|fifty|several|a few|a couple of|half an?)(?:\s+(?:and a half|more|whole|straight|long))?[\s-]"
    r"(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|weekends?|months?|years?|decades?)\b",
    re.IGNORECASE,
)
_NUMBER = (
    r"[0-9]+(?:[.,:][0-9]+)*%?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|thirty|forty|fifty|eighty"
    r"|hundreds?|twice|thrice|second|third|fourth|fifth|sixth|seventh"
)
_COUNT = re.compile(rf"(?:[$€£]\s?)?\b(?:{_NUMBER})\b%?", re.IGNORECASE)
_ORDINALS = {"second": "two", "third": "three", "fourth": "four", "fifth": "five", "sixth": "six", "seventh": "seven"}
_OFTEN = re.compile(r"\bhow often\b", re.IGNORECASE)
_FREQUENCY = re.compile(
    r"\b(?:every (?:single )?(?:\w+ )?\w+|daily|weekly|monthly"
    r"|(?:once|twice|[a-z]+ times|a few times|[0-9]+ times)(?: an?| per| each)? \w+)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(r"\b(?:would|might|likely)\b", re.IGNORECASE)
_YES_NO = {"en": ("Yes", "No"), "de": ("Ja", "Nein"), "es": ("Sí", "No"), "fr": ("Oui", "Non")}


def when(query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float], allowed: Sequence[int]) -> tuple[str, int] | None:
    """The time asked for, in English, and the fact that tells it; None if no fact has a time at all.

    Args:
        query: the question as read.
        facts: the best claims, best first.
        scores: their fused scores.
        allowed: indexes of the facts that may answer.
    """
    best: tuple[float, int, Cue] | None = None
    months = {MONTH_NAMES.index(m) + 1 for m in _MONTH.findall(query.question)}
    years = {int(y) for y in _YEAR.findall(query.question)}
    for i in allowed[:POOL]:
        told = _day_told(facts[i])
        dated = _cue_of(facts[i], facts)
        cue = dated or told
        start = (cue[1] or cue[2]) if cue else None
        if cue is None or start is None:
            continue
        fits = bool(months or years) and (not months or int(start[5:7]) in months) and (not years or int(start[:4]) in years)
        score = scores[i] + DATED * (dated is not None) + IN_MONTH * fits
        if best is None or score > best[0]:
            best = (score, i, cue)
    if best is None:
        return None
    _, place, cue = best
    latest = newest_version(facts, place)
    if latest == place and not _PAST.search(query.question):
        latest = _said_again(query, facts, scores, allowed, place)
    if latest != place and (own := _resolved(facts[latest])) is not None:
        place, cue = latest, own
    text = describe_cue(TimeCue(cue[0], 0, cue[1], cue[2], cue[3], cue[4]))
    unit = _UNIT_ASKED.search(query.question)
    if unit and cue[1] and cue[3] not in ("year", "decade"):
        granularity: Granularity = "year" if unit[1].casefold() == "year" else "month"
        text = describe_interval(cue[1], cue[2], granularity)
    return (text, place) if text else None


def _said_again(query: Query, facts: Sequence[ClaimRecord], scores: Sequence[float], allowed: Sequence[int], place: int) -> int:
    """The index of the latest fact with a time that holds as many of the question's words as this one and was found nearly as well."""
    held = _held(query, facts[place])
    near = [i for i in allowed[:POOL] if scores[place] - scores[i] <= NEARLY and _resolved(facts[i]) and _held(query, facts[i]) >= held]
    return max(near, key=lambda i: facts[i].evidence[0].timestamp or "") if near and held else place


def _held(query: Query, fact: ClaimRecord) -> frozenset[str]:
    return frozenset(query.terms) & frozenset(search_terms(fact.evidence[0].text))


def newest_version(facts: Sequence[ClaimRecord], place: int) -> int:
    """The index of the latest of the facts that say otherwise than this one about the same thing; its own if none does."""
    seen = {place}
    while True:
        later = [i for i, fact in enumerate(facts) if i not in seen and not set(facts[place].names).isdisjoint(fact.supersedes)]
        if not later:
            return place
        place = later[0]
        seen.add(place)


def recurring(query: Query, facts: Sequence[ClaimRecord], allowed: Sequence[int]) -> tuple[str, int] | None:
    """When something happens again and again ("every Tuesday at 7 pm"), in the words of the best fact that tells; None if none does."""
    if not _RECURS.search(query.question):
        return None
    for i in allowed[:3]:
        text = facts[i].evidence[0].text
        spots = [text.find(cue[0]) for cue in facts[i].cues if cue[3] is None]
        ends = [spot + len(cue[0]) for spot, cue in zip(spots, [c for c in facts[i].cues if c[3] is None], strict=True)]
        if spots and min(spots) >= 0 and _RECURRENCE.search(text, min(spots), max(ends)):
            return text[min(spots) : max(ends)], i
    return None


def _day_told(fact: ClaimRecord) -> Cue | None:
    """The day on which a fact was told, as a cue."""
    timestamp = fact.evidence[0].timestamp
    if timestamp is None:
        return None
    day = timestamp[:10]
    return (day, f"{day}T00:00:00", f"{day}T23:59:59", "day", None)


def _cue_of(fact: ClaimRecord, facts: Sequence[ClaimRecord]) -> Cue | None:
    """The first resolved cue of a fact, else of another fact of the same message."""
    own = _resolved(fact)
    if own is not None:
        return own
    message = _message(fact)
    return next((cue for f in facts if _message(f) == message and (cue := _resolved(f)) is not None), None)


def _message(fact: ClaimRecord) -> tuple[str, str]:
    return fact.evidence[0].conversation_id, fact.evidence[0].message_id


def _resolved(fact: ClaimRecord) -> Cue | None:
    return next((cue for cue in fact.cues if cue[3] is not None and (cue[1] or cue[2])), None)


def asks_clock(query: Query) -> bool:
    """Whether a time of day is asked for, which is quoted and not computed."""
    return _CLOCK_ASKED.search(query.question) is not None


def how_long(facts: Sequence[ClaimRecord], allowed: Sequence[int]) -> tuple[str, int] | None:
    """The first length of time that the facts tell, and the fact that tells it."""
    return _first(_DURATION, facts, allowed)


def how_many(query: Query, facts: Sequence[ClaimRecord], allowed: Sequence[int]) -> tuple[str, int] | None:
    """The first number, or frequency, that the facts tell, and the fact that tells it; an ordinal counts up to itself."""
    if _OFTEN.search(query.question):
        return _first(_FREQUENCY, facts, allowed)
    found = _first(_of_what_is_counted(query), facts, allowed) or _first(_COUNT, facts, allowed[:3])
    if found and (number := _COUNT.search(found[0])):
        found = number.group(), found[1]
    return (_ORDINALS.get(found[0].casefold(), found[0]), found[1]) if found else None


def _of_what_is_counted(query: Query) -> re.Pattern[str]:
    """A number with what is counted within three words behind it; any number where the question does not say what."""
    counted = _COUNTED.search(query.question)
    if counted is None:
        return _COUNT
    nouns = "|".join(re.escape(word.rstrip("s")) for word in counted.groups() if word and word.casefold() not in FUNCTION)
    return re.compile(rf"{_COUNT.pattern}(?:[\s-]+\w+){{0,2}}?[\s-]+(?:{nouns})", re.IGNORECASE) if nouns else _COUNT


def _first(pattern: re.Pattern[str], facts: Sequence[ClaimRecord], allowed: Sequence[int]) -> tuple[str, int] | None:
    for i in allowed[:POOL]:
        for evidence in facts[i].evidence:
            if found := pattern.search(evidence.text):
                return found.group(), i
    return None


def yes_no(query: Query, fact: ClaimRecord, language: str) -> str:
    """Yes or no: whether the best fact says so or denies it; likely so where the question asks what would be."""
    yes, no = _YES_NO.get(language, _YES_NO["en"])
    said = yes if fact.polarity == "positive" and fact.modality != "denies" else no
    return f"Likely {said.lower()}" if language == "en" and _HYPOTHETICAL.search(query.question) else said
