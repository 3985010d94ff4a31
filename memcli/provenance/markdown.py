"""A dossier in Markdown: what the memory holds, by topic and time, with a footnote to the exact words behind each statement."""

from __future__ import annotations

import re
from typing import Final, TextIO

from memcli.provenance.reading import Reading
from memcli.provenance.texts import visible
from memcli.store.export_rows import ClaimRow, MessageRow, SpanRow

_ACTIVE: Final = re.compile(r"([\\`*_\[\]<>&~|#!$])")
"""Characters that Markdown may take for more than themselves, inside a line."""
_NO_TOPIC: Final = "Other"


def write(reading: Reading, out: TextIO) -> None:
    """Write the export. It is read twice, for the statements and for the footnotes, so that neither has to be kept."""
    title = "What the memory holds" if reading.closure is None else "Where a claim comes from"
    out.write(f"# {title}\n\nBy topic and time. The notes at the end hold the exact words, who said them, when, and in which message.\n")
    heading: str | None = None
    for topic, claim_id in reading.by_topic():
        section = topic or _NO_TOPIC
        if section != heading:
            heading = section
            out.write(f"\n## {_inline(section)}\n\n")
        out.write(_statement(reading.claim(claim_id), reading.evidence(claim_id), reading.relations(claim_id)))
    out.write("\n")
    count = 0
    for _topic, claim_id in reading.by_topic():
        count += 1
        for number, (span, message) in enumerate(reading.evidence(claim_id), 1):
            out.write(_footnote(f"{claim_id}.{number}", span, message))
    reading.counts["claim"] = count


def _statement(claim: ClaimRow, evidence: list[tuple[SpanRow, MessageRow]], relations: list[tuple[str, int]]) -> str:
    """A claim as an item of a list, with what qualifies it behind it: before it its time in bold, else the day it was said."""
    said = next((span.timestamp[:10] for span, _ in evidence if span.id == claim.anchor_span_id and span.timestamp), "")
    when = f"**{_when(claim)}** " if claim.granularity else f"{said} " if said else ""
    notes = "".join(f"[^{claim.id}.{number}]" for number in range(1, len(evidence) + 1))
    about = [f"claim {claim.id}", claim.kind]
    if claim.modality != "did":
        about.append(claim.modality)
    if claim.polarity == "negative":
        about.append("negated")
    if claim.status == "archived":
        about.append("archived")
    if claim.origin != "rule":
        about.append("merged" if claim.origin == "merge" else f"written by {claim.origin}")
    about.append(f"said by {_inline(claim.speaker)}")
    if claim.subject and claim.subject != claim.speaker:
        about.append(f"about {_inline(claim.subject)}")
    about += [f"{relation.replace('_', ' ')} claim {other}" for relation, other in relations]
    if claim.keywords:
        about.append("keywords: " + " · ".join(map(_inline, claim.keywords)))
    return f"- {when}{_inline(claim.text)}{notes} *({', '.join(about)})*\n"


def _when(claim: ClaimRow) -> str:
    """The claim's interval; a day, month or year by its beginning."""
    start, end = (_moment(time) for time in (claim.start_time, claim.end_time))
    if claim.start_time and claim.granularity in ("instant", "minute", "hour", "day"):
        return start if claim.granularity != "day" else start[:10]
    if claim.start_time and claim.granularity in ("month", "year"):
        return start[: 7 if claim.granularity == "month" else 4]
    if claim.start_time and claim.end_time:
        return f"{start[:10]} to {end[:10]} (exclusive)"
    return f"since {start[:10]}" if claim.start_time else f"before {end[:10]}"


def _moment(time: str | None) -> str:
    """An ISO 8601 time as people write it: seconds only where there are any."""
    return re.sub(r"(T\d\d:\d\d):00(?![\d.])", r"\1", time or "").replace("T", " ")


def _footnote(label: str, span: SpanRow, message: MessageRow) -> str:
    said = [_inline(span.speaker), *([_moment(span.timestamp)] if span.timestamp else []), f"message {_inline(span.message_id)}"]
    said.append(f"conversation {_inline(span.conversation_id)}")
    if message.session_id:
        said.append(f"session {_inline(message.session_id)}")
    place = " ".join(part for part in (message.source, message.locator) if part)
    said += [f"characters {span.start} to {span.end}", *([f"read from {_inline(place)}"] if place else [])]
    words = visible(span.text)
    if "\n" not in words:
        return f"[^{label}]: “{_inline(words)}” ({', '.join(said)})\n"
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", words)), 3)
    block = "".join(f"    {line}\n" if line else "\n" for line in (fence, *words.split("\n"), fence))
    return f"[^{label}]: ({', '.join(said)})\n\n{block}\n"


def _inline(text: str) -> str:
    """Text as it is, on one line, without any meaning to Markdown."""
    return _ACTIVE.sub(r"\\\1", " ".join(visible(text).split()))
