"""The pages of a memory as a language model reads them: their sentences, the claims written of them, and what it adds to them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import cast

import apsw

from memcli.atoms import Mention, Pivot, Role, SpanKind
from memcli.store.claims import insert_pivot
from memcli.store.referents import Resolve, insert_mention
from memcli.store.search import delete_views, insert_views


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A span that a claim of the page rests on."""

    id: int
    message_id: int
    page_id: int
    position: int
    """Of its message in the conversation."""
    start: int
    text: str
    kind: SpanKind
    speaker: str
    """As the transcript names them."""
    role: Role
    timestamp: str | None


@dataclass(frozen=True, slots=True)
class PageClaim:
    """A claim written at the page."""

    id: int
    text: str
    rule_text: str | None
    """The words that the rules wrote, where a language model's stand in their place."""
    supports: tuple[int, ...]
    """Its spans, the anchor first."""


_ClaimRow = tuple[int, str, str | None]
_SpanRow = tuple[int, int, int, int, int, str, SpanKind, str, Role, str | None]


def page_digest(connection: apsw.Connection, page: int, form: bytes) -> bytes:
    """The digest by which a page, as it is now, will have been read; see `unread_pages`."""
    digest = hashlib.blake2b(form, digest_size=16)
    for (message,) in connection.execute("SELECT digest FROM messages WHERE page_id = ? ORDER BY position", (page,)):
        digest.update(cast(bytes, message))
    return digest.digest()


def unread_pages(connection: apsw.Connection, stage: str, form: bytes) -> list[tuple[int, bytes]]:
    """The pages that have not been read at a stage as they are now, in order, each with the digest by which it will have been.

    Args:
        connection: the memory.
        stage: the use that a model is put to.
        form: names the model and how it is asked.
    """
    digests: dict[int, hashlib.blake2b] = {}
    for page, digest in connection.execute("SELECT page_id, digest FROM messages ORDER BY page_id, position"):
        if page not in digests:
            digests[page] = hashlib.blake2b(form, digest_size=16)
        digests[page].update(cast(bytes, digest))
    read = {
        page: bytes(digest) for page, digest in connection.execute("SELECT page_id, digest FROM page_readings WHERE stage = ?", (stage,))
    }
    return [(page, digest.digest()) for page, digest in digests.items() if read.get(page) != digest.digest()]


def page_conversation(connection: apsw.Connection, page: int) -> int:
    """The conversation of a page."""
    return int(connection.execute("SELECT conversation_id FROM pages WHERE id = ?", (page,)).get)


def page_claims(connection: apsw.Connection, page: int) -> list[PageClaim]:
    """The active claims written at a page, in order, those left out that compression merged."""
    supports: defaultdict[int, list[int]] = defaultdict(list)
    for claim, span in connection.execute(
        "SELECT cs.claim_id, cs.span_id FROM claims c JOIN claim_supports cs ON cs.claim_id = c.id"
        " WHERE c.page_id = ? AND c.status = 'active' ORDER BY cs.claim_id, cs.position",
        (page,),
    ):
        supports[cast(int, claim)].append(cast(int, span))
    rows = connection.execute(
        "SELECT c.id, c.text, w.rule_text FROM claims c LEFT JOIN reworded_claims w ON w.claim_id = c.id"
        " WHERE c.page_id = ? AND c.status = 'active' AND c.origin <> 'merge' ORDER BY c.id",
        (page,),
    ).fetchall()
    return [PageClaim(*cast(_ClaimRow, row), tuple(supports[cast(int, row[0])])) for row in rows]


def page_spans(connection: apsw.Connection, page: int) -> list[PageSpan]:
    """The spans of sentences and quotations that the active claims of a page rest on, in the order of the transcript."""
    rows = connection.execute(
        "SELECT DISTINCT s.id, m.id, m.page_id, m.position, s.start_offset,"
        " substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset), s.kind, m.speaker, m.role, m.timestamp"
        " FROM claims c JOIN claim_supports cs ON cs.claim_id = c.id JOIN spans s ON s.id = cs.span_id"
        " JOIN messages m ON m.id = s.message_id JOIN message_texts t ON t.id = m.id"
        " WHERE c.page_id = ? AND c.status = 'active' AND c.origin <> 'merge' AND s.kind IN ('sentence', 'quote')"
        " AND m.conversation_id = (SELECT conversation_id FROM pages WHERE id = c.page_id) ORDER BY m.position, s.start_offset",
        (page,),
    ).fetchall()
    return [PageSpan(*cast(_SpanRow, row)) for row in rows]


def reword_claim(connection: apsw.Connection, claim: int, text: str, model_id: int) -> None:
    """Give a claim a language model's words, within the caller's transaction; those of the rules are kept beside them."""
    connection.execute(
        "INSERT OR IGNORE INTO reworded_claims (claim_id, rule_text) SELECT id, text FROM claims WHERE id = ? AND origin = 'rule'", (claim,)
    )
    connection.execute("UPDATE claims SET text = ?, origin = 'llm', model_id = ? WHERE id = ?", (text, model_id, claim))
    delete_views(connection, "claim", [claim])
    insert_views(connection, "claim", [(claim, text)])


def add_thing(
    connection: apsw.Connection, span: PageSpan, mention: Mention, resolve: Resolve, *, conversation_id: int, model_id: int
) -> bool:
    """Store a thing that a model found in a span, and the claims it helps to find; within the caller's transaction.

    Returns:
        False if a handle lies there already.
    """
    start, end = mention.handle.offset, mention.handle.offset + len(mention.handle.text)
    there = "SELECT 1 FROM handles WHERE span_id = ? AND start_offset < ? AND start_offset + length(text) > ?"
    if connection.execute(there, (span.id, end, start)).fetchone():
        return False
    handle = insert_mention(connection, span.id, mention, resolve, conversation_id=conversation_id, position=span.position)
    connection.execute("INSERT INTO model_handles (handle_id, model_id) VALUES (?, ?)", (handle, model_id))
    connection.execute(
        "INSERT OR IGNORE INTO claim_handles (claim_id, handle_id) SELECT claim_id, ? FROM claim_supports WHERE span_id = ?",
        (handle, span.id),
    )
    return True


def add_event(connection: apsw.Connection, span_id: int, pivot: Pivot, model_id: int) -> bool:
    """Store an event that a model found in a span, within the caller's transaction; False if the span has one already."""
    if connection.execute("SELECT 1 FROM pivots WHERE span_id = ?", (span_id,)).fetchone():
        return False
    added = insert_pivot(connection, span_id, pivot)
    connection.execute("INSERT INTO model_pivots (pivot_id, model_id) VALUES (?, ?)", (added, model_id))
    insert_views(connection, "pivot", [(added, pivot.text)])
    return True
