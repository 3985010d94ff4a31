"""Other ways to have fewer claims, to be set beside `mem compress`: three that prune and two that merge.

They are told of in MemForest's appendix A.1 (random pruning, random merging, KMeans; ToMe, Bolya et al. 2023; DART, Wen et al. 2025).
What is held equal, so that only the choice of claims is compared:

    the same task     each gets the candidates that `mem compress` would get, and has to remove as many of them
    the same vectors  those in the file; a merged claim has the mean of its claims'
    the same writing  a merged claim has the supports of its claims, and its words are joined by the same function to the same length;
                      not refused, though, where names, numbers or dates would be lost, for these methods look at vectors alone
    the same reading  the memory is a file like any other, and is read by the same program

What is not held equal is what `mem compress` has besides: the lineage of what it merged, by which it is read as it was told. The others
keep none, and with it would be read as well in a memory that is unpacked whole, whatever they had merged.

To prune is to lose: a pruned claim is archived without an heir, and what only it rests on leaves the indexes, so that nothing leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli import compression
from memcli.compress import plan as planning
from memcli.compress.candidates import Candidates, Floats, Ints
from memcli.compress.clauses import read_clause
from memcli.compress.event_trees import event_trees
from memcli.compress.merge_text import merged_text, rarities
from memcli.compress.merging import merge_trees
from memcli.compress.plan import MergedClaim, Plan, make_plan
from memcli.compress.settings import Settings
from memcli.compression import Limits, compress_memory
from memcli.results import Compression
from memcli.store import vectors
from memcli.store.connection import transaction
from memcli.store.search import delete_views

SEED = 0
ROUNDS = 8
"""Rounds of KMeans."""

PIVOTS = 0.02
"""DART's share of pivots, as MemForest has it."""

WINDOW, ALIKE = 5, 0.5
"""MemForest's sliding windows (A.3): claims of a window, and the cosine of the means of two windows from which on they are one event."""

Pruner = Callable[[Candidates, int], Ints]
"""From candidates and how many are to go, those that stay, by index."""
Merger = Callable[[Candidates, int], list[list[int]]]
"""From candidates and how many are to go, those that become one, by index; those that stay alone may be left out."""


def prune_at_random(candidates: Candidates, target: int) -> Ints:
    """Any claims stay."""
    return np.random.default_rng(SEED).permutation(len(candidates))[target:]


def prune_by_kmeans(candidates: Candidates, target: int) -> Ints:
    """As many clusters as claims are to stay; of each the claim nearest to its centroid stays."""
    rows = candidates.vectors
    centroids = rows[prune_at_random(candidates, target)].copy()
    for _ in range(ROUNDS):
        label = np.argmax(rows @ centroids.T, axis=1)
        sums = np.zeros_like(centroids)
        np.add.at(sums, label, rows)
        held = np.bincount(label, minlength=len(centroids)) > 0
        centroids[held] = _unit(sums[held])
    near = rows @ centroids.T
    label = np.argmax(near, axis=1)
    order = np.lexsort((-near[np.arange(len(rows)), label], label))
    first = np.r_[True, label[order][1:] != label[order][:-1]]
    # A cluster that lost all its claims keeps none: the next nearest of the others stay in its place.
    others = order[~first]
    others = others[np.argsort(-near[others, label[others]], kind="stable")]
    return np.concatenate([order[first], others])[: len(rows) - target]


def prune_as_dart(candidates: Candidates, target: int) -> Ints:
    """Some pivots stay, and of the other claims those that are least like the pivots altogether."""
    count = len(candidates)
    pivots = np.random.default_rng(SEED).permutation(count)[: max(1, round(PIVOTS * count))]
    alike = candidates.vectors @ candidates.vectors[pivots].sum(axis=0)
    alike[pivots] = -np.inf
    return np.argsort(alike, kind="stable")[: count - target]


def merge_at_random(candidates: Candidates, target: int) -> list[list[int]]:
    """As many claims as are to go are each merged into any of the others."""
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(candidates))
    parts = {int(i): [int(i)] for i in order[target:]}
    for claim, heir in zip(order[:target].tolist(), rng.choice(order[target:], target).tolist(), strict=True):
        parts[heir].append(claim)
    return list(parts.values())


def merge_as_tome(candidates: Candidates, target: int) -> list[list[int]]:
    """Every second claim is matched with the most similar of the others, and the best pairs are merged; again until enough are gone."""
    parts = [[i] for i in range(len(candidates))]
    sums = candidates.vectors.copy()
    while target > 0 and len(parts) > 1:
        rows = _unit(sums)
        near = rows[::2] @ rows[1::2].T
        best = near.argmax(axis=1)
        merging = np.argsort(-near[np.arange(len(best)), best], kind="stable")[: min(target, len(best))]
        for place in merging.tolist():
            heir = 2 * int(best[place]) + 1
            parts[heir] += parts[2 * place]
            sums[heir] += sums[2 * place]
        gone = np.zeros(len(parts), np.bool_)
        gone[2 * merging] = True
        parts, sums = [part for part, left in zip(parts, ~gone, strict=True) if left], sums[~gone]
        target -= len(merging)
    return parts


PRUNING: Mapping[str, Pruner] = {"random pruning": prune_at_random, "KMeans pruning": prune_by_kmeans, "DART": prune_as_dart}
MERGING: Mapping[str, Merger] = {"random merging": merge_at_random, "ToMe": merge_as_tome}
OURS = "mem compress"
METHODS = (OURS, *MERGING, *PRUNING)


def shrink(connection: apsw.Connection, method: str, ratio: float) -> float:
    """Compress a memory by a method; returns the share of its active claims that went."""
    if method == OURS:
        return compress_memory(connection, ratio, Limits()).achieved
    if method in MERGING:
        done = _planned(connection, ratio, lambda candidates, target, settings: _merged(candidates, target, settings, MERGING[method]))
        connection.execute("DELETE FROM lineage")
        return done.achieved
    candidates, target = task(connection, ratio)
    stay = PRUNING[method](candidates, target)
    gone = np.delete(candidates.ids, stay)
    before = compression.extent(connection).claims
    with transaction(connection):
        forget_claims(connection, gone)
    return len(gone) / before


def task(connection: apsw.Connection, ratio: float) -> tuple[Candidates, int]:
    """What `mem compress` would merge, and how many claims it would remove."""
    found: list[tuple[Candidates, int]] = []

    def look(candidates: Candidates, target: int, _settings: Settings) -> Plan:
        found.append((candidates, target))
        return Plan((), (), 0, {})

    _planned(connection, ratio, look, dry_run=True)
    return found[0]


def _planned(
    connection: apsw.Connection, ratio: float, plan: Callable[[Candidates, int, Settings], Plan], *, dry_run: bool = False
) -> Compression:
    """`mem compress` with another plan."""
    with patch.object(compression, "make_plan", lambda candidates, target, settings, _progress=None: plan(candidates, target, settings)):
        return compress_memory(connection, ratio, Limits(), dry_run=dry_run)


def _merged(candidates: Candidates, target: int, settings: Settings, merge: Merger) -> Plan:
    rarity = rarities(candidates.statements)
    merged = []
    for part in merge(candidates, target):
        if len(part) == 1:
            continue
        places = sorted(part)
        clauses = [read_clause(candidates.statements[place], rarity) for place in places]
        text = merged_text(clauses, round(settings.words * sum(clause.words for clause in clauses) / len(clauses)))
        rows = candidates.vectors[places]
        ids = candidates.ids[places].tolist()
        merged.append(MergedClaim(tuple(ids), ids[int((rows @ rows.sum(axis=0)).argmax())], text))
    return Plan((), tuple(merged), target, {})


def forget_claims(connection: apsw.Connection, claims: NDArray[np.int64]) -> None:
    """Archive claims and leave no way to what only they rest on, within a transaction. Groups are left alone: nothing is read from them."""
    connection.executemany("UPDATE claims SET status = 'archived' WHERE id = ?", ((claim,) for claim in claims.tolist()))
    held = "SELECT 1 FROM claim_supports cs JOIN claims c ON c.id = cs.claim_id AND c.status = 'active'"
    messages = f"SELECT m.id FROM messages m WHERE NOT EXISTS ({held} JOIN spans s ON s.id = cs.span_id WHERE s.message_id = m.id)"
    spans = (
        f"SELECT s.id FROM spans s WHERE s.message_id IN ({messages}) OR (NOT EXISTS ({held} WHERE cs.span_id = s.id)"
        " AND EXISTS (SELECT 1 FROM claim_supports cs WHERE cs.span_id = s.id))"
    )
    lost: dict[vectors.Family, list[Any]] = {
        "claim": claims.tolist(),
        "span": [row[0] for row in connection.execute(spans)],
        "message": [row[0] for row in connection.execute(messages)],
    }
    for family, ids in lost.items():
        vectors.delete_vectors(connection, family, ids)
    delete_views(connection, "claim", lost["claim"])
    delete_views(connection, "span", lost["span"])


def windows(candidates: Candidates, event_size: int, *, beta: float, window: int) -> tuple[Ints, Ints]:
    """MemForest's sliding windows in place of `memcli.compress.partition.partition`, among claims that may be merged with one another.

    Claims in the order of time are cut into windows, and a window goes on with the event before it if their means are alike.
    """
    event = np.empty(len(candidates), np.int64)
    centres: list[int] = []
    for kind in np.unique(candidates.kinds).tolist():
        members = np.flatnonzero(candidates.kinds == kind)
        parts: list[Ints] = []
        last: Floats | None = None
        for start in range(0, len(members), WINDOW):
            part = members[start : start + WINDOW]
            mean = _unit(candidates.vectors[part].sum(axis=0))
            if last is not None and float(last @ mean) > ALIKE:
                parts[-1] = np.concatenate([parts[-1], part])
            else:
                parts.append(part)
            last = mean
        for part in parts:
            event[part] = len(centres)
            rows = candidates.vectors[part]
            centres.append(int(part[(rows @ rows.sum(axis=0)).argmax()]))
    return event, np.array(centres, np.int64)


def _by_meaning(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as if time did not count."""
    return lambda *arguments, **named: function(*arguments, **{**named, "beta": 1.0})


ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "whole": {},
    "without meaning (beta = 0)": {"beta": 0.0},
    "without time (beta = 1)": {"beta": 1.0},
    "trees without time": {"event_trees": _by_meaning(event_trees), "merge_trees": _by_meaning(merge_trees)},
    "sliding windows": {"partition": windows},
    "random spanning tree": {"tree": "random"},
    "minimum spanning tree": {"tree": "minimum"},
    "without degrees (alpha = 0)": {"alpha": 0.0},
}
"""Parts of `mem compress` that are taken away, by name: settings that differ, and functions of `memcli.compress.plan` with others in their
place. All are MemForest's comparisons but `trees without time`, which has MemForest's own edges."""


def ablate(connection: apsw.Connection, ratio: float, changed: Mapping[str, Any]) -> float:
    """Compress a memory without a part; returns the share of its active claims that went."""
    parts = {name: part for name, part in changed.items() if callable(part)}
    settings = replace(Settings(), **{name: value for name, value in changed.items() if name not in parts})
    with patch.multiple(planning, **parts) if parts else nullcontext():
        return _planned(connection, ratio, lambda candidates, target, _: make_plan(candidates, target, settings)).achieved


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9), np.float32)
