"""Topics: communities of keywords that occur together, 3 to 15 keywords each (MemCoRe).

Pure: from which keywords stand in which claims to who belongs together and what to call it. The same input gives the same topics,
whatever the order in which it is handed over.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

MIN_TOPIC = 3
"""Keywords a topic has at least (MemCoRe)."""

MAX_TOPIC = 15
"""Keywords a topic has at most (MemCoRe)."""

LABEL_KEYWORDS = 3
"""Keywords in a topic's label."""

SEED = 20_240
"""Seeds Leiden's random choices, so that they are the same each time; the number itself means nothing."""

LEIDEN_ITERATIONS = 4
"""Rounds of Leiden (igraph runs two unless told); more hardly move a graph of keywords."""

FINER = (1.0, 2.0, 4.0, 8.0)
"""Resolutions tried in turn to split a community that is too large."""

SHARED_WORDS_WEIGHT = 1
"""Weight of the link between a phrase and the shorter keyword that it ends in, as if they had occurred together once."""

Adjacency = dict[int, dict[int, int]]
"""Weight of the link between two keywords, both ways."""


def keyword_graph(claims: Iterable[Collection[int]], endings: Mapping[int, int]) -> Adjacency:
    """The graph of keywords.

    Args:
        claims: the keyword ids of each claim; each two that occur together are linked, by the number of such claims.
        endings: from a phrase to the shorter keyword that it ends in ("vegan ice cream" to "ice cream").
    """
    pairs: Counter[tuple[int, int]] = Counter()
    for keywords in claims:
        pairs.update(combinations(sorted(keywords), 2))
    for phrase, ending in endings.items():
        pairs[min(phrase, ending), max(phrase, ending)] += SHARED_WORDS_WEIGHT
    graph: Adjacency = {}
    for (a, b), weight in sorted(pairs.items()):
        graph.setdefault(a, {})[b] = weight
        graph.setdefault(b, {})[a] = weight
    return graph


def find_topics(graph: Adjacency) -> list[tuple[int, ...]]:
    """The communities of a graph, each of `MIN_TOPIC` to `MAX_TOPIC` keywords in ascending order, in the order of their first.

    Leiden by modularity; what is too large is split by Leiden within it, else along its weakest links; what is too small joins the
    community that it is linked to most strongly and that has room, else it is in no topic.
    """
    communities = []
    pending = _leiden(sorted(graph), graph, 1.0)
    while pending:
        members = pending.pop()
        if len(members) <= MAX_TOPIC:
            communities.append(members)
            continue
        pending.extend(_split(members, graph))
    return sorted(tuple(sorted(c)) for c in _without_small(communities, graph))


def _split(members: list[int], graph: Adjacency) -> list[list[int]]:
    """A community that is too large, in at least two parts."""
    for resolution in FINER:
        parts = _leiden(members, graph, resolution)
        if len(parts) > 1 and max(map(len, parts)) > 1:
            return parts
    return _grown(members, graph)


def _grown(members: list[int], graph: Adjacency) -> list[list[int]]:
    """Parts of `MAX_TOPIC` grown along the strongest links, each from the best-linked keyword left."""
    left = dict.fromkeys(members)
    parts = []
    while left:
        start = max(left, key=lambda k: (sum(w for n, w in graph[k].items() if n in left), -k))
        del left[start]
        part, pull = [start], Counter({n: w for n, w in graph[start].items() if n in left})
        while len(part) < MAX_TOPIC and pull:
            nearest = max(pull, key=lambda k: (pull[k], -k))
            del left[nearest], pull[nearest]
            part.append(nearest)
            pull.update({n: w for n, w in graph[nearest].items() if n in left})
        parts.append(part)
    return parts


def _without_small(communities: list[list[int]], graph: Adjacency) -> list[list[int]]:
    """The communities once those under `MIN_TOPIC` have joined others or, where no linked one has room, are gone."""
    table = {min(c): list(c) for c in communities}
    home = {k: name for name, c in table.items() for k in c}
    small = sorted((c for c in communities if len(c) < MIN_TOPIC), key=lambda c: (len(c), min(c)))
    for community in small:
        name = home[community[0]]
        own = table[name]
        if len(own) >= MIN_TOPIC:
            continue
        pull: Counter[int] = Counter()
        for keyword in own:
            for neighbour, weight in graph[keyword].items():
                other = home[neighbour]
                if other != name and len(table[other]) + len(own) <= MAX_TOPIC:
                    pull[other] += weight
        if pull:
            target = max(pull, key=lambda k: (pull[k], -k))
            table[target].extend(own)
            home.update(dict.fromkeys(own, target))
            del table[name]
    return [c for c in table.values() if len(c) >= MIN_TOPIC]


def _leiden(members: Sequence[int], graph: Adjacency, resolution: float) -> list[list[int]]:
    """Leiden's communities of the part of the graph that `members` span."""
    if not members:
        return []
    import igraph  # 60 ms, and only the write path needs it

    members = sorted(members)
    index = {keyword: i for i, keyword in enumerate(members)}
    links = [(i, index[n], w) for i, k in enumerate(members) for n, w in graph[k].items() if n > k and n in index]
    if not links:
        return [[keyword] for keyword in members]
    igraph.set_random_number_generator(random.Random(SEED))
    try:
        found = igraph.Graph(len(members), [(a, b) for a, b, _ in links]).community_leiden(
            objective_function="modularity", weights=[w for _, _, w in links], resolution=resolution, n_iterations=LEIDEN_ITERATIONS
        )
    finally:
        igraph.set_random_number_generator(random)
    return [[members[i] for i in community] for community in found]


def topic_label(members: Sequence[int], graph: Adjacency, texts: Mapping[int, str]) -> str:
    """A topic's name: its two or three most central keywords, those with the strongest links within it, without repeats.

    Args:
        members: the topic's keyword ids.
        graph: the graph they come from.
        texts: the keywords themselves, by id.
    """
    inside = frozenset(members)
    central = sorted(members, key=lambda k: (-sum(w for n, w in graph[k].items() if n in inside), texts[k]))
    chosen: list[int] = []
    for keyword in central:
        own = set(texts[keyword].split())
        if len(chosen) < LABEL_KEYWORDS and not any(own <= set(texts[c].split()) or own >= set(texts[c].split()) for c in chosen):
            chosen.append(keyword)
    if len(chosen) < 2:
        chosen = central[:2]
    return ", ".join(texts[k] for k in chosen)


def keep_numbers(old: Mapping[int, Collection[int]], new: Sequence[Collection[int]]) -> dict[int, int]:
    """Which of the new topics go on as which old one: by the greatest overlap, if it is more than half of the smaller one.

    Args:
        old: members of the topics there were, by topic id.
        new: members of the topics there are.

    Returns:
        from an index into `new` to a topic id; each id at most once.
    """
    home = {keyword: topic for topic, members in old.items() for keyword in members}
    shared = Counter((index, home[k]) for index, members in enumerate(new) for k in members if k in home)
    taken: dict[int, int] = {}
    for (index, topic), count in sorted(shared.items(), key=lambda item: (-item[1], item[0][1], item[0][0])):
        if index not in taken and topic not in taken.values() and 2 * count > min(len(new[index]), len(old[topic])):
            taken[index] = topic
    return taken
