"""Which spans of a turn share a claim: code with what introduces it, neighbours of a long turn in runs of up to three."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence

from memcli.atoms import Span
from memcli.language.lexicon import WORD, content_words, word_set

MAX_CLAIMS = 18
"""Claims a turn may give (MemIR's budget of a long technical page, kept for each turn so that a page's first message cannot starve its
last). A turn with more than three useful spans for each of them may give one for every three of each section."""

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

_EMPTY_HEADING = word_set(
    "conclusion conclusions summary overview introduction explanation explanations note notes tip tips recap example examples usage output"
    " result results detail details background consideration considerations recommendation recommendations suggestion suggestions"
    " takeaway takeaways benefits improvements changes breakdown instructions guide guideline guidelines plan step steps code"
    " implementation solution answer description highlights points thoughts remarks information context included additional further"
    " final next key main important general other more detailed full complete updated improved revised enhanced current sample"
    " expected suggested proposed overall brief quick specific practical your the a an by of and to for in here consider remember"
    " conclusión resumen introducción explicación ejemplo ejemplos notas consejos adicionales pasos zusammenfassung fazit einleitung"
    " erklärung beispiel beispiele hinweise schritte weitere résumé explication exemple exemples remarques conseils étapes"
)
"""Words of headings that tell nothing without what stands below them: "Conclusion", "Additional Tips", "Step-by-Step Plan"."""
_LABEL = re.compile(r"(\*\*|__|)([^\W\d_][^*_:.!?\n]{2,40})(?::\1|\1:)\s+(?=\S)")
"""The name before a line's text: "**Explanation:** ...", "Note: ..."."""

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
        Groups of indexes that no heading parts, at most `MAX_CLAIMS` or a third of the useful spans of each section, whichever is more.
    """
    opening = [opens_section(text, spans, index) for index in range(len(spans))]
    headings = frozenset(index for index in useful if opening[index])
    sections = list(itertools.accumulate(now and not before for before, now in itertools.pairwise([False, *opening])))
    groups = _runs(text, spans, useful, headings, sections) if in_runs else _introduced(spans, useful)
    sizes = Counter(sections[index] for index in useful)
    budget = max(MAX_CLAIMS, sum(math.ceil(size / MAX_SUPPORTS) for size in sizes.values()))
    weight = {index: _weight(spans[index]) for index in useful} if len(groups) > budget else {}
    while len(groups) > budget:
        fitting = [
            i
            for i in range(len(groups) - 1)
            if len(groups[i]) + len(groups[i + 1]) <= MAX_SUPPORTS and sections[groups[i][0]] == sections[groups[i + 1][-1]]
        ]
        if not fitting:
            return _tightened(text, spans, groups, budget, headings, sections)
        weights = [sum(weight[index] for index in group) for group in groups]
        first = min(fitting, key=lambda i: weights[i] + weights[i + 1])
        groups[first : first + 2] = [groups[first] + groups[first + 1]]
    return groups


def is_empty_heading(text: str, spans: Sequence[Span], index: int) -> bool:
    """Whether a span is a heading that names nothing ("Conclusion:", "Step-by-Step Plan"), or the bare number of one."""
    if not opens_section(text, spans, index):
        return False
    span = spans[index].text
    return _BARE_NUMBER.fullmatch(span) is not None or _is_empty(span)


def _is_empty(heading: str) -> bool:
    found = [part for word in WORD.findall(heading.casefold()) for part in word.split("-")]
    return _EMPTY_HEADING.issuperset(found) if found else False


def without_label(text: str) -> str:
    """A line without the empty name before it: "**Explanation:** The gate rusts." -> "The gate rusts."."""
    label = _LABEL.match(text)
    return text[label.end() :] if label and _is_empty(label[2]) else text


def introduces(spans: Sequence[Span], index: int) -> bool:
    """Whether a code block stands right behind a sentence."""
    following = spans[index + 1 : index + 2]
    return bool(following) and following[0].kind == "code" and spans[index].kind == "sentence"


def is_heading(span: Span) -> bool:
    """Whether a span is short and ends in no full stop."""
    if span.kind != "sentence" or span.text.endswith((".", "!", "?", "。", "！", "？")):
        return False
    return len(span.text.split(maxsplit=HEADING_WORDS)) <= HEADING_WORDS


def opens_section(text: str, spans: Sequence[Span], index: int) -> bool:
    """Whether a span is a heading, or the bare number of one: it tells nothing without what follows it."""
    span = spans[index]
    if span.kind != "sentence" or index + 1 == len(spans):
        return False
    if _BARE_NUMBER.fullmatch(span.text):
        return True
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start].strip()
    line_end = text.find("\n", span.end)
    whole_line = not text[span.end : line_end if line_end >= 0 else len(text)].strip()
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


def _runs(text: str, spans: Sequence[Span], useful: Sequence[int], headings: frozenset[int], sections: Sequence[int]) -> list[list[int]]:
    """Neighbours in groups of up to three; headings go with what follows them, code with what introduces it."""
    size = MAX_SUPPORTS if len(useful) > MAX_CLAIMS else 2
    groups: list[list[int]] = []
    closed = True  # whether the last group takes no more prose
    for index in useful:
        code = spans[index].kind == "code"
        alone = not code and (_STANDALONE.search(spans[index].text) is not None or introduces(spans, index))
        last = groups[-1] if groups and sections[groups[-1][0]] == sections[index] else []
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


def _tightened(
    text: str, spans: Sequence[Span], groups: list[list[int]], budget: int, headings: frozenset[int], sections: Sequence[int]
) -> list[list[int]]:
    """At most `budget` groups, none across a heading: the sections that can spare most are packed anew until that many are left."""
    packed = [list(found) for _, found in itertools.groupby(groups, key=lambda group: sections[group[0]])]
    useful = [[index for group in found for index in group] for found in packed]
    fewest = [math.ceil(len(indexes) / MAX_SUPPORTS) for indexes in useful]
    count = len(groups)
    for i in sorted(range(len(packed)), key=lambda i: fewest[i] - len(packed[i])):
        if count <= budget:
            break
        count += fewest[i] - len(packed[i])
        packed[i] = _tight(text, spans, useful[i], fewest[i], headings)
    return [group for found in packed for group in found]


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
