"""One atom with what it rests on and what rests on it."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from memcli.errors import NotFoundError, UsageError
from memcli.results import Shown
from memcli.store.show_compression import event_tree, run
from memcli.store.show_rows import every, number, one


def show(connection: apsw.Connection, reference: str) -> Shown:
    """Look an atom up.

    Args:
        connection: an open memory.
        reference: `17` or `claim:17`; `KIND:ID` for `message`, `page`, `span`, `handle`, `referent`, `time_cue`, `pivot`, `keyword`,
            `conversation`, `edge`, `group`, `topic`,
            `event_tree`, `run`. Messages and conversations are known by the ids their transcripts gave
            (`message:D1:3`, or `message:CONVERSATION/ID` where several conversations have it), referents, keywords and topics also by
            name.

    Raises:
        UsageError: no such kind of atom, or the id is that of several.
        NotFoundError: no atom of that id.
    """
    kind, _, name = reference.partition(":") if ":" in reference else ("claim", "", reference)
    if kind not in _SHOWERS:
        raise UsageError(f"{reference}: no such kind of atom; use a claim's number or one of {', '.join(f'{k}:ID' for k in _SHOWERS)}")
    shown = _SHOWERS[kind](connection, name.strip()) if _is_text(name) else None
    if shown is None:
        raise NotFoundError(f"{reference}: no {kind} of that id in this memory; `mem search` lists claims with their ids")
    return shown


def _is_text(name: str) -> bool:
    """Whether there can be an atom of that name: none has half a surrogate pair in it, which is what bytes that are no text become."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


_SPAN = (
    "SELECT 'span' AS kind, s.id, m.external_id AS message_id, m.speaker, m.timestamp, s.start_offset AS start, s.end_offset AS end,"
    " substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset) AS text"
    " FROM spans s JOIN messages m ON m.id = s.message_id JOIN message_texts t ON t.id = m.id"
)
_CLAIMS_OF = "SELECT 'claim' AS kind, c.id, c.text, c.status FROM claims c"


def _claim(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(
        connection,
        "SELECT c.id, c.text, c.kind, c.modality, c.polarity, subject.name AS subject, speaker.name AS speaker, c.start_time, c.end_time,"
        " c.granularity, c.origin, (SELECT name FROM models WHERE id = c.model_id) AS model,"
        " (SELECT rule_text FROM reworded_claims WHERE claim_id = c.id) AS by_rule, c.status, c.page_id"
        " FROM claims c LEFT JOIN referents subject ON subject.id = c.subject_id"
        " JOIN referents speaker ON speaker.id = c.speaker_id WHERE c.id = ?",
        number(name),
    )
    if row is None:
        return None
    claim = row.pop("id")
    row["claim_kind"] = row.pop("kind")
    if row["by_rule"] is None:
        del row["model"], row["by_rule"]
    row["keywords"] = [
        r[0]
        for r in connection.execute(
            "SELECT k.text FROM claim_keywords ck JOIN keywords k ON k.id = ck.keyword_id WHERE ck.claim_id = ? ORDER BY k.id", (claim,)
        )
    ]
    rests_on = every(connection, f"{_SPAN} JOIN claim_supports cs ON cs.span_id = s.id WHERE cs.claim_id = ? ORDER BY cs.position", claim)
    rests_on += every(
        connection,
        "SELECT 'handle' AS kind, h.id, h.text FROM claim_handles ch JOIN handles h ON h.id = ch.handle_id"
        " WHERE ch.claim_id = ? ORDER BY h.id",
        claim,
    )
    rests_on += every(
        connection,
        "SELECT 'time_cue' AS kind, t.id, t.text, t.start_time, t.end_time, t.granularity FROM time_cues t"
        " JOIN claim_supports cs ON cs.span_id = t.span_id WHERE cs.claim_id = ? ORDER BY t.id",
        claim,
    )
    related = every(
        connection,
        "SELECT 'claim' AS kind, c.id, e.relation, e.strength, CASE e.relation WHEN 'conflicts' THEN 'earlier' END AS said, c.text"
        " FROM edges e JOIN claims c ON c.id = e.target_id WHERE e.source_id = ?"
        " UNION ALL SELECT 'claim', c.id, e.relation, e.strength, CASE e.relation WHEN 'conflicts' THEN 'later' END, c.text"
        " FROM edges e JOIN claims c ON c.id = e.source_id WHERE e.target_id = ?",
        claim,
        claim,
    )
    related += every(
        connection,
        "SELECT 'group' AS kind, g.id, g.label AS text FROM group_members gm JOIN groups g ON g.id = gm.group_id WHERE gm.claim_id = ?",
        claim,
    )
    related += every(
        connection,
        "SELECT DISTINCT 'topic' AS kind, t.id, t.label AS text FROM claim_keywords ck"
        " JOIN topic_keywords tk ON tk.keyword_id = ck.keyword_id JOIN topics t ON t.id = tk.topic_id"
        " WHERE ck.claim_id = ? ORDER BY t.id",
        claim,
    )
    rests_on += every(
        connection,
        "SELECT 'claim' AS kind, c.id, 'absorbed' AS relation, c.status, l.run_id AS run, c.text FROM lineage l"
        " JOIN runs r ON r.id = l.run_id AND r.undone_at IS NULL JOIN claims c ON c.id = l.archived_id WHERE l.absorber_id = ?"
        " ORDER BY c.id",
        claim,
    )
    related += every(
        connection,
        "SELECT 'claim' AS kind, c.id, 'absorbed by' AS relation, c.status, l.run_id AS run, c.text FROM lineage l"
        " JOIN runs r ON r.id = l.run_id AND r.undone_at IS NULL JOIN claims c ON c.id = l.absorber_id WHERE l.archived_id = ?",
        claim,
    )
    related += every(
        connection,
        "SELECT DISTINCT 'event_tree' AS kind, t.id, c.text FROM event_tree_edges e JOIN event_trees t ON t.id = e.event_tree_id"
        " JOIN claims c ON c.id = t.center_claim_id WHERE e.claim_id = ?1 OR e.parent_id = ?1 ORDER BY t.id",
        claim,
    )
    return Shown("claim", str(claim), row, rests_on, related)


def _span(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(connection, f"{_SPAN} WHERE s.id = ?", number(name))
    if row is None:
        return None
    span = row.pop("id")
    row.pop("kind")
    message = every(
        connection,
        "SELECT 'message' AS kind, m.external_id AS id, m.speaker, m.timestamp, t.text FROM messages m JOIN message_texts t ON t.id = m.id"
        " JOIN spans s ON s.message_id = m.id WHERE s.id = ?",
        span,
    )
    supports = every(connection, f"{_CLAIMS_OF} JOIN claim_supports cs ON cs.claim_id = c.id WHERE cs.span_id = ? ORDER BY c.id", span)
    for kind, table in (("handle", "handles"), ("time_cue", "time_cues"), ("pivot", "pivots")):
        supports += every(connection, f"SELECT '{kind}' AS kind, id, text FROM {table} WHERE span_id = ? ORDER BY start_offset", span)
    return Shown("span", str(span), row, message, supports)


def _message(connection: apsw.Connection, name: str) -> Shown | None:
    sql = (
        "SELECT m.id, m.external_id AS message_id, c.external_id AS conversation_id, se.external_id AS session_id, m.speaker, m.role,"
        " m.timestamp, t.text, m.page_id, i.source, m.locator, m.metadata FROM messages m JOIN message_texts t ON t.id = m.id"
        " JOIN conversations c ON c.id = m.conversation_id LEFT JOIN sessions se ON se.id = m.session_id"
        " LEFT JOIN ingests i ON i.id = m.ingest_id"
    )
    rows = connection.execute("SELECT count(*) FROM messages WHERE external_id = ?", (name,)).fetchone()
    if rows and rows[0] > 1:
        raise UsageError(f"message:{name} is in {rows[0]} conversations: write message:CONVERSATION/{name}")
    row = one(connection, f"{sql} WHERE m.external_id = ?", name)
    if row is None and "/" in name:
        row = one(connection, f"{sql} WHERE c.external_id || '/' || m.external_id = ?", name)
    if row is None:
        return None
    message = row.pop("id")
    return Shown(
        "message",
        row.pop("message_id"),
        row,
        every(connection, "SELECT 'page' AS kind, p.id FROM pages p WHERE p.id = ?", row["page_id"]),
        every(connection, f"{_SPAN} WHERE s.message_id = ? ORDER BY s.start_offset", message),
    )


def _page(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(
        connection,
        "SELECT p.id, c.external_id AS conversation_id, s.external_id AS session_id FROM pages p"
        " JOIN conversations c ON c.id = p.conversation_id LEFT JOIN sessions s ON s.id = p.session_id WHERE p.id = ?",
        number(name),
    )
    if row is None:
        return None
    page = row.pop("id")
    messages = every(
        connection,
        "SELECT 'message' AS kind, m.external_id AS id, m.speaker, m.timestamp, t.text FROM messages m JOIN message_texts t ON t.id = m.id"
        " WHERE m.page_id = ? ORDER BY m.position",
        page,
    )
    return Shown("page", str(page), row, messages, every(connection, f"{_CLAIMS_OF} WHERE c.page_id = ? ORDER BY c.id", page))


def _cue(kind: str, table: str, columns: str) -> Callable[[apsw.Connection, str], Shown | None]:
    """What shows a cue by `columns` of its table, comma-separated SQL."""

    def shower(connection: apsw.Connection, name: str) -> Shown | None:
        row = one(connection, f"SELECT id, span_id, text, start_offset AS start, {columns} FROM {table} WHERE id = ?", number(name))
        if row is None:
            return None
        cue, span = row.pop("id"), row.pop("span_id")
        supports = every(connection, f"{_CLAIMS_OF} JOIN claim_supports cs ON cs.claim_id = c.id WHERE cs.span_id = ? ORDER BY c.id", span)
        return Shown(kind, str(cue), row, every(connection, f"{_SPAN} WHERE s.id = ?", span), supports)

    return shower


def _referent(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(
        connection, "SELECT id, name, kind AS referent_kind FROM referents WHERE id = ? OR name = ? COLLATE NOCASE", number(name), name
    )
    if row is None:
        return None
    referent = row.pop("id")
    row["aliases"] = [
        r[0] for r in connection.execute("SELECT DISTINCT text FROM handles WHERE referent_id = ? ORDER BY text", (referent,))
    ]
    mentions = every(
        connection,
        "SELECT 'handle' AS kind, h.id, m.external_id AS message_id, m.speaker, m.timestamp, h.text FROM handles h"
        " JOIN spans s ON s.id = h.span_id JOIN messages m ON m.id = s.message_id WHERE h.referent_id = ?"
        " ORDER BY m.conversation_id, m.position, h.start_offset",
        referent,
    )
    claims = every(
        connection,
        f"{_CLAIMS_OF} WHERE c.subject_id = ? OR c.id IN (SELECT ch.claim_id FROM claim_handles ch JOIN handles h ON h.id = ch.handle_id"
        " WHERE h.referent_id = ?) ORDER BY c.id",
        referent,
        referent,
    )
    return Shown("referent", str(referent), row, mentions, claims)


def _keyword(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(connection, "SELECT id, text FROM keywords WHERE id = ? OR text = ?", number(name), name.casefold())
    if row is None:
        return None
    keyword = row.pop("id")
    claims = every(connection, f"{_CLAIMS_OF} JOIN claim_keywords ck ON ck.claim_id = c.id WHERE ck.keyword_id = ? ORDER BY c.id", keyword)
    return Shown("keyword", str(keyword), row, claims, ())


def _conversation(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(connection, "SELECT id, external_id FROM conversations WHERE external_id = ?", name)
    if row is None:
        return None
    conversation = row["id"]
    fields = one(
        connection,
        "SELECT count(*) AS messages, min(timestamp) AS first, max(timestamp) AS last FROM messages WHERE conversation_id = ?",
        conversation,
    )
    fields = fields or {}
    fields["speakers"] = [
        r[0]
        for r in connection.execute("SELECT DISTINCT speaker FROM messages WHERE conversation_id = ? ORDER BY speaker", (conversation,))
    ]
    pages = every(connection, "SELECT 'page' AS kind, id FROM pages WHERE conversation_id = ? ORDER BY id", conversation)
    return Shown("conversation", row["external_id"], fields, (), pages)


def _group(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(connection, "SELECT id, label FROM groups WHERE id = ?", number(name))
    if row is None:
        return None
    group = row.pop("id")
    members = every(connection, f"{_CLAIMS_OF} JOIN group_members gm ON gm.claim_id = c.id WHERE gm.group_id = ? ORDER BY c.id", group)
    near = every(
        connection,
        "SELECT 'group' AS kind, g.id, g.label AS text, n.similarity FROM group_neighbours n JOIN groups g ON g.id = n.neighbour_id"
        " WHERE n.group_id = ? ORDER BY n.similarity DESC, g.id",
        group,
    )
    return Shown("group", str(group), row, members, near)


def _topic(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(
        connection,
        "SELECT t.id, t.label, d.text AS description, m.name AS described_by FROM topics t"
        " LEFT JOIN topic_descriptions d ON d.topic_id = t.id LEFT JOIN models m ON m.id = d.model_id WHERE t.id = ? OR t.label = ?",
        number(name),
        name,
    )
    if row is None:
        return None
    if row["description"] is None:
        del row["description"], row["described_by"]
    topic = row.pop("id")
    keywords = every(
        connection,
        "SELECT 'keyword' AS kind, k.id, k.text, count(ck.claim_id) AS claims FROM topic_keywords tk"
        " JOIN keywords k ON k.id = tk.keyword_id LEFT JOIN claim_keywords ck ON ck.keyword_id = k.id"
        " WHERE tk.topic_id = ? GROUP BY k.id ORDER BY claims DESC, k.id",
        topic,
    )
    claims = every(
        connection,
        f"{_CLAIMS_OF} WHERE c.id IN (SELECT ck.claim_id FROM claim_keywords ck JOIN topic_keywords tk ON tk.keyword_id = ck.keyword_id"
        " WHERE tk.topic_id = ?) ORDER BY c.id",
        topic,
    )
    return Shown("topic", str(topic), row, keywords, claims)


def _edge(connection: apsw.Connection, name: str) -> Shown | None:
    row = one(connection, "SELECT id, relation, strength, source_id, target_id FROM edges WHERE id = ?", number(name))
    if row is None:
        return None
    edge, source, target = row.pop("id"), row.pop("source_id"), row.pop("target_id")
    ends = [
        *every(connection, "SELECT 'claim' AS kind, id, 'source' AS end, text FROM claims WHERE id = ?", source),
        *every(connection, "SELECT 'claim' AS kind, id, 'target' AS end, text FROM claims WHERE id = ?", target),
    ]
    return Shown("edge", str(edge), row, ends, ())


_SHOWERS: dict[str, Callable[[apsw.Connection, str], Shown | None]] = {
    "claim": _claim,
    "message": _message,
    "page": _page,
    "span": _span,
    "handle": _cue("handle", "handles", "referent_id"),
    "time_cue": _cue("time_cue", "time_cues", "start_time, end_time, granularity, anchor, duration_days"),
    "pivot": _cue("pivot", "pivots", "kind AS pivot_kind"),
    "referent": _referent,
    "keyword": _keyword,
    "conversation": _conversation,
    "edge": _edge,
    "event_tree": event_tree,
    "run": run,
    "group": _group,
    "topic": _topic,
}
