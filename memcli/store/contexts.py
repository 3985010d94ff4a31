"""Blocks of messages in the file: which messages are not embedded in context yet, what stands beside them, and what came of it.

A row of `message_contexts` for each message is kept by triggers, so that finding what is left to do costs nothing where nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store import vectors

Session = tuple[int, int | None]
"""A conversation and a session of it; None for what was said in no session."""

Place = tuple[int, int | None, int | None]
"""A message, its block and its tokens; both None of a message without a context."""


def count_pending(connection: apsw.Connection) -> int:
    """How many messages are not embedded in context."""
    return int(connection.execute("SELECT count(*) FROM message_contexts WHERE block_id IS NULL").get)


def pending(connection: apsw.Connection, limit: int) -> dict[Session, list[int]]:
    """The first `limit` messages that are not embedded in context, by session, in the order in which they came."""
    found: dict[Session, list[int]] = {}
    rows = connection.execute(
        "SELECT m.conversation_id, m.session_id, m.id FROM message_contexts c JOIN messages m ON m.id = c.message_id"
        " WHERE c.block_id IS NULL ORDER BY c.message_id LIMIT ?",
        (limit,),
    )
    for conversation, session, message in cast(Iterator[tuple[int, int | None, int]], rows):
        found.setdefault((conversation, session), []).append(message)
    return found


def places(connection: apsw.Connection, session: Session, first: int, last: int) -> list[Place]:
    """The messages of a session from the block before message `first`, or from there if there is none, through message `last`."""
    conversation, number = session
    begin = _block_before(connection, session, first)
    rows = connection.execute(
        "SELECT m.id, c.block_id, c.tokens FROM messages m JOIN message_contexts c ON c.message_id = m.id"
        " WHERE m.conversation_id = ? AND +m.session_id IS ? AND m.position BETWEEN (SELECT position FROM messages WHERE id = ?)"
        " AND (SELECT position FROM messages WHERE id = ?) ORDER BY m.position",
        (conversation, number, first if begin is None else begin, last),
    )
    return cast(list[Place], rows.fetchall())


def _block_before(connection: apsw.Connection, session: Session, message: int) -> int | None:
    conversation, number = session
    if number is not None:
        row = connection.execute(
            "SELECT c.block_id FROM messages m JOIN message_contexts c ON c.message_id = m.id"
            " WHERE m.session_id = ? AND m.id < ? ORDER BY m.id DESC LIMIT 1",
            (number, message),
        ).fetchone()
    else:
        row = connection.execute(
            "SELECT c.block_id FROM messages m JOIN message_contexts c ON c.message_id = m.id"
            " WHERE m.conversation_id = ? AND +m.session_id IS NULL AND m.position < (SELECT position FROM messages WHERE id = ?)"
            " ORDER BY m.position DESC LIMIT 1",
            (conversation, message),
        ).fetchone()
    return cast(tuple[int | None], row)[0] if row else None


def texts(connection: apsw.Connection, messages: Iterable[int]) -> dict[int, str]:
    """What was said in these messages."""
    sql = "SELECT text FROM message_texts WHERE id = ?"
    return {message: str(connection.execute(sql, (message,)).get or "") for message in messages}


def is_as_planned(connection: apsw.Connection, block: Iterable[tuple[int, int | None]]) -> bool:
    """Whether these messages are still there, and each in the block given beside it."""
    sql = "SELECT 1 FROM message_contexts WHERE message_id = ? AND block_id IS ?"
    return all(connection.execute(sql, (message, before)).fetchone() for message, before in block)


def store_block(connection: apsw.Connection, members: Sequence[tuple[int, int]], matrix: NDArray[np.float32]) -> None:
    """Store a block, in the place of what was stored of its messages. Vectors that earlier versions laid beside packs stay there.

    Args:
        connection: within a transaction; the vector tables exist.
        members: the block's messages with their tokens, in order.
        matrix: their vectors in context, shape (len(members), dimension), unit rows.
    """
    first = members[0][0]
    connection.executemany(
        "UPDATE message_contexts SET block_id = ?, tokens = ? WHERE message_id = ?",
        ((first, tokens, message) for message, tokens in members),
    )
    sql = (
        "SELECT 1 FROM messages m WHERE m.id = ? AND NOT EXISTS"
        " (SELECT 1 FROM packed_vectors v WHERE v.pack_id = m.pack_id AND v.family = 'message')"
    )
    indexed = (
        (m, vector) for (m, _), vector in zip(members, vectors.rounded(matrix), strict=True) if connection.execute(sql, (m,)).fetchone()
    )
    vectors.put_vectors(connection, "message", indexed)


def forget_contexts(connection: apsw.Connection, dimension: int) -> None:
    """Make every message one that is not embedded in context yet, within a transaction."""
    connection.execute("DELETE FROM message_contexts; INSERT INTO message_contexts (message_id) SELECT id FROM messages ORDER BY id")
    connection.execute("DROP TABLE IF EXISTS message_vectors")
    vectors.create_vector_tables(connection, dimension)
