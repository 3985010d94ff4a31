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
from numpy.typing import NDArray

from memcli import reach
from memcli.compression import Limits, compress_memory
from memcli.evaluation import ranks_of, recall_at
from memcli.labelled import LabelledQuestion, read_labelled
from memcli.memory import Memory
from memcli.read.coarse import estimated, windows_of
from memcli.read.places import MARGIN, hand_over
from memcli.read.query import read_query
from memcli.read.routes import unit
from memcli.read.slots import newest_version
from memcli.recall import Recall
from memcli.restoring import restore_memory
from memcli.results import Filters, SearchResult
from memcli.store import packs
from memcli.store.facts import fetch_facts, fetch_shown, fetch_told
from memcli.store.packed_vectors import encode
from memcli.store.search import delete_views, search_terms, vocabulary
from memcli.store.snapshot import load_snapshot, part_of
from memcli.store.transcripts import message_digest
from memcli.store.vectors import delete_vectors, load_vectors
from memcli.store.verify import verify

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


@pytest.mark.parametrize("ratios", [(0.5,), (0.3, 0.4)])
def test_a_merged_claim_is_found_wherever_a_part_of_it_was_told(copy: Store, ratios: tuple[float, ...]) -> None:
    before = load_snapshot(copy.connection)
    for ratio in ratios:
        compress_memory(copy.connection, ratio, Limits())
    after = load_snapshot(copy.connection)
    for name in after.__slots__:
        if name not in ("span_vectors", "message_vectors", "claim_ids"):
            np.testing.assert_array_equal(getattr(after, name), getattr(before, name), err_msg=name)
    heirs = dict(copy.connection.execute("SELECT archived_id, absorber_id FROM lineage"))
    assert heirs
    for told, active in zip(after.claim_told.tolist(), after.claim_ids.tolist(), strict=True):
        while told in heirs:
            told = heirs[told]
        assert told == active


def support(connection: apsw.Connection) -> tuple[int, int]:
    """Let a merged claim rest on a span of a message that it has nothing from; returns the claim and the span."""
    claim = int(connection.execute("SELECT min(id) FROM claims WHERE origin = 'merge'").get)
    span = int(
        connection.execute(
            "SELECT max(id) FROM spans WHERE message_id NOT IN (SELECT s.message_id FROM claim_supports cs"
            " JOIN spans s ON s.id = cs.span_id WHERE cs.claim_id = ?)",
            (claim,),
        ).get
    )
    connection.execute(
        "INSERT INTO claim_supports SELECT claim_id, ?2, max(position) + 1 FROM claim_supports WHERE claim_id = ?1", (claim, span)
    )
    return claim, span


def test_what_a_merged_claim_has_come_to_rest_on_since_is_a_place_of_its_own(copy: Store) -> None:
    compress_memory(copy.connection, 0.5, Limits())
    before = load_snapshot(copy.connection)
    claim, span = support(copy.connection)
    after = load_snapshot(copy.connection)
    place = np.flatnonzero(after.claim_since).tolist()
    assert len(place) == 1
    assert (after.claim_ids[place[0]], after.claim_told[place[0]]) == (claim, claim)
    owner, spans = after.claim_supports
    assert after.span_ids[spans[owner == place[0]]].tolist() == [span] == [after.span_ids[after.claim_anchor[place[0]]]]
    assert np.array_equal(np.delete(after.claim_told, place), before.claim_told)
    said = copy.connection.execute(
        "SELECT substr(t.text, s.start_offset + 1, s.end_offset - s.start_offset) FROM spans s JOIN message_texts t ON t.id = s.message_id"
        " WHERE s.id = ?",
        (span,),
    ).get
    facts = copy.recall().search(str(said), k=FACTS).facts
    mine = [[one.text for one in fact.evidence] for fact in facts if fact.claim_id == claim]
    assert any(said in texts for texts in mine)


@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.7])
def test_answers_are_those_before_compression(copy: Store, questions: list[LabelledQuestion], ratio: float) -> None:
    def answers() -> list[Any]:
        recall = copy.recall()
        every = [recall.ask(label.question, k=6) for label in questions]
        return [
            (one.answer, one.sufficient, one.confidence, one.reason, [f.evidence[0] for f in one.facts if f.role == "direct"])
            for one in every
        ]

    before = answers()
    compress_memory(copy.connection, ratio, Limits())
    assert answers() == before


def test_a_fact_is_shown_as_the_active_claim_with_the_evidence_of_the_place(copy: Store, questions: list[LabelledQuestion]) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    recall = copy.recall()
    texts = dict(copy.connection.execute("SELECT id, text FROM claims WHERE status = 'active'"))
    merged = 0
    for label in questions[:20]:
        for fact in (*recall.search(label.question, k=FACTS).facts, *recall.ask(label.question, k=6).facts):
            assert fact.text == texts[fact.claim_id]
            supports = list(
                copy.connection.execute(
                    "SELECT m.external_id, s.start_offset, s.end_offset FROM claim_supports cs JOIN spans s ON s.id = cs.span_id"
                    " JOIN messages m ON m.id = s.message_id WHERE cs.claim_id = ?",
                    (fact.claim_id,),
                )
            )
            shown = [(one.message_id, one.start, one.end) for one in fact.evidence]
            assert shown
            assert len(shown) == len(set(shown))
            assert set(shown) <= set(supports)
            merged += len(shown) < len(supports)
    assert merged


def test_a_filter_does_not_let_through_what_a_merged_claim_says_of_the_rest(copy: Store, questions: list[LabelledQuestion]) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    session = copy.connection.execute("SELECT external_id FROM sessions ORDER BY id LIMIT 1").get
    said = " ".join(
        row[0]
        for row in copy.connection.execute(
            "SELECT c.text FROM claims c WHERE origin <> 'merge' AND NOT EXISTS (SELECT 1 FROM claim_supports cs"
            " JOIN spans s ON s.id = cs.span_id JOIN messages m ON m.id = s.message_id JOIN sessions n ON n.id = m.session_id"
            " WHERE cs.claim_id = c.id AND n.external_id <> ?)",
            (session,),
        )
    )
    words = set(search_terms(said))
    recall = copy.recall()
    facts = [fact for label in questions for fact in recall.search(label.question, k=FACTS, filters=Filters(session=session)).facts]
    assert facts
    for fact in facts:
        assert set(search_terms(fact.text)) <= words


def test_a_filtered_part_has_its_own_words(copy: Store, questions: list[LabelledQuestion]) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    said = {row[0]: row[1] for row in copy.connection.execute("SELECT id, text FROM claims")}
    told = "SELECT claim_id FROM told WHERE message_external_id = ? AND start_offset = ? AND end_offset = ?"
    recall = copy.recall()
    cut = 0
    for label in questions[:30]:
        for fact in recall.search(label.question, k=FACTS, filters=Filters(until="2024-09-01")).facts:
            first = fact.evidence[0]
            claims = [row[0] for row in copy.connection.execute(told, (first.message_id, first.start, first.end))]
            assert fact.text in {said[claim] for claim in claims}
            cut += fact.text != said[fact.claim_id]
    assert cut


def test_parts_of_one_claim_are_found_apart(copy: Store, questions: list[LabelledQuestion]) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    recall = copy.recall()
    several = 0
    for one, other in zip(questions[:20], questions[20:40], strict=True):
        found, more = recall.candidates(one.question, 8), recall.candidates(other.question, 8)
        several += bool({fact.id for fact in found.facts} & {fact.id for fact in more.facts})
        assert [found.facts[i].place for i in found.take(more)] == [fact.place for fact in more.facts]
    assert several


def test_facts_name_active_claims_as_what_they_replace(copy: Store, questions: list[LabelledQuestion]) -> None:
    active = "SELECT id FROM claims WHERE status = 'active'"
    connection = copy.connection
    ids = [row[0] for row in connection.execute(f"{active} ORDER BY id")]
    connection.executemany(
        "INSERT INTO edges (source_id, target_id, relation, strength) VALUES (?, ?, 'conflicts', 1.0)", zip(ids[1:], ids[:-1], strict=True)
    )
    compress_memory(connection, 0.5, Limits())
    standing = {row[0] for row in connection.execute(active)}
    named = 0
    for label in questions[:20]:
        for fact in copy.recall().search(label.question, k=FACTS).facts:
            assert standing.issuperset((*fact.supersedes, *fact.conflicts_with))
            named += len(fact.conflicts_with)
    assert named


def test_what_replaces_a_merged_claim_replaces_its_parts_but_not_what_one_part_replaces(copy: Store) -> None:
    connection = copy.connection
    compress_memory(connection, 0.5, Limits())
    merged = int(connection.execute("SELECT min(absorber_id) FROM lineage").get)
    parts = [row[0] for row in connection.execute("SELECT archived_id FROM lineage WHERE absorber_id = ?", (merged,))]
    other = int(connection.execute("SELECT max(id) FROM claims WHERE status = 'active' AND origin <> 'merge'").get)
    # An edge of one part, as merging hands it on, and one that came later.
    edge = "INSERT INTO edges (id, source_id, target_id, relation, strength) VALUES (?, ?, ?, 'conflicts', 1.0)"
    after = int(connection.execute("SELECT json_extract(after, '$.edges') FROM run_states").get)
    kept = connection.execute("SELECT id FROM edges WHERE source_id <> ?1 AND target_id <> ?1", (merged,)).fetchall()
    assert kept
    connection.execute("DELETE FROM edges WHERE id = ?", (after,))
    connection.execute(edge, (after, other, merged))
    told = {fact.names[0]: fact for fact in fetch_told(connection, [*parts, other])}
    assert merged not in told[other].supersedes
    connection.execute("DELETE FROM edges WHERE id = ?", (after,))
    connection.execute(edge, (after + 1, other, merged))
    told = {fact.names[0]: fact for fact in fetch_told(connection, [*parts, other])}
    assert merged in told[other].supersedes
    facts = list(told.values())
    for place, fact in enumerate(facts):
        assert facts[newest_version(facts, place)].id == other
        assert fact.id in (merged, other)
        assert set(told[parts[0]].names) == {parts[0], merged}


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
        assert recall.search(questions[0].question, k=FACTS, filters=Filters(until="1900-01-01")).facts == ()


def test_an_answer_hands_a_claim_over_once(copy: Store, questions: list[LabelledQuestion]) -> None:
    compress_memory(copy.connection, 0.7, Limits())
    recall = copy.recall()
    for label in questions[:20]:
        support = [fact.claim_id for fact in recall.ask(label.question, k=6).facts if fact.role == "support"]
        assert len(support) == len(set(support))


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-3, 3)), min_size=1, max_size=20))
def test_every_place_is_handed_over_once_no_later_than_its_rank(places: list[tuple[int, float]]) -> None:
    claims, scores = np.array([claim for claim, _ in places], np.int64), np.array([score for _, score in places])
    order = np.argsort(-scores, kind="stable")
    handed = hand_over(order, scores, claims, len(places))
    assert sorted(place for one in handed for place in one) == list(range(len(places)))
    first = [one[0] for one in handed]
    assert first == [place for place in order if place in first]
    for one in handed:
        assert {claims[place] for place in one} == {claims[one[0]]}
        assert all(scores[one[0]] >= scores[place] >= scores[one[0]] - MARGIN for place in one)
    assert hand_over(order, scores, claims, 2) == handed[:2]


def test_what_is_shown_of_merged_claims_is_what_their_whole_records_say(copy: Store) -> None:
    compress_memory(copy.connection, 0.6, Limits())
    told = [row[0] for row in copy.connection.execute("SELECT archived_id FROM lineage ORDER BY 1")]
    conflicting = copy.connection.execute(
        "SELECT min(absorber_id), max(absorber_id) FROM lineage WHERE archived_id IN (?, ?)", (told[0], told[-1])
    ).fetchone()
    copy.connection.execute("INSERT INTO edges (source_id, target_id, relation, strength) VALUES (?, ?, 'conflicts', 1.0)", conflicting)
    parts = {part.id: part for part in fetch_told(copy.connection, told)}
    shown = fetch_shown(copy.connection, parts)
    whole = fetch_facts(copy.connection, list(parts))
    assert [fact.id for fact in whole] == list(shown)
    assert any(fact.supersedes for fact in whole)
    for fact in whole:
        one = shown[fact.id]
        for name in ("text", "kind", "subject", "supersedes", "conflicts_with"):
            assert getattr(one, name) == getattr(fact, name)
        assert one.evidence == parts[fact.id].evidence


def test_words_and_messages_stay_in_the_indexes(copy: Store) -> None:
    def held() -> list[Any]:
        words = list(copy.connection.execute(f"SELECT term, doc, offset FROM {vocabulary(copy.connection, 'span')} ORDER BY 1, 2, 3"))
        return [words, *(vectors.tolist() for vectors in load_vectors(copy.connection, "message"))]

    before = held()
    spans = len(load_vectors(copy.connection, "span")[0])
    compress_memory(copy.connection, 0.5, Limits())
    assert held() == before
    assert len(load_vectors(copy.connection, "span")[0]) < spans


def test_what_is_unpacked_of_a_large_memory_is_scored_as_in_the_whole(
    copy: Store, questions: list[LabelledQuestion], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "PACK_CHARACTERS", 1536)
    compress_memory(copy.connection, 0.5, Limits())
    of_all = reach.Reach(copy.connection)
    of_some = reach.Reach(copy.connection)
    speakers = of_all.everything.speakers
    embedder = copy.embedder
    for label in questions[:12]:
        query = read_query(label.question, speakers)
        vector = embedder.encode([query.text])[0]
        monkeypatch.setattr(reach, "WHOLE_SPANS", 32_768)
        whole, expected = of_all.routes(query, vector, None)
        monkeypatch.setattr(reach, "WHOLE_SPANS", 0)
        monkeypatch.setattr(reach, "SEARCHED_SPANS", len(whole.snapshot.span_ids) // 3)
        view, routes = of_some.routes(query, vector, None)
        assert not view.whole
        spans = np.flatnonzero(np.isin(whole.snapshot.span_ids, view.snapshot.span_ids))
        assert 0 < len(spans) < len(whole.snapshot.span_ids) // 2
        messages = np.unique(view.snapshot.span_message)
        assert np.array_equal(whole.snapshot.span_message[spans], view.snapshot.span_message)
        for name in ("span_vector", "span_words"):
            np.testing.assert_allclose(getattr(routes, name), getattr(expected, name)[spans], atol=1e-6, err_msg=name)
        for name in ("message_words", "window_words", "session_words", "context_vector", "held", "held_around", "best_words", "length"):
            np.testing.assert_allclose(getattr(routes, name), getattr(expected, name), atol=1e-6, err_msg=name)
        np.testing.assert_allclose(routes.best_vector[messages], expected.best_vector[messages], atol=1e-6)
        # What is not unpacked is estimated; it serves averages and what surrounds a message.
        assert np.corrcoef(routes.best_vector, expected.best_vector)[0, 1] > 0.7
        assert np.corrcoef(routes.window_vector, expected.window_vector)[0, 1] > 0.7


@st.composite
def _stretches(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The session of each message, and which messages are unpacked, at least one."""
    sessions = sorted(draw(st.lists(st.integers(0, 3), min_size=1, max_size=24)))
    unpacked = draw(st.lists(st.booleans(), min_size=len(sessions), max_size=len(sessions)).filter(any))
    return np.array(sessions, np.int64), np.array(unpacked)


@given(_stretches())
def test_the_surroundings_of_what_is_unpacked_are_those_of_the_whole_as_far_as_they_are_unpacked(
    stretches: tuple[NDArray[np.int64], NDArray[np.bool_]],
) -> None:
    session, unpacked = stretches
    rng = np.random.default_rng(len(session))
    totals, contexts = (rng.normal(size=(len(session), 5)).astype(np.float32) for _ in range(2))
    messages = np.flatnonzero(unpacked)
    found = windows_of(totals[messages], messages, unit(contexts), session)
    mixed = np.where(unpacked[:, None], unit(totals), unit(contexts))
    for row, message in zip(found, messages.tolist(), strict=True):
        near = [i for i in range(max(0, message - 2), min(len(session), message + 3)) if session[i] == session[message]]
        expected = mixed[near].sum(axis=0)
        np.testing.assert_allclose(row, expected / np.linalg.norm(expected), atol=1e-5)


@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=12),
    st.floats(0, 2),
    st.floats(-1, 1),
    st.sets(st.integers(0, 11)),
)
def test_an_estimate_goes_through_what_is_known(known: list[float], slope: float, base: float, picked: set[int]) -> None:
    x = np.array(known)
    places = np.array(sorted(i for i in picked if i < len(x)), np.int64)
    line = base + slope * x
    out = estimated(x, places, line[places])
    np.testing.assert_array_equal(out[places], line[places])
    if len(places) and x[places].std() > 1e-3:
        np.testing.assert_allclose(out, line, atol=1e-4)


def as_earlier_versions_packed(connection: apsw.Connection) -> None:
    """Take the words of packed messages, and their own vectors, out of the indexes."""
    ids, matrix = load_vectors(connection, "message")
    pack_of = packs.packs_of_messages(connection)
    pack = np.array([pack_of.get(message, 0) for message in ids.tolist()])
    for one in set(pack_of.values()):
        block = (one, ids[pack == one].tobytes(), encode(matrix[pack == one]))
        connection.execute("INSERT INTO packed_vectors VALUES (?, 'message', ?, ?)", block)
    delete_vectors(connection, "message", list(pack_of))
    spans = connection.execute("SELECT s.id FROM spans s JOIN messages m ON m.id = s.message_id WHERE m.pack_id IS NOT NULL").fetchall()
    delete_views(connection, "span", [int(str(row[0])) for row in spans])
    connection.execute("PRAGMA user_version = 8")


@pytest.mark.parametrize("spans", [reach.WHOLE_SPANS, 0])
def test_a_memory_that_an_earlier_version_compressed_is_read_and_restored(
    whole: Path, tmp_path: Path, open_store: OpenStore, questions: list[LabelledQuestion], monkeypatch: pytest.MonkeyPatch, spans: int
) -> None:
    path = tmp_path / "earlier.memdb"
    path.write_bytes(whole.read_bytes())
    monkeypatch.setattr(packs, "PACK_CHARACTERS", 1536)
    monkeypatch.setattr(reach, "WHOLE_SPANS", spans)
    monkeypatch.setattr(reach, "SEARCHED_SPANS", 64)
    with open_store(path) as store:
        before = plain(found(store.recall(), questions[:8]))
        compress_memory(store.connection, 0.5, Limits())
        expected = plain(found(store.recall(), questions[:8]))
        as_earlier_versions_packed(store.connection)
    with open_store(path) as store:
        assert plain(found(store.recall(), questions[:8])) == expected
        assert verify(store.connection, path, digest_of=message_digest).problems == ()
        restore_memory(store.connection, None)
        assert plain(found(store.recall(), questions[:8])) == before
        assert verify(store.connection, path, digest_of=message_digest).problems == ()
