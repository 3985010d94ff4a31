"""Compressing keeps the evidence and the laws; restoring brings everything back; in any order, at any moment."""

from __future__ import annotations

import json
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import pytest

from memcli.atoms import Message
from memcli.compress.settings import Settings
from memcli.compression import Limits, compress_memory
from memcli.errors import NotFoundError, UsageError
from memcli.memory import Memory
from memcli.restoring import restore_memory
from memcli.store.connection import connect
from memcli.store.facts import fetch_facts
from memcli.store.vectors import fetch_vectors, load_vectors
from memcli.write.groups import Groups

if TYPE_CHECKING:
    from conftest import Program, Store

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Everything = Callable[[apsw.Connection], dict[str, list[Any]]]
Problems = Callable[[apsw.Connection, Path], Sequence[Any]]


def sound(connection: apsw.Connection, problems: Problems) -> bool:
    found = problems(connection, Path(connection.filename))
    assert not found, found
    return True


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.8])
def test_a_run_removes_the_share_asked_for_and_restore_brings_back_every_bit(
    copy: Store, everything: Everything, problems: Problems, ratio: float
) -> None:
    before = everything(copy.connection)
    outcome = compress_memory(copy.connection, ratio, Limits())
    assert outcome.after is not None
    assert outcome.after.claims == round((1 - ratio) * outcome.before.claims)
    assert outcome.after.claims == copy.connection.execute("SELECT count(*) FROM claims WHERE status = 'active'").get
    assert outcome.after.tokens < outcome.before.tokens
    assert outcome.after.index_bytes <= outcome.before.index_bytes
    assert sound(copy.connection, problems)
    back = restore_memory(copy.connection, outcome.run)
    assert back.after is not None
    assert (back.after.claims, back.after.tokens) == (outcome.before.claims, outcome.before.tokens)
    after = everything(copy.connection)
    for table, rows in before.items():
        assert after[table] == rows, table
    assert sound(copy.connection, problems)


def test_restore_brings_back_vectors_that_are_not_the_mean_of_the_supports(copy: Store, everything: Everything) -> None:
    several = "SELECT claim_id FROM claim_supports GROUP BY claim_id HAVING count(*) > 1 ORDER BY 1 LIMIT 3"
    repeated = [row[0] for row in copy.connection.execute(several)]
    for claim in repeated:  # as they were before it was said again
        first = copy.connection.execute("SELECT min(span_id) FROM claim_supports WHERE claim_id = ?", (claim,)).get
        row = fetch_vectors(copy.connection, "span", [first])[0]
        copy.connection.execute("UPDATE claim_vectors SET embedding = ? WHERE claim_id = ?", (row.tobytes(), claim))
    before = everything(copy.connection)["claim_vectors"]
    compress_memory(copy.connection, 0.9, Limits())
    assert {row[0] for row in copy.connection.execute("SELECT archived_id FROM lineage")} & set(repeated)
    restore_memory(copy.connection, None)
    assert everything(copy.connection)["claim_vectors"] == before


def test_at_half_the_claims_vectors_shrink_by_45_in_100_and_so_does_the_file_on_disk(copy: Store) -> None:
    def vectors() -> int:
        return int(copy.connection.execute("SELECT (SELECT count(*) FROM claim_vectors) + (SELECT count(*) FROM span_vectors)").get)

    before = vectors()
    outcome = compress_memory(copy.connection, 0.5, Limits())
    assert outcome.after is not None
    assert outcome.after.tokens < outcome.before.tokens
    assert vectors() <= 0.55 * before
    assert outcome.after.bytes < outcome.before.bytes
    assert Path(copy.connection.filename).stat().st_size == outcome.after.bytes


@pytest.mark.parametrize("transcript", ["river-house.jsonl", "coding-session.jsonl"])
def test_at_half_the_claims_words_shrink_by_40_in_100_though_no_value_goes(tmp_path: Path, transcript: str) -> None:
    # These are dense with dates and numbers, all of which are told; of long conversations 45 and more in 100 go (docs/benchmarks.md).
    with Memory.open(tmp_path / "example.memdb") as memory:
        memory.ingest([EXAMPLES / transcript])
        outcome = memory.compress(0.5)
    assert outcome.after is not None
    assert outcome.after.claims <= 0.505 * outcome.before.claims
    assert outcome.after.tokens <= 0.6 * outcome.before.tokens


def test_merged_claims_keep_all_supports_and_lead_to_what_they_absorbed(copy: Store) -> None:
    run = copy.connection.execute
    supports = {row[0]: row[1] for row in run("SELECT claim_id, json_group_array(span_id) FROM claim_supports GROUP BY 1").fetchall()}
    outcome = compress_memory(copy.connection, 0.6, Limits())
    merged = run("SELECT id FROM claims WHERE origin = 'merge' AND status = 'active'").fetchall()
    assert merged
    assert max(row[0] for row in run("SELECT count(*) FROM claim_supports GROUP BY claim_id").fetchall()) > 3
    for (claim,) in merged:
        absorbed = run("SELECT archived_id FROM lineage WHERE absorber_id = ? AND run_id = ?", (claim, outcome.run)).fetchall()
        assert len(absorbed) > 1
        union = {span for (old,) in absorbed for span in json.loads(supports[old])}
        assert union == {row[0] for row in run("SELECT span_id FROM claim_supports WHERE claim_id = ?", (claim,))}
    lost = run("SELECT span_id FROM claim_supports EXCEPT SELECT span_id FROM claim_supports cs JOIN facts f USING (claim_id, span_id)")
    assert lost.fetchall() == []


def test_groups_and_links_are_those_of_what_is_left(copy: Store) -> None:
    run = copy.connection.execute
    compress_memory(copy.connection, 0.6, Limits())
    ids, matrix = load_vectors(copy.connection, "claim")
    rows = dict(zip(ids.tolist(), matrix, strict=True))
    members: dict[int, list[int]] = {}
    for claim, group in run("SELECT claim_id, group_id FROM group_members ORDER BY 1"):
        members.setdefault(group, []).append(claim)
    centroids = {group: np.frombuffer(data, np.float32) for group, data in run("SELECT id, centroid FROM groups")}
    assert centroids.keys() == members.keys()
    for group, claims in members.items():
        mean = np.sum([rows[claim] for claim in claims], axis=0)
        np.testing.assert_allclose(centroids[group], mean / np.linalg.norm(mean), atol=1e-4)
    for group, other, similarity in run("SELECT * FROM group_neighbours"):
        assert similarity == pytest.approx(float(centroids[group] @ centroids[other]), abs=0.02)
    links = list(run("SELECT * FROM claim_neighbours"))
    assert {end for claim, other, _ in links for end in (claim, other)} <= rows.keys()
    assert max(Counter(claim for claim, _, _ in links).values()) <= 10
    merged = [row[0] for row in run("SELECT id FROM claims WHERE origin = 'merge' AND status = 'active'")]
    groups = Groups(copy.connection)
    assert all(groups.nearest_claims(rows[claim], 3)[0][1] > 0.99 for claim in merged)
    held = {group for (cell,) in run("SELECT group_ids FROM group_cells") for group in np.frombuffer(cell, np.int64).tolist()}
    assert held == centroids.keys()


def test_claims_of_different_people_or_that_deny_are_never_merged(copy: Store) -> None:
    compress_memory(copy.connection, 0.9, Limits())
    wrong = copy.connection.execute(
        "SELECT count(*) FROM lineage l JOIN claims a ON a.id = l.archived_id JOIN claims m ON m.id = l.absorber_id"
        " WHERE (a.subject_id, a.speaker_id, a.polarity, a.modality) IS NOT (m.subject_id, m.speaker_id, m.polarity, m.modality)"
    ).get
    assert wrong == 0


def test_what_was_packed_is_read_through_its_claims_word_for_word(copy: Store) -> None:
    run = copy.connection.execute
    texts = {row[0]: row[1] for row in run("SELECT id, text FROM messages").fetchall()}
    spans = [row[0] for row in run("SELECT id FROM spans ORDER BY id").fetchall()]
    vectors = fetch_vectors(copy.connection, "span", spans)
    compress_memory(copy.connection, 0.7, Limits())
    packed = {row[0] for row in run("SELECT id FROM messages WHERE text IS NULL").fetchall()}
    assert packed
    claims = [row[0] for row in run("SELECT id FROM claims WHERE status = 'active' ORDER BY id DESC").fetchall()]
    found = fetch_facts(copy.connection, claims)
    assert [fact.id for fact in found] == claims
    for fact in found:
        for message, evidence in zip(fact.messages, fact.evidence, strict=True):
            assert evidence.text == texts[message][evidence.start : evidence.end]
    assert packed & {message for fact in found for message in fact.messages}
    assert sum(len(fact.evidence) for fact in found) == len(run("SELECT claim_id, span_id FROM facts").fetchall())
    told = {evidence for fact in found for evidence in zip(fact.messages, (e.start for e in fact.evidence), strict=True)}
    rested = "SELECT DISTINCT s.message_id, s.start_offset FROM claim_supports cs JOIN spans s ON s.id = cs.span_id"
    assert told == set(run(rested).fetchall())
    assert np.array_equal(fetch_vectors(copy.connection, "span", spans), vectors)
    assert texts == {row[0]: row[1] for row in run("SELECT id, text FROM message_texts").fetchall()}


def test_runs_are_undone_in_the_reverse_of_their_order(copy: Store, everything: Everything, problems: Problems) -> None:
    states = [everything(copy.connection)]
    for number in (1, 2, 3):
        assert compress_memory(copy.connection, 0.4, Limits()).run == number
        assert sound(copy.connection, problems)
        states.append(everything(copy.connection))
    with pytest.raises(UsageError, match="run 3 came after run 2"):
        restore_memory(copy.connection, 2)
    for number in (3, 2, 1):
        assert everything(copy.connection) == states[number]
        assert restore_memory(copy.connection, None).run == number
    assert everything(copy.connection) == states[0]
    with pytest.raises(UsageError, match="undone already"):
        restore_memory(copy.connection, 1)
    with pytest.raises(NotFoundError, match="not compressed"):
        restore_memory(copy.connection, None)
    with pytest.raises(NotFoundError, match="no such run"):
        restore_memory(copy.connection, 9)


def test_the_same_memory_is_compressed_the_same_way(
    mill: Path, tmp_path: Path, open_store: Callable[[Path], AbstractContextManager[Store]], everything: Everything
) -> None:
    states = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.memdb"
        path.write_bytes(mill.read_bytes())
        with open_store(path) as store:
            compress_memory(store.connection, 0.5, Limits())
            states.append(everything(store.connection))
    assert states[0] == states[1]


def test_a_dry_run_tells_what_a_run_does_and_changes_nothing(copy: Store, everything: Everything) -> None:
    before = everything(copy.connection)
    outcome = compress_memory(copy.connection, 0.5, Limits(), dry_run=True)
    assert everything(copy.connection) == before
    assert outcome.run is None
    done = compress_memory(copy.connection, 0.5, Limits())
    assert done.merges == outcome.merges
    made = [row[0] for row in copy.connection.execute("SELECT text FROM claims WHERE origin = 'merge' ORDER BY id")]
    assert [merged["text"] for merged in outcome.merged] == made


def test_what_is_recent_or_protected_stays_and_the_report_tells_why(copy: Store) -> None:
    run = copy.connection.execute
    limits = Limits(keep_messages=30, protect=frozenset({"preference"}))
    outcome = compress_memory(copy.connection, 0.9, limits)
    assert outcome.achieved < 0.9
    assert outcome.left_alone["recent"] > 0
    assert outcome.left_alone["protected"] > 0
    assert "left alone" in outcome.notes[0]
    assert "recent" in outcome.notes[0]
    last = run("SELECT max(position) - 30 FROM messages").get
    touched = run(
        "SELECT count(*) FROM lineage l JOIN claims c ON c.id = l.archived_id JOIN claim_supports cs ON cs.claim_id = c.id"
        " JOIN spans s ON s.id = cs.span_id JOIN messages m ON m.id = s.message_id WHERE m.position > ? OR c.kind = 'preference'",
        (last,),
    ).get
    assert touched == 0
    assert run("SELECT count(*) FROM messages WHERE text IS NULL AND position > ?", (last,)).get == 0


def test_only_what_was_said_before_a_date_is_merged(copy: Store) -> None:
    middle = copy.connection.execute("SELECT said_at FROM messages ORDER BY said_at LIMIT 1 OFFSET 45").get
    compress_memory(copy.connection, 0.3, Limits(only_before=middle))
    late = (
        "SELECT count(*) FROM lineage l JOIN claim_supports cs ON cs.claim_id = l.archived_id JOIN spans s ON s.id = cs.span_id"
        " JOIN messages m ON m.id = s.message_id WHERE m.said_at >= ?"
    )
    assert copy.connection.execute(late, (middle,)).get == 0
    assert copy.connection.execute("SELECT count(*) FROM messages WHERE text IS NULL AND said_at >= ?", (middle,)).get == 0
    assert copy.connection.execute("SELECT count(*) FROM lineage").get > 0


@pytest.mark.parametrize("ratio", [0, 1, -0.5, 1.5, float("nan")])
def test_a_ratio_out_of_range_is_refused(copy: Store, ratio: float) -> None:
    with pytest.raises(UsageError, match="more than 0 and less than 1"):
        compress_memory(copy.connection, ratio, Limits())


def test_all_messages_can_be_packed(copy: Store, everything: Everything, problems: Problems) -> None:
    before = everything(copy.connection)
    compress_memory(copy.connection, 0.5, Limits(), settings=Settings(pack="all"))
    assert copy.connection.execute("SELECT count(*) FROM messages WHERE text IS NOT NULL").get == 0
    assert copy.connection.execute("SELECT count(*) FROM span_vectors").get == 0
    assert sound(copy.connection, problems)
    restore_memory(copy.connection, None)
    assert everything(copy.connection) == before


def test_a_memory_that_is_packed_whole_comes_back_too(store: Store, everything: Everything, problems: Problems) -> None:
    said = ("I painted the boat in Faro.", "I painted the mast of the boat in Faro.", "I painted the old mast of the boat.")
    store.add(Message("quay", f"m{n}", "Tove", "user", text) for n, text in enumerate(said))
    before = everything(store.connection)
    compress_memory(store.connection, 0.66, Limits())
    assert store.connection.execute("SELECT count(*) FROM messages WHERE text IS NOT NULL").get == 0
    assert sound(store.connection, problems)
    store.add([Message("quay", "m9", "Tove", "user", "I sold the boat in Kiel yesterday.")])
    assert sound(store.connection, problems)
    restore_memory(store.connection, None)
    assert sound(store.connection, problems)
    assert set(before["span_vectors"]) <= set(everything(store.connection)["span_vectors"])


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("DELETE FROM lineage WHERE archived_id = (SELECT min(archived_id) FROM lineage)", "archived claims that no standing run absorbed"),
        ("DELETE FROM run_states", "standing runs that cannot be undone exactly"),
        ("UPDATE runs SET undone_at = 0", "lineage, event trees or packs of runs that were undone"),
    ],
)
def test_what_could_not_be_restored_is_reported(copy: Store, problems: Problems, harm: str, told: str) -> None:
    compress_memory(copy.connection, 0.5, Limits())
    copy.connection.execute(harm)
    assert any(told in problem.message for problem in problems(copy.connection, Path(copy.connection.filename)))


def test_an_empty_memory_has_nothing_to_merge(store: Store) -> None:
    outcome = compress_memory(store.connection, 0.5, Limits())
    assert (outcome.run, outcome.merges, outcome.achieved) == (None, 0, 0.0)


def test_what_comes_to_a_merged_claim_stays_when_the_run_is_undone(
    copy: Store, make_chat: Callable[..., list[Message]], problems: Problems
) -> None:
    compress_memory(copy.connection, 0.5, Limits())
    copy.add(make_chat(30, first=90))
    copy.add(make_chat(40, seed=5, conversation="quay"))
    assert sound(copy.connection, problems)
    spans = {row[0] for row in copy.connection.execute("SELECT span_id FROM claim_supports")}
    restore_memory(copy.connection, None)
    assert sound(copy.connection, problems)
    assert {row[0] for row in copy.connection.execute("SELECT span_id FROM claim_supports")} == spans
    assert copy.connection.execute("SELECT count(*) FROM claims WHERE origin = 'merge' OR status = 'archived'").get == 0


@pytest.mark.parametrize("command", [("compress", "--ratio", "0.5"), ("restore",)], ids=lambda command: command[0])
def test_a_command_killed_at_any_moment_leaves_the_file_as_before_or_as_after(
    program: Program, mill: Path, everything: Everything, problems: Problems, command: tuple[str, ...]
) -> None:
    rng = random.Random(7)
    path = program.folder / "killed.memdb"
    path.write_bytes(mill.read_bytes())
    if command[0] == "restore":
        assert program.run("compress", "--ratio", "0.5", "--db", path.name)[0] == 0
    whole_file = path.read_bytes()

    def state() -> dict[str, list[Any]]:
        connection = connect(path)
        try:
            assert sound(connection, problems)
            return everything(connection)
        finally:
            connection.close()

    before = state()
    path.write_bytes(whole_file)
    started = time.monotonic()
    assert program.run(*command, "--db", path.name)[0] == 0
    whole = time.monotonic() - started
    after = state()
    assert after != before
    for _ in range(6):
        for left in program.folder.glob("killed.memdb*"):
            left.unlink()
        path.write_bytes(whole_file)
        child = program.start(*command, "--db", path.name)
        time.sleep(rng.uniform(0.4, 1.0) * whole)
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
        assert state() in (before, after)


@pytest.mark.parametrize("command", ["compress", "restore"])
def test_an_interrupt_at_any_statement_leaves_the_file_as_before_or_as_after(
    mill: Path,
    tmp_path: Path,
    open_store: Callable[[Path], AbstractContextManager[Store]],
    everything: Everything,
    problems: Problems,
    command: str,
) -> None:
    start = tmp_path / "start.memdb"
    start.write_bytes(mill.read_bytes())
    if command == "restore":
        with open_store(start) as store:
            compress_memory(store.connection, 0.5, Limits())

    def run(name: str, stop: int | None) -> tuple[int, dict[str, list[Any]], dict[str, list[Any]]]:
        """How many statements there were, and the file before and after."""
        path = tmp_path / f"{name}.memdb"
        path.write_bytes(start.read_bytes())
        count = 0

        def trace(_cursor: apsw.Cursor, _statement: str, _bindings: object) -> bool:
            nonlocal count
            count += 1
            if count == stop:
                raise KeyboardInterrupt
            return True

        with open_store(path) as store:
            before = everything(store.connection)
            store.connection.exec_trace = trace
            try:
                if command == "compress":
                    compress_memory(store.connection, 0.5, Limits())
                else:
                    restore_memory(store.connection, None)
            except KeyboardInterrupt:
                assert stop is not None
            finally:
                store.connection.exec_trace = None
            assert sound(store.connection, problems)
            return count, before, everything(store.connection)

    every, before, after = run("whole", None)
    assert after != before
    for stop in random.Random(3).sample(range(1, every), 8):
        assert run(f"stopped-{stop}", stop)[2] in (before, after)
