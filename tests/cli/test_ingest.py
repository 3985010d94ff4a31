"""`mem ingest`: stdin, folders, interruption, and two processes at one new file."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Command


def test_a_pipe_is_read_with_a_dash_and_without(mem: Command) -> None:
    line = '{"role": "user", "name": "Bram", "content": "The kiln stands in Delft."}\n'
    first = mem("ingest", "-", "--db", "new.memdb", input=line)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("1 transcript into new.memdb in ")
    assert mem.json("ingest", "--db", "new.memdb", input=line)["messages"] == {"read": 1, "new": 0, "unchanged": 1}


def test_the_memory_is_where_the_settings_say(mem: Command) -> None:
    line = '{"role": "user", "name": "Bram", "content": "The kiln stands in Delft."}\n'
    assert mem("ingest", input=line).returncode == 0
    assert (mem.folder / "data" / "mem" / "memory.memdb").exists()
    assert mem("ingest", input=line, MEM_DB="memory.memdb").returncode == 0
    assert mem.json("status")["path"].endswith("memory.memdb")
    assert (mem.folder / "memory.memdb").exists()


def test_what_is_made_of_one_terminal_and_no_file(mem: Command) -> None:
    assert mem.on_terminal("ingest") == "mem: nothing to read; name the transcripts, or pipe one in (help: mem ingest --help)\n"


def test_progress_is_shown_on_a_terminal_unless_quiet(mem: Command, make_long_chat: Callable[[int], str]) -> None:
    (mem.folder / "chat.jsonl").write_text(make_long_chat(400), encoding="utf-8")
    shown = mem.on_terminal("ingest", "chat.jsonl", "--db", "loud.memdb")
    assert "━" in shown
    assert "/400" in shown
    assert "━" not in mem.on_terminal("ingest", "chat.jsonl", "--db", "loud.memdb")  # Nothing is new: too short a run for a bar.
    assert "━" not in mem.on_terminal("ingest", "chat.jsonl", "--db", "quiet.memdb", "--quiet")


def test_an_interrupted_ingest_leaves_a_sound_file_and_can_be_finished(mem: Command, make_long_chat: Callable[[int], str]) -> None:
    chat = make_long_chat(300)
    (mem.folder / "chat.jsonl").write_text(chat, encoding="utf-8")
    child = mem.start("ingest", "-", "--db", "new.memdb")
    assert child.stdin is not None
    child.stdin.write("".join(chat.splitlines(keepends=True)[:200]).encode())
    child.stdin.flush()
    deadline = time.monotonic() + 60
    while not (mem.folder / "new.memdb").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, b"", b"mem: interrupted\n")
    assert mem("verify", "--db", "new.memdb").returncode == 0
    assert mem("ingest", "chat.jsonl", "--db", "new.memdb").returncode == 0
    assert mem.json("verify", "--db", "new.memdb")["sound"] is True


def test_two_processes_at_one_new_file_both_get_their_words_in(mem: Command) -> None:
    for name, thing in (("Bram", "kiln"), ("Ottilie", "goat")):
        lines = [
            json.dumps({"role": "user", "name": name, "content": f"My {thing} number {n} is in Delft.", "id": f"{name}{n}"})
            for n in range(20)
        ]
        (mem.folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    children = [mem.start("ingest", f"{name}.jsonl", "--db", "new.memdb") for name in ("Bram", "Ottilie")]
    for child in children:
        _, err = child.communicate(timeout=120)
        assert (child.returncode, err) == (0, b"")
    assert mem.json("status", "--db", "new.memdb")["counts"]["messages"] == 40
    assert mem("verify", "--db", "new.memdb").returncode == 0


LINE = '{"role": "user", "name": "Bram", "content": "The kiln stands in Delft."}\n'


@pytest.mark.parametrize(("text", "said"), [("", "no messages in it: expected objects like "), ('{"role": "us', "half-written last line")])
def test_a_transcript_without_messages_is_wrong_input(mem: Command, text: str, said: str) -> None:
    (mem.folder / "chat.jsonl").write_text(text, encoding="utf-8")
    for name, done in (
        ("chat.jsonl", mem("ingest", "chat.jsonl", "--db", "new.memdb")),
        ("-", mem("ingest", "--db", "b.memdb", input=text)),
    ):
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.startswith(f"mem: {name}: no messages in it")
        assert said in done.stderr


def test_warnings_are_shown_on_a_terminal_and_counted_in_a_pipe(mem: Command) -> None:
    (mem.folder / "chat.jsonl").write_text(LINE[:-2] + ', "timestamp": "whenever"}\n', encoding="utf-8")
    warning = "chat.jsonl: 1 timestamp could not be read; that message has no time"
    assert f"mem: {warning}\n" in mem.on_terminal("ingest", "chat.jsonl", "--db", "a.memdb")
    assert warning not in mem.on_terminal("ingest", "chat.jsonl", "--db", "b.memdb", "--quiet")
    done = mem("ingest", "chat.jsonl", "--db", "c.memdb")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("  warnings  1; --json lists them\n")


def test_a_folder_is_every_transcript_in_it(mem: Command) -> None:
    chats = mem.folder / "chats"
    (chats / "old").mkdir(parents=True)
    (chats / "b.jsonl").write_text(LINE, encoding="utf-8")
    (chats / "old" / "a.json").write_text(f"[{LINE}]", encoding="utf-8")
    for n in range(7):
        (chats / f"n{n}.csv").write_text("x,y\n", encoding="utf-8")
    report = mem.json("ingest", "chats", "--db", "new.memdb")
    assert (report["files"], report["messages"]["new"], len(report["warnings"])) == (2, 2, 7)
    assert {c["id"] for c in mem.json("status", "--db", "new.memdb")["conversations"]} == {"a", "b"}
    shown = mem.on_terminal("ingest", "chats", "--db", "new.memdb")
    assert shown.count("mem: skipped chats/n") == 5
    assert "mem: and 2 more warnings; --json lists them\n" in shown


def test_a_folder_without_a_transcript_is_wrong_input(mem: Command) -> None:
    (mem.folder / "chats").mkdir()
    (mem.folder / "chats" / "n.csv").write_text("x,y\n", encoding="utf-8")
    done = mem("ingest", "chats", "--db", "new.memdb")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith('mem: chats: looks like a folder holding "n.csv"; expected transcripts, ')


def test_one_is_one(mem: Command) -> None:
    done = mem("ingest", "--db", "new.memdb", input=LINE)
    assert "  spans     1, on 1 page\n" in done.stdout


def test_a_model_prepared_for_its_first_use_is_announced(mem: Command) -> None:
    model = mem.folder / "model"
    model.mkdir()
    for name in ("config.json", "modules.json"):
        (model / name).write_text("{}" if name == "config.json" else "[]", encoding="utf-8")
    (model / "model.safetensors").write_bytes(b"not weights")
    (mem.folder / "chat.jsonl").write_text(LINE, encoding="utf-8")
    shown = mem.on_terminal(
        "ingest", "chat.jsonl", "--embedder", "./model", "--db", "new.memdb", MEM_CACHE_DIR=str(mem.folder / "cache"), until="first use"
    )
    assert re.search(r"^mem: preparing the embedding model \S*model for its first use", shown, re.MULTILINE)
