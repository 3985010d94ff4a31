"""Checks of vectors: every atom has one, no other has, and each is of length 1; and of the blocks that messages are embedded in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import apsw
import numpy as np

Findings = Iterator[tuple[str, int]]
Named = Callable[[str, Sequence[object]], Findings]
"""Makes a finding of ids, none of none."""

_SPOKEN = {
    "span": "SELECT id FROM spans WHERE words > 0",
    "claim": "SELECT cs.claim_id FROM claim_supports cs JOIN spans s ON s.id = cs.span_id WHERE s.words > 0",
    "message": "SELECT message_id FROM spans WHERE words > 0",
}
"""Which atoms rest on any words."""

_UNIT_TOLERANCE = 1e-3
"""How far from 1 the squared length of a vector may be: four times what the rounding for storage may make of it."""

UNPACKED_SPANS = "SELECT s.id FROM spans s JOIN messages m ON m.id = s.message_id WHERE m.pack_id IS NULL"
"""The spans whose vectors are in the index."""

# In files of earlier versions the vectors of packed messages are beside their packs.
_INDEXED_MESSAGES = (
    "SELECT id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM packed_vectors v WHERE v.pack_id = m.pack_id AND v.family = 'message')"
)
_EMBEDDED_MESSAGES = f"SELECT message_id FROM message_contexts WHERE block_id IS NOT NULL AND message_id IN ({_INDEXED_MESSAGES})"

_BLOCKS = {
    # Of an ingest that was killed, or is still at work, the next refresh takes care.
    "messages with words that are not embedded in context": "SELECT m.id FROM messages m"
    " LEFT JOIN message_contexts c ON c.message_id = m.id LEFT JOIN ingests i ON i.id = m.ingest_id"
    " WHERE EXISTS (SELECT 1 FROM spans s WHERE s.message_id = m.id AND s.words > 0)"
    " AND (c.message_id IS NULL OR c.block_id IS NULL AND (i.id IS NULL OR i.finished_at IS NOT NULL)) ORDER BY m.id",
    "blocks that do not begin with the message they are named after": "SELECT block_id FROM message_contexts"
    " WHERE block_id IS NOT NULL GROUP BY block_id HAVING min(message_id) <> block_id ORDER BY block_id",
    "blocks of several sessions": "SELECT c.block_id FROM message_contexts c JOIN messages m ON m.id = c.message_id"
    " WHERE c.block_id IS NOT NULL GROUP BY c.block_id HAVING min(m.conversation_id) <> max(m.conversation_id)"
    " OR min(coalesce(m.session_id, 0)) <> max(coalesce(m.session_id, 0)) ORDER BY c.block_id",
}
"""By what would be wrong: the ids of the messages, or blocks, that it is wrong of."""


def vectors(connection: apsw.Connection, *, atom: str, wanted: str, named: Named) -> Findings:
    """Check that the atoms which the query `wanted` selects, and no others, have vectors of length 1."""
    yield from _vectors(connection, atom, wanted, wanted, named)


def message_vectors(connection: apsw.Connection, *, named: Named) -> Findings:
    """Check that every message is in a block, and has a vector of length 1."""
    for what, sql in _BLOCKS.items():
        yield from named(what, [row[0] for row in connection.execute(sql)])
    # A message waiting to be embedded again, because one beside it was forgotten, has its old vector still.
    yield from _vectors(connection, "message", _EMBEDDED_MESSAGES, _INDEXED_MESSAGES, named)


def _vectors(connection: apsw.Connection, atom: str, wanted: str, allowed: str, named: Named) -> Findings:
    table = f"{atom}_vectors"
    exists = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    held = f"SELECT {atom}_id FROM {table}" if exists else "SELECT NULL WHERE FALSE"
    missing = connection.execute(f"{wanted} EXCEPT {held} ORDER BY 1")
    yield from named(f"atoms missing from {table}", [row[0] for row in missing])
    left_over = connection.execute(f"{held} EXCEPT {allowed} ORDER BY 1")
    yield from named(f"entries of {table} for atoms that are gone or archived", [row[0] for row in left_over])
    if not exists:
        return
    wrong: list[int] = []
    empty: list[int] = []
    for number, data in connection.execute(f"SELECT {atom}_id, embedding FROM {table}"):
        vector = np.frombuffer(data, np.float32)
        squared = float(vector @ vector)
        if squared == 0:
            empty.append(number)
        elif not abs(squared - 1) <= _UNIT_TOLERANCE:  # written so that it holds of NaN, which no comparison does
            wrong.append(number)
    yield from named(f"entries of {table} that are not finite or not of length 1", wrong)
    if empty:  # which is as it should be where there are no words
        spoken = {row[0] for row in connection.execute(_SPOKEN[atom])}
        yield from named(f"entries of {table} that are all zeros", [number for number in empty if number in spoken])
