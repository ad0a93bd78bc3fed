"""Ways of normalising ratings beside each other, held against an expert's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import counted
from steelyard.evaluation.normalisation.settings import Normalisation, NormalisationSettings, shown_name
from steelyard.evaluation.normalisation.study import normalise
from steelyard.exhibits._gold import gold_signature
from steelyard.exhibits._sources import group_borders, in_columns, title_of

_COLUMNS = (
    Column("gold", "Gold"),
    Column("shown", "Method"),
    Column("uses_gold", "Uses gold"),
    Column("retained", "Retained"),
    Column("n_unscored", "Without score"),
    Column("r", "r", 3),
    Column("rho", "ρ", 3),
    Column("delta", "Δ", 3),
    Column("agreement", "P(A)", 3),
    Column("kappa", "K", 3),
    Column("worker_agreement", "Workers' P(A)", 3),
    Column("worker_kappa", "Workers' K", 3),
    Column("difference", "r, to straight average", 3),
    Column("lower", "from", 3),
    Column("upper", "to", 3),
)
_BOTH = ("n_scored", "n_unscored", "r", "rho", "delta", "agreement", "kappa")
# Told of every judgement, with all gold known.
_KNOWN_ONLY = ("retained", "worker_agreement", "worker_kappa")
_HELD_OUT_ONLY = ("difference", "lower", "upper")
# The signature below an exhibit is the analysis', which may leave workers out.
EVERYBODY = "From everybody's judgements, whatever the check found."


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Six normalisations of everybody's ratings, and mean z and the worker model, beside an expert's.

    As [Denkowski2010, table 1]: judgements retained; Pearson's correlation of final scores with the expert's
    ratings, and their mean distance Δ; agreement P(A) and K = (P(A) - P(E)) / (1 - P(E)) with a chance of 1
    over the number of categories, after rounding; the same among workers, over all pairs of judgements of a
    translation that were retained. There, weights come from the gold that they are then tested on. So the
    second half of the table has the same figures for scores whose gold was hidden while they were made:
    believe these. Nobody is left out by a check, and judgements of gold items count as any others of
    their translation. Intervals of the difference to the straight average come from drawing gold translations
    again, and each holds for itself; the best of several methods looks better than it is, which the
    conclusion below the table allows for.
    """
    source = evidence[0]
    settings = NormalisationSettings(
        methods=options.methods,
        random_workers=False,
        analysis=replace(source.analysis.settings, seed=options.seed),
    )
    found = normalise(source.frame, settings)
    made = study_table(found)
    return replace(
        made,
        title=title_of(TABLE, evidence),
        notes=(*made.notes, EVERYBODY, found.conclusion, *found.warnings),
        signature=gold_signature(TABLE, evidence, found.settings),
    )


def study_table(found: Normalisation) -> Table:
    """The rows of a study as a table of two halves: gold known to the methods, and held out."""
    shown = pl.col("method").map_elements(shown_name, pl.String).alias("shown")
    known = found.rows.select(
        pl.lit("known").alias("gold"),
        shown,
        "uses_gold",
        *_KNOWN_ONLY,
        *_BOTH,
        *(pl.lit(None, pl.Float64).alias(name) for name in _HELD_OUT_ONLY),
    )
    rest = found.rows.select(
        pl.lit("held out").alias("gold"),
        shown,
        "uses_gold",
        *(pl.lit(None, found.rows.schema[name]).alias(name) for name in _KNOWN_ONLY),
        *(pl.col(f"held_out_{name}").alias(name) for name in _BOTH),
        *_HELD_OUT_ONLY,
    )
    rows = pl.concat([known, rest])
    return Table(
        name=TABLE.name,
        title=f"{TABLE.title}: {found.title}",
        columns=_COLUMNS,
        rows=in_columns(rows, _COLUMNS),
        notes=_notes(found),
        borders=group_borders(rows, "gold"),
    )


def _notes(found: Normalisation) -> tuple[str, ...]:
    held_out = (
        "each alone" if found.n_folds == found.n_gold else f"in {found.n_folds} parts, each hidden in turn"
    )
    return (
        f"Over {counted(found.n_gold, 'gold translation')}. Held out: {held_out}; r and ρ are then of scores "
        "taken off the mean of all scores of their fit. Methods that use no gold have the same figures in "
        "both halves.",
        "r, ρ: Pearson's and Spearman's correlation of final scores with the expert. Δ: mean distance from "
        f"the expert, in points. P(A): share in the same category, which is {_category(found)}; K: beyond a "
        f"chance of 1/{found.n_categories}. Methods whose scores are not in points have none of these three.",
        "Workers: over all pairs of judgements retained, of two workers on one translation; not after "
        "ratings were shifted.",
    )


def _category(found: Normalisation) -> str:
    if found.on_points:
        return "the nearest point of the scale"
    return f"one of {found.n_categories} equal parts of the scale"


TABLE = Exhibit(
    name="normalisation",
    title="Normalisation against an expert",
    cite=("Denkowski2010",),
    make=make,
    of_everyone=True,
    runs_methods=True,
)
