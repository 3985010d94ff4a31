"""Conversations, sessions, messages, pages and spans: what was said, verbatim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import apsw

from memcli.atoms import Message, Span, SpanKind


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the file holds it."""

    id: int
    conversation_id: int
    session_id: int | None
    page_id: int
    position: int
    message: Message


def message_digest(message: Message) -> bytes:
    """A message's content address: 16 bytes of BLAKE2b over where it stands, who said it, when, and the words.

    Where it was read from does not count, so the same export in another folder is the same message; nor does a number that stands
    in for an id, so the same line is the same message when lines before it are gone.
    """
    own = message.message_id if message.occurrence is None else f"#{message.occurrence}"
    parts = (message.conversation_id, message.session_id or "", own, message.speaker, message.role)
    record = json.dumps([*parts, message.timestamp or "", message.text], ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(record.encode("ascii"), digest_size=16).digest()


def said_at(timestamp: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 timestamp, for order only; wall clock where it has no zone; None if unreadable."""
    if timestamp is None:
        return None
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()


def known_digests(connection: apsw.Connection, digests: Iterable[bytes]) -> set[bytes]:
    """Which of these messages the file holds, or held and was told to forget."""
    known = set()
    for digest in digests:
        row = connection.execute(
            "SELECT 1 FROM messages WHERE digest = ? UNION ALL SELECT 1 FROM tombstones WHERE digest = ?", (digest, digest)
        )
        if row.fetchone():
            known.add(digest)
    return known


def conversation_id(connection: apsw.Connection, external_id: str) -> int:
    """The conversation of that name, made if it is new."""
    row = connection.execute("SELECT id FROM conversations WHERE external_id = ?", (external_id,)).fetchone()
    if row:
        return int(row[0])
    connection.execute("INSERT INTO conversations (external_id) VALUES (?)", (external_id,))
    return connection.last_insert_rowid()


def session_id(connection: apsw.Connection, conversation: int, external_id: str | None) -> int | None:
    """The session of that name in a conversation, made if it is new; None for None."""
    if external_id is None:
        return None
    row = connection.execute(
        "SELECT id FROM sessions WHERE conversation_id = ? AND external_id = ?", (conversation, external_id)
    ).fetchone()
    if row:
        return int(row[0])
    connection.execute("INSERT INTO sessions (conversation_id, external_id) VALUES (?, ?)", (conversation, external_id))
    return connection.last_insert_rowid()


def insert_page(connection: apsw.Connection, conversation: int, session: int | None) -> int:
    """Start a page; returns its id."""
    connection.execute("INSERT INTO pages (conversation_id, session_id) VALUES (?, ?)", (conversation, session))
    return connection.last_insert_rowid()


def next_position(connection: apsw.Connection, conversation: int) -> int:
    """The position a conversation's next message takes, from 0."""
    row = connection.execute("SELECT max(position) FROM messages WHERE conversation_id = ?", (conversation,)).fetchone()
    return 0 if row is None or row[0] is None else int(row[0]) + 1


def free_external_id(connection: apsw.Connection, conversation: int, wanted: str, after: int = 1) -> tuple[str, int]:
    """`wanted`, or `wanted~2`, `wanted~3`... when another message of the conversation has that id already.

    Args:
        connection: an open memory.
        conversation: whose ids are meant.
        wanted: the id to have.
        after: the number known to be taken (1: `wanted` itself may be free), so that a thousand clashes are not counted up each time.

    Returns:
        The id and its number.
    """
    number = after
    while True:
        candidate = wanted if number == 1 else f"{wanted}~{number}"
        sql = "SELECT 1 FROM messages WHERE conversation_id = ? AND external_id = ?"
        if connection.execute(sql, (conversation, candidate)).fetchone() is None:
            return candidate, number
        number += 1


def conversation_exists(connection: apsw.Connection, external_id: str) -> bool:
    """Whether the file holds a conversation of that name."""
    return connection.execute("SELECT 1 FROM conversations WHERE external_id = ?", (external_id,)).fetchone() is not None


def insert_message(
    connection: apsw.Connection,
    message: Message,
    digest: bytes,
    *,
    external_id: str,
    conversation: int,
    session: int | None,
    page: int,
    position: int,
    ingest: int | None,
) -> int:
    """Store one message as `external_id`; returns its row's id. An id that had to be changed is kept in the metadata as `given_id`."""
    metadata = dict(message.metadata)
    if external_id != message.message_id and message.occurrence is None:
        metadata["given_id"] = message.message_id
    connection.execute(
        "INSERT INTO messages (conversation_id, session_id, page_id, position, external_id, speaker, role, timestamp, said_at, text,"
        " length, digest, ingest_id, locator, metadata, occurrence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            conversation,
            session,
            page,
            position,
            external_id,
            message.speaker,
            message.role,
            message.timestamp,
            said_at(message.timestamp),
            message.text,
            len(message.text),
            digest,
            ingest,
            message.locator,
            json.dumps(metadata, ensure_ascii=True, default=str),
            message.occurrence,
        ),
    )
    return connection.last_insert_rowid()


def insert_spans(connection: apsw.Connection, message_id: int, spans: Sequence[tuple[Span, int]]) -> list[int]:
    """Store a message's (span, words); returns their ids in order."""
    ids = []
    for span, words in spans:
        connection.execute(
            "INSERT INTO spans (message_id, start_offset, end_offset, kind, words) VALUES (?, ?, ?, ?, ?)",
            (message_id, span.start, span.end, span.kind, words),
        )
        ids.append(connection.last_insert_rowid())
    return ids


_MESSAGE = (
    "SELECT m.id, m.conversation_id, m.session_id, m.page_id, m.position, c.external_id, m.external_id, m.speaker, m.role, t.text,"
    " m.timestamp, s.external_id, coalesce(i.source, ''), m.locator, m.metadata, m.occurrence"
    " FROM messages m JOIN message_texts t ON t.id = m.id JOIN conversations c ON c.id = m.conversation_id"
    " LEFT JOIN sessions s ON s.id = m.session_id LEFT JOIN ingests i ON i.id = m.ingest_id"
)


def _stored(row: tuple[Any, ...]) -> StoredMessage:
    """A row of `_MESSAGE`."""
    return StoredMessage(
        id=row[0],
        conversation_id=row[1],
        session_id=row[2],
        page_id=row[3],
        position=row[4],
        message=Message(
            conversation_id=row[5],
            message_id=row[6],
            speaker=row[7],
            role=row[8],
            text=row[9],
            timestamp=row[10],
            session_id=row[11],
            source=row[12],
            locator=row[13],
            metadata=json.loads(row[14]),
            occurrence=row[15],
        ),
    )


def last_messages(connection: apsw.Connection, conversation: int, count: int) -> list[StoredMessage]:
    """A conversation's last `count` messages, in order."""
    rows = connection.execute(f"{_MESSAGE} WHERE m.conversation_id = ? ORDER BY m.position DESC LIMIT ?", (conversation, count)).fetchall()
    return [_stored(row) for row in reversed(rows)]


def messages_between(connection: apsw.Connection, conversation: int, first: int, last: int) -> list[StoredMessage]:
    """A conversation's messages from one position through another, in order."""
    rows = connection.execute(
        f"{_MESSAGE} WHERE m.conversation_id = ? AND m.position BETWEEN ? AND ? ORDER BY m.position", (conversation, first, last)
    )
    return [_stored(row) for row in rows]


def page_messages(connection: apsw.Connection, page: int) -> list[StoredMessage]:
    """A page's messages, in order."""
    return [_stored(row) for row in connection.execute(f"{_MESSAGE} WHERE m.page_id = ? ORDER BY m.position", (page,))]


def spans_of(connection: apsw.Connection, message_id: int) -> list[tuple[int, int, int, SpanKind]]:
    """A message's spans as (id, start, end, kind), in order."""
    rows = connection.execute(
        "SELECT id, start_offset, end_offset, kind FROM spans WHERE message_id = ? ORDER BY start_offset", (message_id,)
    ).fetchall()
    return cast(list[tuple[int, int, int, SpanKind]], rows)


def speakers(connection: apsw.Connection, conversation: int) -> list[str]:
    """Everybody who has spoken in a conversation, in order of their first word."""
    rows = connection.execute(
        "SELECT speaker FROM messages WHERE conversation_id = ? GROUP BY speaker ORDER BY min(position)", (conversation,)
    )
    return [row[0] for row in rows]
