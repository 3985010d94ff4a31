"""What the file knows about itself: settings, the models it was made with, and a log of what was ingested."""

from __future__ import annotations

import time
from dataclasses import dataclass

import apsw

from memcli.errors import ModelError


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """A model the file was made with."""

    id: int
    name: str
    fingerprint: str
    dimension: int | None


def recorded_embedder(connection: apsw.Connection) -> RecordedModel | None:
    """The embedder whose vectors the file holds, or None while it holds none."""
    row = connection.execute(
        "SELECT m.id, m.name, m.fingerprint, m.dimension FROM models m JOIN settings s ON s.key = 'embedder' AND s.value = m.fingerprint"
        " WHERE m.role = 'embedder'"
    ).fetchone()
    return RecordedModel(*row) if row else None


def record_embedder(connection: apsw.Connection, name: str, fingerprint: str, dimension: int) -> None:
    """Fix the file's embedder.

    Raises:
        ModelError: the file already holds vectors of another one.
    """
    known = recorded_embedder(connection)
    if known is not None:
        check_embedder(known, name, fingerprint)
        return
    connection.execute(
        "INSERT INTO models (role, name, fingerprint, dimension, added_at) VALUES ('embedder', ?, ?, ?, ?)",
        (name, fingerprint, dimension, time.time()),
    )
    connection.execute("INSERT INTO settings (key, value) VALUES ('embedder', ?)", (fingerprint,))


def check_embedder(known: RecordedModel, name: str, fingerprint: str) -> None:
    """Refuse an embedder other than the one the file's vectors were made with.

    Raises:
        ModelError: names both and the way out.
    """
    if known.fingerprint != fingerprint:
        raise ModelError(
            f"this memory's vectors were made with {known.name} ({known.fingerprint[:12]}), not with {name} ({fingerprint[:12]}): "
            f"use --embedder {known.name}, or ingest the transcripts into a new file with --db"
        )


def start_ingest(connection: apsw.Connection, source: str, transcript_format: str) -> int:
    """Log the start of an ingest of one source; returns the log row's id."""
    connection.execute("INSERT INTO ingests (source, format, started_at) VALUES (?, ?, ?)", (source, transcript_format, time.time()))
    return connection.last_insert_rowid()


def log_ingest(connection: apsw.Connection, ingest_id: int, *, read: int, new: int, unchanged: int, finished: bool) -> None:
    """Write an ingest's running totals; `finished` marks that its source was read to the end."""
    connection.execute(
        "UPDATE ingests SET messages_read = ?, messages_new = ?, messages_unchanged = ?, finished_at = ? WHERE id = ?",
        (read, new, unchanged, time.time() if finished else None, ingest_id),
    )
