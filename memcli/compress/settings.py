"""The settings of a compression, each with where its value comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tree = Literal["maximum", "minimum", "random"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How claims are partitioned and merged. The defaults are what `mem compress` does; other values serve to measure them."""

    beta: float = 0.5
    """Weight of the cosine against nearness in time, when a claim chooses its event and when edges are chosen. From 0.3 to 0.6 what is
    found by claims alone is the same within half a point; with 0.8, MemForest's best for events (D.4), it is 3 points less (ours)."""
    window: int = 5
    """Positions in time within which a claim counts as next to another (MemForest's best, D.4; 3 and 8 are as good)."""
    alpha: float = 0.05
    """How much each neighbour in the tree protects a claim from being merged (MemForest's best, D.4)."""
    tree: Tree = "maximum"
    """Which spanning tree claims are merged along; the others are MemForest's comparisons."""
    survivors: int = 64
    """Merged claims that an event is to be left with on average; what is compressed more is cut into larger events. From 32 to 256 the
    same is found within a point; with 8, events tear apart what was said together, and 4 points are lost (ours)."""
    spread: float = 2.0
    """Claims that one merged claim takes in at most, in averages of 1 / (1 - ratio), while there are others to merge. With 1.25 claims
    that have nothing in common are merged instead, with 3 a few become too large to be found; either loses 1 to 2 points (ours)."""
    words: float = 0.8
    """Length of a merged claim in lengths of the claims it is made of, each taken as two words longer than it is. What holds values is
    told whatever its length, so that at half the claims the words shrink by 45 to 52 in 100, of talk full of figures by less (ours)."""
    pack: Literal["merged", "all"] = "all"
    """Which messages are packed: all that are not to be left alone, or those only that no unmerged claim rests on. Recall and answers
    are the same, for what is packed is found as before; with all of them the indexes and the file are smaller (ours)."""
    seed: int = 0
    """Of the random trees."""
