"""JSON lines: a memory that comes back as it was."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.atoms import Message
from memcli.memory import Memory
from memcli.store.connection import connect

Export = Callable[..., str]

Content = Callable[[apsw.Connection], dict[str, list[str]]]
Rows = Callable[..., dict[str, list[dict[str, Any]]]]

DIFFERS = {"messages"}
"""What a memory holds that its messages' metadata and ids decide; compared by `said`."""


def again(text: str, path: Path) -> None:
    with Memory.open(path) as memory:
        memory.ingest([io.BytesIO(text.encode())])


def said(path: Path) -> list[tuple[Any, ...]]:
    connection = connect(path, read_only=True)
    sql = (
        "SELECT c.external_id, m.position, m.external_id, se.external_id, m.speaker, m.role, m.timestamp, m.text FROM messages m"
        " JOIN conversations c ON c.id = m.conversation_id LEFT JOIN sessions se ON se.id = m.session_id ORDER BY m.id"
    )
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def test_a_memory_that_is_exported_and_ingested_is_the_same(export: Export, filled: Path, tmp_path: Path, content: Content) -> None:
    again(export("jsonl"), tmp_path / "copy.memdb")
    assert said(tmp_path / "copy.memdb") == said(filled)
    ours, theirs = connect(filled, read_only=True), connect(tmp_path / "copy.memdb", read_only=True)
    before, after = content(ours), content(theirs)
    ours.close()
    theirs.close()
    for family in before.keys() - DIFFERS:
        assert before[family] == after[family], family
    assert len(before["claims"]) > 10


def test_the_copy_of_a_copy_is_the_copy(export: Export, tmp_path: Path) -> None:
    again(export("jsonl"), tmp_path / "one.memdb")
    first = export("jsonl", path=tmp_path / "one.memdb")
    again(first, tmp_path / "two.memdb")
    second = export("jsonl", path=tmp_path / "two.memdb")
    messages = [line for line in first.splitlines() if '"messages": []' not in line]
    assert [line for line in second.splitlines() if '"messages": []' not in line] == messages


def test_the_export_of_a_memory_adds_nothing_to_it(export: Export, tmp_path: Path) -> None:
    whole = [Message("a", "x1", "Signe", "user", "I live in Tartu.", "2024-01-01T10:00:00", metadata={"mood": "good"})]
    whole += [Message("a", "x1", "Okan", "user", "I live in Narva.", "2024-01-01T10:01:00") for _ in range(1)]
    whole += [Message("b", str(n), "Okan", "user", "The same again.", None, occurrence=n) for n in (1, 2, 3)]
    with Memory.open(tmp_path / "m.memdb") as memory:
        memory.add(whole)
    text = export("jsonl", path=tmp_path / "m.memdb")
    with Memory.open(tmp_path / "m.memdb") as memory:
        report = memory.ingest([io.BytesIO(text.encode())])
    assert (report.messages_new, report.messages_unchanged) == (0, 5)


def test_ids_are_those_of_the_transcript_or_are_counted(rows: Rows) -> None:
    lines = rows()["message"]
    assert [line.get("id") for line in lines if line["conversation_id"] == "log"] == [None, None, None]
    assert [line["id"] for line in lines if line["conversation_id"] == "kitchen"][-2:] == ["a8", "a1"]
    deploy = next(claim["id"] for claim in rows()["claim"] if "Friday" in claim["text"])
    assert [line["id"] for line in rows(claim=deploy)["message"] if "Friday" in line["content"]] == ["3"]


def test_metadata_stands_beside_the_message_unless_it_could_be_taken_for_it(rows: Rows) -> None:
    line = next(line for line in rows()["message"] if line.get("id") == "a8")
    assert line["reactions"] == ["❤", {"by": "Okan"}]
    assert line["name"] == "Okan"
    assert line["metadata"] == {"name": "not me", "date": "2020-01-01", "id": 5, "kind": "x", "from": "y"}


def test_every_line_is_json_that_steers_no_terminal(export: Export) -> None:
    text = export("jsonl")
    assert all(character.isprintable() or character in "\n" for character in text)
    assert all(json.loads(line) for line in text.splitlines())


def test_all_that_show_tells_of_a_claim_is_there(rows: Rows, compressed: Path) -> None:
    found = rows(path=compressed)
    spans = {span["id"]: span for span in found["span"]}
    with Memory.open(compressed, create=False, read_only=True) as memory:
        for claim in found["claim"]:
            shown = memory.show(str(claim["id"]))
            for name in ("text", "modality", "polarity", "subject", "speaker", "time", "origin", "status", "page_id", "keywords"):
                assert claim[name] == shown.fields[name], name
            assert claim["kind"] == shown.fields["claim_kind"]
            rests_on = [row["id"] for row in shown.rests_on if row["kind"] == "span"]
            assert [s["span_id"] for s in found["support"] if s["claim_id"] == claim["id"]] == rests_on
            for row in shown.rests_on:
                if row["kind"] == "claim":
                    assert any((s["archived_id"], s["absorber_id"]) == (row["id"], claim["id"]) for s in found["lineage"])
                elif row["kind"] == "span":
                    assert row == {"kind": "span"} | {key: spans[row["id"]][key] for key in row if key != "kind"}
                else:
                    assert any(atom["id"] == row["id"] and atom["text"] == row["text"] for atom in found[row["kind"]])
            for row in shown.supports:
                if row["kind"] == "claim" and row["relation"] == "absorbed by":
                    assert any((s["archived_id"], s["absorber_id"]) == (claim["id"], row["id"]) for s in found["lineage"])
                elif row["kind"] == "claim":
                    ends = [{e["source_id"], e["target_id"]} for e in found["edge"] if e["relation"] == row["relation"]]
                    assert {claim["id"], row["id"]} in ends
                elif row["kind"] == "group":
                    assert claim["group_id"] == row["id"]
                elif row["kind"] == "event_tree":
                    (tree,) = (tree for tree in found["event_tree"] if tree["id"] == row["id"])
                    assert claim["id"] in {tree["center_claim_id"], *(branch["claim_id"] for branch in tree["branches"])}
                else:
                    assert any(topic["id"] == row["id"] and topic["label"] == row["text"] for topic in found["topic"])


def test_all_that_show_tells_of_a_message_is_there(rows: Rows, filled: Path) -> None:
    found = rows()
    with Memory.open(filled, create=False, read_only=True) as memory:
        for line, origin in zip(found["message"], found["origin"], strict=True):
            shown = memory.show(f"message:{origin['conversation_id']}/{origin['message_id']}").fields
            assert line["content"] == shown["text"]
            assert (origin["source"], origin["locator"], origin["page_id"]) == (shown["source"], shown["locator"], shown["page_id"])
            assert (line.get("session_id"), line["role"], line.get("timestamp")) == (shown["session_id"], shown["role"], shown["timestamp"])


def test_supports_tell_how_they_came(rows: Rows, compressed: Path) -> None:
    found = rows(path=compressed)
    cello = next(claim for claim in found["claim"] if claim["text"] == "Signe plays the cello.")
    came = [support["added_by"] for support in found["support"] if support["claim_id"] == cello["id"]]
    assert "merge" in came
    assert "writing" in came
    assert any(support["added_by"] == "compression" for support in found["support"] if support["claim_id"] == 1)
    assert {support["added_by"] for support in found["support"] if support["claim_id"] == 900} == {"compression"}
    assert [step["absorber_id"] for step in found["lineage"]] == [1, 2, 900, 900]
    assert [(run["id"], run["undone_at"] is not None) for run in found["run"]] == [(1, False), (2, True)]


def test_a_closure_holds_what_its_claims_rest_on_and_no_more(rows: Rows, compressed: Path) -> None:
    whole, part = rows(path=compressed), rows(path=compressed, claim=1)
    claims = {claim["id"] for claim in part["claim"]}
    joined = {end for e in whole["edge"] for end in (e["source_id"], e["target_id"]) if 1 in (e["source_id"], e["target_id"])}
    assert claims == {1, 2, 3} | joined
    assert [s for s in whole["support"] if s["claim_id"] in claims] == part["support"]
    spans = {span["id"] for span in part["span"]}
    assert spans >= {support["span_id"] for support in part["support"]}
    assert {(m["conversation_id"], m["content"]) for m in part["message"]} == {
        (m["conversation_id"], m["content"])
        for m, origin in zip(whole["message"], whole["origin"], strict=True)
        if any(s["message_id"] == origin["message_id"] and s["conversation_id"] == origin["conversation_id"] for s in part["span"])
    }
    for kind in ("handle", "time_cue", "pivot"):
        assert part.get(kind, []) == [cue for cue in whole.get(kind, []) if cue["span_id"] in spans]
    referents = {referent["id"] for referent in part["referent"]}
    assert referents >= {handle["referent_id"] for handle in part.get("handle", [])}
    assert all({e["source_id"], e["target_id"]} <= claims for e in part.get("edge", []))
    assert all(set(keyword["claim_ids"]) <= claims for keyword in part.get("keyword", []))
    assert len(part["message"]) < len(whole["message"])


words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=30).filter(str.strip)
keys = st.sampled_from(["role", "name", "speaker", "text", "date", "ts", "id", "message_id", "metadata", "messages", "kind", "x"]) | words


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.builds(
            Message,
            conversation_id=st.sampled_from(["a", "b"]),
            message_id=st.sampled_from(["1", "2", "m", "m~2"]),
            speaker=st.sampled_from(["Signe", "Okan", "明 Ü"]),
            role=st.sampled_from(["user", "assistant", "tool"]),
            text=words,
            timestamp=st.none() | st.datetimes().map(lambda moment: moment.isoformat()),
            session_id=st.none() | st.just("s"),
            metadata=st.dictionaries(keys, st.none() | st.integers(-9, 9) | words | st.lists(words, max_size=2), max_size=3),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_what_was_said_survives_whatever_it_is(tmp_path_factory: pytest.TempPathFactory, export: Export, messages: list[Message]) -> None:
    folder = tmp_path_factory.mktemp("law")
    with Memory.open(folder / "one.memdb") as memory:
        memory.add(messages)
    again(export("jsonl", path=folder / "one.memdb"), folder / "two.memdb")
    assert said(folder / "two.memdb") == said(folder / "one.memdb")
