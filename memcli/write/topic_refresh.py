"""Bringing the topics of a memory up to date: what has changed is clustered anew (`memcli.write.topics`), what differs is written."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from memcli.store import topics as rows
from memcli.write.topics import find_topics, keep_numbers, keyword_graph, topic_label

FULL_RUN_KEYWORDS = 5_000
"""Up to so many keywords in the file everything is clustered anew, which takes well under a second."""

FULL_RUN_SHARE = 2
"""Everything is also clustered anew where one keyword in so many has been touched, as by the first ingest of a long history."""


@dataclass(frozen=True, slots=True)
class TopicChanges:
    """What a refresh did."""

    added: int = 0
    changed: int = 0
    """Topics that kept their number and have other members, another label or another centroid."""
    removed: int = 0
    looked_at: int = 0
    """Keywords clustered."""
    left_out: int = 0
    """Of those, keywords that occur often enough and yet are in no topic: linked to too few others, or to full topics only."""


def refresh_topics(connection: apsw.Connection) -> TopicChanges:
    """Bring the topics up to date with what has changed since the last refresh; at once when nothing has.

    Within a transaction of the caller's. The same file gives the same topics, and a second refresh changes nothing.
    """
    touched = rows.touched_keywords(connection)
    if not touched:
        return TopicChanges()
    keywords = rows.count_keywords(connection)
    whole = keywords <= max(FULL_RUN_KEYWORDS, FULL_RUN_SHARE * len(touched))
    region = rows.all_keywords(connection) if whole else rows.around(connection, touched)
    claims = rows.all_claims(connection) if whole else {keyword: rows.claims_of(connection, keyword) for keyword in region}
    changes = _cluster(connection, region, claims, frozenset(touched))
    rows.forget_touched(connection)
    return changes


def rebuild_topics(connection: apsw.Connection) -> TopicChanges:
    """Cluster every keyword anew, touched or not; within a transaction of the caller's. Topics that stay keep their numbers."""
    region = rows.all_keywords(connection)
    changes = _cluster(connection, region, rows.all_claims(connection), frozenset(region))
    rows.forget_touched(connection)
    return changes


def _cluster(connection: apsw.Connection, region: dict[int, str], claims: dict[int, list[int]], touched: frozenset[int]) -> TopicChanges:
    """Cluster the keywords of a region that holds every member of the topics it meets, and write what is different."""
    common = {keyword for keyword, found in claims.items() if len(found) >= rows.MIN_CLAIMS}
    by_text = {text: keyword for keyword, text in region.items() if keyword in common}
    endings = _endings(region, by_text)
    eligible = common | {phrase for phrase in endings if claims[phrase]}
    members_of: dict[int, list[int]] = {}
    for keyword in sorted(eligible):
        for claim in claims[keyword]:
            members_of.setdefault(claim, []).append(keyword)
    graph = keyword_graph(members_of.values(), {p: e for p, e in endings.items() if p in eligible})
    found = find_topics(graph)

    old = rows.topics_of(connection, region)
    kept = keep_numbers(old, found)
    removed = sorted(old.keys() - kept.values())
    changed = added = 0
    renewed = [i for i, members in enumerate(found) if i not in kept or set(old[kept[i]]) != set(members)]
    rows.empty_topics(connection, (*removed, *(kept[i] for i in renewed if i in kept)))
    rows.delete_topics(connection, removed)
    moved = set(renewed)
    fresh = [i for i, members in enumerate(found) if i in moved or touched.intersection(members)]
    centroids = rows.centroids(connection, [[claims[k][: rows.CENTROID_CLAIMS] for k in found[i]] for i in fresh])
    for index, centroid in zip(fresh, centroids, strict=True):
        topic, differs = rows.write_topic(connection, kept.get(index), topic_label(found[index], graph, region), centroid)
        if index in moved:
            rows.fill_topic(connection, topic, found[index])
        added += index not in kept
        changed += index in kept and (index in moved or differs)
    clustered = sum(map(len, found))
    return TopicChanges(added, changed, len(removed), len(region), max(0, len(eligible) - clustered))


def _endings(region: dict[int, str], by_text: dict[str, int]) -> dict[int, int]:
    """From each phrase of the region to the longest common keyword it ends in."""
    endings = {}
    for keyword, text in region.items():
        words = text.split()
        for i in range(1, len(words)):
            ending = by_text.get(" ".join(words[i:]))
            if ending is not None:
                endings[keyword] = ending
                break
    return endings
