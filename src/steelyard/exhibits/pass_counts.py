"""How many workers passed, how many of them repeat themselves, and how many ratings are left."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits._sources import passed, require_checked, share, table_of, was_checked
from steelyard.preferences import is_of_preferences
from steelyard.review.consistency import THRESHOLD, holds

_COLUMNS = (
    Column("source", "Source"),
    Column("attribute", "Attribute"),
    Column("n_workers", "Workers"),
    Column("good_workers", "Good"),
    Column("good_share", "Good, %", 1, per_cent=True),
    Column("consistent_workers", "Of these consistent"),
    Column("consistent_share", "Consistent, %", 1, per_cent=True),
    Column("equivalent_workers", "Equivalence shown"),
    Column("n_ratings", "Ratings"),
    Column("kept_ratings", "Kept"),
    Column("kept_share", "Kept, %", 1, per_cent=True),
    Column("insufficient_workers", "Too few pairs"),
    Column("flagged_workers", "Flagged"),
)
_WORDS = ("source", "attribute")


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Workers, good workers, assumption A and ratings kept, one row per source and attribute.

    The layout of [Graham2014, table 1]. Good workers passed the check; consistent ones are those of
    them whose repeats do not differ significantly from first ratings (assumption A, two-sided
    p of at least 0.05). That shows little by itself, for a worker with few repeats or much scatter
    is consistent too; "equivalence shown" counts those whose mean difference is significantly within
    5 % of the scale. Do not read the rows of one source as independent: a worker has one verdict
    over all attributes that the check is about.
    """
    require_checked(evidence)
    rows = [row for source in evidence for row in _rows(source)]
    types = dict.fromkeys(_WORDS, pl.String)
    return table_of(
        TABLE,
        evidence,
        _COLUMNS,
        pl.DataFrame(
            rows,
            schema={
                column.name: types.get(column.name, pl.Float64 if column.per_cent else pl.Int64)
                for column in _COLUMNS
            },
            orient="row",
        ),
        notes=_notes(evidence),
    )


def _rows(source: Evidence) -> list[tuple[str | int | float | None, ...]]:
    """One row per attribute of the source."""
    judged = source.judged.group_by("attribute").agg(pl.col("worker_id").unique(), n=pl.len())
    kept = dict(source.judged.filter(source.keeps).group_by("attribute").agg(pl.len()).iter_rows())
    return [
        (source.title, attribute or None, *_numbers(source, worker_ids, n_ratings, kept.get(attribute, 0)))
        for attribute, worker_ids, n_ratings in judged.sort("attribute").iter_rows()
    ]


def _numbers(
    source: Evidence, worker_ids: list[str], n_ratings: int, kept_ratings: int
) -> tuple[int | float | None, ...]:
    """What is counted among the workers who judged one attribute."""
    workers = source.analysis.workers.filter(pl.col("worker_id").is_in(worker_ids))
    flagged = int((workers["flags"].list.len() > 0).sum())
    kept = (n_ratings, kept_ratings, share(kept_ratings, n_ratings))
    if not was_checked(source.analysis):
        return (len(workers), *(None,) * 5, *kept, None, flagged)
    good = workers.filter(pl.col("worker_id").is_in(passed(source.analysis)))
    testable = good["consistency_p"].count()
    consistent = sum(map(holds, good["consistency_p"])) if testable else None
    return (
        len(workers),
        len(good),
        share(len(good), len(workers)),
        consistent,
        share(consistent, len(good)),
        int((good["equivalence_p"] < THRESHOLD).sum()) if testable else None,
        *kept,
        len(workers.filter(verdict="insufficient")),
        flagged,
    )


def _notes(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    notes = []
    if any(source.judged["attribute"].n_unique() > 1 for source in evidence):
        notes.append("A worker has one verdict over all attributes that the check is about.")
    untestable = sum(
        source.analysis.workers.filter(verdict="pass")["consistency_p"].null_count()
        for source in evidence
        if not is_of_preferences(source.judged)
    )
    if untestable:
        notes.append(
            f"{untestable} of the good workers judged fewer than two repeats; nothing speaks against them."
        )
    return tuple(notes)


TABLE = Exhibit(
    name="pass-counts",
    title="Workers and ratings after quality control",
    cite=("Graham2014",),
    make=make,
    several=True,
    report=ReportPlace(100),
)
