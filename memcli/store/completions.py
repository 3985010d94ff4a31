"""What a language model answered, kept by a digest of model, prompt and settings; which pages it has read; what became of its proposals."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import apsw


def record_language_model(connection: apsw.Connection, name: str, fingerprint: str) -> int:
    """The row of a language model, made if it is new; within the caller's transaction."""
    row = connection.execute("SELECT id FROM models WHERE role = 'llm' AND fingerprint = ?", (fingerprint,)).fetchone()
    if row:
        return int(row[0])
    connection.execute(
        "INSERT INTO models (role, name, fingerprint, dimension, added_at) VALUES ('llm', ?, ?, NULL, ?)", (name, fingerprint, time.time())
    )
    return connection.last_insert_rowid()


def kept_response(connection: apsw.Connection, digest: bytes) -> str | None:
    """The response kept under a digest of 16 bytes; None if there is none."""
    row = connection.execute("SELECT response FROM completions WHERE digest = ?", (digest,)).fetchone()
    return str(row[0]) if row else None


def keep_responses(connection: apsw.Connection, model_id: int, rows: Iterable[tuple[bytes, str, str, int, int, float]]) -> None:
    """Keep responses, within the caller's transaction: (digest, stage, response, prompt tokens, answer tokens, seconds) of each."""
    connection.executemany(
        "INSERT OR IGNORE INTO completions (digest, model_id, stage, response, prompt_tokens, answer_tokens, seconds)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((digest, model_id, *rest) for digest, *rest in rows),
    )


def forgotten(connection: apsw.Connection) -> tuple[int, float]:
    """How much has been forgotten so far, and when last: it changes whenever something is."""
    count, last = connection.execute("SELECT count(*), coalesce(max(forgotten_at), 0) FROM tombstones").get
    return int(count), float(last)


def record_page_reading(connection: apsw.Connection, page_id: int, stage: str, model_id: int, digest: bytes) -> None:
    """Remember that a page has been read, within the caller's transaction."""
    connection.execute(
        "INSERT OR REPLACE INTO page_readings (page_id, stage, model_id, digest) VALUES (?, ?, ?, ?)", (page_id, stage, model_id, digest)
    )


def add_tallies(connection: apsw.Connection, stage: str, outcomes: Mapping[str, int]) -> None:
    """Add to what became of a stage's proposals, within the caller's transaction."""
    connection.executemany(
        "INSERT INTO proposal_tallies (stage, outcome, count) VALUES (?, ?, ?)"
        " ON CONFLICT (stage, outcome) DO UPDATE SET count = count + excluded.count",
        ((stage, outcome, count) for outcome, count in outcomes.items()),
    )


def tallies(connection: apsw.Connection) -> dict[str, dict[str, int]]:
    """What became of all proposals so far: counts by outcome by stage."""
    out: dict[str, dict[str, int]] = {}
    for stage, outcome, count in connection.execute("SELECT stage, outcome, count FROM proposal_tallies ORDER BY stage, outcome"):
        out.setdefault(str(stage), {})[str(outcome)] = int(count)
    return out
