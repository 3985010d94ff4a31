"""A memory as a graph: every atom a node, every "comes from" a link that points at where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, Final

from memcli.provenance.reading import Reading, kind_of
from memcli.provenance.texts import to_json
from memcli.store.export_rows import (
    Atom,
    ClaimRow,
    EdgeRow,
    EventTreeRow,
    GroupRow,
    HandleRow,
    IngestRow,
    KeywordRow,
    LineageRow,
    MessageRow,
    ModelRow,
    PivotRow,
    ReferentRow,
    RunRow,
    SpanRow,
    SupportRow,
    TimeCueRow,
    TopicRow,
)

_NODES: Final[tuple[type[Any], ...]] = (
    IngestRow, ModelRow, MessageRow, SpanRow, ReferentRow, HandleRow, TimeCueRow, PivotRow, ClaimRow, KeywordRow, GroupRow, TopicRow,
    RunRow, EventTreeRow,
)  # fmt: skip

_LINKED: Final = frozenset((
    "id", "name", "label", "number", "message_number", "span_id", "referent_id", "handle_ids", "claim_ids", "keyword_ids", "topic_id",
    "group_id", "subject_id", "speaker_id", "time_cue_id", "model_id", "ingest_id", "run_id",
    "neighbours", "branches",
))  # fmt: skip
"""Fields that links or the node's own id or label stand for."""

_TYPES: Final = {"int": "long", "int | None": "long", "float": "double", "float | None": "double"}

LINK_KEYS: Final[Mapping[str, str]] = {
    "relation": "string",
    "position": "long",
    "added_by": "string",
    "strength": "double",
    "similarity": "double",
    "locator": "string",
    "parent": "string",
    "run": "string",
}
"""The attributes of links and their types in GraphML."""


@dataclass(frozen=True, slots=True)
class Node:
    """An atom. `id` is what `mem show` calls it, where it shows such an atom; `label` a few words to draw it with."""

    id: str
    kind: str
    label: str
    attributes: Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Link:
    """What `source` has to do with `target`, which it comes from, names or belongs to; `attributes` always hold `relation`."""

    source: str
    target: str
    attributes: Mapping[str, str | int | float]


def node_keys() -> dict[str, str]:
    """The attributes that nodes may have and their types in GraphML: `string`, `long` or `double`."""
    keys = {"kind": "string", "label": "string"}
    for family in _NODES:
        for field in fields(family):
            if field.name not in _LINKED:
                keys[_key(family, field.name)] = _TYPES.get(str(field.type), "string")
    return keys


def nodes(reading: Reading) -> Iterator[Node]:
    """Every node, family by family."""
    for family in _NODES:
        names = [field.name for field in fields(family) if field.name not in _LINKED]
        for row in reading.rows(family):
            values = {_key(family, name): _plain(value) for name in names if (value := getattr(row, name)) not in (None, "", [], {})}
            yield Node(_id(row), kind_of(family), _label(row), values)


def links(reading: Reading) -> Iterator[Link]:
    """Every link, between nodes that `nodes` gives."""
    for message in reading.rows(MessageRow):
        if message.ingest_id is not None:
            yield _link(_id(message), f"ingest:{message.ingest_id}", "read_by", locator=message.locator)
    for span in reading.rows(SpanRow):
        yield _link(_id(span), f"message:{span.conversation_id}/{span.message_id}", "quotes")
    for handle in reading.rows(HandleRow):
        yield _link(_id(handle), f"span:{handle.span_id}", "quotes")
        yield _link(_id(handle), f"referent:{handle.referent_id}", "names")
    cues: Iterator[TimeCueRow | PivotRow] = chain(reading.rows(TimeCueRow), reading.rows(PivotRow))
    for cue in cues:
        yield _link(_id(cue), f"span:{cue.span_id}", "quotes")
    for claim in reading.rows(ClaimRow):
        yield from _links_of(claim)
    for support in reading.rows(SupportRow):
        yield _link(
            f"claim:{support.claim_id}", f"span:{support.span_id}", "rests_on", position=support.position, added_by=support.added_by
        )
    for keyword in reading.rows(KeywordRow):
        for claim_id in keyword.claim_ids:
            yield _link(f"claim:{claim_id}", _id(keyword), "has_keyword")
        if keyword.topic_id is not None:
            yield _link(_id(keyword), f"topic:{keyword.topic_id}", "belongs_to")
    for edge in reading.rows(EdgeRow):
        yield _link(f"claim:{edge.source_id}", f"claim:{edge.target_id}", edge.relation, strength=edge.strength)
    if reading.closure is None:
        for group in reading.rows(GroupRow):
            for near in group.neighbours:
                yield _link(_id(group), f"group:{near['id']}", "near", similarity=float(near["similarity"]))
    for tree in reading.rows(EventTreeRow):
        yield _link(_id(tree), f"run:{tree.run_id}", "grown_by")
        for branch in tree.branches:
            yield _link(
                f"claim:{branch['claim_id']}", _id(tree), "grows_in", parent=f"claim:{branch['parent_id']}", similarity=branch["similarity"]
            )
        if reading.closure is None or tree.center_claim_id in reading.closure.claims:
            yield _link(f"claim:{tree.center_claim_id}", _id(tree), "center_of")
    for step in reading.rows(LineageRow):
        yield _link(f"claim:{step.absorber_id}", f"claim:{step.archived_id}", "absorbed", run=f"run:{step.run_id}")


def _links_of(claim: ClaimRow) -> Iterator[Link]:
    """A claim's links other than to its supports and to other claims."""
    source = _id(claim)
    yield _link(source, f"referent:{claim.speaker_id}", "said_by")
    if claim.subject_id is not None:
        yield _link(source, f"referent:{claim.subject_id}", "about")
    for handle_id in claim.handle_ids:
        yield _link(source, f"handle:{handle_id}", "mentions")
    if claim.time_cue_id is not None:
        yield _link(source, f"time_cue:{claim.time_cue_id}", "dated_by")
    if claim.group_id is not None:
        yield _link(source, f"group:{claim.group_id}", "belongs_to")
    if claim.model_id is not None:
        yield _link(source, f"model:{claim.model_id}", "written_by")


def _link(source: str, target: str, relation: str, **attributes: str | int | float) -> Link:
    return Link(source, target, {"relation": relation, **attributes})


def _id(row: Atom) -> str:
    """What `mem show` calls it."""
    return f"message:{row.conversation_id}/{row.message_id}" if isinstance(row, MessageRow) else f"{kind_of(type(row))}:{row.id}"


def _label(row: Atom) -> str:
    """A few words to draw it with."""
    if isinstance(row, MessageRow):
        return f"{row.speaker}, {row.timestamp}" if row.timestamp else row.speaker
    if isinstance(row, RunRow):
        return f"run {row.id}"
    named = ("label", "text", "name", "source")
    return next((text for name in named if (text := getattr(row, name, ""))), "") or f"{kind_of(type(row))} {row.id}"


def _key(family: type[Any], name: str) -> str:
    """A field's name as an attribute; an atom's own `kind` (of claim, of span) makes room for the kind of atom, as in `mem show`."""
    return f"{kind_of(family)}_kind" if name == "kind" else name


def _plain(value: str | int | float | Mapping[str, Any] | list[Any]) -> str | int | float:
    return value if isinstance(value, str | int | float) else to_json(value)
