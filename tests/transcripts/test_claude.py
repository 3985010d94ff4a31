"""The Claude export, in the shapes that it has had."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read

ROOT = "00000000-0000-4000-8000-000000000000"


def said(ident: str, sender: str, text: str = "", parent: str | None = None, **more: object) -> dict[str, Any]:
    record = {"uuid": ident, "text": text, "sender": sender, "created_at": "2024-02-03T10:15:00.123456Z", "attachments": [], **more}
    return record if parent is None else {**record, "parent_message_uuid": parent}


def talk(*messages: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"uuid": "c1", "name": "Sourdough", "account": {"uuid": "a1"}, "chat_messages": list(messages), **more}


def claude(*talks: object, name: str = "conversations.json") -> Transcript:
    transcript = read(io.BytesIO(json.dumps(list(talks)).encode()), name=name)
    assert transcript.format == "claude"
    return transcript


def told(*talks: object) -> list[tuple[str, str, str]]:
    return [(m.message_id, m.role, m.text) for m in claude(*talks).messages]


def test_flat_texts_of_older_exports() -> None:
    common: dict[str, Any] = {"conversation_id": "c1", "timestamp": "2024-02-03T10:15:00.123456+00:00", "source": "conversations.json"}
    assert list(claude(talk(said("m1", "human", "Wie füttere ich ihn?"), said("m2", "assistant", "Mit Roggen."))).messages) == [
        Message(
            message_id="m1",
            speaker="user",
            role="user",
            text="Wie füttere ich ihn?",
            locator="[0]: chat_messages[0]",
            metadata={"title": "Sourdough"},
            **common,
        ),
        Message(
            message_id="m2",
            speaker="assistant",
            role="assistant",
            text="Mit Roggen.",
            locator="[0]: chat_messages[1]",
            metadata={"title": "Sourdough"},
            **common,
        ),
    ]


def test_content_blocks_without_thoughts_and_with_tools_as_context() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "name": "web_search", "input": {"query": "rye starter"}},
        {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "Feed it daily."}]},
        {"type": "text", "text": "Daily."},
        {"type": "token_budget"},
    ]
    assert told(talk(said("m1", "assistant", "Let me look.\n\nDaily.", content=blocks))) == [
        ("m1", "assistant", "Let me look.\nDaily."),
        ("m1:2", "tool", "web_search: rye starter"),
        ("m1:3", "tool", "Feed it daily."),
    ]


TREE = (
    said("q", "human", "question", ROOT),
    said("old", "assistant", "old answer", "q"),
    said("new", "assistant", "new answer", "q"),
    said("thanks", "human", "thanks", "new"),
)


def test_the_branch_of_the_current_leaf_else_of_the_last_message() -> None:
    assert [text for *_, text in told(talk(*TREE))] == ["question", "new answer", "thanks"]
    assert [text for *_, text in told(talk(*TREE, current_leaf_message_uuid="old"))] == ["question", "old answer"]


@pytest.mark.parametrize("parents", [("b", "a"), ("gone", "gone"), (None, None)])
def test_parents_in_a_circle_or_unknown_leave_the_order_of_the_file(parents: tuple[str | None, str | None]) -> None:
    first, second = said("a", "human", "a", parents[0]), said("b", "assistant", "b", parents[1])
    assert [text for *_, text in told(talk(first, second))] == ["a", "b"]


def test_files_stand_behind_the_text_once_each() -> None:
    record = said(
        "m1",
        "human",
        "See these.",
        attachments=[{"file_name": "flour.csv", "extracted_content": "rye,1"}, {"file_name": ""}],
        files=[{"file_name": "flour.csv"}, {"file_kind": "image", "file_name": "loaf.jpg"}],
        files_v2=[{"file_kind": "image", "file_name": "loaf.jpg"}],
    )
    assert told(talk(record)) == [("m1", "user", "See these.\n[file: flour.csv]\n[image]")]


def test_conversations_that_are_empty_or_have_no_ids() -> None:
    nameless = {"chat_messages": [{"sender": "human", "text": "x", "created_at": None}, {"sender": "unknown", "text": "y"}, None]}
    transcript = claude(talk(), nameless, {"uuid": "c9", "name": ""})
    assert [(m.conversation_id, m.message_id, m.timestamp) for m in transcript.messages] == [("conversations", "1", None)]
    assert sorted(transcript.warnings) == ["1 message without a known sender skipped", "2 conversations without messages skipped"]


def test_one_conversation_in_a_file_of_its_own() -> None:
    transcript = read(io.BytesIO(json.dumps(talk(said("m1", "human", "x"))).encode()), name="sourdough.json")
    assert (transcript.format, [(m.conversation_id, m.locator) for m in transcript.messages]) == ("claude", [("c1", "chat_messages[0]")])


def test_a_zip_and_a_folder_are_told_from_a_chatgpt_export(tmp_path: Path) -> None:
    data = json.dumps([talk(said("m1", "human", "x"))])
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("conversations.json", data)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "conversations.json").write_text(data)
    for path in (tmp_path / "data.zip", tmp_path / "data"):
        transcript = read(path)
        assert (transcript.format, [m.text for m in transcript.messages]) == ("claude", ["x"])


def test_what_is_no_conversation_is_an_error_at_its_place() -> None:
    with pytest.raises(InputError, match=r'^conversations\.json: \[1\]: looks like .*"what"; claude expects .*chat_messages'):
        list(claude(talk(said("m1", "human", "x")), {"what": 1}).messages)
