"""A small memory made with raw SQL, for tests that put the file itself to the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from memcli.atoms import Message
from memcli.store.connection import connect
from memcli.store.search import insert_views, tokenize
from memcli.store.transcripts import message_digest
from memcli.store.vectors import create_vector_tables, insert_vectors

WORDS = {
    1: ("Ines", "Ines planted two quince trees yesterday. They came from Olomouc."),
    2: ("Bruno", "Lovely! 🌳 Bruno wants a quince too."),
    3: ("Ines", "Then come by on Sunday."),
}
PAGE_OF = {1: 1, 2: 1, 3: 2}
SPANS = {1: (1, 0, 40), 2: (1, 41, 64), 3: (2, 0, 7), 4: (2, 8, 35), 5: (3, 0, 23)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "garden.memdb"


@pytest.fixture
def memory(path: Path) -> Iterator[apsw.Connection]:
    """A sound memory: two pages, three messages, two active claims and an archived one."""
    connection = connect(path)
    connection.execute("BEGIN")
    fill(connection)
    connection.execute("COMMIT")
    yield connection
    connection.close()


def fill(connection: apsw.Connection) -> None:
    run = connection.execute
    run("INSERT INTO conversations VALUES (1, 'garden'); INSERT INTO pages VALUES (1, 1, NULL), (2, 1, NULL)")
    for number, (speaker, text) in WORDS.items():
        digest = message_digest(Message("garden", str(number), speaker, "user", text))
        run(
            "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
            " VALUES (?, 1, ?, ?, ?, ?, 'user', ?, ?, ?)",
            (number, PAGE_OF[number], number, str(number), speaker, text, len(text), digest),
        )
    for number, (message, start, end) in SPANS.items():
        words = len(tokenize(WORDS[message][1][start:end]))
        run("INSERT INTO spans VALUES (?, ?, ?, ?, 'sentence', ?)", (number, message, start, end, words))
    run("INSERT INTO referents VALUES (1, 'person', 'Ines'), (2, 'person', 'Bruno'), (3, 'name', 'Olomouc')")
    run("INSERT INTO handles VALUES (1, 1, 1, 0, 'Ines'), (2, 3, 2, 56, 'Olomouc'), (3, 2, 4, 10, 'Bruno')")
    run("INSERT INTO time_cues VALUES (1, 1, 30, 'yesterday', '2024-03-04', '2024-03-05', 'day', '2024-03-05', NULL)")
    run("INSERT INTO pivots VALUES (1, 1, 5, 'planted two quince trees', 'event')")
    claim = "INSERT INTO claims (id, page_id, text, kind, speaker_id, status, anchor_span_id) VALUES"
    run(f"{claim} (1, 1, 'Ines planted two quince trees.', 'event', 1, 'active', 1)")
    run(f"{claim} (2, 1, 'Bruno wants a quince.', 'preference', 2, 'active', 4)")
    run(f"{claim} (3, 1, 'Ines planted quinces.', 'event', 1, 'archived', 1)")
    run("INSERT INTO claim_supports VALUES (1, 1, 0), (1, 2, 1), (2, 4, 0), (3, 1, 0)")
    run("INSERT INTO claim_handles VALUES (1, 1), (1, 2), (2, 3), (3, 1)")
    run("INSERT INTO keywords VALUES (1, 'quince', 1); INSERT INTO claim_keywords VALUES (1, 1), (1, 2), (1, 3)")
    run("INSERT INTO models VALUES (1, 'embedder', 'tiny', 'f00d', 4, 0); INSERT INTO settings VALUES ('embedder', 'f00d')")
    create_vector_tables(connection, 4)
    claims = {1: "Ines planted two quince trees.", 2: "Bruno wants a quince."}
    insert_views(connection, "span", ((i, WORDS[m][1][s:e]) for i, (m, s, e) in SPANS.items()))
    insert_views(connection, "claim", claims.items())
    insert_views(connection, "referent", [(1, "Ines"), (2, "Bruno"), (3, "Olomouc")])
    insert_views(connection, "time_cue", [(1, "yesterday")])
    insert_views(connection, "pivot", [(1, "planted two quince trees")])
    insert_views(connection, "keyword", [(1, "quince")])
    insert_vectors(connection, "span", ((i, np.full(4, 0.5, np.float32)) for i in SPANS))
    insert_vectors(connection, "claim", ((i, np.full(4, 0.5, np.float32)) for i in claims))
    run("UPDATE message_contexts SET block_id = 1, tokens = 9")
    insert_vectors(connection, "message", ((i, np.full(4, 0.5, np.float32)) for i in WORDS))
