"""What stands around a message: its page."""

from __future__ import annotations

import apsw

from memcli.store.transcripts import StoredMessage, page_messages


def page_around(connection: apsw.Connection, message_id: int) -> list[StoredMessage]:
    """The messages of the page that a message is on, in order; [] if there is no such message."""
    row = connection.execute("SELECT page_id FROM messages WHERE id = ?", (message_id,)).fetchone()
    return page_messages(connection, int(row[0])) if row else []
