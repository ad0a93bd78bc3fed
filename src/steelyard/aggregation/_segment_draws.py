"""Shared by the comparators: scores on resampled documents, and a Fit from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.aggregation._order import CELL
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.bootstrap import bootstrap_p

# More documents than this are drawn in this many groups of equal size: the spread of the scores is then
# known to one or two per cent, as from a thousand draws [our choice].
MOST_GROUPS = 3_000


class SegmentDraws(NamedTuple):
    """How often each group of documents is taken: `times` (1 + draws, groups), `group` (segments,).

    The first row takes everything once: whatever is computed from it is the score itself.
    """

    group: IntArray
    times: FloatArray


def draw_segments(document: IntArray, *, draws: int, rng: np.random.Generator) -> SegmentDraws:
    """Whole documents drawn with replacement, as many as there are, for the data as they are and each draw.

    `document` (segments,) has the number of each segment's, from 0.
    """
    n_documents = int(document.max()) + 1
    n_groups = min(n_documents, MOST_GROUPS)
    many = n_documents > n_groups
    group = (rng.permutation(n_documents) % n_groups)[document] if many else document
    times = np.ones((1 + draws, n_groups))
    if draws:
        times[1:] = rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=draws)
    return SegmentDraws(group=group, times=times)


@dataclass(frozen=True, slots=True)
class DrawnScores:
    """What a method found: scores of the data in row 0 and of every draw below it (1 + draws, S).

    `systems` names the columns; a system that could not be scored is NaN in row 0. `comparable`
    (S, S) says which systems' scores may be set against each other. `segments`: system_id,
    segment_id, score, sd.
    """

    systems: list[str]
    values: FloatArray
    comparable: BoolArray
    segments: pl.DataFrame


def mean_values(values: list[FloatArray]) -> FloatArray:
    """The mean of several attributes' scores, each weighing the same; NaN where none has any."""
    stacked = np.stack(values)
    known = ~np.isnan(stacked)
    n_known = known.sum(axis=0)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    means: FloatArray = np.divide(total, n_known, out=np.full(total.shape, np.nan), where=n_known > 0)
    return means


def lacking_attributes(systems: list[str], values: Mapping[str, FloatArray]) -> tuple[str, ...]:
    """A warning where a system has scores for some attributes only."""
    lacking = []
    for place, system in enumerate(systems):
        missing = [name for name, scores in values.items() if np.isnan(scores[0, place])]
        if 0 < len(missing) < len(values):
            lacking.append(f"{system} ({', '.join(missing)})")
    if not lacking:
        return ()
    return (
        "These systems have no score in some attributes, so their scores over all are not comparable: "
        f"{', '.join(lacking)}.",
    )


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of `systems` with intervals (S,) each, and p-values (S, S) that the row is the better one.

    A system that could not be scored is NaN. `segments`: system_id, segment_id, score, sd.
    """

    systems: list[str]
    score: FloatArray
    lower: FloatArray
    upper: FloatArray
    p_values: FloatArray
    segments: pl.DataFrame


def fit_scores(
    rows: pl.DataFrame, scores: DrawnScores, settings: MethodSettings, *, workers: pl.DataFrame
) -> Fit:
    """Scores with intervals and p-values from the draws, beside the raw means of the ordered rows.

    An interval is the middle part of a system's draws; the p-value that one system is better than
    another the share of draws in which it is not, one such draw added, so that it is never 0. Without
    draws both are unknown, and p-values also where two systems cannot be set against each other.
    Workers are taken as given: where a few of them did most of the work, intervals are too narrow.
    """
    lower, upper = _bounds(scores.values[1:], level=settings.level)
    p_values = bootstrap_p(scores.values[1:])
    p_values[~scores.comparable] = np.nan
    found = Scored(scores.systems, scores.values[0], lower, upper, p_values, scores.segments)
    return fit_scored(rows, found, workers=workers)


def fit_scored(rows: pl.DataFrame, found: Scored, *, workers: pl.DataFrame) -> Fit:
    """The scores, best first, beside the raw means of the ordered rows."""
    names = np.array(found.systems, dtype=object)
    order = np.array(
        sorted(np.flatnonzero(~np.isnan(found.score)), key=lambda i: (-found.score[i], names[i])),
        dtype=np.int64,
    )
    numbers = {"score": found.score, "lower": found.lower, "upper": found.upper}
    cells = raw_means(rows)
    systems = (
        pl.DataFrame({"system_id": names[order].tolist()}, schema={"system_id": pl.String})
        .with_columns(pl.Series(name, column[order]) for name, column in numbers.items())
        .with_columns(pl.col("lower", "upper").fill_nan(None))
        .join(raw_systems(rows, cells), on="system_id", how="left", maintain_order="left")
    )
    segments = (
        cells.join(systems.select("system_id"), on="system_id", how="semi", maintain_order="left")
        .join(found.segments, on=CELL, how="left", maintain_order="left")
        .select(*CELL, "score", "sd", "mean_rating", "n")
    )
    p_values = found.p_values[np.ix_(order, order)]
    return Fit(segments=segments, systems=systems, p_values=p_values, workers=workers)


def _bounds(drawn: FloatArray, *, level: float) -> FloatArray:
    """Lower and upper bound of each system's draws (2, S)."""
    bounds: FloatArray = np.full((2, drawn.shape[1]), np.nan)
    some = ~np.isnan(drawn).all(axis=0) if len(drawn) else np.zeros(drawn.shape[1], dtype=np.bool_)
    tail = (1 - level) / 2
    if some.any():
        bounds[:, some] = np.nanquantile(drawn[:, some], [tail, 1 - tail], axis=0)
    return bounds


def raw_means(rows: pl.DataFrame) -> pl.DataFrame:
    """Mean raw rating and number of judgements of every cell, each attribute weighing the same."""
    return (
        rows.group_by(*CELL, "attribute", maintain_order=True)
        .agg(mean_rating=pl.col("rating").mean(), n=pl.len().cast(pl.Int64))
        .group_by(CELL, maintain_order=True)
        .agg(pl.col("mean_rating").mean(), pl.col("n").sum())
        .with_columns(pl.col(CELL).cast(pl.String))
    )


def raw_systems(rows: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Each system's mean raw rating, of every attribute's segments alike, and how much it rests on."""
    means = rows
    for keys in ((*CELL, "attribute"), ("system_id", "attribute"), ("system_id",)):
        means = means.group_by(keys, maintain_order=True).agg(pl.col("rating").mean())
    counts = cells.group_by("system_id").agg(
        n_segments=pl.len().cast(pl.Int64), n_judgements=pl.col("n").sum()
    )
    named = means.select(pl.col("system_id").cast(pl.String), mean_rating="rating")
    return named.join(counts, on="system_id")
