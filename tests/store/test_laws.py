# ruff: noqa: E501 - a statement to a line
"""The two laws, put to the test with plain SQL: no statement that leaves foreign keys on can break them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import apsw
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.store import packs
from memcli.store.migrations import find_migrations

CLAIM = "INSERT INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES"


def attempt(connection: apsw.Connection, sql: str) -> None:
    """Run statements as one transaction; roll back and raise if any of them, or the commit, is refused."""
    connection.execute("BEGIN")
    try:
        connection.execute(sql)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


REFUSED = {
    "a claim without support": f"{CLAIM} (9, 1, 'Bruno grows figs.', 'fact', 2, 1)",
    "a claim supported only by another span than its anchor": f"{CLAIM} (9, 1, 'x', 'fact', 2, 1); INSERT INTO claim_supports VALUES (9, 2, 0)",
    "a claim whose anchor supports another claim": f"{CLAIM} (9, 1, 'x', 'fact', 2, 4)",
    "a claim of a span that does not exist": f"{CLAIM} (9, 1, 'x', 'fact', 2, 77); INSERT INTO claim_supports VALUES (9, 77, 0)",
    "a claim without an anchor": f"{CLAIM} (9, 1, 'x', 'fact', 2, NULL)",
    "a claim without words": f"{CLAIM} (9, 1, char(9, 10, 32), 'fact', 2, 1); INSERT INTO claim_supports VALUES (9, 1, 0)",
    "a claim of an unknown kind": f"{CLAIM} (9, 1, 'x', 'rumour', 2, 1); INSERT INTO claim_supports VALUES (9, 1, 0)",
    "a claim without a speaker": f"{CLAIM} (9, 1, 'x', 'fact', NULL, 1); INSERT INTO claim_supports VALUES (9, 1, 0)",
    "taking a claim's only support": "DELETE FROM claim_supports WHERE claim_id = 2",
    "taking a claim's anchor": "DELETE FROM claim_supports WHERE claim_id = 1 AND span_id = 1",
    "taking every support": "DELETE FROM claim_supports",
    "moving a support to a span that does not exist": "UPDATE claim_supports SET span_id = 77 WHERE claim_id = 2",
    "moving the anchoring support": "UPDATE claim_supports SET span_id = 3 WHERE claim_id = 2",
    "moving a support to another claim": "UPDATE claim_supports SET claim_id = 3 WHERE claim_id = 2",
    "moving the anchor to a span that is no support": "UPDATE claims SET anchor_span_id = 3 WHERE id = 2",
    "renumbering a claim": "UPDATE claims SET id = 9 WHERE id = 2",
    "replacing a claim, which drops its supports": "REPLACE INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES (2, 1, 'x', 'fact', 2, 4)",
    "deleting a span under a claim": "DELETE FROM spans WHERE id = 4",
    "deleting a message under a claim": "DELETE FROM messages WHERE id = 2",
    "deleting a conversation under its claims": "DELETE FROM conversations",
    "deleting a page under its claims": "DELETE FROM messages WHERE page_id = 1; DELETE FROM pages WHERE id = 1",
    "replacing a span under a claim": "REPLACE INTO spans VALUES (4, 3, 0, 10, 'sentence', 1)",
    "replacing a span under a claim by its place": "REPLACE INTO spans VALUES (9, 2, 8, 12, 'sentence', 1)",
    "replacing a message under a claim": "REPLACE INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
    " VALUES (2, 1, 1, 2, '2', 'Bruno', 'user', 'No!', 3, zeroblob(16))",
    "swapping a span under a claim with deferred keys": "PRAGMA defer_foreign_keys = ON; DELETE FROM spans WHERE id = 4;"
    " INSERT INTO spans VALUES (4, 3, 0, 10, 'sentence', 1)",
    "replacing a span under a claim with deferred keys": "PRAGMA defer_foreign_keys = ON; REPLACE INTO spans VALUES (4, 3, 0, 10, 'sentence', 1)",
    "swapping a message under a claim with deferred keys": "PRAGMA defer_foreign_keys = ON; DELETE FROM messages WHERE id = 2;",
    "moving a span": "UPDATE spans SET start_offset = 1 WHERE id = 5",
    "moving a span, ignoring refusals": "UPDATE OR IGNORE spans SET start_offset = 1 WHERE id = 5",
    "moving a span by upsert": "INSERT INTO spans VALUES (9, 3, 0, 5, 'sentence', 1) ON CONFLICT (message_id, start_offset) DO UPDATE SET end_offset = 5",
    "a span of no message": "INSERT INTO spans VALUES (9, 77, 0, 1, 'sentence', 1)",
    "a span of a message yet to come": "PRAGMA defer_foreign_keys = ON; INSERT INTO spans VALUES (9, 77, 0, 1, 'sentence', 1)",
    "a span past its message": "INSERT INTO spans VALUES (9, 3, 1, 24, 'sentence', 1)",
    "a span before its message": "INSERT INTO spans VALUES (9, 3, -1, 4, 'sentence', 1)",
    "an empty span": "INSERT INTO spans VALUES (9, 3, 4, 4, 'sentence', 1)",
    "a handle without a span": "INSERT INTO handles VALUES (9, 1, NULL, 0, 'Ines')",
    "a handle of a span that does not exist": "INSERT INTO handles VALUES (9, 1, 77, 0, 'Ines')",
    "a handle of a span yet to come": "PRAGMA defer_foreign_keys = ON; INSERT INTO handles VALUES (9, 1, 9, 0, 'Ines');"
    " INSERT INTO spans VALUES (9, 3, 1, 9, 'sentence', 1)",
    "a handle in other words": "INSERT INTO handles VALUES (9, 1, 1, 0, 'Inez')",
    "a handle in another case": "INSERT INTO handles VALUES (9, 1, 1, 0, 'INES')",
    "a handle at another place": "INSERT INTO handles VALUES (9, 1, 1, 1, 'Ines')",
    "a handle of another span": "INSERT INTO handles VALUES (9, 3, 1, 56, 'Olomouc')",
    "a handle past its span": "INSERT INTO handles VALUES (9, 3, 1, 30, 'yesterday. They')",
    "a handle in other words, replacing": "REPLACE INTO handles VALUES (1, 1, 1, 0, 'Inez')",
    "a handle in other words, ignoring refusals": "INSERT OR IGNORE INTO handles VALUES (9, 1, 1, 0, 'Inez')",
    "a handle without words": "INSERT INTO handles VALUES (9, 1, 1, 0, '')",
    "a handle as bytes": "INSERT INTO handles VALUES (9, 1, 1, 0, x'496e6573')",
    "a handle of no referent": "INSERT INTO handles VALUES (9, 77, 1, 0, 'Ines')",
    "a time cue of a span that does not exist": "INSERT INTO time_cues (span_id, start_offset, text) VALUES (77, 0, 'yesterday')",
    "a time cue in other words": "INSERT INTO time_cues (span_id, start_offset, text) VALUES (1, 30, 'YESTERDAY')",
    "a time cue past its span": "INSERT INTO time_cues (span_id, start_offset, text) VALUES (1, 30, 'yesterday. They')",
    "a pivot of a span that does not exist": "INSERT INTO pivots VALUES (9, 77, 5, 'planted', 'event')",
    "a pivot in other words": "INSERT INTO pivots VALUES (9, 1, 5, 'planned', 'event')",
    "other words for a handle": "UPDATE handles SET text = 'Inez' WHERE id = 1",
    "another place for a handle": "UPDATE handles SET start_offset = 5 WHERE id = 1",
    "another span for a handle": "UPDATE handles SET span_id = 2 WHERE id = 1",
    "other words for a time cue": "UPDATE time_cues SET text = 'today'",
    "other words for a pivot": "UPDATE pivots SET text = 'planted'",
    "other words for a message": "UPDATE messages SET text = replace(text, 'two', 'six') WHERE id = 1",
    "no words for a message": "UPDATE messages SET text = NULL WHERE id = 1",
    "another speaker": "UPDATE messages SET speaker = 'Nora' WHERE id = 1",
    "another time": "UPDATE messages SET timestamp = '2020-01-01' WHERE id = 1",
    "another place on the time line": "UPDATE messages SET said_at = 1 WHERE id = 1",
    "another conversation": "UPDATE messages SET conversation_id = 1 WHERE id = 1",
    "another digest": "UPDATE messages SET digest = randomblob(16) WHERE id = 1",
    "another number for a message": "UPDATE messages SET id = 9 WHERE id = 3",
    "a message without words": "INSERT INTO messages (conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
    " VALUES (1, 1, 9, '9', 'Ines', 'user', '', 0, zeroblob(16))",
    "a message of a wrong length": "INSERT INTO messages (conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
    " VALUES (1, 1, 9, '9', 'Ines', 'user', 'abc', 4, zeroblob(16))",
    "a message twice": "INSERT INTO messages (conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
    " SELECT 1, 1, 9, '9', speaker, role, text, length, digest FROM messages WHERE id = 1",
    "a keyword of no claim": "INSERT INTO keywords VALUES (9, 'fig', 1)",
    "taking a keyword's anchor": "DELETE FROM claim_keywords WHERE claim_id = 1",
    "a keyword of a claim that does not exist": "INSERT INTO keywords VALUES (9, 'fig', 77); INSERT INTO claim_keywords VALUES (9, 77)",
    "an edge to itself": "INSERT INTO edges VALUES (1, 1, 1, 'supports', 1)",
    "turning an edge on itself": "INSERT INTO edges VALUES (1, 1, 2, 'supports', 1); UPDATE edges SET target_id = 1",
    "an edge to what is no claim": "INSERT INTO edges VALUES (1, 1, 77, 'supports', 1)",
    "an edge of another kind": "INSERT INTO edges VALUES (1, 1, 2, 'causes', 1)",
    "an edge stronger than one": "INSERT INTO edges VALUES (1, 1, 2, 'supports', 1.5)",
    "a group of what is no claim": "INSERT INTO groups VALUES (1, '', x''); INSERT INTO group_members VALUES (77, 1)",
    "a topic of what is no keyword": "INSERT INTO topics VALUES (1, 'fruit', NULL); INSERT INTO topic_keywords VALUES (77, 1)",
    "an event tree around what is no claim": "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO event_trees VALUES (1, 1, 77)",
    "an event tree that branches to what is no claim": "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL);"
    " INSERT INTO event_trees VALUES (1, 1, 1); INSERT INTO event_tree_edges VALUES (1, 77, 1, 0.5)",
    "an event tree with a loop": "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO event_trees VALUES (1, 1, 1);"
    " INSERT INTO event_tree_edges VALUES (1, 2, 2, 0.5)",
    "a lineage of what is no claim": "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO lineage VALUES (1, 77, 1)",
    "a claim absorbed by itself": "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO lineage VALUES (1, 3, 3)",
    "a claim absorbed twice in a run": "INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO lineage VALUES (1, 3, 1), (1, 3, 2)",
    "a claim that ends before it starts": "UPDATE claims SET start_time = '2024-02-01', end_time = '2024-01-01', granularity = 'day'",
    "a time cue that ends before it starts": "UPDATE time_cues SET start_time = '2024-03-06'",
    "an interval without granularity": "UPDATE claims SET start_time = '2024-02-01'",
    "granularity without an interval": "UPDATE claims SET granularity = 'day'",
    "a claim of a language model that is not told": "UPDATE claims SET origin = 'llm'",
    "an embedder without a dimension": "INSERT INTO models VALUES (9, 'embedder', 'x', 'y', NULL, 0)",
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_the_schema_refuses(memory: apsw.Connection, what: str) -> None:
    before = list(memory.execute("SELECT * FROM facts, (SELECT group_concat(text) FROM message_texts)"))
    with pytest.raises(apsw.ConstraintError):
        attempt(memory, REFUSED[what])
    assert list(memory.execute("SELECT * FROM facts, (SELECT group_concat(text) FROM message_texts)")) == before


ALLOWED = {
    "a claim before its support, in one transaction": f"{CLAIM} (9, 1, 'x', 'fact', 2, 5); INSERT INTO claim_supports VALUES (9, 5, 0)",
    "a claim after its support": f"PRAGMA defer_foreign_keys = ON; INSERT INTO claim_supports VALUES (9, 5, 0); {CLAIM} (9, 1, 'x', 'fact', 2, 5)",
    "taking a support that is not the anchor": "DELETE FROM claim_supports WHERE claim_id = 1 AND span_id = 2",
    "moving the anchor before taking its support": "UPDATE claims SET anchor_span_id = 2 WHERE id = 1; DELETE FROM claim_supports WHERE claim_id = 1 AND span_id = 1",
    "archiving": "UPDATE claims SET status = 'archived'",
    "forgetting a claim, then its message": "UPDATE keywords SET anchor_claim_id = 1; DELETE FROM claims WHERE id = 2; DELETE FROM messages WHERE id = 2",
    "forgetting a conversation": "DELETE FROM keywords; DELETE FROM claims; DELETE FROM conversations",
    "another page for a message": "UPDATE messages SET page_id = 2",
    "another referent for a handle": "UPDATE handles SET referent_id = 2 WHERE id = 1",
    "a handle that is a slice, beyond the basic plane": "INSERT INTO handles VALUES (9, 3, 4, 8, '🌳 Bruno')",
}  # fmt: skip


@pytest.mark.parametrize("what", ALLOWED)
def test_the_schema_allows(memory: apsw.Connection, what: str) -> None:
    if what.endswith("beyond the basic plane"):
        memory.execute(
            "DELETE FROM claims WHERE id = 2; DELETE FROM spans WHERE id IN (3, 4); INSERT INTO spans VALUES (4, 2, 0, 35, 'sentence', 6)"
        )
    attempt(memory, ALLOWED[what])


def test_a_group_holds_twelve(memory: apsw.Connection) -> None:
    for number in range(10, 23):
        attempt(memory, f"{CLAIM} ({number}, 1, 'x', 'fact', 2, 5); INSERT INTO claim_supports VALUES ({number}, 5, 0)")
    memory.execute("INSERT INTO groups VALUES (1, '', x''), (2, '', x'')")
    memory.execute(
        "INSERT INTO group_members SELECT id, 1 FROM claims WHERE id BETWEEN 10 AND 21; INSERT INTO group_members VALUES (22, 2)"
    )
    for sql in (
        "INSERT INTO group_members VALUES (1, 1)",
        "UPDATE group_members SET group_id = 1 WHERE claim_id = 22",
        "REPLACE INTO group_members VALUES (22, 1)",
        "INSERT INTO group_members VALUES (22, 1) ON CONFLICT DO UPDATE SET group_id = 1",
    ):
        with pytest.raises(apsw.ConstraintError, match="12"):
            attempt(memory, sql)
    attempt(memory, "UPDATE group_members SET group_id = 2 WHERE claim_id = 10")


def words(connection: apsw.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT id, text FROM message_texts ORDER BY id").fetchall()


def test_words_move_into_packs_and_out_unchanged_or_not_at_all(memory: apsw.Connection) -> None:
    texts = [str(text) for _, text in words(memory)]
    before = words(memory)
    memory.execute("INSERT INTO packs (id, codec, data) VALUES (1, 'zstd', ?)", (zstandard.compress("".join(texts).encode()),))
    move = "UPDATE messages SET pack_id = 1, text = NULL, pack_start ="
    with pytest.raises(apsw.ConstraintError):
        attempt(memory, f"{move} 1 WHERE id = 1")
    with pytest.raises(apsw.ConstraintError):
        attempt(memory, f"{move} {sum(map(len, texts))} WHERE id = 1")
    start = 0
    for number, text in enumerate(texts, 1):
        attempt(memory, f"{move} {start} WHERE id = {number}")
        start += len(text)
    assert words(memory) == before
    forgery = zstandard.compress("".join(texts).replace("two", "six").encode())
    for sql in (
        "UPDATE packs SET data = x'00'",
        f"REPLACE INTO packs (id, codec, data) VALUES (1, 'zstd', x'{forgery.hex()}')",
        f"INSERT INTO packs (id, codec, data) VALUES (2, 'zstd', x'{forgery.hex()}'); UPDATE messages SET pack_id = 2 WHERE id = 1",
        "DELETE FROM packs",
        "UPDATE messages SET pack_start = 1 WHERE id = 1",
        "UPDATE messages SET pack_id = NULL, pack_start = NULL, text = 'Ines planted six quince trees yesterday. They came from Olomouc.' WHERE id = 1",
        "INSERT INTO handles VALUES (9, 1, 1, 0, 'Inez')",
    ):
        with pytest.raises(apsw.ConstraintError):
            attempt(memory, sql)
    attempt(memory, "INSERT INTO handles VALUES (9, 3, 4, 16, 'wants')")
    memory.execute(
        "UPDATE messages SET text = (SELECT text FROM message_texts t WHERE t.id = messages.id), pack_id = NULL, pack_start = NULL"
    )
    assert words(memory) == before
    attempt(memory, "DELETE FROM packs")


def test_a_program_without_our_functions_reads_but_cannot_change_words(memory: apsw.Connection, path: Path) -> None:
    plain = sqlite3.connect(path)
    assert plain.execute("SELECT count(*) FROM facts").fetchone() == (3,)
    assert plain.execute("SELECT text FROM messages WHERE id = 3").fetchone() == ("Then come by on Sunday.",)
    with pytest.raises(sqlite3.DatabaseError):
        plain.execute("UPDATE messages SET text = 'Then come by on Monday.' WHERE id = 3")
    plain.close()


def test_facts_are_the_active_claims_with_their_spans(memory: apsw.Connection) -> None:
    rows = memory.execute(
        "SELECT claim_id, span_id, support_position, subject, speaker, message_external_id FROM facts ORDER BY 1, 3"
    ).fetchall()
    assert rows == [(1, 1, 0, None, "Ines", "1"), (1, 2, 1, None, "Ines", "1"), (2, 4, 0, None, "Bruno", "2")]
    memory.execute("UPDATE claims SET status = 'archived' WHERE id = 1; UPDATE claims SET status = 'active' WHERE id = 3")
    assert memory.execute("SELECT DISTINCT claim_id FROM facts ORDER BY 1").fetchall() == [(2,), (3,)]


def test_every_searchable_atom_projects_onto_active_claims_only(memory: apsw.Connection) -> None:
    indexes = memory.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '%using fts5%'").fetchall()
    atoms = {str(name).removesuffix("_views") for (name,) in indexes}
    assert atoms == {"span", "claim", "referent", "time_cue", "pivot", "keyword"}
    assert {atom for (atom,) in memory.execute("SELECT DISTINCT atom FROM projections")} == atoms
    rows = memory.execute("SELECT DISTINCT atom, atom_id, claim_id FROM projections ORDER BY 1, 2, 3").fetchall()
    assert rows == [
        ("claim", 1, 1), ("claim", 2, 2), ("keyword", 1, 1), ("keyword", 1, 2), ("pivot", 1, 1), ("referent", 1, 1), ("referent", 2, 2),
        ("referent", 3, 1), ("span", 1, 1), ("span", 2, 1), ("span", 4, 2), ("time_cue", 1, 1),
    ]  # fmt: skip
    memory.execute("UPDATE claims SET status = 'archived'")
    assert memory.execute("SELECT * FROM projections").fetchall() == []


def test_a_claim_is_deleted_without_reading_whole_tables(memory: apsw.Connection) -> None:
    unindexed = memory.execute(
        """
        SELECT t.name, f."from" FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f
        WHERE t.type = 'table' AND f.seq = 0 AND f."table" IN ('claims', 'spans', 'handles', 'time_cues', 'referents') AND NOT EXISTS (
            SELECT 1 FROM pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c WHERE c.seqno = 0 AND c.name = f."from"
            UNION ALL SELECT 1 FROM pragma_table_info(t.name) k WHERE k.pk = 1 AND k.name = f."from")
        """
    ).fetchall()
    assert unindexed == []


# Random histories --------------------------------------------------------------------------------------------------

TEXTS = ("ab ab", "b🌳a b", "aab")
numbers = st.integers(1, 3)
offsets = st.integers(0, 5)
pieces = st.sampled_from(["a", "b", "ab", "b🌳", "🌳", " "])
verb = st.sampled_from(["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"])
statements = st.one_of(
    st.builds("INSERT OR REPLACE INTO spans VALUES ({}, {}, {}, 3, 'sentence', 1)".format, numbers, numbers, st.integers(0, 2)),
    st.builds("{} INTO spans VALUES ({}, {}, {}, {}, 'sentence', 1)".format, verb, numbers, numbers, offsets, offsets),
    st.builds("{} INTO handles VALUES ({}, 1, {}, {}, '{}')".format, verb, numbers, numbers, offsets, pieces),
    st.builds("{} INTO pivots VALUES ({}, {}, {}, '{}', 'event')".format, verb, numbers, numbers, offsets, pieces),
    st.builds(
        "{} INTO time_cues (id, span_id, start_offset, text) VALUES ({}, {}, {}, '{}')".format, verb, numbers, numbers, offsets, pieces
    ),
    st.builds(
        "{} INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES ({}, 1, 'x', 'fact', 1, {})".format,
        verb,
        numbers,
        numbers,
    ),
    st.builds("{} INTO claim_supports VALUES ({}, {}, 0)".format, verb, numbers, numbers),
    st.builds("UPDATE OR REPLACE claim_supports SET span_id = {} WHERE claim_id = {}".format, numbers, numbers),
    st.builds("UPDATE claim_supports SET claim_id = {} WHERE span_id = {}".format, numbers, numbers),
    st.builds("UPDATE claims SET anchor_span_id = {} WHERE id = {}".format, numbers, numbers),
    st.builds("UPDATE OR REPLACE handles SET id = {} WHERE id = {}".format, numbers, numbers),
    st.builds("UPDATE OR REPLACE spans SET id = {} WHERE id = {}".format, numbers, numbers),
    st.builds("DELETE FROM {} WHERE id = {}".format, st.sampled_from(["spans", "claims", "handles", "messages"]), numbers),
    st.builds("DELETE FROM claim_supports WHERE claim_id = {} AND span_id = {}".format, numbers, numbers),
)
transactions = st.tuples(st.booleans(), st.lists(statements, min_size=1, max_size=5))


def bare_memory() -> apsw.Connection:
    """Only the schema and three messages, in memory."""
    connection = apsw.Connection(":memory:", statementcachesize=0)  # a cached statement would outlive a changed pragma
    packs.register(connection)
    for migration in find_migrations():
        if migration.path.stem in ("0001_initial", "0010_spans"):
            connection.execute(migration.path.read_text(encoding="utf-8"))
    connection.execute(
        "PRAGMA foreign_keys = ON; INSERT INTO conversations VALUES (1, 'c'); INSERT INTO pages VALUES (1, 1, NULL);"
        " INSERT INTO referents VALUES (1, 'person', 'Ines')"
    )
    for number, text in enumerate(TEXTS, 1):
        connection.execute(
            "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
            " VALUES (?, 1, 1, ?, ?, 'Ines', 'user', ?, ?, ?)",
            (number, number, str(number), text, len(text), bytes([number]) * 16),
        )
    return connection


def assert_lawful(
    connection: apsw.Connection, spans_before: dict[object, tuple[object, ...]], grounds_before: set[tuple[object, ...]]
) -> None:
    spans = {row[0]: row[1:] for row in connection.execute("SELECT id, message_id, start_offset, end_offset FROM spans")}
    texts = {number: str(text) for number, text in connection.execute("SELECT id, text FROM messages")}
    supports = set(connection.execute("SELECT claim_id, span_id FROM claim_supports"))
    for claim, anchor in connection.execute("SELECT id, anchor_span_id FROM claims"):
        assert (claim, anchor) in supports
        assert anchor in spans
    for table in ("handles", "pivots", "time_cues"):
        for span, start, text in connection.execute(f"SELECT span_id, start_offset, text FROM {table}"):
            message, span_start, span_end = spans[span]
            assert span_start <= start
            assert start + len(text) <= span_end
            assert texts[message][start : start + len(text)] == text
    for claim, span in supports & grounds_before:
        assert spans[span] == spans_before[span], f"the span under claim {claim} was exchanged"


@settings(max_examples=250, deadline=None)
@given(st.lists(transactions, min_size=1, max_size=8))
@example(
    [
        (
            True,
            [
                "INSERT OR REPLACE INTO spans VALUES (3, 1, 0, 3, 'sentence', 1)",
                "INSERT OR REPLACE INTO spans VALUES (1, 1, 0, 3, 'sentence', 1)",
            ],
        )
    ]
)
def test_no_history_of_statements_breaks_the_laws(history: list[tuple[bool, list[str]]]) -> None:
    connection = bare_memory()
    attempt(
        connection,
        "INSERT INTO spans VALUES (1, 1, 0, 5, 'sentence', 1), (2, 2, 0, 3, 'sentence', 1);"
        " INSERT INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES (1, 1, 'x', 'fact', 1, 1);"
        " INSERT INTO claim_supports VALUES (1, 1, 0), (1, 2, 1); INSERT INTO handles VALUES (1, 1, 2, 1, '🌳')",
    )
    for deferred, steps in history:
        spans = {row[0]: row[1:] for row in connection.execute("SELECT id, message_id, start_offset, end_offset FROM spans")}
        grounds = set(connection.execute("SELECT claim_id, span_id FROM claim_supports"))
        connection.execute("BEGIN")
        if deferred:
            connection.execute("PRAGMA defer_foreign_keys = ON")
        for step in steps:
            try:
                connection.execute(step)
            except apsw.ConstraintError:
                continue
        try:
            connection.execute("COMMIT")
        except apsw.ConstraintError:
            connection.execute("ROLLBACK")
        assert_lawful(connection, spans, grounds)
    connection.close()
