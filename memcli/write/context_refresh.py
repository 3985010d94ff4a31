"""Bringing the vectors of messages in context up to date: blocks that have gained messages are embedded again, whole.

What is read and embedded is read without a lock; a block that somebody else has changed meanwhile is left to be looked at anew.
"""

from __future__ import annotations

from collections.abc import Callable

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.models import Embedder
from memcli.store import contexts as rows
from memcli.store.connection import read_transaction, transaction
from memcli.store.vectors import create_vector_tables
from memcli.write.contexts import Place, cut_blocks

ROUND_MESSAGES = 256
"""Messages embedded between two commits: a few seconds' work, and little to hold in memory."""


def refresh_contexts(
    connection: apsw.Connection, embedder: Callable[[], Embedder], progress: Callable[[int, int], None] = lambda _done, _total: None
) -> int:
    """Embed in context every message that is not yet; at once when there is none.

    Outside a transaction of the caller's. The same messages give the same blocks, however they came and whoever was interrupted.

    Args:
        connection: an open memory, writable.
        embedder: gives the file's model; called only when there is something to embed.
        progress: told how many messages are done, and of how many.

    Returns:
        how many messages there were to embed.

    Raises:
        ModelError: the embedder is missing, failed, or is not the file's; the rounds before are kept.
    """
    total = rows.count_pending(connection)
    while left := rows.count_pending(connection):
        progress(max(0, total - left), total)
        _embed_round(connection, embedder())
    if total:
        progress(total, total)
    return total


def refresh_within(
    connection: apsw.Connection, embedder: Callable[[], Embedder], progress: Callable[[int, int], None] = lambda _done, _total: None
) -> int:
    """As `refresh_contexts`, but within a transaction of the caller's, so that nobody sees the file without; others wait meanwhile."""
    total = rows.count_pending(connection)
    while left := rows.count_pending(connection):
        progress(max(0, total - left), total)
        model = embedder()
        blocks, texts = _next_blocks(connection, model)
        _store(connection, model, blocks, model.encode_in_context([[texts[place.message] for place in block] for block in blocks]))
    return total


def rebuild_contexts(connection: apsw.Connection, embedder: Embedder) -> None:
    """Embed every message in context again; as `refresh_contexts` otherwise."""
    with transaction(connection):
        rows.forget_contexts(connection, embedder.dimension)
    refresh_contexts(connection, lambda: embedder)


def _embed_round(connection: apsw.Connection, model: Embedder) -> None:
    with read_transaction(connection):
        blocks, texts = _next_blocks(connection, model)
    vectors = model.encode_in_context([[texts[place.message] for place in block] for block in blocks])
    with transaction(connection):
        _store(connection, model, blocks, vectors)


def _store(connection: apsw.Connection, model: Embedder, blocks: list[list[Place]], vectors: list[NDArray[np.float32]]) -> None:
    create_vector_tables(connection, model.dimension)
    for block, matrix in zip(blocks, vectors, strict=True):
        if rows.is_as_planned(connection, ((place.message, place.block) for place in block)):
            rows.store_block(connection, [(place.message, place.tokens) for place in block], matrix)


def _next_blocks(connection: apsw.Connection, model: Embedder) -> tuple[list[list[Place]], dict[int, str]]:
    """The blocks that the next messages without a context make or join, and the words of all their messages."""
    waiting = rows.pending(connection, ROUND_MESSAGES)
    texts = rows.texts(connection, (message for messages in waiting.values() for message in messages))
    tokens = dict(zip(texts, model.count_tokens(list(texts.values())), strict=True))
    blocks = []
    for session, messages in waiting.items():
        found = rows.places(connection, session, messages[0], messages[-1])
        blocks += cut_blocks(Place(message, tokens[message] if known is None else known, block) for message, block, known in found)
    members = (place.message for block in blocks for place in block)
    return blocks, texts | rows.texts(connection, (message for message in members if message not in texts))
