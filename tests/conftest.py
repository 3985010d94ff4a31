"""What tests of every layer share: one embedder, one way to fill a memory, one way to compare two, and the command as a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from memcli.atoms import Message
from memcli.ingest import Ingest
from memcli.models import Embedder, load_embedder
from memcli.recall import Recall
from memcli.results import IngestReport
from memcli.store.connection import connect, tidy_close

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default model from the user's own cache: exported once on a machine, loaded once in a run of the tests."""
    return load_embedder()


@dataclass(frozen=True)
class Store:
    """A memory open for a test, with the run's embedder in it."""

    connection: apsw.Connection
    embedder: Embedder

    def add(self, messages: Iterable[Message]) -> IngestReport:
        """Ingest messages."""
        run = Ingest(self.connection, lambda: self.embedder)
        run.messages(messages)
        return run.report()

    def recall(self) -> Recall:
        """The read path over what is in it now."""
        return Recall(self.connection, lambda: self.embedder)


OpenStore = Callable[[Path], Any]


@pytest.fixture(scope="session")
def open_store(embedder: Embedder) -> OpenStore:
    """`with open_store(path) as store:`, for as many memories as a test likes."""

    @contextmanager
    def opened(path: Path) -> Iterator[Store]:
        connection = connect(path)
        try:
            yield Store(connection, embedder)
        finally:
            tidy_close(connection)

    return opened


@pytest.fixture
def store(tmp_path: Path, open_store: OpenStore) -> Iterator[Store]:
    """An empty memory."""
    with open_store(tmp_path / "test.memdb") as opened:
        yield opened


_PLACE = "c.external_id, m.position"
_SPAN = f"{_PLACE}, s.start_offset"
_OF_MESSAGE = "JOIN conversations c ON c.id = m.conversation_id"
_OF_SPAN = f"JOIN messages m ON m.id = s.message_id {_OF_MESSAGE}"
_CLAIM = f"SELECT cl.id, {_SPAN} FROM claims cl JOIN spans s ON s.id = cl.anchor_span_id {_OF_SPAN}"

_CONTENT = {
    "messages": f"SELECT {_PLACE}, m.external_id, se.external_id, m.speaker, m.role, m.timestamp, m.said_at, m.text, m.metadata,"
    f" hex(m.digest) FROM messages m {_OF_MESSAGE} LEFT JOIN sessions se ON se.id = m.session_id",
    "pages": f"SELECT c.external_id, min(m.position), max(m.position), count(*), se.external_id FROM messages m {_OF_MESSAGE}"
    " JOIN pages p ON p.id = m.page_id LEFT JOIN sessions se ON se.id = p.session_id GROUP BY p.id",
    "spans": f"SELECT {_SPAN}, s.end_offset, s.kind, s.words FROM spans s {_OF_SPAN}",
    "handles": f"SELECT {_SPAN}, h.start_offset, h.text, r.name, r.kind FROM handles h JOIN referents r ON r.id = h.referent_id"
    f" JOIN spans s ON s.id = h.span_id {_OF_SPAN}",
    "time_cues": f"SELECT {_SPAN}, t.start_offset, t.text, t.start_time, t.end_time, t.granularity, t.anchor, t.duration_days"
    f" FROM time_cues t JOIN spans s ON s.id = t.span_id {_OF_SPAN}",
    "pivots": f"SELECT {_SPAN}, p.start_offset, p.text, p.kind FROM pivots p JOIN spans s ON s.id = p.span_id {_OF_SPAN}",
    "claims": f"SELECT {_SPAN}, cl.text, cl.kind, cl.modality, cl.polarity, sub.name, spk.name, cl.said_at, cl.start_time, cl.end_time,"
    f" cl.granularity, t.text, cl.origin, cl.status FROM claims cl JOIN spans s ON s.id = cl.anchor_span_id {_OF_SPAN}"
    " LEFT JOIN referents sub ON sub.id = cl.subject_id JOIN referents spk ON spk.id = cl.speaker_id"
    " LEFT JOIN time_cues t ON t.id = cl.time_cue_id",
    "supports": f"SELECT cl.text, cs.position, {_SPAN} FROM claim_supports cs JOIN claims cl ON cl.id = cs.claim_id"
    f" JOIN spans s ON s.id = cs.span_id {_OF_SPAN}",
    "claim_handles": f"SELECT cl.text, {_SPAN}, h.text FROM claim_handles ch JOIN claims cl ON cl.id = ch.claim_id"
    f" JOIN handles h ON h.id = ch.handle_id JOIN spans s ON s.id = h.span_id {_OF_SPAN}",
    "keywords": f"SELECT {_SPAN}, cl.text, k.text FROM claim_keywords ck JOIN keywords k ON k.id = ck.keyword_id"
    f" JOIN claims cl ON cl.id = ck.claim_id JOIN spans s ON s.id = cl.anchor_span_id {_OF_SPAN}",
    "edges": "SELECT a.text, b.text, e.relation, e.strength FROM edges e JOIN claims a ON a.id = e.source_id"
    " JOIN claims b ON b.id = e.target_id",
    "referents": "SELECT name, kind FROM referents",
    "contexts": f"SELECT {_PLACE}, x.position, mc.tokens FROM message_contexts mc JOIN messages m ON m.id = mc.message_id {_OF_MESSAGE}"
    " LEFT JOIN messages x ON x.id = mc.block_id",
    "models": "SELECT role, name, fingerprint, dimension FROM models",
}


def content_of(connection: apsw.Connection) -> dict[str, list[str]]:
    """Everything a memory holds that its transcripts determine, free of ids, by family of rows."""
    return {family: sorted(repr(row) for row in connection.execute(sql)) for family, sql in _CONTENT.items()}


def vectors_of(connection: apsw.Connection) -> dict[tuple[Any, ...], np.ndarray[Any, np.dtype[np.float32]]]:
    """Every vector, by what it stands for."""
    spans = f"SELECT v.embedding, 'span', {_SPAN} FROM span_vectors v JOIN spans s ON s.id = v.span_id {_OF_SPAN}"
    claims = (
        f"SELECT v.embedding, cl.text, {_SPAN} FROM claim_vectors v JOIN claims cl ON cl.id = v.claim_id"
        f" JOIN spans s ON s.id = cl.anchor_span_id {_OF_SPAN}"
    )
    messages = f"SELECT v.embedding, 'message', {_PLACE} FROM message_vectors v JOIN messages m ON m.id = v.message_id {_OF_MESSAGE}"
    return {tuple(row[1:]): np.frombuffer(row[0], np.float32) for sql in (spans, claims, messages) for row in connection.execute(sql)}


def assert_same(a: apsw.Connection, b: apsw.Connection) -> None:
    """Two memories hold the same, ids aside, and their vectors are equal within 1e-5."""
    left, right = content_of(a), content_of(b)
    for family in left:
        assert left[family] == right[family], family
    ours, theirs = vectors_of(a), vectors_of(b)
    assert ours.keys() == theirs.keys()
    for key, vector in ours.items():
        np.testing.assert_allclose(vector, theirs[key], atol=1e-5, err_msg=str(key))


@pytest.fixture(scope="session")
def content() -> Callable[[apsw.Connection], dict[str, list[str]]]:
    """`content_of`, for modules that cannot import it from here."""
    return content_of


@pytest.fixture(scope="session")
def same_content() -> Callable[[apsw.Connection, apsw.Connection], None]:
    """`assert_same`, for modules that cannot import it from here."""
    return assert_same


def environment_in(folder: Path) -> dict[str, str]:
    """The environment of a child process whose settings and data lie in `folder`; models come from the real cache."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEM_", "PYTHON", "NO_COLOR")) or k == "MEM_CACHE_DIR"}
    data = {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder / "data")}
    return kept | data | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}


@pytest.fixture(scope="session")
def child_environment() -> Callable[[Path], dict[str, str]]:
    """`environment_in`, for modules that cannot import it from here."""
    return environment_in


@dataclass(frozen=True)
class Program:
    """`python -m memcli` in a folder of its own, away from the settings and memories of whoever runs the tests."""

    folder: Path

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start it with a pipe for each stream, in a process group of its own."""
        return self.start_python("-m", "memcli", *arguments)

    def start_python(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the interpreter."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=environment_in(self.folder),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run it to its end; its exit status, stdout and stderr."""
        child = self.start(*arguments)
        out, err = child.communicate(timeout=120)
        return child.returncode, out.decode("utf-8"), err.decode("utf-8")

    def json(self, *arguments: str) -> dict[str, Any]:
        """Run it with --json; what it printed."""
        status, out, err = self.run(*arguments, "--json")
        assert status in (0, 1), err
        result: dict[str, Any] = json.loads(out)
        return result


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The command in an empty folder."""
    return Program(tmp_path)
