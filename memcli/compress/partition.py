"""Partition into events (MemForest 3.2): KMeans gives centre claims, then each claim chooses an event by meaning and nearness in time.

Claims that may not be merged with one another (`Candidates.kinds`) are partitioned apart, so that every tree can be merged whole.
KMeans works on stretches of vector space of bounded size, which keeps the cost linear in the number of claims.
"""

from __future__ import annotations

import numpy as np

from memcli.compress.candidates import Candidates, Floats, Ints
from memcli.compress.nearness import nearness

STRETCH = 2048
"""Claims that one KMeans looks at; above it, two-way cuts come first."""

ROUNDS = 8
"""Rounds of KMeans: the centre claims hardly change after them."""

_ROWS = 8192


def partition(candidates: Candidates, event_size: int, *, beta: float, window: int) -> tuple[Ints, Ints]:
    """Put every claim into an event.

    Args:
        candidates: `n` claims.
        event_size: claims an event is to have on average.
        beta: weight of the cosine to the event's centre claim; the rest goes to nearness in time.
        window: positions in time within which a claim counts as next to a member; the score then falls to 0 at twice as many.

    Returns:
        each claim's event, shape (n,), and each event's centre claim, by index, shape (events,).
    """
    event = np.full(len(candidates), -1, np.int64)
    centres: list[int] = []
    homes: list[tuple[Ints, Ints]] = []
    for kind in np.unique(candidates.kinds).tolist():
        for stretch in _stretches(np.flatnonzero(candidates.kinds == kind), candidates.vectors):
            rows = candidates.vectors[stretch]
            chosen = np.unique(_centre_claims(rows, max(1, round(len(stretch) / event_size))))
            first = len(centres)
            centres += stretch[chosen].tolist()
            event[stretch] = first + np.argmax(rows @ rows[chosen].T, axis=1)
            homes.append((stretch, np.arange(first, len(centres))))
    centre = np.array(centres, np.int64)
    if beta < 1:
        event = _reassigned(candidates, event, centre, homes, beta, window)
    event[centre] = np.arange(len(centre))
    return event, centre


def _stretches(members: Ints, vectors: Floats) -> list[Ints]:
    """Cut claims in two by their nearness to two far ones until no part is larger than `STRETCH`; each part ascending."""
    parts, work = [], [members]
    while work:
        part = work.pop()
        if len(part) <= STRETCH:
            parts.append(part)
            continue
        rows = vectors[part]
        mean = rows.mean(axis=0)
        left = rows[int(np.argmin(rows @ mean))]
        right = rows[int(np.argmin(rows @ left))]
        for _ in range(4):
            side = rows @ (left - right) >= 0
            if side.all() or not side.any():
                break
            left, right = _unit(rows[side].sum(axis=0)), _unit(rows[~side].sum(axis=0))
        if side.all() or not side.any():
            side = np.arange(len(part)) < len(part) // 2
        work += [part[~side], part[side]]
    return sorted(parts, key=lambda part: int(part[0]))


def _centre_claims(rows: Floats, count: int) -> Ints:
    """KMeans, begun from claims at equal distances in time; returns the index of the claim nearest to each centroid."""
    if count >= len(rows):
        return np.arange(len(rows), dtype=np.int64)
    centroids = rows[np.linspace(0, len(rows) - 1, count).round().astype(np.int64)].copy()
    label = np.full(len(rows), -1, np.int64)
    for _ in range(ROUNDS):
        now = np.argmax(rows @ centroids.T, axis=1)
        if np.array_equal(now, label):
            break
        label = now
        order = np.argsort(label, kind="stable")
        held, starts = np.unique(label[order], return_index=True)
        centroids[held] = _unit(np.add.reduceat(rows[order], starts, axis=0))
    return np.asarray(np.argmax(centroids @ rows.T, axis=1), np.int64)


def _reassigned(candidates: Candidates, event: Ints, centre: Ints, homes: list[tuple[Ints, Ints]], beta: float, window: int) -> Ints:
    """Each claim's best event by beta * cosine + (1 - beta) * nearness in time; ties go to the event it was in."""
    n = len(candidates)
    best, score = event.copy(), np.empty(n, np.float32)
    for stretch, events in homes:  # those that no member is near to in time: the cosine alone decides
        similar = candidates.vectors[stretch] @ candidates.vectors[centre[events]].T
        best[stretch], score[stretch] = events[np.argmax(similar, axis=1)], beta * similar.max(axis=1)
    for distance in range(1, 2 * window):
        for offset in (distance, -distance):
            here = np.arange(max(0, -offset), min(n, n - offset))
            there = here + offset
            near = nearness(candidates, here, there, window)
            offered = (near > 0) & (candidates.kinds[here] == candidates.kinds[there])
            here, there, bonus = here[offered], there[offered], np.float32(1 - beta) * near[offered]
            _offer(candidates.vectors, here, event[there], centre, bonus, np.float32(beta), best, score)
    return best


def _offer(vectors: Floats, claims: Ints, events: Ints, centre: Ints, bonus: Floats, beta: np.float32, best: Ints, score: Floats) -> None:
    """Let each of these claims go to an event if that scores higher than its best so far."""
    for start in range(0, len(claims), _ROWS):
        part = slice(start, start + _ROWS)
        offered = beta * np.einsum("ij,ij->i", vectors[claims[part]], vectors[centre[events[part]]]) + bonus[part]
        better = offered > score[claims[part]]
        best[claims[part][better]], score[claims[part][better]] = events[part][better], offered[better]


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float32)
