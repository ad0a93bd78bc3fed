"""A study of normalisation for the terminal and for scripts."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from steelyard.aggregation import chosen_options, methods
from steelyard.domain.exhibit import Table
from steelyard.evaluation.normalisation.settings import Normalisation, NormalisationSettings
from steelyard.exhibits.tables.normalisation import study_table
from steelyard.exhibits.tables.random_resistance import resistance_table
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import records

# What the parts of a table are headed by, by what their first column says.
_HEADINGS = {
    "known": "gold known to the methods",
    "held out": "gold held out",
    "worker": "five who click at random",
    "method": "scores with and without them",
}


def to_text(study: Normalisation) -> str:
    """The methods beside the expert, the random workers, the conclusion, warnings and signature."""
    made = [study_table(study)]
    if len(study.random_workers):
        made.append(resistance_table(study.random_workers, study.resistance))
    parts = [tables.to_text(part) for table in made for part in _parts(table)]
    parts.append(study.conclusion)
    if study.warnings:
        parts.append("\n".join(f"Warning: {printable(warning)}" for warning in study.warnings))
    parts.append(printable(study.signature))
    return "\n\n".join(parts)


def to_json(study: Normalisation) -> str:
    """The study as an indented JSON document: null for what is unknown, nothing rounded."""
    document = {
        "signature": study.signature,
        "title": study.title,
        "settings": _settings(study.settings),
        "n_gold": study.n_gold,
        "n_folds": study.n_folds,
        "n_categories": study.n_categories,
        "methods": records(study.rows),
        "random_workers": records(study.random_workers),
        "resistance": records(study.resistance),
        "conclusion": study.conclusion,
        "warnings": list(study.warnings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _settings(settings: NormalisationSettings) -> dict[str, Any]:
    """The choices of a study; of the analysis behind it only what they rest on."""
    plain = asdict(settings)
    del plain["analysis"]
    method = settings.analysis.method_settings
    weighing = chosen_options(method, [name for name, known in methods().items() if known.in_points]) | dict(
        method.for_others
    )
    return {**plain, **weighing, "seed": settings.analysis.seed}


def _parts(table: Table) -> list[Table]:
    """A table for each value of the first column, of what is told there; the notes below the last."""
    first, *others = table.columns
    parts = []
    for name in table.rows[first.name].unique(maintain_order=True):
        rows = table.rows.filter(pl.col(first.name) == name)
        columns = tuple(column for column in others if _tells(rows[column.name]))
        parts.append(
            replace(
                table,
                title=f"{table.title} – {_HEADINGS[name]}",
                columns=columns,
                rows=rows.select(column.name for column in columns),
                notes=(),
                borders=(),
            )
        )
    parts[-1] = replace(parts[-1], notes=table.notes)
    return parts


def _tells(column: pl.Series) -> bool:
    """Whether a column says anything: that no method leaves a translation without score is understood."""
    if column.name == "n_unscored":
        return bool((column > 0).any())
    return column.count() > 0
