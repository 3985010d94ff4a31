"""Secrets are taken out before anything is stored: none of them is in the file, and what was read stays known."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Memory
from memcli.atoms import Message
from memcli.redaction import Redactor

if TYPE_CHECKING:
    from conftest import Program

# Put together here, so that no scanner of repositories takes them for somebody's.
SECRETS = {
    "aws access key": "AKIA" + "QX4ZT7LMB2N9VPRD",
    "github token": "ghp_" + "k3Tq" * 9,
    "slack token": "xoxb-" + "8812345670-vbnmtrewqs",
    "openai api key": "sk-" + "proj-" + "Zx81" * 12,
    "anthropic api key": "sk-ant-" + "api03-" + "wQ7r" * 8,
    "google api key": "AIza" + "Sy0" + "Kp4w" * 8,
    "gitlab token": "glpat-" + "Rr5t" * 5,
    "json web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiI5OTcxIn0." + "q7Rk2mZp0Yt4",
    "bearer token": "m4Zk" * 7,
    "basic auth credentials": "Quitten3Kuchen",
    "password": "Gr!llen-77",
    "card number": "4556 7375 8689 9855",
    "private key": "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIBkz\nq83Lm0==\n-----END EC PRIVATE KEY-----",
}
SENTENCES = {
    "bearer token": "Send it with Authorization: Bearer {}, that worked.",
    "basic auth credentials": "The feed is at https://ottilie:{}@feeds.example.org/mill.xml now.",
    "password": 'Das Passwort: "{}" gilt bis Freitag.',
}


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor()


def sentence(kind: str) -> str:
    return SENTENCES.get(kind, "Bram, use {} for the ferry's timetable.").format(SECRETS[kind])


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_replaced_by_its_kind(redactor: Redactor, kind: str) -> None:
    before = redactor.counts[kind]
    text = redactor.text(sentence(kind))
    assert text == sentence(kind).replace(SECRETS[kind], f"[redacted: {kind}]")
    assert redactor.counts[kind] == before + 1


@pytest.mark.parametrize(
    "text",
    [
        "The key is under the mat, and the secret: I love you.",
        "The password is swordfish, as in the film.",
        "We used max_tokens=4096 and 1500 tokens were left.",
        "See https://example.org/a/b/c?key=value&page=2 and http://localhost:8080/@bram.",
        "Commit 3f786850e387550fdab836ed7e6dc881de23001b broke it at 1700000000000.",
        "Order 4556 7375 8689 9856 is on its way, call +49 170 1234567.",
        "Das Schlüsselbrett hängt im Flur. 我的密码本在抽屉里。",
        "Mein Quittenkuchenrezept: https://kuchen.example/rezepte/quittenkuchen-vom-blech-1234",
    ],
)
def test_ordinary_talk_is_left_alone(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text


@given(st.lists(st.sampled_from([*map(sentence, SECRETS), "Und dann?", "\n", " 银行卡 ", "token = ", '"', "password: "]), max_size=6))
def test_redacting_again_changes_nothing(parts: list[str]) -> None:
    redactor = _shared()
    once = redactor.text(" ".join(parts))
    assert redactor.text(once) == once
    for kind, secret in SECRETS.items():
        assert secret not in once, kind


def test_a_quoted_value_does_not_hide_the_secret_behind_it(redactor: Redactor) -> None:
    assert "Gr!llen-77" not in redactor.text('token = " Das Passwort: "Gr!llen-77" gilt bis Freitag.')


def _shared(made: list[Redactor] = []) -> Redactor:  # noqa: B006 - made once: a property test asks for it hundreds of times
    if not made:
        made.append(Redactor())
    return made[0]


@pytest.mark.parametrize(
    "piece", ["://a:", "password='", "1 ", "aws key ", "//a/:_authToken=", "-----BEGIN PRIVATE KEY-----", "a", "eyJa."]
)
def test_no_text_takes_long(redactor: Redactor, piece: str) -> None:
    started = time.monotonic()
    redactor.text(piece * (100_000 // len(piece)))
    assert time.monotonic() - started < 10


def test_a_long_line_is_looked_at_to_its_end(redactor: Redactor) -> None:
    for length in range(1500, 2100, 37):
        text = "ferry " * (length // 6) + SECRETS["github token"] + " ferry" * 500
        assert SECRETS["github token"] not in redactor.text(text)


def test_metadata_is_redacted_too(redactor: Redactor) -> None:
    metadata = {"env": {"TOKEN": [SECRETS["github token"], 7, None]}, "note": "plain"}
    message = redactor.message(Message("c", "1", "Bram", "user", "Look at the settings.", metadata=metadata))
    assert message.metadata == {"env": {"TOKEN": ["[redacted: github token]", 7, None]}, "note": "plain"}
    plain = Message("c", "2", "Bram", "user", "Nothing here.")
    assert redactor.message(plain) is plain


def transcript(path: Path) -> None:
    lines = [{"role": "user", "name": "Ottilie", "content": sentence(kind)} for kind in SECRETS]
    lines.append({"role": "user", "name": "Bram", "content": "I rotated them all on Tuesday.", "env": SECRETS["slack token"]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_no_secret_reaches_the_file_and_the_same_transcript_is_known_again(tmp_path: Path) -> None:
    chat, path = tmp_path / "chat.jsonl", tmp_path / "memory.memdb"
    transcript(chat)
    with Memory.open(path) as memory:
        report = memory.ingest([chat], redact=True)
        assert report.messages_new == len(SECRETS) + 1
        assert dict(report.redacted) == dict(sorted((dict.fromkeys(SECRETS, 1) | {"slack token": 2}).items()))
        assert any("redacted" in line and "2 slack token" in line for line in report.warnings)
        held = b"".join(file.read_bytes() for file in tmp_path.glob("memory.memdb*"))
        again = memory.ingest([chat], redact=True)
        assert (again.messages_new, again.messages_unchanged) == (0, len(SECRETS) + 1)
        assert memory.verify().problems == ()
        facts = memory.search("Which password holds until Friday?", k=5).facts
        assert all(evidence.text for fact in facts for evidence in fact.evidence)
    held += path.read_bytes()
    for kind, secret in SECRETS.items():
        for piece in secret.split("\n"):
            assert "PRIVATE KEY" in piece or piece.encode() not in held, kind


def test_the_command_redacts_by_option_or_environment(program: Program, child_environment: Callable[[Path], dict[str, str]]) -> None:
    transcript(program.folder / "chat.jsonl")
    done = program.json("ingest", "chat.jsonl", "--redact", "--db", "a.memdb")
    assert done["redacted"]["github token"] == 1
    status, out, err = program.run("ingest", "chat.jsonl", "--redact", "--db", "b.memdb")
    assert (status, err) == (0, "")
    assert "1 aws access key" in out
    assert SECRETS["github token"].encode() not in (program.folder / "b.memdb").read_bytes()
    assert program.json("ingest", "chat.jsonl", "--db", "c.memdb")["redacted"] == {}
    environment = child_environment(program.folder) | {"MEM_REDACT": "1"}
    command = [sys.executable, "-m", "memcli", "ingest", "chat.jsonl", "--db", "d.memdb"]
    subprocess.run(command, cwd=program.folder, env=environment, check=True, capture_output=True, timeout=120)
    assert SECRETS["github token"].encode() not in (program.folder / "d.memdb").read_bytes()
