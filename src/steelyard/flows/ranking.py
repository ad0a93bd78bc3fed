"""From a method's fit to a ranking: ranks, rank ranges, clusters, wins, and every pair's p-value."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.domain.result import AnalysisSettings, Fit
from steelyard.stats.clusters import clusters, rank_ranges, wins
from steelyard.stats.multiplicity import holm


def ranked_systems(fit: Fit, settings: AnalysisSettings) -> pl.DataFrame:
    """The systems with ranks, rank ranges, clusters and wins."""
    # Differences count strictly below the threshold, also where WMT let a worker pass at it.
    low, high = rank_ranges(fit.p_values, threshold=settings.threshold)
    numbers = {
        "rank": np.arange(1, len(fit.systems) + 1),
        "rank_low": low,
        "rank_high": high,
        "cluster": clusters(fit.p_values, rule=settings.clusters, threshold=settings.threshold),
        "wins": wins(fit.p_values, threshold=settings.threshold),
    }
    ranked = fit.systems.with_columns(pl.Series(name, column) for name, column in numbers.items())
    return ranked.select(
        *("system_id", "rank", "rank_low", "rank_high", "cluster", "score", "lower", "upper"),
        *("mean_rating", "n_segments", "n_judgements", "wins"),
    )


def system_pairs(fit: Fit) -> pl.DataFrame:
    """Every ordered pair of systems with its p-value, plain and corrected for their number."""
    names = np.array(fit.systems["system_id"].to_list(), dtype=object)
    row, column = np.nonzero(~np.eye(len(names), dtype=bool))
    schema = {"better": pl.String, "worse": pl.String, "p_value": pl.Float64, "p_holm": pl.Float64}
    return pl.DataFrame(
        {
            "better": names[row].tolist(),
            "worse": names[column].tolist(),
            "p_value": fit.p_values[row, column],
            "p_holm": holm(fit.p_values)[row, column],
        },
        schema=schema,
    ).with_columns(pl.col("p_value", "p_holm").fill_nan(None))


def untested_pairs(fit: Fit) -> tuple[str, ...]:
    """A warning where some pairs of systems could not be compared."""
    untested = np.argwhere(np.triu(np.isnan(fit.p_values), k=1))
    if not len(untested):
        return ()
    names = fit.systems["system_id"].to_list()
    shown = ", ".join(f"{names[i]} and {names[j]}" for i, j in untested[:5])
    more = f" and {len(untested) - 5} more" if len(untested) > 5 else ""
    return (
        f"{len(untested)} of {len(names) * (len(names) - 1) // 2} pairs of systems could not be tested "
        f"against each other ({shown}{more}): they share no segment, or there were no draws.",
    )
