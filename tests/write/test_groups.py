"""Groups: every claim in exactly one of at most twelve, f never falls, and what is decided does not depend on where batches end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memcli.store.connection import connect, transaction
from memcli.store.groups import Term
from memcli.store.vectors import create_vector_tables, delete_vectors, insert_vectors
from memcli.write import groups as groups_module
from memcli.write import neighbours
from memcli.write.groups import ATTACH, Groups, rebuild
from memcli.write.labels import group_label
from memcli.write.links import LINKS
from memcli.write.members import MAX_GROUP
from memcli.write.partition import HISTOGRAM_BINS, Around, Part, Spread, best_merge, best_split, evaluate, histogram_bin, objective, spread

DIMENSION = 160
Floats = NDArray[np.float32]
TABLES = ("groups", "group_members", "group_neighbours", "claim_neighbours", "group_index", "group_cells")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = new_memory(tmp_path / "m.memdb")
    yield connection
    connection.close()


def new_memory(path: Path) -> apsw.Connection:
    connection = connect(path)
    create_vector_tables(connection, DIMENSION)
    run = connection.execute
    run("INSERT INTO conversations VALUES (1, 'pottery'); INSERT INTO pages VALUES (1, 1, NULL)")
    run("INSERT INTO referents (id, kind, name) VALUES (1, 'person', 'Ada')")
    run(
        "INSERT INTO messages (id, conversation_id, page_id, position, external_id, speaker, role, text, length, digest)"
        " VALUES (1, 1, 1, 0, 'a', 'Ada', 'user', 'Clay.', 5, zeroblob(16))"
    )
    run("INSERT INTO spans VALUES (1, 1, 0, 5, 'sentence', 1)")
    return connection


def store_claim(connection: apsw.Connection, claim: int, vector: Floats) -> None:
    connection.execute(
        "INSERT INTO claims (id, page_id, text, kind, speaker_id, anchor_span_id) VALUES (?, 1, 'Ada likes clay.', 'fact', 1, 1)", (claim,)
    )
    connection.execute("INSERT INTO claim_supports VALUES (?, 1, 0)", (claim,))
    insert_vectors(connection, "claim", [(claim, vector)])


def clustered(count: int, *, seed: int = 1, subjects: int = 12, spread: float = 0.8) -> Floats:
    """Unit vectors around random directions; `spread` is the noise's length beside the direction's."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(subjects, DIMENSION)) / math.sqrt(DIMENSION)
    vectors = centres[rng.integers(subjects, size=count)] + spread * rng.normal(size=(count, DIMENSION)) / math.sqrt(DIMENSION)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def fill(connection: apsw.Connection, vectors: Floats, *, batch: int = 10_000, resume: bool = False) -> Groups:
    """Add vectors as claims 1, 2, ...; after each batch go on with what is in memory, or (`resume`) with what is in the file."""
    groups = Groups(connection)
    for start in range(0, len(vectors), batch):
        with transaction(connection):
            for claim, vector in enumerate(vectors[start : start + batch], start + 1):
                groups.add(claim, vector)
                store_claim(connection, claim, vector)
            groups.flush()
        if resume:
            groups = Groups(connection)
    return groups


def dump(connection: apsw.Connection) -> dict[str, list[tuple[object, ...]]]:
    return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall()) for table in TABLES}


def check_laws(connection: apsw.Connection, claims: dict[int, Floats]) -> None:
    members = dict(connection.execute("SELECT claim_id, group_id FROM group_members").fetchall())
    assert set(members) == set(claims)
    sizes = dict(connection.execute("SELECT group_id, count(*) FROM group_members GROUP BY 1").fetchall())
    assert max(sizes.values(), default=0) <= MAX_GROUP
    centroids = {g: np.frombuffer(c, np.float32) for g, c in connection.execute("SELECT id, centroid FROM groups")}
    assert set(centroids) == set(sizes)
    for group, centroid in centroids.items():
        mean = np.sum([claims[c] for c, g in members.items() if g == group], axis=0)
        np.testing.assert_allclose(centroid, mean / np.linalg.norm(mean), atol=2e-4)
    links: dict[int, list[float]] = {g: [] for g in centroids}
    for group, other, similarity in connection.execute("SELECT * FROM group_neighbours"):
        assert other in centroids
        links[group].append(similarity)
    assert max(map(len, links.values()), default=0) <= LINKS
    counted = np.zeros(HISTOGRAM_BINS, np.int64)
    for similarities in links.values():
        if similarities:
            counted[histogram_bin(max(similarities))] += 1
    stored = connection.execute("SELECT histogram FROM group_index").fetchone()
    if stored:
        np.testing.assert_array_equal(np.frombuffer(stored[0], np.int64), counted)
    in_cells = [g for (ids,) in connection.execute("SELECT group_ids FROM group_cells") for g in np.frombuffer(ids, np.int64).tolist()]
    assert sorted(in_cells) == sorted(centroids)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


# The objective ----------------------------------------------------------------------------------------------------------


def test_f_is_what_the_formula_says() -> None:
    usual = Spread(0.5, 0.1)
    # N = 4, K = 2, sum n^2 = 10: 16 / 20; then (0.8 * g(0.5) + 1.0 * g(0.6)) / 2.
    assert objective([3, 1], [0.8, 1.0], [0.5, 0.6], usual) == pytest.approx(0.8 + (0.8 + math.exp(-0.5)) / 2)


def test_f_prefers_equal_sizes_tight_groups_and_the_usual_distance() -> None:
    usual = Spread(0.5, 0.1)
    best = objective([4, 4], [0.9, 0.9], [0.5, 0.5], usual)
    assert best > objective([7, 1], [0.9, 0.9], [0.5, 0.5], usual)
    assert best > objective([4, 4], [0.9, 0.6], [0.5, 0.5], usual)
    assert best > objective([4, 4], [0.9, 0.9], [0.5, 0.9], usual)


@given(st.lists(st.floats(0, 0.999), min_size=1, max_size=60))
def test_the_spread_is_the_median_and_the_median_distance_to_it(values: list[float]) -> None:
    histogram = np.zeros(HISTOGRAM_BINS, np.int64)
    for value in values:
        histogram[histogram_bin(value)] += 1
    found = spread(histogram)
    m = float(np.percentile(values, 50, method="inverted_cdf"))
    sigma = float(np.percentile(np.abs(np.array(values) - found.m), 50, method="inverted_cdf"))
    assert found.m == pytest.approx(m, abs=1.01 / HISTOGRAM_BINS)
    assert found.sigma == pytest.approx(sigma + 0.02, abs=2.01 / HISTOGRAM_BINS)


@st.composite
def neighbourhoods(draw: st.DrawFn) -> tuple[Floats, Around, Spread]:
    vectors = clustered(40, seed=draw(st.integers(0, 10_000)), subjects=draw(st.integers(1, 6)), spread=draw(st.floats(0.1, 1.5)))
    size = draw(st.integers(2, 13))
    count = draw(st.integers(0, 10))
    around = Around(
        draw(st.lists(st.integers(1, 12), min_size=count, max_size=count)),
        draw(st.lists(st.floats(0.5, 1), min_size=count, max_size=count)),
        draw(st.lists(st.floats(0, 0.9), min_size=count, max_size=count)),
        vectors[20 : 20 + count],
    )
    return vectors[:size], around, Spread(draw(st.floats(0.1, 0.9)), draw(st.floats(0.02, 0.3)))


def part(members: Floats) -> Part:
    return Part(len(members), members.sum(axis=0))


@given(neighbourhoods())
@settings(deadline=None, max_examples=60)
def test_a_split_keeps_every_member_and_raises_f(case: tuple[Floats, Around, Spread]) -> None:
    members, around, usual = case
    change = best_split(members, around, usual)
    if change is None:
        return
    assert sorted(i for cut in change.parts for i in cut) == list(range(len(members)))
    before = evaluate([part(members)], around, usual)
    after = evaluate([part(members[list(cut)]) for cut in change.parts], around, usual)
    assert (before, after) == (change.before, change.after)
    assert after > before


@given(neighbourhoods(), st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_a_merge_raises_f(case: tuple[Floats, Around, Spread], cut: int) -> None:
    members, around, usual = case
    left, right = part(members[: min(cut, len(members) - 1)]), part(members[min(cut, len(members) - 1) :])
    change = best_merge(left, right, around, usual)
    before = evaluate([left, right], around, usual)
    after = evaluate([part(members)], around, usual)
    assert (change is not None) == (after > before) or after == pytest.approx(before, abs=1e-5)
    if change is not None:
        assert change.after > change.before


# Claims come and go -------------------------------------------------------------------------------------------------------


def test_like_claims_share_a_group_and_unlike_ones_do_not(memory: apsw.Connection) -> None:
    vectors = clustered(40, subjects=4, spread=0.3)
    fill(memory, vectors)
    members = dict(memory.execute("SELECT claim_id, group_id FROM group_members").fetchall())
    cosines = vectors @ vectors.T
    together = [cosines[a - 1, b - 1] for a in members for b in members if a < b and members[a] == members[b]]
    assert len(together) > 100
    assert min(together) > ATTACH


@given(st.integers(0, 1000), st.integers(1, 8), st.floats(0.1, 1.4), st.lists(st.sampled_from("aaaaarm"), min_size=5, max_size=80))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_laws_hold_whatever_is_added_replaced_and_removed(
    tmp_path_factory: pytest.TempPathFactory, seed: int, subjects: int, noise: float, steps: list[str]
) -> None:
    connection = new_memory(tmp_path_factory.mktemp("laws") / "m.memdb")
    rng = np.random.default_rng(seed)
    vectors = iter(clustered(len(steps), seed=seed, subjects=subjects, spread=noise))
    claims: dict[int, Floats] = {}
    groups = Groups(connection)
    changes = []
    for number, step in enumerate(steps, 1):
        with transaction(connection):
            chosen = int(rng.choice(list(claims))) if claims else 0
            vector = next(vectors)
            if step == "a" or not claims:
                groups.add(number, vector)
                store_claim(connection, number, vector)
                claims[number] = vector
            elif step == "r":
                groups.replace(chosen, vector)
                delete_vectors(connection, "claim", [chosen])
                insert_vectors(connection, "claim", [(chosen, vector)])
                claims[chosen] = vector
            else:
                groups.remove(chosen)
                delete_vectors(connection, "claim", [chosen])
                del claims[chosen]
            changes += groups.changes
            groups.flush()
        if number % 7 == 0:
            groups = Groups(connection)
    check_laws(connection, claims)
    assert all(change.after > change.before for change in changes)
    connection.close()


@pytest.fixture
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells from 40 groups on, so that a test reaches them."""
    monkeypatch.setattr(neighbours, "EXACT_GROUPS", 40)
    monkeypatch.setattr(neighbours, "CELL_GROUPS", 8)
    monkeypatch.setattr(neighbours, "PROBED_CELLS", 4)
    monkeypatch.setattr(groups_module, "PROBED_GROUPS", 24)


@pytest.mark.usefixtures("small_cells")
def test_a_run_that_stops_and_goes_on_decides_as_one_that_does_not(tmp_path: Path) -> None:
    vectors = clustered(600, subjects=70, spread=0.9)
    dumps = []
    for batch, resume in ((600, False), (37, True), (100, False)):
        connection = new_memory(tmp_path / f"{batch}-{resume}.memdb")
        groups = fill(connection, vectors, batch=batch, resume=resume)
        assert groups._index.partial
        dumps.append(dump(connection))
        connection.close()
    assert all(other == dumps[0] for other in dumps[1:])
    assert len(dumps[0]["group_cells"]) > 4


@pytest.mark.usefixtures("small_cells")
def test_laws_hold_with_cells(memory: apsw.Connection) -> None:
    vectors = clustered(500, subjects=60, spread=0.9)
    fill(memory, vectors, batch=120, resume=True)
    check_laws(memory, dict(enumerate(vectors, 1)))


def test_replacing_and_removing_do_not_depend_on_batches_either(tmp_path: Path) -> None:
    vectors = clustered(120, subjects=9, spread=0.7)
    dumps = []
    for every in (1, 7, 1000):
        connection = new_memory(tmp_path / f"{every}.memdb")
        connection.execute("BEGIN")
        groups = Groups(connection)
        for claim, vector in enumerate(vectors[:100], 1):
            groups.add(claim, vector)
            store_claim(connection, claim, vector)
            if claim % 9 == 0:
                groups.replace(claim - 4, vectors[100 + claim // 9])
                delete_vectors(connection, "claim", [claim - 4])
                insert_vectors(connection, "claim", [(claim - 4, vectors[100 + claim // 9])])
            if claim % every == 0:
                groups.flush()
                groups = Groups(connection)
        groups.flush()
        connection.execute("COMMIT")
        dumps.append(dump(connection))
        connection.close()
    assert dumps[0] == dumps[1] == dumps[2]


def test_rebuilding_gives_what_adding_in_order_gave(memory: apsw.Connection) -> None:
    fill(memory, clustered(200), batch=64)
    before = dump(memory)
    with transaction(memory):
        memory.execute("DELETE FROM group_neighbours; UPDATE group_members SET group_id = (SELECT min(id) FROM groups) WHERE claim_id = 9")
    with transaction(memory):
        rebuild(memory)
    assert dump(memory) == before


def test_a_new_object_after_a_rollback_knows_nothing_of_it(memory: apsw.Connection) -> None:
    vectors = clustered(60)
    fill(memory, vectors[:30])
    before = dump(memory)

    def fail() -> None:
        groups = Groups(memory)
        with transaction(memory):
            groups.add(31, vectors[30])
            store_claim(memory, 31, vectors[30])
            groups.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert dump(memory) == before
    assert len(Groups(memory).nearest_claims(vectors[30], 100)) == 30


# Searching ----------------------------------------------------------------------------------------------------------------


def true_nearest(vectors: Floats, query: Floats, k: int) -> list[int]:
    return [int(i) + 1 for i in np.argsort(-(vectors @ query), kind="stable")[:k]]


def test_an_empty_memory_has_no_nearest_claims(memory: apsw.Connection) -> None:
    assert Groups(memory).nearest_claims(clustered(1)[0], 5) == []


def test_while_there_are_few_groups_the_nearest_claims_are_exact(memory: apsw.Connection) -> None:
    vectors = clustered(150)
    groups = fill(memory, vectors)
    for query in clustered(10, seed=1, subjects=12)[5:]:
        found = groups.nearest_claims(query, 10)
        assert [claim for claim, _ in found] == true_nearest(vectors, query, 10)
        assert [cosine for _, cosine in found] == pytest.approx([float(vectors[c - 1] @ query) for c, _ in found], abs=1e-4)


@pytest.mark.usefixtures("small_cells")
def test_through_cells_most_of_the_nearest_claims_are_found(memory: apsw.Connection) -> None:
    vectors = clustered(900, subjects=90, spread=0.9)
    groups = fill(memory, vectors)
    hits = [
        len({claim for claim, _ in groups.nearest_claims(query, 10)} & set(true_nearest(vectors, query, 10))) / 10 for query in vectors[::9]
    ]
    assert np.mean(hits) > 0.9


@pytest.mark.usefixtures("small_cells")
def test_a_claim_said_twice_is_found_at_once(memory: apsw.Connection) -> None:
    vectors = clustered(500, subjects=60, spread=0.9)
    groups = fill(memory, vectors)
    first = [groups.nearest_claims(vector, 1)[0][0] for vector in vectors]
    assert np.mean(np.array(first) == np.arange(1, 501)) > 0.99


def test_claims_are_linked_to_the_nearest_earlier_ones(memory: apsw.Connection) -> None:
    vectors = clustered(80)
    fill(memory, vectors)
    linked = {row[0] for row in memory.execute("SELECT neighbour_id FROM claim_neighbours WHERE claim_id = 80")}
    assert linked == set(true_nearest(vectors[:79], vectors[79], LINKS))


# Labels -------------------------------------------------------------------------------------------------------------------


def terms(*claims: str) -> list[Term]:
    """Terms of claims 1, 2, ..., comma-separated; those that start with a capital are names."""
    return [Term(number, text.strip(), text.strip()[0].isupper()) for number, line in enumerate(claims, 1) for text in line.split(",")]


@pytest.mark.parametrize(
    ("claims", "label"),
    [
        (("kiln, glaze", "kilns, week", "made, kiln"), "kiln"),
        (("Olomouc, train", "Olomouc, ticket", "train ticket"), "Olomouc · train ticket"),
        (("made, quince jam", "took, jam", "time"), "jam"),
        (("made, week",), "made"),
        (("陶器, 窑", "陶器"), "陶器"),
        ((), ""),
    ],
)
def test_a_label_says_what_the_members_share(claims: tuple[str, ...], label: str) -> None:
    assert group_label(terms(*claims)) == label


@given(st.permutations(terms("kiln, glaze, Ateliér Nord", "kilns, week", "clay, glaze", "Ateliér Nord")))
def test_a_label_does_not_depend_on_the_order_of_terms(shuffled: list[Term]) -> None:
    assert group_label(shuffled) == group_label(sorted(shuffled, key=lambda t: (t.claim_id, t.text)))


def test_a_group_is_labelled_with_its_members_keywords_when_flushed(memory: apsw.Connection) -> None:
    vectors = clustered(6, subjects=1, spread=0.3)
    fill(memory, vectors)
    with transaction(memory):
        memory.execute("INSERT INTO keywords VALUES (1, 'kiln', 1); INSERT INTO claim_keywords VALUES (1, 1), (1, 2)")
        groups = Groups(memory)
        groups.touch(1)
        groups.flush()
    assert memory.execute("SELECT label FROM groups g JOIN group_members m ON m.group_id = g.id WHERE claim_id = 1").get == "kiln"
