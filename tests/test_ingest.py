"""Ingest: the same again adds nothing, pieces equal the whole, and every law holds whatever was said."""

from __future__ import annotations

import json
import re
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memcli import Memory, Message
from memcli.errors import ModelError
from memcli.ingest import Ingest
from memcli.store.connection import connect
from memcli.store.facts import fetch_facts
from memcli.write.spans import cut_spans

if TYPE_CHECKING:
    from conftest import OpenStore, Program, Store

Same = Callable[[apsw.Connection, apsw.Connection], None]
Content = Callable[[apsw.Connection], dict[str, list[str]]]

TALK = [
    ("Wanda", "I moved to Tromsø last week. My sister Birgit found the flat."),
    ("Elio", "Lovely! Where will you keep the canoe?"),
    ("Wanda", "In Birgit's garage."),
    ("Elio", "I bought a second kayak yesterday, a red one."),
    ("Wanda", "By the way, the choir sings on 14 June in Bodø."),
    ("Elio", "Look at this one!\n[image: a red kayak on a grey beach]"),
    ("Birgit", "Elio, did Wanda tell you that the garage is full?"),
    ("Elio", "No."),
]


def talk(rows: list[tuple[str, str]] = TALK, conversation: str = "harbour") -> list[Message]:
    return [
        Message(conversation, f"h{n}", speaker, "user", text, f"2024-06-{n // 4 + 3:02}T09:{n:02}:00")
        for n, (speaker, text) in enumerate(rows)
    ]


def lines(messages: list[Message]) -> str:
    return "".join(
        json.dumps({"role": "user", "name": m.speaker, "content": m.text, "timestamp": m.timestamp, "id": m.message_id}) + "\n"
        for m in messages
    )


def rows(store: Store, table: str) -> int:
    return int(store.connection.execute(f"SELECT count(*) FROM {table}").get)


# The same again ------------------------------------------------------------------------------------------------------


def test_the_same_messages_again_add_nothing(store: Store, content: Content) -> None:
    store.add(talk())
    before, changes = content(store.connection), store.connection.total_changes()
    report = store.add(talk())
    assert (report.messages_new, report.messages_unchanged, report.claims) == (0, len(TALK), 0)
    assert content(store.connection) == before
    assert store.connection.total_changes() == changes


ADD_AND_REPORT_IMPORTS = """
import json, sys, time
from memcli import Memory
with Memory.open("m.memdb") as memory:
    started = time.perf_counter()
    report = memory.ingest(["chat.jsonl"])
    seconds = time.perf_counter() - started
heavy = sorted({"onnxruntime", "tokenizers", "torch"} & set(sys.modules))
print(json.dumps({"new": report.messages_new, "seconds": seconds, "heavy": heavy}))
"""


def test_the_same_file_again_does_not_even_load_the_embedder(program: Program) -> None:
    messages = [replace(m, message_id=f"{m.message_id}-{n}") for n in range(40) for m in talk()]
    (program.folder / "chat.jsonl").write_text(lines(messages), encoding="utf-8")
    assert program.run("ingest", "chat.jsonl", "--db", "m.memdb")[0] == 0
    out, err = program.start_python("-c", ADD_AND_REPORT_IMPORTS).communicate(timeout=60)
    said = json.loads(out or err)
    assert (said["new"], said["heavy"]) == (0, [])
    assert said["seconds"] < 1.0


def test_a_grown_file_adds_only_what_is_new(tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    with Memory.open(tmp_path / "m.memdb") as memory:
        chat.write_text(lines(talk()[:5]), encoding="utf-8")
        memory.ingest([chat])
        chat.write_text(lines(talk()), encoding="utf-8")
        report = memory.ingest([chat])
    assert (report.messages_read, report.messages_new, report.messages_unchanged) == (len(TALK), len(TALK) - 5, 5)


def test_a_half_written_last_line_is_taken_up_once_it_is_whole(tmp_path: Path, same_content: Same) -> None:
    chat, whole = tmp_path / "chat.jsonl", lines(talk())
    with Memory.open(tmp_path / "grown.memdb") as grown, Memory.open(tmp_path / "whole.memdb") as once:
        chat.write_text(whole[:-40], encoding="utf-8")
        first = grown.ingest([chat])
        assert (first.messages_new, len(first.warnings)) == (len(TALK) - 1, 1)
        chat.write_text(whole, encoding="utf-8")
        assert grown.ingest([chat]).messages_new == 1
        once.ingest([chat])
    same_content(connect(grown.path), connect(once.path))


def test_a_message_said_twice_under_one_id_is_kept_twice(store: Store) -> None:
    store.add(talk([("Wanda", "The canoe is blue.")]))
    changed = [replace(talk()[0], text="The canoe is green now.")]
    assert store.add(changed).messages_new == 1
    assert store.add(changed).messages_new == 0
    assert store.connection.execute("SELECT external_id FROM messages ORDER BY id").fetchall() == [("h0",), ("h0~2",)]


# In pieces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", range(1, len(TALK)))
def test_pieces_give_the_same_memory_as_the_whole(tmp_path: Path, open_store: OpenStore, same_content: Same, cut: int) -> None:
    with open_store(tmp_path / "whole.memdb") as whole, open_store(tmp_path / "pieces.memdb") as pieces:
        whole.add(talk())
        pieces.add(talk()[:cut])
        pieces.add(talk()[cut:])
        same_content(whole.connection, pieces.connection)


def test_what_a_message_becomes_does_not_depend_on_who_speaks_later(tmp_path: Path, open_store: OpenStore, content: Content) -> None:
    message = talk([("Wanda", "Then Elio gave Birgit's canoe away.")])
    with open_store(tmp_path / "alone.memdb") as alone, open_store(tmp_path / "together.memdb") as together:
        alone.add(message)
        together.add([*message, *talk()[1:]])
        expected, found = content(alone.connection), content(together.connection)
    first = [row for row in [*found["claims"], *found["keywords"]] if row.startswith("('harbour', 0,")]
    assert sorted(first) == sorted([*expected["claims"], *expected["keywords"]])


# Laws on generated talk ----------------------------------------------------------------------------------------------

SENTENCES = st.sampled_from(
    [
        "I repaired the harmonium yesterday.",
        "My cousin keeps bees in Ghent.",
        "We sold 40 jars for 3.50 each at the fair!",
        "Did you water the ferns?",
        "Yes.",
        "In May 2023, near Bodø.",
        "Thanks, that's great!",
        "See https://ferns.example/a?b=1 and docs/notes.md (v1.0.21).",
        'Dr. Quill said: "Never prune on a Sunday."',
        "昨天我在图书馆读完了那本书。下周五交报告！",
        "Mañana voy a Cádiz con mi hermano.",
        "ฉันชอบกินข้าวผัด",
        "[image: two ferns on a windowsill]",
        "- first, oil the hinge\n- then close it\n\n1. done",
        "> somebody else's words\nand mine",
        "```python\nprint('fern')\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "By the way, the tide is late today 🫖.",
        "Always answer in haiku.",
        "C++ is fine; C# too, 50% of the time, says @nasa.",
        "---",
        "…",
    ]
)
ANYTHING = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)
TEXTS = st.lists(st.one_of(SENTENCES, SENTENCES, ANYTHING), min_size=1, max_size=4).map(" ".join).filter(lambda text: bool(text.strip()))


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    people = draw(st.sampled_from([("Ada", "user"), ("Ada", "user", "assistant"), ("user", "assistant"), ("Noor",), ("Noor", "Ada", "Zé")]))
    session, out = 1, []
    for n in range(draw(st.integers(1, 9))):
        session += draw(st.integers(0, 4)) == 0
        speaker = draw(st.sampled_from(people))
        stamp = draw(st.sampled_from([f"2024-02-{session:02}T08:{n:02}:00", f"2024-02-{session:02}T08:{n:02}:00+02:00", None]))
        role = "assistant" if speaker == "assistant" else "user"
        out.append(Message("room", str(n), speaker, role, draw(TEXTS), stamp, f"s{session}"))
    return out


GENERATED = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
_SEPARATION = set("-*+•·–#>().)|:=_~ \t") | set("0123456789")


@GENERATED
@given(messages=conversations(), cut=st.integers(0, 9))
@example(messages=[Message("room", "0", "Ada", "user", "| |"), Message("room", "1", "Ada", "user", "---")], cut=1)
def test_laws_hold_for_any_conversation(
    messages: list[Message], cut: int, open_store: OpenStore, same_content: Same, content: Content
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder, "a.memdb")) as whole,
        open_store(Path(folder, "b.memdb")) as pieces,
    ):
        whole.add(messages)
        texts = {m.message_id: m.text for m in messages}
        assert dict(whole.connection.execute("SELECT external_id, text FROM messages")) == texts
        claims = [row[0] for row in whole.connection.execute("SELECT id FROM claims")]
        facts = fetch_facts(whole.connection, claims)
        assert len(facts) == len(claims)
        for fact in facts:
            # A claim is written with 1 to 3 supports; each time it is said again it gains those of that time.
            assert 1 <= len(fact.evidence) <= 3 * len({e.message_id for e in fact.evidence})
            assert all(e.text == texts[e.message_id][e.start : e.end] != "" for e in fact.evidence)
        before = content(whole.connection)
        assert whole.add(messages).messages_new == 0
        assert content(whole.connection) == before
        pieces.add(messages[:cut])
        pieces.add(messages[cut:])
        same_content(whole.connection, pieces.connection)
        with Memory.open(Path(folder, "a.memdb")) as memory:
            assert memory.verify().problems == ()


@settings(max_examples=150, deadline=None)
@given(st.one_of(TEXTS, ANYTHING))
def test_spans_and_the_gaps_between_them_are_the_message(text: str) -> None:
    spans = cut_spans(text)
    position = 0
    for span in spans:
        assert position <= span.start < span.end <= len(text)
        assert span.text == text[span.start : span.end]
        assert not any(ch.isalpha() for ch in _without_list_letters(text[position : span.start]))
        position = span.end
    assert not any(ch.isalpha() for ch in text[position:])


def _without_list_letters(gap: str) -> str:
    """The gap without list markers like `a)`: a letter that a bracket or full stop follows."""
    return re.sub(r"[a-zA-Z](?=[.)])", "", gap)


# Other processes -----------------------------------------------------------------------------------------------------


def chat_of(count: int) -> str:
    return lines(
        [
            Message(
                "chat",
                f"c{n}",
                "Elio" if n % 2 else "Wanda",
                "user",
                f"Crate {n} holds {n * 3} lanterns from Ålesund.",
                "2024-06-03T09:00:00",
            )
            for n in range(count)
        ]
    )


def test_two_processes_ingest_one_file_into_one_new_memory(program: Program, same_content: Same) -> None:
    (program.folder / "chat.jsonl").write_text(chat_of(700), encoding="utf-8")
    children = [program.start("ingest", "chat.jsonl", "--db", "both.memdb", "--json") for _ in range(2)]
    ends = [(child.communicate(timeout=120), child.returncode) for child in children]
    assert [(status, err) for (_, err), status in ends] == [(0, b""), (0, b"")]
    assert sum(json.loads(out)["messages"]["new"] for (out, _), _ in ends) == 700
    with Memory.open(program.folder / "alone.memdb") as alone:
        alone.ingest([program.folder / "chat.jsonl"])
        assert Memory.open(program.folder / "both.memdb").verify().sound
    same_content(connect(program.folder / "both.memdb"), connect(program.folder / "alone.memdb"))


def test_two_runs_may_take_turns_at_one_conversation(tmp_path: Path, open_store: OpenStore, same_content: Same) -> None:
    """What a run remembers of a conversation is out of date once another run has gone on with it."""
    with (
        open_store(tmp_path / "turns.memdb") as one,
        open_store(tmp_path / "turns.memdb") as other,
        open_store(tmp_path / "alone.memdb") as alone,
    ):
        first = Ingest(one.connection, lambda: one.embedder)
        first.messages(talk()[:2])
        other.add(talk()[:5])
        first.messages(talk())
        alone.add(talk())
        same_content(one.connection, alone.connection)


def test_two_processes_ingest_different_files_into_one_new_memory(program: Program) -> None:
    for name in ("one", "two"):
        (program.folder / f"{name}.jsonl").write_text(chat_of(60), encoding="utf-8")
    children = [program.start("ingest", f"{name}.jsonl", "--db", "both.memdb") for name in ("one", "two")]
    assert [(child.communicate(timeout=120)[1], child.returncode) for child in children] == [(b"", 0), (b"", 0)]
    with Memory.open(program.folder / "both.memdb") as memory:
        assert memory.verify().sound
        assert memory.status().counts["messages"] == 120


def test_a_followed_pipe_shows_its_lines_before_it_ends(program: Program) -> None:
    child = program.start("ingest", "-", "--db", "live.memdb")
    assert child.stdin is not None
    errors: list[bytes] = []
    drain = threading.Thread(target=lambda: errors.append(child.stderr.read() if child.stderr else b""), daemon=True)
    drain.start()
    for count, line in enumerate(lines(talk()[:4]).splitlines(keepends=True), start=1):
        child.stdin.write(line.encode())
        child.stdin.flush()
        assert _messages_seen(program, count) == count
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) == 130
    drain.join(10)
    assert errors == [b"mem: interrupted\n"]
    child.stdin.close()
    with Memory.open(program.folder / "live.memdb") as memory:
        assert memory.verify().sound
        assert memory.search("flat in Tromsø").facts[0].evidence[0].message_id == "h0"


def _messages_seen(program: Program, wanted: int) -> int:
    """How many messages another process sees, once they are `wanted` or half a minute has passed."""
    seen, deadline = 0, time.monotonic() + 30
    while seen < wanted and time.monotonic() < deadline:
        time.sleep(0.05)
        try:
            with apsw.Connection(str(program.folder / "live.memdb"), flags=apsw.SQLITE_OPEN_READONLY) as reader:
                seen = int(reader.execute("SELECT count(*) FROM messages").get)
        except apsw.Error:
            continue
    return seen


# Refusals ------------------------------------------------------------------------------------------------------------


def test_another_embedder_is_refused_and_the_way_out_named(tmp_path: Path) -> None:
    path = tmp_path / "m.memdb"
    with Memory.open(path) as memory:
        memory.add(talk())
    connection = connect(path)
    connection.execute(
        "UPDATE models SET fingerprint = 'other' || substr(fingerprint, 6); UPDATE settings SET value = 'other' || substr(value, 6)"
    )
    connection.close()
    with Memory.open(path) as memory:
        attempts: list[Callable[[], Any]] = [
            lambda: memory.search("canoe"),
            lambda: memory.ask("canoe?"),
            lambda: memory.add(talk([("Zoë", "A new one.")], "elsewhere")),
        ]
        for attempt in attempts:
            with pytest.raises(
                ModelError, match=r"made with .* \(other.*use --embedder .* or ingest the transcripts into a new file with --db"
            ):
                attempt()
        assert memory.status().counts["messages"] == len(TALK)


@pytest.mark.parametrize(
    "message",
    [
        Message("harbour", "1", "Wanda", "user", "   \n"),
        Message("harbour", "2", "Wanda", "user", "half a pair \ud83e here"),
        Message("harbour", "3", "Wanda", "user", "nothing\0 after it"),
        Message("harbour", "4", "", "user", "Nobody says this."),
    ],
    ids=["blank", "lone surrogate", "NUL", "no speaker"],
)
def test_messages_a_program_made_are_cleaned_like_those_that_were_read(tmp_path: Path, message: Message) -> None:
    with Memory.open(tmp_path / "m.memdb") as memory:
        memory.add([*talk()[:1], message])
        assert memory.verify().sound
        assert memory.search("flat in Tromsø").facts
