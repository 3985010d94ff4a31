"""Blocks of messages: the same however the messages come, and every message embedded with what was said around it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Message
from memcli.store import contexts as rows
from memcli.store.connection import connect
from memcli.store.snapshot import load_snapshot
from memcli.store.vectors import fetch_vectors
from memcli.write import context_refresh
from memcli.write.context_refresh import rebuild_contexts, refresh_contexts
from memcli.write.contexts import BLOCK_TOKENS, Place, cut_blocks

if TYPE_CHECKING:
    from conftest import OpenStore, Program, Store

Same = Callable[[apsw.Connection, apsw.Connection], None]

LENGTHS = st.lists(st.one_of(st.integers(0, 60), st.integers(0, 300)), max_size=40)


def blocks_of(lengths: list[int], cuts: Iterable[int]) -> list[list[int]]:
    """The blocks of messages of these lengths that come in parts, each as the file would keep it."""
    block_of: dict[int, int] = {}
    begin = 0
    for end in [*sorted(cuts), len(lengths)]:
        first = block_of[begin - 1] if begin else 0
        for block in cut_blocks(Place(i, lengths[i], block_of.get(i)) for i in range(first, end)):
            block_of |= {place.message: block[0].message for place in block}
        begin = end
    return [[i for i in block_of if block_of[i] == first] for first in sorted(set(block_of.values()))]


@given(st.data(), LENGTHS)
def test_the_blocks_do_not_depend_on_how_many_messages_come_at_a_time(data: st.DataObject, lengths: list[int]) -> None:
    cuts = data.draw(st.sets(st.integers(1, max(1, len(lengths))))) if lengths else set()
    assert blocks_of(lengths, cuts) == blocks_of(lengths, range(1, len(lengths))) == blocks_of(lengths, [])


@given(LENGTHS)
def test_blocks_follow_one_another_are_bounded_and_as_large_as_they_can_be(lengths: list[int]) -> None:
    blocks = blocks_of(lengths, [])
    assert [i for block in blocks for i in block] == list(range(len(lengths)))
    assert all(len(block) == 1 or sum(lengths[i] for i in block) <= BLOCK_TOKENS for block in blocks)
    assert all(sum(lengths[i] for i in block) + lengths[after[0]] > BLOCK_TOKENS for block, after in pairwise(blocks))


def test_a_block_that_gains_nothing_is_left_alone() -> None:
    assert cut_blocks([Place(1, 100, 1), Place(2, 28, 1)]) == []
    assert cut_blocks([Place(1, 100, 1), Place(2, 28, 1), Place(3, 1)]) == [[Place(3, 1)]]
    assert cut_blocks([Place(1, 100, 1), Place(2, 27)]) == [[Place(1, 100, 1), Place(2, 27)]]


def test_a_message_that_waits_between_others_of_its_block_is_seen_to() -> None:
    places = [Place(1, 5, 1), Place(2, 5), Place(3, 5, 1)]
    assert cut_blocks(places) == [places]


# In the file ---------------------------------------------------------------------------------------------------------

SAID = [
    ("Ottilie", "The mill wheel turns again, after eleven years of nettles and rust."),
    ("Per", "Wirklich? Wer hat das Lager geschmiert?"),
    ("Ottilie", "Ich selbst, mit dem alten Fett aus der Scheune. It took three evenings and a good lamp."),
    ("Per", "他们说磨坊下个月开放。"),
    ("Ottilie", "Yes!"),
    ("Per", "!!!"),
]


def valley(count: int, sessions: bool = True) -> list[Message]:
    """Talk in two conversations at once; sessions change every eleven messages."""
    talk = []
    for n in range(count):
        speaker, text = SAID[n * n % len(SAID)]
        session = f"s{n // 11}" if sessions else None
        talk.append(Message(f"valley{n % 3 % 2}", f"v{n}", speaker, "user", text, f"2024-04-{n // 24 + 1:02}T{n % 24:02}:00:00", session))
    return talk


@pytest.mark.parametrize("sessions", [True, False])
@pytest.mark.parametrize("a_round", [1, 7, 256])
def test_any_batches_and_rounds_give_the_same_rows(
    tmp_path: Path, open_store: OpenStore, same_content: Same, monkeypatch: pytest.MonkeyPatch, sessions: bool, a_round: int
) -> None:
    talk = valley(40, sessions)
    with open_store(tmp_path / "whole.memdb") as whole, open_store(tmp_path / "parts.memdb") as parts:
        whole.add(talk)
        monkeypatch.setattr(context_refresh, "ROUND_MESSAGES", a_round)
        for begin, end in ((0, 1), (1, 3), (3, 18), (18, 19), (19, 40)):
            parts.add(talk[begin:end])
        same_content(whole.connection, parts.connection)
        assert rows.count_pending(whole.connection) == 0


def test_vectors_are_those_of_the_blocks_and_stand_in_the_snapshot(store: Store) -> None:
    store.add(valley(30))
    sql = "SELECT c.message_id, c.block_id, m.text FROM message_contexts c JOIN messages m ON m.id = c.message_id ORDER BY c.message_id"
    stored = store.connection.execute(sql).fetchall()
    ids = [row[0] for row in stored]
    found = dict(zip(ids, fetch_vectors(store.connection, "message", ids), strict=True))
    for first in {row[1] for row in stored}:
        block = [row for row in stored if row[1] == first]
        expected = store.embedder.encode_in_context([[row[2] for row in block]])[0]
        np.testing.assert_allclose(np.stack([found[row[0]] for row in block]), expected, atol=1e-3)
    snapshot = load_snapshot(store.connection)
    np.testing.assert_array_equal(snapshot.message_vectors, np.stack([found[int(i)] for i in snapshot.message_ids]))


def test_an_older_file_has_zero_rows_until_the_next_ingest_even_of_nothing_new(store: Store) -> None:
    store.add(valley(12))
    before = load_snapshot(store.connection).message_vectors
    store.connection.execute("UPDATE message_contexts SET block_id = NULL, tokens = NULL; DROP TABLE message_vectors")
    without = load_snapshot(store.connection).message_vectors
    assert without.shape == before.shape
    assert not without.any()
    assert store.add(valley(12)).messages_new == 0
    np.testing.assert_array_equal(load_snapshot(store.connection).message_vectors, before)
    changes = store.connection.total_changes()
    assert refresh_contexts(store.connection, lambda: pytest.fail("nothing is left to embed")) == 0
    assert store.connection.total_changes() == changes


def test_a_refresh_that_is_interrupted_is_finished_by_the_next(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_refresh, "ROUND_MESSAGES", 5)
    store.add(valley(20))
    before = load_snapshot(store.connection).message_vectors

    def stop(done: int, _total: int) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    store.connection.execute("UPDATE message_contexts SET block_id = NULL, tokens = NULL")
    with pytest.raises(KeyboardInterrupt):
        refresh_contexts(store.connection, lambda: store.embedder, stop)
    assert rows.count_pending(store.connection) == 10
    refresh_contexts(store.connection, lambda: store.embedder)
    np.testing.assert_array_equal(load_snapshot(store.connection).message_vectors, before)
    rebuild_contexts(store.connection, store.embedder)
    np.testing.assert_array_equal(load_snapshot(store.connection).message_vectors, before)


def test_two_that_refresh_at_once_do_each_others_work_no_harm(store: Store, tmp_path: Path) -> None:
    store.add(valley(20))
    before = load_snapshot(store.connection).message_vectors
    store.connection.execute("UPDATE message_contexts SET block_id = NULL, tokens = NULL")
    other = connect(tmp_path / "test.memdb")
    overtaken = False

    def overtake(_done: int, _total: int) -> None:
        nonlocal overtaken
        overtaken = overtaken or refresh_contexts(other, lambda: store.embedder) > 0

    refresh_contexts(store.connection, lambda: store.embedder, overtake)
    other.close()
    assert overtaken
    np.testing.assert_array_equal(load_snapshot(store.connection).message_vectors, before)


def test_who_stood_beside_a_message_that_goes_is_embedded_without_it(store: Store) -> None:
    store.add(valley(9, sessions=False))
    connection = store.connection
    block = [row[0] for row in connection.execute("SELECT message_id FROM message_contexts WHERE block_id = 1 ORDER BY 1")]
    beside = [block.pop(0), *block[1:]]
    gone = block[0]
    connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM message_vectors WHERE message_id = ?", (gone,))
    connection.execute("DELETE FROM messages WHERE id = ?", (gone,))
    connection.execute("DELETE FROM message_contexts WHERE message_id = ?; PRAGMA foreign_keys = ON", (gone,))
    assert set(beside) <= {message for messages in rows.pending(connection, 99).values() for message in messages}
    refresh_contexts(connection, lambda: store.embedder)
    texts = rows.texts(connection, beside)
    expected = store.embedder.encode_in_context([[texts[i] for i in beside]])[0]
    np.testing.assert_allclose(fetch_vectors(connection, "message", beside), expected, atol=1e-3)


def test_lines_piped_in_parts_give_the_vectors_of_a_file_read_at_once(program: Program, same_content: Same) -> None:
    lines = [
        json.dumps({"role": "user", "name": m.speaker, "content": m.text, "timestamp": m.timestamp, "id": m.message_id}) + "\n"
        for m in valley(14)
    ]
    (program.folder / "valley.jsonl").write_text("".join(lines), encoding="utf-8")
    assert program.run("ingest", "valley.jsonl", "--db", "whole.memdb")[0] == 0
    for part in (lines[:1], lines[1:8], lines[8:]):
        child = program.start("ingest", "-", "--db", "piped.memdb")
        _, err = child.communicate("".join(part).encode(), timeout=60)
        assert child.returncode == 0, err
    whole, piped = connect(program.folder / "whole.memdb"), connect(program.folder / "piped.memdb")
    columns = "SELECT message_id, block_id, tokens FROM message_contexts ORDER BY message_id"
    assert whole.execute(columns).fetchall() == piped.execute(columns).fetchall() != []
    np.testing.assert_array_equal(load_snapshot(whole).message_vectors, load_snapshot(piped).message_vectors)
    whole.close()
    piped.close()
