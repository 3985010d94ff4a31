"""Topics in the file: refreshed where keywords have changed, the same each time, within their bounds whatever happens."""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import numpy as np
import pytest

from memcli.store.connection import connect
from memcli.store.vectors import insert_vectors
from memcli.write import topic_refresh as topics
from memcli.write.topic_refresh import TopicChanges, rebuild_topics, refresh_topics

THEMES = {
    "weaving": ["loom", "wool", "dye", "shuttle", "warp"],
    "sailing": ["sloop", "rudder", "harbour", "tide", "anchor"],
    "baking": ["oven", "rye", "yeast", "crust", "flour"],
}


def add_claims(memory: apsw.Connection, first: int, keyword_lists: list[list[str]]) -> None:
    """Store a claim for each list of keywords, with ids from `first` on and a vector."""
    rng = np.random.default_rng(first)
    for claim, texts in enumerate(keyword_lists, first):
        columns = "id, page_id, text, kind, speaker_id, anchor_span_id"
        memory.execute(f"INSERT INTO claims ({columns}) VALUES (?, 1, 'Ines said so.', 'fact', 1, 1)", (claim,))
        memory.execute("INSERT INTO claim_supports VALUES (?, 1, 0)", (claim,))
        for text in texts:
            memory.execute("INSERT OR IGNORE INTO keywords (text, anchor_claim_id) VALUES (?, ?)", (text, claim))
            memory.execute("INSERT INTO claim_keywords SELECT id, ? FROM keywords WHERE text = ?", (claim, text))
        vector = rng.standard_normal(4).astype(np.float32)
        insert_vectors(memory, "claim", [(claim, vector / np.linalg.norm(vector))])


def talk(seed: int, count: int) -> list[list[str]]:
    """Claims about one theme each, with a rare keyword now and then."""
    rng = random.Random(seed)
    claims = []
    for _ in range(count):
        rare = [f"rare {rng.randrange(10**6)}"] if rng.random() < 0.3 else []
        claims.append([*rng.sample(rng.choice(list(THEMES.values())), 3), *rare])
    return claims


MEMBERS = "SELECT k.text FROM topic_keywords tk JOIN keywords k ON k.id = tk.keyword_id WHERE tk.topic_id = ?"
TOPIC_OF = "SELECT tk.topic_id FROM topic_keywords tk JOIN keywords k ON k.id = tk.keyword_id WHERE k.text = ?"


def contents(memory: apsw.Connection) -> list[tuple[object, ...]]:
    return memory.execute(
        "SELECT t.id, t.label, t.centroid, k.text FROM topics t JOIN topic_keywords tk ON tk.topic_id = t.id"
        " JOIN keywords k ON k.id = tk.keyword_id ORDER BY 1, 4"
    ).fetchall()


def check_laws(memory: apsw.Connection) -> None:
    """Sizes, labels and centroids of every topic."""
    for topic, label, centroid in memory.execute("SELECT id, label, centroid FROM topics").fetchall():
        members = {row[0] for row in memory.execute(MEMBERS, (topic,))}
        assert 3 <= len(members) <= 15
        assert set(str(label).split(", ")) <= members
        assert isinstance(centroid, bytes)
        assert float(np.linalg.norm(np.frombuffer(centroid, np.float32))) == pytest.approx(1, abs=1e-5)


def test_what_occurs_together_becomes_a_topic(memory: apsw.Connection) -> None:
    with memory:
        add_claims(memory, 10, talk(1, 120))
        changes = refresh_topics(memory)
    found = {frozenset(r[0] for r in memory.execute(MEMBERS, topic)) for topic in memory.execute("SELECT id FROM topics").fetchall()}
    assert found == {frozenset(theme) for theme in THEMES.values()}
    assert (changes.added, changes.changed, changes.removed) == (3, 0, 0)
    check_laws(memory)


def test_a_refresh_when_nothing_has_changed_does_nothing(memory: apsw.Connection) -> None:
    with memory:
        add_claims(memory, 10, talk(1, 60))
        refresh_topics(memory)
        before = contents(memory)
        assert refresh_topics(memory) == TopicChanges()
        again = rebuild_topics(memory)
    assert (again.added, again.changed, again.removed) == (0, 0, 0)
    assert contents(memory) == before


def test_the_same_file_gives_the_same_topics(memory: apsw.Connection, tmp_path: Path) -> None:
    with memory:
        add_claims(memory, 10, talk(2, 60))
    copy = tmp_path / "copy.memdb"
    memory.execute("VACUUM INTO ?", (str(copy),))
    other = connect(copy)
    for connection in (memory, other):
        with connection:
            refresh_topics(connection)
    assert contents(memory) == contents(other) != []
    other.close()


@pytest.mark.parametrize("small", [5_000, 0])
def test_topics_keep_the_laws_as_the_file_grows_and_shrinks(memory: apsw.Connection, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(topics, "FULL_RUN_KEYWORDS", small)
    monkeypatch.setattr(topics, "FULL_RUN_SHARE", small)
    rng = random.Random(small)
    words = [f"{a} {b}" for a in ("oak", "elm", "ash", "fir", "yew") for b in ("leaf", "bark", "root", "seed", "twig", "grove")]
    last = 9
    for step in range(12):
        with memory:
            added = [rng.sample(words, rng.randint(1, 4)) for _ in range(rng.randint(1, 25))]
            add_claims(memory, last + 1, added)
            last += len(added)
            if step % 3 == 2:
                gone = rng.sample(range(10, last + 1), 5)
                memory.executemany("UPDATE claims SET status = 'archived' WHERE id = ?", ((i,) for i in gone))
            refresh_topics(memory)
            check_laws(memory)
            assert refresh_topics(memory) == TopicChanges()


def test_a_large_file_is_refreshed_only_around_what_was_touched(memory: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "FULL_RUN_KEYWORDS", 0)
    with memory:
        add_claims(memory, 10, talk(3, 120))
        refresh_topics(memory)
        before = contents(memory)
        add_claims(memory, 500, [["loom", "wool", "felt"], ["loom", "felt"]])
        changes = refresh_topics(memory)
    assert changes.looked_at <= 7
    changed = {row[3] for row in set(contents(memory)) ^ set(before)}
    assert changed <= {*THEMES["weaving"], "felt"}
    assert "felt" in changed
    check_laws(memory)


def test_a_topic_that_grows_keeps_its_number(memory: apsw.Connection) -> None:
    with memory:
        add_claims(memory, 10, talk(4, 120))
        refresh_topics(memory)
        of_loom = memory.execute(TOPIC_OF, ("loom",)).fetchone()
        add_claims(memory, 500, [["loom", "wool", "felt"]] * 4)
        changes = refresh_topics(memory)
    assert (changes.added, changes.changed, changes.removed) == (0, 1, 0)
    assert memory.execute(TOPIC_OF, ("felt",)).fetchone() == of_loom


def test_deleting_keywords_of_a_topic_leaves_no_topic_too_small(memory: apsw.Connection) -> None:
    with memory:
        add_claims(memory, 10, talk(5, 120))
        refresh_topics(memory)
        memory.execute("DELETE FROM keywords WHERE text IN ('loom', 'wool', 'dye')")
        changes = refresh_topics(memory)
    assert changes.removed == 1
    check_laws(memory)


def test_the_file_refuses_a_sixteenth_keyword(memory: apsw.Connection) -> None:
    with memory:
        add_claims(memory, 10, [[f"word {i}" for i in range(16)]])
    memory.execute("INSERT INTO topics (id, label) VALUES (1, 'words')")
    with pytest.raises(apsw.ConstraintError, match="at most 15"):
        memory.execute("INSERT INTO topic_keywords SELECT id, 1 FROM keywords WHERE text LIKE 'word %'")


def test_a_memory_without_vectors_has_topics_without_centroids(tmp_path: Path, memory: apsw.Connection) -> None:
    with memory:
        add_claims(memory, 10, talk(6, 60))
        memory.execute("DROP TABLE claim_vectors")
        refresh_topics(memory)
    assert {row[2] for row in contents(memory)} == {None}
