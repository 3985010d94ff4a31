"""Topics in the file: what the clustering needs is read, what changed is written.

`touched_keywords` (kept by triggers) holds the keywords whose claims have changed since the last refresh, so that a refresh looks at
them and the topics around them only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.store.vectors import has_vector_tables

MIN_CLAIMS = 2
"""Claims a keyword occurs in before it counts as a place where claims meet. Most keywords occur once."""

MAX_CLAIMS = 256
"""Newest claims of a keyword that are looked at, so that a refresh does not cost more as the commonest keywords grow."""

CENTROID_CLAIMS = 4
"""Newest claims of a keyword whose vectors stand for it. Measured: cosine 0.997 to the centroid over all claims, 0.985 with two."""

SCAN_SHARE = 4
"""All vectors are read in one go, rather than one by one, where one in so many is wanted."""


def touched_keywords(connection: apsw.Connection) -> list[int]:
    """The keywords whose claims have changed since the last refresh, ascending."""
    return [row[0] for row in connection.execute("SELECT keyword_id FROM touched_keywords ORDER BY keyword_id")]


def forget_touched(connection: apsw.Connection) -> None:
    """A refresh has looked at every touched keyword."""
    connection.execute("DELETE FROM touched_keywords")


def count_keywords(connection: apsw.Connection) -> int:
    """How many keywords the file holds."""
    return int(connection.execute("SELECT count(*) FROM keywords").get)


def empty_topics(connection: apsw.Connection, topics: Iterable[int]) -> None:
    """Take every keyword out of these topics."""
    connection.executemany("DELETE FROM topic_keywords WHERE topic_id = ?", ((topic,) for topic in topics))


def delete_topics(connection: apsw.Connection, topics: Iterable[int]) -> None:
    """Drop these topics."""
    connection.executemany("DELETE FROM topics WHERE id = ?", ((topic,) for topic in topics))


def fill_topic(connection: apsw.Connection, topic: int, keywords: Iterable[int]) -> None:
    """Put keywords into a topic."""
    connection.executemany("INSERT INTO topic_keywords (keyword_id, topic_id) VALUES (?, ?)", ((keyword, topic) for keyword in keywords))


def all_keywords(connection: apsw.Connection) -> dict[int, str]:
    """Every keyword's text by its id."""
    return dict(cast(list[tuple[int, str]], connection.execute("SELECT id, text FROM keywords ORDER BY id").fetchall()))


def all_claims(connection: apsw.Connection) -> dict[int, list[int]]:
    """What `claims_of` says of every keyword, in one pass."""
    claims: dict[int, list[int]] = {row[0]: [] for row in connection.execute("SELECT id FROM keywords ORDER BY id")}
    for keyword, claim in connection.execute(
        "SELECT ck.keyword_id, ck.claim_id FROM claim_keywords ck JOIN claims c ON c.id = ck.claim_id"
        " WHERE c.status = 'active' ORDER BY ck.keyword_id, ck.claim_id DESC"
    ):
        found = claims[keyword]
        if len(found) < MAX_CLAIMS:
            found.append(claim)
    return claims


def around(connection: apsw.Connection, touched: list[int]) -> dict[int, str]:
    """The touched keywords, the topics they are in and, of one that is in none yet, the topics of those it occurs with."""
    region: dict[int, str] = {}
    topics: set[int] = set()

    def take(keyword: int) -> int | None:
        row = connection.execute(
            "SELECT k.text, tk.topic_id FROM keywords k LEFT JOIN topic_keywords tk ON tk.keyword_id = k.id WHERE k.id = ?", (keyword,)
        ).fetchone()
        if row is None:
            return None
        region[keyword] = str(row[0])
        if row[1] is not None:
            topics.add(int(row[1]))
        return cast(int | None, row[1])

    for keyword in touched:
        if take(keyword) is None and keyword in region:
            for ending in endings_of(connection, region[keyword]):
                take(ending)
            claims = claims_of(connection, keyword)
            if len(claims) >= MIN_CLAIMS:
                for claim in claims:
                    for (other,) in connection.execute("SELECT keyword_id FROM claim_keywords WHERE claim_id = ?", (claim,)):
                        if other not in region:
                            take(other)
    for topic in topics:
        region.update(
            connection.execute(
                "SELECT k.id, k.text FROM topic_keywords tk JOIN keywords k ON k.id = tk.keyword_id WHERE tk.topic_id = ?", (topic,)
            )
        )
    return dict(sorted(region.items()))


def claims_of(connection: apsw.Connection, keyword: int) -> list[int]:
    """The newest active claims of a keyword, newest first, at most `MAX_CLAIMS`."""
    rows = connection.execute(
        "SELECT ck.claim_id FROM claim_keywords ck JOIN claims c ON c.id = ck.claim_id"
        " WHERE ck.keyword_id = ? AND c.status = 'active' ORDER BY ck.claim_id DESC LIMIT ?",
        (keyword, MAX_CLAIMS),
    )
    return [row[0] for row in rows]


def endings_of(connection: apsw.Connection, text: str) -> list[int]:
    """Keywords that a phrase ends in, the longest first."""
    words = text.split()
    rows = (connection.execute("SELECT id FROM keywords WHERE text = ?", (" ".join(words[i:]),)).fetchone() for i in range(1, len(words)))
    return [row[0] for row in rows if row]


def topics_of(connection: apsw.Connection, region: Iterable[int]) -> dict[int, list[int]]:
    """The topics the region's keywords are in now, with their members."""
    topics: dict[int, list[int]] = {}
    for keyword in region:
        row = connection.execute("SELECT topic_id FROM topic_keywords WHERE keyword_id = ?", (keyword,)).fetchone()
        if row:
            topics.setdefault(row[0], []).append(keyword)
    return topics


def centroids(connection: apsw.Connection, topics: list[list[list[int]]]) -> list[bytes | None]:
    """For each topic the unit mean of its keywords' vectors, each the mean of its claims' (float32, little-endian).

    None for a topic whose claims have no vectors.

    Args:
        connection: to read the claims' vectors.
        topics: for each topic and each of its keywords the ids of the claims that stand for it.
    """
    if not has_vector_tables(connection):
        return [None] * len(topics)
    shares: dict[int, list[tuple[int, float]]] = {}
    for index, keywords in enumerate(topics):
        for of_keyword in keywords:
            for claim in of_keyword:
                shares.setdefault(claim, []).append((index, 1 / len(of_keyword)))
    # Double precision, so that the order in which vectors come does not show.
    totals: dict[int, NDArray[np.float64]] = {}
    for claim, vector in _vectors(connection, sorted(shares)):
        for index, share in shares[claim]:
            total = totals.get(index)
            if total is None:
                total = totals[index] = np.zeros(len(vector), np.float64)
            total += share * vector
    return [_unit(totals[i]) if i in totals else None for i in range(len(topics))]


def _unit(total: NDArray[np.float64]) -> bytes:
    return (total / max(float(np.linalg.norm(total)), 1e-9)).astype(np.float32).tobytes()


def _vectors(connection: apsw.Connection, claims: list[int]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """The vectors of those of the claims that have one, in any order."""
    count = connection.execute("SELECT max(id) FROM claims").fetchone()
    if SCAN_SHARE * len(claims) > int((count and count[0]) or 0):
        wanted = frozenset(claims)
        rows = connection.execute("SELECT claim_id, embedding FROM claim_vectors")
        yield from ((claim, np.frombuffer(data, np.float32)) for claim, data in rows if claim in wanted)
        return
    for claim in claims:
        row = connection.execute("SELECT embedding FROM claim_vectors WHERE claim_id = ?", (claim,)).fetchone()
        if row:
            yield claim, np.frombuffer(row[0], np.float32)


def write_topic(connection: apsw.Connection, topic: int | None, label: str, centroid: bytes | None) -> tuple[int, bool]:
    """Store a topic's label and centroid; returns its id and whether anything was different."""
    if topic is None:
        connection.execute("INSERT INTO topics (label, centroid) VALUES (?, ?)", (label, centroid))
        return connection.last_insert_rowid(), True
    if connection.execute("SELECT 1 FROM topics WHERE id = ? AND label = ? AND centroid IS ?", (topic, label, centroid)).fetchone():
        return topic, False
    connection.execute("UPDATE topics SET label = ?, centroid = ? WHERE id = ?", (label, centroid, topic))
    return topic, True


def describe_topic(connection: apsw.Connection, topic: int, text: str, model_id: int) -> None:
    """Store what a language model calls a topic, within the caller's transaction."""
    connection.execute("INSERT OR REPLACE INTO topic_descriptions (topic_id, model_id, text) VALUES (?, ?, ?)", (topic, model_id, text))
