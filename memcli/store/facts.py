"""Facts: claims with everything an answer may use of them, read through the schema's `facts` view (the authority law)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import apsw

from memcli.atoms import Granularity
from memcli.results import Evidence, Interval


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
    cues: tuple[tuple[str, str | None, str | None, Granularity | None, str | None], ...]
    supersedes: tuple[int, ...]
    conflicts_with: tuple[int, ...]


class _Row(NamedTuple):
    """A row of `_FACTS`: a claim with one of its supports."""

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
    message_text: str
    span_id: int


_FACTS = (
    "SELECT f.text, f.kind, f.modality, f.polarity, f.subject, f.speaker, f.start_time, f.end_time, f.granularity, f.said_at,"
    " f.message_external_id, c.external_id, s.external_id, f.message_speaker, f.timestamp, f.start_offset, f.end_offset, t.text, f.span_id"
    " FROM facts f JOIN messages m ON m.id = f.message_id JOIN message_texts t ON t.id = m.id"
    " JOIN conversations c ON c.id = m.conversation_id LEFT JOIN sessions s ON s.id = m.session_id"
    " WHERE f.claim_id = ? ORDER BY f.support_position"
)


def fetch_facts(connection: apsw.Connection, claim_ids: Sequence[int]) -> list[ClaimRecord]:
    """The active claims of these ids, in their order; ids that name none are left out."""
    return [record for claim_id in claim_ids if (record := _fetch(connection, claim_id)) is not None]


def _fetch(connection: apsw.Connection, claim_id: int) -> ClaimRecord | None:
    rows = [_Row(*row) for row in connection.execute(_FACTS, (claim_id,))]
    if not rows:
        return None
    claim = rows[0]
    evidence = tuple(
        Evidence(
            message_id=row.message_id,
            conversation_id=row.conversation_id,
            session_id=row.session_id,
            speaker=row.message_speaker,
            timestamp=row.timestamp,
            start=row.start,
            end=row.end,
            text=row.message_text[row.start : row.end],
        )
        for row in rows
    )
    cues = tuple(
        cue
        for row in rows
        for cue in connection.execute(
            "SELECT text, start_time, end_time, granularity, anchor FROM time_cues WHERE span_id = ? ORDER BY start_offset", (row.span_id,)
        )
    )
    conflicts = cast(
        list[tuple[int, int]],
        connection.execute(
            "SELECT source_id, target_id FROM edges WHERE relation = 'conflicts' AND ? IN (source_id, target_id)", (claim_id,)
        ).fetchall(),
    )
    return ClaimRecord(
        id=claim_id,
        text=claim.text,
        kind=claim.kind,
        modality=claim.modality,
        polarity=claim.polarity,
        subject=claim.subject,
        speaker=claim.speaker,
        time=Interval(claim.start_time, claim.end_time, claim.granularity) if claim.granularity else None,
        said_at=claim.said_at,
        evidence=evidence,
        cues=cues,
        supersedes=tuple(target for source, target in conflicts if source == claim_id),
        conflicts_with=tuple(target if source == claim_id else source for source, target in conflicts),
    )
