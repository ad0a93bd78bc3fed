"""The agreement table: of workers with themselves and with each other, in categories and beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import polars as pl

from steelyard.agreement.cuts import Cut, rating_cuts, z_cuts
from steelyard.agreement.inter import inter_part
from steelyard.agreement.intra import Repeats, intra_part
from steelyard.agreement.item_ratings import ItemRatings
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.pairs import first_ratings, repeat_rows
from steelyard.agreement.preferences import preference_parts
from steelyard.agreement.resample import interval_ends, resampled
from steelyard.agreement.rows import Part, Row, ScaleName
from steelyard.frames import index_of
from steelyard.preferences import is_of_preferences
from steelyard.stats.arrays import FloatArray
from steelyard.stats.standardise import standardise_by_worker

__all__ = ["AGREEMENT_SCHEMA", "AgreementOptions", "agreement"]

AGREEMENT_SCHEMA: dict[str, pl.DataType] = {
    "of": pl.String(),
    "scale": pl.String(),
    "categories": pl.Int64(),
    "n_pairs": pl.Int64(),
    "agreement": pl.Float64(),
    "chance": pl.String(),
    "coefficient": pl.String(),
    "value": pl.Float64(),
    "lower": pl.Float64(),
    "upper": pl.Float64(),
}
# Fewer ratings than this and a worker's mean and deviation mean little [our choice].
MINIMUM_RATINGS = 10


def agreement(frame: pl.DataFrame, options: AgreementOptions) -> pl.DataFrame:
    """Agreement of workers with themselves ("intra") and with each other ("inter"), a row per coefficient.

    Columns as in AGREEMENT_SCHEMA. In categories: the share of pairs that agree, and kappa [Graham2013].
    Without categories: Pearson's correlation of first and second ratings for "intra", Krippendorff's
    alpha and ICC(1,1) for "inter". All of it for ratings as given and for z, which is taken over all of
    a worker's ratings in the frame if there are ten or more that are not all the same; the percentiles
    that cut z into categories are those of all z in the frame.

    Ratings of few points (see `frames.has_few_points`) are compared as they are, and in the wanted
    categories only if these are fewer. Where there is nothing to compare, n_pairs is 0 and the value
    null. Intervals come from draws of workers, who keep their z and their percentiles; with one worker
    there is none. They take the items as given, and with very few workers, say five, no drawing of
    workers can be trusted.

    Preferences agree in three categories: one side better, the other better, or neither; between workers
    alpha is then that for categories.
    """
    n_workers = frame["worker_id"].n_unique()
    parts = preference_parts(frame, options) if is_of_preferences(frame) else _rating_parts(frame, options)
    if options.draws and n_workers > 1:
        parts = _with_intervals(parts, n_workers=n_workers, options=options)
    return _table([row for part in parts for row in part.rows])


def _rating_parts(frame: pl.DataFrame, options: AgreementOptions) -> list[Part]:
    workers, worker = index_of(frame["worker_id"])
    n_workers = len(workers)
    rating = frame["rating"].to_numpy()
    z = standardise_by_worker(rating, worker, minimum=MINIMUM_RATINGS)
    scales: list[tuple[ScaleName, FloatArray, list[Cut]]] = [
        (
            "rating",
            rating,
            rating_cuts(rating, scale=options.scale, wanted=options.categories, n_workers=n_workers),
        ),
        ("z", z, z_cuts(z, wanted=options.categories)),
    ]
    pairs, firsts = repeat_rows(frame), first_ratings(frame, worker=worker)
    first, second = pairs["first_row"].to_numpy(), pairs["second_row"].to_numpy()
    parts = []
    for scale, value, cuts in scales:
        known = ~np.isnan(value[first])
        repeats = Repeats(value[first][known], value[second][known], worker[first][known], n_workers)
        parts.append(intra_part(repeats, scale=scale, cuts=cuts, options=options))
    for scale, value, cuts in scales:
        ratings = ItemRatings(value[firsts.row], firsts.item, firsts.worker, n_workers)
        parts.append(inter_part(ratings, scale=scale, cuts=cuts, options=options))
    return parts


def _with_intervals(parts: Sequence[Part], *, n_workers: int, options: AgreementOptions) -> list[Part]:
    drawn = resampled(
        [part.redraw() for part in parts],
        n_workers=n_workers,
        draws=options.draws,
        rng=np.random.default_rng(options.seed),
    )
    found = []
    for part, values in zip(parts, drawn, strict=True):
        value = np.array([row.value for row in part.rows])
        ends = interval_ends(values, value=value, level=options.level).T.tolist()
        rows = [replace(row, lower=low, upper=high) for row, (low, high) in zip(part.rows, ends, strict=True)]
        found.append(replace(part, rows=rows))
    return found


def _table(rows: Sequence[Row]) -> pl.DataFrame:
    table = pl.DataFrame([asdict(row) for row in rows], schema=AGREEMENT_SCHEMA, orient="row")
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))
