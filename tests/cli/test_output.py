"""What goes to stdout: the JSON of the contract, text without a trace of the terminal, and text for one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from memcli.cli.app import COMMANDS

if TYPE_CHECKING:
    from conftest import Command

FACT = ["rank", "claim_id", "text", "score", "subject", "kind", "time", "evidence", "supersedes", "conflicts_with"]
EVIDENCE = ["message_id", "conversation_id", "session_id", "speaker", "timestamp", "start", "end", "text"]


def _check_facts(facts: list[dict[str, Any]], keys: list[str]) -> None:
    assert facts
    assert [fact["rank"] for fact in facts] == list(range(1, len(facts) + 1))
    for fact in facts:
        assert sorted(fact) == sorted(keys)
        assert fact["evidence"]
        for evidence in fact["evidence"]:
            assert list(evidence) == EVIDENCE
            assert evidence["end"] - evidence["start"] == len(evidence["text"])


def test_json_of_search(river: Command) -> None:
    found = river.json("search", "Ottilie's goat", "-k", "2")
    assert list(found) == ["id", "question", "facts", "timings_ms"]
    assert (found["id"], found["question"], len(found["facts"])) == (None, "Ottilie's goat", 2)
    _check_facts(found["facts"], FACT)
    assert found["timings_ms"]["total"] > 0


def test_json_of_ask(river: Command) -> None:
    answer = river.json("ask", "What is the name of Ottilie's goat?")
    assert list(answer) == ["id", "question", "answer", "sufficient", "confidence", "facts", "timings_ms"]
    assert answer["sufficient"] is True
    assert isinstance(answer["answer"], str)
    assert 0 <= answer["confidence"] <= 1
    _check_facts(answer["facts"], [*FACT, "role"])


def test_json_of_an_explained_search(river: Command) -> None:
    found = river.json("search", "goat", "--explain")
    assert "explain" in found
    for fact in found["facts"]:
        for route in fact["explain"]["routes"]:
            assert {"name", "rank", "score"} <= set(route)


def test_json_of_ingest(mem: Command) -> None:
    report = mem.json("ingest", "--db", "new.memdb", input='{"role": "user", "name": "Bram", "content": "The kiln is in Delft."}\n')
    assert list(report) == ["files", "messages", "pages", "spans", "cues", "claims", "merged", "edges", "seconds", "warnings", "redacted"]
    assert report["messages"] == {"read": 1, "new": 1, "unchanged": 0}
    assert report["seconds"]["total"] > 0


def test_json_of_status_verify_and_show(river: Command) -> None:
    status = river.json("status")
    assert list(status) == ["path", "schema_version", "counts", "models", "bytes", "conversations"]
    assert status["counts"]["messages"] == 8
    assert status["conversations"] == [
        {"id": "chat", "messages": 8, "speakers": ["Bram", "Ottilie"], "first": "2024-03-02T14:05:00", "last": "2024-03-10T09:01:00"}
    ]
    verification = river.json("verify")
    assert list(verification) == ["path", "sound", "checks", "problems", "repaired"]
    assert (verification["sound"], verification["problems"]) == (True, [])
    shown = river.json("show", "message:m1")
    assert shown["kind"] == "message"
    assert {"rests_on", "supports"} <= set(shown)


@pytest.mark.parametrize(
    "arguments", [("search", "goat", "--explain"), ("ask", "Where does the goat sleep?", "--explain"), ("status",), ("show", "message:m8")]
)
def test_piped_text_has_no_escape_sequence_and_no_wrapping(river: Command, arguments: tuple[str, ...]) -> None:
    done = river(*arguments, COLUMNS="20", TERM="xterm-256color")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert not re.search("[\u2500-\u257f]", done.stdout)
    if arguments[0] == "search":
        assert "I adopted a three-legged goat named Brunhilde yesterday." in done.stdout


@pytest.mark.parametrize("columns", [80, 160])
def test_a_terminal_gets_styles_and_lines_that_fit(river: Command, columns: int) -> None:
    shown = river.on_terminal("search", "goat", columns=columns)
    assert "\x1b[1m" in shown
    plain = re.sub("\x1b\\[[0-9;]*m", "", shown)
    assert "Brunhilde" in plain
    assert all(len(line) <= columns for line in plain.splitlines())


def test_no_color_is_respected(river: Command) -> None:
    shown = river.on_terminal("search", "goat", NO_COLOR="1")
    assert "Brunhilde" in shown
    assert "\x1b" not in shown


def test_a_transcript_cannot_steer_the_terminal(river: Command) -> None:
    shown = river.on_terminal("search", "kettle on the stove", "--explain", NO_COLOR="1")
    assert "kettle" in shown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)


def test_json_carries_the_very_words_whatever_they_are(river: Command) -> None:
    done = river("search", "kettle on the stove", "--json")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.stdout)
    quotes = [evidence["text"] for fact in json.loads(done.stdout)["facts"] for evidence in fact["evidence"]]
    assert any("\x1b[31mred\x1b]0;taken over\x07 kettle\u009b2J" in quote for quote in quotes)


def test_output_is_utf_8_whatever_the_locale(river: Command) -> None:
    assert "期中报告" in river("search", "期中报告", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").stdout


def test_an_argument_that_is_not_utf_8_is_a_question_too(river: Command) -> None:
    done = river("search", b"goat \xff\xfe", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["question"] == "goat \udcff\udcfe"


def test_a_question_from_stdin_is_the_same_question(river: Command) -> None:
    asked = [
        river.json("search", "the goat"),
        river.json("search", "-", input="the goat\n"),
        river.json("search", input="\ufeffthe goat\n"),
    ]
    assert all(found["facts"] == asked[0]["facts"] and found["question"] == "the goat" for found in asked)


@pytest.mark.parametrize("arguments", [("search", "goat"), ("--help",), ("search", "--help"), ("search", "--batch")])
def test_a_reader_that_leaves_early_ends_it_quietly(river: Command, arguments: tuple[str, ...]) -> None:
    child = river.start(*arguments)
    assert child.stdout is not None
    child.stdout.close()
    _, err = child.communicate(b"goat\n" * 2000)
    assert (child.returncode, err) == (0, b"")


def test_every_help_has_a_working_example(river: Command) -> None:
    overview = river("--help")
    assert overview.returncode == 0
    listed = re.search(r"Commands:\n((?:  \w.*\n)+)", overview.stdout)
    assert listed
    commands = [line.split()[0] for line in listed[1].splitlines()]
    assert commands == list(COMMANDS)
    assert {"ingest", "ask", "search", "show", "export", "compress", "restore", "forget", "eval", "config", "doctor", "completions"} <= set(
        commands
    )
    for command in commands:
        done = river(command, "--help")
        assert done.returncode == 0
        assert f"Example:\n    mem {command}" in done.stdout


def test_version(river: Command) -> None:
    done = river("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"mem \d+\.\d+\.\d+\S*\n", done.stdout)


def test_status_shows_a_person_the_transcripts_and_no_zeros(river: Command) -> None:
    shown = river("status").stdout
    assert "\ntranscripts\n  chat  8 messages  Bram, Ottilie · 2 March 2024 to 10 March 2024\n" in shown
    assert not re.search(r"^ +0 ", shown, re.MULTILINE)
    assert not re.search("ingests|packs|completions|time_cues", shown)


def test_status_shows_ten_conversations_and_counts_the_others(mem: Command) -> None:
    lines = [json.dumps({"role": "user", "content": f"Jar {n} is full.", "conversation_id": f"jar {n}"}) for n in range(12)]
    assert mem("ingest", "--db", "new.memdb", input="\n".join(lines)).returncode == 0
    shown = mem("status", "--db", "new.memdb").stdout
    assert len(re.findall("^  jar [0-9]+ +1 message  user$", shown, re.MULTILINE)) == 10
    assert "\n  and 2 more; --json lists them\n" in shown
    assert len(mem.json("status", "--db", "new.memdb")["conversations"]) == 12


def test_an_explanation_has_its_columns_aligned_and_its_parts_whole(river: Command) -> None:
    shown = river.on_terminal("search", "Ottilie's goat", "--explain", "-k", "1", columns=70, NO_COLOR="1")
    names = re.findall(r"^  ((?:terms|embedded_text|found by|took) +)\S", shown, re.MULTILINE)
    assert len(names) >= 3
    assert len({len(name) for name in names}) == 1
    stages = shown[shown.index("   fuse ") :]
    assert re.search(r" [a-z_]+ [+-][0-9.]+,", stages)
    assert not re.search(r"[a-z_]\n|[+-]0\.00", stages)


def test_no_line_is_broken_within_a_date(river: Command) -> None:
    for columns in (23, 26, 29):
        shown = river.on_terminal("search", "goat adopted", "-k", "1", columns=columns, NO_COLOR="1")
        assert "2 March 2024 14:05" in shown
        assert "\ufdd0" not in shown
    assert "2 March 2024 14:05" in river("search", "goat adopted", "-k", "1").stdout


def test_ask_explains_its_ids_once(river: Command) -> None:
    said = " ".join(river("ask", "--help").stdout.split())
    assert "[claim 7]" in said
    assert '"support" marks a fact that' in said
    assert "mem show message:ID" in said
