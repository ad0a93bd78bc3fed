"""The agreement table: of workers with themselves and with each other, in categories and beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import polars as pl

from steelyard.agreement.cuts import Cut, rating_cuts, z_cuts
from steelyard.agreement.inter import inter_rows
from steelyard.agreement.intra import Repeats, intra_rows
from steelyard.agreement.item_ratings import ItemRatings
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.pairs import first_ratings, repeat_rows
from steelyard.agreement.preferences import preference_rows
from steelyard.agreement.rows import Row, ScaleName
from steelyard.documents import documents_of
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of, standardise_ratings
from steelyard.preferences import is_of_preferences
from steelyard.stats.arrays import FloatArray

__all__ = ["AGREEMENT_SCHEMA", "AgreementOptions", "agreement"]

# Fewer ratings than this and a worker's own mean and deviation mean little [our choice].
FEWEST_RATINGS = 10

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
    "n_workers": pl.Int64(),
}


def agreement(frame: pl.DataFrame, options: AgreementOptions) -> pl.DataFrame:
    """Agreement of workers with themselves ("intra") and with each other ("inter"), a row per coefficient.

    Columns as in AGREEMENT_SCHEMA. In categories: the share of pairs that agree, and kappa [Graham2013].
    Without categories: Pearson's correlation of first and second ratings for "intra", Krippendorff's
    alpha and ICC(1,1) for "inter". All of it for ratings as given and for z, which is taken over a worker's
    ratings in the frame as the analysis's settings say.

    Only regular items and their repeats are compared: anyone tells a degraded copy or a reference from the
    rest, so that with them workers would seem to agree more than they do on what is scored. The percentiles
    that cut z into categories are those of the z compared.

    Ratings of few points (see `frames.has_few_points`) are compared as they are, and in the wanted
    categories only if these are fewer. Where there is nothing to compare, n_pairs is 0 and the value
    null. Intervals are for other workers and other documents (segments, if documents are unknown); where
    there is but one of either, or nothing varied, there is none.

    Preferences agree in three categories: one side better, the other better, or neither; between workers
    alpha is then that for categories.
    """
    rows = preference_rows(frame, options) if is_of_preferences(frame) else _rating_rows(frame, options)
    return _table(rows)


def _rating_rows(frame: pl.DataFrame, options: AgreementOptions) -> list[Row]:
    kinds = [str(kind) for kind in SCORED_KINDS]
    is_scored = frame.select(pl.col("item_kind").is_in(kinds)).to_series()
    # Drawn towards the crowd's, ratings would agree because they were drawn: here workers stand alone.
    alone = replace(options.settings, minimum_ratings=options.settings.minimum_ratings or FEWEST_RATINGS)
    z = standardise_ratings(frame, alone).z[is_scored.to_numpy()]
    frame = frame.filter(is_scored)
    workers, worker = index_of(frame["worker_id"])
    document = documents_of(frame).number
    rating = frame["rating"].to_numpy()
    scale, wanted = options.settings.scale, options.categories
    scales: list[tuple[ScaleName, FloatArray, list[Cut]]] = [
        ("rating", rating, rating_cuts(rating, scale=scale, wanted=wanted, n_workers=len(workers))),
        ("z", z, z_cuts(z, wanted=wanted)),
    ]
    pairs, firsts = repeat_rows(frame), first_ratings(frame, worker=worker)
    first, second = pairs["first_row"].to_numpy(), pairs["second_row"].to_numpy()
    rows = []
    for name, value, cuts in scales:
        known = ~np.isnan(value[first])
        columns = (value[first], value[second], worker[first], document[first])
        repeats = Repeats(*(column[known] for column in columns))
        rows += intra_rows(repeats, scale=name, cuts=cuts, options=options)
    for name, value, cuts in scales:
        ratings = ItemRatings(value[firsts.row], firsts.item, firsts.worker, document[firsts.row])
        rows += inter_rows(ratings, scale=name, cuts=cuts, options=options)
    return rows


def _table(rows: Sequence[Row]) -> pl.DataFrame:
    table = pl.DataFrame([asdict(row) for row in rows], schema=AGREEMENT_SCHEMA, orient="row")
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))
