"""Search in compressed memories: what was packed is found as before, whether a memory is unpacked whole or region by region."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import reach
from memcli.compression import Limits, compress_memory, restore_memory
from memcli.evaluation import ranks_of, recall_at
from memcli.labelled import LabelledQuestion, read_labelled
from memcli.memory import Memory
from memcli.read.places import MARGIN, hand_over
from memcli.recall import Recall
from memcli.results import Filters, SearchResult
from memcli.store import packs
from memcli.store.packed import make_part
from memcli.store.search import search_terms, tokenize
from memcli.store.snapshot import load_snapshot, part_of

if TYPE_CHECKING:
    from conftest import Store

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FACTS = 60
OpenStore = Callable[[Path], AbstractContextManager[Any]]


@pytest.fixture(scope="module")
def questions() -> list[LabelledQuestion]:
    """The labelled questions about one of the example transcripts, those with evidence."""
    labels = read_labelled(EXAMPLES / "questions.jsonl")
    return [label for label in labels if str(label.id).startswith("river") and label.evidence]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of that transcript; not to be written to."""
    path = tmp_path_factory.mktemp("whole") / "whole.memdb"
    with Memory.open(path) as memory:
        memory.ingest([EXAMPLES / "river-house.jsonl"])
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path, open_store: OpenStore) -> Iterator[Store]:
    """A copy of it, open for writing."""
    path = tmp_path / "copy.memdb"
    path.write_bytes(whole.read_bytes())
    with open_store(path) as store:
        yield store


def found(recall: Recall, questions: list[LabelledQuestion]) -> list[SearchResult]:
    """What each question finds."""
    return [recall.search(label.question, k=FACTS) for label in questions]


def kept(questions: list[LabelledQuestion], results: list[SearchResult]) -> dict[int, float]:
    """Mean recall at 5 and at 20."""
    every = [recall_at(ranks_of(label, result), (5, 20)) for label, result in zip(questions, results, strict=True)]
    return {k: float(np.mean([one[k] for one in every])) for k in (5, 20)}


def plain(results: list[SearchResult]) -> list[Any]:
    """Facts as they are printed, with scores to nine digits."""
    return [[(f.claim_id, f.text, round(f.score, 9), f.evidence, f.time) for f in result.facts] for result in results]


def packed(connection: apsw.Connection) -> int:
    """How many messages are packed."""
    return int(connection.execute("SELECT count(*) FROM messages WHERE pack_id IS NOT NULL").get)


@pytest.mark.parametrize(("ratio", "at_20", "at_5"), [(0.3, 0.99, 0.98), (0.5, 0.98, 0.97), (0.7, 0.97, 0.95)])
def test_evidence_is_kept(copy: Store, questions: list[LabelledQuestion], ratio: float, at_20: float, at_5: float) -> None:
    before = kept(questions, found(copy.recall(), questions))
    compress_memory(copy.connection, ratio, Limits())
    assert packed(copy.connection) > 20
    after = kept(questions, found(copy.recall(), questions))
    assert after[20] >= at_20 * before[20]
    assert after[5] >= at_5 * before[5]


def test_evidence_is_kept_region_by_region(copy: Store, questions: list[LabelledQuestion], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "PACK_CHARACTERS", 1536)
    compress_memory(copy.connection, 0.5, Limits())
    all_of_it = kept(questions, found(copy.recall(), questions))
    spans = int(copy.connection.execute("SELECT count(*) FROM spans").get)
    monkeypatch.setattr(reach, "WHOLE_SPANS", 0)
    monkeypatch.setattr(reach, "SEARCHED_SPANS", spans // 2)
    monkeypatch.setattr(reach, "CACHED_PACKS", 1)
    regions = kept(questions, found(copy.recall(), questions))
    assert regions[20] >= 0.9 * all_of_it[20]
    assert regions[5] >= 0.9 * all_of_it[5]


def test_regions_that_hold_everything_change_nothing(
    copy: Store, questions: list[LabelledQuestion], monkeypatch: pytest.MonkeyPatch
) -> None:
    compress_memory(copy.connection, 0.5, Limits())
    expected = plain(found(copy.recall(), questions[:12]))
    monkeypatch.setattr(reach, "WHOLE_SPANS", 0)
    assert plain(found(copy.recall(), questions[:12])) == expected


def test_restoring_brings_every_score_back(copy: Store, questions: list[LabelledQuestion]) -> None:
    before = plain(found(copy.recall(), questions))
    compress_memory(copy.connection, 0.5, Limits())
    assert plain(found(copy.recall(), questions)) != before
    restore_memory(copy.connection, None)
    assert plain(found(copy.recall(), questions)) == before


def test_an_uncompressed_claim_has_one_place_with_all_its_supports(copy: Store) -> None:
    snapshot = load_snapshot(copy.connection)
    assert snapshot.claim_ids.tolist() == [row[0] for row in copy.connection.execute("SELECT id FROM claims ORDER BY id")]
    anchors = [row[0] for row in copy.connection.execute("SELECT anchor_span_id FROM claims ORDER BY id")]
    assert snapshot.span_ids[snapshot.claim_anchor].tolist() == anchors
    owner, span = snapshot.claim_supports
    pairs = list(copy.connection.execute("SELECT claim_id, span_id FROM claim_supports ORDER BY claim_id, position"))
    assert list(zip(snapshot.claim_ids[owner].tolist(), snapshot.span_ids[span].tolist(), strict=True)) == pairs


def test_a_merged_claim_has_a_place_in_every_message_it_rests_on(copy: Store) -> None:
    compress_memory(copy.connection, 0.5, Limits())
    snapshot = load_snapshot(copy.connection)
    places = sorted(
        zip(snapshot.claim_ids.tolist(), snapshot.message_ids[snapshot.span_message[snapshot.claim_anchor]].tolist(), strict=True)
    )
    rests_on = "FROM claims c JOIN claim_supports cs ON cs.claim_id = c.id JOIN spans s ON s.id = cs.span_id WHERE c.status = 'active'"
    merged = list(copy.connection.execute(f"SELECT DISTINCT c.id, s.message_id {rests_on} AND c.origin = 'merge' ORDER BY 1, 2"))
    of_merged = {claim for claim, _ in merged}
    assert [place for place in places if place[0] in of_merged] == merged
    assert len(merged) > len(of_merged)
    owner, span = snapshot.claim_supports
    assert len(owner) == copy.connection.execute(f"SELECT count(*) {rests_on}").get
    inside = np.isin(snapshot.claim_ids[owner], list(of_merged))
    anchored = snapshot.span_message[snapshot.claim_anchor[owner[inside]]]
    assert (snapshot.span_message[span[inside]] == anchored).all()


def test_a_part_of_everything_is_the_whole(copy: Store) -> None:
    snapshot = load_snapshot(copy.connection)
    part = part_of(snapshot, np.arange(len(snapshot.message_ids)))
    for name in snapshot.__slots__:
        np.testing.assert_array_equal(getattr(part, name), getattr(snapshot, name), err_msg=name)


def test_filters_hold_in_packs_and_regions(copy: Store, questions: list[LabelledQuestion], monkeypatch: pytest.MonkeyPatch) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    sessions = [row[0] for row in copy.connection.execute("SELECT external_id FROM sessions ORDER BY id")]
    for spans in (reach.WHOLE_SPANS, 0):
        monkeypatch.setattr(reach, "WHOLE_SPANS", spans)
        monkeypatch.setattr(reach, "SEARCHED_SPANS", 64)
        monkeypatch.setattr(reach, "STRETCH_SPANS", 16)
        recall = copy.recall()
        for label, session in zip(questions[:10], sessions, strict=False):
            facts = recall.search(label.question, k=FACTS, filters=Filters(session=session)).facts
            assert facts
            assert {e.session_id for fact in facts for e in fact.evidence} == {session}


def test_an_answer_hands_a_claim_over_once(copy: Store, questions: list[LabelledQuestion]) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    recall = copy.recall()
    for label in questions[:20]:
        support = [fact.claim_id for fact in recall.ask(label.question, k=6).facts if fact.role == "support"]
        assert len(support) == len(set(support))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.floats(-3, 3)), min_size=1, max_size=20, unique_by=lambda p: p[:2]))
def test_every_place_is_handed_over_once_no_later_than_its_rank(places: list[tuple[int, int, float]]) -> None:
    places.sort(key=lambda place: place[0])
    claims, messages = (np.array(column, np.int64) for column in list(zip(*places, strict=True))[:2])
    scores = np.array([place[2] for place in places])
    order = np.argsort(-scores, kind="stable")
    handed = hand_over(order, scores, claims, messages, len(places))
    met = [(int(claims[one.place]), message) for one in handed for message in one.messages or (int(messages[one.place]),)]
    assert sorted(met) == sorted((claim, message) for claim, message, _ in places)
    assert [one.place for one in handed] == [place for place in order if place in {one.place for one in handed}]
    for one in handed:
        assert one.messages is not None or int((claims == claims[one.place]).sum()) == 1
        for message in one.messages or ():
            score = scores[(claims == claims[one.place]) & (messages == message)][0]
            assert score >= scores[one.place] - MARGIN


SAID = "ponies Pony tidied tidy C++ c# ran running Été naïve relational kiln's 2024-05-01 窑炉 窑 a".split()  # noqa: SIM905 - reads better


@given(st.lists(st.lists(st.sampled_from(SAID), max_size=6).map(" ".join) | st.text(max_size=12), min_size=1, max_size=8))
def test_every_word_of_a_pack_is_found_where_the_index_would_find_it(texts: list[str]) -> None:
    spans = dict(enumerate(texts, 5))
    part = make_part({}, spans)
    for term in {term for text in (*texts, *SAID) for term in (*search_terms(text), *tokenize(text))}:
        counts = {span: tokenize(text).count(term) for span, text in spans.items()}
        assert dict(part.postings(term)) == {span: count for span, count in counts.items() if count}
