"""Which metrics are surely better than which, by each statistic that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.meta.compared import ComparedScores, Opinion
from steelyard.meta.metric_tests import (
    by_segment,
    by_system,
    jackknifed,
    over_groups,
    over_systems,
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
from steelyard.meta.units import IndependentUnits, independent_units
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clusters import clusters
from steelyard.stats.metric_permutation import pearson_permutation_matrix
from steelyard.stats.multiplicity import holm
from steelyard.stats.pairwise_accuracy import accuracy_p_matrix

# What tests are called.
WILLIAMS, JACKKNIFE, PERMUTATION, VERDICTS = (
    *("Williams", "jackknife"),
    *("permutation", "permutation of verdicts"),
)


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
    units = independent_units(compared, settings)
    for statistic in settings.tests:
        tested = _tested(statistic, compared, rows)
        p_values = _p_values(tested, compared.people, units, settings)
        unit, n_units = _unit(statistic, compared.people, units, settings)
        found.append(
            Significance(
                statistic=statistic,
                test=_test(statistic, settings),
                unit=unit,
                n_units=n_units,
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


def _p_values(
    tested: _Tested, people: Opinion, units: IndependentUnits, settings: MetaSettings
) -> FloatArray:
    """All pairs by the test that the statistic calls for."""
    if len(tested.metrics) < 2:
        return np.full((len(tested.metrics), len(tested.metrics)), np.nan)
    name, draws = tested.statistic, settings.draws
    if name in SYSTEM_STATISTICS and name != "spa":
        return _p_values_of_systems(tested, people, settings)
    rng, test = np.random.default_rng(settings.seed), _test(name, settings)
    assert people.segments is not None
    is_judged = ~np.isnan(people.segments).all(axis=0)
    judged, unit = people.segments[:, is_judged], units.number[is_judged]
    scores = np.stack([one.segments[:, is_judged] for one in tested.metrics if one.segments is not None])
    if name == "spa":
        return soft_test(judged, scores, draws=draws, soft_seed=settings.soft_seed, rng=rng)
    kind, _, over = name.removeprefix("seg_").rpartition("_")
    if test == WILLIAMS:
        return williams_matrix(judged, scores)
    if test == JACKKNIFE:
        return jackknifed(judged, scores, kind, unit)
    if test == VERDICTS:
        epsilons = tested.thresholds.tolist()
        return accuracy_p_matrix(judged, scores, epsilons=epsilons, draws=draws, rng=rng)
    if over == "none":
        flat = scores.reshape(len(scores), -1)
        return pearson_permutation_matrix(judged.ravel(), flat, draws=draws, rng=rng)
    if over == "sys":
        systems = np.arange(len(judged))
        return over_groups(judged, scores, by_system(kind), systems, draws=draws, rng=rng)
    return over_groups(judged, scores, by_segment(kind, tested.thresholds), unit, draws=draws, rng=rng)


def _p_values_of_systems(tested: _Tested, people: Opinion, settings: MetaSettings) -> FloatArray:
    """The same for a statistic over systems, of which each has one score and is one unit."""
    rng, name = np.random.default_rng(settings.seed), tested.statistic
    scores = np.stack([metric.overall for metric in tested.metrics])
    test = _test(name, settings)
    if test == WILLIAMS:
        return williams_matrix(people.overall, scores)
    if test == JACKKNIFE:
        return jackknifed(people.overall, scores, "pearson", np.arange(len(people.overall)))
    if test == VERDICTS:
        return accuracy_p_matrix(people.overall, scores, draws=settings.draws, rng=rng)
    kind = name.removeprefix("sys_")
    return over_systems(people.overall, scores, kind, draws=settings.draws, rng=rng)


def _test(statistic: str, settings: MetaSettings) -> str:
    if statistic in ("sys_pearson", "seg_pearson_none"):
        usual = "williams" if statistic in SYSTEM_STATISTICS else "jackknife"
        chosen = settings.pearson_test or usual
        return {"williams": WILLIAMS, "jackknife": JACKKNIFE, "permutation": PERMUTATION}[chosen]
    if statistic in POOLED_STATISTICS:
        return JACKKNIFE
    if statistic in ACCURACIES and settings.accuracy_test == "verdicts":
        return VERDICTS
    return PERMUTATION


def _unit(
    statistic: str, people: Opinion, units: IndependentUnits, settings: MetaSettings
) -> tuple[str, int]:
    """What the test takes to be independent, and how many people judged."""
    n_systems = int(np.count_nonzero(~np.isnan(people.overall)))
    test = _test(statistic, settings)
    if statistic in SYSTEM_STATISTICS and test == VERDICTS:
        return "pairs of systems", n_systems * (n_systems - 1) // 2
    if statistic in (*SYSTEM_STATISTICS, *BY_SYSTEM_STATISTICS):
        return "systems", n_systems
    if people.segments is None:
        return units.name, 0
    is_judged = ~np.isnan(people.segments)
    if test == VERDICTS:
        per_segment = np.count_nonzero(is_judged, axis=0)
        return "pairs of translations", int(np.sum(per_segment * (per_segment - 1) // 2))
    if statistic in POOLED_STATISTICS and test != JACKKNIFE:
        is_segment = settings.level == "segment"
        return "translations" if is_segment else "documents of systems", int(np.count_nonzero(is_judged))
    return units.name, len(np.unique(units.number[is_judged.any(axis=0)]))
