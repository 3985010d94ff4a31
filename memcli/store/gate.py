"""What the gate reads and writes: existing claims with what is compared, merges into one of them, edges between them."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import apsw

from memcli.atoms import ClaimKind, DraftClaim, Modality, Polarity, RelationKind
from memcli.store.claims import insert_keyword
from memcli.store.search import delete_views, insert_views

VECTOR_SUPPORTS = 8
"""Supports up to which a merged claim's vector follows them; the mean of more hardly moves, and what is said daily stays cheap."""


_MAX_STEMS = 5

MAX_FOUND = 10
"""Claims that a search by words adds to a claim's candidates."""


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """A claim as the file holds it, with what the gate compares."""

    id: int
    text: str
    subject: str | None
    speaker: str
    kind: ClaimKind
    modality: Modality
    polarity: Polarity
    said_at: float | None
    start: str | None
    end: str | None
    handles: tuple[str, ...]
    extent: int
    """Characters of its anchor span."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did to a claim."""

    supports: tuple[int, ...]
    """All its supporting spans now, in order of position."""
    grew: bool
    """Whether any of them is new to it."""
    stale_vector: bool
    """Whether its vector must be computed again, as the mean of its supports'."""


def load_existing(connection: apsw.Connection, claim_ids: Sequence[int]) -> list[StoredClaim]:
    """These claims, in the order asked for, those that are active; two statements however many they are.

    Each is in the words that the rules wrote, with the handles that they found: whatever a language model has made of a claim, the same
    thing said again is the same claim.
    """
    wanted = json.dumps(list(claim_ids))
    handles: defaultdict[int, list[str]] = defaultdict(list)
    for claim_id, text in connection.execute(
        "SELECT ch.claim_id, h.text FROM json_each(?) w JOIN claim_handles ch ON ch.claim_id = w.value"
        " JOIN handles h ON h.id = ch.handle_id AND h.id NOT IN (SELECT handle_id FROM model_handles)",
        (wanted,),
    ):
        handles[cast(int, claim_id)].append(cast(str, text))
    rows = connection.execute(
        "SELECT c.id, coalesce((SELECT rule_text FROM reworded_claims WHERE claim_id = c.id), c.text), subject.name, speaker.name, c.kind,"
        " c.modality, c.polarity, c.said_at, c.start_time, c.end_time, s.end_offset - s.start_offset"
        " FROM json_each(?) w JOIN claims c ON c.id = w.value AND c.status = 'active'"
        " JOIN spans s ON s.id = c.anchor_span_id JOIN referents speaker ON speaker.id = c.speaker_id"
        " LEFT JOIN referents subject ON subject.id = c.subject_id ORDER BY w.key",
        (wanted,),
    ).fetchall()
    return [_stored(row, tuple(handles[cast(int, row[0])])) for row in rows]


def _stored(row: tuple[Any, ...], handles: tuple[str, ...]) -> StoredClaim:
    claim_id, text, subject, speaker, kind, modality, polarity, said_at, start, end, extent = row
    return StoredClaim(claim_id, text, subject, speaker, kind, modality, polarity, said_at, start, end, handles, extent)


def claims_with(connection: apsw.Connection, speaker: str, stems: Iterable[str], limit: int = MAX_FOUND) -> list[int]:
    """The latest active claims of a speaker about themselves that hold at least two of these stems (one, if one is given).

    Args:
        connection: the memory.
        speaker: by name, in any case.
        stems: tokens of the index (`tokenize`); the first few count.
        limit: how many claims at most, the latest first.
    """
    quoted = ['"' + stem.replace('"', '""') + '"' for stem in sorted(stems)[:_MAX_STEMS]]
    if not quoted:
        return []
    pairs = [f"({a} AND {b})" for a, b in itertools.combinations(quoted, 2)] or quoted
    rows = connection.execute(
        "SELECT c.id FROM claim_views v JOIN claims c ON c.id = v.rowid WHERE v.claim_views MATCH ? AND c.status = 'active'"
        " AND c.subject_id = c.speaker_id AND c.speaker_id = (SELECT id FROM referents WHERE name = ? COLLATE NOCASE ORDER BY id LIMIT 1)"
        " ORDER BY v.rowid DESC LIMIT ?",
        (" OR ".join(pairs), speaker, limit),
    ).fetchall()
    return [cast(int, row[0]) for row in rows]


def apply_merge(
    connection: apsw.Connection,
    claim_id: int,
    draft: DraftClaim,
    *,
    supports: Sequence[int],
    replaces: bool,
    page: int,
    said_at: float | None,
    time_cue: int | None,
) -> Merged:
    """Merge a new claim into a stored one that says the same.

    The stored claim gains the supports, their handles, and the keywords. If the new one was said first, it also gives the
    claim its words, kind, time, page and anchor, but for a claim that compression made of several: its words are theirs.

    Args:
        connection: within a transaction.
        claim_id: the stored claim.
        draft: the new one.
        supports: its span ids, the anchor first.
        replaces: whether the new one gives the claim its words.
        page: the page the new one was written at.
        said_at: when it was said, seconds.
        time_cue: the id of the cue its time comes from.
    """
    known = _supports(connection, claim_id)
    fresh = [span for span in dict.fromkeys(supports) if span not in known]
    rows = connection.execute("SELECT max(position) FROM claim_supports WHERE claim_id = ?", (claim_id,)).fetchall()
    position = cast(int, rows[0][0])
    for offset, span in enumerate(fresh, 1):
        connection.execute("INSERT INTO claim_supports (claim_id, span_id, position) VALUES (?, ?, ?)", (claim_id, span, position + offset))
        connection.execute(
            "INSERT OR IGNORE INTO claim_handles (claim_id, handle_id) SELECT ?, id FROM handles WHERE span_id = ?", (claim_id, span)
        )
    for keyword in draft.keywords:
        insert_keyword(connection, keyword, claim_id)
    merged = connection.execute("SELECT origin = 'merge' FROM claims WHERE id = ?", (claim_id,)).get
    if replaces and not merged:
        _replace_words(connection, claim_id, draft, page=page, said_at=said_at, time_cue=time_cue, anchor=supports[0])
    everything = (*known, *fresh)
    return Merged(everything, bool(fresh), bool(fresh) and len(everything) <= VECTOR_SUPPORTS)


def _supports(connection: apsw.Connection, claim_id: int) -> tuple[int, ...]:
    rows = connection.execute("SELECT span_id FROM claim_supports WHERE claim_id = ? ORDER BY position", (claim_id,)).fetchall()
    return tuple(cast(int, row[0]) for row in rows)


def _replace_words(
    connection: apsw.Connection, claim_id: int, draft: DraftClaim, *, page: int, said_at: float | None, time_cue: int | None, anchor: int
) -> None:
    time = draft.time
    connection.execute(
        "UPDATE claims SET text = ?, kind = ?, page_id = ?, said_at = ?, start_time = ?, end_time = ?, granularity = ?, time_cue_id = ?,"
        " anchor_span_id = ?, origin = 'rule', model_id = NULL WHERE id = ?",
        (
            draft.text,
            draft.kind,
            page,
            said_at,
            time.start if time else None,
            time.end if time else None,
            time.granularity if time else None,
            time_cue,
            anchor,
            claim_id,
        ),
    )
    delete_views(connection, "claim", [claim_id])
    insert_views(connection, "claim", [(claim_id, draft.text)])


def insert_edges(connection: apsw.Connection, edges: Iterable[tuple[int, int, RelationKind, float]]) -> int:
    """Store (source id, target id, relation, strength in [0, 1]); of an edge that is there already the greater strength stays.

    Returns:
        how many were not there before.
    """
    before = connection.total_changes()
    updated = 0
    for edge in edges:
        there = connection.execute("SELECT 1 FROM edges WHERE source_id = ? AND target_id = ? AND relation = ?", edge[:3]).fetchone()
        updated += there is not None
        connection.execute(
            "INSERT INTO edges (source_id, target_id, relation, strength) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (source_id, target_id, relation) DO UPDATE SET strength = max(strength, excluded.strength)",
            edge,
        )
    return connection.total_changes() - before - updated
