import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read


def node(
    ident: str, parent: str | None, role: str | None = None, *parts: object, time: float | None = None, **more: object
) -> dict[str, Any]:
    """A node without `children`; without a role it has no message."""
    message = None
    if role:
        content = more.pop("content", {"content_type": "text", "parts": list(parts)})
        message = {"id": ident, "author": {"role": role, "name": None}, "create_time": time, "content": content, **more}
    return {"id": ident, "message": message, "parent": parent}


def conversation(*nodes: dict[str, Any], **fields: object) -> dict[str, Any]:
    mapping = {item["id"]: item for item in nodes}
    return {"title": "Glazes", "create_time": None, "conversation_id": "c1", "current_node": nodes[-1]["id"], "mapping": mapping, **fields}


def chatgpt(*conversations: dict[str, Any], name: str = "conversations.json") -> Transcript:
    transcript = read(io.BytesIO(json.dumps(list(conversations)).encode()), name=name)
    assert transcript.format == "chatgpt"
    return transcript


def texts(*conversations: dict[str, Any]) -> list[str]:
    return [m.text for m in chatgpt(*conversations).messages]


def test_nodes_without_children_under_a_root_without_message() -> None:
    answer = node("n2", "n1", "assistant", "Cobalt.", time=1706954100.25, metadata={"model_slug": "m-1"}, recipient="all")
    transcript = chatgpt(conversation(node("root", None), node("n1", "root", "user", "What makes a glaze blue?"), answer))
    common: dict[str, Any] = {"conversation_id": "c1", "source": "conversations.json", "session_id": None}
    assert list(transcript.messages) == [
        Message(
            message_id="n1",
            speaker="user",
            role="user",
            text="What makes a glaze blue?",
            timestamp=None,
            locator="node n1",
            metadata={"title": "Glazes"},
            **common,
        ),
        Message(
            message_id="n2",
            speaker="assistant",
            role="assistant",
            text="Cobalt.",
            timestamp="2024-02-03T09:55:00.250000+00:00",
            locator="node n2",
            metadata={"title": "Glazes", "model": "m-1"},
            **common,
        ),
    ]
    assert transcript.warnings == []


TREE = (
    node("root", None),
    node("q", "root", "user", "question", time=1.7e9),
    node("old", "q", "assistant", "old answer", time=1.7e9 + 9),
    node("new", "q", "assistant", "new answer", time=1.7e9 + 5),
    node("thanks", "new", "user", "thanks", time=1.7e9 + 7),
)


def test_the_branch_of_the_current_node_is_read() -> None:
    assert texts(conversation(*TREE, current_node="thanks")) == ["question", "new answer", "thanks"]
    assert texts(conversation(*TREE, current_node="old")) == ["question", "old answer"]


@pytest.mark.parametrize("current", [None, "gone", 5])
def test_without_a_current_node_the_latest_leaf_is_read(current: object) -> None:
    assert texts(conversation(*TREE, current_node=current)) == ["question", "old answer"]


def test_without_times_the_deepest_leaf_is_read() -> None:
    nodes = (node("a", None, "user", "a"), node("b", "a", "user", "b"), node("c", "b", "user", "c"), node("d", "a", "user", "d"))
    assert texts(conversation(*nodes, current_node=None)) == ["a", "b", "c"]


def test_parents_that_are_missing_are_found_through_children() -> None:
    first, second = node("a", None, "user", "a"), node("b", None, "assistant", "b")
    first["children"] = ["b"]
    del second["parent"]
    assert texts(conversation(first, second)) == ["a", "b"]


def test_parents_in_a_circle_end() -> None:
    assert sorted(texts(conversation(node("a", "b", "user", "a"), node("b", "a", "assistant", "b")))) == ["a", "b"]
    assert sorted(texts(conversation(node("a", "b", "user", "a"), node("b", "a", "assistant", "b"), current_node=None))) == ["a", "b"]


def test_parts_that_are_objects() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
        {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "a blue\nvase"}}},
        {"content_type": "audio_transcription", "text": "spoken words"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://y"},
        None,
        "written words",
    ]
    content = {"content_type": "multimodal_text", "parts": parts}
    attached = {"attachments": [{"name": "glazes.csv", "mime_type": "text/csv"}, {"name": "x.png", "mime_type": "image/png"}]}
    assert texts(conversation(node("n", None, "user", content=content, metadata=attached))) == [
        "spoken words\nwritten words\n[image]\n[image: a blue vase]\n[file: glazes.csv]"
    ]


@pytest.mark.parametrize(
    ("content", "role", "text"),
    [
        ({"content_type": "code", "language": "python", "text": "print(1)\n"}, "assistant", "print(1)\n"),
        ({"content_type": "execution_output", "text": "1"}, "tool", "1"),
        (
            {"content_type": "tether_quote", "title": "Ovens", "text": "Kilns are ovens.", "url": "http://example.org"},
            "tool",
            "Kilns are ovens.",
        ),
        ({"content_type": "tether_browsing_display", "result": "L0: Kilns", "summary": ""}, "tool", "L0: Kilns"),
        ({"content_type": "something_new", "parts": ["kept"]}, "assistant", "kept"),
    ],
)
def test_kinds_of_content(content: dict[str, Any], role: str, text: str) -> None:
    (message,) = chatgpt(conversation(node("n", None, "assistant", content=content))).messages
    assert (message.role, message.text, message.metadata["content_type"]) == (role, text, content["content_type"])


def test_what_was_never_on_screen_is_left_out() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    nodes = (
        node("1", None, "system", ""),
        node("2", "1", "user", content={"content_type": "user_editable_context", "user_profile": "likes kilns"}),
        node("3", "2", "tool", content={"content_type": "model_editable_context", "model_set_context": "x"}),
        node("4", "3", "system", "secret", metadata=hidden),
        node("5", "4", "assistant", content={"content_type": "thoughts", "thoughts": [{"summary": "hm"}]}),
        node("6", "5", "tool", content={"content_type": "tether_browsing_display", "result": "", "summary": ""}),
        node("7", "6", "user", "seen"),
    )
    transcript = chatgpt(conversation(*nodes))
    assert [m.text for m in transcript.messages] == ["seen"]
    assert transcript.warnings == []


def test_a_tool_is_called_by_its_name() -> None:
    (message,) = chatgpt(conversation(node("n", None, "tool", "1", author={"role": "tool", "name": "python"}))).messages
    assert (message.role, message.speaker) == ("tool", "python")


def test_conversations_without_mapping_or_id() -> None:
    talk = conversation(node("n", None, "user", "x"))
    del talk["conversation_id"]
    transcript = chatgpt({"title": "empty shell", "create_time": 1.7e9}, talk, talk, {**talk, "id": "c9"}, {**talk, "title": None})
    assert [m.conversation_id for m in transcript.messages] == ["Glazes", "Glazes (2)", "c9", "conversations"]
    assert transcript.warnings == ["1 conversation without messages skipped"]


def _split() -> dict[str, bytes]:
    talks = {n: conversation(node(f"n{n}", None, "user", f"text {n}"), conversation_id=f"c{n}") for n in (0, 1, 2, 10)}
    files = {f"conversations-{n:03}.json": json.dumps([talk]).encode() for n, talk in talks.items()}
    return {"user.json": b"{}", "chat.html": b"<html>", "shared_conversations.json": b"[]", **dict(reversed(files.items()))}


def test_split_files_in_a_zip_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in _split().items():
            archive.writestr(f"export/{name}", data)
    for source in (path, io.BytesIO(path.read_bytes())):
        transcript = read(source)
        assert transcript.format == "chatgpt"
        assert [(m.conversation_id, m.text) for m in transcript.messages] == [(f"c{n}", f"text {n}") for n in (0, 1, 2, 10)]


def test_split_files_in_a_folder_and_a_conversation_that_is_in_two_of_them(tmp_path: Path) -> None:
    for name, data in _split().items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "conversations-011.json").write_bytes(_split()["conversations-000.json"])
    transcript = read(tmp_path)
    assert [(m.text, m.source) for m in transcript.messages] == [(f"text {n}", str(tmp_path)) for n in (0, 1, 2, 10)]
    assert transcript.warnings == ["1 conversation met twice, read once"]


def test_a_broken_file_in_a_zip_is_named(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", '[{"mapping":\n{]')
    with pytest.raises(InputError, match=r"export\.zip: conversations\.json: line 2: not JSON"):
        list(read(path).messages)


def test_an_empty_export_is_known_by_its_name() -> None:
    transcript = chatgpt()
    assert transcript.format == "chatgpt"
    with pytest.raises(InputError, match=r"no messages in it: expected conversations\.json"):
        list(transcript.messages)
