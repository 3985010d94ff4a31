"""What is to be forgotten: which messages are meant, and what stands or falls with them. Nothing here writes to the file.

The messages that are meant are marked in temporary tables of the connection, which everything here and in `memcli.store.erase` reads:
`forgotten` holds messages, `forgotten_spans` their spans.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import apsw

from memcli.store.search import postings, tokenize, vocabulary

_MARKS = """
    DROP TABLE IF EXISTS temp.forgotten;
    DROP TABLE IF EXISTS temp.forgotten_spans;
    CREATE TEMP TABLE forgotten (message_id INTEGER PRIMARY KEY);
    CREATE TEMP TABLE forgotten_spans (span_id INTEGER PRIMARY KEY);
"""

_MESSAGES = (
    "SELECT m.id, t.text FROM messages m JOIN message_texts t ON t.id = m.id JOIN conversations c ON c.id = m.conversation_id"
    " LEFT JOIN sessions s ON s.id = m.session_id WHERE TRUE"
)

_WHERE = {
    "claim": "m.id IN (SELECT s.message_id FROM claim_supports cs JOIN spans s ON s.id = cs.span_id WHERE cs.claim_id = :claim)",
    "message": "(m.external_id = :message OR c.external_id || '/' || m.external_id = :message)",
    "conversation": "c.external_id = :conversation",
    "session": "s.external_id = :session",
    "speakers": "m.speaker IN (SELECT value FROM json_each(:speakers))",
    "before": "m.said_at < :before",
}


@dataclass(frozen=True, slots=True)
class Named:
    """A message as a person knows it."""

    message_id: str
    conversation_id: str
    speaker: str
    timestamp: str | None
    text: str

    def to_dict(self) -> dict[str, str | None]:
        """Its fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def exists(connection: apsw.Connection, what: str, value: str | int) -> bool:
    """Whether there is a `claim`, `message`, `conversation` or `session` of that id."""
    sql = {
        "claim": "SELECT 1 FROM claims WHERE id = ?",
        "message": "SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation_id"
        " WHERE m.external_id = ?1 OR c.external_id || '/' || m.external_id = ?1",
        "conversation": "SELECT 1 FROM conversations WHERE external_id = ?",
        "session": "SELECT 1 FROM sessions WHERE external_id = ?",
    }[what]
    return connection.execute(sql, (value,)).fetchone() is not None


def speakers(connection: apsw.Connection) -> tuple[str, ...]:
    """Everybody who speaks in the memory."""
    return tuple(str(row[0]) for row in connection.execute("SELECT DISTINCT speaker FROM messages ORDER BY speaker"))


def matching(connection: apsw.Connection, conditions: dict[str, str | int | float]) -> Iterator[tuple[int, str]]:
    """The messages, with their words, of which all of these hold.

    Args:
        connection: the memory.
        conditions: by name: `claim` (a claim's id: what it rests on), `message`, `conversation`, `session` (ids as the transcript gave
            them), `speakers` (a JSON array of names), `before` (seconds since 1970).
    """
    where = "".join(f" AND {_WHERE[name]}" for name in conditions)
    yield from cast(Iterator[tuple[int, str]], connection.execute(f"{_MESSAGES}{where} ORDER BY m.id", conditions))


def conversations_of(connection: apsw.Connection, messages: Iterable[int]) -> list[str]:
    """The conversations that these messages are in."""
    rows = connection.execute(
        "SELECT DISTINCT c.external_id FROM json_each(?) w JOIN messages m ON m.id = w.value"
        " JOIN conversations c ON c.id = m.conversation_id ORDER BY c.id",
        (json.dumps(list(messages)),),
    )
    return [str(row[0]) for row in rows]


def mark(connection: apsw.Connection, messages: Iterable[int]) -> None:
    """Mark these messages, and their spans, as those to be forgotten; drops earlier marks."""
    connection.execute(_MARKS)
    connection.executemany("INSERT INTO temp.forgotten VALUES (?)", ((message,) for message in messages))
    connection.execute(
        "INSERT INTO temp.forgotten_spans SELECT s.id FROM temp.forgotten f CROSS JOIN spans s ON s.message_id = f.message_id ORDER BY s.id"
    )


def unmark(connection: apsw.Connection) -> None:
    """Drop the marks."""
    connection.execute("DROP TABLE IF EXISTS temp.forgotten; DROP TABLE IF EXISTS temp.forgotten_spans")


def samples(connection: apsw.Connection, limit: int) -> list[Named]:
    """The first few marked messages."""
    rows = connection.execute(
        "SELECT m.external_id, c.external_id, m.speaker, m.timestamp, t.text FROM temp.forgotten f"
        " JOIN messages m ON m.id = f.message_id JOIN message_texts t ON t.id = m.id JOIN conversations c ON c.id = m.conversation_id"
        " ORDER BY m.id LIMIT ?",
        (limit,),
    )
    return [Named(*cast(Any, row)) for row in rows]


def resting_claims(connection: apsw.Connection) -> dict[int, list[int]]:
    """Every claim that rests on a marked span, with the spans it keeps, in the order of its supports; merged ones are left out.

    A compression is undone before anything is forgotten, so that what it merged stands for itself again.
    """
    found: dict[int, list[int]] = {}
    for claim, span in connection.execute(
        "SELECT c.id, cs.span_id FROM (SELECT DISTINCT cs.claim_id FROM temp.forgotten_spans f CROSS JOIN claim_supports cs"
        " ON cs.span_id = f.span_id) w JOIN claims c ON c.id = w.claim_id AND c.origin <> 'merge' LEFT JOIN claim_supports cs"
        " ON cs.claim_id = c.id AND cs.span_id NOT IN (SELECT span_id FROM temp.forgotten_spans) ORDER BY c.id, cs.position"
    ):
        kept = found.setdefault(cast(int, claim), [])
        if span is not None:
            kept.append(cast(int, span))
    return found


def supports_of(connection: apsw.Connection, claim: int) -> list[int]:
    """The spans a claim rests on and keeps, in order."""
    rows = connection.execute(
        "SELECT span_id FROM claim_supports WHERE claim_id = ? AND span_id NOT IN (SELECT span_id FROM temp.forgotten_spans)"
        " ORDER BY position",
        (claim,),
    )
    return [cast(int, row[0]) for row in rows]


def own_messages(connection: apsw.Connection, claim: int, spans: Sequence[int]) -> dict[int, int]:
    """Which of these spans were said by who said the claim's first, rather than asked by somebody else; by span, its message."""
    rows = connection.execute(
        "SELECT s.id, m.id FROM json_each(?) w JOIN spans s ON s.id = w.value JOIN messages m ON m.id = s.message_id"
        " WHERE m.speaker = (SELECT a.speaker FROM claims c JOIN spans o ON o.id = c.anchor_span_id"
        " JOIN messages a ON a.id = o.message_id WHERE c.id = ?) ORDER BY w.key",
        (json.dumps(list(spans)), claim),
    )
    return {cast(int, span): cast(int, message) for span, message in rows}


def claim_texts(connection: apsw.Connection, claims: Iterable[int]) -> dict[int, str]:
    """The words of these claims."""
    rows = connection.execute("SELECT c.id, c.text FROM json_each(?) w JOIN claims c ON c.id = w.value", (json.dumps(list(claims)),))
    return {cast(int, claim): str(text) for claim, text in rows}


def lost_words(connection: apsw.Connection) -> set[str]:
    """The index's tokens that only marked messages hold, the names of those who said nothing else among them."""
    found: set[str] = set()
    for (text,) in connection.execute("SELECT t.text FROM temp.forgotten f JOIN message_texts t ON t.id = f.message_id"):
        found.update(tokenize(str(text)))
    for (name,) in connection.execute("SELECT DISTINCT m.speaker FROM temp.forgotten f JOIN messages m ON m.id = f.message_id"):
        found.update(tokenize(str(name)))
    for (name,) in connection.execute(
        "SELECT DISTINCT speaker FROM messages WHERE id NOT IN (SELECT message_id FROM temp.forgotten)"
    ).fetchall():
        found.difference_update(tokenize(str(name)))
    table = vocabulary(connection, "span")
    kept = f"SELECT 1 FROM {table} WHERE term = ? AND doc NOT IN (SELECT span_id FROM temp.forgotten_spans) LIMIT 1"
    return {term for term in found if connection.execute(kept, (term,)).fetchone() is None}


def claims_with(connection: apsw.Connection, terms: Iterable[str]) -> set[int]:
    """The claims in whose words any of these tokens is; merged ones are left out."""
    found = {claim for term in terms for claim, _ in postings(connection, "claim", term)}
    rows = connection.execute(
        "SELECT c.id FROM json_each(?) w JOIN claims c ON c.id = w.value AND c.origin <> 'merge'", (json.dumps(sorted(found)),)
    )
    return {cast(int, row[0]) for row in rows}


def claims_noted_with(connection: apsw.Connection, terms: Collection[str]) -> set[int]:
    """The claims beside which any of these tokens is kept: in a keyword, or in the words by which rules wrote what a model reworded."""
    keywords = {keyword for term in terms for keyword, _ in postings(connection, "keyword", term)}
    rows = connection.execute(
        "SELECT DISTINCT c.id FROM json_each(?) w JOIN claim_keywords ck ON ck.keyword_id = w.value"
        " JOIN claims c ON c.id = ck.claim_id AND c.origin <> 'merge'",
        (json.dumps(sorted(keywords)),),
    )
    found = {cast(int, row[0]) for row in rows}
    for claim, text in connection.execute("SELECT claim_id, rule_text FROM reworded_claims"):
        if not set(terms).isdisjoint(tokenize(str(text))):
            found.add(cast(int, claim))
    return found


def claims_naming_leavers(connection: apsw.Connection) -> set[int]:
    """The claims that are about somebody who keeps no message in their conversation, or have a word of that name in theirs."""
    rows = connection.execute(
        "SELECT DISTINCT m.conversation_id, m.speaker FROM temp.forgotten f JOIN messages m ON m.id = f.message_id"
        " WHERE NOT EXISTS (SELECT 1 FROM messages o WHERE o.conversation_id = m.conversation_id AND o.speaker = m.speaker"
        " AND o.id NOT IN (SELECT message_id FROM temp.forgotten))"
    ).fetchall()
    found: set[int] = set()
    for conversation, name in rows:
        named = claims_with(connection, tokenize(str(name)))
        here = connection.execute(
            "SELECT c.id FROM json_each(?1) w JOIN claims c ON c.id = w.value JOIN pages p ON p.id = c.page_id WHERE p.conversation_id = ?2"
            " UNION SELECT c.id FROM referents r JOIN claims c ON c.subject_id = r.id AND c.origin <> 'merge' JOIN pages p"
            " ON p.id = c.page_id WHERE r.name = ?3 COLLATE NOCASE AND p.conversation_id = ?2",
            (json.dumps(sorted(named)), cast(int, conversation), str(name)),
        )
        found.update(cast(int, row[0]) for row in here)
    return found


def place_of(connection: apsw.Connection, message: int) -> tuple[int, int]:
    """A message's conversation and its position there."""
    row = connection.execute("SELECT conversation_id, position FROM messages WHERE id = ?", (message,)).fetchone()
    return cast(tuple[int, int], row)


def first_words(connection: apsw.Connection, conversation: int) -> list[tuple[str, int]]:
    """Who speaks in a conversation, with the position of the first word that stays, in its order."""
    rows = connection.execute(
        "SELECT speaker, min(position) FROM messages WHERE conversation_id = ? AND id NOT IN (SELECT message_id FROM temp.forgotten)"
        " GROUP BY speaker ORDER BY 2",
        (conversation,),
    )
    return cast(list[tuple[str, int]], rows.fetchall())


def is_marked(connection: apsw.Connection, message: int) -> bool:
    """Whether a message is to be forgotten."""
    return connection.execute("SELECT 1 FROM temp.forgotten WHERE message_id = ?", (message,)).fetchone() is not None


_COUNTS = {
    "messages": "SELECT count(*) FROM temp.forgotten",
    "spans": "SELECT count(*) FROM temp.forgotten_spans",
    **{
        table: f"SELECT count(*) FROM temp.forgotten_spans f CROSS JOIN {table} x ON x.span_id = f.span_id"
        for table in ("handles", "time_cues", "pivots")
    },
}

_KEYWORDS = (
    "SELECT DISTINCT k.text FROM json_each(?1) w JOIN claim_keywords ck ON ck.claim_id = w.value JOIN keywords k ON k.id = ck.keyword_id"
    " WHERE NOT EXISTS (SELECT 1 FROM claim_keywords o JOIN claims c ON c.id = o.claim_id AND c.origin <> 'merge'"
    " WHERE o.keyword_id = k.id AND o.claim_id NOT IN (SELECT value FROM json_each(?1)))"
)
_GROUPS = "SELECT count(DISTINCT gm.group_id) FROM json_each(?) w JOIN group_members gm ON gm.claim_id = w.value"
_TOPICS = (
    "SELECT count(DISTINCT tk.topic_id) FROM json_each(?) w JOIN claim_keywords ck ON ck.claim_id = w.value"
    " JOIN topic_keywords tk ON tk.keyword_id = ck.keyword_id"
)


def counts(connection: apsw.Connection, touched: Iterable[int], kept: Collection[str]) -> dict[str, int]:
    """How much goes with the marked messages: messages, spans, cues by kind, keywords; and the groups and topics that change.

    Args:
        connection: the memory.
        touched: the claims that fall, and those that stay with other words or fewer supports.
        kept: the keywords of those that stay.
    """
    claims = json.dumps(sorted(touched))
    found = {name: int(connection.execute(sql).get) for name, sql in _COUNTS.items()}
    found["keywords"] = sum(str(row[0]) not in kept for row in connection.execute(_KEYWORDS, (claims,)))
    found["groups"] = int(connection.execute(_GROUPS, (claims,)).get)
    found["topics"] = int(connection.execute(_TOPICS, (claims,)).get)
    return found
