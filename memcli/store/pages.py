"""What stands around a message: its page, and the claims that rest on it."""

from __future__ import annotations

import apsw

from memcli.store.transcripts import StoredMessage, page_messages


def page_around(connection: apsw.Connection, message_id: int) -> list[StoredMessage]:
    """The messages of the page that a message is on, in order; [] if there is no such message."""
    row = connection.execute("SELECT page_id FROM messages WHERE id = ?", (message_id,)).fetchone()
    return page_messages(connection, int(row[0])) if row else []


def claims_of_page(connection: apsw.Connection, message_id: int) -> list[int]:
    """The active claims that rest on a message of the page that this message is on, in the order in which they were said."""
    rows = connection.execute(
        "SELECT f.claim_id FROM messages one JOIN messages m ON m.page_id = one.page_id JOIN facts f ON f.message_id = m.id"
        " WHERE one.id = ? GROUP BY f.claim_id ORDER BY min(m.position), min(f.start_offset)",
        (message_id,),
    )
    return [int(row[0]) for row in rows]
