"""Every worker with all that was found about them, for the manager who decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import Analysis
from steelyard.exhibits._sources import in_columns, table_of
from steelyard.review.flags import FLAGS
from steelyard.review.payment import WORDS, Suggestion

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
    Column("excluded", "Why excluded by a person"),
    Column("suggestion", "Suggestion"),
    Column("reason", "Why this verdict"),
    Column("remarks", "Why these flags"),
)
# What a method may have learnt of workers, shown only where it has.
LEARNT = ("offset", "offset_sd", "slope", "slope_sd", "precision", "precision_sd", "weight", "portrait")
# Those who need a person's eye first.
_MOST_URGENT = ("refuse", "look", "pay")
_LEAST_CLEAR = ("fail", "insufficient", "pass")
# What verdicts are called in front of people.
VERDICTS = {"pass": "passed", "fail": "failed", "insufficient": "too few controls"}
NOT_CHECKED = "not checked"
# What the suggestions on payment are called in lists; a legend says what they mean.
PAYMENT_LABELS: dict[Suggestion, str] = {"refuse": "refuse?", "look": "look first", "pay": "pay"}


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
    joined = analysis.workers.join(_excluded(analysis), on="worker_id", how="left", maintain_order="left")
    rows = urgent_first(joined.with_columns(pl.col("excluded_hits").fill_null(0))).with_columns(
        pl.col("flags").list.join(", "),
        pl.col("remarks").list.join(" "),
        pl.col("suggestion").replace_strict(dict(WORDS), default=None, return_dtype=pl.String),
    )
    rare = (*LEARNT, "excluded")
    columns = [column for column in _COLUMNS if column.name not in rare or is_learnt(rows, column.name)]
    return table_of(
        TABLE,
        evidence,
        columns,
        rows,
        notes=("A manager decides: never refuse payment on a p-value. Verdicts choose ratings, not people.",),
    )


def short_workers_table(analysis: Analysis) -> Table:
    """Every worker in words, urgent ones first: what the file beside a report holds."""
    found = urgent_first(analysis.workers)
    rows = found.with_columns(
        pl.col("verdict").replace(VERDICTS).fill_null(NOT_CHECKED),
        pl.Series("flags", [flags_in_words(flags) for flags in found["flags"].to_list()], dtype=pl.String),
        pl.col("suggestion").replace(dict(WORDS)),
    )
    columns = (
        Column("worker_id", "Worker"),
        Column("verdict", "Verdict"),
        Column("flags", "Flags"),
        Column("suggestion", "Payment"),
        Column("n_judgements", "Judgements"),
        Column("n_pairs", "Control pairs"),
        Column("mean_difference", "Mean drop", 1),
        Column("p_value", "p", 4, p_value=True),
        Column("power", "Power", 2),
        Column("seconds_per_judgement", "Seconds per judgement", 1),
        Column("mean", "Mean rating", 1),
        Column("sd", "Deviation", 1),
        *(
            column
            for column in _COLUMNS
            if column.name in (*LEARNT, "excluded") and is_learnt(found, column.name)
        ),
    )
    return Table("workers", "Workers", columns, in_columns(rows, columns), signature=analysis.signature)


def excluded_table(analysis: Analysis) -> Table:
    """Single HITs that were left out, and why."""
    columns = (
        Column("worker_id", "Worker"),
        Column("hit_id", "HIT"),
        Column("n_judgements", "Judgements"),
        Column("excluded", "Why"),
    )
    rows = in_columns(excluded_hits(analysis), columns)
    return Table("excluded-hits", "HITs left out", columns, rows, signature=analysis.signature)


def excluded_hits(analysis: Analysis) -> pl.DataFrame:
    """The rows of `hits` that were left out."""
    return analysis.hits.filter(pl.col("excluded").is_not_null())


def urgent_first(workers: pl.DataFrame) -> pl.DataFrame:
    """The workers by advice on payment, verdict and number of flags: who needs a look comes first."""
    return workers.sort(
        _place("suggestion", _MOST_URGENT),
        _place("verdict", _LEAST_CLEAR),
        -pl.col("flags").list.len().fill_null(0).cast(pl.Int64),
        "worker_id",
    )


def is_learnt(workers: pl.DataFrame, name: str) -> bool:
    """Whether this is known of any worker."""
    return name in workers.columns and workers[name].count() > 0


def flags_in_words(flags: Iterable[str] | None) -> str:
    """Flags in words; one we do not know by the name it has."""
    return ", ".join(FLAGS.get(flag, flag) for flag in flags or ())


def _excluded(analysis: Analysis) -> pl.DataFrame:
    """How many single HITs of each worker were left out."""
    return excluded_hits(analysis).group_by("worker_id").agg(excluded_hits=pl.len().cast(pl.Int64))


def _place(name: str, order: Sequence[str]) -> pl.Expr:
    places = {word: place for place, word in enumerate(order)}
    return pl.col(name).replace_strict(places, default=len(order), return_dtype=pl.Int64)


TABLE = Exhibit(name="workers", title="Workers", cite=("Graham2013", "Graham2014", "Mathur2018"), make=make)
