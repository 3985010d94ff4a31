"""Spans: a message cut into sentence-sized slices.

First into blocks (fenced code, image and file lines, quoted lines, list items, lines of text), then text into sentences
with `sentencex`, which knows abbreviations, ellipses and sentence ends of many scripts. Slices never overlap, and what lies
between them is white space (and list markers), so that spans and gaps together are the message, character for character.
"""

from __future__ import annotations

import re

import sentencex

from memcli.atoms import Span, SpanKind
from memcli.language.lexicon import language_of

MAX_CODE_LINES = 40
"""A code block longer than this is cut at blank lines, so that one span stays something a person can read as evidence."""

MAX_SENTENCE = 1200
"""Characters of the longest sentence span; longer ones (no punctuation at all) are cut at white space."""

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_IMAGE = re.compile(r"^\[(?:image|file|audio|video)\b[^\n]*\]$")
_QUOTE = re.compile(r"^[ \t]*>+[ \t]?")
_MARKER = re.compile(r"^[ \t]*(?:[-*+•·–][ \t]+|#{1,6}[ \t]+|\(?\d{1,3}[.)][ \t]+|[a-zA-Z][.)][ \t]+)?")
_TABLE_RULE = re.compile(r"^[ \t|:=_*~-]+$")
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u1000-\u109f]"), "my"),
)
# "den 6. Juli": in German a number with a full stop is an ordinal, here the day of the month behind it.
_ORDINAL = re.compile(r"\b\d{1,2}\.\s*$")
_ORDINAL_NOUN = re.compile(r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)\w*\b|(?:jahrhundert|klasse|stock|platz)\b", re.IGNORECASE)
# "5! / (2! 3!) = 10": behind a number or a bracket "!" may be a factorial; it is one where a formula goes on behind it.
_FACTORIAL = re.compile(r"[\d)\]}nkr]!\s*$")
_FORMULA_GOES_ON = re.compile(r"[/}\])=+*^,;:<>×÷·-]|\(|\\|\d|[a-z]!")
_ASCII_ENDS = re.compile(r"[.!?]")


def cut_spans(text: str) -> list[Span]:
    """The spans of a message's text, in order. White space alone has none."""
    spans: list[Span] = []
    fence: str | None = None
    fence_start = 0
    position = 0
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        opening = _FENCE.match(line)
        if fence is not None:
            if opening and opening[1] == fence:
                spans += _code(text, fence_start, position)
                fence = None
        elif opening:
            fence, fence_start = opening[1], start
        else:
            spans += _line(text, start, position)
    if fence is not None:
        spans += _code(text, fence_start, position)
    return spans


def _trimmed(text: str, start: int, end: int, kind: SpanKind) -> Span | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    return Span(start, end, text[start:end], kind) if start < end else None


def _code(text: str, start: int, end: int) -> list[Span]:
    """A fenced block as one span, or several of at most `MAX_CODE_LINES` lines."""
    lines = text[start:end].splitlines(keepends=True)
    pieces: list[Span | None] = []
    piece_start, count = start, 0
    position = start
    for line in lines:
        position += len(line)
        count += 1
        if (count >= MAX_CODE_LINES and not line.strip()) or count >= 2 * MAX_CODE_LINES:
            pieces.append(_trimmed(text, piece_start, position, "code"))
            piece_start, count = position, 0
    pieces.append(_trimmed(text, piece_start, position, "code"))
    return [span for span in pieces if span]


def _line(text: str, start: int, end: int) -> list[Span]:
    line = text[start:end].strip()
    if not line or _TABLE_RULE.match(line):
        return []
    kind: SpanKind = "sentence"
    if _IMAGE.match(line):
        span = _trimmed(text, start, end, "image")
        return [span] if span else []
    if quote := _QUOTE.match(text[start:end]):
        kind = "quote"
        start += quote.end()
    if (marker := _MARKER.match(text[start:end])) and marker.end() < len(text[start:end].rstrip()):
        start += marker.end()
    if line.startswith("|") and line.endswith("|"):
        span = _trimmed(text, start, end, kind)
        return [span] if span else []
    return _sentences(text, start, end, kind)


def _language(text: str) -> str:
    """The language whose rules for sentence ends a text follows: its script's, else the one its function words tell."""
    script = None if text.isascii() else next((language for script, language in _SCRIPTS if script.search(text)), None)
    return script or language_of(text) or "en"


def _sentences(text: str, start: int, end: int, kind: SpanKind) -> list[Span]:
    line = text[start:end]
    if line.isascii() and not _ASCII_ENDS.search(line.rstrip()[:-1]):
        bounds = [(start, end)]
    else:
        bounds = []
        position = start
        language = _language(line)
        german = language == "de" or language_of(line) is None  # "am" alone does not tell German from English
        for sentence in sentencex.segment(language, line):
            begin, position = position, position + len(sentence)
            if bounds and _FACTORIAL.search(text, *bounds[-1]) and _FORMULA_GOES_ON.match(sentence):
                begin = bounds.pop()[0]
            if german and bounds and _ORDINAL.search(text, *bounds[-1]) and _ORDINAL_NOUN.match(sentence):
                begin = bounds.pop()[0]
            bounds.append((begin, position))
        if position != end or text[start:end] != line:
            bounds = [(start, end)]
    spans = []
    for first, last in bounds:
        while last - first > MAX_SENTENCE:
            cut = text.rfind(" ", first + MAX_SENTENCE // 2, first + MAX_SENTENCE)
            cut = first + MAX_SENTENCE if cut < 0 else cut
            if span := _trimmed(text, first, cut, kind):
                spans.append(span)
            first = cut
        if span := _trimmed(text, first, last, kind):
            spans.append(span)
    return spans
