"""Vectors: what goes in comes out, in the order asked for."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from memcli.store.connection import connect
from memcli.store.vectors import create_vector_tables, delete_vectors, fetch_vectors, has_vector_tables, insert_vectors, load_vectors


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = connect(tmp_path / "v.memdb")
    yield connection
    connection.close()


def rows(ids: list[int], dimension: int = 8) -> dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]]:
    rng = np.random.default_rng(len(ids))
    return {i: (v := rng.normal(size=dimension).astype(np.float32)) / np.linalg.norm(v) for i in ids}


def test_a_new_file_holds_no_vectors(empty: apsw.Connection) -> None:
    assert not has_vector_tables(empty)
    create_vector_tables(empty, 8)
    create_vector_tables(empty, 8)
    assert has_vector_tables(empty)
    ids, matrix = load_vectors(empty, "span")
    assert (len(ids), matrix.size) == (0, 0)


@pytest.mark.parametrize("family", ["span", "claim"])
@pytest.mark.parametrize("count", [1, 255, 256, 257, 700])
def test_vectors_come_back_as_they_went_in_ascending_by_id(empty: apsw.Connection, family: str, count: int) -> None:
    create_vector_tables(empty, 8)
    wanted = rows([int(i) for i in np.random.default_rng(1).permutation(count) * 5 + 3])
    insert_vectors(empty, family, wanted.items())  # type: ignore[arg-type]
    ids, matrix = load_vectors(empty, family)  # type: ignore[arg-type]
    assert list(ids) == sorted(wanted)
    assert (matrix.dtype, matrix.shape) == (np.float32, (count, 8))
    np.testing.assert_array_equal(matrix, np.stack([wanted[int(i)] for i in ids]))


def test_loading_takes_little_more_memory_than_the_matrix(empty: apsw.Connection) -> None:
    create_vector_tables(empty, 256)
    insert_vectors(empty, "span", rows(list(range(1, 3001)), 256).items())
    tracemalloc.start()
    _, matrix = load_vectors(empty, "span")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * matrix.nbytes


def test_vectors_are_fetched_in_the_order_asked_for(empty: apsw.Connection) -> None:
    create_vector_tables(empty, 8)
    wanted = rows([1, 2, 3])
    insert_vectors(empty, "span", wanted.items())
    np.testing.assert_array_equal(fetch_vectors(empty, "span", [3, 1, 3]), np.stack([wanted[3], wanted[1], wanted[3]]))
    assert fetch_vectors(empty, "span", []).size == 0
    with pytest.raises(KeyError):
        fetch_vectors(empty, "span", [1, 4])


def test_deleted_vectors_are_gone_and_their_ids_free(empty: apsw.Connection) -> None:
    create_vector_tables(empty, 8)
    wanted = rows(list(range(1, 301)))
    insert_vectors(empty, "claim", wanted.items())
    delete_vectors(empty, "claim", range(1, 300, 2))
    ids, matrix = load_vectors(empty, "claim")
    assert list(ids) == list(range(2, 301, 2))
    np.testing.assert_array_equal(matrix, np.stack([wanted[int(i)] for i in ids]))
    insert_vectors(empty, "claim", [(1, wanted[1])])
    ids, matrix = load_vectors(empty, "claim")
    assert ids[0] == 1
    np.testing.assert_array_equal(matrix[0], wanted[1])


def test_other_types_and_strides_are_stored_as_float32(empty: apsw.Connection) -> None:
    create_vector_tables(empty, 4)
    insert_vectors(empty, "span", [(1, np.arange(8, dtype=np.float64)[::2])])  # type: ignore[list-item]
    np.testing.assert_array_equal(fetch_vectors(empty, "span", [1])[0], [0, 2, 4, 6])


def test_a_vector_of_another_dimension_is_refused(empty: apsw.Connection) -> None:
    create_vector_tables(empty, 4)
    with pytest.raises(apsw.Error):
        insert_vectors(empty, "span", [(1, np.zeros(5, np.float32))])


def test_vectors_belong_to_the_transaction(empty: apsw.Connection) -> None:
    create_vector_tables(empty, 4)
    empty.execute("BEGIN")
    insert_vectors(empty, "span", [(1, np.ones(4, np.float32))])
    empty.execute("ROLLBACK")
    assert len(load_vectors(empty, "span")[0]) == 0
