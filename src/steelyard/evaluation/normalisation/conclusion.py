"""What a study of normalisation amounts to in a sentence, and what its reader should know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.wording import in_digits
from steelyard.evaluation.normalisation.fits import Fitted
from steelyard.evaluation.normalisation.gold import GoldStudy
from steelyard.evaluation.normalisation.settings import STRAIGHT_AVERAGE, shown_name
from steelyard.stats.correlation import pearson
from steelyard.stats.crowded import Crowded, crowded_category
from steelyard.stats.gold import RatingPoints
from steelyard.stats.rounding import TIE_DECIMALS

# A correlation over fewer gold translations is rough: one of .5 may as well be .2 or .7 [our choice].
FEW_GOLD = 30
# A method that leaves a larger share of the gold translations without score is not called the closest:
# it may have scored the easy ones only [our choice].
_MOST_UNSCORED = 0.1
# Of fewer gold translations it cannot be said on which scale they were rated, and below this correlation with
# them, ratings seem to go the other way [our choices].
LEAST_FOR_SCALES, _REVERSED = 10, -0.3


def normalisation_conclusion(rows: pl.DataFrame) -> str:
    """The method closest to the expert on held-out gold, and by how much, from the rows of a study.

    The best of several is likely to be the luckiest: that its gain is more than chance is said only by an
    interval wide enough to hold for all methods at once.
    """
    n_gold = pl.col("held_out_n_scored") + pl.col("held_out_n_unscored")
    scored = rows.filter(
        pl.col("held_out_r").is_not_null() & (pl.col("held_out_n_unscored") <= _MOST_UNSCORED * n_gold)
    )
    if scored.filter(method=STRAIGHT_AVERAGE).is_empty() or len(scored) < 2:
        return "There was nothing to compare the straight average with."
    # Of methods that are equally close up to rounding, the first, which is the simplest.
    closeness = pl.col("held_out_r").round(TIE_DECIMALS)
    best = scored.sort(closeness, descending=True, maintain_order=True).row(0, named=True)
    if best["method"] == STRAIGHT_AVERAGE:
        return (
            f"No method came closer to the expert than the straight average: its r is "
            f"{in_digits(best['held_out_r'], 3)} over {best['held_out_n_scored']} gold translations."
        )
    said = (
        f"{best['method']} came closest to the expert: r = {in_digits(best['held_out_r'], 3)} over "
        f"{best['held_out_n_scored']} gold translations"
        f"{' whose gold it did not know' if best['uses_gold'] else ''}, "
        f"{in_digits(best['difference'], 3, plus=True)} compared with the straight "
        f"average{_interval(best['lower'], best['upper'])}."
    )
    if best["lower"] is None or best["lower"] <= 0:
        return f"{said} This may be chance."
    if best["sure_lower"] <= 0:
        return (
            f"{said} The interval is that of one comparison, and this is the best of {len(rows) - 1}. This "
            "may be chance."
        )
    return said


def _interval(lower: float | None, upper: float | None) -> str:
    return (
        ""
        if lower is None or upper is None
        else f" (95 % interval {in_digits(lower, 3, plus=True)} to {in_digits(upper, 3, plus=True)})"
    )


def warnings_of(study: GoldStudy, fits: Sequence[Fitted], points: RatingPoints) -> tuple[str, ...]:
    """Few or constant gold, methods without answer or score, and what those that normalise warn of."""
    return (
        *_about_gold(study),
        *_about_scales(study, fits[0], points),
        *(warning for fit in fits for warning in _about_scores(study, fit)),
        *_crowded(fits[0], points),
        *_of_methods(fits),
    )


def _about_gold(study: GoldStudy) -> list[str]:
    found = []
    n_gold = len(study.gold_items)
    if n_gold < FEW_GOLD:
        found.append(
            f"The expert rated {n_gold} translations only: correlations over fewer than {FEW_GOLD} are "
            "rough, and so is every comparison of methods by them."
        )
    if np.ptp(study.gold[study.is_gold]) == 0:
        found.append("The expert gave every translation the same rating, so nothing correlates with it.")
    return found


def _about_scales(study: GoldStudy, straight: Fitted, points: RatingPoints) -> list[str]:
    """Warnings where the expert seems to have rated on another scale, or on one that goes the other way."""
    known = study.is_gold & np.isfinite(straight.score)
    gold, score = study.gold[known], straight.score[known]
    if len(gold) < LEAST_FOR_SCALES:
        return []
    found = []
    middle = points.low + points.width / 2
    if gold.max() < middle < score.max():
        found.append(
            f"The expert rated nothing above {gold.max():g} on a scale from {points.low:g} to "
            f"{points.high:g}. If that was another scale, name it as the gold scale."
        )
    if pearson(gold, score) < _REVERSED:
        found.append(
            "The straight average runs against the expert: did a low rating mean a good translation to one "
            "of the two?"
        )
    return found


def _about_scores(study: GoldStudy, fit: Fitted) -> list[str]:
    name = shown_name(fit.entry.name)
    if fit.fit is None:
        return [f"{name} has no answer ({fit.reason.rstrip('.')})."]
    n_unscored = int((study.is_gold & ~np.isfinite(fit.score)).sum())
    if not n_unscored:
        return []
    return [f"{name} leaves {n_unscored} of {int(study.is_gold.sum())} gold translations without score."]


def _crowded(straight: Fitted, points: RatingPoints) -> list[str]:
    """A warning if even the straight average hardly distinguishes translations; others say so."""
    crowded = crowded_category(straight.score, points)
    if crowded is None:
        return []
    # A share that would round up to all of them is given as 99 per cent.
    share = f"{int(100 * crowded.share)} % of the translations"
    return [f"The straight average gives {share} a score {_where(crowded)}: it can hardly distinguish them."]


def _of_methods(fits: Sequence[Fitted]) -> list[str]:
    """What the methods that normalise say themselves, each sentence once."""
    said: dict[str, list[str]] = {}
    for fit in fits:
        if fit.fit is not None and fit.entry.method.in_points and fit.entry.name != STRAIGHT_AVERAGE:
            for warning in fit.fit.warnings:
                said.setdefault(warning, []).append(fit.entry.name)
    return [f"{', '.join(names)}: {warning}" for warning, names in said.items()]


def _where(crowded: Crowded) -> str:
    if crowded.low == crowded.high:
        return f"that rounds to {crowded.low:g}"
    return f"between {crowded.low:g} and {crowded.high:g}"
