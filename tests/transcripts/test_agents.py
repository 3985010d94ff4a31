"""Session logs of Claude Code and Codex: what was said is told from what tools and the program put in between."""

import io
import json
from typing import Any

import pytest

from memcli.atoms import Message
from memcli.errors import InputError
from memcli.transcripts import Transcript, read

Told = list[tuple[str, str, str, str]]


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def opened(format: str, *records: object, name: str = "log.jsonl") -> Transcript:
    transcript = read(io.BytesIO(lines(*records)), name=name)
    assert transcript.format == format
    return transcript


def told(transcript: Transcript) -> Told:
    return [(m.message_id, m.role, m.speaker, m.text) for m in transcript.messages]


def step(kind: str, ident: str, content: object, **more: object) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    return {
        "type": kind,
        "uuid": ident,
        "parentUuid": None,
        "sessionId": "s1",
        "isSidechain": False,
        "timestamp": "2024-02-03T10:15:00.500Z",
        "message": message,
        **more,
    }


def test_claude_code_a_question_a_tool_and_an_answer() -> None:
    transcript = opened(
        "claude-code",
        {"type": "summary", "summary": "Fixing sails", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
        step("user", "u1", "Why does the sail test fail?", cwd="/src/sails", gitBranch="main"),
        step("assistant", "a1", [{"type": "thinking", "thinking": "hm"}]),
        step("assistant", "a2", [{"type": "text", "text": "Let me run it."}]),
        step("assistant", "a3", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q", "timeout": 9}}]),
        step("user", "u2", [{"type": "tool_result", "tool_use_id": "t1", "content": "1 failed"}], toolUseResult={"stdout": "1 failed"}),
        step("assistant", "a4", [{"type": "text", "text": "The mast is None."}], parentUuid="u2"),
    )
    messages = list(transcript.messages)
    assert messages[0] == Message(
        conversation_id="s1",
        message_id="u1",
        speaker="user",
        role="user",
        text="Why does the sail test fail?",
        timestamp="2024-02-03T10:15:00.500000+00:00",
        source="log.jsonl",
        locator="line 3",
        metadata={"cwd": "/src/sails", "branch": "main"},
    )
    assert [(m.message_id, m.role, m.speaker, m.text) for m in messages[1:]] == [
        ("a2", "assistant", "assistant", "Let me run it."),
        ("a3", "tool", "Bash", 'Bash: {"command": "pytest -q", "timeout": 9}'),
        ("u2", "tool", "Bash", "1 failed"),
        ("a4", "assistant", "assistant", "The mast is None."),
    ]
    assert messages[-1].metadata == {"parent": "u2"}


@pytest.mark.parametrize(
    ("record", "role"),
    [
        (step("user", "u", "<command-name>/clear</command-name>"), "system"),
        (step("user", "u", "<local-command-stdout>done</local-command-stdout>"), "system"),
        (step("user", "u", [{"type": "text", "text": "[Request interrupted by user]"}]), "system"),
        (step("user", "u", "Caveat: see above", isMeta=True), "system"),
        (step("user", "u", "This session continues another.", isCompactSummary=True), "system"),
        (step("user", "u", "Search the repository for masts.", isSidechain=True), "tool"),
        (step("assistant", "u", [{"type": "text", "text": "Found two."}], isSidechain=True, agentId="7"), "tool"),
        ({**step("system", "u", None), "content": "Conversation compacted"}, "system"),
        (step("user", "u", "Is a mast < a boom?"), "user"),
    ],
)
def test_claude_code_what_the_program_wrote_is_nobodys_words(record: dict[str, Any], role: str) -> None:
    (message,) = opened("claude-code", record).messages
    assert message.role == role


def test_claude_code_several_blocks_images_and_a_line_written_twice() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    calls = [
        {"type": "text", "text": "Both."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "mast.py"}},
        {"type": "tool_use", "id": "t2", "name": "Glob", "input": {}},
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "a.py"}, {"type": "text", "text": "b.py"}]},
        {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no such file"},
    ]
    asked = step("user", "u1", [{"type": "text", "text": "This one?"}, image])
    transcript = opened("claude-code", asked, asked, step("assistant", "a1", calls), step("user", "u2", results))
    assert told(transcript) == [
        ("u1", "user", "user", "This one?\n[image]"),
        ("a1", "assistant", "assistant", "Both."),
        ("a1:2", "tool", "Read", "Read: mast.py"),
        ("a1:3", "tool", "Glob", "Glob"),
        ("u2", "tool", "Glob", "a.py\nb.py"),
        ("u2:2", "tool", "Read", "no such file"),
    ]
    assert transcript.warnings == ["1 message met twice, read once"]


def test_claude_code_a_long_result_keeps_its_beginning_and_its_length() -> None:
    (message,) = opened("claude-code", step("user", "u", [{"type": "tool_result", "tool_use_id": "t", "content": "x" * 9_000}])).messages
    assert (len(message.text), message.text[-1], message.metadata["characters"], message.speaker) == (4_001, "…", 9_000, "tool")


def test_claude_code_a_log_that_is_being_written() -> None:
    data = lines(step("user", "u1", "Hoist it."))
    transcript = read(io.BytesIO(data + data[:40]), name="s1.jsonl")
    assert [m.text for m in transcript.messages] == ["Hoist it."]
    assert transcript.warnings == ["line 2: half-written last line skipped; reading again picks it up once it is whole"]


def test_claude_code_a_line_that_is_none_is_an_error_at_its_place() -> None:
    with pytest.raises(InputError, match=r"^log\.jsonl: line 2: looks like a JSON array .*; claude-code expects lines like"):
        list(opened("claude-code", step("user", "u1", "x"), [1]).messages)


def item(kind: str, **payload: object) -> dict[str, Any]:
    return {"timestamp": "2024-02-03T10:15:00.500Z", "type": kind, "payload": payload}


def words(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("response_item", type="message", role=role, content=[{"type": kind, "text": text}])


META = item("session_meta", id="s9", cwd="/src/sails", cli_version="0.60.0", instructions=None)


def test_codex_items_in_wrappers_without_the_events_that_repeat_them() -> None:
    transcript = opened(
        "codex",
        META,
        words("developer", "Be terse."),
        words("user", "<environment_context>\n  <cwd>/src</cwd>\n</environment_context>"),
        words("user", "# AGENTS.md instructions for /src\n\nUse tabs."),
        words("user", "Why does it fail?"),
        item("event_msg", type="user_message", message="Why does it fail?"),
        item("turn_context", model="m-2", cwd="/src/sails"),
        item("response_item", type="reasoning", summary=[], encrypted_content="x"),
        item("response_item", type="function_call", name="shell", arguments='{"command":["bash","-lc","ls -a"]}', call_id="c1"),
        item("response_item", type="function_call_output", call_id="c1", output='{"output":"mast.py\\n","metadata":{"exit_code":0}}'),
        item("event_msg", type="agent_message", message="The mast."),
        words("assistant", "The mast."),
        item("compacted", message="They talked about masts."),
    )
    messages = list(transcript.messages)
    assert [(m.message_id, m.role, m.speaker, m.text.partition("\n")[0]) for m in messages] == [
        ("1", "system", "system", "Be terse."),
        ("2", "system", "system", "<environment_context>"),
        ("3", "system", "system", "# AGENTS.md instructions for /src"),
        ("4", "user", "user", "Why does it fail?"),
        ("5", "tool", "shell", "shell: ls -a"),
        ("6", "tool", "shell", "mast.py"),
        ("7", "assistant", "assistant", "The mast."),
        ("8", "system", "system", "They talked about masts."),
    ]
    assert messages[6] == Message(
        conversation_id="s9",
        message_id="7",
        speaker="assistant",
        role="assistant",
        text="The mast.",
        timestamp="2024-02-03T10:15:00.500000+00:00",
        source="log.jsonl",
        locator="line 12",
        metadata={"cwd": "/src/sails", "cli_version": "0.60.0", "model": "m-2"},
        occurrence=1,
    )


def test_codex_bare_items_of_older_logs() -> None:
    transcript = opened(
        "codex",
        {"id": "s8", "timestamp": "2024-02-03T10:15:00Z", "instructions": None, "git": {}},
        {"record_type": "state"},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Ahoj"}, {"type": "input_image", "image_url": "data:"}],
        },
        {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls", "-a"]}},
        {"type": "function_call_output", "call_id": "c1", "output": "mast.py"},
    )
    assert told(transcript) == [
        ("1", "user", "user", "Ahoj\n[image]"),
        ("2", "tool", "shell", "shell: ls -a"),
        ("3", "tool", "shell", "mast.py"),
    ]


def test_codex_custom_tools_and_searches() -> None:
    transcript = opened(
        "codex",
        META,
        item("response_item", type="custom_tool_call", name="apply_patch", call_id="c1", input="*** Begin Patch"),
        item("response_item", type="custom_tool_call_output", call_id="c1", output=[{"type": "input_text", "text": "Done"}]),
        item("response_item", type="web_search_call", action={"type": "search", "query": "mast height"}),
    )
    assert told(transcript) == [
        ("1", "tool", "apply_patch", "apply_patch: *** Begin Patch"),
        ("2", "tool", "apply_patch", "Done"),
        ("3", "tool", "web_search", "web_search: mast height"),
    ]


def test_codex_what_exec_prints() -> None:
    transcript = opened(
        "codex",
        {"type": "thread.started", "thread_id": "s7"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "hm"}},
        {
            "type": "item.completed",
            "item": {"id": "i1", "type": "command_execution", "command": "bash -lc ls", "aggregated_output": "a\n", "exit_code": 0},
        },
        {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "One file."}},
        {"type": "turn.completed", "usage": {}},
    )
    assert told(transcript) == [
        ("1", "tool", "shell", "shell: bash -lc ls"),
        ("2", "tool", "shell", "a\n"),
        ("3", "assistant", "assistant", "One file."),
    ]


def test_codex_the_session_is_named_by_the_file_where_nothing_else_does() -> None:
    name = "rollout-2024-02-03T10-15-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl"
    (message,) = opened("codex", words("user", "Ahoj"), name=name).messages
    assert (message.conversation_id, message.unnamed) == ("0199a213-81c0-7800-8aa1-bbab2a035a53", False)
    (message,) = opened("codex", words("user", "Ahoj")).messages
    assert (message.conversation_id, message.unnamed) == ("log", True)
