"""From ratings to an Analysis: quality control, scores, ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import NotEnoughData, NotFound, SourceError
from steelyard.domain.result import Analysis, AnalysisSettings, Counts, Fit, MethodSettings, Verdict
from steelyard.frames import scored
from steelyard.qc import checks
from steelyard.stats.clusters import clusters, rank_ranges, wins
from steelyard.stats.multiplicity import holm
from steelyard.version import __version__

Plugin = TypeVar("Plugin")
NO_CHECK = "none"
_VERDICT_COLUMNS: dict[str, pl.DataType] = {
    "worker_id": pl.String(),
    "n_pairs": pl.Int64(),
    "mean_difference": pl.Float64(),
    "statistic": pl.Float64(),
    "p_value": pl.Float64(),
    "verdict": pl.String(),
    "reason": pl.String(),
}


def analyse(
    frame: pl.DataFrame,
    settings: AnalysisSettings,
    *,
    title: str,
    warnings: Sequence[str] = (),
    campaign: str = "file",
    protocol: str | None = None,
) -> Analysis:
    """Everything a report shows, from a ratings frame alone; the same input gives the same answer.

    Workers who do not pass the check are left out of the scores; nothing is deleted, and every
    worker is listed with the verdict. Verdicts concern people: read them before acting on them.
    """
    frame = _of_attribute(frame, settings.attribute)
    verdicts = _verdicts(frame, settings)
    kept = _kept(frame, verdicts, check=settings.check)
    method = _registered(methods(), settings.method, "method")
    fit = method.fit(kept, settings.method_settings, np.random.default_rng(settings.seed))
    counts = Counts(
        judgements=len(frame),
        workers=frame["worker_id"].n_unique(),
        hits=frame["hit_id"].n_unique(),
        systems=scored(frame)["system_id"].n_unique(),
        kept_judgements=len(kept),
        kept_workers=kept["worker_id"].n_unique(),
    )
    return Analysis(
        title=title,
        signature=_signature(settings, counts, campaign=campaign, protocol=protocol),
        settings=settings,
        counts=counts,
        workers=_workers(frame, verdicts, fit),
        systems=_ranking(fit, settings),
        pairs=_pairs(fit),
        segments=fit.segments,
        warnings=(*warnings, *_missing_systems(frame, fit), *fit.warnings),
    )


def wmt_settings(settings: AnalysisSettings) -> AnalysisSettings:
    """The settings with the choices behind the WMT21 and WMT22 to-English results [Akhbardeh2021].

    Mean z per segment and judgement over all kinds, a worker standardised from two ratings on, a
    segment that nobody could standardise counted as 0, workers passing at p of at most 0.05, and
    the cluster rule of those years, for which a win still needs p below 0.05.
    """
    return replace(
        settings,
        method="mean-z",
        clusters="wmt21",
        threshold=0.05,
        threshold_included=True,
        method_settings=replace(
            settings.method_settings,
            standardise_over="all",
            unit="judgement",
            minimum_ratings=2,
            unstandardised_as_zero=True,
        ),
    )


def _of_attribute(frame: pl.DataFrame, attribute: str | None) -> pl.DataFrame:
    if frame.is_empty():
        raise NotEnoughData("There are no judgements yet, so there is nothing to analyse.")
    found = frame["attribute"].unique().sort().to_list()
    if attribute is not None:
        if attribute not in found:
            listed = ", ".join(repr(name) for name in found if name) or "none"
            raise SourceError(
                "judgements", [f"no rating is of attribute {attribute!r}. Attributes found: {listed}."]
            )
        return frame.filter(pl.col("attribute") == attribute)
    if len(found) > 1:
        listed = ", ".join(repr(name) for name in found)
        raise SourceError(
            "judgements",
            [
                f"ratings of several attributes ({listed}) cannot be ranked together. "
                "Pick one with --attribute."
            ],
        )
    return frame


def _registered(found: dict[str, Plugin], name: str, noun: str) -> Plugin:
    if name not in found:
        raise NotFound(f"There is no {noun} {name!r}. Use one of: {', '.join(found)}.")
    return found[name]


def _verdicts(frame: pl.DataFrame, settings: AnalysisSettings) -> list[Verdict]:
    if settings.check == NO_CHECK:
        return []
    check = _registered(checks(), settings.check, "check")
    return check.run(frame, settings.threshold, settings.threshold_included)


def _kept(frame: pl.DataFrame, verdicts: Sequence[Verdict], *, check: str) -> pl.DataFrame:
    """The rows of workers who passed; all rows when nobody was checked."""
    if check == NO_CHECK:
        return frame
    passed = [verdict.worker_id for verdict in verdicts if verdict.verdict == "pass"]
    if not passed:
        failed = sum(verdict.verdict == "fail" for verdict in verdicts)
        raise NotEnoughData(
            f"{check}: no worker passed ({failed} failed, {len(verdicts) - failed} had too few degraded "
            "pairs to tell), so no judgement is left to score. Use --check none to score all of them, "
            "or wait for more judgements."
        )
    return frame.filter(pl.col("worker_id").is_in(passed))


def _workers(frame: pl.DataFrame, verdicts: Sequence[Verdict], fit: Fit) -> pl.DataFrame:
    """Every worker with verdict, moments over all their ratings, and what the method learnt."""
    moments = frame.group_by("worker_id").agg(
        n_judgements=pl.len().cast(pl.Int64),
        mean=pl.col("rating").mean(),
        sd=pl.col("rating").std(ddof=1),
    )
    found = pl.DataFrame(
        [[getattr(verdict, name) for name in _VERDICT_COLUMNS] for verdict in verdicts],
        schema=_VERDICT_COLUMNS,
        orient="row",
    )
    learnt = fit.workers.select("worker_id", "offset", "slope", "precision", "weight")
    return (
        moments.join(found, on="worker_id", how="left")
        .join(learnt, on="worker_id", how="left")
        .with_columns(pl.lit([], pl.List(pl.String)).alias("flags"))
        .sort("worker_id")
        .select(
            *("worker_id", "n_judgements", "n_pairs", "mean_difference", "statistic", "p_value", "verdict"),
            *("flags", "mean", "sd", "offset", "slope", "precision", "weight", "reason"),
        )
    )


def _ranking(fit: Fit, settings: AnalysisSettings) -> pl.DataFrame:
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


def _pairs(fit: Fit) -> pl.DataFrame:
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


def _missing_systems(frame: pl.DataFrame, fit: Fit) -> list[str]:
    missing = sorted(set(scored(frame)["system_id"]) - set(fit.systems["system_id"]))
    if not missing:
        return []
    return [f"No judgement of these systems was left to score, so they are not ranked: {', '.join(missing)}."]


def _signature(settings: AnalysisSettings, counts: Counts, *, campaign: str, protocol: str | None) -> str:
    """One line from which a stranger can recompute the analysis; rare choices only where made."""
    method, usual = settings.method_settings, MethodSettings()
    parts = {
        "steelyard": ".".join(__version__.split(".")[:2]),
        "campaign": campaign,
        "protocol": protocol,
        "attribute": settings.attribute,
        "qc": settings.check,
        "kept": f"{counts.kept_judgements}/{counts.judgements}",
        "method": settings.method,
        "unit": method.unit,
        "over": method.standardise_over,
        "clusters": settings.clusters,
        "p": _limit(settings) if _limit(settings) != _limit(AnalysisSettings()) else None,
        "least": method.minimum_ratings if method.minimum_ratings != usual.minimum_ratings else None,
        "unstandardised": "zero" if method.unstandardised_as_zero else None,
        "level": method.level if method.level != usual.level else None,
        "boot": method.draws,
        "seed": settings.seed,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _limit(settings: AnalysisSettings) -> str:
    return f"{'<=' if settings.threshold_included else '<'}{settings.threshold:g}"
