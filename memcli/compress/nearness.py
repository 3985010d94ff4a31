"""Nearness in time, the half of MemForest's score (3.2) that is not meaning: who is near whom, for events and for the trees in them."""

from __future__ import annotations

import numpy as np

from memcli.compress.candidates import Candidates, Floats, Ints


def nearness(candidates: Candidates, left: Ints, right: Ints, window: int) -> Floats:
    """How near in time pairs of claims are.

    Args:
        candidates: the claims.
        left: (pairs,) claims by index.
        right: (pairs,) the other of each pair.
        window: positions within which two claims are next to each other, at least 1.

    Returns:
        (pairs,) 1 within the window, falling to 0 at twice as many positions; 0 between conversations.
    """
    apart = np.abs(candidates.positions[left] - candidates.positions[right])
    near = np.clip((2 * window - apart) / window, 0.0, 1.0)
    return np.where(candidates.conversations[left] == candidates.conversations[right], near, 0.0).astype(np.float32)
