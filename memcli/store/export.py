"""Every family of rows that an export is made of, as streams in the order of the file; one statement a family.

Nothing is held in memory but the row at hand. A `Closure` limits each family to what belongs to its claims.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar, cast

import apsw

from memcli.store.closure import Closure
from memcli.store.export_rows import (
    ClaimRow,
    EdgeRow,
    EventTreeRow,
    GroupRow,
    HandleRow,
    IngestRow,
    KeywordRow,
    LineageRow,
    MessageRow,
    ModelRow,
    PivotRow,
    ReferentRow,
    RunRow,
    SpanRow,
    SupportRow,
    TimeCueRow,
    TopicRow,
)

Row = TypeVar("Row")

_JSON: Final = frozenset(("metadata", "settings", "keywords", "handle_ids", "claim_ids", "keyword_ids", "neighbours", "branches"))
"""Columns that SQLite hands over as JSON."""


@dataclass(frozen=True, slots=True)
class _Family:
    """How a family is read: `{which}` in its statement becomes `closure` where there is one."""

    sql: str
    closure: str


def _moment(column: str) -> str:
    """Seconds since 1970 as ISO 8601 in UTC; CAST, since damaged files are read as well as they can be."""
    return f"strftime('%Y-%m-%dT%H:%M:%f+00:00', {column}, 'unixepoch')"


def _among(column: str, ids: str) -> str:
    return f"{column} IN (SELECT value FROM json_each(:{ids}))"


_GIVEN = "json_extract(m.metadata, '$.given_id')"
_OF_SPAN = "JOIN messages m ON m.id = s.message_id JOIN conversations c ON c.id = m.conversation_id JOIN message_texts t ON t.id = m.id"
_IN_FORCE = "EXISTS (SELECT 1 FROM runs r WHERE r.id = l.run_id AND r.undone_at IS NULL)"

_GROWN = f"SELECT event_tree_id FROM event_tree_edges WHERE {_among('claim_id', 'claims')}"
_OF_TREES = f"({_among('e.center_claim_id', 'claims')} OR e.id IN ({_GROWN}))"

_FAMILIES: Final[dict[type[Any], _Family]] = {
    IngestRow: _Family(
        f"SELECT i.id, i.source, i.format, {_moment('i.started_at')}, {_moment('i.finished_at')}, i.messages_read, i.messages_new,"
        " i.messages_unchanged FROM ingests i WHERE {which} ORDER BY i.id",
        f"i.id IN (SELECT ingest_id FROM messages WHERE {_among('id', 'messages')})",
    ),
    ModelRow: _Family("SELECT id, role, name, fingerprint, dimension FROM models WHERE {which} ORDER BY id", "true"),
    MessageRow: _Family(
        "SELECT m.id, m.external_id, c.external_id, se.external_id, m.page_id, m.position, m.speaker, m.role, m.timestamp, t.text,"
        " m.ingest_id, i.source, m.locator, m.metadata, m.occurrence, lower(hex(m.digest)),"
        f" CASE WHEN {_GIVEN} IS NOT NULL AND EXISTS (SELECT 1 FROM messages o WHERE o.conversation_id = m.conversation_id"
        f" AND o.external_id = {_GIVEN}) THEN {_GIVEN} END"
        " FROM messages m JOIN conversations c ON c.id = m.conversation_id JOIN message_texts t ON t.id = m.id"
        " LEFT JOIN sessions se ON se.id = m.session_id LEFT JOIN ingests i ON i.id = m.ingest_id WHERE {which} ORDER BY m.id",
        _among("m.id", "messages"),
    ),
    SpanRow: _Family(
        "SELECT s.id, s.message_id, m.external_id, c.external_id, m.speaker, m.timestamp, s.start_offset, s.end_offset, s.kind, s.words,"
        f" substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset) FROM spans s {_OF_SPAN} WHERE {{which}} ORDER BY s.id",
        _among("s.id", "spans"),
    ),
    ReferentRow: _Family("SELECT id, kind, name FROM referents WHERE {which} ORDER BY id", _among("id", "referents")),
    HandleRow: _Family(
        "SELECT h.id, h.span_id, h.referent_id, r.name, h.start_offset, h.text FROM handles h JOIN referents r ON r.id = h.referent_id"
        " WHERE {which} ORDER BY h.id",
        _among("h.span_id", "spans"),
    ),
    TimeCueRow: _Family(
        "SELECT id, span_id, start_offset, text, start_time, end_time, granularity, anchor, duration_days FROM time_cues WHERE {which}"
        " ORDER BY id",
        _among("span_id", "spans"),
    ),
    PivotRow: _Family(
        "SELECT id, span_id, start_offset, text, kind FROM pivots WHERE {which} ORDER BY id", _among("span_id", "spans")
    ),
    ClaimRow: _Family(
        "SELECT c.id, c.text, c.kind, c.modality, c.polarity, c.subject_id, subject.name, c.speaker_id, speaker.name, c.start_time,"
        " c.end_time, c.granularity, c.time_cue_id, c.origin, c.model_id, c.status, c.page_id, c.anchor_span_id, m.ingest_id,"
        " (SELECT json_group_array(k.text) FROM (SELECT k.text FROM claim_keywords ck JOIN keywords k ON k.id = ck.keyword_id"
        " WHERE ck.claim_id = c.id ORDER BY k.id) k),"
        " (SELECT json_group_array(handle_id) FROM claim_handles WHERE claim_id = c.id),"
        " (SELECT group_id FROM group_members WHERE claim_id = c.id), m.speaker"
        " FROM claims c LEFT JOIN referents subject ON subject.id = c.subject_id JOIN referents speaker ON speaker.id = c.speaker_id"
        " JOIN spans s ON s.id = c.anchor_span_id JOIN messages m ON m.id = s.message_id WHERE {which} ORDER BY c.id",
        _among("c.id", "claims"),
    ),
    # A claim's own supports lie in the message that it was written at or before it; those in a later one came by the gate.
    SupportRow: _Family(
        "SELECT cs.claim_id, cs.span_id, cs.position, CASE WHEN c.origin = 'merge' THEN 'compression' WHEN cs.position = 0 THEN 'writing'"
        " WHEN EXISTS (SELECT 1 FROM lineage l JOIN claim_supports a ON a.claim_id = l.archived_id AND a.span_id = cs.span_id"
        f" WHERE l.absorber_id = cs.claim_id AND {_IN_FORCE}) THEN 'compression'"
        " WHEN s.message_id > (SELECT f.message_id FROM claim_supports fs JOIN spans f ON f.id = fs.span_id"
        " WHERE fs.claim_id = cs.claim_id ORDER BY fs.position LIMIT 1) THEN 'merge' ELSE 'writing' END, m.ingest_id"
        " FROM claim_supports cs JOIN claims c ON c.id = cs.claim_id JOIN spans s ON s.id = cs.span_id"
        " JOIN messages m ON m.id = s.message_id WHERE {which} ORDER BY cs.claim_id, cs.position",
        _among("cs.claim_id", "claims"),
    ),
    KeywordRow: _Family(
        "SELECT k.id, k.text, (SELECT topic_id FROM topic_keywords WHERE keyword_id = k.id), (SELECT json_group_array(claim_id)"
        " FROM claim_keywords WHERE keyword_id = k.id AND {which}) FROM keywords k WHERE {of} ORDER BY k.id",
        _among("claim_id", "claims"),
    ),
    EdgeRow: _Family(
        "SELECT id, source_id, target_id, relation, strength FROM edges WHERE {which} ORDER BY id",
        f"{_among('source_id', 'claims')} AND {_among('target_id', 'claims')}",
    ),
    GroupRow: _Family(
        "SELECT g.id, g.label, (SELECT json_group_array(claim_id) FROM group_members WHERE group_id = g.id AND {which}),"
        " (SELECT json_group_array(json_object('id', n.neighbour_id, 'similarity', n.similarity)) FROM group_neighbours n"
        " WHERE n.group_id = g.id) FROM groups g WHERE {of} ORDER BY g.id",
        _among("claim_id", "claims"),
    ),
    TopicRow: _Family(
        "SELECT t.id, t.label, (SELECT json_group_array(tk.keyword_id) FROM topic_keywords tk WHERE tk.topic_id = t.id AND {which})"
        " FROM topics t WHERE {of} ORDER BY t.id",
        f"tk.keyword_id IN (SELECT keyword_id FROM claim_keywords WHERE {_among('claim_id', 'claims')})",
    ),
    RunRow: _Family(
        f"SELECT r.id, r.ratio, r.settings, {_moment('r.started_at')}, {_moment('r.undone_at')} FROM runs r WHERE {{which}} ORDER BY r.id",
        f"r.id IN (SELECT run_id FROM lineage WHERE {_among('archived_id', 'claims')}"
        f" UNION SELECT run_id FROM event_trees e WHERE {_OF_TREES})",
    ),
    LineageRow: _Family(
        "SELECT l.run_id, l.archived_id, l.absorber_id, c.origin FROM lineage l JOIN claims c ON c.id = l.absorber_id WHERE {which}"
        " ORDER BY l.run_id, l.absorber_id, l.archived_id",
        f"{_IN_FORCE} AND {_among('l.archived_id', 'claims')} AND {_among('l.absorber_id', 'claims')}",
    ),
    EventTreeRow: _Family(
        "SELECT e.id, e.run_id, e.center_claim_id, (SELECT json_group_array(json_object('claim_id', b.claim_id, 'parent_id', b.parent_id,"
        " 'similarity', b.similarity)) FROM event_tree_edges b WHERE b.event_tree_id = e.id AND {which})"
        " FROM event_trees e WHERE {of} ORDER BY e.id",
        _among("b.claim_id", "claims"),
    ),
}  # fmt: skip

_WITHIN: Final[dict[type[Any], str]] = {
    KeywordRow: f"k.id IN (SELECT keyword_id FROM claim_keywords WHERE {_among('claim_id', 'claims')})",
    GroupRow: f"g.id IN (SELECT group_id FROM group_members WHERE {_among('claim_id', 'claims')})",
    TopicRow: "t.id IN (SELECT topic_id FROM topic_keywords tk JOIN claim_keywords ck ON ck.keyword_id = tk.keyword_id"
    f" WHERE {_among('ck.claim_id', 'claims')})",
    EventTreeRow: _OF_TREES,
}
"""Of the families whose rows list members: which rows belong to a closure, apart from which members do."""


def rows(connection: apsw.Connection, family: type[Row], closure: Closure | None = None) -> Iterator[Row]:
    """The rows of a family, one at a time; only those of `closure` if there is one.

    Args:
        connection: an open memory, in a transaction if several families are to fit together.
        family: one of the classes of `memcli.store.export_rows`.
        closure: of some claims; None for the whole memory.

    Raises:
        LookupError: a text is missing, as its pack is damaged.
    """
    read = _FAMILIES[family]
    if closure is None:
        whole = f"{_IN_FORCE}" if family is LineageRow else "true"
        sql, bindings = read.sql.format(which=whole, of="true"), None
    else:
        sql, bindings = read.sql.format(which=read.closure, of=_WITHIN.get(family, "true")), closure.bindings()
    names = [field.name for field in fields(cast(Any, family))]
    decoded = [index for index, name in enumerate(names) if name in _JSON]
    text = names.index("text") if "text" in names else None
    for values in connection.execute(sql, bindings):
        if decoded:
            values = list(values)
            for index in decoded:
                values[index] = json.loads(values[index])
        if text is not None and values[text] is None:
            raise LookupError("a text is missing")
        yield family(*values)


def topics_in_time(connection: apsw.Connection, closure: Closure | None = None) -> Iterator[tuple[str | None, int]]:
    """(topic's label, claim's id) of every claim, by topic and within it by time; None for what has no topic, which comes last.

    A claim stands under the one topic that most of its keywords belong to. The archived ones are left out of a whole memory.
    """
    which = "c.status = 'active'" if closure is None else _among("c.id", "claims")
    sql = (
        "WITH counted AS (SELECT ck.claim_id, tk.topic_id, count(*) AS n FROM claim_keywords ck"
        " JOIN topic_keywords tk ON tk.keyword_id = ck.keyword_id GROUP BY ck.claim_id, tk.topic_id),"
        " best AS (SELECT claim_id, topic_id, row_number() OVER (PARTITION BY claim_id ORDER BY n DESC, topic_id) AS place FROM counted)"
        " SELECT t.label, c.id FROM claims c LEFT JOIN best b ON b.claim_id = c.id AND b.place = 1 LEFT JOIN topics t ON t.id = b.topic_id"
        f" WHERE {which} ORDER BY t.id IS NULL, t.id, coalesce(c.start_time, strftime('%Y-%m-%d', c.said_at, 'unixepoch'), '9999'), c.id"
    )
    bindings = None if closure is None else closure.bindings()
    return cast(Iterator[tuple[str | None, int]], connection.execute(sql, bindings))


def relations_of(connection: apsw.Connection, claim_id: int) -> Iterator[tuple[str, int]]:
    """(relation, other claim) of a claim.

    Relations are `contradicts` (what was said earlier), `contradicted_by`, `supports`, `supported_by`, `related_to`, and by compression
    runs that are in force `absorbs` and `absorbed_by`.
    """
    sql = (
        "SELECT CASE relation WHEN 'conflicts' THEN 'contradicts' ELSE relation END, target_id FROM edges WHERE source_id = ?1"
        " UNION SELECT CASE relation WHEN 'conflicts' THEN 'contradicted_by' WHEN 'supports' THEN 'supported_by' ELSE relation END,"
        " source_id FROM edges WHERE target_id = ?1"
        f" UNION SELECT 'absorbs', archived_id FROM lineage l WHERE absorber_id = ?1 AND {_IN_FORCE}"
        f" UNION SELECT 'absorbed_by', absorber_id FROM lineage l WHERE archived_id = ?1 AND {_IN_FORCE} ORDER BY 1, 2"
    )
    return cast(Iterator[tuple[str, int]], connection.execute(sql, (claim_id,)))
