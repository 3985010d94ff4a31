"""Why a fact was found: its rank in every route, what it was projected from, and what each stage added to its score."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcli.read.fuse import Fused
from memcli.read.query import Query
from memcli.read.routes import ROUTES, Floats, Routes
from memcli.store.snapshot import Snapshot

LISTED = 20
"""Hits listed of each route."""

WEIGHTY = 0.005
"""Parts of a score smaller than this are left out."""

_OF_SPANS = ("span_vector", "span_words")


def unrouted(edges: list[dict[str, Any]], stages: list[dict[str, Any]]) -> dict[str, Any]:
    """Why a fact is there that no route found, in the same form: it stands near one that was found, or was sought besides."""
    return {"routes": [], "projection": [], "edges": edges, "stages": stages}


class Explanation:
    """What one question's routes found and what became of it."""

    def __init__(self, query: Query, routes: Routes, fused: Fused, snapshot: Snapshot) -> None:
        """Keep what is to be explained; nothing is ranked before it is asked for."""
        self._query, self._routes, self._fused, self._snapshot = query, routes, fused, snapshot

    @functools.cached_property
    def _ranks(self) -> dict[str, dict[int, int]]:
        return {name: _ranks(getattr(self._routes, name)) for name in ROUTES}

    def fact(self, claim: int, edges: list[dict[str, Any]], stages: list[dict[str, Any]]) -> dict[str, Any]:
        """Why the claim of this index has its place.

        Args:
            claim: its index in the snapshot.
            edges: how it is linked with other facts found.
            stages: what later stages did to it.
        """
        snapshot = self._snapshot
        owners, spans = snapshot.claim_supports
        own_spans = [int(s) for s in spans[owners == claim]]
        message = int(snapshot.span_message[snapshot.claim_anchor[claim]])
        found = []
        for name, ranks in self._ranks.items():
            scores = getattr(self._routes, name)
            atoms = own_spans if name in _OF_SPANS else [message]
            atom = max(atoms, key=lambda a: scores[a])
            if atom in ranks:
                score = round(float(scores[atom]), 4)
                found.append({"name": name, "rank": ranks[atom], "score": score, "from": self._reference(name, atom)})
        parts = {name: round(float(values[claim]), 4) for name, values in self._fused.parts.items()}
        weighty = sorted((name for name, value in parts.items() if abs(value) >= WEIGHTY), key=lambda name: -abs(parts[name]))
        return {
            "routes": found,
            "projection": [f"span:{int(snapshot.span_ids[s])}" for s in own_spans],
            "edges": edges,
            "stages": [*({"stage": "fuse", "part": name, "score": parts[name]} for name in weighty), *stages],
        }

    def query(self) -> dict[str, Any]:
        """How the question was read, and each route's best hits."""
        routes = {}
        for name, ranks in self._ranks.items():
            scores = getattr(self._routes, name)
            routes[name] = [
                {"rank": rank, "from": self._reference(name, atom), "score": round(float(scores[atom]), 4)}
                for atom, rank in list(ranks.items())[:LISTED]
            ]
        return {"query": self._query.to_dict(), "routes": routes}

    def _reference(self, route: str, atom: int) -> str:
        kind, ids = ("span", self._snapshot.span_ids) if route in _OF_SPANS else ("message", self._snapshot.message_ids)
        return f"{kind}:{int(ids[atom])}"


def _ranks(scores: Floats) -> dict[int, int]:
    """A route's hits as {atom index: rank from 1}, best first; atoms that the route misses are not in it."""
    order: NDArray[np.int64] = np.argsort(-scores, kind="stable")
    return {int(atom): rank for rank, atom in enumerate(order[scores[order] > 0], 1)}
