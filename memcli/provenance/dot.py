"""DOT, as Graphviz draws it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TextIO

from memcli.provenance.graph import links, nodes
from memcli.provenance.reading import Reading
from memcli.provenance.texts import visible

_SHAPES: Final = {"claim": "box", "message": "note", "span": "plaintext", "referent": "ellipse", "topic": "folder", "group": "component"}
_LABEL: Final = 60
"""Characters of a label: what fits a node that is still legible. The tooltip has it whole."""


def write(reading: Reading, out: TextIO) -> None:
    """Write the export: a directed graph, every attribute of an atom an attribute of its node."""
    out.write("digraph memory {\n  rankdir=LR;\n  node [shape=oval];\n")
    for node in nodes(reading):
        label = node.label if len(node.label) <= _LABEL else node.label[: _LABEL - 1] + "…"
        drawn: dict[str, str | int | float] = {"label": label, "tooltip": node.label, "kind": node.kind}
        if node.kind in _SHAPES:
            drawn["shape"] = _SHAPES[node.kind]
        out.write(f"  {_quoted(node.id)} [{_attributes(drawn | dict(node.attributes))}];\n")
    for link in links(reading):
        drawn = {"label": link.attributes["relation"], **link.attributes}
        out.write(f"  {_quoted(link.source)} -> {_quoted(link.target)} [{_attributes(drawn)}];\n")
    out.write("}\n")


def _attributes(values: Mapping[str, str | int | float]) -> str:
    return ", ".join(f"{name}={_quoted(str(value))}" for name, value in values.items())


def _quoted(text: str) -> str:
    """A DOT string: a backslash would begin an escape of a label, and a line's end is written as one."""
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
