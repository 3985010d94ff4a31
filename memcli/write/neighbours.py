"""Finding the groups nearest to a vector at a cost that stays flat: exact while there are few, then through cells.

While a memory has few groups they all lie in one cell and every centroid is looked at. Past `EXACT_GROUPS` the centroids are projected onto
the axes along which they vary most, and lie in cells of at most `CELL_GROUPS`; a search looks into the `PROBED_CELLS` nearest ones. A
cell that overflows is cut in two. What is found depends on the cells and on their order alone, which the file keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memcli.write.rows import product

EXACT_GROUPS = 2048
"""Up to so many groups every centroid is looked at: 3 MB of float32[384], which takes no longer than probing cells does later."""

PROJECTED = 128
"""Axes that centroids are compared along once there are cells: they hold nine tenths of the variance of sentence embeddings."""

CELL_GROUPS = 256
PROBED_CELLS = 16
"""Cells hold 170 groups on average; so a search compares some 2,700 of them."""

_CUT_ROUNDS = 4

Floats = NDArray[np.float32]


@dataclass(slots=True)
class Cell:
    """A stretch of vector space: its centre, and its groups with their projected centroids; rows past `count` are spare."""

    centre: Floats
    ids: NDArray[np.int64]
    rows: Floats
    count: int
    changed: bool = True

    def append(self, group: int, row: Floats) -> int:
        """Add a group; returns its place."""
        if self.count == len(self.ids):
            spare = max(16, len(self.ids))
            self.ids = np.concatenate([self.ids, np.zeros(spare, np.int64)])
            self.rows = np.concatenate([self.rows, np.zeros((spare, len(row)), np.float32)])
        self.ids[self.count], self.rows[self.count] = group, row
        self.count += 1
        self.changed = True
        return self.count - 1


def _empty_cell(centre: Floats) -> Cell:
    return Cell(centre, np.zeros(16, np.int64), np.zeros((16, len(centre)), np.float32), 0)


@dataclass(slots=True)
class CellIndex:
    """All groups by their centroids. `basis` has shape (dimension, PROJECTED) once there are cells, and is None before."""

    basis: Floats | None = None
    cells: list[Cell] = field(default_factory=list)
    _places: dict[int, tuple[int, int]] = field(default_factory=dict)
    _centres: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._places)

    def project(self, vector: Floats) -> Floats:
        """What centroids are compared by: the vector itself, or its coordinates along the basis. Shape (PROJECTED,) or (dimension,)."""
        return vector if self.basis is None else vector @ self.basis

    def load(self, cells: Iterable[tuple[Floats, NDArray[np.int64]]], centroids: Mapping[int, Floats]) -> None:
        """Take the cells up as the file keeps them: centre and groups of each, and every group's centroid, shape (dimension,)."""
        for centre, groups in cells:
            cell = _empty_cell(centre)
            for group in groups.tolist():
                self._places[group] = (len(self.cells), cell.append(group, self.project(centroids[group])))
            cell.changed = False
            self.cells.append(cell)
        if self.cells:
            self._stack()

    @property
    def partial(self) -> bool:
        """Whether a search leaves cells out."""
        return len(self.cells) > PROBED_CELLS

    def nearest(self, vector: Floats, count: int) -> tuple[NDArray[np.int64], Floats]:
        """The groups whose centroids are nearest to `vector`, shape (dimension,), as far as the probed cells hold them.

        Returns:
            ids of at most `count` groups, ascending, and the (projected) similarity of each, float32.
        """
        if not self.cells:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        projected = self.project(vector)
        if not self.partial:
            probed = self.cells
        else:
            near = np.argpartition(-(self._centres @ projected), PROBED_CELLS)[:PROBED_CELLS]
            near.sort()
            probed = [self.cells[i] for i in near.tolist()]
        similarities = np.concatenate([product(cell.rows[: cell.count], projected) for cell in probed])
        ids = np.concatenate([cell.ids[: cell.count] for cell in probed])
        if len(ids) > count:
            best = np.argpartition(-similarities, count)[:count]
            ids, similarities = ids[best], similarities[best]
        order = np.argsort(ids)
        return ids[order], similarities[order]

    def add(self, group: int, centroid: Floats) -> None:
        """Put a new group into the cell whose centre is nearest, and cut that cell if it overflows."""
        row = self.project(centroid)
        if not self.cells:
            self.cells.append(_empty_cell(np.zeros(len(row), np.float32)))
            self._stack()
        home = 0 if len(self.cells) == 1 else int(np.argmax(self._centres @ row))
        self._places[group] = (home, self.cells[home].append(group, row))
        if self.basis is None:
            if self.cells[0].count > EXACT_GROUPS:
                self._make_cells()
        elif self.cells[home].count > CELL_GROUPS:
            self._cut(home)

    def move(self, group: int, centroid: Floats) -> None:
        """A group's centroid has changed; it stays in its cell."""
        home, place = self._places[group]
        self.cells[home].rows[place] = self.project(centroid)

    def remove(self, group: int) -> None:
        """Forget a group; the last of its cell takes its place."""
        home, place = self._places.pop(group)
        cell = self.cells[home]
        cell.count -= 1
        cell.changed = True
        if place < cell.count:
            cell.ids[place], cell.rows[place] = cell.ids[cell.count], cell.rows[cell.count]
            self._places[int(cell.ids[place])] = (home, place)

    def _make_cells(self) -> None:
        """Find the axes of greatest variance, project every centroid, and cut the one cell until all are small enough."""
        cell = self.cells[0]
        rows = cell.rows[: cell.count]
        scatter = (rows.T @ rows).astype(np.float64)
        axes = np.linalg.eigh(scatter)[1][:, ::-1][:, :PROJECTED]
        self.basis = np.ascontiguousarray(axes, np.float32)
        projected = np.stack([self.project(row.copy()) for row in rows])
        self.cells = [Cell(np.zeros(projected.shape[1], np.float32), cell.ids[: cell.count].copy(), projected, cell.count)]
        self._cut(0)

    def _cut(self, home: int) -> None:
        """Cut a cell in two by 2-means, and its halves again while they are too large."""
        work = [home]
        while work:
            index = work.pop()
            cell = self.cells[index]
            rows, ids = cell.rows[: cell.count], cell.ids[: cell.count]
            side = _two_means(rows)
            self.cells[index] = self._filled(rows[side], ids[side], index)
            self.cells.append(self._filled(rows[~side], ids[~side], len(self.cells)))
            work += [i for i in (len(self.cells) - 1, index) if self.cells[i].count > CELL_GROUPS]
        self._stack()

    def _filled(self, rows: Floats, ids: NDArray[np.int64], index: int) -> Cell:
        for place, group in enumerate(ids.tolist()):
            self._places[group] = (index, place)
        return Cell(_unit(rows.sum(axis=0)), ids, rows, len(ids))

    def _stack(self) -> None:
        self._centres = np.stack([cell.centre for cell in self.cells])


def _two_means(rows: Floats) -> NDArray[np.bool_]:
    """Two halves of some rows, neither of them empty: by 2-means from the row farthest from the middle and the one farthest from that."""
    first = rows[int(np.argmin(rows @ rows.sum(axis=0)))]
    left, right = first, rows[int(np.argmin(rows @ first))]
    side = np.zeros(len(rows), np.bool_)
    for _ in range(_CUT_ROUNDS):
        side = rows @ left >= rows @ right
        if not side.any() or side.all():
            return np.arange(len(rows)) < len(rows) // 2
        left, right = _unit(rows[side].sum(axis=0)), _unit(rows[~side].sum(axis=0))
    return side


def _unit(vector: Floats) -> Floats:
    return vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
