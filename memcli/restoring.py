"""Undoing a compression.

    what was put by, if it still fits -> later supports and links to the claims they belong to -> merged claims out, what they absorbed back
        -> packs into messages, vectors into the indexes -> groups as they were, or with what came back -> commit -> tidy

A run is one transaction, as `memcli.compression` made it: killed at any moment, the file is as before or as after.
"""

from __future__ import annotations

import apsw
import numpy as np
from numpy.typing import NDArray

from memcli.compression import Clock, Progress, extent, means, untidy
from memcli.errors import NotFoundError, UsageError
from memcli.regroup import centroids_of
from memcli.results import Compression
from memcli.store import archive, compress, packed_vectors, packs, tidy, undo, vectors
from memcli.store.connection import transaction
from memcli.store.search import delete_views, insert_views
from memcli.write.groups import Groups


def restore_memory(connection: apsw.Connection, run: int | None, *, progress: Progress | None = None) -> Compression:
    """Undo a run: the last that stands, or that of this number, if none after it stands.

    Raises:
        NotFoundError: no such run, or none that stands.
        UsageError: it is undone already, or a later one stands.
    """
    report = progress or (lambda _stage, _done, _total: None)
    clock = Clock()
    with transaction(connection):
        row = compress.run_row(connection, run)
        if row is None:
            raise NotFoundError(
                "nothing to restore: this memory is not compressed" if run is None else f"run {run}: no such run; mem status counts them"
            )
        if row.undone:
            raise UsageError(f"run {row.id} is undone already")
        if later := compress.later_runs(connection, row.id):
            raise UsageError(f"run {later[-1]} came after run {row.id}: undo it first, mem restore {later[-1]}")
        before = extent(connection)
        report("restore", 0, None)
        state = undo.state_before(connection, row.id)
        _undo(connection, row.id, state)
        clock.lap("write")
    tidied = tidy.tidy(connection)
    clock.lap("tidy")
    after = extent(connection)
    merges = after.claims - before.claims
    outcome = Compression(row.id, row.ratio, merges / max(after.claims, 1), before, after, merges, {}, {}, seconds=clock.seconds)
    return outcome if tidied else untidy(outcome)


def undo_standing(connection: apsw.Connection) -> list[tuple[int, float]]:
    """Undo every run that stands, within a transaction of the caller's; returns their numbers and ratios, the last first."""
    undone = []
    while (row := compress.run_row(connection, None)) is not None:
        _undo(connection, row.id, undo.state_before(connection, row.id))
        undone.append((row.id, row.ratio))
    return undone


def _undo(connection: apsw.Connection, run: int, state: bytes | None) -> None:
    """Undo a run, within a transaction; `state` is what was put by, None if it does not fit what has been written since."""
    groups = Groups(connection) if state is None and connection.execute("SELECT 1 FROM groups").fetchone() else None
    undo.hand_on(connection, run)
    absorbers = sorted({absorber for _, absorber in compress.lineage(connection, run)})
    for claim in absorbers if groups else ():
        groups.remove(claim)  # type: ignore[union-attr]
    if groups:
        groups.flush()
    gone, back = undo.undo_merges(connection, run)
    packs.unpack_run(connection, run)
    for family in packed_vectors.FAMILIES:
        blocks = list(packed_vectors.blocks_of(connection, family, run))
        if blocks:
            ids, matrix = vectors.load_vectors(connection, family)
            _put(connection, family, ids, matrix, np.concatenate([b[0] for b in blocks]), np.concatenate([b[1] for b in blocks]))
    packs.delete_packs(connection, run)
    delete_views(connection, "claim", gone)
    insert_views(connection, "claim", compress.views(connection, back))
    fresh = means(connection, back)
    ids, matrix = vectors.load_vectors(connection, "claim")
    kept = ~np.isin(ids, gone)
    _put(connection, "claim", ids[kept], matrix[kept], np.array(back, np.int64), fresh)
    if groups:
        groups = Groups(connection)
        for claim, vector in zip(back, fresh, strict=True):
            groups.add(claim, vector)
        groups.flush()
    elif state is not None:
        archive.restore_state(connection, state)
        archive.save_centroids(
            connection, centroids_of(connection, archive.group_members(connection), *vectors.load_vectors(connection, "claim"))
        )
    undo.close_run(connection, run)


def _put(
    connection: apsw.Connection,
    family: vectors.Family,
    ids: NDArray[np.int64],
    matrix: NDArray[np.float32],
    new_ids: NDArray[np.int64],
    new: NDArray[np.float32],
) -> None:
    """Make a family's vectors anew: those there are, and new ones among them."""
    every = np.concatenate([ids, new_ids])
    order = np.argsort(every, kind="stable")
    rows = np.concatenate([matrix, new]) if len(ids) else new
    vectors.replace_vectors(connection, family, every[order], rows[order])
