"""How well mean ratings are replicated, by number of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._replications import draws_of_study, replication_signature, replications
from steelyard.exhibits._sources import group_borders, table_of
from steelyard.exhibits.studies.replication import CURVE_COLUMNS, CURVE_NOTES, wide_rows


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Correlation of two collections' mean ratings, or of two halves', by number of ratings.

    What [Graham2015, figures 1 and 2] shows: N ratings per translation are drawn again and again from one
    collection and their means compared with those of another, raw and standardised. Two sources are two
    collections of the same translations, and each has its turn to be drawn from; any other number of
    sources, or the option --split, splits the workers of each in halves. Bands are of drawing again from
    the same ratings: other workers and translations may differ more, which is what the interval of rho
    is for.
    """
    found = replications(evidence, options, both_ways=True)
    rows = pl.concat(wide_rows(study).with_columns(source=pl.lit(title)) for title, study in found)
    several = len(evidence) > 1
    notes = [draws_of_study(found[0][1])]
    for title, study in found:
        named = f"{title}: " if several else ""
        notes += [f"{named}{study.conclusion}", *(f"{named}{warning}" for warning in study.warnings)]
    return replace(
        table_of(
            TABLE,
            evidence,
            CURVE_COLUMNS,
            rows,
            notes=(*CURVE_NOTES, *dict.fromkeys(notes)),
            borders=group_borders(rows, "source"),
        ),
        signature=replication_signature(TABLE, evidence, found[0][1]),
    )


TABLE = Exhibit(
    name="replication",
    title="Replication by number of ratings",
    cite=("Graham2015",),
    make=make,
    several=True,
)
