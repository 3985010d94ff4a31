"""Topics: 3 to 15 keywords that occur together, each keyword in one at most, named after their own members."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.write.topics import MAX_TOPIC, MIN_TOPIC, Adjacency, find_topics, keep_numbers, keyword_graph, topic_label

CLAIMS = st.lists(st.frozensets(st.integers(1, 60), min_size=1, max_size=5), max_size=150)


def clique(members: range, times: int = 1) -> list[frozenset[int]]:
    return [frozenset(pair) for pair in combinations(members, 2)] * times


def test_the_graph_counts_claims_and_links_a_phrase_to_what_it_ends_in() -> None:
    graph = keyword_graph([{1, 2, 3}, {1, 2}], {4: 1})
    assert graph == {1: {2: 2, 3: 1, 4: 1}, 2: {1: 2, 3: 1}, 3: {1: 1, 2: 1}, 4: {1: 1}}


@given(CLAIMS)
@settings(deadline=None, max_examples=60)
def test_sizes_are_within_bounds_and_no_keyword_is_in_two(claims: list[frozenset[int]]) -> None:
    topics = find_topics(keyword_graph(claims, {}))
    assert all(MIN_TOPIC <= len(topic) <= MAX_TOPIC for topic in topics)
    members = [keyword for topic in topics for keyword in topic]
    assert len(members) == len(set(members))
    assert topics == sorted(tuple(sorted(topic)) for topic in topics)


@given(CLAIMS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_the_same_claims_in_any_order_give_the_same_topics(claims: list[frozenset[int]], rng: object) -> None:
    first = find_topics(keyword_graph(claims, {}))
    rng.shuffle(claims)  # type: ignore[attr-defined]
    assert find_topics(keyword_graph(claims, {})) == first


@given(CLAIMS)
@settings(deadline=None, max_examples=40)
def test_a_topic_is_connected(claims: list[frozenset[int]]) -> None:
    graph = keyword_graph(claims, {})
    for topic in find_topics(graph):
        assert reached(graph, topic) == set(topic)


def reached(graph: Adjacency, topic: tuple[int, ...]) -> set[int]:
    seen, pending = {topic[0]}, [topic[0]]
    while pending:
        for neighbour in graph[pending.pop()]:
            if neighbour in topic and neighbour not in seen:
                seen.add(neighbour)
                pending.append(neighbour)
    return seen


def test_two_circles_of_keywords_are_two_topics() -> None:
    claims = [*clique(range(1, 7)), *clique(range(11, 17)), frozenset([1, 11])]
    assert find_topics(keyword_graph(claims, {})) == [(1, 2, 3, 4, 5, 6), (11, 12, 13, 14, 15, 16)]


def test_what_cannot_be_split_by_modularity_is_split_by_weight() -> None:
    topics = find_topics(keyword_graph(clique(range(40)), {}))
    assert sum(map(len, topics)) == 40
    assert max(map(len, topics)) <= MAX_TOPIC


def test_a_pair_joins_what_it_is_linked_to_most_strongly() -> None:
    pair = [*[frozenset([20, 21])] * 9, frozenset([20, 1]), *[frozenset([21, 11])] * 2]
    claims = [*clique(range(1, 6), 3), *clique(range(11, 16), 3), *pair]
    assert find_topics(keyword_graph(claims, {})) == [(1, 2, 3, 4, 5), (11, 12, 13, 14, 15, 20, 21)]


def test_a_pair_linked_to_nothing_is_in_no_topic() -> None:
    assert find_topics(keyword_graph([frozenset([1, 2])], {})) == []


def test_a_label_is_made_of_the_most_central_members_without_repeats() -> None:
    texts = {1: "loom", 2: "wool", 3: "old loom", 4: "dye", 5: "sheep"}
    graph = keyword_graph([{1, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 1}, {5, 2}], {})
    assert topic_label([1, 2, 3, 4, 5], graph, texts) == "loom, wool, dye"
    assert topic_label([1, 3], graph, texts) == "loom, old loom"


@given(CLAIMS)
@settings(deadline=None, max_examples=30)
def test_labels_come_from_own_members(claims: list[frozenset[int]]) -> None:
    graph = keyword_graph(claims, {})
    texts = {keyword: f"k{keyword}" for keyword in graph}
    for topic in find_topics(graph):
        label = topic_label(topic, graph, texts).split(", ")
        assert 2 <= len(label) <= 3
        assert set(label) <= {texts[k] for k in topic}


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ([(1, 2, 3, 4)], {0: 7}),
        ([(1, 2, 3, 9)], {0: 7}),
        ([(1, 9, 10, 11)], {}),
        ([(1, 2), (3, 4, 5, 6, 7)], {1: 8}),
        ([(9, 10, 11), (5, 6, 7)], {1: 8}),
    ],
)
def test_topics_that_hardly_change_keep_their_numbers(new: list[tuple[int, ...]], kept: dict[int, int]) -> None:
    found = keep_numbers({7: (1, 2, 3, 4), 8: (5, 6, 7)}, new)
    assert {i: t for i, t in found.items() if i in kept} == kept
    assert len(set(found.values())) == len(found)


def test_the_clustering_library_is_imported_only_where_it_is_used() -> None:
    code = "import sys, memcli.write.topics, memcli.write.topic_refresh; sys.exit('igraph' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
