"""W3C PROV in its JSON form (PROV-JSON): what was derived from what, by which doing, and who answers for it.

Messages, spans, cues and claims are entities; ingests, the gate's merges and compression runs are activities; speakers, models and the
program are agents. A document has one object a kind of record, so families are read once for each kind that they give records of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from itertools import chain, groupby
from typing import Any, Final, TextIO
from urllib.parse import quote

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

_PREFIXES: Final = {"mem": "urn:memcli:vocabulary:", "atom": "urn:memcli:atom:"}
_PROGRAM: Final = "atom:program"

_Record = tuple[str, Mapping[str, Any]]
_Attributes = dict[str, Any]

_ENTITIES: Final[tuple[type[Any], ...]] = (
    MessageRow, SpanRow, ReferentRow, HandleRow, TimeCueRow, PivotRow, KeywordRow, ClaimRow, GroupRow, TopicRow, EventTreeRow,
)  # fmt: skip
_COLLECTIONS: Final = (GroupRow, TopicRow, EventTreeRow)
_LEFT_OUT: Final = frozenset(
    ("id", "number", "started_at", "finished_at", "handle_ids", "claim_ids", "keyword_ids", "neighbours", "branches")
)
"""Fields that the record's own name, its times or relations stand for."""
_REFERENCES: Final = {
    "referent_id": "referent",
    "subject_id": "referent",
    "speaker_id": "referent",
    "time_cue_id": "time_cue",
    "anchor_span_id": "span",
    "span_id": "span",
    "message_number": "message",
    "topic_id": "topic",
    "group_id": "group",
    "model_id": "model",
    "ingest_id": "ingest",
    "center_claim_id": "claim",
    "run_id": "compression",
}
"""Fields that name another record, and its kind."""


def write(reading: Reading, out: TextIO) -> None:
    """Write the export."""
    sections: tuple[tuple[str, Callable[[Reading], Iterator[_Record]]], ...] = (
        ("agent", _agents),
        ("activity", _activities),
        ("entity", _entities),
        ("wasGeneratedBy", _generations),
        ("used", _usages),
        ("wasInvalidatedBy", _invalidations),
        ("wasDerivedFrom", _derivations),
        ("wasAttributedTo", _attributions),
        ("wasAssociatedWith", _associations),
        ("wasInformedBy", _communications),
        ("wasInfluencedBy", _influences),
        ("hadMember", _memberships),
    )
    out.write(f'{{\n"prefix": {to_json(_PREFIXES)}')
    for name, records in sections:
        empty = True
        for identifier, attributes in records(reading):
            out.write(f',\n"{name}": {{\n' if empty else ",\n")
            out.write(f"{to_json(identifier)}: {to_json(dict(attributes))}")
            empty = False
        if not empty:
            out.write("\n}")
    out.write("\n}\n")


def _agents(reading: Reading) -> Iterator[_Record]:
    yield _PROGRAM, {"prov:type": _name("prov:SoftwareAgent"), "prov:label": "mem"}
    for model in reading.rows(ModelRow):
        yield f"atom:model/{model.id}", {"prov:type": _name("prov:SoftwareAgent"), "prov:label": model.name, **_own(model)}
    known: set[str] = set()
    for message in reading.rows(MessageRow):
        if message.speaker not in known:
            known.add(message.speaker)
            what = "prov:Person" if message.role == "user" else "prov:SoftwareAgent"
            yield _speaker(message.speaker), {"prov:type": _name(what), "prov:label": message.speaker, "mem:role": message.role}


def _activities(reading: Reading) -> Iterator[_Record]:
    for ingest in reading.rows(IngestRow):
        yield f"atom:ingest/{ingest.id}", _lasting("Ingest", ingest, ingest.started_at, ingest.finished_at)
    for support in _merged(reading):
        yield _merge(support), {"prov:type": _name("mem:Merge"), "mem:claim": _name(f"atom:claim/{support.claim_id}")}
    for run in reading.rows(RunRow):
        yield f"atom:compression/{run.id}", _lasting("Compression", run, run.started_at, None)


def _entities(reading: Reading) -> Iterator[_Record]:
    for ingest in reading.rows(IngestRow):
        source: _Attributes = {"prov:type": _name("mem:Transcript"), "prov:label": ingest.source}
        yield f"atom:source/{ingest.id}", source | {"mem:source": ingest.source, "mem:format": ingest.format}
    known: set[str] = set()
    for message in reading.rows(MessageRow):
        if message.conversation_id not in known:
            known.add(message.conversation_id)
            conversation: _Attributes = {"prov:type": [_name("prov:Collection"), _name("mem:Conversation")]}
            yield _conversation(message.conversation_id), conversation | {"prov:label": message.conversation_id}
    for family in _ENTITIES:
        kind = _name(f"mem:{family.__name__.removesuffix('Row')}")
        what: object = [_name("prov:Collection"), kind] if family in _COLLECTIONS else kind
        for row in reading.rows(family):
            attributes = _own(row) | {"prov:type": what}
            if label := getattr(row, "name", "") or getattr(row, "label", ""):
                attributes["prov:label"] = label
            yield _atom(row), attributes


def _generations(reading: Reading) -> Iterator[_Record]:
    made: Iterator[MessageRow | ClaimRow] = chain(reading.rows(MessageRow), _written(reading))
    written = ((_atom(row), f"atom:ingest/{row.ingest_id}") for row in made if row.ingest_id is not None)
    trees = ((_atom(tree), f"atom:compression/{tree.run_id}") for tree in reading.rows(EventTreeRow))
    anew = ((step.run_id, step.absorber_id) for step in reading.rows(LineageRow) if step.absorber_origin == "merge")
    merged = ((f"atom:claim/{claim}", f"atom:compression/{run}") for (run, claim), _ in groupby(anew))
    yield from _numbered("g", ({"prov:entity": entity, "prov:activity": doing} for entity, doing in chain(written, trees, merged)))


def _written(reading: Reading) -> Iterator[ClaimRow]:
    """Claims that an ingest wrote, not a compression run."""
    return (claim for claim in reading.rows(ClaimRow) if claim.origin != "merge")


def _usages(reading: Reading) -> Iterator[_Record]:
    read = ((f"atom:ingest/{ingest.id}", f"atom:source/{ingest.id}") for ingest in reading.rows(IngestRow))
    merged = ((_merge(support), f"atom:span/{support.span_id}") for support in _merged(reading))
    absorbed = ((f"atom:compression/{step.run_id}", f"atom:claim/{step.archived_id}") for step in reading.rows(LineageRow))
    yield from _numbered("u", ({"prov:activity": doing, "prov:entity": entity} for doing, entity in chain(read, merged, absorbed)))


def _invalidations(reading: Reading) -> Iterator[_Record]:
    yield from _numbered(
        "i",
        (
            {"prov:entity": f"atom:claim/{step.archived_id}", "prov:activity": f"atom:compression/{step.run_id}"}
            for step in reading.rows(LineageRow)
        ),
    )


def _derivations(reading: Reading) -> Iterator[_Record]:
    yield from _numbered("d", _derived(reading))


def _derived(reading: Reading) -> Iterator[_Attributes]:
    quotation = {"prov:type": _name("prov:Quotation")}
    for message in reading.rows(MessageRow):
        if message.ingest_id is not None:
            yield {**_from(_atom(message), f"atom:source/{message.ingest_id}"), "mem:locator": message.locator}
    for span in reading.rows(SpanRow):
        yield _from(_atom(span), f"atom:message/{span.message_number}") | quotation
    cues: Iterator[HandleRow | TimeCueRow | PivotRow] = chain(reading.rows(HandleRow), reading.rows(TimeCueRow), reading.rows(PivotRow))
    for cue in cues:
        yield _from(_atom(cue), f"atom:span/{cue.span_id}") | quotation
    for support in reading.rows(SupportRow):
        derivation = _from(f"atom:claim/{support.claim_id}", f"atom:span/{support.span_id}")
        if support.added_by == "merge":
            derivation["prov:activity"] = _merge(support)
        yield derivation | {"mem:position": support.position, "mem:added_by": support.added_by}
    for claim in reading.rows(ClaimRow):
        if claim.time_cue_id is not None:
            yield _from(_atom(claim), f"atom:time_cue/{claim.time_cue_id}")
    for keyword in reading.rows(KeywordRow):
        for claim_id in keyword.claim_ids:
            yield _from(_atom(keyword), f"atom:claim/{claim_id}")
    for step in reading.rows(LineageRow):
        derivation = _from(f"atom:claim/{step.absorber_id}", f"atom:claim/{step.archived_id}")
        yield derivation | {"prov:activity": f"atom:compression/{step.run_id}", "prov:type": _name("mem:Absorption")}


def _attributions(reading: Reading) -> Iterator[_Record]:
    said = ((_atom(message), _speaker(message.speaker)) for message in reading.rows(MessageRow))
    told = ((_atom(claim), _speaker(claim.said_by)) for claim in reading.rows(ClaimRow))
    written = ((_atom(claim), _PROGRAM if claim.model_id is None else f"atom:model/{claim.model_id}") for claim in reading.rows(ClaimRow))
    yield from _numbered("a", ({"prov:entity": entity, "prov:agent": agent} for entity, agent in chain(said, told, written)))


def _associations(reading: Reading) -> Iterator[_Record]:
    embedders = [f"atom:model/{model.id}" for model in reading.rows(ModelRow) if model.role == "embedder"]
    doings = chain(
        (f"atom:ingest/{ingest.id}" for ingest in reading.rows(IngestRow)),
        (_merge(support) for support in _merged(reading)),
        (f"atom:compression/{run.id}" for run in reading.rows(RunRow)),
    )
    yield from _numbered("w", ({"prov:activity": doing, "prov:agent": agent} for doing in doings for agent in (_PROGRAM, *embedders)))


def _communications(reading: Reading) -> Iterator[_Record]:
    merges = (support for support in _merged(reading) if support.ingest_id is not None)
    yield from _numbered("c", ({"prov:informed": _merge(s), "prov:informant": f"atom:ingest/{s.ingest_id}"} for s in merges))


def _influences(reading: Reading) -> Iterator[_Record]:
    edges = (
        {
            **_influence(f"atom:claim/{edge.source_id}", f"atom:claim/{edge.target_id}"),
            "mem:relation": edge.relation,
            "mem:strength": edge.strength,
        }
        for edge in reading.rows(EdgeRow)
    )
    merges = (_influence(f"atom:claim/{support.claim_id}", _merge(support)) for support in _merged(reading))
    mentions = (
        {**_influence(_atom(claim), f"atom:handle/{handle}"), "mem:relation": "mentions"}
        for claim in reading.rows(ClaimRow)
        for handle in claim.handle_ids
    )
    yield from _numbered("f", chain(edges, merges, mentions))


def _memberships(reading: Reading) -> Iterator[_Record]:
    said = ((_conversation(message.conversation_id), _atom(message)) for message in reading.rows(MessageRow))
    grouped = ((_atom(group), f"atom:claim/{claim}") for group in reading.rows(GroupRow) for claim in group.claim_ids)
    about = ((_atom(topic), f"atom:keyword/{keyword}") for topic in reading.rows(TopicRow) for keyword in topic.keyword_ids)
    grown = (
        (_atom(tree), f"atom:claim/{claim}")
        for tree in reading.rows(EventTreeRow)
        for claim in (tree.center_claim_id, *(branch["claim_id"] for branch in tree.branches))
        if reading.closure is None or claim in reading.closure.claims
    )
    members = chain(said, grouped, about, grown)
    yield from _numbered("m", ({"prov:collection": collection, "prov:entity": entity} for collection, entity in members))


def _merged(reading: Reading) -> Iterator[SupportRow]:
    """The supports that the gate added."""
    return (support for support in reading.rows(SupportRow) if support.added_by == "merge")


def _merge(support: SupportRow) -> str:
    return f"atom:merge/{support.claim_id}-{support.span_id}"


def _atom(row: Atom) -> str:
    return f"atom:{kind_of(type(row))}/{row.number if isinstance(row, MessageRow) else row.id}"


def _speaker(name: str) -> str:
    return f"atom:speaker/{quote(name, safe='')}"


def _conversation(name: str) -> str:
    return f"atom:conversation/{quote(name, safe='')}"


def _name(qualified: str) -> dict[str, str]:
    """A reference to something that has a name, as an attribute's value."""
    return {"$": qualified, "type": "prov:QUALIFIED_NAME"}


def _from(derived: str, origin: str) -> _Attributes:
    return {"prov:generatedEntity": derived, "prov:usedEntity": origin}


def _influence(influenced: str, by: str) -> _Attributes:
    return {"prov:influencee": influenced, "prov:influencer": by}


def _lasting(what: str, row: IngestRow | RunRow, start: str, end: str | None) -> _Attributes:
    times = {"prov:startTime": start, "prov:endTime": end} if end else {"prov:startTime": start}
    return {"prov:type": _name(f"mem:{what}"), **times, **_own(row)}


def _own(row: Atom) -> _Attributes:
    """A row's own fields as attributes: its text as its value, numbers of other records as references to them, the rest by its name."""
    attributes: _Attributes = {}
    for field in fields(row):
        value = getattr(row, field.name)
        if value is None or field.name in _LEFT_OUT:
            continue
        if field.name == "text":
            attributes["prov:value"] = value
        elif field.name in _REFERENCES:
            attributes[f"mem:{field.name.removesuffix('_id')}"] = _name(f"atom:{_REFERENCES[field.name]}/{value}")
        elif field.name == "keywords":
            attributes["mem:keyword"] = list(value)
        else:
            attributes[f"mem:{field.name}"] = value if isinstance(value, str | int | float) else to_json(value)
    return attributes


def _numbered(letter: str, relations: Iterator[_Attributes]) -> Iterator[_Record]:
    """Relations under names of their own: `_:d1`, `_:d2`..."""
    return ((f"_:{letter}{number}", relation) for number, relation in enumerate(relations, 1))
