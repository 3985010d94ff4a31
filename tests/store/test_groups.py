"""Rows of groups: what goes in comes out, moves never break the limit on the way, links follow their groups."""

from __future__ import annotations

import apsw
import numpy as np
import pytest

from memcli.store import groups
from memcli.store.groups import IndexRow, Term

CENTROID = np.array([0.5, 0.5, 0.5, 0.5], np.float32)


def add_claims(memory: apsw.Connection, count: int) -> list[int]:
    ids = list(range(100, 100 + count))
    with memory:
        for claim in ids:
            memory.execute(
                "INSERT INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES (?, 1, 'Ines digs.', 'fact', 1, 1)",
                (claim,),
            )
            memory.execute("INSERT INTO claim_supports VALUES (?, 1, 0)", (claim,))
    return ids


def test_the_index_comes_back_as_it_went_in(memory: apsw.Connection) -> None:
    assert groups.load_index(memory, 2) is None
    histogram = np.arange(5, dtype=np.int64)
    groups.save_index(memory, IndexRow(7, histogram, None))
    assert groups.load_index(memory, 2).basis is None  # type: ignore[union-attr]
    basis = np.arange(8, dtype=np.float32).reshape(4, 2)
    groups.save_index(memory, IndexRow(9, histogram, basis))
    row = groups.load_index(memory, 2)
    assert row is not None
    assert row.next_group == 9
    np.testing.assert_array_equal(row.histogram, histogram)
    np.testing.assert_array_equal(row.basis, basis)  # type: ignore[arg-type]


def test_cells_come_back_in_order(memory: apsw.Connection) -> None:
    cells = [(i, CENTROID * i, np.array([9 - i, i, 5], np.int64)) for i in range(12)]
    groups.save_cells(memory, reversed(cells))
    groups.save_cells(memory, [(3, CENTROID, np.zeros(0, np.int64))])
    found = groups.load_cells(memory)
    assert [ids.tolist() for _, ids in found] == [[] if i == 3 else [9 - i, i, 5] for i in range(12)]
    np.testing.assert_array_equal(found[2][0], CENTROID * 2)


def test_members_may_change_places_between_full_groups(memory: apsw.Connection) -> None:
    claims = add_claims(memory, 24)
    groups.save_groups(memory, [(1, CENTROID), (2, CENTROID)], [(c, 1 if c < 112 else 2) for c in claims])
    groups.save_groups(memory, [(1, CENTROID), (2, CENTROID)], [(100, 2), (112, 1)])
    assert groups.members_of(memory, 1) == [*range(101, 113)]
    assert groups.group_of(memory, 100) == 2


def test_a_thirteenth_member_is_refused(memory: apsw.Connection) -> None:
    claims = add_claims(memory, 13)
    with pytest.raises(apsw.ConstraintError, match="at most 12"):
        groups.save_groups(memory, [(1, CENTROID)], [(c, 1) for c in claims])


def test_a_claim_that_has_left_is_in_no_group(memory: apsw.Connection) -> None:
    groups.save_groups(memory, [(1, CENTROID)], [(1, 1), (2, 1)])
    groups.save_groups(memory, [(1, CENTROID * 2)], [(1, None)])
    assert groups.members_of(memory, 1) == [2]
    np.testing.assert_array_equal(groups.load_centroids(memory)[1], CENTROID * 2)
    with pytest.raises(KeyError):
        groups.group_of(memory, 1)


def test_only_what_changed_of_links_is_written(memory: apsw.Connection) -> None:
    groups.save_groups(memory, [(i, CENTROID) for i in (1, 2, 3)], [])
    groups.save_neighbours(memory, {1: {}, 2: {}}, {1: {2: 0.5, 3: 0.25}, 2: {1: 0.5}})
    before = memory.total_changes()
    groups.save_neighbours(memory, {1: {2: 0.5, 3: 0.25}}, {1: {2: 0.5, 3: 0.75}, 2: {1: 0.5}})
    assert memory.total_changes() - before == 1
    groups.save_neighbours(memory, {1: {2: 0.5, 3: 0.75}}, {1: {2: 0.5}, 2: {1: 0.5}})
    assert groups.neighbours_of(memory, 1) == {2: 0.5}
    assert groups.linked_to(memory, 2) == [1]


def test_links_go_with_their_group(memory: apsw.Connection) -> None:
    groups.save_groups(memory, [(1, CENTROID), (2, CENTROID)], [])
    groups.save_neighbours(memory, {1: {}, 2: {}}, {1: {2: 0.5}, 2: {1: 0.5}})
    groups.delete_groups(memory, [2])
    assert groups.neighbours_of(memory, 1) == {}


def test_claims_are_linked_and_unlinked_both_ways(memory: apsw.Connection) -> None:
    groups.save_links(memory, [(2, 1, 0.5), (2, 1, 0.75)])
    assert memory.execute("SELECT similarity FROM claim_neighbours").fetchall() == [(0.75,)]
    assert groups.linking_to(memory, 1) == [2]
    groups.delete_links(memory, 1)
    assert groups.linking_to(memory, 1) == []


def test_a_groups_terms_are_its_claims_keywords_and_names_but_no_people(memory: apsw.Connection) -> None:
    groups.save_groups(memory, [(1, CENTROID)], [(1, 1), (2, 1)])
    assert groups.group_terms(memory, 1) == [Term(1, "Olomouc", True), Term(1, "quince", False), Term(2, "quince", False)]


def test_a_label_that_did_not_change_is_not_written(memory: apsw.Connection) -> None:
    groups.save_groups(memory, [(1, CENTROID)], [])
    groups.save_labels(memory, [(1, "quince")])
    before = memory.total_changes()
    groups.save_labels(memory, [(1, "quince")])
    assert memory.total_changes() == before
    groups.save_groups(memory, [(1, CENTROID)], [])
    assert memory.execute("SELECT label FROM groups").get == "quince"


def test_clearing_leaves_nothing(memory: apsw.Connection) -> None:
    groups.save_groups(memory, [(1, CENTROID), (2, CENTROID)], [(1, 1)])
    groups.save_neighbours(memory, {1: {}}, {1: {2: 0.5}})
    groups.save_links(memory, [(2, 1, 0.5)])
    groups.save_index(memory, IndexRow(3, np.zeros(2, np.int64), None))
    groups.save_cells(memory, [(0, CENTROID, np.array([1, 2], np.int64))])
    groups.clear(memory)
    for table in ("groups", "group_members", "group_neighbours", "claim_neighbours", "group_index", "group_cells"):
        assert memory.execute(f"SELECT count(*) FROM {table}").get == 0
