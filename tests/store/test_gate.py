"""Loading what the gate compares, merging into a stored claim, storing edges: on a real file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
import pytest

from memcli.atoms import DraftClaim, SpanRef, TimeCue
from memcli.store.claims import insert_claim, insert_time_cue
from memcli.store.connection import connect, transaction
from memcli.store.gate import VECTOR_SUPPORTS, apply_merge, claims_with, insert_edges, load_existing
from memcli.store.search import postings, search_terms
from memcli.write.gate import judge, sign_draft, sign_stored

DRAFT = DraftClaim(
    text="Ines planted two quince trees.",
    supports=(SpanRef(0, 0),),
    subject="Ines",
    speaker="Ines",
    kind="event",
    modality="did",
    polarity="positive",
    time=TimeCue("yesterday", 30, "2024-03-04", "2024-03-05", "day", "2024-03-05"),
    keywords=("quince tree", "orchard"),
)
VECTOR = np.full(4, 0.5, np.float32)


def supports(connection: apsw.Connection, claim: int) -> list[tuple[int, int]]:
    return connection.execute("SELECT span_id, position FROM claim_supports WHERE claim_id = ? ORDER BY position", (claim,)).fetchall()


def test_existing_claims_come_in_the_order_asked_for_without_archived_ones(memory: apsw.Connection) -> None:
    found = load_existing(memory, [2, 3, 99, 1])
    assert [claim.id for claim in found] == [2, 1]
    assert (found[1].text, found[1].speaker, found[1].subject) == ("Ines planted two quince trees.", "Ines", None)
    assert (sorted(found[1].handles), found[1].extent) == (["Ines", "Olomouc"], 40)
    assert load_existing(memory, []) == []


def test_a_claim_is_the_same_to_the_gate_when_it_is_read_back(memory: apsw.Connection) -> None:
    with transaction(memory):
        cue = insert_time_cue(memory, 5, TimeCue("Sunday", 16, "2024-03-10", "2024-03-11", "day", "2024-03-05"))
        memory.execute("INSERT INTO handles (referent_id, span_id, start_offset, text) SELECT id, 5, 5, 'come' FROM referents LIMIT 1")
        claim = insert_claim(memory, DRAFT, page=1, said_at=5.0, supports=[5], time_cue=cue)
    stored = sign_stored(load_existing(memory, [claim])[0], VECTOR)
    new = sign_draft(DRAFT, VECTOR, said_at=5.0, handles=["come"], extent=23)
    assert stored.signature == new.signature
    verdict = judge(new, [stored])
    assert (verdict.action, verdict.merge_id) == ("merge", claim)


def test_claims_are_found_by_two_of_the_words(memory: apsw.Connection) -> None:
    with transaction(memory):
        own = insert_claim(memory, DRAFT, page=1, said_at=5.0, supports=[5], time_cue=None)
        other = replace(DRAFT, text="Ines sold the quince tree.", subject="Bruno")
        insert_claim(memory, other, page=1, said_at=6.0, supports=[4], time_cue=None)
    assert claims_with(memory, "ines", ["quinc", "tree", "sold"]) == [own]
    assert claims_with(memory, "Ines", ["quinc"]) == [own]
    assert claims_with(memory, "Ines", ["quinc", "sold"]) == []
    assert claims_with(memory, "Bruno", ["quinc", "tree"]) == []
    assert claims_with(memory, "Ines", []) == []
    assert claims_with(memory, "Ines", ['"', "tree OR"]) == []


def test_a_merge_adds_supports_handles_and_keywords(memory: apsw.Connection) -> None:
    with transaction(memory):
        merged = apply_merge(memory, 1, DRAFT, supports=[4, 1], replaces=False, page=1, said_at=9.0, time_cue=None)
    assert merged.supports == (1, 2, 4)
    assert merged.grew
    assert merged.stale_vector
    assert supports(memory, 1) == [(1, 0), (2, 1), (4, 2)]
    handles = memory.execute("SELECT handle_id FROM claim_handles WHERE claim_id = 1 ORDER BY 1").fetchall()
    assert handles == [(1,), (2,), (3,)]
    keywords = memory.execute("SELECT k.text FROM claim_keywords c JOIN keywords k ON k.id = c.keyword_id WHERE c.claim_id = 1").fetchall()
    assert {k for (k,) in keywords} == {"quince", "quince tree", "orchard"}
    assert memory.execute("SELECT text, anchor_span_id FROM claims WHERE id = 1").fetchone() == ("Ines planted two quince trees.", 1)


def test_the_same_merge_again_changes_nothing(memory: apsw.Connection) -> None:
    with transaction(memory):
        apply_merge(memory, 1, DRAFT, supports=[4], replaces=False, page=1, said_at=9.0, time_cue=None)
        before = supports(memory, 1)
        again = apply_merge(memory, 1, DRAFT, supports=[4], replaces=False, page=1, said_at=9.0, time_cue=None)
    assert (again.grew, again.stale_vector) == (False, False)
    assert supports(memory, 1) == before


def test_a_claim_said_first_gives_its_words_and_is_found_by_them(memory: apsw.Connection) -> None:
    draft = replace(DRAFT, text="Ines really planted two quince seedlings.")
    with transaction(memory):
        apply_merge(memory, 1, draft, supports=[4], replaces=True, page=2, said_at=1.0, time_cue=1)
    row = memory.execute("SELECT text, page_id, said_at, start_time, time_cue_id, anchor_span_id FROM claims WHERE id = 1").fetchone()
    assert row == (draft.text, 2, 1.0, "2024-03-04", 1, 4)
    assert [i for i, _ in postings(memory, "claim", search_terms("seedlings")[0])] == [1]
    assert 1 not in [i for i, _ in postings(memory, "claim", search_terms("trees")[0])]


def test_a_merge_keeps_the_claim_grounded(memory: apsw.Connection) -> None:
    memory.execute("BEGIN")
    apply_merge(memory, 1, DRAFT, supports=[4], replaces=True, page=1, said_at=1.0, time_cue=None)
    memory.execute("DELETE FROM claim_supports WHERE claim_id = 1 AND span_id = 4")
    with pytest.raises(apsw.ConstraintError):
        memory.execute("COMMIT")
    memory.execute("ROLLBACK")


def test_the_vector_follows_only_the_first_supports(memory: apsw.Connection) -> None:
    with transaction(memory):
        memory.execute(
            "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
            " VALUES (9, 1, 1, 9, '9', 'Ines', 'user', 'abcdefghijklmnopqrstuvwxyz', 26, zeroblob(16))"
        )
        for number in range(20):
            memory.execute("INSERT INTO spans VALUES (?, 9, ?, ?, 'sentence', 1)", (100 + number, number, number + 1))
        stale = [
            apply_merge(memory, 1, DRAFT, supports=[100 + n], replaces=False, page=1, said_at=None, time_cue=None).stale_vector
            for n in range(20)
        ]
    assert stale == [n + 3 <= VECTOR_SUPPORTS for n in range(20)]


def test_edges_are_stored_once_with_the_greatest_strength(memory: apsw.Connection) -> None:
    with transaction(memory):
        assert insert_edges(memory, [(1, 2, "related_to", 0.5), (2, 1, "conflicts", 0.9)]) == 2
        assert insert_edges(memory, [(1, 2, "related_to", 0.6), (1, 2, "supports", 0.8), (2, 1, "conflicts", 0.7)]) == 1
    rows = memory.execute("SELECT source_id, target_id, relation, strength FROM edges ORDER BY 1, 2, 3").fetchall()
    assert rows == [(1, 2, "related_to", 0.6), (1, 2, "supports", 0.8), (2, 1, "conflicts", 0.9)]


def test_a_merge_survives_closing_the_file(memory: apsw.Connection, path: Path) -> None:
    with transaction(memory):
        apply_merge(memory, 1, DRAFT, supports=[4], replaces=False, page=1, said_at=None, time_cue=None)
    other = connect(path, read_only=True)
    assert load_existing(other, [1])[0].id == 1
    assert supports(other, 1) == [(1, 0), (2, 1), (4, 2)]
    other.close()
