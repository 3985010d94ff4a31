"""Claims and what hangs on them: supports, referents, handles, time cues, pivots, keywords, edges."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from memcli.atoms import DraftClaim, Pivot, TimeCue
from memcli.store.search import insert_views


def referent_id(connection: apsw.Connection, name: str, kind: str) -> int:
    """The referent of that name, made and indexed if it is new. Names that differ only in case are one."""
    row = connection.execute(
        "SELECT id FROM referents WHERE name = ? COLLATE NOCASE ORDER BY kind <> 'person', id LIMIT 1", (name,)
    ).fetchone()
    if row:
        return int(row[0])
    connection.execute("INSERT INTO referents (kind, name) VALUES (?, ?)", (kind, name))
    new = connection.last_insert_rowid()
    insert_views(connection, "referent", [(new, name)])
    return new


def insert_time_cue(connection: apsw.Connection, span_id: int, cue: TimeCue) -> int:
    """Store a time cue; `cue.offset` counts from the message's start. Returns its id."""
    connection.execute(
        "INSERT INTO time_cues (span_id, start_offset, text, start_time, end_time, granularity, anchor, duration_days)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (span_id, cue.offset, cue.expression, cue.start, cue.end, cue.granularity, cue.anchor, cue.duration_days),
    )
    return connection.last_insert_rowid()


def insert_pivot(connection: apsw.Connection, span_id: int, pivot: Pivot) -> int:
    """Store a pivot; returns its id."""
    connection.execute(
        "INSERT INTO pivots (span_id, start_offset, text, kind) VALUES (?, ?, ?, ?)", (span_id, pivot.offset, pivot.text, pivot.kind)
    )
    return connection.last_insert_rowid()


def insert_claim(
    connection: apsw.Connection,
    claim: DraftClaim,
    *,
    page: int,
    said_at: float | None,
    supports: Sequence[int],
    time_cue: int | None,
) -> int:
    """Store a claim with its supports, the handles and keywords of them, and its view.

    Args:
        connection: within a transaction.
        claim: what to store; its `supports` have been resolved to `supports`.
        page: the page it was written at.
        said_at: seconds, for order.
        supports: span ids, the anchor first.
        time_cue: the id of the cue its time comes from.
    """
    subject = referent_id(connection, claim.subject, "person") if claim.subject else None
    speaker = referent_id(connection, claim.speaker, "person")
    time = claim.time
    connection.execute(
        "INSERT INTO claims (page_id, text, kind, modality, polarity, subject_id, speaker_id, said_at, start_time, end_time, granularity,"
        " time_cue_id, anchor_span_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            page,
            claim.text,
            claim.kind,
            claim.modality,
            claim.polarity,
            subject,
            speaker,
            said_at,
            time.start if time else None,
            time.end if time else None,
            time.granularity if time else None,
            time_cue,
            supports[0],
        ),
    )
    claim_id = connection.last_insert_rowid()
    for position, span in enumerate(supports):
        connection.execute("INSERT INTO claim_supports (claim_id, span_id, position) VALUES (?, ?, ?)", (claim_id, span, position))
        connection.execute("INSERT INTO claim_handles (claim_id, handle_id) SELECT ?, id FROM handles WHERE span_id = ?", (claim_id, span))
    for keyword in claim.keywords:
        insert_keyword(connection, keyword, claim_id)
    insert_views(connection, "claim", [(claim_id, claim.text)])
    return claim_id


def insert_keyword(connection: apsw.Connection, text: str, claim_id: int) -> None:
    """Give a claim a keyword, made and indexed if it is new."""
    row = connection.execute("SELECT id FROM keywords WHERE text = ?", (text,)).fetchone()
    if row:
        keyword = int(row[0])
    else:
        connection.execute("INSERT INTO keywords (text, anchor_claim_id) VALUES (?, ?)", (text, claim_id))
        keyword = connection.last_insert_rowid()
        insert_views(connection, "keyword", [(keyword, text)])
    connection.execute("INSERT OR IGNORE INTO claim_keywords (keyword_id, claim_id) VALUES (?, ?)", (keyword, claim_id))
