"""Making the file as small as what it holds, and telling how large that is."""

from __future__ import annotations

from typing import cast

import apsw

from memcli.store import vectors
from memcli.store.compress import active_texts
from memcli.store.connection import transaction
from memcli.store.search import tokenize

_FAMILIES: tuple[vectors.Family, ...] = ("span", "claim", "message")

_VIEWS = ("span", "claim", "referent", "time_cue", "pivot", "keyword")

_HOT = ("span_vectors", "claim_vectors", "message_vectors", "span_views", "claim_views")
"""The indexes whose size depends on how many claims and spans are active."""


def tidy(connection: apsw.Connection) -> bool:
    """Merge what the word indexes have in pieces and give back the room of what was deleted, outside a transaction.

    Returns:
        whether it could be done; not while another connection uses the file, which is sound without.
    """
    try:
        _close_gaps(connection)
        for view in _VIEWS:
            connection.execute(f"INSERT INTO {view}_views ({view}_views) VALUES ('optimize')")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except (apsw.BusyError, apsw.LockedError, apsw.FullError):
        return False
    return True


def _close_gaps(connection: apsw.Connection) -> None:
    """Make a vector table anew whose chunks are not numbered without a gap: `VACUUM` numbers them afresh, and sqlite-vec would not know."""
    for family in _FAMILIES:
        if not vectors.holds(connection, family):
            continue
        last, count = connection.execute(f"SELECT max(rowid), count(*) FROM {family}_vectors_vector_chunks00").get
        if last != count:
            with transaction(connection):
                vectors.replace_vectors(connection, family, *vectors.load_vectors(connection, family))


def extent(connection: apsw.Connection) -> tuple[int, int, int, int]:
    """Active claims, tokens of their texts, bytes of the hot indexes, bytes of the file."""
    texts = active_texts(connection)
    size = int(connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").get)
    owned = " OR ".join(f"name LIKE '{index}\\_%' ESCAPE '\\'" for index in _HOT)
    hot = connection.execute(f"SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE aggregate = TRUE AND ({owned})").get
    return len(texts), sum(len(tokenize(text)) for text in texts), cast(int, hot), size
