"""The truth that methods are compared with: standardised means of ratings they have not seen, or gold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.aggregation import methods
from steelyard.domain.result import AnalysisSettings, Fit, MethodSettings
from steelyard.evaluation.judged import Judged
from steelyard.evaluation.settings import YARDSTICK
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.standardise import standardise_by_worker

# From this many ratings on, a worker counts for the truth: trials are small [our choice].
MINIMUM_RATINGS = 2


@dataclass(frozen=True)
class ItemTruth:
    """Each item's truth, how many workers it rests on, and the variance of their mean; NaN if unknown.

    All arrays: (items,). `is_standardised`: whether it is in deviations of standardised ratings, as scores
    with an interval are.
    """

    value: FloatArray
    n: IntArray
    variance: FloatArray
    is_standardised: bool = True


def trial_settings(settings: AnalysisSettings) -> MethodSettings:
    """How methods are run in trials: without draws of their own."""
    return replace(settings.method_settings, draws=0)


def item_truth(judged: Judged, rows: BoolArray) -> ItemTruth:
    """Mean z of the items in the rows given; workers are standardised over these rows alone.

    Every worker counts once per item: what they said of it in all attributes, repeats included, is
    averaged first.
    """
    rating, worker, opinion = judged.rating[rows], judged.worker[rows], judged.opinion[rows]
    z = standardise_by_worker(rating, worker, minimum=MINIMUM_RATINGS)
    counts = judged.is_scored[rows] & np.isfinite(z)
    value, n_rows = _means(z[counts], opinion[counts], len(judged.opinion_item))
    has_value = n_rows > 0
    item, value = judged.opinion_item[has_value], value[has_value]
    mean, n = _means(value, item, judged.n_items)
    spread = np.bincount(item, (value - mean[item]) ** 2, minlength=judged.n_items)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(n > 1, spread / (n - 1) / n, np.nan)
    return ItemTruth(mean, n, variance)


def gold_truth(judged: Judged, *, least: int) -> ItemTruth:
    """What was known of the items beforehand, counted as resting on enough; its own error is not known."""
    known = judged.known()
    n = np.where(np.isfinite(known), least, 0)
    return ItemTruth(known, n, np.full(judged.n_items, np.nan), is_standardised=False)


def system_truth(judged: Judged, rows: BoolArray, settings: AnalysisSettings) -> Fit:
    """Mean z of the systems in the rows given, each worker standardised by their own ratings alone."""
    of_method = replace(trial_settings(settings), minimum_ratings=MINIMUM_RATINGS)
    # Without draws nothing is random.
    return methods()[YARDSTICK].fit(judged.frame.filter(rows), of_method, np.random.default_rng(0))


def _means(value: FloatArray, group: IntArray, n_groups: int) -> tuple[FloatArray, IntArray]:
    n = np.bincount(group, minlength=n_groups)
    total = np.bincount(group, value, minlength=n_groups)
    mean: FloatArray = np.divide(total, n, out=np.full(n_groups, np.nan), where=n > 0)
    return mean, n
