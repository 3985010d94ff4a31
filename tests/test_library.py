"""The library and the command are one thing twice."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import memcli
from memcli import Answer, InputError, Memory, Message, NotFoundError, Question, StoreError, UsageError

if TYPE_CHECKING:
    from conftest import Program

CHAT = "".join(
    json.dumps({"role": "user", "name": name, "content": content, "timestamp": f"2024-05-0{n}T10:00:00", "id": f"d{n}"}) + "\n"
    for n, (name, content) in enumerate(
        [
            ("Wanda", "I moved to Tromsø last week with my two greyhounds."),
            ("Elio", "Where will you keep the canoe?"),
            ("Wanda", "In Birgit's garage."),
            ("Elio", "I bought a second kayak yesterday, 我的新船。"),
        ],
        start=1,
    )
)


@pytest.fixture
def memory(program: Program) -> Iterator[Memory]:
    """A memory that the library made where the command finds it."""
    (program.folder / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    with Memory.open(program.folder / "memory.memdb") as made:
        made.ingest([program.folder / "chat.jsonl"])
    with Memory.open(program.folder / "memory.memdb", read_only=True) as opened:
        yield opened


def timeless(value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    """Without timings; everything else must be equal to the last digit."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in ("timings_ms", "seconds", "path")}
    return [timeless(v) for v in value] if isinstance(value, list) else value


QUESTIONS = ("Where does Wanda keep the canoe?", "When did Elio buy a kayak?", "新船", "Who won the regatta?")


@pytest.mark.parametrize("options", [(), ("--explain",)], ids=["plain", "explain"])
def test_answers_are_what_the_command_prints(program: Program, memory: Memory, options: tuple[str, ...]) -> None:
    question, explain = QUESTIONS[0], bool(options)
    asked = memory.ask(question, k=3, explain=explain).to_dict()
    assert timeless(program.json("ask", question, "-k", "3", *options)) == timeless(json.loads(json.dumps(asked)))
    found = memory.search(question, k=3, explain=explain).to_dict()
    assert timeless(program.json("search", question, "-k", "3", *options)) == timeless(json.loads(json.dumps(found)))


def test_a_batch_is_what_the_command_prints(program: Program, memory: Memory) -> None:
    lines = [json.dumps({"id": n, "question": question}) for n, question in enumerate(QUESTIONS)]
    (program.folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    status, out, err = program.run("ask", "--batch", "questions.jsonl")
    assert (status, err) == (0, "")
    answers = list(memory.ask_batch(Question(question, n) for n, question in enumerate(QUESTIONS)))
    assert [timeless(json.loads(line)) for line in out.splitlines()] == [timeless(json.loads(json.dumps(a.to_dict()))) for a in answers]
    assert [answer.id for answer in answers] == [0, 1, 2, 3]


def test_the_rest_is_what_the_command_prints(program: Program, memory: Memory) -> None:
    assert timeless(program.json("status")) == timeless(memory.status().to_dict())
    assert timeless(program.json("verify")) == timeless(memory.verify().to_dict())
    for reference in ("1", "message:d1", "span:1", "keyword:canoe", "referent:Wanda", "page:1"):
        assert program.json("show", reference) == memory.show(reference).to_dict()


def test_an_ingest_reports_what_the_command_prints(program: Program) -> None:
    chat = program.folder / "chat.jsonl"
    chat.write_text(CHAT, encoding="utf-8")
    with Memory.open(program.folder / "library.memdb") as memory:
        report = memory.ingest([chat]).to_dict()
    assert timeless(program.json("ingest", "chat.jsonl", "--db", "command.memdb")) == timeless(report)


def test_facts_cite_the_exact_words(memory: Memory) -> None:
    texts = {line["id"]: line["content"] for line in map(json.loads, CHAT.splitlines())}
    for question in QUESTIONS:
        for fact in memory.search(question).facts:
            for evidence in fact.evidence:
                assert evidence.text == texts[evidence.message_id][evidence.start : evidence.end]


def test_a_memory_sees_what_it_and_others_add(tmp_path: Path) -> None:
    kayak, tuba = (Message("quay", str(n), "Elio", "user", text) for n, text in enumerate(["My kayak is red.", "My tuba is dented."]))
    with Memory.open(tmp_path / "m.memdb") as one, Memory.open(tmp_path / "m.memdb") as other:
        assert one.search("tuba").facts == ()
        one.add([kayak])
        assert len(one.search("kayak").facts) == 1
        other.add([tuba])
        assert one.search("tuba").facts[0].evidence[0].text == "My tuba is dented."


def test_streams_files_and_folders_are_sources(tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    with Memory.open(tmp_path / "m.memdb") as memory:
        assert memory.ingest([io.BytesIO(CHAT.encode())]).messages_new == 4
        report = memory.ingest([str(tmp_path / "chat.jsonl"), tmp_path / "chat.jsonl"])
        assert (report.files, report.messages_new, report.messages_unchanged) == (2, 4, 4)


def test_a_memory_is_private_and_one_file_once_closed(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "deep" / "m.memdb") as memory:
        memory.add([Message("quay", "1", "Elio", "user", "My kayak is red.")])
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["m.memdb"]
    assert stat.S_IMODE(memory.path.stat().st_mode) == 0o600


def test_closing_twice_does_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.memdb") as memory:
        memory.close()
    memory.close()


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    with Memory.open(tmp_path / "m.memdb") as memory:
        memory.ingest([io.BytesIO(CHAT.encode())], progress=lambda *what: told.append(what))
    assert [what for what in told if what[0] == "messages"][-1] == ("messages", 4, None)
    assert told[-1] == ("contexts", 4, 4)


def test_a_bad_line_names_its_place_and_leaves_the_file_sound(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(CHAT + "{not json}\n" + CHAT, encoding="utf-8")
    with Memory.open(tmp_path / "m.memdb") as memory:
        with pytest.raises(InputError, match=r"bad\.jsonl: line 5"):
            memory.ingest([bad])
        assert memory.verify().sound
        bad.write_text(CHAT, encoding="utf-8")
        memory.ingest([bad])
        assert memory.status().counts["messages"] == 4


def test_errors_are_a_tree_that_the_library_exports(tmp_path: Path, memory: Memory) -> None:
    for error in (InputError, NotFoundError, StoreError, UsageError, memcli.ModelError):
        assert issubclass(error, memcli.MemError)
    with pytest.raises(StoreError):
        Memory.open(tmp_path / "none.memdb", create=False)
    with pytest.raises(NotFoundError):
        memory.show("claim:999")
    with pytest.raises(UsageError):
        memory.ask("")
    with pytest.raises(StoreError):
        memory.add([Message("quay", "1", "Elio", "user", "Not with a read-only memory.")])


def test_everything_public_can_be_imported() -> None:
    assert all(hasattr(memcli, name) for name in memcli.__all__)
    assert not hasattr(memcli, "nothing")
    assert Answer.__module__ == "memcli.results"


def test_a_search_does_not_ask_for_the_language_model(tmp_path: Path) -> None:
    path = tmp_path / "m.memdb"
    transcript = tmp_path / "chat.jsonl"
    transcript.write_text('{"id": "1", "speaker": "Oda", "text": "I keep eleven geese behind the mill."}\n', "utf-8")
    with Memory.open(path) as memory:
        memory.ingest([transcript])
    with Memory.open(path, llm=str(tmp_path / "missing.gguf")) as memory:
        assert memory.search("Oda's geese").facts
        with pytest.raises(memcli.ModelError, match="missing"):
            memory.ask("How many geese does Oda keep?")
