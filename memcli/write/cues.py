"""Cues of a span that are not times: handles (exact mentions of concrete things), keywords and pivots.

Cues help to find claims; they state nothing, so each is an exact slice of the text it was found in (keywords, which belong to
claims, are that slice in lower case).
"""

from __future__ import annotations

import re

from memcli.atoms import Handle, Pivot, Span
from memcli.language.lexicon import FUNCTION, FUNCTION_DE, PHATIC, WORD, content_words, word_set, words

MAX_KEYWORDS = 5
"""Keywords of one claim (MemCoRe: 3 to 5)."""

_CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january february march april"
    " may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec montag dienstag mittwoch"
    " donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember lunes martes miércoles jueves viernes sábado"
    " domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre"
)
_CAPITALISED = r"[^\W\d_a-zà-öø-ÿ][\w&'’.-]*[\w]|[A-Z]"
_NAME_RUN = re.compile(rf"(?<![\w@#/.])(?:{_CAPITALISED})(?:[ ](?:(?:of|the|de|la|del|von|van|der|and|&)[ ])?(?:{_CAPITALISED}))*(?!\w)")
_QUOTED = re.compile(r"[\"“«「『]([^\"”»」』\n]{2,60})[\"”»」』]|(?<!\w)\*([A-Z][^*\n]{2,60})\*(?!\w)")
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>()\[\]\"']+[^\s<>()\[\]\"'.,;:!?]")
_FILE = re.compile(
    r"(?<![\w/])(?:[\w.-]+/)*[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|c|h|cpp|rb|sh|sql|json|ya?ml|toml|md|txt|csv|html|css|ipynb|pdf|docx?|xlsx?|png|jpe?g)\b"
)
_ERROR = re.compile(r"\b(?:[A-Z][a-z]+)+(?:Error|Exception|Warning|Timeout)\b|\b(?:E[A-Z]{4,}|[A-Z]{2,}_[A-Z_]{2,})\b")
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+(?:\.\d+)+(?![\w.])|\bv\d+(?:\.\d+)?\b")
_MENTION = re.compile(r"(?<!\w)@\w[\w.]*\w")
_CLITIC = re.compile(r"['’](?:s|m|re|ve|ll|d|t)$", re.IGNORECASE)

_EVENT_VERBS = (
    ("visit", "visited went attended travelled traveled flew drove joined met toured hiked camped"),
    (
        "creation",
        "made built wrote painted created baked cooked drew designed founded started launched opened published recorded planted knitted",
    ),
    ("purchase", "bought ordered sold adopted rented purchased got"),
    ("change", "moved quit changed switched left married divorced graduated retired upgraded migrated renamed replaced broke hurt lost"),
    ("completion", "finished completed won passed reached delivered released deployed fixed merged solved earned"),
    ("application", "applied signed registered enrolled submitted booked scheduled planned arranged"),
)
_PIVOT_KIND = {verb: kind for kind, verbs in _EVENT_VERBS for verb in verbs.split()}


def find_handles(span: Span, people: tuple[str, ...]) -> list[Handle]:
    """The exact mentions of concrete things in a span, by offset in its message; never a pronoun, a theme or a date.

    Args:
        span: the span to look at; code and captions give file names, errors and addresses only.
        people: names of those who take part in the conversation; they count wherever they stand.
    """
    text = span.text
    taken: list[tuple[int, int]] = []
    found: list[Handle] = []

    def add(start: int, end: int, kind: str) -> None:
        if end > start and all(end <= a or start >= b for a, b in taken):
            taken.append((start, end))
            found.append(Handle(text[start:end], span.start + start, kind))

    for pattern, kind in ((_URL, "url"), (_FILE, "file"), (_ERROR, "error"), (_VERSION, "version"), (_MENTION, "person")):
        for match in pattern.finditer(text):
            add(*match.span(), kind)
    if span.kind == "code":
        return sorted(found, key=lambda h: h.offset)
    for match in _QUOTED.finditer(text):
        group = 1 if match[1] else 2
        if any(ch.isupper() for ch in match[group]) or not text.isascii():
            add(*match.span(group), "quoted")
    for person in people:
        for match in re.finditer(rf"(?<!\w){re.escape(person)}(?!\w)", text):
            add(*match.span(), "person")
    if span.kind != "image" and not _capitalises_nouns(text):
        for match in _NAME_RUN.finditer(text):
            start, end = _trim_name(text, *match.span())
            if start < end:
                add(start, end, "name")
    return sorted(found, key=lambda h: h.offset)


def _capitalises_nouns(text: str) -> bool:
    """Whether a text is German, where a capital letter tells a noun and not a name."""
    found = [w for w in words(text) if w in FUNCTION]
    return len(found) > 0 and 2 * sum(w in FUNCTION_DE for w in found) > len(found)


def _trim_name(text: str, start: int, end: int) -> tuple[int, int]:
    """A run of capitalised words without what is capitalised for another reason; (0, 0) if nothing remains."""
    pieces = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text[start:end])]
    at_sentence_start = not re.search(r"\w", text[:start])

    def ordinary(piece: tuple[int, int]) -> bool:
        word = _CLITIC.sub("", text[piece[0] : piece[1]]).casefold()
        return word in FUNCTION or word in PHATIC or word in _CALENDAR or len(word) < 2 or word == "i"

    while pieces and ordinary(pieces[0]):
        pieces.pop(0)
        at_sentence_start = False
    while pieces and ordinary(pieces[-1]):
        pieces.pop()
    if not pieces:
        return 0, 0
    if at_sentence_start and len(pieces) == 1 and not re.search(r"[A-Z].*[A-Z]", text[pieces[0][0] : pieces[0][1]]):
        return 0, 0
    first, last = pieces[0][0], pieces[-1][1]
    clitic = _CLITIC.search(text[first:last])
    return first, last - (len(clitic.group()) if clitic else 0)


def find_keywords(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """Up to `MAX_KEYWORDS` noun-phrase-like runs of content words, longest first; none for a phatic text.

    Args:
        text: the words of a claim's supporting spans.
        names: casefolded names of the participants, which are handles and not keywords.
    """
    runs: list[list[str]] = [[]]
    position = 0
    for match in WORD.finditer(text):
        if text[position : match.start()].strip():
            runs.append([])
        position = match.end()
        word = _CLITIC.sub("", match.group().casefold())
        if word in FUNCTION or word in PHATIC or word in _CALENDAR or word in names or len(word) < 2 or word.isdigit():
            runs.append([])
        else:
            runs[-1].append(word)
    phrases = dict.fromkeys(" ".join([*run[-3:-1], _singular(run[-1])]) for run in runs if run)
    ranked = sorted(phrases, key=lambda phrase: -len(phrase.split()))
    return tuple(ranked[:MAX_KEYWORDS])


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def find_pivot(span: Span) -> Pivot | None:
    """The concrete event a span records, labelled by the words from its verb on; None for interpretation, feeling or a question."""
    if span.kind != "sentence" or span.text.rstrip().endswith("?"):
        return None
    for match in WORD.finditer(span.text):
        kind = _PIVOT_KIND.get(match.group().casefold())
        if kind is None:
            continue
        tail = re.split(r"[,;.!?()\n]| (?:and|but|because|so|which|who) ", span.text[match.start() :], maxsplit=1)[0].rstrip()
        if len(content_words(tail)) >= 2:
            return Pivot(tail, span.start + match.start(), kind)
    return None
