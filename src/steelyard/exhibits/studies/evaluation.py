"""An evaluation of methods: its table, its figure, and the result that every renderer takes."""

from __future__ import annotations

from dataclasses import asdict
from itertools import cycle
from typing import Any

import polars as pl

from steelyard.domain.exhibit import Axis, Band, Column, Figure, Line, Panel, Points, Table, Tone
from steelyard.domain.study import StudyResult
from steelyard.evaluation.settings import YARDSTICK, Evaluation, EvaluationSettings
from steelyard.exhibits._sources import group_borders, in_columns

_COLUMNS = (
    Column("level", "over"),
    Column("ratings", "ratings"),
    Column("spam", "clickers, %", 0, per_cent=True),
    Column("marked", "method"),
    Column("n_items", "items", 0),
    Column("r", "r", 3),
    Column("r_se", "±", 3),
    Column("difference", f"to {YARDSTICK}", 3),
    Column("difference_se", "±", 3),
    Column("difference_within", "within systems", 3),
    Column("difference_within_se", "±", 3),
    Column("wins", "better in, %", 0, per_cent=True),
    Column("scored", "scored, %", 0, per_cent=True),
    Column("coverage", "covered, %", 0, per_cent=True),
)
CURVE_COLUMNS = (
    Column("method", "Method"),
    Column("ratings", "Ratings per translation"),
    Column("n_items", "Translations", 0),
    Column("r", "r", 3),
    Column("r_se", "±", 3),
    Column("difference", f"To {YARDSTICK}", 3),
    Column("difference_se", "±", 3),
    Column("difference_within", "Within systems", 3),
    Column("wins", "Better in, %", 0, per_cent=True),
)
_LEVELS = {
    "segments": "translations",
    "systems": "systems",
    "cells": "systems and attributes",
    "cells_within": "systems within attributes",
}
_TRUTHS = {
    "others": "mean z of the workers that a trial does not draw from",
    "passing": "mean z of those who pass the check, among the workers that a trial does not draw from",
    "rest": "mean z of the ratings that a trial does not draw",
    "gold": "what was known of the items beforehand",
    "all": "mean z of all workers who pass the check, including the ratings drawn",
}
_GROUP = ("level", "ratings", "spam")
_TONES: tuple[Tone, ...] = ("main", "second", "third", "good", "unsure", "bad")
# Ninety-five in a hundred means lie within this many standard errors of what they estimate.
_ERRORS = 1.96


def evaluation_study(found: Evaluation) -> StudyResult:
    """The methods side by side for every kind of trial, and their curves over the number of ratings."""
    settings = _settings(found.settings)
    table = evaluation_table(found)
    return StudyResult(
        name="evaluation",
        title=table.title,
        settings=settings,
        tables=(table,),
        figures=_figures(found),
        conclusion=(found.conclusion,),
        warnings=found.warnings,
        signature=found.signature,
        record={
            "signature": found.signature,
            "title": found.title,
            "settings": settings,
            "rows": found.rows,
            "conclusion": found.conclusion,
            "warnings": list(found.warnings),
        },
    )


def evaluation_table(found: Evaluation) -> Table:
    """The rows as a table; columns that say nothing are left out."""
    rows = found.rows
    is_best = pl.col("r") == pl.col("r").max().over(_GROUP)
    shown = rows.with_columns(
        marked=pl.col("method") + pl.when(is_best).then(pl.lit(" *")).otherwise(pl.lit("")),
        level=pl.col("level").replace_strict(_LEVELS),
    )
    columns = tuple(column for column in _COLUMNS if _is_informative(column.name, rows))
    return Table(
        name="evaluation",
        title=f"Which method comes closest to the truth: {found.title}",
        columns=columns,
        rows=in_columns(shown, columns),
        notes=_notes(found.settings, has_within=_is_informative("difference_within", rows)),
        borders=group_borders(rows, *_GROUP),
    )


def curve_rows(found: Evaluation) -> pl.DataFrame:
    """The rows method by method, in the order in which methods were named."""
    return found.rows.with_columns(
        pl.col("method").cast(pl.Enum(found.settings.methods)), pl.col("r_se").fill_null(0.0)
    ).sort("method", "ratings")


def curve_panel(rows: pl.DataFrame, *, title: str = "") -> Panel:
    """Closeness to the truth against the number of ratings, a curve with its band for each method."""
    bands: list[Band] = []
    curves: list[Line | Points] = []
    methods = rows["method"].unique(maintain_order=True).cast(pl.String).to_list()
    for place, (name, tone) in enumerate(zip(methods, cycle(_TONES), strict=False)):
        of_method = rows.filter(pl.col("method") == name)
        x, r, error = (of_method[column].cast(pl.Float64) for column in ("ratings", "r", "r_se"))
        lower, upper = (r - _ERRORS * error).clip(-1, 1), (r + _ERRORS * error).clip(-1, 1)
        bands.append(Band(tuple(x), tuple(lower), tuple(upper), tone=tone))
        # More methods than tones: the second round is dashed.
        dashed = place >= len(_TONES)
        curves += [
            Line(tuple(x), tuple(r), series=name, tone=tone, dashed=dashed),
            Points(tuple(x), tuple(r), tone=tone),
        ]
    # Bands first, so that later ones do not veil earlier curves.
    return Panel(
        x=Axis("ratings per translation"),
        y=Axis("r with the truth"),
        marks=(*bands, *curves),
        title=title,
    )


def _figures(found: Evaluation) -> tuple[Figure, ...]:
    """The curves, a panel for each share of clickers, where trials of several sizes were made."""
    if found.settings.level != "segments" or found.rows["ratings"].n_unique() < 2:
        return ()
    rows = curve_rows(found)
    shares = rows["spam"].unique().sort().to_list()
    table = Table(
        "efficiency",
        "Closeness to the truth by number of ratings",
        (Column("spam", "Clickers, %", 0, per_cent=True), *CURVE_COLUMNS),
        rows.cast({"method": pl.String}).sort("spam", maintain_order=True),
        signature=found.signature,
    )
    return (
        Figure.of(
            table,
            caption=f"Correlation of scores with the truth: {_TRUTHS[found.settings.truth]}. Bands are 95 % "
            f"intervals of the mean of {found.settings.draws} draws.",
            panels=[
                curve_panel(
                    rows.filter(pl.col("spam") == share),
                    title=f"{100 * share:g} % clickers" if len(shares) > 1 else "",
                )
                for share in shares
            ],
        ),
    )


def _settings(settings: EvaluationSettings) -> dict[str, Any]:
    """The choices of an evaluation; of the analysis behind it only those it rests on."""
    plain = asdict(settings)
    del plain["analysis"]
    plain["least_truth"] = settings.least
    return {**plain, "check": settings.analysis.check, "seed": settings.analysis.seed}


def _is_informative(name: str, rows: pl.DataFrame) -> bool:
    """Whether a column of the rows says anything that does not go without saying."""
    if name == "level":
        return rows["level"].n_unique() > 1
    if name == "spam":
        return bool((rows["spam"] > 0).any())
    if name == "scored":
        return bool((rows["scored"] < 1).any())
    return name == "marked" or rows[name].count() > 0


def _notes(settings: EvaluationSettings, *, has_within: bool) -> tuple[str, ...]:
    over = "translations" if settings.level == "segments" else "systems"
    within = (
        f"Within systems: the difference to {YARDSTICK} with each system's mean removed, since a method can "
        "come close just by knowing which system is better.",
    )
    return (
        f"r: Pearson's correlation of scores with the truth over {over}, mean of {settings.draws} draws; "
        "* is the highest.",
        *(within if has_within else ()),
        f"Truth: {_TRUTHS[settings.truth]}.",
        "±: the error of drawing again from the same judgements; other judgements may differ more.",
    )
