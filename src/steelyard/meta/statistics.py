"""One row of numbers for a metric: how well it agrees with people, over systems and over segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import polars as pl

from steelyard.meta.compared import Opinion
from steelyard.meta.settings import SOFT_DRAWS, MetaSettings
from steelyard.stats.arrays import FloatArray
from steelyard.stats.correlation import pearson_rows, spearman_rows
from steelyard.stats.kendall import kendall_b, kendall_rows
from steelyard.stats.outliers import outliers
from steelyard.stats.pairwise_accuracy import da_pair_tau, pairwise_accuracy
from steelyard.stats.soft_pairwise import in_common, permutation_p_values, soft_pairwise_accuracy
from steelyard.stats.tie_calibration import accuracy_with_ties, calibrate, calibrate_as_published

# The columns of the field's tables, in their order, and ours after them.
_NAMES = (
    *("lp", "gold", "metric", "n_sys", "n_seg_total", "n_gold_seg_pairs"),
    *("sys_pearson", "sys_spearman", "sys_kendall_b", "sys_pairwise_accuracy"),
    *("seg_pearson_none", "seg_spearman_none", "seg_kendall_b_none"),
    *("seg_pearson_sys", "seg_kendall_b_sys", "seg_pearson_item", "seg_kendall_b_item"),
    *("seg_acc23_eps0_item", "seg_tau23_eps0_item", "seg_acc23_opt_item", "seg_tau23_opt_item", "spa"),
    *("seg_acc23_opt_eps", "seg_tau23_opt_eps"),
    *("group", "sys_pearson_no_outliers", "n_outliers", "seg_spearman_sys", "seg_spearman_item"),
    *("seg_acc23_least_eps", "seg_da_tau", "n_da_pairs", "n_missing"),
)
_WORDS = ("lp", "gold", "metric", "group")
COLUMNS: dict[str, pl.DataType] = {
    name: pl.String() if name in _WORDS else pl.Int64() if name.startswith("n_") else pl.Float64()
    for name in _NAMES
}
Number: TypeAlias = float | int | None


class Judge:
    """Holds metrics against people's scores of the same systems, one after another.

    How sure people are of each pair of systems is the same for all metrics without gaps, and kept.
    """

    def __init__(self, people: Opinion, settings: MetaSettings) -> None:
        self.people = people
        self.settings = settings
        self._confidence: FloatArray | None = None

    def statistics(self, metric: Opinion) -> dict[str, Number]:
        """All numbers of a metric by the names of their columns; None where one cannot be computed.

        Systems and translations without both scores are left out, and counted.
        """
        found = {**_over_systems(self.people, metric), **self._over_segments(metric)}
        return {name: _known(value) for name, value in found.items()}

    def _over_segments(self, metric: Opinion) -> dict[str, Number]:
        people = self.people
        n_judged = 0 if people.segments is None else int(np.count_nonzero(~np.isnan(people.segments)))
        if people.segments is None or metric.segments is None:
            return {"n_gold_seg_pairs": 0, "n_missing": n_judged}
        both = ~np.isnan(people.segments) & ~np.isnan(metric.segments)
        judged, scored = in_common(people.segments, metric.segments)
        n_both = int(np.count_nonzero(both))
        return {
            "n_gold_seg_pairs": n_both,
            "n_missing": n_judged - n_both,
            **_pooled(people.segments[both], metric.segments[both]),
            **_grouped(judged, scored, "sys"),
            **_grouped(judged.T, scored.T, "item"),
            **_with_ties(judged, scored),
            **_pairs_far_apart(judged, scored, self.settings),
            "spa": self._soft_accuracy(judged, scored, is_whole=n_both == n_judged),
        }

    def _soft_accuracy(self, judged: FloatArray, scored: FloatArray, *, is_whole: bool) -> float:
        """Soft pairwise accuracy; people and metric see the same permutations. Both (S, n)."""
        if not is_whole:
            return soft_pairwise_accuracy(self._sureness(judged), self._sureness(scored))
        if self._confidence is None:
            self._confidence = self._sureness(judged)
        return soft_pairwise_accuracy(self._confidence, self._sureness(scored))

    def _sureness(self, scores: FloatArray) -> FloatArray:
        rng = np.random.default_rng(self.settings.soft_seed)
        return permutation_p_values(scores, draws=SOFT_DRAWS, rng=rng)


def _over_systems(people: Opinion, metric: Opinion) -> dict[str, Number]:
    both = ~np.isnan(people.overall) & ~np.isnan(metric.overall)
    judged, scored = people.overall[both], metric.overall[both]
    # One system far from the rest would decide the correlation alone, so it is also given without such ones.
    far = outliers(judged)
    return {
        "n_sys": int(np.count_nonzero(both)),
        "sys_pearson": _one(pearson_rows, judged, scored),
        "sys_spearman": _one(spearman_rows, judged, scored),
        "sys_kendall_b": _one(kendall_rows, judged, scored),
        "sys_pairwise_accuracy": pairwise_accuracy(judged, scored),
        "sys_pearson_no_outliers": _one(pearson_rows, judged[~far], scored[~far]),
        "n_outliers": int(np.count_nonzero(far)),
    }


def _pooled(judged: FloatArray, scored: FloatArray) -> dict[str, Number]:
    """All translations together. Both (cells,)."""
    return {
        "seg_pearson_none": _one(pearson_rows, judged, scored),
        "seg_spearman_none": _one(spearman_rows, judged, scored),
        "seg_kendall_b_none": kendall_b(judged, scored) if len(judged) else None,
    }


def _grouped(judged: FloatArray, scored: FloatArray, by: str) -> dict[str, Number]:
    """Correlations within each row, averaged over the rows where they are defined."""
    return {
        f"seg_pearson_{by}": mean_known(pearson_rows(judged, scored)),
        f"seg_spearman_{by}": mean_known(spearman_rows(judged, scored)),
        f"seg_kendall_b_{by}": mean_known(kendall_rows(judged, scored)),
    }


def _with_ties(judged: FloatArray, scored: FloatArray) -> dict[str, Number]:
    """Accuracy with ties as the metric has them, and with the threshold that serves it best.

    Of thresholds that are equally good, published tables have one that rounding picked, for accuracy and tau
    apart: these are `..._opt_eps`. `seg_acc23_least_eps` is the smallest.
    """
    plain = accuracy_with_ties(judged, scored, 0.0)
    best, published = calibrate(judged, scored), calibrate_as_published(judged, scored)
    return {
        "seg_acc23_eps0_item": plain,
        "seg_tau23_eps0_item": 2 * plain - 1,
        "seg_acc23_opt_item": best.accuracy,
        "seg_tau23_opt_item": best.tau,
        "seg_acc23_opt_eps": published.accuracy.epsilon,
        "seg_tau23_opt_eps": published.tau.epsilon,
        "seg_acc23_least_eps": best.epsilon,
    }


def _pairs_far_apart(judged: FloatArray, scored: FloatArray, settings: MetaSettings) -> dict[str, Number]:
    """The tau on pairs that people set well apart, which is defined for raw ratings from 0 to 100 only."""
    known = judged[~np.isnan(judged)]
    if not len(known) or known.min() < 0 or known.max() > 100 or known.max() <= 1:
        return {}
    found = da_pair_tau(judged, scored, least=settings.least_difference)
    return {"seg_da_tau": found.tau, "n_da_pairs": found.n_pairs}


def mean_known(values: FloatArray) -> float:
    """The mean of what is known; NaN if nothing is.

    >>> mean_known(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _one(
    of_rows: Callable[[FloatArray, FloatArray], FloatArray], one: FloatArray, other: FloatArray
) -> float:
    """A statistic of rows for one row."""
    return float(of_rows(one[None, :], other[None, :])[0])


def _known(value: Number) -> Number:
    return None if isinstance(value, float) and not np.isfinite(value) else value
