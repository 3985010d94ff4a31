"""Undoing a compression run: what it merged becomes active again, and what came to the merged claims since goes on to one of theirs."""

from __future__ import annotations

import json
import time
from typing import cast

import apsw

from memcli.store.compress import counts


def save_before(connection: apsw.Connection, run: int, data: bytes) -> None:
    """Keep what was put by before a run, at its end, with the numbers by which `unchanged` tells whether anything was written since."""
    connection.execute("INSERT INTO run_states VALUES (?, ?, ?)", (run, json.dumps(counts(connection)), data))


def state_before(connection: apsw.Connection, run: int) -> bytes | None:
    """What was put by before a run, if nothing was written since; else None."""
    row = connection.execute("SELECT after, data FROM run_states WHERE run_id = ?", (run,)).fetchone()
    if row is None or json.loads(str(row[0])) != counts(connection):
        return None
    return cast(bytes, row[1])


def hand_on(connection: apsw.Connection, run: int) -> None:
    """Give what merged claims have gained since a run to the claim they have their anchor from: supports, handles, keywords, edges."""
    after = json.loads(str(connection.execute("SELECT after FROM run_states WHERE run_id = ?", (run,)).get))
    heirs = cast(
        list[tuple[int, int]],
        connection.execute(
            "SELECT m.id, min(a.id) FROM lineage l JOIN claims m ON m.id = l.absorber_id JOIN claims a ON a.id = l.archived_id"
            " WHERE l.run_id = ?1 AND (a.anchor_span_id = m.anchor_span_id OR NOT EXISTS (SELECT 1 FROM lineage o"
            " JOIN claims b ON b.id = o.archived_id WHERE o.run_id = ?1 AND o.absorber_id = m.id AND b.anchor_span_id = m.anchor_span_id))"
            " GROUP BY m.id",
            (run,),
        ).fetchall(),
    )
    for merged, heir in heirs:
        values = {"merged": merged, "heir": heir, "run": run, "edge": int(after["edges"])}
        for statement in _HAND_ON:
            connection.execute(statement, values)


_ABSORBED = "SELECT archived_id FROM lineage WHERE run_id = :run AND absorber_id = :merged"

_HAND_ON: tuple[str, ...] = (
    "INSERT OR IGNORE INTO claim_supports (claim_id, span_id, position)"
    " SELECT :heir, span_id, row_number() OVER (ORDER BY position) + (SELECT max(position) FROM claim_supports WHERE claim_id = :heir)"
    " FROM claim_supports WHERE claim_id = :merged"
    f" AND span_id NOT IN (SELECT span_id FROM claim_supports WHERE claim_id IN ({_ABSORBED}))",
    *(
        f"INSERT OR IGNORE INTO {table} (claim_id, {column}) SELECT :heir, {column} FROM {table} WHERE claim_id = :merged"
        f" AND {column} NOT IN (SELECT {column} FROM {table} WHERE claim_id IN ({_ABSORBED}))"
        for table, column in (("claim_handles", "handle_id"), ("claim_keywords", "keyword_id"))
    ),
    "UPDATE keywords SET anchor_claim_id = :heir WHERE anchor_claim_id = :merged",
    "UPDATE OR IGNORE edges SET source_id = :heir WHERE source_id = :merged AND id > :edge",
    "UPDATE OR IGNORE edges SET target_id = :heir WHERE target_id = :merged AND id > :edge",
)


def undo_merges(connection: apsw.Connection, run: int) -> tuple[list[int], list[int]]:
    """Delete the claims a run made, and make active what they absorbed; `hand_on` comes first.

    Returns:
        the claims that are gone, and those that are active again, ascending.
    """
    gone = _column(connection, "SELECT DISTINCT absorber_id FROM lineage WHERE run_id = ? ORDER BY 1", run)
    back = _column(connection, "SELECT archived_id FROM lineage WHERE run_id = ? ORDER BY 1", run)
    connection.executemany("UPDATE claims SET status = 'active' WHERE id = ?", ((claim,) for claim in back))
    connection.executemany("DELETE FROM claims WHERE id = ?", ((claim,) for claim in gone))
    return gone, back


def close_run(connection: apsw.Connection, run: int) -> None:
    """Note that a run is undone, and drop its trees and what was put by."""
    connection.execute("UPDATE runs SET undone_at = ? WHERE id = ?", (time.time(), run))
    for table in ("event_trees", "lineage", "run_states"):
        connection.execute(f"DELETE FROM {table} WHERE run_id = ?", (run,))


def _column(connection: apsw.Connection, sql: str, run: int) -> list[int]:
    return [cast(int, row[0]) for row in connection.execute(sql, (run,))]
