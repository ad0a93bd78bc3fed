"""How well mean ratings are replicated, by number of ratings."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.replication.settings import Replication, shown_numbers
from steelyard.exhibits._replications import draws_told, replication_signature, replications
from steelyard.exhibits._sources import group_borders, in_columns, title_of

# The comparisons that are shown: what they are called in columns, their rows, and their heading.
_SHOWN = (
    ("rating_", "full", "rating", "Raw, N to all: r"),
    ("z_", "full", "z", "z, N to all: r"),
    ("same_", "same", "z", "z, N to N: r"),
)
COLUMNS = (
    Column("source", "Source"),
    Column("ratings", "N"),
    Column("n_items", "Translations", 0),
    *(
        column
        for start, _, _, heading in _SHOWN
        for column in (
            Column(f"{start}r", heading, 3),
            Column(f"{start}lower", "Low", 3),
            Column(f"{start}upper", "High", 3),
            Column(f"{start}expected", "Expected", 3),
        )
    ),
)
NOTES = (
    "N to all: means of N ratings against means of all ratings of the second collection or half; N to N: "
    "against means of N of them.",
    "Low and high are the ends of 95 % of the draws. Expected: from the reliability of one rating, by the "
    "formula of Spearman and Brown.",
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Correlation of two collections' mean ratings, or of two halves', by number of ratings.

    What [Graham2015, figures 1 and 2] shows: N ratings per translation are drawn again and again from one
    collection and their means held against those of another, raw and standardised. Two sources are two
    collections of the same translations, and each has its turn to be drawn from; any other number of
    sources, or the option --split, splits the workers of each in halves. Bands are of drawing again from
    the same ratings: other workers and translations may differ more, which is what the interval of rho
    is for.
    """
    found = replications(evidence, options, both_ways=True)
    rows = pl.concat(wide_rows(study).with_columns(source=pl.lit(title)) for title, study in found)
    several = len(evidence) > 1
    notes = [draws_told(found[0][1])]
    for title, study in found:
        named = f"{title}: " if several else ""
        notes += [f"{named}{study.conclusion}", *(f"{named}{warning}" for warning in study.warnings)]
    return Table(
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        columns=COLUMNS,
        rows=in_columns(rows, COLUMNS),
        notes=(*NOTES, *dict.fromkeys(notes)),
        signature=replication_signature(TABLE, evidence, found[0][1]),
        borders=group_borders(rows, "source"),
    )


def wide_rows(study: Replication) -> pl.DataFrame:
    """The comparisons of a study side by side, for the numbers of ratings that are shown."""
    rows = study.rows
    last = rows.group_by("against").agg(pl.col("ratings").max())["ratings"].to_list()
    numbers = sorted({*shown_numbers(max(last)), *last})
    wide = pl.DataFrame({"ratings": pl.Series(numbers, dtype=pl.Int64)})
    for start, against, scale, _ in _SHOWN:
        part = rows.filter((pl.col("against") == against) & (pl.col("scale") == scale)).select(
            "ratings",
            pl.col("n_items").alias(f"{start}n_items"),
            *(pl.col(name).alias(start + name) for name in ("r", "lower", "upper", "expected")),
        )
        wide = wide.join(part, on="ratings", how="left", maintain_order="left")
    items = pl.coalesce(f"{start}n_items" for start, *_ in _SHOWN)
    return wide.with_columns(n_items=items)


TABLE = Exhibit(
    name="replication",
    title="Replication by number of ratings",
    cite=("Graham2015",),
    make=make,
    several=True,
)
