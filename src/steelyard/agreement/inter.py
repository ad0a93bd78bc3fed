"""Different workers' agreement on the same item: every two workers who rated it are a pair."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.agreement.cuts import Cut
from steelyard.agreement.inter_draws import InterDraws
from steelyard.agreement.item_ratings import ItemRatings, inter_pair_sums, known_only, n_pairs
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.rows import Part, Row, ScaleName
from steelyard.stats.alpha import alpha_totals, interval_alpha_of, unit_sums
from steelyard.stats.intraclass import one_way_icc_of, one_way_totals
from steelyard.stats.kappa import kappa, observed_agreement


def inter_part(
    ratings: ItemRatings, *, scale: ScaleName, cuts: Sequence[Cut], options: AgreementOptions
) -> Part:
    """Kappa for each cut, Krippendorff's alpha and ICC(1,1), over every two workers on every item.

    A value that is NaN is unknown and left out.
    """
    known = known_only(ratings)
    pairs = n_pairs(known)
    rows = []
    for cut in cuts:
        sums = inter_pair_sums(known, cut, weight=options.weight)
        share, value = float(observed_agreement(sums)), float(kappa(sums, chance=options.chance))
        rows.append(Row("inter", scale, cut.n_categories, pairs, share, options.chance, "kappa", value))
    of_items = unit_sums(known.value, known.item)
    alpha = float(interval_alpha_of(alpha_totals(of_items)))
    icc = float(one_way_icc_of(one_way_totals(of_items)))
    rows.append(Row("inter", scale, None, pairs, None, None, "alpha", alpha))
    rows.append(Row("inter", scale, None, pairs, None, None, "icc", icc))
    return Part(rows, lambda: InterDraws(known, cuts, options).values)
