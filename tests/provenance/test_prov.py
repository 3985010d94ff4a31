"""W3C PROV, as the `prov` library reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prov.model import (
    ProvActivity,
    ProvAgent,
    ProvAssociation,
    ProvAttribution,
    ProvDerivation,
    ProvDocument,
    ProvEntity,
    ProvGeneration,
    ProvInvalidation,
    ProvRecord,
    ProvRelation,
)

Export = Callable[..., str]


@pytest.fixture
def raw(export: Export, compressed: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(export("prov-json", path=compressed))
    return loaded


@pytest.fixture
def document(raw: dict[str, Any]) -> ProvDocument:
    return ProvDocument.deserialize(content=json.dumps(raw), format="json")


def names(document: ProvDocument, what: type[Any]) -> set[str]:
    return {str(record.identifier) for record in document.get_records(what)}


def of(record: ProvRecord, name: str) -> list[str]:
    return [str(value) for key, value in record.attributes if str(key) == name]


def ends(document: ProvDocument, what: type[Any]) -> list[tuple[str, str]]:
    return [tuple(str(value) for _, value in record.formal_attributes[:2]) for record in document.get_records(what)]  # type: ignore[misc]


def test_the_library_reads_every_record_and_writes_it_back(raw: dict[str, Any], document: ProvDocument) -> None:
    counts = {kind: len(records) for kind, records in raw.items() if kind != "prefix"}
    assert len(document.get_records()) == sum(counts.values())
    back = json.loads(document.serialize(format="json"))
    assert {kind: len(records) for kind, records in back.items() if kind != "prefix"} == counts
    assert ProvDocument.deserialize(content=json.dumps(back), format="json") == document
    assert document.get_provn().startswith("document")


def test_no_name_stands_for_two_records(export: Export, compressed: Path) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    json.loads(export("prov-json", path=compressed), object_pairs_hook=once)


def test_every_relation_is_between_records_that_are_there(document: ProvDocument) -> None:
    known = names(document, ProvEntity) | names(document, ProvActivity) | names(document, ProvAgent)
    for relation in document.get_records(ProvRelation):
        for key, value in relation.formal_attributes:
            assert value is None or "ime" in str(key) or str(value) in known, relation


def test_every_claim_leads_to_words_of_a_message_and_their_speaker(document: ProvDocument) -> None:
    origins: dict[str, set[str]] = {}
    for derived, origin in ends(document, ProvDerivation):
        origins.setdefault(derived, set()).add(origin)
    attributed = dict(ends(document, ProvAttribution))
    texts = {str(record.identifier): of(record, "prov:value") for record in document.get_records(ProvEntity)}
    claims = [name for name in texts if name.startswith("atom:claim/")]
    assert len(claims) > 10
    for claim in claims:
        spans = {origin for origin in origins[claim] if origin.startswith("atom:span/")}
        assert spans
        for span in spans:
            (message,) = origins[span]
            assert texts[span][0] in texts[message][0]
            assert attributed[message] in names(document, ProvAgent)


def test_ingests_merges_and_compressions_are_activities_of_the_program_and_its_model(document: ProvDocument) -> None:
    doings = {of(record, "prov:type")[0] for record in document.get_records(ProvActivity)}
    assert doings == {"mem:Ingest", "mem:Merge", "mem:Compression"}
    associated = ends(document, ProvAssociation)
    for activity in names(document, ProvActivity):
        assert {agent for doing, agent in associated if doing == activity} == {"atom:program", "atom:model/1"}


def test_what_a_run_archived_is_invalidated_by_it_and_its_absorber_derived_from_it(document: ProvDocument) -> None:
    run = "atom:compression/1"
    assert set(ends(document, ProvInvalidation)) == {(f"atom:claim/{claim}", run) for claim in (2, 3, 6, 7)}
    absorbed = {(d, o) for d, o in ends(document, ProvDerivation) if o.startswith("atom:claim/") and d.startswith("atom:claim/")}
    pairs = {(1, 2), (2, 3), (900, 6), (900, 7)}
    assert absorbed == {(f"atom:claim/{absorber}", f"atom:claim/{archived}") for absorber, archived in pairs}
    generated = dict(ends(document, ProvGeneration))
    assert len(generated) == len(ends(document, ProvGeneration))
    assert (generated["atom:claim/900"], generated["atom:claim/1"]) == (run, "atom:ingest/1")


def test_one_claim(export: Export, compressed: Path) -> None:
    document = ProvDocument.deserialize(content=export("prov-json", path=compressed, claim=1), format="json")
    claims = {name for name in names(document, ProvEntity) if name.startswith("atom:claim/")}
    assert {"atom:claim/1", "atom:claim/2", "atom:claim/3"} <= claims
    known = names(document, ProvEntity) | names(document, ProvActivity) | names(document, ProvAgent)
    assert all(end in known for pair in ends(document, ProvDerivation) for end in pair)
