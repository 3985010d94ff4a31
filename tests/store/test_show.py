"""`show`: any atom, what it rests on, and what rests on it."""

from __future__ import annotations

import apsw
import pytest

from memcli.errors import NotFoundError, UsageError
from memcli.store.show import show

KINDS = ("claim", "message", "page", "span", "handle", "time_cue", "pivot", "referent", "keyword", "conversation")


def kinds(rows: object) -> list[tuple[str, object]]:
    return [(row["kind"], row["id"]) for row in rows]  # type: ignore[attr-defined]


@pytest.mark.parametrize("reference", ["1", "claim:1", "claim: 1 "])
def test_a_claim_rests_on_its_spans_and_their_cues(memory: apsw.Connection, reference: str) -> None:
    shown = show(memory, reference)
    assert (shown.kind, shown.id) == ("claim", "1")
    assert shown.fields["text"] == "Ines planted two quince trees."
    assert shown.fields["keywords"] == ["quince"]
    assert kinds(shown.rests_on) == [("span", 1), ("span", 2), ("handle", 1), ("handle", 2), ("time_cue", 1)]
    first = shown.rests_on[0]
    assert (first["message_id"], first["speaker"], first["text"]) == ("1", "Ines", "Ines planted two quince trees yesterday.")


def test_times_have_the_form_they_have_in_a_fact(memory: apsw.Connection) -> None:
    time = {"start": "2024-03-04", "end": "2024-03-05", "granularity": "day"}
    memory.execute("UPDATE claims SET start_time = '2024-03-04', end_time = '2024-03-05', granularity = 'day' WHERE id = 1")
    assert show(memory, "1").fields["time"] == time
    assert next(row for row in show(memory, "1").rests_on if row["kind"] == "time_cue")["time"] == time
    assert show(memory, "time_cue:1").fields["time"] == time
    assert show(memory, "2").fields["time"] is None
    for reference in ("1", "2", "time_cue:1"):
        assert not {"start_time", "end_time", "granularity"} & show(memory, reference).fields.keys()


def test_a_cues_columns_are_those_that_are_promised(memory: apsw.Connection) -> None:
    for table in ("handles", "time_cues", "pivots"):
        memory.execute(f"ALTER TABLE {table} ADD COLUMN scratch TEXT")
    assert set(show(memory, "handle:1").fields) == {"text", "start", "referent_id"}
    assert set(show(memory, "time_cue:1").fields) == {"text", "start", "time", "anchor", "duration_days"}
    assert set(show(memory, "pivot:1").fields) == {"text", "start", "pivot_kind"}


@pytest.mark.parametrize("reference", ["1", "span:1", "message:1", "page:1", "handle:1", "referent:1", "keyword:1", "conversation:garden"])
def test_nothing_is_asked_twice(memory: apsw.Connection, reference: str) -> None:
    asked: list[str] = []

    def trace(cursor: apsw.Cursor, sql: str, values: object) -> bool:
        asked.append(sql)
        return True

    memory.exec_trace = trace
    show(memory, reference)
    memory.exec_trace = None
    assert len(asked) == len(set(asked)) > 0


def test_an_archived_claim_is_shown_as_such(memory: apsw.Connection) -> None:
    assert show(memory, "claim:3").fields["status"] == "archived"


def test_edges_are_seen_from_both_ends(memory: apsw.Connection) -> None:
    memory.execute("INSERT INTO edges (source_id, target_id, relation, strength) VALUES (2, 1, 'conflicts', 0.75)")
    for reference, other in (("1", 2), ("2", 1)):
        (edge,) = show(memory, reference).supports
        assert (edge["id"], edge["relation"], edge["strength"]) == (other, "conflicts", 0.75)


def test_what_absorbed_a_claim_is_told_until_the_run_is_undone(memory: apsw.Connection) -> None:
    memory.execute("INSERT INTO runs VALUES (1, 0.5, '{}', 0, NULL); INSERT INTO lineage VALUES (1, 3, 1)")
    assert [(row["id"], row["relation"]) for row in show(memory, "3").supports] == [(1, "absorbed by")]
    assert [row["id"] for row in show(memory, "1").rests_on if row["kind"] == "claim"] == [3]
    memory.execute("UPDATE runs SET undone_at = 1")
    assert show(memory, "3").supports == []


@pytest.mark.parametrize(
    ("reference", "rests_on", "supports"),
    [
        ("span:1", [("message", "1")], [("claim", 1), ("claim", 3), ("handle", 1), ("time_cue", 1), ("pivot", 1)]),
        ("span:5", [("message", "3")], []),
        ("message:1", [("page", 1)], [("span", 1), ("span", 2)]),
        ("page:1", [("message", "1"), ("message", "2")], [("claim", 1), ("claim", 2), ("claim", 3)]),
        ("handle:3", [("span", 4)], [("claim", 2)]),
        ("time_cue:1", [("span", 1)], [("claim", 1), ("claim", 3)]),
        ("pivot:1", [("span", 1)], [("claim", 1), ("claim", 3)]),
        ("referent:1", [("handle", 1)], [("claim", 1), ("claim", 3)]),
        ("referent:ines", [("handle", 1)], [("claim", 1), ("claim", 3)]),
        ("keyword:quince", [("claim", 1), ("claim", 2), ("claim", 3)], []),
        ("keyword:1", [("claim", 1), ("claim", 2), ("claim", 3)], []),
        ("conversation:garden", [], [("page", 1), ("page", 2)]),
    ],
)
def test_every_other_atom(memory: apsw.Connection, reference: str, rests_on: list[object], supports: list[object]) -> None:
    shown = show(memory, reference)
    assert shown.kind == reference.partition(":")[0]
    assert kinds(shown.rests_on) == rests_on
    assert kinds(shown.supports) == supports
    assert shown.to_dict()["kind"] == shown.kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["99", "", "-1", "1' OR '1'='1", "²", "9" * 30, "x" * 5000])
def test_what_is_not_there_is_not_found(memory: apsw.Connection, kind: str, name: str) -> None:
    with pytest.raises(NotFoundError, match=f"no {kind} of that id"):
        show(memory, f"{kind}:{name}")


@pytest.mark.parametrize("reference", ["claims:1", "Claim:1", ":1", "models:1", "://"])
def test_another_kind_is_a_mistake_that_names_the_kinds(memory: apsw.Connection, reference: str) -> None:
    with pytest.raises(UsageError) as caught:
        show(memory, reference)
    assert all(kind in str(caught.value) for kind in KINDS)


def add_message(memory: apsw.Connection, number: int, conversation: str, name: str) -> None:
    memory.execute("INSERT OR IGNORE INTO conversations (external_id) VALUES (?)", (conversation,))
    (key,) = memory.execute("SELECT id FROM conversations WHERE external_id = ?", (conversation,)).fetchone()
    memory.execute("INSERT INTO pages (id, conversation_id) VALUES (?, ?)", (number, key))
    memory.execute(
        "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
        " VALUES (?, ?, ?, ?, ?, 'Ines', 'user', 'x', 1, ?)",
        (number, key, number, number, name, bytes([number]) * 16),
    )


def test_a_message_of_an_id_with_colons_and_slashes(memory: apsw.Connection) -> None:
    add_message(memory, 50, "garden", "D1:3/a")
    assert show(memory, "message:D1:3/a").fields["conversation_id"] == "garden"


@pytest.mark.parametrize(("conversation", "name"), [("yard", "1"), ("a/b", "1"), ("yard", "x/1")])
def test_a_message_whose_id_several_conversations_have(memory: apsw.Connection, conversation: str, name: str) -> None:
    add_message(memory, 50, conversation, name)
    add_message(memory, 51, "third", name)
    with pytest.raises(UsageError, match=f"write message:CONVERSATION/{name}"):
        show(memory, f"message:{name}")
    assert show(memory, f"message:{conversation}/{name}").fields["conversation_id"] == conversation
