"""What compression is given: the claims that may be merged, in the order of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim's words, with what is needed to join them to others'."""

    text: str
    speaker: str
    cue: str | None = None
    """The time expression its interval comes from, as it stands in the text."""
    names: frozenset[str] = frozenset()
    """The mentions in its supporting spans."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The claims that may be merged, `n` of them, ordered by conversation and then by time.

    Claims of different `kinds` are never merged: a kind is subject, speaker, modality, polarity and sort of claim in one number.
    """

    ids: Ints
    """(n,) claim ids."""
    vectors: Floats
    """(n, d) unit rows."""
    conversations: Ints
    """(n,)"""
    positions: Ints
    """(n,) place of each among all claims of its conversation, ascending."""
    kinds: Ints
    """(n,)"""
    statements: tuple[Statement, ...]
    conflicts: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """By index, the indexes of claims that contradict it."""

    def __len__(self) -> int:
        """How many claims there are."""
        return len(self.ids)
