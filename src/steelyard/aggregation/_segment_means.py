"""Shared by the methods that average: values of judgements to segment scores to system scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.aggregation._clustered import clustered_p_values, score_p_values
from steelyard.aggregation._order import CELL, in_canonical_order
from steelyard.aggregation._units import unit_weights, units_of, weight_columns, weighted_mean, with_value
from steelyard.documents import documents_of
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import UNDIRECTED_TESTS, Fit, InferenceUnits, MethodSettings
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of, scored
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.bootstrap import CrossedRatings, two_way_bootstrap
from steelyard.stats.permutation import permutation_matrix
from steelyard.stats.rank_sum import rank_sum_common_matrix, rank_sum_matrix
from steelyard.stats.rounding import TIE_DECIMALS
from steelyard.stats.segment_tests import domain_signed_rank_matrix, either_t_matrix, paired_t_matrix
from steelyard.stats.signed_rank import signed_rank_matrix

# Fewer give p-values too coarse for a threshold of 0.05 [our choice].
PERMUTATIONS = 10_000


def worker_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Each worker's mean and deviation over all rows given, in the columns of Fit.workers."""
    unknown = [pl.lit(None, pl.Float64).alias(name) for name in ("offset", "slope", "precision", "weight")]
    moments = frame.group_by("worker_id").agg(mean=pl.col("rating").mean(), sd=pl.col("rating").std(ddof=1))
    return moments.cast({"worker_id": pl.String}).sort("worker_id").with_columns(unknown)


def scored_rows(frame: pl.DataFrame, *, method: str) -> pl.DataFrame:
    """The rows that belong to a system; raises NotEnoughData if there are none."""
    rows = scored(frame)
    if rows.is_empty():
        raise NotEnoughData(
            f"{method}: there is no rating of a regular or repeat item, so no system can be scored. "
            "Wait for judgements, or check the kinds in the file: controls alone score nobody."
        )
    return rows


def control_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that belong to no system: degraded copies and references."""
    return frame.filter(~pl.col("item_kind").is_in([str(kind) for kind in SCORED_KINDS]))


def fit_means(
    rows: pl.DataFrame,
    settings: MethodSettings,
    rng: np.random.Generator,
    *,
    workers: pl.DataFrame,
    controls: pl.DataFrame | None = None,
) -> Fit:
    """Scores from scored rows with a column `value`, null where a judgement has none.

    `controls`: rows of items that are no system's, with values; they tell how well workers judge.

    With a column `weight`, above 0 throughout, means of values are weighted by it, and so are deviations and
    intervals; numbers and means of raw ratings are of the judgements, whatever they weigh.

    A segment's score is the mean of its judgements' values, or of its workers' means (`unit`); a
    system's score the unweighted mean of its segment scores, or with `flat` of all its values.
    Where ratings are of several attributes, each is scored so, and the score over all is the mean
    of theirs. Judgements without value are left out, unless `unstandardised_as_zero`: then they
    count in `mean_rating` and `n`, and a segment without any value scores 0. Differences of scores are
    tested with judgements clustered by worker and document, or segment scores against each other (`test`);
    intervals come from resampling workers and documents.
    """
    kept = ("document_id", "hit_id", *(("domain",) if "domain" in rows.columns else ()))
    rows = in_canonical_order(rows, "value", *weight_columns(rows), *kept)
    if settings.unstandardised_as_zero:
        nobody = pl.col("value").is_null().all().over(*CELL, "attribute")
        rows = rows.with_columns(pl.when(nobody).then(0.0).otherwise(pl.col("value")).alias("value"))
    else:
        rows = rows.filter(pl.col("value").is_not_null())
    documents = documents_of(rows)
    rows = rows.with_columns(pl.Series("document", documents.number))
    units = units_of(rows, per_worker=settings.unit == "worker")
    together = _fit_units(units, settings, rng, workers=workers, controls=controls)
    judged = with_value(units)
    n_workers, n_documents = judged["worker_id"].n_unique(), judged["document"].n_unique()
    together = replace(together, units=InferenceUnits(n_workers, n_documents, documents.known))
    names = units["attribute"].unique().sort().to_list()
    if len(names) < 2:
        return together
    alone = tuple(
        (
            name,
            _fit_units(
                units.filter(pl.col("attribute") == name),
                settings,
                rng,
                workers=workers,
                controls=None if controls is None else controls.filter(pl.col("attribute") == name),
            ),
        )
        for name in names
    )
    return replace(together, attributes=alone, warnings=_missing_attributes(units, names))


def _fit_units(
    units: pl.DataFrame,
    settings: MethodSettings,
    rng: np.random.Generator,
    *,
    workers: pl.DataFrame,
    controls: pl.DataFrame | None,
) -> Fit:
    by_attribute = units.group_by(*CELL, "attribute", maintain_order=True).agg(
        score=weighted_mean("value", units), mean_rating=pl.col("rating").mean()
    )
    of_cell = units.group_by(CELL, maintain_order=True).agg(sd=_deviation(units), n=pl.col("n").sum())
    segments = (
        by_attribute.group_by(CELL, maintain_order=True)
        .agg(pl.col("score", "mean_rating").mean())
        .join(of_cell, on=CELL, maintain_order="left")
        .select(pl.col(CELL).cast(pl.String), "score", "sd", "mean_rating", "n")
    )
    averaged = (
        units.rename({"value": "score", "rating": "mean_rating"}) if settings.unit == "flat" else by_attribute
    )
    if settings.average == "domains":
        averaged = _by_domain(by_attribute, units)
    systems = _systems(averaged, segments)
    systems = systems.join(_intervals(units, settings, rng), on="system_id", how="left")
    systems = systems.sort(["score", "system_id"], descending=[True, False]).select(
        "system_id", "score", "lower", "upper", "mean_rating", "n_segments", "n_judgements"
    )
    names = systems["system_id"].to_list()
    if settings.test == "clustered":
        p_values = clustered_p_values(with_value(units), names, controls=controls)
    elif settings.test == "clustered-means":
        p_values = score_p_values(with_value(units), names, flat=settings.unit == "flat")
    else:
        p_values = _p_values(segments, names, settings, rng, units=units)
    return Fit(
        segments=segments,
        systems=systems,
        p_values=p_values,
        workers=workers,
        undirected=settings.test in UNDIRECTED_TESTS,
    )


def _by_domain(by_attribute: pl.DataFrame, units: pl.DataFrame) -> pl.DataFrame:
    """The means of each system's segment scores, domain by domain."""
    return (
        by_attribute.join(_domains(units), on="segment_id", how="left", maintain_order="left")
        .group_by("system_id", "attribute", "domain", maintain_order=True)
        .agg(pl.col("score", "mean_rating").mean())
    )


def _domains(units: pl.DataFrame) -> pl.DataFrame:
    """The domain of each segment; all are of one where none is known."""
    domain = pl.col("domain").first().fill_null("") if "domain" in units.columns else pl.lit("")
    return units.group_by("segment_id").agg(domain.alias("domain"))


def _deviation(rows: pl.DataFrame) -> pl.Expr:
    """The deviation of values, weighted if the rows have weights; null of a single value.

    With weights its square is sum w (x - mean)² / (W - sum w² / W), W being the sum of weights: with equal
    ones that is the usual deviation, whatever their size.
    """
    value, weight = pl.col("value"), pl.col("weight")
    if not weight_columns(rows):
        return value.std(ddof=1)
    total = weight.sum()
    square = (weight * (value - weighted_mean("value", rows)) ** 2).sum() / (
        total - (weight**2).sum() / total
    )
    return pl.when(pl.len() > 1).then(square.sqrt())


def _systems(averaged: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Each system's mean over every attribute's own mean, and how much it rests on."""
    means = (
        averaged.group_by("system_id", "attribute", maintain_order=True)
        .agg(weighted_mean("score", averaged), pl.col("mean_rating").mean())
        .sort("system_id", "attribute")
        .group_by("system_id", maintain_order=True)
        .agg(pl.col("score", "mean_rating").mean())
        .cast({"system_id": pl.String})
    )
    counts = segments.group_by("system_id").agg(
        n_segments=pl.len().cast(pl.Int64), n_judgements=pl.col("n").sum()
    )
    return means.join(counts, on="system_id")


def _p_values(
    segments: pl.DataFrame,
    systems: list[str],
    settings: MethodSettings,
    rng: np.random.Generator,
    *,
    units: pl.DataFrame,
) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column, best first."""
    if settings.test == "rank-sum":
        scores = dict(segments.group_by("system_id").agg("score").iter_rows())
        return rank_sum_matrix(
            [np.array(scores[name], dtype=np.float64).round(TIE_DECIMALS) for name in systems]
        )
    segment_ids, segment = index_of(segments["segment_id"])
    row = segments["system_id"].replace_strict(systems, range(len(systems)), return_dtype=pl.Int64)
    table: FloatArray = np.full((len(systems), int(segment.max()) + 1), np.nan)
    table[row.to_numpy(), segment] = segments["score"].to_numpy().round(TIE_DECIMALS)
    if settings.test == "rank-sum-common":
        return rank_sum_common_matrix(table)
    if settings.test == "signed-rank":
        return signed_rank_matrix(table)
    if settings.test == "segment-t":
        return paired_t_matrix(table)
    if settings.test == "either-t":
        return either_t_matrix(table)
    if settings.test == "domain-signed-rank":
        found = dict(_domains(units).cast(pl.String).iter_rows())
        _, domain = index_of(pl.Series([found[each] for each in segment_ids], dtype=pl.String))
        return domain_signed_rank_matrix(table, domain)
    assert settings.test == "permutation"
    return permutation_matrix(table, draws=max(settings.draws, PERMUTATIONS), rng=rng)


def _missing_attributes(units: pl.DataFrame, names: list[str]) -> tuple[str, ...]:
    judged = units.group_by("system_id").agg(pl.col("attribute").unique())
    lacking = sorted(
        f"{system} ({', '.join(sorted(set(names) - set(found)))})"
        for system, found in judged.iter_rows()
        if len(found) < len(names)
    )
    if not lacking:
        return ()
    return (
        "These systems were not judged in every attribute, so their scores over all are not comparable: "
        f"{', '.join(lacking)}.",
    )


def _intervals(units: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> pl.DataFrame:
    """Lower and upper bound of each system's score at the wanted level; null without draws."""
    valued = with_value(units)
    systems, system = index_of(valued["system_id"])
    part, n_parts = system, 1
    if settings.average == "domains":
        # Domains are not drawn: each has its share of the score in every draw.
        names = valued.select("segment_id").join(_domains(valued), on="segment_id", maintain_order="left")
        domains, domain = index_of(names["domain"])
        part, n_parts = system * len(domains) + domain, len(domains)
    bounds: FloatArray = np.full((2, len(systems)), np.nan)
    if settings.draws:
        ratings = CrossedRatings(
            value=valued["value"].to_numpy(),
            weight=unit_weights(valued, flat=settings.unit == "flat"),
            worker=index_of(valued["worker_id"])[1],
            segment=valued["document"].to_numpy(),
            system=part,
        )
        tail = (1 - settings.level) / 2
        drawn = two_way_bootstrap(ratings, draws=settings.draws, rng=rng)
        bounds = np.nanquantile(_over_parts(drawn, part, n_parts, len(systems)), [tail, 1 - tail], axis=0)
    return pl.DataFrame({"system_id": systems, "lower": bounds[0], "upper": bounds[1]}).with_columns(
        pl.col("lower", "upper").fill_nan(None)
    )


def _over_parts(drawn: FloatArray, part: IntArray, n_parts: int, n_systems: int) -> FloatArray:
    """Draws of each system's score from those of its parts, which count the same; NaN where one is missing.

    `drawn` is (draws, parts), up to the last that is there; a part that nobody judged does not count.
    """
    if n_parts == 1:
        return drawn
    whole = np.full((len(drawn), n_systems * n_parts), np.nan)
    whole[:, : drawn.shape[1]] = drawn
    is_there = np.bincount(part, minlength=n_systems * n_parts).reshape(n_systems, n_parts) > 0
    parts = np.where(is_there, whole.reshape(len(drawn), n_systems, n_parts), 0.0)
    means: FloatArray = parts.sum(axis=2) / is_there.sum(axis=1)
    return means
