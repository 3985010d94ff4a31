"""Which spans of a turn share a claim: code with what introduces it, neighbours of a long turn in runs of up to three."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

from memcli.atoms import Span
from memcli.language.lexicon import content_words

MAX_CLAIMS = 18
"""Claims a turn may give (MemIR's budget of a long technical page, kept for each turn so that a page's first message cannot starve its
last). A turn with more than three useful spans for each of them may give one for every three."""

MAX_SUPPORTS = 3
"""Spans a claim may lean on."""

HEADING_WORDS = 8
"""A line this short before a gap may be a heading."""

CODE_WEIGHT = 0.3
"""What a word of code counts against one of prose when it is decided which neighbours share a claim."""

_CUT_BEFORE_CODE = 9.0
_CUT_BEHIND_HEADING = 9.0
_CUT_BEFORE_HEADING = -4.0
_CUT_IN_PARAGRAPH = 1.0
"""What it costs to cut between code and what introduces it, behind and before a heading (where a cut is due, and thus gains), and between
two spans that no blank line parts."""

_BARE_NUMBER = re.compile(r"(?:\d{1,3}|[A-Za-z])[.)]")
_BOLD = re.compile(r"(\*\*|__)[^*_]+\1:?")

_STANDALONE = re.compile(
    r"\b\w*(?:Error|Exception)\b|\b[vV]?\d+\.\d+(?:\.\d+)?\b|\b(?:fixed|fixes|the fix|fix (?:is|was)|solution|root cause|caused by|decided"
    r"|decision|we['’]ll use|instead of|deprecated|breaking change|deadline|must not|never)\b"
)
"""Marks of a version, an error, a fix or a decision: such a sentence of a long turn stands on its own while there is room."""


def grouped(text: str, spans: Sequence[Span], useful: Sequence[int], *, in_runs: bool) -> list[list[int]]:
    """The useful spans of a turn in groups of 1 to `MAX_SUPPORTS`, in order, none left out.

    Args:
        text: the message's text.
        spans: its spans.
        useful: indexes of those that must support a claim, ascending.
        in_runs: whether neighbours share a claim where they go on about the same; else only code joins its introduction.

    Returns:
        Groups of indexes, at most `MAX_CLAIMS` or a third of the useful spans, whichever is more.
    """
    headings = frozenset(index for index in useful if _opens_section(text, spans, index))
    groups = _runs(text, spans, useful, headings) if in_runs else _introduced(spans, useful)
    budget = max(MAX_CLAIMS, math.ceil(len(useful) / MAX_SUPPORTS))
    weight = {index: _weight(spans[index]) for index in useful} if len(groups) > budget else {}
    while len(groups) > budget:
        fitting = [
            i
            for i in range(len(groups) - 1)
            if len(groups[i]) + len(groups[i + 1]) <= MAX_SUPPORTS
            and (headings.issuperset(groups[i]) or not headings.intersection((groups[i][-1], groups[i + 1][0])))
        ]
        if not fitting:
            return _tight(text, spans, useful, budget, headings)
        weights = [sum(weight[index] for index in group) for group in groups]
        first = min(fitting, key=lambda i: weights[i] + weights[i + 1])
        groups[first : first + 2] = [groups[first] + groups[first + 1]]
    return groups


def introduces(spans: Sequence[Span], index: int) -> bool:
    """Whether a code block stands right behind a sentence."""
    following = spans[index + 1 : index + 2]
    return bool(following) and following[0].kind == "code" and spans[index].kind == "sentence"


def is_heading(span: Span) -> bool:
    """Whether a span is short and ends in no full stop."""
    if span.kind != "sentence" or span.text.endswith((".", "!", "?", "。", "！", "？")):
        return False
    return len(span.text.split(maxsplit=HEADING_WORDS)) <= HEADING_WORDS


def _opens_section(text: str, spans: Sequence[Span], index: int) -> bool:
    """Whether a span is a heading, or the bare number of one: it tells nothing without what follows it."""
    span = spans[index]
    if span.kind != "sentence" or index + 1 == len(spans):
        return False
    if _BARE_NUMBER.fullmatch(span.text):
        return True
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start].strip()
    rest = text[span.end :]
    whole_line = not rest.split("\n", 1)[0].strip()
    if before.startswith("#"):
        return True
    if not whole_line:
        return False
    if _BOLD.fullmatch(span.text):
        return True
    if before or len(span.text.split(maxsplit=HEADING_WORDS)) > HEADING_WORDS:
        return False
    apart = index == 0 or "\n\n" in text[spans[index - 1].end : span.start]
    return span.text.endswith(":") or (apart and is_heading(span) and "\n\n" in text[span.end : spans[index + 1].start])


def _introduced(spans: Sequence[Span], useful: Sequence[int]) -> list[list[int]]:
    """One span a group, but code with the sentence just before it."""
    groups: list[list[int]] = []
    for index in useful:
        if spans[index].kind == "code" and groups and groups[-1][-1] == index - 1 and len(groups[-1]) < MAX_SUPPORTS:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _runs(text: str, spans: Sequence[Span], useful: Sequence[int], headings: frozenset[int]) -> list[list[int]]:
    """Neighbours in groups of up to three; headings go with what follows them, code with what introduces it."""
    size = MAX_SUPPORTS if len(useful) > MAX_CLAIMS else 2
    groups: list[list[int]] = []
    closed = True  # whether the last group takes no more prose
    for index in useful:
        code = spans[index].kind == "code"
        alone = not code and (_STANDALONE.search(spans[index].text) is not None or introduces(spans, index))
        last = groups[-1] if groups else []
        adjacent = bool(last) and last[-1] == index - 1
        gap = bool(last) and "\n\n" in text[spans[last[-1]].end : spans[index].start]
        heading = len(last) == 1 and is_heading(spans[last[0]])
        titled = bool(last) and headings.issuperset(last)
        if titled and len(last) < MAX_SUPPORTS:
            last.append(index)
            closed = code or alone
        elif index in headings:
            groups.append([index])
            closed = False
        elif code and adjacent and len(last) < MAX_SUPPORTS:
            last.append(index)
            closed = True
        elif not code and last and len(last) < size and (heading or not (gap or closed or alone)):
            last.append(index)
            closed = alone
        else:
            groups.append([index])
            closed = alone or code
    return groups


def _tight(text: str, spans: Sequence[Span], useful: Sequence[int], budget: int, headings: frozenset[int]) -> list[list[int]]:
    """The spans in at most `budget` groups of up to three, cut where they belong together least."""
    count = len(useful)
    cost = [0.0, *(_cut_cost(text, spans, left, right, headings) for left, right in itertools.pairwise(useful))]
    best: list[dict[int, tuple[float, int]]] = [{0: (0.0, 0)}]  # by end: groups used -> cost so far, start of the last group
    for end in range(1, count + 1):
        reached: dict[int, tuple[float, int]] = {}
        most = budget - math.ceil((count - end) / MAX_SUPPORTS)
        for start in range(max(0, end - MAX_SUPPORTS), end):
            for used, (total, _) in best[start].items():
                candidate = (total + cost[start], start)
                if used < most and (used + 1 not in reached or candidate < reached[used + 1]):
                    reached[used + 1] = candidate
        best.append(reached)
    groups: list[list[int]] = []
    end, used = count, min(best[count], key=lambda k: (best[count][k], k))
    while end > 0:
        start = best[end][used][1]
        groups.append(list(useful[start:end]))
        end, used = start, used - 1
    return groups[::-1]


def _cut_cost(text: str, spans: Sequence[Span], left: int, right: int, headings: frozenset[int]) -> float:
    if left in headings:
        return _CUT_BEHIND_HEADING
    if right in headings:
        return _CUT_BEFORE_HEADING
    if spans[right].kind == "code" and right == left + 1:
        return _CUT_BEFORE_CODE
    return 0.0 if "\n\n" in text[spans[left].end : spans[right].start] else _CUT_IN_PARAGRAPH


def _weight(span: Span) -> float:
    """How much a span says: its content words."""
    return len(content_words(span.text)) * (CODE_WEIGHT if span.kind == "code" else 1.0)
