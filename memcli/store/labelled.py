"""Whether the messages that labels name are in the memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import apsw


def absent_messages(connection: apsw.Connection, wanted: Iterable[tuple[str | None, str]]) -> list[str]:
    """Those of `wanted` that are not in the memory: (conversation or None for any, message), both as the transcript named them.

    Returns the message ids, sorted, each once.
    """
    rows = connection.execute("SELECT c.external_id, m.external_id FROM messages m JOIN conversations c ON c.id = m.conversation_id")
    pairs = {cast(tuple[str, str], row) for row in rows}
    messages = {message for _, message in pairs}
    return sorted({message for place, message in wanted if (message not in messages if place is None else (place, message) not in pairs)})
