"""`mem ingest`: stdin, folders, interruption, and two processes at one new file."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

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
    (mem.folder / "chat.jsonl").write_text(make_long_chat(40), encoding="utf-8")
    assert "━" in mem.on_terminal("ingest", "chat.jsonl", "--db", "loud.memdb")
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
