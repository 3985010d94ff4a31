"""The closure of a claim: everything that says where it came from, and what became of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import apsw

from memcli.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class Closure:
    """Ids of rows that are to be read. Those of `closure_of` belong together: each claim has all its supports, messages and cues in it."""

    claims: tuple[int, ...] = ()
    spans: tuple[int, ...] = ()
    messages: tuple[int, ...] = ()
    """The rows' own numbers, not the ids that the transcripts gave."""
    referents: tuple[int, ...] = ()

    def bindings(self) -> dict[str, str]:
        """The lists as JSON, by name, for statements that read them with `json_each`; JSON has no limit on how many there are."""
        return {name: json.dumps(getattr(self, name)) for name in ("claims", "spans", "messages", "referents")}


_CLAIMS = (
    "WITH RECURSIVE in_force AS (SELECT archived_id, absorber_id FROM lineage l JOIN runs r ON r.id = l.run_id AND r.undone_at IS NULL),"
    " absorbed (id) AS (SELECT ?1 UNION SELECT archived_id FROM in_force JOIN absorbed ON absorber_id = absorbed.id),"
    " absorbers (id) AS (SELECT ?1 UNION SELECT absorber_id FROM in_force JOIN absorbers ON archived_id = absorbers.id)"
    " SELECT id FROM absorbed UNION SELECT id FROM absorbers UNION SELECT target_id FROM edges WHERE source_id = ?1"
    " UNION SELECT source_id FROM edges WHERE target_id = ?1 ORDER BY 1"
)
_SPANS = (
    "SELECT span_id FROM claim_supports WHERE claim_id IN (SELECT value FROM json_each(?1))"
    " UNION SELECT h.span_id FROM claim_handles ch JOIN handles h ON h.id = ch.handle_id"
    " WHERE ch.claim_id IN (SELECT value FROM json_each(?1)) ORDER BY 1"
)
_MESSAGES = "SELECT DISTINCT message_id FROM spans WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY 1"
_REFERENTS = (
    "SELECT referent_id FROM handles WHERE span_id IN (SELECT value FROM json_each(?1))"
    " UNION SELECT speaker_id FROM claims WHERE id IN (SELECT value FROM json_each(?2))"
    " UNION SELECT subject_id FROM claims WHERE id IN (SELECT value FROM json_each(?2)) AND subject_id IS NOT NULL ORDER BY 1"
)


def closure_of(connection: apsw.Connection, claim_id: int) -> Closure:
    """The closure of one claim.

    It holds the claim; what it absorbed in compression runs that are in force, and what they had absorbed; what absorbed it; the claims
    that an edge joins it with; and of all of them the supporting spans, the messages these are in, and whom they speak of.

    Raises:
        NotFoundError: no such claim.
    """
    if connection.execute("SELECT 1 FROM claims WHERE id = ?", (claim_id,)).fetchone() is None:
        raise NotFoundError(f"claim:{claim_id}: no claim of that id in this memory; mem search and mem ask show claims with their numbers")
    claims = _ids(connection, _CLAIMS, claim_id)
    spans = _ids(connection, _SPANS, json.dumps(claims))
    messages = _ids(connection, _MESSAGES, json.dumps(spans))
    referents = _ids(connection, _REFERENTS, json.dumps(spans), json.dumps(claims))
    return Closure(claims, spans, messages, referents)


def _ids(connection: apsw.Connection, sql: str, *values: int | str) -> tuple[int, ...]:
    return tuple(int(row[0]) for row in connection.execute(sql, values))
