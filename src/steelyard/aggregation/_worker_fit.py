"""Shared by the worker models: from what is believed of items to scores, intervals and a ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._judged_items import JudgedItems, odd_shapes
from steelyard.aggregation._order import CELL, in_canonical_order
from steelyard.aggregation._segment_draws import raw_means, raw_systems
from steelyard.aggregation._segment_means import scored_rows, worker_table
from steelyard.aggregation._standardised import with_z
from steelyard.domain.result import Fit, InferenceUnits, MethodSettings
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clustered import (
    ClusteredErrors,
    ClusterSums,
    better_p_values,
    clustered_errors,
    estimate_draws,
    interval,
)


@dataclass(frozen=True)
class Believed:
    """What a model believes of each item, in the units of scores.

    `of_sums(weights)`: sums of qualities, one row of weights (sums, items) each, and how far ratings moved
    them.
    """

    score: FloatArray
    sd: FloatArray
    of_sums: Callable[[csr_array], tuple[FloatArray, ClusterSums]]


def fit_believed(
    frame: pl.DataFrame,
    items: JudgedItems,
    believed: Believed,
    settings: MethodSettings,
    rng: np.random.Generator,
    *,
    workers: pl.DataFrame,
) -> Fit:
    """Scores of segments and systems, with intervals, p-values and draws.

    A system's score is the mean of its segments', of several attributes each weighing the same. What is said
    of systems allows for other workers and other documents, ratings of either going together; intervals,
    p-values and draws all follow from the same errors.
    """
    rows = in_canonical_order(scored_rows(frame, method="worker-model"))
    weights = _weights(items)
    mean, sums = believed.of_sums(weights)
    n_attributes = len(items.attributes)
    judged = np.diff(weights.indptr).reshape(-1, n_attributes) > 0
    share = judged / judged.sum(axis=1, keepdims=True)
    together = csr_array(
        (share.ravel(), np.arange(share.size), np.arange(0, share.size + 1, n_attributes)),
        shape=(len(items.systems), share.size),
    )
    of_systems = sums._replace(moved=(together @ sums.moved.T).T)
    whole = _ranked(rows, items, believed, settings, rng, scores=(together @ mean, of_systems))
    n_workers, n_documents = len(np.unique(sums.worker)), len(np.unique(sums.document))
    whole = replace(whole, units=InferenceUnits(n_workers, n_documents, items.documents_known))
    if n_attributes == 1:
        return replace(
            whole, workers=workers, warnings=(*odd_shapes(items), *_other_winner(frame, whole, settings))
        )
    alone = []
    for place, name in enumerate(items.attributes):
        at = np.flatnonzero(judged[:, place]) * n_attributes + place
        fit = _ranked(
            rows.filter(pl.col("attribute") == name),
            _of_attribute(items, name),
            believed,
            settings,
            rng,
            scores=(mean[at], sums._replace(moved=sums.moved[:, at])),
        )
        alone.append((name, replace(fit, workers=workers)))
    warnings = (*odd_shapes(items), *_other_winner(frame, whole, settings))
    return replace(whole, workers=workers, attributes=tuple(alone), warnings=warnings)


def with_learnt(frame: pl.DataFrame, learnt: pl.DataFrame) -> pl.DataFrame:
    """`Fit.workers`: each worker's mean and deviation beside what the model learnt of them."""
    plain = worker_table(frame).select("worker_id", "mean", "sd")
    return plain.join(learnt, on="worker_id", how="left", maintain_order="left")


def _weights(items: JudgedItems) -> csr_array:
    """The share of each item in the score of each system and attribute (systems x attributes, items)."""
    cells = items.cells
    system = cells["system_id"].cast(pl.String).replace_strict(items.systems, range(len(items.systems)))
    attribute = (
        cells["attribute"].cast(pl.String).replace_strict(items.attributes, range(len(items.attributes)))
    )
    # Where a segment of a system has two texts, they share its weight.
    texts = cells.select(pl.len().over(*CELL, "attribute")).to_series().to_numpy()
    row = system.to_numpy() * len(items.attributes) + attribute.to_numpy()
    shape = (len(items.systems) * len(items.attributes), items.n_items)
    share = 1.0 / texts
    share /= np.bincount(row, share, shape[0])[row]
    return csr_array((share, (row, cells["item"].to_numpy())), shape=shape)


def _of_attribute(items: JudgedItems, name: str) -> JudgedItems:
    cells = items.cells.filter(pl.col("attribute") == name)
    return replace(items, cells=cells, systems=cells["system_id"].unique().cast(pl.String).sort().to_list())


def _ranked(
    rows: pl.DataFrame,
    items: JudgedItems,
    believed: Believed,
    settings: MethodSettings,
    rng: np.random.Generator,
    *,
    scores: tuple[FloatArray, ClusterSums],
) -> Fit:
    """Segments and systems, best first, of the systems of `items` with these scores."""
    score, sums = scores
    order = np.array(sorted(range(len(score)), key=lambda s: (-score[s], items.systems[s])), dtype=np.int64)
    cells = raw_means(rows)
    names = [items.systems[place] for place in order]
    score, errors = score[order], clustered_errors(sums._replace(moved=sums.moved[:, order]))
    lower, upper = interval(score, errors, level=settings.level)
    systems = (
        pl.DataFrame({"system_id": pl.Series(names, dtype=pl.String), "score": score})
        .with_columns(lower=lower, upper=upper)
        .with_columns(pl.col("lower", "upper").fill_nan(None))
        .join(raw_systems(rows, cells), on="system_id", how="left", maintain_order="left")
        .select("system_id", "score", "lower", "upper", "mean_rating", "n_segments", "n_judgements")
    )
    segments = cells.join(_segments(items, believed), on=CELL, how="left", maintain_order="left").select(
        *CELL, "score", "sd", "mean_rating", "n"
    )
    return Fit(
        segments=segments,
        systems=systems,
        p_values=_p_values(score, errors),
        workers=pl.DataFrame(),
        draws=estimate_draws(score, errors, settings.draws, rng) if settings.draws else None,
    )


def _segments(items: JudgedItems, believed: Believed) -> pl.DataFrame:
    """Score and sd of each system's segment: the mean over its texts and attributes."""
    place = items.cells["item"].to_numpy()
    return (
        items.cells.with_columns(
            pl.col(CELL).cast(pl.String),
            pl.Series("score", believed.score[place]),
            pl.Series("variance", believed.sd[place] ** 2),
        )
        .group_by(CELL, maintain_order=True)
        .agg(pl.col("score").mean(), sd=pl.col("variance").sum().sqrt() / pl.len())
    )


def _p_values(score: FloatArray, errors: ClusteredErrors) -> FloatArray:
    """The probability of such a difference, or a larger one, if the system of the row were not better."""
    p_values = better_p_values(score, errors)
    # Systems that always share their texts are the same.
    p_values[errors.difference_variance <= 1e-12 * np.nanmax(errors.variance, initial=0.0)] = 0.5
    np.fill_diagonal(p_values, np.nan)
    return p_values


def _other_winner(frame: pl.DataFrame, fit: Fit, settings: MethodSettings) -> tuple[str, ...]:
    """A warning where the mean of standardised ratings puts another system first."""
    if len(fit.systems) < 2:
        return ()
    rows = scored_rows(with_z(frame, settings), method="mean-z").drop_nulls("value")
    means = rows
    for keys in ((*CELL, "attribute"), ("system_id", "attribute"), ("system_id",)):
        means = means.group_by(keys).agg(pl.col("value").mean())
    if means.is_empty():
        return ()
    other = str(means.sort("value", "system_id", descending=[True, False])["system_id"][0])
    first = fit.systems["system_id"][0]
    if other == first:
        return ()
    place = fit.systems["system_id"].to_list().index(other)
    p_value = float(fit.p_values[0, place])
    by_model = "" if np.isnan(p_value) else f" (p = {p_value:.2f} against {other})"
    return (
        f"The model puts {first} first{by_model}, mean z puts {other} first. Look at the workers it trusts "
        "most before you announce a winner.",
    )
