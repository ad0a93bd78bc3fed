"""Scores as means of items' modes after EASL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.aggregation._order import CELL, in_canonical_order
from steelyard.aggregation._segment_draws import (
    DrawnScores,
    SegmentDraws,
    draw_segments,
    fit_scores,
    lacking_attributes,
    mean_values,
)
from steelyard.aggregation._segment_means import scored_rows, worker_table
from steelyard.documents import segment_documents
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.frames import index_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.easl import item_beliefs


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Mean over a system's translations of EASL's estimate for each [Sakaguchi2018].

    Each translation has a Beta distribution that its ratings sharpen; its score is the mode. For ratings
    already collected that is their plain mean: EASL's gain lies in choosing what to ask next, and it has
    no model of workers. `sd` of a segment is the deviation of its distribution, large with few ratings.
    """
    rows = in_canonical_order(scored_rows(frame, method=METHOD.name))
    systems, system = index_of(rows["system_id"])
    segments, segment = index_of(rows["segment_id"])
    numbered = rows.with_columns(pl.Series("system", system), pl.Series("segment", segment))
    items = _items(numbered, scale=settings.scale)
    document = segment_documents(frame, segments).number
    draws = draw_segments(document, draws=settings.draws, rng=rng)
    names = rows["attribute"].unique().sort().cast(pl.String).to_list()
    values = {
        name: _system_scores(items.filter(pl.col("attribute") == name), draws, n_systems=len(systems))
        for name in names
    }
    workers = worker_table(frame)

    def fit_of(among: Sequence[str]) -> Fit:
        of_attribute = pl.col("attribute").cast(pl.String).is_in(among)
        scores = DrawnScores(
            systems,
            values=mean_values([values[name] for name in among]),
            comparable=np.ones((len(systems), len(systems)), dtype=np.bool_),
            segments=_segment_scores(items.filter(of_attribute)),
        )
        return fit_scores(rows.filter(of_attribute), scores, settings, workers=workers)

    alone = tuple((name, fit_of([name])) for name in names) if len(names) > 1 else ()
    return replace(fit_of(names), warnings=lacking_attributes(systems, values), attributes=alone)


def _items(rows: pl.DataFrame, *, scale: Scale) -> pl.DataFrame:
    """Each item's mode and deviation on the scale of the ratings, by cell and attribute, numbers included."""
    keys = (*CELL, "attribute")
    # Rows of one item follow each other.
    index = rows.select(pl.struct(keys).rle_id()).to_series().to_numpy().astype(np.int64)
    beliefs = item_beliefs((rows["rating"].to_numpy() - scale.minimum) / scale.width, index)
    mode, sd = scale.minimum + scale.width * beliefs.mode, scale.width * beliefs.sd
    return (
        rows.select(*keys, "system", "segment")
        .unique(maintain_order=True)
        .with_columns(pl.Series("score", mode), pl.Series("sd", sd))
    )


def _system_scores(items: pl.DataFrame, draws: SegmentDraws, *, n_systems: int) -> FloatArray:
    """Mean score of every system's items, for the data and every draw (1 + draws, S)."""
    system, segment = items["system"].to_numpy(), items["segment"].to_numpy()
    n_groups = draws.times.shape[1]
    place = draws.group[segment] * n_systems + system
    shape = (n_groups, n_systems)
    total = np.bincount(place, items["score"].to_numpy(), n_groups * n_systems).reshape(shape)
    number = np.bincount(place, minlength=n_groups * n_systems).reshape(shape)
    top, bottom = draws.times @ total, draws.times @ number
    means: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return means


def _segment_scores(items: pl.DataFrame) -> pl.DataFrame:
    """Each cell's mean over its attributes, and the deviation of that mean."""
    deviation = pl.col("sd").pow(2).sum().sqrt() / pl.len()
    cells = items.group_by(CELL, maintain_order=True).agg(pl.col("score").mean(), sd=deviation)
    return cells.with_columns(pl.col(CELL).cast(pl.String))


METHOD = Method(
    name="easl",
    title="EASL",
    cite=("Sakaguchi2018",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    own_test="draws",
)
