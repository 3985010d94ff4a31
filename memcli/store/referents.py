"""Referents: the things that handles mention, and the keys by which a mention finds its own among many.

Single names mean something within their conversation; full names, titles, files, addresses, errors, versions and code names
mean the same thing in all of them, and so does the name of somebody who takes part in several. Every look-up is a range of the
primary key of `referent_keys`, so its cost does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

import apsw

from memcli.atoms import Joining, KnownReferent, Mention
from memcli.store.search import delete_views, insert_views

Resolve = Callable[[Mention, Sequence[KnownReferent], int], Joining]
"""Decides which of the known referents a mention at a position means."""

EVERYWHERE = 0
"""The conversation id of keys that mean the same thing in every conversation; ids of real ones begin at 1."""

BLOCK_LETTERS = 3
"""First letters that a misspelt or shortened name shares with the right one."""

MAX_KNOWN = 64
"""Referents looked at for one key or block."""

_ROWS = (
    "SELECT k.referent_id, k.key, k.short, k.last_position, k.last_handle, r.kind, r.name"
    " FROM referent_keys k JOIN referents r ON r.id = k.referent_id"
)
_Row = tuple[int, str, int, int | None, int, str, str]


def known_referents(connection: apsw.Connection, mention: Mention, conversation_id: int) -> list[KnownReferent]:
    """The referents that a mention in a conversation may mean: those with one of its keys, else those with a key like it."""
    keys = list(dict.fromkeys([mention.key, *mention.short, *([mention.qualifier] if mention.qualifier else [])]))
    marks = ", ".join("?" * len(keys))
    order = "ORDER BY k.last_position DESC, k.referent_id LIMIT ?"
    rows = _rows(connection, f"k.conversation_id = ? AND k.key IN ({marks}) {order}", conversation_id, *keys, MAX_KNOWN)
    if mention.shared and not any(row[1] == mention.key for row in rows):
        everywhere = _rows(connection, "k.conversation_id = ? AND k.key = ? LIMIT ?", EVERYWHERE, mention.key, MAX_KNOWN)
        rows += [(referent, key, short, None, 0, kind, name) for referent, key, short, _, _, kind, name in everywhere]
    if not rows and mention.handle.kind in ("name", "quoted") and len(mention.key) >= BLOCK_LETTERS:
        block = mention.key[:BLOCK_LETTERS]
        size = len(mention.key)
        rows = _rows(
            connection,
            "k.conversation_id = ? AND k.key BETWEEN ? AND ? AND k.short = 0"
            " AND (length(k.key) BETWEEN ? AND ? OR r.kind = 'person') LIMIT ?",
            *(conversation_id, block, block + "\U0010ffff", size - 1, size + 1, MAX_KNOWN),
        )
    return _known(connection, rows) if rows else []


def _rows(connection: apsw.Connection, where: str, *values: str | int) -> list[_Row]:
    return cast(list[_Row], connection.execute(f"{_ROWS} WHERE {where}", values).fetchall())


def _known(connection: apsw.Connection, rows: Sequence[_Row]) -> list[KnownReferent]:
    grouped: dict[int, list[_Row]] = {}
    for row in rows:
        grouped.setdefault(row[0], []).append(row)
    marks = ", ".join("?" * len(grouped))
    qualifiers: dict[int, set[str]] = {}
    found = connection.execute(f"SELECT referent_id, qualifier FROM referent_qualifiers WHERE referent_id IN ({marks})", tuple(grouped))
    for referent, qualifier in found:
        qualifiers.setdefault(referent, set()).add(qualifier)
    return [
        KnownReferent(
            id=referent,
            kind=own[0][5],
            name=own[0][6],
            keys=frozenset(row[1] for row in own if not row[2]),
            short=frozenset(row[1] for row in own if row[2]),
            qualifiers=frozenset(qualifiers.get(referent, ())),
            last_position=max((row[3] for row in own if row[3] is not None), default=None),
            last_mention=max(row[4] for row in own),
        )
        for referent, own in grouped.items()
    ]


def referent_of(connection: apsw.Connection, mention: Mention, resolve: Resolve, *, conversation_id: int, position: int) -> int:
    """The referent that a mention means, made and indexed if it is new.

    Args:
        connection: within a transaction; mentions come in the order of the file.
        mention: what was said, with what its context tells.
        resolve: decides among those known; a pure function.
        conversation_id: the conversation's row.
        position: of the message in its conversation.
    """
    decision = resolve(mention, known_referents(connection, mention, conversation_id), position)
    referent = decision.referent
    if referent is None:
        connection.execute("INSERT INTO referents (kind, name) VALUES (?, ?)", (mention.handle.kind, mention.name))
        referent = connection.last_insert_rowid()
        insert_views(connection, "referent", [(referent, mention.name)])
    elif decision.rule == "longer form":
        _rename(connection, referent, mention.name)
    _remember(connection, referent, mention, conversation_id, position)
    return referent


def insert_mention(
    connection: apsw.Connection, span_id: int, mention: Mention, resolve: Resolve, *, conversation_id: int, position: int
) -> int:
    """Store a handle and join it to its referent; returns the handle's id."""
    referent = referent_of(connection, mention, resolve, conversation_id=conversation_id, position=position)
    connection.execute(
        "INSERT INTO handles (referent_id, span_id, start_offset, text) VALUES (?, ?, ?, ?)",
        (referent, span_id, mention.handle.offset, mention.handle.text),
    )
    return connection.last_insert_rowid()


def enter_participant(connection: apsw.Connection, mention: Mention, *, conversation_id: int, position: int) -> int:
    """The referent of somebody who speaks in a conversation, to be called when he first does there.

    It is one in all conversations where a participant has that name; whoever was mentioned by it here before, without anything that
    tells him apart, is the same.

    Args:
        connection: within a transaction.
        mention: the participant's name, of kind `person`.
        conversation_id: the conversation's row.
        position: of the first message he speaks.
    """
    row = connection.execute(
        "SELECT id FROM referents WHERE kind = 'person' AND name = ? COLLATE NOCASE ORDER BY id LIMIT 1", (mention.name,)
    ).fetchone()
    keys = [mention.key[:end] for end in range(BLOCK_LETTERS, len(mention.key) - 1)] if mention.key.isalpha() else []
    rows = _rows(
        connection,
        f"k.conversation_id = ? AND k.short = 0 AND r.kind = 'name' AND k.key IN ({', '.join('?' * (1 + len(keys)))})"
        " ORDER BY k.referent_id LIMIT ?",
        conversation_id,
        mention.key,
        *keys,
        MAX_KNOWN,
    )
    mentioned = [known for known in (_known(connection, rows) if rows else []) if not known.qualifiers]
    exact = [known for known in mentioned if mention.key in known.keys]
    before = exact[:1] or (mentioned if len(mentioned) == 1 else [])
    if row is None and before:
        referent = before[0].id
        connection.execute("UPDATE referents SET kind = 'person' WHERE id = ?", (referent,))
        _rename(connection, referent, mention.name)
    elif row is None:
        connection.execute("INSERT INTO referents (kind, name) VALUES ('person', ?)", (mention.name,))
        referent = connection.last_insert_rowid()
        insert_views(connection, "referent", [(referent, mention.name)])
    else:
        referent = int(row[0])
        for known in before:
            _merge(connection, known.id, referent)
    _remember(connection, referent, mention, conversation_id, position)
    return referent


def learn_names(connection: apsw.Connection, conversation_id: int, span_id: int, words: Iterable[str]) -> None:
    """Keep the words that a span shows to be names."""
    connection.executemany(
        "INSERT OR IGNORE INTO name_words (conversation_id, word, span_id) VALUES (?, ?, ?)",
        ((conversation_id, word, span_id) for word in sorted(words)),
    )


def known_names(connection: apsw.Connection, conversation_id: int) -> set[str]:
    """The words that a conversation has shown to be names so far, as they are written."""
    return {str(row[0]) for row in connection.execute("SELECT word FROM name_words WHERE conversation_id = ?", (conversation_id,))}


def _remember(connection: apsw.Connection, referent: int, mention: Mention, conversation_id: int, position: int) -> None:
    """Keep a mention's keys, so that the next one finds the referent."""
    keys = {mention.key: 0} | {key: 1 for key in mention.short if key != mention.key}
    handle = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM handles").get
    rows = [(conversation_id, key, referent, short, position, handle) for key, short in keys.items()]
    if mention.shared:
        rows.append((EVERYWHERE, mention.key, referent, 0, 0, 0))
    connection.executemany(
        "INSERT INTO referent_keys (conversation_id, key, referent_id, short, last_position, last_handle) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET last_position = excluded.last_position, last_handle = excluded.last_handle",
        rows,
    )
    if mention.qualifier is not None:
        connection.execute("INSERT OR IGNORE INTO referent_qualifiers VALUES (?, ?)", (referent, mention.qualifier))


def _rename(connection: apsw.Connection, referent: int, name: str) -> None:
    delete_views(connection, "referent", [referent])
    connection.execute("UPDATE referents SET name = ? WHERE id = ?", (name, referent))
    insert_views(connection, "referent", [(referent, name)])


def _merge(connection: apsw.Connection, old: int, new: int) -> None:
    """Let `new` take over everything of `old`, which goes."""
    for table, column in (("handles", "referent_id"), ("claims", "subject_id"), ("claims", "speaker_id")):
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, old))
    for table in ("referent_keys", "referent_qualifiers"):
        connection.execute(f"UPDATE OR IGNORE {table} SET referent_id = ? WHERE referent_id = ?", (new, old))
    delete_views(connection, "referent", [old])
    connection.execute("DELETE FROM referents WHERE id = ?", (old,))
