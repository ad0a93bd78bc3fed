"""Different workers' agreement on the same item: every two workers who rated it are a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.agreement.cuts import Cut
from steelyard.agreement.item_ratings import (
    ItemRatings,
    inter_pair_sums,
    known_only,
    n_compared_workers,
    n_pairs,
)
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Row, ScaleName
from steelyard.domain.exhibit import PairWeight
from steelyard.stats.agreement_errors import CrossedPairs
from steelyard.stats.agreement_influence import match_influence, spread_influence
from steelyard.stats.alpha import alpha_totals, interval_alpha_of, unit_sums
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.intraclass import one_way_icc_of, one_way_totals
from steelyard.stats.kappa import kappa, observed_agreement


def inter_rows(
    ratings: ItemRatings, *, scale: ScaleName, cuts: Sequence[Cut], options: AgreementOptions
) -> list[Row]:
    """Kappa for each cut, Krippendorff's alpha and ICC(1,1), over every two workers on every item.

    A value that is NaN is unknown and left out.
    """
    known = known_only(ratings)
    pairs, level = n_pairs(known), options.settings.level
    crossed = CrossedPairs(known.item, worker=known.worker, document=known.document)
    rows = []
    for cut in cuts:
        sums = inter_pair_sums(known, cut, weight=options.weight)
        share, value = float(observed_agreement(sums)), float(kappa(sums, chance=options.chance))
        row = Row("inter", scale, cut.n_categories, pairs, share, options.chance, "kappa", value)
        if not np.isnan(value):
            influence = match_influence(
                cut.place(known.value) - 1,
                known.item,
                weight=pair_weights(known.item, options.weight),
                chance=options.chance,
                n_categories=cut.n_categories,
            )
            row = row.within(crossed.error(influence), level=level)
        rows.append(row)
    of_items = unit_sums(known.value, known.item)
    values = {
        "alpha": float(interval_alpha_of(alpha_totals(of_items))),
        "icc": float(one_way_icc_of(one_way_totals(of_items))),
    }
    for coefficient in ("alpha", "icc"):
        row = Row("inter", scale, None, pairs, None, None, coefficient, values[coefficient])
        if not np.isnan(row.value):
            influence = spread_influence(known.value, known.item, with_singles=coefficient == "icc")
            row = row.within(crossed.error(influence), level=level)
        rows.append(row)
    workers = n_compared_workers(known)
    return [replace(row, n_workers=workers) for row in rows]


def pair_weights(item: IntArray, weight: PairWeight) -> FloatArray:
    """How much each item counts in kappa, for the ratings' items: by its pairs, or once if it has any."""
    size = np.bincount(item).astype(np.float64)
    weights: FloatArray = size * (size - 1) if weight == "pair" else (size > 1).astype(np.float64)
    return weights
