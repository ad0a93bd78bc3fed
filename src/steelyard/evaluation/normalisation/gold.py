"""The judgements of a study of normalisation, and what the expert said of which translation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit
from steelyard.domain.work import ItemKind
from steelyard.evaluation.closeness import LEAST_POINTS
from steelyard.evaluation.judged import Judged, judged
from steelyard.frames import index_of
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class GoldStudy:
    """All judgements, numbered by what was judged, beside the expert's ratings.

    A cell is one translation in one attribute, under the first name of the systems that share it. `cell`
    (rows of `judged.frame`): which one a row is of, -1 for controls. `item`, `attribute`, `gold` (cells,):
    the number of its translation, that of its attribute, and the expert's rating, NaN where there is none.
    """

    judged: Judged
    cell: IntArray
    item: IntArray
    attribute: IntArray
    attributes: tuple[str, ...]
    gold: FloatArray

    @property
    def frame(self) -> pl.DataFrame:
        """The judgements in an order that shuffling cannot change."""
        return self.judged.frame

    @property
    def n_cells(self) -> int:
        """How many translations were judged, counted by attribute."""
        return len(self.item)

    @property
    def is_gold(self) -> BoolArray:
        """Which cells the expert has rated."""
        return np.isfinite(self.gold)

    @property
    def gold_items(self) -> IntArray:
        """The numbers of the translations that the expert has rated in any attribute, in order."""
        return np.unique(self.item[self.is_gold])

    def hiding(self, items: IntArray) -> pl.DataFrame:
        """The judgements as if the expert had said nothing of these translations, in no showing of them."""
        hidden = np.isin(self.item, items)
        # The last place is that of controls: what is known of them is no gold.
        rows = pl.Series(np.append(hidden, False)[self.cell])
        nothing = pl.lit(None, pl.Float64)
        return self.frame.with_columns(
            pl.when(rows).then(nothing).otherwise(pl.col(name)).alias(name) for name in ("known", "known_sd")
        )

    def scores(self, fits: Mapping[str, Fit]) -> FloatArray:
        """The score of each cell by the fits of every attribute, NaN where there is none. Shape (cells,)."""
        found: FloatArray = np.full(self.n_cells, np.nan)
        for place, name in enumerate(self.attributes):
            if name in fits:
                of_items = self._of_items(fits[name].segments, "score")
                at = self.attribute == place
                found[at] = of_items[self.item[at]]
        return found

    def retained(self, fit: Fit) -> int:
        """How many judgements the scores of a fit over all attributes rest on, each counted once."""
        return int(np.nansum(self._of_items(fit.segments.filter(pl.col("score").is_not_null()), "n")))

    def _of_items(self, segments: pl.DataFrame, name: str) -> FloatArray:
        placed = segments.join(self.judged.items, on=["system_id", "segment_id"])
        values: FloatArray = np.full(self.judged.n_items, np.nan)
        values[placed["item"].to_numpy()] = placed[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return values


def gold_study(frame: pl.DataFrame) -> GoldStudy:
    """The judgements of a ratings frame made ready for a study; NotEnoughData without enough gold.

    Where a translation is shown as gold it is judged as anywhere else, so those judgements count for it too:
    in the study, and only there, gold items are regular ones. What an earlier campaign knows of
    calibration items is no gold.
    """
    if frame.is_empty():
        raise NotEnoughData("There are no judgements yet, so there is nothing to compare with gold.")
    kind = pl.col("item_kind").cast(pl.String)
    regular = kind.replace({str(ItemKind.GOLD): str(ItemKind.REGULAR)})
    # As text: among categories, regular may be none of them.
    numbered = judged(frame.with_columns(item_kind=regular))
    attributes, of_row = index_of(numbered.frame["attribute"])
    is_scored = numbered.is_scored
    key = numbered.opinion_item[numbered.opinion[is_scored]] * len(attributes) + of_row[is_scored]
    cells, place = np.unique(key, return_inverse=True)
    cell = np.full(len(numbered.frame), -1, dtype=np.int64)
    cell[is_scored] = place
    study = GoldStudy(
        judged=numbered,
        cell=cell,
        item=cells // len(attributes),
        attribute=cells % len(attributes),
        attributes=tuple(attributes),
        gold=_gold(numbered.frame["known"], cell, len(cells)),
    )
    _require_gold(study)
    return study


def _gold(known: pl.Series, cell: IntArray, n_cells: int) -> FloatArray:
    """What the expert said of each cell: the mean, should showings differ by rounding."""
    value = known.fill_null(np.nan).to_numpy()
    rows = (cell >= 0) & np.isfinite(value)
    n = np.bincount(cell[rows], minlength=n_cells)
    total = np.bincount(cell[rows], value[rows], minlength=n_cells)
    gold: FloatArray = np.divide(total, n, out=np.full(n_cells, np.nan), where=n > 0)
    return gold


def _require_gold(study: GoldStudy) -> None:
    n_gold = len(study.gold_items)
    if n_gold >= LEAST_POINTS:
        return
    state = "none has been" if n_gold == 0 else f"{n_gold} {'has' if n_gold == 1 else 'have'} been"
    raise NotEnoughData(
        "To compare scores with gold, an expert must have rated at least three of the judged translations: "
        f"{state}. Name the expert's ratings in a [gold] table of the campaign file, or in a column known of "
        "the judgements file (if the file calls it otherwise: {columns=known=COLUMN})."
    )
