"""From a method's fit to a ranking: ranks, rank ranges, clusters, wins, and every pair's p-values."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from steelyard.domain.plugin import Method
from steelyard.domain.result import AnalysisSettings, Fit, InferenceUnits, PairTest
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clusters import clusters, rank_ranges, significant, wins
from steelyard.stats.multiplicity import holm_of_pairs, two_sided


def pair_test(fit: Fit, method: Method, settings: AnalysisSettings) -> PairTest:
    """How the systems of this fit were compared."""
    return PairTest(
        name=method.test_name(settings.method_settings),
        level=settings.threshold,
        correction=settings.correction,
        one_sided=settings.one_sided,
        units=fit.units,
    )


def ranked_systems(fit: Fit, settings: AnalysisSettings) -> pl.DataFrame:
    """The systems with ranks, rank ranges, clusters and wins, all of which rest on differences that count.

    With Holm's correction the rank ranges are a confidence set: the true ranks of all systems lie within
    them with the probability that the threshold leaves.
    """
    # Differences count strictly below the threshold, also where WMT let a worker pass at it.
    deciding = _deciding(fit, settings)
    rank = np.arange(1, len(fit.systems) + 1)
    low, high = rank_ranges(deciding, threshold=settings.threshold)
    numbers = {
        "rank": rank,
        # A test need not compare the scores that the ranks come from: a rank is within its range anyway.
        "rank_low": np.minimum(low, rank),
        "rank_high": np.maximum(high, rank),
        "cluster": clusters(deciding, rule=settings.clusters, threshold=settings.threshold),
        "wins": wins(deciding, threshold=settings.threshold),
    }
    ranked = fit.systems.with_columns(pl.Series(name, column) for name, column in numbers.items())
    return ranked.select(
        *("system_id", "rank", "rank_low", "rank_high", "cluster", "score", "lower", "upper"),
        *("mean_rating", "n_segments", "n_judgements", "wins"),
    )


def _deciding(fit: Fit, settings: AnalysisSettings) -> FloatArray:
    """The p-values that decide whether the system of the row counts as better than that of the column."""
    if settings.correction == "none" and settings.one_sided and not fit.undirected:
        return fit.p_values
    either = _of_either_direction(fit)
    p_values = holm_of_pairs(either) if settings.correction == "holm" else either
    if fit.undirected:
        # The system with the higher score is the better one.
        above = np.triu(np.ones(p_values.shape, dtype=np.bool_), k=1)
        return np.where(above | np.isnan(p_values), p_values, 1.0)
    # One of the two directions at most: the one that the judgements point to.
    return np.where(fit.p_values < fit.p_values.T, p_values, np.where(np.isnan(p_values), np.nan, 1.0))


def _of_either_direction(fit: Fit) -> FloatArray:
    return fit.p_values if fit.undirected else two_sided(fit.p_values)


def system_pairs(fit: Fit) -> pl.DataFrame:
    """Every ordered pair of systems with its p-values: of this direction, of either, and of all pairs."""
    names = np.array(fit.systems["system_id"].to_list(), dtype=object)
    row, column = np.nonzero(~np.eye(len(names), dtype=bool))
    either = _of_either_direction(fit)
    p_values = {"p_value": fit.p_values, "p_two_sided": either, "p_holm": holm_of_pairs(either)}
    return pl.DataFrame(
        {
            "better": names[row].tolist(),
            "worse": names[column].tolist(),
            **{name: found[row, column] for name, found in p_values.items()},
        },
        schema={"better": pl.String, "worse": pl.String, **dict.fromkeys(p_values, pl.Float64)},
    ).with_columns(pl.col(*p_values).fill_nan(None))


def contrary_pairs(fit: Fit, settings: AnalysisSettings) -> tuple[str, ...]:
    """A warning where a system counts as better than one with a higher score.

    The test of ranked ratings does not compare the scores themselves.
    """
    contrary = np.argwhere(np.tril(significant(_deciding(fit, settings), threshold=settings.threshold)))
    if not len(contrary):
        return ()
    names = fit.systems["system_id"].to_list()
    found = ", ".join(f"{names[better]} over {names[worse]}" for better, worse in contrary[:5])
    more = f" and {len(contrary) - 5} more" if len(contrary) > 5 else ""
    return (
        f"The test finds systems significantly better than others with a higher score ({found}{more}). Test "
        "and scores weigh ratings differently, and here that matters: claim neither order. The test "
        "clustered-means is of the scores themselves.",
    )


def untested_pairs(fit: Fit) -> tuple[str, ...]:
    """A warning where some pairs of systems could not be compared."""
    untested = np.argwhere(np.triu(np.isnan(fit.p_values), k=1))
    if not len(untested):
        return ()
    names = fit.systems["system_id"].to_list()
    shown = ", ".join(f"{names[i]} and {names[j]}" for i, j in untested[:5])
    more = f" and {len(untested) - 5} more" if len(untested) > 5 else ""
    why = "they share no segment, or there were no draws" if fit.units is None else _single(fit.units)
    return (
        f"{len(untested)} of {len(names) * (len(names) - 1) // 2} pairs of systems could not be tested "
        f"against each other ({shown}{more}): {why}.",
    )


def _single(units: InferenceUnits) -> str:
    """Why a test that clusters by these units can say nothing."""
    if units.workers < 2:
        return "all judgements are of one worker, and nothing follows about others. Have more workers judge"
    if units.documents < 2:
        thing = "document" if units.documents_known else "segment"
        return f"all judgements are of one {thing}, and nothing follows about others. Have more judged"
    return (
        "from a single worker or a single document nothing follows about others. Have more workers judge "
        "them, on more documents"
    )


def coarse_draws(fit: Fit, test: PairTest, settings: AnalysisSettings) -> tuple[str, ...]:
    """A warning where even a difference that all draws agree on cannot count, for there are too few draws."""
    n_pairs = len(fit.systems) * (len(fit.systems) - 1) // 2
    least = 1 / (1 + settings.method_settings.draws)
    if test.name != "draws" or test.correction != "holm" or 2 * least * n_pairs < test.level:
        return ()
    if not np.isclose(np.nanmin(fit.p_values, initial=1.0), least, rtol=1e-9):
        return ()
    enough = math.ceil(2 * n_pairs / test.level)
    return (
        f"{settings.method_settings.draws:,} draws are too few for {n_pairs} pairs of systems: with Holm's "
        f"correction no difference can be significant. Ask for {enough} draws or more.",
    )
