"""What normalisation makes of workers who click at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.normalisation.settings import NormalisationSettings, shown_name
from steelyard.evaluation.normalisation.study import fit_all, prepare, random_resistance
from steelyard.exhibits._gold import gold_signature
from steelyard.exhibits._sources import group_borders, in_columns, title_of
from steelyard.exhibits.tables.normalisation import EVERYBODY

_OF_WORKERS = (
    Column("delta", "Δ", 3),
    Column("k_delta", "K_Δ", 3),
)
_OF_METHODS = (
    Column("change", "Mean change", 3),
    Column("r_scores", "r of scores", 3),
    Column("r_before", "r with expert", 3),
    Column("r_after", "after", 3),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Five workers who click at random: their weights, and how far they move the scores of each method.

    As [Denkowski2010, table 2]: two click anywhere on the scale; three about a third, a half and two thirds
    of it, with a deviation of a third. Each judges every translation once. Δ is their mean distance from
    the expert and K_Δ what that is beyond chance, both of ratings as they were given, before any shift. A
    method resists if they get little weight, if scores with and without them correlate highly, and if it
    comes as close to the expert as before. Who clicks where most of the expert's ratings are gets some
    weight.
    """
    source = evidence[0]
    study = prepare(
        source.frame,
        NormalisationSettings(
            methods=options.methods, analysis=replace(source.analysis.settings, seed=options.seed)
        ),
    )
    workers, methods = random_resistance(study, fit_all(study))
    made = resistance_table(workers, methods)
    return replace(
        made,
        title=title_of(TABLE, evidence),
        notes=(*made.notes, f"{EVERYBODY} Random numbers from seed {options.seed}."),
        signature=gold_signature(TABLE, evidence, study.settings),
    )


def resistance_table(workers: pl.DataFrame, methods: pl.DataFrame) -> Table:
    """The random workers and, below them, what became of the scores of each method."""
    shown = {column.name: column for column in _OF_WORKERS}
    of_workers = tuple(
        shown.get(name) or Column(name, f"Weight, {name.replace('_', '-')}", 3)
        for name in workers.columns
        if name != "worker"
    )
    columns = (Column("of", "Of"), Column("name", "Name"), *of_workers, *_OF_METHODS)
    names = pl.col("method").map_elements(shown_name, pl.String)
    rows = pl.concat(
        [
            workers.with_columns(of=pl.lit("worker"), name=pl.col("worker")),
            methods.with_columns(of=pl.lit("method"), name=names),
        ],
        how="diagonal",
    )
    return Table(
        name=TABLE.name,
        title=TABLE.title,
        columns=columns,
        rows=in_columns(rows, columns),
        notes=(
            "Δ: mean distance from the expert, in points; K_Δ: beyond chance. Weights are relative to one "
            "another within a method; – is no vote.",
            "Mean change: of final scores by the random workers, in the units of the method's own scores. r "
            "of scores: correlation of the final scores with and without them.",
        ),
        borders=group_borders(rows, "of"),
    )


TABLE = Exhibit(
    name="random-resistance",
    title="Resistance to random workers",
    cite=("Denkowski2010",),
    make=make,
    of_everyone=True,
    runs_methods=True,
)
