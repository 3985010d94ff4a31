"""What is read so that a language model can note something beside claims and topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import apsw

from memcli.atoms import RelationKind

MIN_KEYWORDS = 3
"""Keywords from which a topic is worth a description."""


@dataclass(frozen=True, slots=True)
class NotedClaim:
    """A claim whose keywords are asked for."""

    id: int
    text: str
    said: str
    """The words of its spans."""
    keywords: int
    """How many it has."""


@dataclass(frozen=True, slots=True)
class LinkedPair:
    """Two claims with an edge that is no conflict, the one said earlier first."""

    earlier_id: int
    later_id: int
    earlier: str
    later: str
    same_subject: bool
    relation: RelationKind


@dataclass(frozen=True, slots=True)
class Undescribed:
    """A topic without a description, and its keywords."""

    id: int
    keywords: tuple[str, ...]


def noted_claims(connection: apsw.Connection, page: int) -> list[NotedClaim]:
    """The active claims written at a page, in order."""
    rows = connection.execute(
        "SELECT c.id, c.text, (SELECT group_concat(substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset), ' ')"
        " FROM claim_supports cs JOIN spans s ON s.id = cs.span_id JOIN message_texts t ON t.id = s.message_id WHERE cs.claim_id = c.id),"
        " (SELECT count(*) FROM claim_keywords ck WHERE ck.claim_id = c.id)"
        " FROM claims c WHERE c.page_id = ? AND c.status = 'active' AND c.origin <> 'merge' ORDER BY c.id",
        (page,),
    ).fetchall()
    return [NotedClaim(*cast(tuple[int, str, str, int], row)) for row in rows]


def keywords_of(connection: apsw.Connection, claim: int) -> list[str]:
    """The keywords of a claim."""
    rows = connection.execute(
        "SELECT k.text FROM claim_keywords ck JOIN keywords k ON k.id = ck.keyword_id WHERE ck.claim_id = ? ORDER BY k.id", (claim,)
    )
    return [str(row[0]) for row in rows]


def linked_pairs(connection: apsw.Connection, page: int) -> list[LinkedPair]:
    """The pairs of active claims that an edge other than a conflict joins, the later one written at a page."""
    rows = connection.execute(
        "SELECT old.id, new.id, old.text, new.text, old.subject_id IS new.subject_id AND new.subject_id IS NOT NULL, e.relation"
        " FROM edges e"
        " JOIN claims new ON new.id = max(e.source_id, e.target_id) JOIN claims old ON old.id = min(e.source_id, e.target_id)"
        " WHERE new.page_id = ? AND e.relation <> 'conflicts' AND new.status = 'active' AND old.status = 'active' ORDER BY new.id, old.id",
        (page,),
    ).fetchall()
    pairs = [cast(tuple[int, int, str, str, int, RelationKind], row) for row in rows]
    return [LinkedPair(row[0], row[1], row[2], row[3], bool(row[4]), row[5]) for row in pairs]


def undescribed_topics(connection: apsw.Connection) -> list[Undescribed]:
    """The topics that have no description, in order."""
    found: dict[int, list[str]] = {}
    for topic, keyword in connection.execute(
        "SELECT tk.topic_id, k.text FROM topic_keywords tk JOIN keywords k ON k.id = tk.keyword_id"
        " WHERE tk.topic_id NOT IN (SELECT topic_id FROM topic_descriptions) ORDER BY tk.topic_id, k.id"
    ):
        found.setdefault(cast(int, topic), []).append(cast(str, keyword))
    return [Undescribed(topic, tuple(keywords)) for topic, keywords in found.items() if len(keywords) >= MIN_KEYWORDS]
