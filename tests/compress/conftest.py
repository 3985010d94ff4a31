"""A memory with enough in it to compress: three invented people over a year, in several languages."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from memcli.atoms import Message
from memcli.compress.candidates import Candidates, Statement
from memcli.compress.clauses import read_clause
from memcli.compress.merge_text import is_faithful, merged_text, rarities

TABLES = (
    "conversations",
    "sessions",
    "messages",
    "message_contexts",
    "pages",
    "spans",
    "referents",
    "handles",
    "time_cues",
    "pivots",
    "claims",
    "claim_supports",
    "claim_handles",
    "keywords",
    "claim_keywords",
    "edges",
    "groups",
    "group_members",
    "group_neighbours",
    "claim_neighbours",
    "group_index",
    "group_cells",
    "topics",
    "topic_keywords",
    "touched_keywords",
    "packs",
    "packed_vectors",
    "event_trees",
    "event_tree_edges",
    "lineage",
    "run_states",
)
"""Every table but the log of runs."""

_SAID = (
    "I planted {n} {plant} trees behind the mill in {place}.",
    "My sister Odile never liked the {plant} jam from {place}.",
    "We sailed the {boat} to {place} and stayed {n} days.",
    "The {boat} lost its mast near {place} last week.",
    "I am learning to bake bread with {plant} flour, it takes {n} hours.",
    "I'm not allowed to sell the {boat} before {n} May 2023.",
    "Ich habe in {place} {n} Bücher über {plant} gekauft.",
    "我在{place}种了{n}棵{plant}树。",
    "Compré {n} kilos de {plant} en el mercado de {place}.",
    "Where did you buy the {plant} for the {boat}?",
    "I prefer {plant} tea to coffee when I work on the {boat}.",
    "My boss in {place} gave me {n} days to paint the {boat}.",
)
_PLANTS = ("quince", "medlar", "elder", "rye", "sorrel", "juniper")
_BOATS = ("Heron", "Marigold", "Petrel")
_PLACES = ("Olomouc", "Faro", "Bodø", "Kiel", "Ghent")


def chat(count: int, *, seed: int = 0, conversation: str = "mill", first: int = 0) -> list[Message]:
    """`count` messages of one to three sentences, from number `first` on; the same for the same seed."""
    rng = random.Random(seed)
    messages = []
    for n in range(first + count):
        said = " ".join(
            rng.choice(_SAID).format(n=rng.randint(2, 40), plant=rng.choice(_PLANTS), boat=rng.choice(_BOATS), place=rng.choice(_PLACES))
            for _ in range(rng.randint(1, 3))
        )
        messages.append(
            Message(
                conversation_id=conversation,
                message_id=f"m{n}",
                speaker=("Nils", "Rosaria", "Tove")[n % 3],
                role="user",
                text=said,
                timestamp=f"2023-{1 + n // 28 % 12:02}-{1 + n % 28:02}T10:00:00",
                session_id=f"s{n // 12}",
            )
        )
    return messages[first:]


def rows_of(connection: apsw.Connection) -> dict[str, list[Any]]:
    """Everything in a memory but the log of runs: every row of every table, every vector bit for bit, what every index holds."""
    found: dict[str, list[Any]] = {table: sorted(map(repr, connection.execute(f"SELECT * FROM {table}"))) for table in TABLES}
    for atom in ("span", "claim", "message"):
        found[f"{atom}_vectors"] = list(connection.execute(f"SELECT {atom}_id, embedding FROM {atom}_vectors ORDER BY 1"))
    for atom in ("span", "claim"):
        found[f"{atom}_views"] = list(connection.execute(f"SELECT id, sz FROM {atom}_views_docsize ORDER BY 1"))
    return found


@pytest.fixture(scope="session")
def make_chat() -> Callable[..., list[Message]]:
    """`chat`, for modules that cannot import it from here."""
    return chat


def claims_of(count: int, *, events: int = 8, kinds: int = 2, seed: int = 0, noise: float = 0.8, conversation: int = 40) -> Candidates:
    """`count` claims strewn about as many directions as there are events, by turns of each kind, in conversations of `conversation`."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(events, 24))[rng.integers(0, events, count)] + noise * rng.normal(size=(count, 24))
    return Candidates(
        ids=np.arange(count) * 3 + 5,
        vectors=np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32),
        conversations=np.arange(count) // conversation,
        positions=np.arange(count) % conversation,
        kinds=np.arange(count) % kinds,
        statements=tuple(Statement(f"Nils: I painted the old boat number {n} in Faro with a brush.", "Nils") for n in range(count)),
    )


@pytest.fixture(scope="session")
def make_claims() -> Callable[..., Candidates]:
    """`claims_of`, for modules that cannot import it from here."""
    return claims_of


@pytest.fixture(scope="session")
def everything() -> Callable[[apsw.Connection], dict[str, list[Any]]]:
    """`rows_of`, for modules that cannot import it from here."""
    return rows_of


@pytest.fixture(scope="session")
def mill(tmp_path_factory: pytest.TempPathFactory, open_store: Callable[[Path], AbstractContextManager[Any]]) -> Path:
    """A memory of 90 messages; not to be written to."""
    path = tmp_path_factory.mktemp("mill") / "mill.memdb"
    with open_store(path) as store:
        store.add(chat(90))
    return path


@pytest.fixture
def copy(mill: Path, tmp_path: Path, open_store: Callable[[Path], AbstractContextManager[Any]]) -> Iterator[Any]:
    """A copy of it, open for writing."""
    path = tmp_path / "copy.memdb"
    path.write_bytes(mill.read_bytes())
    with open_store(path) as store:
        yield store


@pytest.fixture(scope="session")
def problems() -> Callable[[apsw.Connection, Path], Sequence[Any]]:
    """What `verify` finds wrong."""
    from memcli.store.transcripts import message_digest
    from memcli.store.verify import verify

    return lambda connection, path: verify(connection, path, digest_of=message_digest).problems


def merged_of(*texts: str, budget: int = 1000, speaker: str = "Ilse") -> str:
    """What claims of these texts become, which is faithful."""
    statements = [Statement(text, speaker) for text in texts]
    rarity = rarities(statements)
    clauses = [read_clause(statement, rarity) for statement in statements]
    text = merged_text(clauses, budget)
    assert is_faithful(text, clauses), text
    return text


@pytest.fixture(scope="session")
def merge() -> Callable[..., str]:
    """`merged_of`, for modules that cannot import it from here."""
    return merged_of
