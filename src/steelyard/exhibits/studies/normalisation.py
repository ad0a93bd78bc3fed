"""A study of normalisation: its tables, and the result that every renderer takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from steelyard.aggregation import chosen_options, methods
from steelyard.domain.exhibit import Column, Table
from steelyard.domain.study import StudyResult
from steelyard.domain.wording import counted
from steelyard.evaluation.normalisation.settings import (
    Normalisation,
    NormalisationSettings,
    shown_name,
)
from steelyard.exhibits._sources import group_borders, in_columns

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
# Known of every judgement, with all gold known.
_KNOWN_ONLY = ("retained", "worker_agreement", "worker_kappa")
_HELD_OUT_ONLY = ("difference", "lower", "upper")
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
# The headings of a table's parts, by the value of its first column.
_HEADINGS = {
    "known": "gold known to the methods",
    "held out": "gold held out",
    "worker": "five who click at random",
    "method": "scores with and without them",
}


def normalisation_study(found: Normalisation) -> StudyResult:
    """The methods against the expert, the random workers, and what that amounts to."""
    made = [normalisation_table(found)]
    if len(found.random_workers):
        made.append(resistance_table(found.random_workers, found.resistance))
    settings = _settings(found.settings)
    return StudyResult(
        name="normalisation",
        title=made[0].title,
        settings=settings,
        tables=tuple(part for table in made for part in _parts(table)),
        conclusion=(found.conclusion,),
        warnings=found.warnings,
        signature=found.signature,
        record={
            "signature": found.signature,
            "title": found.title,
            "settings": settings,
            "n_gold": found.n_gold,
            "n_folds": found.n_folds,
            "n_categories": found.n_categories,
            "methods": found.rows,
            "random_workers": found.random_workers,
            "resistance": found.resistance,
            "conclusion": found.conclusion,
            "warnings": list(found.warnings),
        },
    )


def normalisation_table(found: Normalisation) -> Table:
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
        name="normalisation",
        title=f"Normalisation against an expert: {found.title}",
        columns=_COLUMNS,
        rows=in_columns(rows, _COLUMNS),
        notes=_notes(found),
        borders=group_borders(rows, "gold"),
    )


def resistance_table(workers: pl.DataFrame, by_method: pl.DataFrame) -> Table:
    """The random workers and, below them, how the scores of each method changed."""
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
            by_method.with_columns(of=pl.lit("method"), name=names),
        ],
        how="diagonal",
    )
    return Table(
        name="random-resistance",
        title="Resistance to random workers",
        columns=columns,
        rows=in_columns(rows, columns),
        notes=(
            "Δ: mean distance from the expert, in points; K_Δ: beyond chance. Weights are relative to one "
            "another within a method; – is no vote.",
            "Mean change: how far the random workers move the final scores, in the units of the method's own "
            "scores. r of scores: correlation of the final scores with and without them.",
        ),
        borders=group_borders(rows, "of"),
    )


def _notes(found: Normalisation) -> tuple[str, ...]:
    held_out = (
        "each alone" if found.n_folds == found.n_gold else f"in {found.n_folds} parts, each hidden in turn"
    )
    category = (
        "the nearest point of the scale"
        if found.on_points
        else f"one of {found.n_categories} equal parts of the scale"
    )
    return (
        f"Over {counted(found.n_gold, 'gold translation')}. Held out: {held_out}; r and ρ are then of scores "
        "less the mean of all scores of their fit. Methods that use no gold have the same figures in both "
        "halves.",
        "r, ρ: Pearson's and Spearman's correlation of final scores with the expert. Δ: mean distance from "
        f"the expert, in points. P(A): share in the same category, which is {category}; K: beyond a chance "
        f"of 1/{found.n_categories}. Methods whose scores are not in points have none of these three.",
        "Workers: over all pairs of judgements retained, of two workers on one translation; not after "
        "ratings were shifted.",
    )


def _settings(settings: NormalisationSettings) -> dict[str, Any]:
    """The choices of a study; of the analysis behind it only those it rests on."""
    plain = asdict(settings)
    del plain["analysis"]
    method = settings.analysis.method_settings
    in_points = [name for name, known in methods().items() if known.in_points]
    weighing = chosen_options(method, in_points) | dict(method.for_others)
    return {**plain, **weighing, "seed": settings.analysis.seed}


def _parts(table: Table) -> Sequence[Table]:
    """A table for each value of the first column, with the columns known there; notes below the last."""
    first, *others = table.columns
    parts = []
    for name in table.rows[first.name].unique(maintain_order=True):
        rows = table.rows.filter(pl.col(first.name) == name)
        columns = tuple(column for column in others if _is_informative(rows[column.name]))
        parts.append(
            replace(
                table,
                name=f"{table.name}-{name.replace(' ', '-')}",
                title=f"{table.title} – {_HEADINGS[name]}",
                columns=columns,
                rows=in_columns(rows, columns),
                notes=(),
                borders=(),
            )
        )
    parts[-1] = replace(parts[-1], notes=table.notes)
    return parts


def _is_informative(column: pl.Series) -> bool:
    """Whether a column says anything; that every translation has a score goes without saying."""
    if column.name == "n_unscored":
        return bool((column > 0).any())
    return column.count() > 0
