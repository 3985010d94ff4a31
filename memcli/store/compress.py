"""What compression reads and writes of claims: the candidates, merged claims with their lineage, event trees, runs."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import apsw


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """An active claim as compression sees it. `place` counts the active claims of its conversation in the order of time."""

    id: int
    conversation: int
    place: int
    text: str
    kind: str
    modality: str
    polarity: str
    subject: int | None
    speaker_id: int
    speaker: str
    said_at: float | None
    cue: str | None
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run that stands, or has been undone."""

    id: int
    ratio: float
    undone: bool
    settings: Mapping[str, Any]


def load_claims(connection: apsw.Connection) -> list[ClaimRow]:
    """Every active claim, by conversation and then in the order of time (the place of its first span)."""
    names: defaultdict[int, set[str]] = defaultdict(set)
    for claim, text in connection.execute(
        "SELECT ch.claim_id, h.text FROM claim_handles ch JOIN handles h ON h.id = ch.handle_id"
        " JOIN claims c ON c.id = ch.claim_id WHERE c.status = 'active'"
    ):
        names[cast(int, claim)].add(cast(str, text))
    rows = connection.execute(
        "SELECT c.id, m.conversation_id, row_number() OVER (PARTITION BY m.conversation_id ORDER BY m.position, s.start_offset, c.id),"
        " c.text, c.kind, c.modality, c.polarity, c.subject_id, c.speaker_id, speaker.name, c.said_at, t.text"
        " FROM claims c JOIN spans s ON s.id = c.anchor_span_id JOIN messages m ON m.id = s.message_id"
        " JOIN referents speaker ON speaker.id = c.speaker_id LEFT JOIN time_cues t ON t.id = c.time_cue_id"
        " WHERE c.status = 'active' ORDER BY 2, 3"
    )
    return [ClaimRow(*cast(Any, (*row, frozenset(names.get(cast(int, row[0]), ()))))) for row in rows]


def conflicting(connection: apsw.Connection) -> list[tuple[int, int]]:
    """Pairs of active claims that contradict each other."""
    rows = connection.execute(
        "SELECT e.source_id, e.target_id FROM edges e JOIN claims a ON a.id = e.source_id AND a.status = 'active'"
        " JOIN claims b ON b.id = e.target_id AND b.status = 'active' WHERE e.relation = 'conflicts' ORDER BY e.id"
    )
    return [(cast(int, a), cast(int, b)) for a, b in rows]


def recent_claims(connection: apsw.Connection, *, messages: int | None, since: float | None, until: float | None) -> set[int]:
    """The active claims with a support that a compression is to leave alone.

    Args:
        connection: the memory.
        messages: the last messages of each conversation that are left alone.
        since: what was said from then on, seconds since 1970, is left alone.
        until: only what was said before then is not; what has no time is.
    """
    conditions = ["FALSE"]
    if messages is not None:
        conditions.append(
            "(SELECT count(*) FROM messages l WHERE l.conversation_id = m.conversation_id AND l.position > m.position) < :messages"
        )
    if since is not None:
        conditions.append("m.said_at >= :since")
    if until is not None:
        conditions.append("m.said_at IS NULL OR m.said_at >= :until")
    rows = connection.execute(
        "SELECT DISTINCT cs.claim_id, NULL FROM claims c JOIN claim_supports cs ON cs.claim_id = c.id JOIN spans s ON s.id = cs.span_id"
        " JOIN messages m ON m.id = s.message_id WHERE c.status = 'active' AND ("
        + " OR ".join(f"({condition})" for condition in conditions)
        + ")",
        {name: value for name, value in (("messages", messages), ("since", since), ("until", until)) if value is not None},
    )
    return {cast(int, row[0]) for row in rows}


def newest_time(connection: apsw.Connection) -> float | None:
    """When the newest message was said, seconds since 1970; None if none tells."""
    return cast("float | None", connection.execute("SELECT max(said_at) FROM messages").get)


def start_run(connection: apsw.Connection, ratio: float, settings: Mapping[str, Any]) -> int:
    """Begin a run within a transaction; returns its number."""
    connection.execute(
        "INSERT INTO runs (ratio, settings, started_at) VALUES (?, ?, ?)", (ratio, json.dumps(settings, sort_keys=True), time.time())
    )
    return connection.last_insert_rowid()


def save_trees(connection: apsw.Connection, run: int, trees: Iterable[tuple[int, Sequence[tuple[int, int, float]]]]) -> None:
    """Store event trees: (centre claim, edges as (claim, parent, cosine))."""
    for centre, edges in trees:
        connection.execute("INSERT INTO event_trees (run_id, center_claim_id) VALUES (?, ?)", (run, centre))
        tree = connection.last_insert_rowid()
        connection.executemany("INSERT INTO event_tree_edges VALUES (?, ?, ?, ?)", ((tree, *edge) for edge in edges))


def people(connection: apsw.Connection) -> list[str]:
    """Everybody known to be a person, by name."""
    return [str(name) for (name,) in connection.execute("SELECT name FROM referents WHERE kind = 'person' ORDER BY id")]


def merge_claims(connection: apsw.Connection, run: int, claims: Sequence[int], representative: int, text: str) -> int:
    """Put one claim in the place of several, which are archived.

    It has the page, kind, time and anchor of `representative`, and the supports, handles and keywords of all. The archived
    ones keep theirs, and their edges.

    Args:
        connection: within a transaction.
        run: the run.
        claims: what it is made of, in the order of time.
        representative: one of them.
        text: its words.

    Returns:
        its id.
    """
    everything = json.dumps([representative, *(claim for claim in claims if claim != representative)])
    connection.execute(
        "INSERT INTO claims (page_id, text, kind, modality, polarity, subject_id, speaker_id, said_at, start_time, end_time, granularity,"
        " time_cue_id, origin, anchor_span_id) SELECT page_id, ?, kind, modality, polarity, subject_id, speaker_id, said_at, start_time,"
        " end_time, granularity, time_cue_id, 'merge', anchor_span_id FROM claims WHERE id = ?",
        (text, representative),
    )
    merged = connection.last_insert_rowid()
    connection.execute(
        "INSERT INTO claim_supports (claim_id, span_id, position) SELECT ?, span_id, row_number() OVER (ORDER BY first) - 1 FROM ("
        " SELECT cs.span_id, min(w.key * 100000 + cs.position) AS first FROM json_each(?) w JOIN claim_supports cs ON cs.claim_id = w.value"
        " GROUP BY cs.span_id)",
        (merged, everything),
    )
    for table, column in (("claim_handles", "handle_id"), ("claim_keywords", "keyword_id")):
        connection.execute(
            f"INSERT INTO {table} (claim_id, {column})"
            f" SELECT DISTINCT ?, x.{column} FROM json_each(?) w JOIN {table} x ON x.claim_id = w.value",
            (merged, everything),
        )
    connection.execute("UPDATE claims SET status = 'archived' WHERE id IN (SELECT value FROM json_each(?))", (everything,))
    connection.executemany("INSERT INTO lineage VALUES (?, ?, ?)", ((run, claim, merged) for claim in claims))
    return merged


def move_edges(connection: apsw.Connection, run: int) -> None:
    """Give the claims of a run the edges of what they absorbed, between active claims only; what is parallel becomes one."""
    connection.execute(
        "WITH ends AS (SELECT e.id, coalesce(a.absorber_id, e.source_id) AS source, coalesce(b.absorber_id, e.target_id) AS target,"
        " e.relation, e.strength, a.absorber_id IS NOT NULL OR b.absorber_id IS NOT NULL AS moved FROM edges e"
        " LEFT JOIN lineage a ON a.archived_id = e.source_id AND a.run_id = ?1"
        " LEFT JOIN lineage b ON b.archived_id = e.target_id AND b.run_id = ?1)"
        " INSERT INTO edges (source_id, target_id, relation, strength)"
        " SELECT source, target, relation, max(strength) FROM ends JOIN claims s ON s.id = source JOIN claims t ON t.id = target"
        " WHERE moved AND source <> target AND s.status = 'active' AND t.status = 'active'"
        " GROUP BY source, target, relation ORDER BY min(ends.id)",
        (run,),
    )


def supports_of(connection: apsw.Connection, claims: Collection[int]) -> dict[int, list[int]]:
    """The supporting spans of each of these claims, in order of position."""
    found: dict[int, list[int]] = {claim: [] for claim in claims}
    for claim, span in connection.execute(
        "SELECT cs.claim_id, cs.span_id FROM json_each(?) w JOIN claim_supports cs ON cs.claim_id = w.value"
        " ORDER BY cs.claim_id, cs.position",
        (json.dumps(sorted(claims)),),
    ):
        found[cast(int, claim)].append(cast(int, span))
    return found


def run_row(connection: apsw.Connection, run: int | None) -> RunRow | None:
    """A run by its number; with None, the last that stands."""
    row = connection.execute(
        "SELECT id, ratio, undone_at IS NOT NULL, settings FROM runs"
        " WHERE id = coalesce(?1, (SELECT max(id) FROM runs WHERE undone_at IS NULL))",
        (run,),
    ).fetchone()
    if row is None:
        return None
    return RunRow(int(row[0]), float(row[1]), bool(row[2]), json.loads(str(row[3])))


def later_runs(connection: apsw.Connection, run: int) -> list[int]:
    """The runs after this one that stand, ascending."""
    return [cast(int, row[0]) for row in connection.execute("SELECT id FROM runs WHERE id > ? AND undone_at IS NULL ORDER BY id", (run,))]


def lineage(connection: apsw.Connection, run: int) -> list[tuple[int, int]]:
    """Of a run: (archived claim, the claim that absorbed it), ascending."""
    rows = connection.execute("SELECT archived_id, absorber_id FROM lineage WHERE run_id = ? ORDER BY 1", (run,))
    return [(cast(int, a), cast(int, b)) for a, b in rows]


def counts(connection: apsw.Connection) -> dict[str, int]:
    """Numbers that tell whether anything was written since: the largest id and the rows of what an ingest adds to."""
    out = {}
    for table in ("messages", "claims", "edges"):
        out[table] = int(connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").get)
    for table in ("messages", "claims", "edges", "claim_supports", "claim_keywords", "keywords"):
        out[f"{table}_rows"] = int(connection.execute(f"SELECT count(*) FROM {table}").get)
    return out


def active_texts(connection: apsw.Connection) -> list[str]:
    """The texts of the active claims."""
    return [cast(str, row[0]) for row in connection.execute("SELECT text FROM claims WHERE status = 'active' ORDER BY id")]


def views(connection: apsw.Connection, claims: Sequence[int]) -> list[tuple[int, str]]:
    """The search key of each of these claims, ascending: its text; of a merged one, the words of its supports as well."""
    rows = connection.execute(f"{VIEW_OF_CLAIMS} AND a.id IN (SELECT value FROM json_each(?)) ORDER BY a.id", (json.dumps(list(claims)),))
    return cast(list[tuple[int, str]], rows.fetchall())


VIEW_OF_CLAIMS = (
    "SELECT a.id, a.text || CASE WHEN a.origin = 'merge' THEN coalesce(' ' || (SELECT group_concat(substr(t.text, s.start_offset + 1,"
    " s.end_offset - s.start_offset), ' ' ORDER BY cs.position) FROM claim_supports cs JOIN spans s ON s.id = cs.span_id"
    " JOIN message_texts t ON t.id = s.message_id WHERE cs.claim_id = a.id), '') ELSE '' END"
    " FROM claims a WHERE a.status = 'active'"
)
"""Id and search key of every active claim: what of a merged one is in its supports is found by words although its text is short."""
