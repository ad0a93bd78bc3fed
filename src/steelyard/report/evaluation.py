"""An evaluation of methods for the terminal and for scripts."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import polars as pl

from steelyard.domain.exhibit import Column, Table
from steelyard.evaluation.settings import YARDSTICK, Evaluation, EvaluationSettings
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import records

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
    "all": "mean z of all workers who pass the check, the ratings drawn among them",
}
_GROUP = ("level", "ratings", "spam")


def to_text(evaluation: Evaluation) -> str:
    """The methods beside each other for every kind of trial, the conclusion, warnings and signature."""
    table = tables.to_text(to_table(evaluation))
    warnings = [f"Warning: {printable(warning)}" for warning in evaluation.warnings]
    ending = ["", *warnings] if warnings else []
    return "\n".join([table, "", evaluation.conclusion, *ending, "", printable(evaluation.signature)])


def to_table(evaluation: Evaluation) -> Table:
    """The rows as a table; columns in which nothing is told are left out."""
    rows = evaluation.rows
    is_best = pl.col("r") == pl.col("r").max().over(_GROUP)
    shown = rows.with_columns(
        marked=pl.col("method") + pl.when(is_best).then(pl.lit(" *")).otherwise(pl.lit("")),
        level=pl.col("level").replace_strict(_LEVELS),
    )
    found = tuple(column for column in _COLUMNS if _tells(column.name, rows))
    changes = rows.select(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in _GROUP)
    )
    return Table(
        name="evaluation",
        title=f"Which method comes closest to the truth: {evaluation.title}",
        columns=found,
        rows=shown.select(column.name for column in found),
        notes=_notes(evaluation.settings, has_within=_tells("difference_within", rows)),
        borders=tuple(place for place in changes.to_series().arg_true().to_list() if place),
    )


def to_json(evaluation: Evaluation) -> str:
    """The evaluation as an indented JSON document: null for what is unknown, nothing rounded."""
    document = {
        "signature": evaluation.signature,
        "title": evaluation.title,
        "settings": _settings(evaluation.settings),
        "rows": records(evaluation.rows),
        "conclusion": evaluation.conclusion,
        "warnings": list(evaluation.warnings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _settings(settings: EvaluationSettings) -> dict[str, Any]:
    """The choices of an evaluation; of the analysis behind it only what they rest on."""
    plain = asdict(settings)
    del plain["analysis"]
    plain["least_truth"] = settings.least
    return {**plain, "check": settings.analysis.check, "seed": settings.analysis.seed}


def _tells(name: str, rows: pl.DataFrame) -> bool:
    """Whether a column of the rows says anything that is not understood."""
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
        f"Within systems: the difference to {YARDSTICK} with each system's mean taken off, for a method may "
        "come close by knowing which system is better.",
    )
    return (
        f"r: Pearson's correlation of scores with the truth over {over}, mean of {settings.draws} draws; "
        "* is the highest.",
        *(within if has_within else ()),
        f"Truth: {_TRUTHS[settings.truth]}.",
        "± is the error of drawing again from the same judgements; other judgements may differ more.",
    )
