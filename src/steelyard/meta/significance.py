"""Which metrics are surely better than which, by each statistic that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.meta.compared import ComparedScores, Opinion
from steelyard.meta.metric_tests import (
    by_segment,
    by_system,
    over_groups,
    over_systems,
    over_translations,
    soft_test,
    williams_matrix,
)
from steelyard.meta.settings import (
    ACCURACIES,
    BY_SYSTEM_STATISTICS,
    POOLED_STATISTICS,
    SYSTEM_STATISTICS,
    MetaSettings,
    Significance,
)
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clusters import clusters
from steelyard.stats.multiplicity import holm
from steelyard.stats.pairwise_accuracy import accuracy_p_matrix

# What tests are called.
WILLIAMS, PERMUTATION, VERDICTS = "Williams", "permutation", "permutation of verdicts"


@dataclass(frozen=True)
class _Tested:
    """A statistic and the metrics it is defined for, best first."""

    statistic: str
    metrics: tuple[Opinion, ...]
    values: tuple[float, ...]
    thresholds: FloatArray
    """Up to which difference each metric's scores are tied, where the statistic knows ties."""


def significance(
    compared: ComparedScores, rows: pl.DataFrame, settings: MetaSettings, *, step: Callable[[int], None]
) -> tuple[Significance, ...]:
    """For every statistic to test: all pairs of metrics, best first, and the clusters they make.

    Metrics for which a statistic is not defined are left out of its test. `step` is called with the number
    of metrics after each test.
    """
    found = []
    for statistic in settings.tests:
        tested = _tested(statistic, compared, rows)
        p_values = _p_values(tested, compared.people, settings)
        found.append(
            Significance(
                statistic=statistic,
                test=_test(statistic, settings),
                unit=_unit(statistic, settings),
                metrics=tuple(metric.name for metric in tested.metrics),
                values=tested.values,
                p_values=p_values,
                holm=holm(p_values),
                clusters=clusters(p_values, rule="strict", threshold=settings.threshold),
            )
        )
        step(len(compared.metrics))
    return tuple(found)


def _tested(statistic: str, compared: ComparedScores, rows: pl.DataFrame) -> _Tested:
    ordered = (
        rows.filter(pl.col("group").is_null() & pl.col(statistic).is_not_null())
        .sort(statistic, descending=True, maintain_order=True)
        .select("metric", statistic, "seg_acc23_least_eps")
    )
    by_name = {metric.name: metric for metric in compared.metrics}
    thresholds = ordered["seg_acc23_least_eps"].to_numpy()
    return _Tested(
        statistic=statistic,
        metrics=tuple(by_name[name] for name in ordered["metric"]),
        values=tuple(ordered[statistic]),
        thresholds=np.zeros(len(ordered)) if "eps0" in statistic else thresholds,
    )


def _p_values(tested: _Tested, people: Opinion, settings: MetaSettings) -> FloatArray:
    """All pairs by the test that the statistic calls for."""
    if len(tested.metrics) < 2:
        return np.full((len(tested.metrics), len(tested.metrics)), np.nan)
    rng = np.random.default_rng(settings.seed)
    name, draws = tested.statistic, settings.draws
    test = _test(name, settings)
    if name in SYSTEM_STATISTICS and name != "spa":
        scores = np.stack([metric.overall for metric in tested.metrics])
        if test == WILLIAMS:
            return williams_matrix(people.overall, scores)
        if test == VERDICTS:
            return accuracy_p_matrix(people.overall, scores, draws=draws, rng=rng)
        return over_systems(people.overall, scores, name.removeprefix("sys_"), draws=draws, rng=rng)
    judged, scores = _segments(people, tested.metrics)
    if name == "spa":
        return soft_test(judged, scores, draws=draws, soft_seed=settings.soft_seed, rng=rng)
    kind, _, over = name.removeprefix("seg_").rpartition("_")
    if test == WILLIAMS:
        return williams_matrix(judged, scores)
    if test == VERDICTS:
        epsilons = tested.thresholds.tolist()
        return accuracy_p_matrix(judged, scores, epsilons=epsilons, draws=draws, rng=rng)
    if over == "none":
        return over_translations(judged, scores, kind, draws=draws, rng=rng)
    of_groups = by_system(kind) if over == "sys" else by_segment(kind, tested.thresholds)
    return over_groups(judged, scores, of_groups, draws=draws, rng=rng)


def _segments(people: Opinion, metrics: Sequence[Opinion]) -> tuple[FloatArray, FloatArray]:
    """People's scores (S, n) and the metrics' (M, S, n) of segments that anybody judged."""
    assert people.segments is not None
    judged = ~np.isnan(people.segments).all(axis=0)
    scores = [metric.segments[:, judged] for metric in metrics if metric.segments is not None]
    return people.segments[:, judged], np.stack(scores)


def _test(statistic: str, settings: MetaSettings) -> str:
    if statistic in ("sys_pearson", "seg_pearson_none") and settings.pearson_test == "williams":
        return WILLIAMS
    if statistic in ACCURACIES and settings.accuracy_test == "verdicts":
        return VERDICTS
    return PERMUTATION


def _unit(statistic: str, settings: MetaSettings) -> str:
    """What the test takes to be independent."""
    if _test(statistic, settings) == VERDICTS:
        return "pairs of systems" if statistic in SYSTEM_STATISTICS else "pairs of translations"
    if statistic in (*SYSTEM_STATISTICS, *BY_SYSTEM_STATISTICS):
        return "systems"
    if statistic in POOLED_STATISTICS:
        return "translations" if settings.level == "segment" else "documents of systems"
    return "segments" if settings.level == "segment" else "documents"
