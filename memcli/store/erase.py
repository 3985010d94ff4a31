"""Erasing marked messages (`memcli.store.forget.mark`) and what hangs on them; all within one transaction of the caller's.

Deleting a row frees its place but need not overwrite it, and an index keeps a deleted entry until it is written anew: vectors are
overwritten with zeros before they are deleted, indexes are merged into one piece, and `scrub` writes the whole file anew at the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.atoms import DraftClaim
from memcli.store import tidy, vectors
from memcli.store.claims import insert_keyword, referent_id
from memcli.store.connection import transaction
from memcli.store.search import View, delete_views, insert_views, tokenize

_VIEWS: tuple[View, ...] = ("span", "claim", "referent", "time_cue", "pivot", "keyword")
_CUES: dict[View, str] = {"time_cue": "time_cues", "pivot": "pivots"}
_PENDING = "forgetting_unfinished"
"""The setting that is there from the moment of forgetting until the file is scrubbed."""

_IN_SPANS = "span_id IN (SELECT span_id FROM temp.forgotten_spans)"


def touched_referents(connection: apsw.Connection, claims: Iterable[int], names: Iterable[str]) -> list[int]:
    """The referents that lose a mention: those of marked spans, those of these claims, and those who are called so; ascending."""
    rows = connection.execute(
        "SELECT h.referent_id FROM temp.forgotten_spans f CROSS JOIN handles h ON h.span_id = f.span_id"
        " UNION SELECT c.subject_id FROM json_each(?1) w JOIN claims c ON c.id = w.value WHERE c.subject_id IS NOT NULL"
        " UNION SELECT c.speaker_id FROM json_each(?1) w JOIN claims c ON c.id = w.value"
        " UNION SELECT r.id FROM json_each(?2) w JOIN referents r ON r.name = w.value COLLATE NOCASE ORDER BY 1",
        (json.dumps(sorted(claims)), json.dumps(sorted(names))),
    )
    return [cast(int, row[0]) for row in rows]


def said_by(connection: apsw.Connection, *, marked: bool) -> set[tuple[str, str]]:
    """(speaker, role) of the marked messages, or of those that are there."""
    table = "temp.forgotten f JOIN messages m ON m.id = f.message_id" if marked else "messages m"
    return {(str(row[0]), str(row[1])) for row in connection.execute(f"SELECT DISTINCT m.speaker, m.role FROM {table}")}


def erase_vectors(connection: apsw.Connection, family: vectors.Family, ids: Collection[int]) -> None:
    """Overwrite the vectors of these atoms, and delete them."""
    if not ids or not vectors.has_vector_tables(connection):
        return
    row = connection.execute(f"SELECT embedding FROM {family}_vectors LIMIT 1").fetchone()
    if row is None:
        return
    nothing = bytes(len(cast(bytes, row[0])))
    connection.executemany(f"UPDATE {family}_vectors SET embedding = ? WHERE {family}_id = ?", ((nothing, atom) for atom in ids))
    vectors.delete_vectors(connection, family, list(ids))


def replace_vector(connection: apsw.Connection, claim: int, vector: NDArray[np.float32]) -> None:
    """Write a claim's vector over the one it has."""
    connection.execute("UPDATE claim_vectors SET embedding = ? WHERE claim_id = ?", (vector.astype(np.float32).tobytes(), claim))


def erase_claims(connection: apsw.Connection, claims: Sequence[int]) -> None:
    """Delete these claims with their entries in the indexes; keywords that are theirs alone stay until `erase_orphans`."""
    delete_views(connection, "claim", claims)
    erase_vectors(connection, "claim", claims)
    connection.executemany("DELETE FROM claims WHERE id = ?", ((claim,) for claim in claims))


def rewrite_claim(
    connection: apsw.Connection,
    claim: int,
    draft: DraftClaim,
    *,
    supports: Sequence[int],
    keywords: Sequence[str],
    page: int,
    said_at: float | None,
) -> None:
    """Say a claim in other words, which its supports give; the marked spans are no supports of it any more.

    Args:
        connection: within a transaction.
        claim: the claim.
        draft: what it says from now on.
        supports: the spans of `draft`, its anchor first; others that the claim has, and that are not marked, stay.
        keywords: all that the claim is to have.
        page: the page of its anchor.
        said_at: when the anchor was said, seconds since 1970.
    """
    before, subject, name = connection.execute(
        "SELECT c.text, c.subject_id, r.name FROM claims c LEFT JOIN referents r ON r.id = c.subject_id WHERE c.id = ?", (claim,)
    ).get
    about = set(tokenize(draft.subject)) if draft.subject else set()
    connection.execute(f"DELETE FROM claim_supports WHERE claim_id = ? AND {_IN_SPANS}", (claim,))
    last = connection.execute("SELECT coalesce(max(position), -1) FROM claim_supports WHERE claim_id = ?", (claim,)).get
    connection.executemany(
        "INSERT OR IGNORE INTO claim_supports (claim_id, span_id, position) VALUES (?, ?, ?)",
        ((claim, span, int(last) + place) for place, span in enumerate(supports, 1)),
    )
    connection.execute(
        f"DELETE FROM claim_handles WHERE claim_id = ? AND handle_id IN (SELECT id FROM handles WHERE {_IN_SPANS})", (claim,)
    )
    # Who it is about may be known by a longer name, which is the same.
    same = about.issubset(tokenize(name)) and bool(about) if name is not None else not about
    if not same:
        subject = referent_id(connection, draft.subject, "person") if draft.subject else None
    if draft.text != before or not same:
        # What joined it to other claims was read out of words that are to be forgotten.
        connection.execute("DELETE FROM edges WHERE source_id = ?1 OR target_id = ?1", (claim,))
        delete_views(connection, "claim", [claim])
        insert_views(connection, "claim", [(claim, draft.text)])
    time = draft.time
    connection.execute(
        "UPDATE claims SET text = ?, kind = ?, modality = ?, polarity = ?, subject_id = ?, page_id = ?, said_at = ?, start_time = ?,"
        " end_time = ?, granularity = ?, time_cue_id = (SELECT id FROM time_cues WHERE span_id IN (SELECT value FROM json_each(?))"
        " AND start_offset = ? AND text = ?), origin = 'rule', model_id = NULL, anchor_span_id = ? WHERE id = ?",
        (
            draft.text,
            draft.kind,
            draft.modality,
            draft.polarity,
            subject,
            page,
            said_at,
            time.start if time else None,
            time.end if time else None,
            time.granularity if time else None,
            json.dumps(list(supports)),
            time.offset if time else None,
            time.expression if time else None,
            supports[0],
            claim,
        ),
    )
    connection.execute(
        "DELETE FROM claim_keywords WHERE claim_id = ?"
        " AND keyword_id NOT IN (SELECT k.id FROM json_each(?) w JOIN keywords k ON k.text = w.value)",
        (claim, json.dumps(list(keywords))),
    )
    for keyword in keywords:
        insert_keyword(connection, keyword, claim)


def erase_messages(connection: apsw.Connection) -> None:
    """Delete the marked messages with spans, cues, index entries and vectors, and put their digests, no words, into `tombstones`.

    No claim rests on them any more.
    """
    spans = _column(connection, "SELECT span_id FROM temp.forgotten_spans")
    messages = _column(connection, "SELECT message_id FROM temp.forgotten")
    for view, table in _CUES.items():
        delete_views(connection, view, _column(connection, f"SELECT id FROM {table} WHERE {_IN_SPANS}"))
    delete_views(connection, "span", spans)
    erase_vectors(connection, "span", spans)
    _erase_contexts(connection, messages)
    connection.execute(
        "INSERT OR REPLACE INTO tombstones (digest, forgotten_at)"
        " SELECT m.digest, ? FROM temp.forgotten f JOIN messages m ON m.id = f.message_id",
        (time.time(),),
    )
    ingests = _column(
        connection, "SELECT DISTINCT ingest_id FROM messages WHERE ingest_id IS NOT NULL AND id IN (SELECT message_id FROM temp.forgotten)"
    )
    _keep_names(connection)
    connection.execute("DELETE FROM messages WHERE id IN (SELECT message_id FROM temp.forgotten)")
    connection.executemany(
        "DELETE FROM ingests WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM messages WHERE ingest_id = ?1)", ((one,) for one in ingests)
    )


def _erase_contexts(connection: apsw.Connection, messages: Sequence[int]) -> None:
    """Overwrite the vectors in context of the marked messages, and of those that were embedded together with them."""
    beside = _column(
        connection,
        "SELECT message_id FROM message_contexts WHERE block_id IN"
        " (SELECT c.block_id FROM temp.forgotten f JOIN message_contexts c ON c.message_id = f.message_id)",
    )
    erase_vectors(connection, "message", sorted({*messages, *beside}))


def _keep_names(connection: apsw.Connection) -> None:
    """Let words that a marked span was the first to show to be names rest on the next span that has them in a mention."""
    lost = connection.execute(f"SELECT conversation_id, word FROM name_words WHERE {_IN_SPANS}").fetchall()
    wanted: dict[int, set[str]] = {}
    for conversation, word in lost:
        wanted.setdefault(cast(int, conversation), set()).add(str(word))
    for conversation, words in wanted.items():
        mentions = connection.execute(
            "SELECT h.span_id, h.text FROM messages m JOIN spans s ON s.message_id = m.id JOIN handles h ON h.span_id = s.id"
            " WHERE m.conversation_id = ? AND m.id NOT IN (SELECT message_id FROM temp.forgotten) ORDER BY m.position, h.start_offset",
            (conversation,),
        ).fetchall()
        for span, text in mentions:
            for word in words.intersection(str(text).split()):
                connection.execute(
                    "UPDATE name_words SET span_id = ? WHERE conversation_id = ? AND word = ?", (cast(int, span), conversation, word)
                )
                words.remove(word)


def erase_orphans(connection: apsw.Connection) -> None:
    """Delete what holds nothing any more: keywords without a claim; pages, sessions and conversations without a message."""
    connection.execute(
        "UPDATE keywords SET anchor_claim_id = (SELECT min(claim_id) FROM claim_keywords ck WHERE ck.keyword_id = keywords.id)"
        " WHERE NOT EXISTS (SELECT 1 FROM claim_keywords ck WHERE ck.keyword_id = keywords.id AND ck.claim_id = anchor_claim_id)"
        " AND EXISTS (SELECT 1 FROM claim_keywords ck WHERE ck.keyword_id = keywords.id)"
    )
    gone = _column(connection, "SELECT id FROM keywords k WHERE NOT EXISTS (SELECT 1 FROM claim_keywords ck WHERE ck.keyword_id = k.id)")
    delete_views(connection, "keyword", gone)
    connection.executemany("DELETE FROM keywords WHERE id = ?", ((keyword,) for keyword in gone))
    connection.execute("DELETE FROM pages WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.page_id = pages.id)")
    connection.execute("DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)")
    connection.execute("DELETE FROM conversations WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = conversations.id)")
    connection.execute("DELETE FROM referent_keys WHERE conversation_id <> 0 AND conversation_id NOT IN (SELECT id FROM conversations)")


def erase_empty_topics(connection: apsw.Connection) -> None:
    """Delete the topics that have lost their last keyword, and with it what a refresh finds them by."""
    connection.execute("DELETE FROM topics WHERE NOT EXISTS (SELECT 1 FROM topic_keywords tk WHERE tk.topic_id = topics.id)")


def settle_referents(connection: apsw.Connection, referents: Iterable[int], people: Collection[str], fold: Callable[[str], str]) -> None:
    """Let referents be known only by what is still said of them, and drop those of whom nothing is.

    Args:
        connection: within a transaction; the marked messages are gone.
        referents: those that have lost a mention.
        people: everybody who speaks, as claims call them.
        fold: brings a mention into its canonical form.
    """
    speaking = {name.casefold(): name for name in people}
    spoken = {word for name in people for word in tokenize(name)}
    for referent in referents:
        row = connection.execute("SELECT kind, name FROM referents WHERE id = ?", (referent,)).fetchone()
        if row is None:
            continue
        name = str(row[1])
        mentions = [str(r[0]) for r in connection.execute("SELECT DISTINCT text FROM handles WHERE referent_id = ?", (referent,))]
        used = connection.execute("SELECT 1 FROM claims WHERE subject_id = ?1 OR speaker_id = ?1", (referent,)).fetchone()
        is_speaker = row[0] == "person" and name.casefold() in speaking
        if not mentions and not used and not is_speaker:
            delete_views(connection, "referent", [referent])
            connection.execute("DELETE FROM referents WHERE id = ?", (referent,))
            continue
        known = {word for text in mentions for word in tokenize(text)} | spoken
        if not is_speaker and not known.issuperset(tokenize(name)):
            _rename(connection, referent, max(mentions, key=lambda text: (len(text), text), default=None), fold)
        _settle_keys(connection, referent, known)


def _rename(connection: apsw.Connection, referent: int, mention: str | None, fold: Callable[[str], str]) -> None:
    """Call a referent by a mention that is left; by who spoke if there is none; without either no claim is about it."""
    if mention is None:
        row = connection.execute(
            "SELECT m.speaker FROM claims c JOIN spans s ON s.id = c.anchor_span_id JOIN messages m ON m.id = s.message_id"
            " WHERE c.speaker_id = ? ORDER BY c.id LIMIT 1",
            (referent,),
        ).fetchone()
        if row is None:
            connection.execute("UPDATE claims SET subject_id = NULL WHERE subject_id = ?", (referent,))
            delete_views(connection, "referent", [referent])
            connection.execute("DELETE FROM referents WHERE id = ?", (referent,))
            return
        mention = str(row[0])
    folded = fold(mention)
    place = mention.casefold().find(folded)
    name = mention[place : place + len(folded)] if place >= 0 else mention
    delete_views(connection, "referent", [referent])
    connection.execute("UPDATE referents SET name = ? WHERE id = ?", (name, referent))
    insert_views(connection, "referent", [(referent, name)])


def _settle_keys(connection: apsw.Connection, referent: int, known: set[str]) -> None:
    """Drop the keys and qualifiers of a referent in which there is a word that nothing said of it has any more."""
    for (key,) in connection.execute("SELECT DISTINCT key FROM referent_keys WHERE referent_id = ?", (referent,)).fetchall():
        if not known.issuperset(tokenize(str(key))):
            connection.execute("DELETE FROM referent_keys WHERE referent_id = ? AND key = ?", (referent, key))
    qualifiers = connection.execute("SELECT qualifier FROM referent_qualifiers WHERE referent_id = ?", (referent,)).fetchall()
    if not qualifiers:
        return
    around = set(known)
    for (text,) in connection.execute(
        "SELECT substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset) FROM handles h JOIN spans s ON s.id = h.span_id"
        " JOIN message_texts t ON t.id = s.message_id WHERE h.referent_id = ?",
        (referent,),
    ):
        around.update(tokenize(str(text)))
    for (qualifier,) in qualifiers:
        if not around.issuperset(tokenize(str(qualifier))):
            connection.execute("DELETE FROM referent_qualifiers WHERE referent_id = ? AND qualifier = ?", (referent, qualifier))


def erase_traces(connection: apsw.Connection) -> None:
    """Take words out of where no row tells whose they are: cached answers of models, samples of the query planner, the word indexes.

    Also notes that the file is to be scrubbed.
    """
    connection.execute("DELETE FROM completions")
    for table in ("sqlite_stat1", "sqlite_stat4"):
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone():
            connection.execute(f"DELETE FROM {table}")
    for view in _VIEWS:
        connection.execute(f"INSERT INTO {view}_views ({view}_views) VALUES ('optimize')")
    connection.execute("INSERT OR REPLACE INTO settings (key, value) VALUES (?, '1')", (_PENDING,))


def is_unscrubbed(connection: apsw.Connection) -> bool:
    """Whether something was forgotten and the file was not scrubbed to the end."""
    return connection.execute("SELECT 1 FROM settings WHERE key = ?", (_PENDING,)).fetchone() is not None


def overwrite_deleted(connection: apsw.Connection) -> None:
    """Have this connection overwrite with zeros whatever it deletes from now on."""
    connection.execute("PRAGMA secure_delete = ON").fetchall()


def scrub(connection: apsw.Connection) -> bool:
    """Write the whole file anew, without its free pages, and empty its log; outside a transaction.

    Returns:
        whether it could be done; not while another connection uses the file.
    """
    if not (tidy.tidy(connection) and _empty_log(connection)):
        return False
    with transaction(connection):
        connection.execute("DELETE FROM settings WHERE key = ?", (_PENDING,))
    _empty_log(connection)
    return True


def _empty_log(connection: apsw.Connection) -> bool:
    return connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0] == 0


def _column(connection: apsw.Connection, sql: str) -> list[int]:
    return [cast(int, row[0]) for row in connection.execute(sql)]
