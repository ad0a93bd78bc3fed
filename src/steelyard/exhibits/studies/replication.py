"""A study of replication: its tables, its figures, and the result that every renderer takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import polars as pl

from steelyard.domain.exhibit import Column, Figure, Table
from steelyard.domain.study import StudyResult
from steelyard.domain.wording import counted
from steelyard.evaluation.replication.settings import Cost, Replication, shown_numbers
from steelyard.exhibits._sources import in_columns
from steelyard.exhibits.replication_curve import curve_figure
from steelyard.exhibits.replication_scatter import scatter_figure

_SCALES = {"rating": "raw", "z": "z"}
_RHO_COLUMNS = (
    Column("of", "ratings of"),
    Column("scale", "scale"),
    Column("rho", "rho", 3),
    Column("lower", "95 %: low", 3),
    Column("upper", "high", 3),
)
# The comparisons that are shown: what they are called in columns, their rows, and their headings, long and
# short.
_SHOWN = (
    ("rating_", "full", "rating", "Raw, N to all: r", "raw to all"),
    ("z_", "full", "z", "z, N to all: r", "z to all"),
    ("same_", "same", "z", "z, N to N: r", "z, N to N"),
)
CURVE_COLUMNS = (
    Column("source", "Source"),
    Column("ratings", "N"),
    Column("n_items", "Translations", 0),
    *(
        column
        for start, _, _, heading, _ in _SHOWN
        for column in (
            Column(f"{start}r", heading, 3),
            Column(f"{start}lower", "Low", 3),
            Column(f"{start}upper", "High", 3),
            Column(f"{start}expected", "Expected", 3),
        )
    ),
)
CURVE_NOTES = (
    "N to all: means of N ratings against means of all ratings of the second collection or half; N to N: "
    "against means of N of them.",
    "Low and high enclose 95 % of the draws. Expected: from the reliability of one rating, by the "
    "Spearman-Brown formula.",
)
_NEEDED_COLUMNS = (
    Column("reliability", "reliability", 2),
    Column("ratings", "ratings"),
    Column("fewest", "95 %: low"),
    Column("most", "high"),
    Column("rounds", "to collect"),
    Column("hits", "HITs"),
    Column("hours", "hours", 1),
    Column("cost", "cost", 2),
    Column("cost_low", "95 %: low", 2),
    Column("cost_high", "high", 2),
)


def replication_study(found: Replication) -> StudyResult:
    """The reliability of one rating, the curve, what is needed and what that costs."""
    settings = {
        "reliability": list(found.settings.reliability),
        "draws": found.settings.draws,
        "seed": found.settings.analysis.seed,
        "check": found.settings.analysis.check,
    }
    needed = _needed(found)
    return StudyResult(
        name="replication",
        title=f"Replication: {found.title}",
        settings=settings,
        tables=(_rho_table(found), _curve_table(found), _needed_table(found, needed)),
        figures=_figures(found),
        lead=_counts(found),
        conclusion=(found.conclusion,),
        warnings=found.warnings,
        signature=found.signature,
        record={
            "signature": found.signature,
            "title": found.title,
            "split": found.is_split,
            "collections": list(found.collections),
            "n_items": found.n_items,
            "settings": settings,
            "rho": found.rho,
            "fitted_rho": found.fitted_rho,
            "rows": found.rows,
            "needed": [
                {**row, "plan": None if cost is None else cost.plan}
                for row, cost in zip(needed, _costs(found), strict=True)
            ],
            "conclusion": found.conclusion,
            "warnings": list(found.warnings),
        },
    )


def _figures(found: Replication) -> tuple[Figure, ...]:
    """The curve, and the scatter of one draw where enough translations are in both."""
    named = [(found.title, found)]
    title, signature = "Correlation with a second collection by number of ratings", found.signature
    curve = curve_figure(named, title=title, signature=signature)
    if found.scatter.is_empty():
        return (curve,)
    return curve, scatter_figure(named, title="Scores in two collections", signature=signature)


def wide_rows(study: Replication) -> pl.DataFrame:
    """The comparisons of a study side by side, for the numbers of ratings that are shown."""
    rows = study.rows
    last = rows.group_by("against").agg(pl.col("ratings").max())["ratings"].to_list()
    numbers = sorted({*shown_numbers(max(last)), *last})
    wide = pl.DataFrame({"ratings": pl.Series(numbers, dtype=pl.Int64)})
    for start, against, scale, *_ in _SHOWN:
        part = rows.filter((pl.col("against") == against) & (pl.col("scale") == scale)).select(
            "ratings",
            pl.col("n_items").alias(f"{start}n_items"),
            *(pl.col(name).alias(start + name) for name in ("r", "lower", "upper", "expected")),
        )
        wide = wide.join(part, on="ratings", how="left", maintain_order="left")
    items = pl.coalesce(f"{start}n_items" for start, *_ in _SHOWN)
    return wide.with_columns(n_items=items)


def _rho_table(found: Replication) -> Table:
    """The reliability of one rating, of all ratings together and of each of two collections."""
    rows = found.rho.with_columns(
        of=pl.when(pl.col("of") == "").then(pl.lit("all")).otherwise("of"),
        scale=pl.col("scale").replace_strict(_SCALES),
    )
    fitted = (
        ()
        if found.fitted_rho is None
        else (f"The observed correlations of z, N to N, fit a rho of {found.fitted_rho:.3f} best.",)
    )
    return Table(
        "rho", "Reliability of one rating (rho)", _RHO_COLUMNS, in_columns(rows, _RHO_COLUMNS), fitted
    )


def _curve_table(found: Replication) -> Table:
    """Correlations by number of ratings; of the bands only the one that matters most, to save width."""
    short = {f"{start}r": heading for start, *_, heading in _SHOWN}
    columns = tuple(
        replace(column, title=short.get(column.name, column.title))
        for column in CURVE_COLUMNS
        if column.name in ("ratings", "n_items", "z_lower", "z_upper")
        or column.name.endswith(("_r", "_expected"))
    )
    halves = "The collection's workers were split at random into two halves; each has half the ratings."
    return Table(
        "replication",
        "Correlation of mean ratings by number of ratings per translation (N)",
        columns,
        in_columns(wide_rows(found), columns),
        (halves, *CURVE_NOTES) if found.is_split else CURVE_NOTES,
    )


def _needed_table(found: Replication, needed: Sequence[dict[str, Any]]) -> Table:
    """The ratings per translation that the target reliabilities take, and what they cost."""
    schema = {
        column.name: pl.Int64() if column.digits is None else pl.Float64() for column in _NEEDED_COLUMNS
    }
    rows = pl.DataFrame([[row[name] for name in schema] for row in needed], schema=schema, orient="row")
    known = tuple(
        column
        for column in _NEEDED_COLUMNS
        if column.name in ("reliability", "ratings") or rows[column.name].count()
    )
    return Table(
        "needed",
        "Good ratings per translation for a target reliability, and their cost",
        known,
        in_columns(rows, known),
        _assumed(found),
    )


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


def _costs(found: Replication) -> Sequence[Cost | None]:
    """The cost of every requirement; none in a study that was not priced."""
    return found.costs or [None] * len(found.needed)


def _assumed(found: Replication) -> tuple[str, ...]:
    plans = [cost.plan for cost in found.costs if cost is not None]
    if not plans:
        return ()
    sentences = plans[0].assumptions
    said = [f"For {found.n_items:,} translations. To collect: includes ratings of workers who will not pass."]
    if sentences:
        said.append(f"Assumed unless given: {'; '.join(sentences)}.")
    return (*said, *dict.fromkeys(warning for made in plans for warning in made.warnings))


def _counts(found: Replication) -> str:
    parts = [
        f"{part.title}: {counted(part.ratings, 'good rating')} by {counted(part.workers, 'worker')}, "
        f"{part.ratings_per_item:.1f} of each translation"
        for part in found.collections
    ]
    where = "" if found.is_split else " in both collections"
    return f"{found.n_items:,} translations{where}. {'; '.join(parts)}."
