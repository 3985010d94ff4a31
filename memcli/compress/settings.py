"""The settings of a compression, each with where its value comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tree = Literal["maximum", "minimum", "random"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How claims are partitioned and merged. The defaults are what `mem compress` does; other values serve to measure them."""

    beta: float = 0.8
    """Weight of the cosine against nearness in time when a claim chooses its event (MemForest's best, D.4)."""
    window: int = 5
    """Positions in time within which a claim counts as next to a member of an event (MemForest's best, D.4)."""
    alpha: float = 0.05
    """How much each neighbour in the tree protects a claim from being merged (MemForest's best, D.4)."""
    tree: Tree = "maximum"
    """Which spanning tree claims are merged along; the others are MemForest's comparisons."""
    survivors: int = 4
    """Merged claims that an event is to be left with on average; what is compressed more is cut into larger events (ours)."""
    spread: float = 1.25
    """Claims that one merged claim takes in at most, in averages of 1 / (1 - ratio), while there are others to merge: without it half of
    the claims would stay whole and the others be merged four at a time (ours)."""
    words: float = 1.2
    """Length of a merged claim in lengths of the claims it is made of: at half the claims, the words shrink by 45 in 100 (ours)."""
    pack: Literal["merged", "all"] = "all"
    """Which messages are packed: all that are not to be left alone, or those only that no unmerged claim rests on. Recall and answers
    are the same, for what is packed is found as before; with all of them the indexes are a fifth of what they were, not half (ours)."""
    seed: int = 0
    """Of the random trees."""
