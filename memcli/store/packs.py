"""Packed text: the words of several messages, one after another, as one zstd frame; and the SQL function that reads it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, cast

import apsw

PACK_CHARACTERS = 8_192
"""Characters of a pack, some 120 sentences: larger ones would be a little smaller in all, and slower to read a message from."""

_KEPT = 64
"""Packs whose words are kept at hand: the facts of a question lie in some tens of them."""

_LEVEL = 12


@functools.lru_cache(maxsize=_KEPT)
def _words(data: bytes) -> str | None:
    """The text of a whole pack, or None if it is damaged. Messages of one pack are read together, and packs again."""
    import zstandard  # imported late: a file that was never compressed needs none of it

    try:
        # A decompression object reads frames that do not tell their size as well.
        return zstandard.ZstdDecompressor().decompressobj().decompress(data).decode("utf-8")
    except (zstandard.ZstdError, UnicodeDecodeError):
        return None


def unpack(data: bytes | None, start: int | None, length: int | None) -> str | None:
    """A message's words out of its pack.

    Args:
        data: the pack, a zstd frame of UTF-8 text.
        start: where the message begins in that text, in code points.
        length: how many code points it has.

    Returns:
        The words, or None where there is no pack, where it is damaged, or where it is too short to hold them.
    """
    if data is None or start is None or length is None:
        return None
    words = _words(data)
    if words is None or not 0 <= start <= start + length <= len(words):
        return None
    return words[start : start + length]


def register(connection: apsw.Connection) -> None:
    """Give the connection `unpack(data, start, length)`, which the schema's triggers and `message_texts` call."""
    function: Any = unpack  # SQLite's values are a union; the schema passes a blob and two integers, or NULLs
    connection.create_scalar_function("unpack", function, 3, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)


def pack_messages(connection: apsw.Connection, run: int, messages: Sequence[int]) -> list[int]:
    """Move the words of these messages into packs of a run, within a transaction.

    Args:
        connection: the memory.
        run: the compression that packs them.
        messages: ids of messages that are not packed.

    Returns:
        the packs, each with messages of one conversation that follow one another.
    """
    import zstandard

    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    packs = []
    for rows in _portions(connection, messages):
        data = compressor.compress("".join(text for _, text in rows).encode("utf-8"))
        connection.execute("INSERT INTO packs (codec, data, run_id) VALUES ('zstd', ?, ?)", (data, run))
        pack = connection.last_insert_rowid()
        packs.append(pack)
        start = 0
        for message, text in rows:
            connection.execute("UPDATE messages SET text = NULL, pack_id = ?, pack_start = ? WHERE id = ?", (pack, start, message))
            start += len(text)
    return packs


def _portions(connection: apsw.Connection, messages: Sequence[int]) -> Iterator[list[tuple[int, str]]]:
    """(id, text) of the messages, in their order, cut where a conversation ends or a pack is full."""
    portion: list[tuple[int, str]] = []
    last, size = -1, 0
    wanted = set(messages)
    rows = cast(
        Iterator[tuple[int, int, str]],
        connection.execute("SELECT id, conversation_id, text FROM messages WHERE text IS NOT NULL ORDER BY conversation_id, position"),
    )
    chosen = [row for row in rows if row[0] in wanted]  # read to the end before anything is written
    for message, conversation, text in chosen:
        if portion and (conversation != last or size >= PACK_CHARACTERS):
            yield portion
            portion, size = [], 0
        portion.append((message, text))
        last, size = conversation, size + len(text)
    if portion:
        yield portion


def unpack_run(connection: apsw.Connection, run: int) -> None:
    """Give the messages in the packs of a run their words back, within a transaction. The packs stay, empty."""
    rows = connection.execute(
        "SELECT m.id FROM messages m JOIN packs p ON p.id = m.pack_id WHERE p.run_id = ? ORDER BY m.pack_id, m.pack_start", (run,)
    ).fetchall()
    connection.executemany(
        "UPDATE messages SET text = (SELECT text FROM message_texts t WHERE t.id = messages.id), pack_id = NULL, pack_start = NULL"
        " WHERE id = ?",
        rows,
    )


def delete_packs(connection: apsw.Connection, run: int) -> None:
    """Drop the packs of a run, which no message is in any more, with the vectors beside them."""
    connection.execute("DELETE FROM packs WHERE run_id = ?", (run,))


def packs_of_messages(connection: apsw.Connection) -> dict[int, int]:
    """The pack of every packed message: {message id: pack}."""
    return dict(cast(list[tuple[int, int]], connection.execute("SELECT id, pack_id FROM messages WHERE pack_id IS NOT NULL").fetchall()))


def packable_messages(
    connection: apsw.Connection, *, every: bool, messages: int | None, since: float | None, until: float | None
) -> list[int]:
    """The messages that no claim rests on as it came in: all theirs have been merged, or they have none.

    Args:
        connection: the memory.
        every: whether those that other claims rest on may go as well.
        messages: the last messages of each conversation that stay.
        since: what was said from then on stays, seconds since 1970.
        until: what was said before then may go, and nothing else.
    """
    rows = connection.execute(
        "SELECT m.id FROM messages m WHERE m.text IS NOT NULL AND (:every OR NOT EXISTS (SELECT 1 FROM spans s"
        " JOIN claim_supports cs ON cs.span_id = s.id JOIN claims c ON c.id = cs.claim_id"
        " WHERE s.message_id = m.id AND c.status = 'active' AND c.origin <> 'merge'))"
        " AND (:messages IS NULL OR"
        " (SELECT count(*) FROM messages l WHERE l.conversation_id = m.conversation_id AND l.position > m.position) >= :messages)"
        " AND (:since IS NULL OR m.said_at < :since) AND (:until IS NULL OR m.said_at < :until) ORDER BY m.id",
        {"every": every, "messages": messages, "since": since, "until": until},
    )
    return [int(row[0]) for row in cast(list[tuple[int]], rows.fetchall())]
