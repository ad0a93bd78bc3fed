"""A study of replication for the terminal and for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from textwrap import wrap
from typing import Any

import polars as pl

from steelyard.domain.exhibit import Column, Table
from steelyard.evaluation.replication.settings import Replication
from steelyard.exhibits.tables.replication import COLUMNS, NOTES, wide_rows
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import records
from steelyard.report.plan import to_dict as plan_dict

_WIDTH = 100
_SCALES = {"rating": "raw", "z": "z"}
_RHO_COLUMNS = (
    Column("of", "ratings of"),
    Column("scale", "scale"),
    Column("rho", "rho", 3),
    Column("lower", "95 %: low", 3),
    Column("upper", "high", 3),
)
_TITLES = {"rating_r": "raw to all", "z_r": "z to all", "same_r": "z, N to N"}
_CURVE_COLUMNS = tuple(
    column
    for column in COLUMNS
    if column.name in ("ratings", "n_items", "z_lower", "z_upper")
    or column.name.endswith(("_r", "_expected"))
)
_NEEDED_COLUMNS = (
    Column("reliability", "reliability", 2),
    Column("ratings", "ratings"),
    Column("fewest", "95 %: low"),
    Column("most", "high"),
    Column("rounds", "to collect"),
    Column("hits", "HITs"),
    Column("hours", "hours", 1),
    Column("cost", "money", 2),
    Column("cost_low", "95 %: low", 2),
    Column("cost_high", "high", 2),
)


def to_text(found: Replication) -> str:
    """The reliability of one rating, the curve, what is needed and costs, the conclusion, the signature."""
    shown = [rho_table(found), curve_table(found), needed_table(found)]
    parts = [f"Replication: {printable(found.title)}", *_paragraph(_counts(found)), ""]
    parts += [f"{tables.to_text(table)}\n" for table in shown]
    parts += _paragraph(found.conclusion)
    for warning in found.warnings:
        parts += ["", *_paragraph(f"Warning: {warning}")]
    return "\n".join([*parts, "", *map(printable, found.signature.split("\n"))])


def rho_table(found: Replication) -> Table:
    """The reliability of one rating, of all ratings together and of each of two collections."""
    rows = found.rho.with_columns(
        of=pl.when(pl.col("of") == "").then(pl.lit("all")).otherwise("of"),
        scale=pl.col("scale").replace_strict(_SCALES),
    )
    fitted = (
        ()
        if found.fitted_rho is None
        else (f"The observed correlations of z, N to N, are fitted best by a rho of {found.fitted_rho:.3f}.",)
    )
    return Table(
        "rho", "Reliability of one rating (rho)", _RHO_COLUMNS, rows.select(_names(_RHO_COLUMNS)), fitted
    )


def curve_table(found: Replication) -> Table:
    """Correlations by number of ratings; bands only of what matters most, for the sake of width."""
    columns = tuple(
        replace(column, title=_TITLES.get(column.name, column.title)) for column in _CURVE_COLUMNS
    )
    halves = (
        "The collection's workers were split in two halves at random; a half has half the ratings.",
        *NOTES,
    )
    return Table(
        "replication",
        "Correlation of mean ratings by number of ratings per translation (N)",
        columns,
        wide_rows(found).select(_names(columns)),
        halves if found.is_split else NOTES,
    )


def needed_table(found: Replication) -> Table:
    """The ratings per translation that wanted reliabilities take, and what they cost."""
    schema = {
        column.name: pl.Int64() if column.digits is None else pl.Float64() for column in _NEEDED_COLUMNS
    }
    rows = pl.DataFrame(
        [[row[name] for name in schema] for row in _needed(found)], schema=schema, orient="row"
    )
    known = tuple(
        column
        for column in _NEEDED_COLUMNS
        if column.name in ("reliability", "ratings") or _tells(rows, column)
    )
    return Table(
        "needed",
        "Good ratings per translation that a reliability takes, and their cost",
        known,
        rows.select(_names(known)),
        _assumed(found),
    )


def to_json(found: Replication) -> str:
    """The study as an indented JSON document: null for what is unknown, nothing rounded."""
    return _dumps(to_dict(found))


def several_to_json(found: Sequence[Replication]) -> str:
    """Several studies as a JSON document."""
    return _dumps({"studies": [to_dict(one) for one in found]})


def to_dict(found: Replication) -> dict[str, Any]:
    """The study in plain types. Points of the scatter are left to the figure's own table."""
    return {
        "signature": found.signature,
        "title": found.title,
        "split": found.is_split,
        "collections": [asdict(part) for part in found.collections],
        "n_items": found.n_items,
        "settings": {
            "reliability": list(found.settings.reliability),
            "draws": found.settings.draws,
            "seed": found.settings.analysis.seed,
            "check": found.settings.analysis.check,
        },
        "rho": records(found.rho),
        "fitted_rho": found.fitted_rho,
        "rows": records(found.rows),
        "needed": [
            {**row, "plan": None if cost is None else plan_dict(cost.plan)}
            for row, cost in zip(_needed(found), _costs(found), strict=True)
        ],
        "conclusion": found.conclusion,
        "warnings": list(found.warnings),
    }


def _needed(found: Replication) -> list[dict[str, Any]]:
    """Each requirement with its cost in plain types."""
    rows = []
    for need, cost in zip(found.needed, _costs(found), strict=True):
        outlay = None if cost is None else cost.plan.expected.outlay
        low, high = (None, None) if cost is None else (cost.at_fewest, cost.at_most)
        rows.append(
            {
                **asdict(need),
                "rounds": None if cost is None else cost.plan.rounds,
                "hits": None if outlay is None else outlay.hits,
                "hours": None if outlay is None else outlay.hours,
                "cost": None if outlay is None else outlay.cost,
                "cost_low": None if low is None else low.cost,
                "cost_high": None if high is None else high.cost,
            }
        )
    return rows


def _costs(found: Replication) -> Sequence[Any]:
    """The cost of every requirement; a study that nobody has priced has none."""
    return found.costs or [None] * len(found.needed)


def _assumed(found: Replication) -> tuple[str, ...]:
    plans = [cost.plan for cost in found.costs if cost is not None]
    if not plans:
        return ()
    sentences = plans[0].assumptions
    said = [f"For {found.n_items:,} translations. To collect: with those of workers who will not pass."]
    if sentences:
        said.append(f"Assumed, because not said otherwise: {'; '.join(sentences)}.")
    return (*said, *dict.fromkeys(warning for made in plans for warning in made.warnings))


def _counts(found: Replication) -> str:
    parts = [
        f"{part.title}: {part.ratings:,} good ratings by {part.workers:,} workers, "
        f"{part.ratings_per_item:.1f} of each translation"
        for part in found.collections
    ]
    where = "" if found.is_split else " in both collections"
    return f"{found.n_items:,} translations{where}. {'; '.join(parts)}."


def _tells(rows: pl.DataFrame, column: Column) -> bool:
    return rows[column.name].count() > 0


def _names(columns: Sequence[Column]) -> list[str]:
    return [column.name for column in columns]


def _paragraph(text: str) -> list[str]:
    return wrap(printable(text), _WIDTH)


def _dumps(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
