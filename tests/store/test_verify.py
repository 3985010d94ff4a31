"""What `verify` promises: a sound file is called sound, and each kind of damage is reported by name."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
import zstandard

from memcli.atoms import Message
from memcli.results import Verification
from memcli.store.connection import connect, tidy_close, transaction
from memcli.store.migrations import find_migrations
from memcli.store.packed_vectors import save_blocks
from memcli.store.search import insert_views
from memcli.store.status import status
from memcli.store.transcripts import message_digest
from memcli.store.vectors import delete_vectors, load_vectors
from memcli.store.verify import REPAIRABLE, verify

NAN, INFINITY, TWO = "0000c07f", "0000807f", "00000040"
"""float32 values as they are stored, in hexadecimal."""


def check(connection: apsw.Connection) -> Verification:
    return verify(connection, Path(connection.filename), digest_of=message_digest)


def damage(connection: apsw.Connection, sql: str) -> None:
    """Change the file the way a program does that knows nothing of its laws."""
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql)
    for _, definition in triggers:
        connection.execute(str(definition))
    connection.execute("PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF")


def test_a_sound_memory_is_sound(memory: apsw.Connection) -> None:
    found = check(memory)
    assert found.problems == ()
    assert found.sound
    assert set(found.checks) >= REPAIRABLE | {"integrity", "foreign_keys", "grounding", "verbatim", "messages", "pages", "packs", "spans"}


def test_a_new_memory_is_sound(path: Path) -> None:
    connection = connect(path)
    assert check(connection).problems == ()
    connection.close()


def test_a_memory_opened_for_reading_only_can_be_verified(memory: apsw.Connection, path: Path) -> None:
    tidy_close(memory)
    reader = connect(path, read_only=True)
    assert check(reader).problems == ()
    reader.close()


@pytest.mark.parametrize(
    ("check_name", "rows", "sql"),
    [
        ("foreign_keys", 5, "DELETE FROM conversations"),
        ("messages", 1, "UPDATE messages SET text = replace(text, 'two', 'six') WHERE id = 1"),
        ("messages", 2, "UPDATE messages SET speaker = 'Nora' WHERE speaker = 'Ines'"),
        ("messages", 1, "UPDATE messages SET timestamp = '2021-01-01' WHERE id = 2"),
        ("pages", 2, "UPDATE messages SET page_id = 1 WHERE id = 3; UPDATE messages SET page_id = 2 WHERE id = 2"),
        ("pages", 1, "UPDATE claims SET page_id = 2 WHERE id = 1"),
        ("pages", 1, "INSERT INTO conversations VALUES (2, 'kitchen'); UPDATE pages SET conversation_id = 2 WHERE id = 2"),
        ("spans", 1, "UPDATE spans SET end_offset = 99 WHERE id = 5"),
        ("spans", 1, "UPDATE spans SET start_offset = 39 WHERE id = 2"),
        ("spans", 2, "UPDATE spans SET end_offset = 64, words = 10 WHERE id = 1; UPDATE spans SET end_offset = 45, words = 1 WHERE id = 2;"
                     " INSERT INTO spans VALUES (9, 1, 46, 50, 'sentence', 1)"),
        ("spans", 2, "UPDATE spans SET words = 99 WHERE id IN (1, 4)"),
        ("grounding", 1, "DELETE FROM claim_supports WHERE claim_id = 2"),
        ("grounding", 1, "DELETE FROM claim_supports WHERE claim_id = 1 AND span_id = 1"),
        ("grounding", 1, "UPDATE pivots SET span_id = 77"),
        ("grounding", 1, "DELETE FROM claim_keywords"),
        ("verbatim", 1, "UPDATE handles SET text = 'Inez' WHERE id = 1"),
        ("verbatim", 1, "UPDATE time_cues SET start_offset = 31"),
        ("verbatim", 1, "UPDATE pivots SET span_id = 2"),
        ("groups", 2, "INSERT INTO groups SELECT 1, '', zeroblob(4 * dimension) FROM models;"
                      " WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 13)"
                      " INSERT INTO group_members SELECT i, 1 FROM n"),
        ("groups", 4, "INSERT INTO groups VALUES (1, '', x'00')"),  # two claims in no group, a group without a claim, and its centroid
        ("topics", 1, "INSERT INTO topics VALUES (1, '', x'00')"),
        ("topics", 1, "INSERT INTO topics VALUES (1, '', NULL); WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 16)"
                      " INSERT INTO topic_keywords SELECT i, 1 FROM n"),
        ("embedder", 3, "DELETE FROM settings"),
        ("embedder", 3, "UPDATE models SET dimension = 8"),
        ("span_index", 1, "DELETE FROM span_views WHERE rowid = 3"),
        ("span_index", 1, "INSERT INTO span_views (rowid, text) VALUES (99, 'ghost')"),
        ("claim_index", 1, "INSERT INTO claim_views (rowid, text) VALUES (3, 'archived')"),
        ("claim_index", 2, "DELETE FROM claim_views"),
        ("claim_index", 1, "UPDATE claim_views_data SET block = x'00ff00ff' WHERE id > 10"),
        ("referent_index", 1, "DELETE FROM referents WHERE id = 3"),
        ("time_cue_index", 1, "DELETE FROM time_cues"),
        ("pivot_index", 1, "DELETE FROM pivot_views"),
        ("keyword_index", 1, "INSERT INTO keyword_views (rowid, text) VALUES (5, 'plum')"),
        ("span_vectors", 1, "DELETE FROM span_vectors WHERE span_id = 2"),
        ("span_vectors", 1, f"UPDATE span_vectors SET embedding = x'{NAN * 4}' WHERE span_id = 2"),
        ("span_vectors", 1, f"UPDATE span_vectors SET embedding = x'{INFINITY * 4}' WHERE span_id = 2"),
        ("span_vectors", 2, f"UPDATE span_vectors SET embedding = x'{TWO * 4}' WHERE span_id > 3"),
        ("span_vectors", 1, "UPDATE span_vectors SET embedding = zeroblob(16) WHERE span_id = 3"),
        ("claim_vectors", 1, "UPDATE claim_vectors SET embedding = zeroblob(16) WHERE claim_id = 2"),
        ("claim_vectors", 1, "UPDATE claims SET status = 'archived' WHERE id = 2"),
        ("claim_vectors", 2, "DROP TABLE claim_vectors"),
        ("message_vectors", 3, "DROP TABLE message_vectors"),
        ("message_vectors", 1, "UPDATE message_vectors SET embedding = zeroblob(16) WHERE message_id = 2"),
        ("message_vectors", 1, "INSERT INTO message_vectors (message_id, embedding) VALUES (7, zeroblob(16))"),
        ("message_vectors", 1, "DELETE FROM message_contexts WHERE message_id = 2"),
        ("message_vectors", 3, "UPDATE message_contexts SET block_id = NULL, tokens = NULL"),
        ("message_vectors", 1, "UPDATE message_contexts SET block_id = 2 WHERE message_id = 3"),
        ("message_vectors", 1, "INSERT INTO sessions VALUES (1, 1, 's'); UPDATE messages SET session_id = 1 WHERE id = 3"),
    ],
)  # fmt: skip
def test_each_damage_is_reported_by_its_check(memory: apsw.Connection, check_name: str, rows: int, sql: str) -> None:
    damage(memory, sql)
    found = [p for p in check(memory).problems if p.check == check_name]
    assert sum(p.rows for p in found) == rows
    assert all(p.repairable is (check_name in REPAIRABLE) for p in found)
    assert all("\n" not in p.message for p in found)


def test_what_an_unfinished_ingest_has_not_embedded_in_context_yet_is_no_damage(memory: apsw.Connection) -> None:
    memory.execute("INSERT INTO ingests (id, source, format, started_at) VALUES (1, 'garden.json', 'chat', 0)")
    memory.execute("UPDATE messages SET ingest_id = 1 WHERE id = 3; DELETE FROM message_vectors WHERE message_id = 3")
    memory.execute("UPDATE message_contexts SET block_id = NULL, tokens = NULL WHERE message_id = 3")
    assert check(memory).problems == ()
    memory.execute("UPDATE ingests SET finished_at = 1")
    assert [(p.check, p.rows) for p in check(memory).problems] == [("message_vectors", 1)]


def test_broken_constraints_are_reported(memory: apsw.Connection) -> None:
    damage(memory, "UPDATE claims SET kind = 'rumour' WHERE id = 1")
    assert [p.check for p in check(memory).problems] == ["integrity"]


@pytest.mark.parametrize(
    ("atom", "sql"),
    [
        ("claim", "UPDATE claim_views_data SET block = x'00ff00ff' WHERE id > 10"),
        ("span", "DELETE FROM span_views_data"),
        ("span", "DELETE FROM span_views_config"),
        ("span", "DROP TABLE span_views_idx"),
    ],
)
def test_damage_to_an_index_is_reported_once_and_as_what_it_is(memory: apsw.Connection, path: Path, atom: str, sql: str) -> None:
    damage(memory, sql)
    tidy_close(memory)
    reader = connect(path, read_only=True)
    assert [(p.check, p.repairable) for p in check(reader).problems] == [(f"{atom}_index", True)]
    reader.close()


@pytest.mark.parametrize(
    ("table", "sql"),
    [
        ("claims", "UPDATE claims SET text = CAST(x'ff41fe' AS TEXT) WHERE id = 1"),
        ("messages", "UPDATE messages SET text = CAST(x'ff41fe' AS TEXT) WHERE id = 1"),
        ("referents", "UPDATE referents SET name = CAST(x'ff41fe' AS TEXT) WHERE id = 1"),
    ],
)
def test_a_text_that_is_no_text_is_reported_and_ends_no_check(memory: apsw.Connection, table: str, sql: str) -> None:
    damage(memory, sql)
    found = check(memory)
    assert ("texts", f"rows of {table} with a text that is not UTF-8", 1) in [(p.check, p.message, p.rows) for p in found.problems]
    assert {"grounding", "topics", "claim_index", "claim_vectors"} <= set(found.checks)


def test_a_rebuilding_that_fails_is_reported_and_keeps_no_other_from_its_turn(memory: apsw.Connection, path: Path) -> None:
    damage(memory, "DELETE FROM span_views_config")
    memory.execute("DELETE FROM keyword_views")
    tidy_close(memory)
    connection = connect(path)

    def break_down() -> None:
        with transaction(connection):
            connection.execute("INSERT INTO span_views (span_views) VALUES ('delete-all')")

    rebuilders = {"span_index": break_down, "keyword_index": lambda: insert_views(connection, "keyword", [(1, "quince")])}
    found = verify(connection, path, digest_of=message_digest, repair=True, rebuilders=rebuilders)
    assert found.repaired == ("keyword_index",)
    assert {(p.check, p.repairable) for p in found.problems} == {("span_index", False)}
    assert found.problems[-1].message.startswith("cannot be rebuilt: ")
    connection.close()


def test_a_page_of_zeros_in_the_file_is_reported(memory: apsw.Connection, path: Path) -> None:
    root = memory.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'claim_supports'").get
    tidy_close(memory)
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(bytes(4096))
    connection = connect(path, read_only=True)
    names = {p.check for p in check(connection).problems}
    assert {"integrity", "grounding"} <= names
    connection.close()


def pack(connection: apsw.Connection, data: bytes) -> None:
    connection.execute("INSERT INTO packs (id, codec, data) VALUES (1, 'zstd', ?)", (data,))
    connection.execute("UPDATE messages SET pack_id = 1, pack_start = 0, text = NULL WHERE id = 1")
    ids, matrix = load_vectors(connection, "span")
    gone = save_blocks(connection, [1], ids, matrix)
    delete_vectors(connection, "span", gone)


def test_packed_messages_are_read_out_of_their_pack(memory: apsw.Connection) -> None:
    pack(memory, zstandard.compress(memory.execute("SELECT text FROM messages WHERE id = 1").get.encode()))
    assert check(memory).problems == ()


def test_a_damaged_pack_is_reported(memory: apsw.Connection) -> None:
    pack(memory, zstandard.compress(memory.execute("SELECT text FROM messages WHERE id = 1").get.encode()))
    damage(memory, "UPDATE packs SET data = x'28b52ffd00'")
    problems = {p.check: p.rows for p in check(memory).problems}
    assert problems["packs"] == 1


@pytest.mark.parametrize(
    ("harm", "check_that_tells"),
    [
        ("DELETE FROM packed_vectors", "packed_vectors"),
        ("UPDATE packed_vectors SET data = zeroblob(40)", "packed_vectors"),
        ("UPDATE packed_vectors SET ids = CAST(ids || x'0500000000000000' AS BLOB)", "packed_vectors"),
        ("INSERT INTO span_vectors (span_id, embedding) VALUES (1, x'0000803f000000000000000000000000')", "span_vectors"),
        ("INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO lineage VALUES (1, 1, 2)", "compression"),
        ("INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO lineage VALUES (1, 3, 2)", "compression"),
        ("INSERT INTO runs VALUES (1, 0.5, '{}', 0, 1); INSERT INTO lineage VALUES (1, 3, 1)", "compression"),
        ("UPDATE claims SET origin = 'merge' WHERE id = 1", "compression"),
        (
            "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO event_trees VALUES (1, 1, 1);"
            " INSERT INTO event_tree_edges VALUES (1, 1, 2, 0.5), (1, 2, 1, 0.5)",
            "compression",
        ),
    ],
)
def test_what_compression_left_wrong_is_reported(memory: apsw.Connection, harm: str, check_that_tells: str) -> None:
    pack(memory, zstandard.compress(memory.execute("SELECT text FROM messages WHERE id = 1").get.encode()))
    damage(memory, harm)
    assert check_that_tells in {p.check for p in check(memory).problems}


def test_a_span_without_words_may_have_a_vector_without_length(memory: apsw.Connection) -> None:
    digest = message_digest(Message("garden", "4", "Ines", "user", "..."))
    memory.execute(
        "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
        " VALUES (4, 1, 2, 4, '4', 'Ines', 'user', '...', 3, ?)",
        (digest,),
    )
    memory.execute("INSERT INTO spans VALUES (6, 4, 0, 3, 'sentence', 0)")
    insert_views(memory, "span", [(6, "...")])
    memory.execute("INSERT INTO span_vectors (span_id, embedding) VALUES (6, zeroblob(16))")
    assert check(memory).problems == ()


def test_a_message_whose_id_was_taken_keeps_its_digest(memory: apsw.Connection) -> None:
    digest = message_digest(Message("garden", "1", "Ines", "user", "Another one."))
    memory.execute(
        "INSERT INTO messages (conversation_id, page_id, position, external_id, speaker, role, text, length, digest, metadata)"
        " VALUES (1, 2, 9, '1~2', 'Ines', 'user', 'Another one.', 12, ?, ?)",
        (digest, '{"given_id": "1"}'),
    )
    assert check(memory).problems == ()


def test_repair_rebuilds_what_is_derived_and_nothing_else(memory: apsw.Connection, path: Path) -> None:
    memory.execute("DELETE FROM keyword_views")
    damage(memory, "UPDATE handles SET text = 'Inez' WHERE id = 1")
    called = []

    def rebuild() -> None:
        called.append("keyword_index")
        insert_views(memory, "keyword", [(1, "quince")])

    rebuilders = {"keyword_index": rebuild, "span_index": lambda: called.append("span_index")}
    assert not verify(memory, path, digest_of=message_digest, rebuilders=rebuilders).sound
    assert called == []
    found = verify(memory, path, digest_of=message_digest, repair=True, rebuilders=rebuilders)
    assert called == ["keyword_index"]
    assert found.repaired == ("keyword_index",)
    assert [p.check for p in found.problems] == ["verbatim"]


def test_a_rebuilding_that_does_not_help_is_not_called_a_repair(memory: apsw.Connection, path: Path) -> None:
    memory.execute("DELETE FROM keyword_views")
    found = verify(memory, path, digest_of=message_digest, repair=True, rebuilders={"keyword_index": lambda: None})
    assert found.repaired == ()
    assert [p.check for p in found.problems] == ["keyword_index"]


def test_status_counts_rows_and_bytes(memory: apsw.Connection, path: Path) -> None:
    found = status(memory, path)
    expected = {"messages": 3, "pages": 2, "spans": 5, "handles": 3, "time_cues": 1, "claims": 2, "claims_archived": 1, "keywords": 1}
    assert {name: found.counts[name] for name in expected} == expected
    assert found.models == [{"role": "embedder", "name": "tiny", "fingerprint": "f00d", "dimension": 4}]
    assert found.schema_version == len(find_migrations())
    assert found.bytes["wal"] > 0
    families = {name: size for name, size in found.bytes.items() if name not in ("file", "wal")}
    assert set(families) == {"text", "search", "vectors", "other"}
    assert all(families.values())
    assert sum(families.values()) == memory.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").get
    tidy_close(memory)
    reader = connect(path, read_only=True)
    found = status(reader, path)
    assert sum(found.bytes[name] for name in families) == found.bytes["file"] == path.stat().st_size
    assert found.bytes["wal"] == 0
    reader.close()
