"""Facts: claims with everything an answer may use of them, read through the schema's `facts` view (the authority law)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apsw

from memcli.atoms import Granularity
from memcli.results import Evidence, Interval

_Cue = tuple[str, str | None, str | None, Granularity | None, str | None]


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """An active claim with its provenance closure. `cues` are (expression, start, end, granularity, anchor) of its spans."""

    id: int
    text: str
    kind: str
    modality: str
    polarity: str
    subject: str | None
    speaker: str
    time: Interval | None
    said_at: float | None
    evidence: tuple[Evidence, ...]
    messages: tuple[int, ...]
    """The database id of each evidence's message."""
    cues: tuple[_Cue, ...]
    supersedes: tuple[int, ...]
    conflicts_with: tuple[int, ...]


class _Row(NamedTuple):
    """A row of `_FACTS`: a claim with one of its supports."""

    claim_id: int
    text: str
    kind: str
    modality: str
    polarity: str
    subject: str | None
    speaker: str
    start_time: str | None
    end_time: str | None
    granularity: str | None
    said_at: float | None
    message_id: str
    conversation_id: str
    session_id: str | None
    message_speaker: str
    timestamp: str | None
    start: int
    end: int
    span_id: int
    text_of_span: str
    message: int


# The lists of ids are JSON, which has no limit on how many there are. CROSS JOIN makes SQLite begin with them.
_FACTS = (
    "SELECT f.claim_id, f.text, f.kind, f.modality, f.polarity, f.subject, f.speaker, f.start_time, f.end_time, f.granularity, f.said_at,"
    " f.message_external_id, c.external_id, s.external_id, f.message_speaker, f.timestamp, f.start_offset, f.end_offset, f.span_id,"
    " substr(t.text, f.start_offset + 1, f.end_offset - f.start_offset), f.message_id"
    " FROM json_each(?) wanted CROSS JOIN facts f ON f.claim_id = wanted.value"
    " JOIN messages m ON m.id = f.message_id JOIN message_texts t ON t.id = m.id"
    " JOIN conversations c ON c.id = m.conversation_id LEFT JOIN sessions s ON s.id = m.session_id"
    " ORDER BY f.claim_id, f.support_position"
)
_CUES = (
    "SELECT span_id, text, start_time, end_time, granularity, anchor"
    " FROM json_each(?) wanted CROSS JOIN time_cues ON span_id = wanted.value ORDER BY span_id, start_offset, length(text)"
)
_CONFLICTS = (
    "SELECT source_id, target_id FROM json_each(?1) wanted CROSS JOIN edges ON source_id = wanted.value WHERE relation = 'conflicts'"
    " UNION SELECT source_id, target_id FROM json_each(?1) wanted CROSS JOIN edges ON target_id = wanted.value WHERE relation = 'conflicts'"
    " ORDER BY 1, 2"
)
_EDGES = (
    "SELECT e.source_id, e.target_id, e.relation, e.strength FROM json_each(?1) wanted CROSS JOIN edges e ON e.source_id = wanted.value"
    " WHERE e.target_id IN (SELECT value FROM json_each(?1)) ORDER BY e.strength DESC, e.source_id, e.target_id"
)


def fetch_facts(connection: apsw.Connection, claim_ids: Sequence[int]) -> list[ClaimRecord]:
    """The active claims of these ids, in their order; ids that name none are left out. Three statements, however many there are."""
    supports: dict[int, list[_Row]] = defaultdict(list)
    for values in connection.execute(_FACTS, (json.dumps(list(dict.fromkeys(claim_ids))),)):
        row = _Row(*values)
        supports[row.claim_id].append(row)
    spans = {row.span_id for rows in supports.values() for row in rows}
    cues: dict[int, list[_Cue]] = defaultdict(list)
    for span, *cue in connection.execute(_CUES, (json.dumps(sorted(spans)),)):
        cues[span].append(tuple(cue))
    later: dict[int, list[int]] = defaultdict(list)
    earlier: dict[int, list[int]] = defaultdict(list)
    for source, target in connection.execute(_CONFLICTS, (json.dumps(list(supports)),)):
        later[target].append(source)
        earlier[source].append(target)
    return [
        _record(rows, tuple(cue for row in rows for cue in cues[row.span_id]), earlier[claim_id], later[claim_id])
        for claim_id in claim_ids
        if (rows := supports.get(claim_id))
    ]


def fetch_edges(connection: apsw.Connection, claim_ids: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """How each of these claims is linked with others of them: `{"claim", "relation", "strength"}`, strongest first."""
    edges: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for source, target, relation, strength in connection.execute(_EDGES, (json.dumps(list(claim_ids)),)):
        for one, other in ((source, target), (target, source)):
            edges[one].append({"claim": other, "relation": relation, "strength": round(strength, 3)})
    return edges


def _record(rows: list[_Row], cues: tuple[_Cue, ...], earlier: list[int], later: list[int]) -> ClaimRecord:
    """A claim from its supports, the cues of their spans, and the claims it conflicts with, those before it and those after it."""
    claim = rows[0]
    return ClaimRecord(
        id=claim.claim_id,
        text=claim.text,
        kind=claim.kind,
        modality=claim.modality,
        polarity=claim.polarity,
        subject=claim.subject,
        speaker=claim.speaker,
        time=Interval(claim.start_time, claim.end_time, claim.granularity) if claim.granularity else None,
        said_at=claim.said_at,
        evidence=tuple(
            Evidence(
                message_id=row.message_id,
                conversation_id=row.conversation_id,
                session_id=row.session_id,
                speaker=row.message_speaker,
                timestamp=row.timestamp,
                start=row.start,
                end=row.end,
                text=row.text_of_span,
            )
            for row in rows
        ),
        messages=tuple(row.message for row in rows),
        cues=cues,
        supersedes=tuple(earlier),
        conflicts_with=tuple(sorted({*earlier, *later})),
    )
