"""GraphML and DOT: the same graph, as the programs that read them see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import pydot
import pytest

Export = Callable[..., str]
Rows = Callable[..., dict[str, list[dict[str, Any]]]]

ODD = 'The sign said "C:\\new" & <b>50%</b> | ␛[31mred\ufffd2J 🫖'


@pytest.fixture
def graphml(export: Export, compressed: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.graphml"
    path.write_text(export("graphml", path=compressed), encoding="utf-8")
    return path


def test_networkx_reads_it(graphml: Path, rows: Rows, compressed: Path) -> None:
    graph = nx.read_graphml(graphml, force_multigraph=True)
    found = rows(path=compressed)
    for kind in ("span", "claim", "handle", "time_cue", "pivot", "referent", "keyword", "group", "topic", "run", "ingest", "event_tree"):
        assert sum(data["kind"] == kind for _, data in graph.nodes(data=True)) == len(found.get(kind, [])), kind
    assert all("kind" in data for _, data in graph.nodes(data=True))  # no link leads to what is not there
    supports = {(s, t, d["position"], d["added_by"]) for s, t, d in graph.edges(data=True) if d["relation"] == "rests_on"}
    assert supports == {(f"claim:{u['claim_id']}", f"span:{u['span_id']}", u["position"], u["added_by"]) for u in found["support"]}
    edges = {(s, t, d["relation"], d["strength"]) for s, t, d in graph.edges(data=True) if "strength" in d}
    assert edges == {(f"claim:{e['source_id']}", f"claim:{e['target_id']}", e["relation"], e["strength"]) for e in found["edge"]}


def test_every_claim_has_a_way_to_the_message_and_the_file(graphml: Path) -> None:
    graph = nx.read_graphml(graphml, force_multigraph=True)
    kinds = nx.get_node_attributes(graph, "kind")
    for claim in (node for node, kind in kinds.items() if kind == "claim"):
        assert {"span", "message", "ingest"} <= {kinds[node] for node in nx.descendants(graph, claim)}


def test_words_arrive_as_they_are_but_for_what_xml_cannot_hold(graphml: Path) -> None:
    graph = nx.read_graphml(graphml, force_multigraph=True)
    assert graph.nodes["message:kitchen/a6"]["text"] == ODD + "\nsecond line ```x```"
    assert graph.nodes["message:kitchen/a 7/ü"]["text"] == "我们的期中报告下周五交。"


def test_igraph_reads_it(graphml: Path) -> None:
    graph, other = igraph.Graph.Read_GraphML(str(graphml)), nx.read_graphml(graphml, force_multigraph=True)
    assert (graph.vcount(), graph.ecount()) == (other.number_of_nodes(), other.number_of_edges())
    assert graph.is_directed()
    assert set(graph.vs["id"]) == set(other.nodes)


def test_dot_has_the_same_nodes_and_links(export: Export, graphml: Path, compressed: Path) -> None:
    (drawn,) = pydot.graph_from_dot_data(export("dot", path=compressed)) or [None]
    graph = nx.read_graphml(graphml, force_multigraph=True)
    names = {node.get_name().strip('"') for node in drawn.get_nodes() if node.get_name().strip('"') != "node"}
    assert names == set(graph.nodes)
    assert sorted((e.get_source().strip('"'), e.get_destination().strip('"')) for e in drawn.get_edges()) == sorted(graph.edges())


def test_dot_escapes_what_would_end_or_change_a_label(export: Export) -> None:
    text = export("dot")
    (line,) = (line for line in text.splitlines() if line.startswith('  "message:kitchen/a6" ['))
    assert r"The sign said \"C:\\new\" & <b>50%</b>" in line
    assert "\x1b" not in text
    (drawn,) = pydot.graph_from_dot_data(text) or [None]
    assert len(drawn.get_node('"message:kitchen/a6"')) == 1


@pytest.mark.parametrize("format", ["graphml", "dot"])
def test_one_claim(export: Export, format: str, compressed: Path, tmp_path: Path) -> None:
    text = export(format, path=compressed, claim=1)
    assert len(text) < len(export(format, path=compressed))
    if format == "graphml":
        (tmp_path / "c.graphml").write_text(text, encoding="utf-8")
        graph = nx.read_graphml(tmp_path / "c.graphml", force_multigraph=True)
        assert all("kind" in data for _, data in graph.nodes(data=True))
        assert "claim:1" in graph
