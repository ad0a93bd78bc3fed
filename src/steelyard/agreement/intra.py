"""A worker's agreement with themselves: two ratings of every repeated item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steelyard.agreement.cuts import Cut
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Part, Row, ScaleName
from steelyard.stats.alpha import centred
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.kappa import (
    PairSums,
    kappa,
    observed_agreement,
    pair_sums_by_worker,
    sums_of_draws,
)
from steelyard.stats.rounding import ROUNDING


class Repeats(NamedTuple):
    """First and second ratings of repeated items, or their z, and who gave them. All arrays: (n,)."""

    first: FloatArray
    second: FloatArray
    worker: IntArray
    n_workers: int


def intra_part(repeats: Repeats, *, scale: ScaleName, cuts: Sequence[Cut], options: AgreementOptions) -> Part:
    """Kappa for each cut, and Pearson's correlation, pooled over all pairs of all workers."""
    n_pairs = len(repeats.first)
    by_cut = [_pair_sums(repeats, cut) for cut in cuts]
    products = _products(repeats)
    rows = []
    for cut, by_worker in zip(cuts, by_cut, strict=True):
        sums = PairSums(*(part.sum(axis=0) for part in by_worker))
        share, value = float(observed_agreement(sums)), float(kappa(sums, chance=options.chance))
        rows.append(Row("intra", scale, cut.n_categories, n_pairs, share, options.chance, "kappa", value))
    correlation = float(_pearson(products.sum(axis=0)))
    rows.append(Row("intra", scale, None, n_pairs, None, None, "pearson", correlation))

    def redraw(counts: FloatArray) -> FloatArray:
        kappas = [kappa(sums_of_draws(by_worker, counts), chance=options.chance) for by_worker in by_cut]
        return np.stack([*kappas, _pearson(counts.T @ products)])

    return Part(rows, lambda: redraw)


def _pair_sums(repeats: Repeats, cut: Cut) -> PairSums:
    return pair_sums_by_worker(
        cut.place(repeats.first),
        cut.place(repeats.second),
        repeats.worker,
        n_categories=cut.n_categories,
        n_workers=repeats.n_workers,
    )


def _products(repeats: Repeats) -> FloatArray:
    """What a correlation must know of each worker's pairs: sums of 1, x, y, x^2, y^2, x y. (workers, 6)."""
    x, y = centred(repeats.first), centred(repeats.second)
    parts = (np.ones_like(x), x, y, x * x, y * y, x * y)
    return np.column_stack([np.bincount(repeats.worker, part, repeats.n_workers) for part in parts])


def _pearson(products: FloatArray) -> FloatArray:
    """Correlation from such sums, (..., 6) to (...); NaN where either side does not vary."""
    n, x, y, xx, yy, xy = np.moveaxis(products, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_x, spread_y = xx - x * x / n, yy - y * y / n
        correlation = (xy - x * y / n) / np.sqrt(spread_x * spread_y)
        varies = (spread_x > ROUNDING * xx) & (spread_y > ROUNDING * yy)
    # Rounding may carry a perfect correlation beyond 1 by a last bit.
    found: FloatArray = np.where(varies, np.clip(correlation, -1.0, 1.0), np.nan)
    return found
