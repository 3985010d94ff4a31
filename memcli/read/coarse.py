"""The coarse look at a memory: how well each claim as a whole fits a question, by its vector and by its words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memcli.read.features import standard
from memcli.read.query import Query
from memcli.read.routes import K1, Floats, Postings

WORDS = 0.5
"""What the words count against the vector, both standardised; the same as among the spans of a message (`fuse`)."""


def claim_scores(
    query: Query, vector: NDArray[np.float32], claims: NDArray[np.int64], vectors: NDArray[np.float32], postings: Postings
) -> Floats:
    """How well each claim fits, shape (c,), float64.

    Args:
        query: the question as read.
        vector: its embedding, shape (d,), unit length.
        claims: ids, ascending, shape (c,).
        vectors: of the claims, shape (c, d).
        postings: looks a token up in the index of claims.
    """
    words = np.zeros(len(claims))
    for term in query.terms:
        found = np.array(postings(term), np.int64).reshape(-1, 2)
        found = found[found_in(found[:, 0], claims)]
        if len(found):
            rarity = np.log(1 + (len(claims) - len(found) + 0.5) / (len(found) + 0.5))
            words[np.searchsorted(claims, found[:, 0])] += rarity * found[:, 1] * (K1 + 1) / (found[:, 1] + K1)
    return standard((vectors @ vector).astype(np.float64)) + WORDS * standard(words)


def found_in(wanted: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the wanted ids are among these, which are ascending; the shape of `wanted`."""
    if not len(ids):
        return np.zeros(len(wanted), np.bool_)
    return np.asarray(ids[np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)] == wanted)
