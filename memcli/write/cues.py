"""Pivots: the concrete event that a span records.

A cue helps to find claims; it states nothing, so a pivot is an exact slice of the text it was found in.
"""

from __future__ import annotations

import re

from memcli.atoms import Pivot, Span
from memcli.language.lexicon import WORD, content_words

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
