"""Trees of messages: which branch of one was on screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def path_to(node: str | None, parents: Mapping[str, str | None], known: Mapping[str, object]) -> list[str]:
    """The nodes from the root down to `node`. A parent that is not known ends it, and so does a circle."""
    path: dict[str, None] = {}
    while node is not None and node in known and node not in path:
        path[node] = None
        node = parents.get(node)
    return list(reversed(path))


def last_leaf(nodes: Sequence[str], parents: Mapping[str, str | None]) -> str | None:
    """The last node, in the given order, that is nobody's parent; the last of all where there is none."""
    inner = set(parents.values())
    return next((node for node in reversed(nodes) if node not in inner), nodes[-1] if nodes else None)
