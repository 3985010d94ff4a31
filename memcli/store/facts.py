"""Facts: claims with everything an answer may use of them, read through the schema's views `facts` and `told` (the authority law)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import apsw

from memcli.atoms import Granularity
from memcli.results import Evidence, Interval

_Cue = tuple[str, str | None, str | None, Granularity | None, str | None]


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A claim with its provenance closure. `cues` are (expression, start, end, granularity, anchor) of its spans."""

    id: int
    """The active claim: its own, or that of the merged claim it has become a part of."""
    names: tuple[int, ...]
    """The ids it has had: the one it was told as, then of what absorbed it, the last being `id`."""
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
    """Claims that it replaces; of those that are read as told, by the names that they had when it did."""
    conflicts_with: tuple[int, ...]

    @property
    def place(self) -> tuple[int, tuple[int, ...]]:
        """What tells it from other facts: the claim as it was told, and where; a merged claim is found in several places."""
        return self.names[0], self.messages


class _Row(NamedTuple):
    """A row of `_ROWS`: a claim with one of its supports."""

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
_ROWS = (
    "SELECT f.claim_id, f.text, f.kind, f.modality, f.polarity, f.subject, f.speaker, f.start_time, f.end_time, f.granularity, f.said_at,"
    " f.message_external_id, c.external_id, s.external_id, f.message_speaker, f.timestamp, f.start_offset, f.end_offset, f.span_id,"
    " substr(t.text, f.start_offset + 1, f.end_offset - f.start_offset), f.message_id"
    " FROM json_each(?) wanted CROSS JOIN {view} f ON f.claim_id = wanted.value"
    " JOIN messages m ON m.id = f.message_id JOIN message_texts t ON t.id = m.id"
    " JOIN conversations c ON c.id = m.conversation_id LEFT JOIN sessions s ON s.id = m.session_id"
    " ORDER BY f.claim_id, f.support_position"
)
_CUES = (
    "SELECT span_id, text, start_time, end_time, granularity, anchor"
    " FROM json_each(?) wanted CROSS JOIN time_cues ON span_id = wanted.value ORDER BY span_id, start_offset, length(text)"
)
_CONFLICTS = (
    "SELECT source_id, target_id FROM json_each(?1) wanted CROSS JOIN edges e ON e.source_id = wanted.value"
    " WHERE e.relation = 'conflicts'{which}"
    " UNION SELECT source_id, target_id FROM json_each(?1) wanted CROSS JOIN edges e ON e.target_id = wanted.value"
    " WHERE e.relation = 'conflicts'{which} ORDER BY 1, 2"
)
_GAINED = (
    " AND NOT EXISTS (SELECT 1 FROM lineage l JOIN run_states r ON r.run_id = l.run_id"
    " WHERE l.absorber_id IN (e.source_id, e.target_id) AND e.id <= json_extract(r.after, '$.edges'))"
)
"""Of the edges of merged claims only those that came after the merging: the others say of a whole what is true of a part."""
_ACTIVE = " AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.id IN (e.source_id, e.target_id) AND c.status <> 'active')"
"""Edges between active claims: those of what was merged are its own, and the merged claim has them too."""
_SHOWN = (
    "SELECT c.id, c.text, c.kind, r.name FROM json_each(?) wanted CROSS JOIN claims c ON c.id = wanted.value AND c.status = 'active'"
    " LEFT JOIN referents r ON r.id = c.subject_id"
)
_NAMES = (
    "WITH RECURSIVE named(told, id, step) AS (SELECT value, value, 0 FROM json_each(?)"
    " UNION ALL SELECT told, l.absorber_id, step + 1 FROM named JOIN lineage l ON l.archived_id = named.id)"
    " SELECT told, id FROM named ORDER BY told, step"
)
_EDGES = (
    "SELECT e.source_id, e.target_id, e.relation, e.strength FROM json_each(?1) wanted CROSS JOIN edges e ON e.source_id = wanted.value"
    " WHERE e.target_id IN (SELECT value FROM json_each(?1)) ORDER BY e.strength DESC, e.source_id, e.target_id"
)


def fetch_facts(connection: apsw.Connection, claim_ids: Sequence[int]) -> list[ClaimRecord]:
    """The active claims of these ids, in their order; ids that name none are left out. Three statements, however many there are."""
    return _fetch(connection, claim_ids, {claim: (claim,) for claim in claim_ids}, "facts", _ACTIVE)


def fetch_told(connection: apsw.Connection, claim_ids: Sequence[int]) -> list[ClaimRecord]:
    """The claims of these ids as they were told, those that were merged into others too; see `fetch_facts`."""
    names: dict[int, tuple[int, ...]] = dict.fromkeys(claim_ids, ())
    for told, name in connection.execute(_NAMES, (json.dumps(list(names)),)):
        names[told] += (name,)
    return _fetch(connection, claim_ids, names, "told", _GAINED)


def fetch_shown(connection: apsw.Connection, parts: Mapping[int, ClaimRecord]) -> dict[int, ClaimRecord]:
    """The active claims of these ids as they are shown, in the place of a part of each: with the part's evidence and times, not all it has.

    Args:
        connection: the memory.
        parts: of each claim, a part as `fetch_told` gives it.
    """
    wanted = json.dumps(list(parts))
    later, earlier = _conflicts(connection, wanted, _ACTIVE)
    return {
        claim: replace(
            parts[claim],
            text=text,
            kind=kind,
            subject=subject,
            supersedes=tuple(earlier[claim]),
            conflicts_with=tuple(sorted({*earlier[claim], *later[claim]})),
        )
        for claim, text, kind, subject in cast(Iterator[tuple[int, str, str, str | None]], connection.execute(_SHOWN, (wanted,)))
    }


def _conflicts(connection: apsw.Connection, wanted: str, which: str) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Of claims, ids as JSON, those that came later and say otherwise, and those that came earlier; a condition tells which edges count."""
    later: dict[int, list[int]] = defaultdict(list)
    earlier: dict[int, list[int]] = defaultdict(list)
    for source, target in cast(Iterator[tuple[int, int]], connection.execute(_CONFLICTS.format(which=which), (wanted,))):
        later[target].append(source)
        earlier[source].append(target)
    return later, earlier


def _fetch(
    connection: apsw.Connection, claim_ids: Sequence[int], names: Mapping[int, tuple[int, ...]], view: str, which: str
) -> list[ClaimRecord]:
    """Claims of these ids, each with its names, from a view, with those of their conflicts that a condition lets through."""
    supports: dict[int, list[_Row]] = defaultdict(list)
    for values in connection.execute(_ROWS.format(view=view), (json.dumps(list(names)),)):
        row = _Row(*values)
        supports[row.claim_id].append(row)
    spans = {row.span_id for rows in supports.values() for row in rows}
    cues: dict[int, list[_Cue]] = defaultdict(list)
    for span, *cue in connection.execute(_CUES, (json.dumps(sorted(spans)),)):
        cues[span].append(tuple(cue))
    every = json.dumps(list(dict.fromkeys(name for claim in supports for name in names[claim])))
    later, earlier = _conflicts(connection, every, which)
    return [
        _record(
            names[claim],
            rows,
            tuple(cue for row in rows for cue in cues[row.span_id]),
            [other for name in names[claim] for other in earlier[name]],
            [other for name in names[claim] for other in later[name]],
        )
        for claim in claim_ids
        if (rows := supports.get(claim))
    ]


def fetch_edges(connection: apsw.Connection, claim_ids: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """How each of these claims is linked with others of them: `{"claim", "relation", "strength"}`, strongest first."""
    edges: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for source, target, relation, strength in connection.execute(_EDGES, (json.dumps(list(claim_ids)),)):
        for one, other in ((source, target), (target, source)):
            edges[one].append({"claim": other, "relation": relation, "strength": round(strength, 3)})
    return edges


def _record(names: tuple[int, ...], rows: list[_Row], cues: tuple[_Cue, ...], earlier: list[int], later: list[int]) -> ClaimRecord:
    """A claim from its supports, the cues of their spans, and the claims it conflicts with, those before it and those after it."""
    claim = rows[0]
    return ClaimRecord(
        id=names[-1],
        names=names,
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
