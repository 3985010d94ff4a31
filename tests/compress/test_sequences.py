"""Ingesting, compressing, restoring, forgetting and asking in any order leave a sound file; restoring at once is exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.atoms import Message
from memcli.compress.settings import Settings
from memcli.compression import Limits, compress_memory
from memcli.errors import NotFoundError
from memcli.forgetting import Selection, forget_memory
from memcli.restoring import restore_memory

if TYPE_CHECKING:
    from conftest import Store

BEGUN = 30
"""Messages that every sequence begins with."""

STEPS = st.one_of(
    st.tuples(st.just("ingest"), st.integers(1, 6)),
    st.tuples(st.just("compress"), st.tuples(st.floats(0.05, 0.9), st.sampled_from([None, 8]), st.sampled_from(["all", "merged"]))),
    st.tuples(st.just("restore"), st.none()),
    st.tuples(st.just("forget"), st.integers(0, 200)),
    st.tuples(st.just("ask"), st.sampled_from(["Who planted trees behind the mill?", "What does Rosaria prefer?", "谁种了树?"])),
)


@pytest.fixture(scope="module")
def short(
    tmp_path_factory: pytest.TempPathFactory,
    open_store: Callable[[Path], AbstractContextManager[Store]],
    make_chat: Callable[..., list[Message]],
) -> bytes:
    """A memory of a few messages, as bytes of its file."""
    path = tmp_path_factory.mktemp("short") / "short.memdb"
    with open_store(path) as store:
        store.add(make_chat(BEGUN))
    return path.read_bytes()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, min_size=2, max_size=6))
def test_any_sequence_leaves_a_sound_file(
    tmp_path_factory: pytest.TempPathFactory,
    short: bytes,
    open_store: Callable[[Path], AbstractContextManager[Store]],
    make_chat: Callable[..., list[Message]],
    everything: Callable[[apsw.Connection], dict[str, list[Any]]],
    problems: Callable[[apsw.Connection, Path], Sequence[Any]],
    steps: list[tuple[str, Any]],
) -> None:
    path = tmp_path_factory.mktemp("sequence") / "any.memdb"
    path.write_bytes(short)
    with open_store(path) as store:
        said = BEGUN
        standing: list[dict[str, list[Any]] | None] = []  # how it was before each run that stands; None once more has come
        for step, value in steps:
            if step == "ingest":
                store.add(make_chat(value, first=said))
                said += value
                standing = [None for _ in standing]
            elif step == "compress":
                ratio, kept, pack = value
                before = everything(store.connection)
                if compress_memory(store.connection, ratio, Limits(keep_messages=kept), settings=Settings(pack=pack)).run is not None:
                    standing.append(before)
            elif step == "restore" and standing:
                restore_memory(store.connection, None)
                if (expected := standing.pop()) is not None:
                    assert everything(store.connection) == expected
            elif step == "forget":
                try:
                    forget_memory(store.connection, lambda: store.embedder, Selection(message=f"m{value % said}"))
                except NotFoundError:
                    continue  # forgotten before
                standing = []  # forgetting undoes every run first
            elif step == "ask":
                answer = store.recall().ask(value, k=6)
                told = {row[0] for row in store.connection.execute("SELECT claim_id FROM facts")}
                assert {fact.claim_id for fact in answer.facts} <= told
            assert problems(store.connection, path) == ()
        for _ in standing:
            restore_memory(store.connection, None)
        assert problems(store.connection, path) == ()
        assert store.connection.execute("SELECT count(*) FROM claims WHERE status = 'archived' OR origin = 'merge'").get == 0
        assert store.connection.execute("SELECT count(*) FROM messages WHERE text IS NULL").get == 0
        assert store.connection.execute("PRAGMA foreign_key_check").fetchall() == []
