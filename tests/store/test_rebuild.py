"""Repair: what is derived is made again, in chunks, and others can write meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import get_args

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from memcli.atoms import Message
from memcli.models.windows import smoothed
from memcli.results import Verification
from memcli.store.connection import connect, transaction
from memcli.store.rebuild import CHUNK, rebuilders
from memcli.store.search import insert_views
from memcli.store.transcripts import message_digest
from memcli.store.vectors import Family, insert_vectors, load_vectors
from memcli.store.verify import REPAIRABLE, verify
from memcli.write.context_refresh import rebuild_contexts
from memcli.write.groups import rebuild as rebuild_groups
from memcli.write.topic_refresh import rebuild_topics

MANY = 2 * CHUNK + 7


EMBEDDED = {"message_vectors": rebuild_contexts}


class Letters:
    """Embeds a text in four dimensions by its letters; tells `watch` of each call."""

    name, fingerprint, dimension = "letters", "f00d", 4

    def __init__(self, watch: Callable[[Sequence[str]], None] = lambda texts: None) -> None:
        self.watch = watch

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.watch(texts)
        counts = np.array([[1 + text.count(letter) for letter in "aeio"] for text in texts], np.float32)
        return np.divide(counts, np.linalg.norm(counts, axis=1, keepdims=True), dtype=np.float32)

    def encode_in_context(self, blocks: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        return [smoothed(self.encode(block)) for block in blocks]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def repair(connection: apsw.Connection, embedder: Letters) -> Verification:
    structures = {"groups": rebuild_groups, "topics": rebuild_topics}
    return verify(
        connection,
        Path(connection.filename),
        digest_of=message_digest,
        repair=True,
        rebuilders=rebuilders(connection, lambda: embedder, structures, EMBEDDED),
    )


@pytest.fixture
def long(memory: apsw.Connection) -> apsw.Connection:
    """A memory of several chunks of spans."""
    text = "ta " * MANY
    digest = message_digest(Message("garden", "9", "Ines", "user", text))
    with transaction(memory):
        memory.execute(
            "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
            " VALUES (9, 1, 2, 9, '9', 'Ines', 'user', ?, ?, ?)",
            (text, len(text), digest),
        )
        memory.executemany("INSERT INTO spans VALUES (?, 9, ?, ?, 'sentence', 1)", ((100 + i, 3 * i, 3 * i + 2) for i in range(MANY)))
        insert_views(memory, "span", ((100 + i, "ta") for i in range(MANY)))
        insert_vectors(memory, "span", ((100 + i, np.full(4, 0.5, np.float32)) for i in range(MANY)))
        claim = "INSERT INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES (?, 2, 'ta', 'fact', 1, ?)"
        memory.executemany(claim, ((100 + i, 100 + i) for i in range(MANY)))
        memory.executemany("INSERT INTO claim_supports VALUES (?, ?, 0)", ((100 + i, 100 + i) for i in range(MANY)))
        insert_views(memory, "claim", ((100 + i, "ta") for i in range(MANY)))
        insert_vectors(memory, "claim", ((100 + i, np.full(4, 0.5, np.float32)) for i in range(MANY)))
        memory.execute("UPDATE message_contexts SET block_id = 9, tokens = ? WHERE message_id = 9", (MANY,))
        insert_vectors(memory, "message", [(9, np.full(4, 0.5, np.float32))])
    return memory


@pytest.fixture
def other(long: apsw.Connection) -> Iterator[apsw.Connection]:
    """Another connection to the long memory, which will not wait for a lock."""
    connection = connect(Path(long.filename), busy_timeout_s=0)
    yield connection
    connection.close()


def test_there_is_a_rebuilder_for_every_repairable_check(memory: apsw.Connection) -> None:
    assert set(rebuilders(memory, Letters, {"groups": rebuild_groups, "topics": rebuild_topics}, EMBEDDED)) == REPAIRABLE


@pytest.mark.parametrize(
    ("damage", "checks"),
    [
        *((f"DELETE FROM {atom}_views WHERE rowid > 0", [f"{atom}_index"]) for atom in ("referent", "time_cue", "pivot", "keyword")),
        ("DELETE FROM span_views WHERE rowid > 300", ["span_index"]),
        ("INSERT INTO claim_views (rowid, text) VALUES (3, 'archived')", ["claim_index"]),
        ("DELETE FROM span_vectors WHERE span_id > 300", ["span_vectors"]),
        ("DROP TABLE span_vectors", ["span_vectors"]),
        ("UPDATE span_vectors SET embedding = zeroblob(16) WHERE span_id = 1", ["span_vectors"]),
        ("DELETE FROM claim_vectors WHERE claim_id < 300", ["claim_vectors"]),
        ("DROP TABLE claim_vectors", ["claim_vectors"]),
        ("DROP TABLE claim_vectors; DROP TABLE span_vectors", ["span_vectors", "claim_vectors"]),
        ("DELETE FROM message_vectors WHERE message_id = 2", ["message_vectors"]),
        ("DROP TABLE message_vectors", ["message_vectors"]),
        ("DELETE FROM message_contexts WHERE message_id = 2", ["message_vectors"]),
        ("UPDATE message_contexts SET block_id = 2 WHERE message_id = 3", ["message_vectors"]),
        ("UPDATE message_contexts SET block_id = NULL, tokens = NULL", ["message_vectors"]),
    ],
)
def test_what_is_derived_is_made_again(long: apsw.Connection, damage: str, checks: list[str]) -> None:
    long.execute(damage)
    found = repair(long, Letters())
    assert found.problems == ()
    assert list(found.repaired) == checks
    for family in get_args(Family):
        ids, matrix = load_vectors(long, family)
        assert len(ids) == {"span": MANY + 5, "claim": MANY + 2, "message": 4}[family]
        np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 1, atol=2e-4)


def test_a_group_that_is_too_large_is_made_again(long: apsw.Connection) -> None:
    triggers = long.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%hold%'").fetchall()
    for name, _ in triggers:
        long.execute(f"DROP TRIGGER {name}")
    long.execute("INSERT INTO groups VALUES (1, '', x''); INSERT INTO group_members SELECT id, 1 FROM claims LIMIT 13")
    for _, sql in triggers:
        long.execute(str(sql))
    found = repair(long, Letters())
    assert (found.problems, found.repaired) == ((), ("groups",))
    assert long.execute("SELECT count(*) FROM group_members").get == MANY + 2


def test_claim_vectors_are_the_means_of_their_spans(long: apsw.Connection) -> None:
    long.execute("DROP TABLE span_vectors; DROP TABLE claim_vectors")
    repair(long, Letters())
    spans = dict(zip(*load_vectors(long, "span"), strict=True))
    claims = dict(zip(*load_vectors(long, "claim"), strict=True))
    total = spans[1] + spans[2]
    np.testing.assert_allclose(claims[1], total / np.linalg.norm(total), atol=2e-4)
    np.testing.assert_allclose(claims[100], spans[100], atol=2e-4)


def test_others_can_write_while_a_chunk_is_embedded(long: apsw.Connection, other: apsw.Connection) -> None:
    sizes: list[int] = []

    def watch(texts: Sequence[str]) -> None:
        sizes.append(len(texts))
        with transaction(other):
            other.execute("INSERT INTO conversations (external_id) VALUES (?)", (f"meanwhile {len(sizes)}",))

    long.execute("DELETE FROM span_vectors WHERE span_id > 200")
    assert repair(long, Letters(watch)).sound
    assert max(sizes) == CHUNK
    assert sum(sizes) == MANY + 5
    assert long.execute("SELECT count(*) FROM conversations").get == 1 + len(sizes)


def test_spans_that_come_and_go_meanwhile_do_no_harm(long: apsw.Connection, other: apsw.Connection) -> None:
    calls: list[int] = []

    def watch(texts: Sequence[str]) -> None:
        calls.append(len(texts))
        if len(calls) == 1:
            with transaction(other):
                other.execute("DELETE FROM spans WHERE id = 5; DELETE FROM span_views WHERE rowid = 5")
                other.execute("INSERT INTO spans VALUES (?, 3, 5, 9, 'sentence', 1)", (100 + MANY,))
                insert_views(other, "span", [(100 + MANY, "come")])
                insert_vectors(other, "span", [(100 + MANY, np.full(4, 0.5, np.float32))])

    long.execute("DELETE FROM span_vectors WHERE span_id = 1")
    found = repair(long, Letters(watch))
    assert found.repaired == ("span_vectors",)
    assert found.problems == ()


def test_a_repair_that_was_cut_short_is_begun_again(long: apsw.Connection) -> None:
    def stop(texts: Sequence[str]) -> None:
        if len(texts) < CHUNK:
            raise KeyboardInterrupt

    long.execute("DELETE FROM span_vectors WHERE span_id = 1")
    with pytest.raises(KeyboardInterrupt):
        repair(long, Letters(stop))
    assert not long.in_transaction
    found = repair(long, Letters())
    assert found.sound
    assert found.repaired == ("span_vectors",)
