"""GraphML, as networkx, igraph, Gephi and yEd read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TextIO
from xml.sax.saxutils import escape, quoteattr

from memcli.provenance.graph import LINK_KEYS, links, node_keys, nodes
from memcli.provenance.reading import Reading
from memcli.provenance.texts import visible

_HEAD: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""


def write(reading: Reading, out: TextIO) -> None:
    """Write the export: a directed graph whose links may be parallel, so each has an id."""
    node_ids = {name: f"n{number}" for number, name in enumerate(node_keys())}
    link_ids = {name: f"e{number}" for number, name in enumerate(LINK_KEYS)}
    out.write(_HEAD)
    for domain, ids, types in (("node", node_ids, node_keys()), ("edge", link_ids, LINK_KEYS)):
        for name, key in ids.items():
            out.write(f'  <key id="{key}" for="{domain}" attr.name="{name}" attr.type="{types[name]}"/>\n')
    out.write('  <graph id="memory" edgedefault="directed">\n')
    for node in nodes(reading):
        data = _data(node_ids, {"kind": node.kind, "label": node.label, **node.attributes})
        out.write(f"    <node id={_quoted(node.id)}>{data}</node>\n")
    for number, link in enumerate(links(reading)):
        data = _data(link_ids, link.attributes)
        out.write(f'    <edge id="l{number}" source={_quoted(link.source)} target={_quoted(link.target)}>{data}</edge>\n')
    out.write("  </graph>\n</graphml>\n")


def _data(ids: Mapping[str, str], attributes: Mapping[str, str | int | float]) -> str:
    return "".join(f'<data key="{ids[name]}">{escape(visible(str(value)))}</data>' for name, value in attributes.items())


def _quoted(text: str) -> str:
    return quoteattr(visible(text))
