"""The ratings of the four cells, on points and standardised, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.documents import documents_of
from steelyard.domain.cells import CELLS, FourCells
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import MethodSettings
from steelyard.frames import index_of, scored, standardise_ratings
from steelyard.longitudinal.naming import Naming
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class CellRatings:
    """The ratings of one attribute that belong to a cell. All arrays: (n,).

    `z` is NaN where a rating could not be standardised. `system` numbers the systems of all cells one after
    the other, and `cell_of_system` (systems,) has the place in CELLS of each. The two test sets are
    different texts: a segment of the one is never a segment of the other, even under the same name, and so
    are documents; where these are unknown, each segment is one.
    `judgement` is the same number where one judgement counts for several systems.
    """

    attribute: str
    rating: FloatArray
    z: FloatArray
    worker: IntArray
    segment: IntArray
    document: IntArray
    system: IntArray
    judgement: IntArray
    cell_of_system: IntArray

    @property
    def cell(self) -> IntArray:
        """The place in CELLS of each rating's cell."""
        return self.cell_of_system[self.system]

    def where(self, rows: BoolArray) -> CellRatings:
        """Some of the ratings."""
        return replace(
            self,
            rating=self.rating[rows],
            z=self.z[rows],
            worker=self.worker[rows],
            segment=self.segment[rows],
            document=self.document[rows],
            system=self.system[rows],
            judgement=self.judgement[rows],
        )

    def standardised(self) -> CellRatings:
        """The ratings that could be standardised."""
        return self.where(~np.isnan(self.z))

    @property
    def units(self) -> tuple[int, int]:
        """How many workers judged, and how many documents."""
        return len(np.unique(self.worker)), len(np.unique(self.document))

    def counts(self) -> tuple[int, ...]:
        """Judgements of each cell, regular and repeat; of a text that tied winners share once."""
        found = []
        for cell in range(len(CELLS)):
            judged = np.zeros(int(self.judgement.max(initial=0)) + 1, dtype=np.bool_)
            judged[self.judgement[self.cell == cell]] = True
            found.append(int(np.count_nonzero(judged)))
        return tuple(found)


def cell_means(value: FloatArray, ratings: CellRatings) -> FourCells:
    """Each cell's mean of the values; of several systems in a cell the mean of theirs.

    Two winners that tied weigh half each, whichever was judged more often. NaN where a cell has none.
    """
    means = _system_means(value, ratings)
    known = ~np.isnan(means)
    total = np.bincount(ratings.cell_of_system[known], means[known], len(CELLS))
    n = np.bincount(ratings.cell_of_system[known], minlength=len(CELLS))
    with np.errstate(invalid="ignore"):
        return FourCells(*(total / np.where(n > 0, n, np.nan)).tolist())


def deviations(value: FloatArray, ratings: CellRatings) -> tuple[FloatArray, FloatArray]:
    """How far each value is from its system's mean, and what it counts for in its cell's. Shapes (n,).

    Their product is how far a rating moves its cell's mean; the products sum to 0 in every system.
    """
    n = np.bincount(ratings.system, minlength=len(ratings.cell_of_system))
    n_winners = np.bincount(ratings.cell_of_system[n > 0], minlength=len(CELLS))
    share: FloatArray = 1.0 / (n[ratings.system] * n_winners[ratings.cell])
    return value - _system_means(value, ratings)[ratings.system], share


def _system_means(value: FloatArray, ratings: CellRatings) -> FloatArray:
    n_systems = len(ratings.cell_of_system)
    n = np.bincount(ratings.system, minlength=n_systems)
    means: FloatArray = np.bincount(ratings.system, value, n_systems) / np.where(n > 0, n, np.nan)
    return means


def segment_means(value: FloatArray, ratings: CellRatings) -> list[FloatArray]:
    """Of each cell, the mean of the values on every segment judged; tied winners weigh the same on one."""
    n_segments = int(ratings.segment.max(initial=0)) + 1
    by_system, place = np.unique(ratings.system * n_segments + ratings.segment, return_inverse=True)
    mean = np.bincount(place, value) / np.bincount(place)
    cell, segment = ratings.cell_of_system[by_system // n_segments], by_system % n_segments
    by_cell, place = np.unique(cell * n_segments + segment, return_inverse=True)
    mean = np.bincount(place, mean) / np.bincount(place)
    return [mean[by_cell // n_segments == k] for k in range(len(CELLS))]


def judged_cells(
    kept: pl.DataFrame, name: Callable[[list[str]], Naming], settings: MethodSettings, *, where: str
) -> tuple[Naming, list[CellRatings]]:
    """The cells' ratings in each attribute of a ratings frame, and the systems they are made of.

    `name` is given the systems found. Regular and repeat items count. A rating is standardised by the mean
    and deviation of its worker over all rows given, controls included, or as the settings say.
    NotEnoughData if a cell has no rating in some attribute.
    """
    rows = scored(
        kept.select("worker_id", "segment_id", "system_id", "attribute", "item_kind", "credited", "rating")
        .with_columns(z=pl.Series(standardise_ratings(kept, settings).z), document=documents_of(kept).number)
        .with_row_index("judgement")
    )
    naming = name(rows["system_id"].unique().cast(pl.String).to_list())
    members = [(system, place) for place, (_, names) in enumerate(naming.systems) for system in names]
    numbered = pl.DataFrame(
        {
            "system_id": pl.Series([system for system, _ in members], dtype=rows["system_id"].dtype),
            "system": np.arange(len(members)),
        }
    )
    # A system may be in two cells: the present one, if it is the best of its year too.
    rows = rows.join(numbered, on="system_id", how="inner", maintain_order="left")
    cell_of_system = np.array([place for _, place in members], dtype=np.int64)
    attributes, attribute = index_of(rows["attribute"])
    system = rows["system"].to_numpy()
    test_set = _is_new(cell_of_system)[system]
    together = CellRatings(
        attribute="",
        rating=rows["rating"].to_numpy(),
        z=rows["z"].to_numpy(),
        worker=index_of(rows["worker_id"])[1],
        segment=2 * index_of(rows["segment_id"])[1] + test_set,
        document=2 * rows["document"].to_numpy() + test_set,
        system=system,
        judgement=rows["judgement"].to_numpy().astype(np.int64),
        cell_of_system=cell_of_system,
    )
    found = [replace(together.where(attribute == k), attribute=title) for k, title in enumerate(attributes)]
    _require_cells(found, naming, where=where)
    return naming, found


def _is_new(cell: IntArray) -> IntArray:
    """1 for cells of the new test set, 0 for those of the old."""
    return np.array([cell.endswith("_new") for cell in CELLS], dtype=np.int64)[cell]


def _require_cells(found: list[CellRatings], naming: Naming, *, where: str) -> None:
    """Refuse where a cell was not judged in an attribute in which others were."""
    for ratings in found:
        of = f"{where}, {ratings.attribute}" if ratings.attribute else where
        for (cell, names), n in zip(naming.systems, ratings.counts(), strict=True):
            if not n:
                raise NotEnoughData(
                    f"{of}: no judgement of {cell} ({', '.join(names)}) is kept, and a gain needs all four "
                    "cells. Wait for more judgements, or choose attributes by {attribute}."
                )
