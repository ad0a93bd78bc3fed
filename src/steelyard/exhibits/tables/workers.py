"""Every worker with all that was found about them, for the manager who decides."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import Analysis
from steelyard.exhibits._sources import in_columns, signature_of, title_of
from steelyard.review.payment import WORDS

_COLUMNS = (
    Column("worker_id", "Worker"),
    Column("verdict", "Verdict"),
    Column("n_judgements", "Judgements"),
    Column("n_pairs", "Degraded pairs"),
    Column("mean_difference", "Mean drop", 1),
    Column("sd_difference", "sd", 1),
    Column("p_value", "p", 4, p_value=True),
    Column("power", "Power", 2),
    Column("n_repeats", "Repeats"),
    Column("consistency_p", "Consistency p", 4, p_value=True),
    Column("equivalence_p", "Equivalence p", 4, p_value=True),
    Column("mean", "Mean rating", 1),
    Column("sd", "sd of ratings", 1),
    Column("offset", "Offset", 1),
    Column("offset_sd", "± offset", 1),
    Column("slope", "Slope", 2),
    Column("slope_sd", "± slope", 2),
    Column("precision", "Precision", 2),
    Column("precision_sd", "± precision", 2),
    Column("weight", "Weight", 2),
    Column("portrait", "In words"),
    Column("seconds_per_judgement", "Seconds per judgement", 1),
    Column("flags", "Flags"),
    Column("excluded_hits", "HITs left out"),
    Column("suggestion", "Suggestion"),
    Column("reason", "Why this verdict"),
    Column("remarks", "Why these flags"),
)
# What a method may have learnt of workers, shown only where it has.
_LEARNT = {"offset", "offset_sd", "slope", "slope_sd", "precision", "precision_sd", "weight", "portrait"}
# Those who need a person's eye first.
_MOST_URGENT = ("refuse", "look", "pay")
_LEAST_CLEAR = ("fail", "insufficient", "pass")


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Every worker with verdict, the numbers behind it, flags and advice on payment; urgent ones first.

    Power is the chance that a drop of a fifth of the scale would have been found, given how far the
    worker's own repeats lie apart: a fail with little power says little. Flags are signs for a person
    to look at, and no proof. The advice follows the practice of [Graham2013] and [Graham2014], who paid
    workers that failed: nobody is refused on a p-value, and a manager decides. Offset (in points), slope,
    precision and weight are there if the method learns them [Mathur2018], each with its standard deviation
    as far as that is known; 1 is the average worker's slope and weight. Not for publication, for it
    concerns people.
    """
    analysis = evidence[0].analysis
    rows = (
        analysis.workers.join(_excluded(analysis), on="worker_id", how="left", maintain_order="left")
        .with_columns(pl.col("excluded_hits").fill_null(0))
        .sort(
            _place("suggestion", _MOST_URGENT),
            _place("verdict", _LEAST_CLEAR),
            pl.col("flags").list.len().fill_null(0) * -1,
            "worker_id",
        )
        .with_columns(
            pl.col("flags").list.join(", "),
            pl.col("remarks").list.join(" "),
            pl.col("suggestion").replace_strict(dict(WORDS), default=None, return_dtype=pl.String),
        )
    )
    columns = tuple(column for column in _COLUMNS if column.name not in _LEARNT or _is_known(rows, column))
    return Table(
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        columns=columns,
        rows=in_columns(rows, columns),
        notes=("A manager decides: never refuse payment on a p-value. Verdicts choose ratings, not people.",),
        signature=signature_of(evidence),
    )


def _is_known(rows: pl.DataFrame, column: Column) -> bool:
    return column.name in rows.columns and rows[column.name].count() > 0


def _excluded(analysis: Analysis) -> pl.DataFrame:
    """How many single HITs of each worker were left out."""
    return (
        analysis.hits.filter(pl.col("excluded").is_not_null())
        .group_by("worker_id")
        .agg(excluded_hits=pl.len().cast(pl.Int64))
    )


def _place(name: str, order: Sequence[str]) -> pl.Expr:
    places = {word: place for place, word in enumerate(order)}
    return pl.col(name).replace_strict(places, default=len(order), return_dtype=pl.Int64)


TABLE = Exhibit(name="workers", title="Workers", cite=("Graham2013", "Graham2014", "Mathur2018"), make=make)
