"""A worker's agreement with themselves: two ratings of every repeated item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from steelyard.agreement.cuts import Cut
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Row, ScaleName
from steelyard.stats.agreement_errors import CrossedPairs
from steelyard.stats.agreement_influence import correlation_influence, repeat_influence
from steelyard.stats.alpha import centred
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.kappa import kappa, observed_agreement, pair_sums


class Repeats(NamedTuple):
    """First and second ratings of repeated items, or their z, who gave them, of what. All arrays: (n,)."""

    first: FloatArray
    second: FloatArray
    worker: IntArray
    document: IntArray


def intra_rows(
    repeats: Repeats, *, scale: ScaleName, cuts: Sequence[Cut], options: AgreementOptions
) -> list[Row]:
    """Kappa for each cut, and Pearson's correlation, pooled over all pairs of all workers."""
    n_pairs, level = len(repeats.first), options.settings.level
    crossed = CrossedPairs(np.arange(n_pairs), worker=repeats.worker, document=repeats.document)
    rows = []
    for cut in cuts:
        places = cut.place(repeats.first), cut.place(repeats.second)
        sums = pair_sums(*places, n_categories=cut.n_categories)
        share, value = float(observed_agreement(sums)), float(kappa(sums, chance=options.chance))
        row = Row("intra", scale, cut.n_categories, n_pairs, share, options.chance, "kappa", value)
        if not np.isnan(value):
            influence = repeat_influence(*places, sums=sums, chance=options.chance)
            row = row.within(crossed.error(influence), level=level)
        rows.append(row)
    x, y = centred(repeats.first), centred(repeats.second)
    correlation = Row("intra", scale, None, n_pairs, None, None, "pearson", _pearson(x, y))
    if not np.isnan(correlation.value):
        influence = correlation_influence(x, y, correlation.value)
        correlation = correlation.within(crossed.error(influence), level=level)
    n_workers = len(np.unique(repeats.worker))
    return [replace(row, n_workers=n_workers) for row in (*rows, correlation)]


def _pearson(x: FloatArray, y: FloatArray) -> float:
    """Correlation of values about their means; NaN where either side does not vary."""
    spread_x, spread_y = float(x @ x), float(y @ y)
    if not (spread_x > 0 and spread_y > 0):
        return float("nan")
    # Rounding may carry a perfect correlation beyond 1 by a last bit.
    return float(np.clip((x @ y) / np.sqrt(spread_x * spread_y), -1.0, 1.0))
