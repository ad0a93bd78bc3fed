"""How the correlation with a second collection grows with the number of ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import (
    Axis,
    Band,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Table,
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.replication.fit import expected_r
from steelyard.evaluation.replication.settings import Replication
from steelyard.exhibits._replications import draws_of_study, replication_signature, replications, rho_of
from steelyard.exhibits._sources import group_borders, in_columns, title_of

_TONES: dict[str, tuple[str, Tone]] = {"rating": ("raw", "second"), "z": ("z", "main")}
# The wanted number of ratings is drawn unless it lies far beyond what there is [our choice].
_FAR = 4
# On longer curves dots would hide the lines [our choice].
_MOST_DOTS = 10
_COLUMNS = (
    Column("source", "Source"),
    Column("scale", "Ratings"),
    Column("ratings", "N"),
    Column("n_items", "Translations", 0),
    Column("r", "r", 3),
    Column("lower", "Low", 3),
    Column("upper", "High", 3),
    Column("expected", "Expected", 3),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Correlation of means of N ratings with all of a second collection, raw and standardised.

    As [Graham2015, figure 1], with bands of 95 % of the draws. Dashed beside each curve is what Spearman and
    Brown expect from the reliability of one rating. The third dashed line is the reliability of N
    ratings, which two collections of N each would correlate at: where it crosses the level wanted lies the
    number of ratings to collect. Two sources are two collections of the same translations; of any other
    number, or with --split, the workers of each are split in halves, and each has a panel.
    """
    found = replications(evidence, options)
    signature = replication_signature(FIGURE, evidence, found[0][1])
    return curve_figure(found, title=title_of(FIGURE, evidence), signature=signature)


def curve_figure(found: Sequence[tuple[str, Replication]], *, title: str, signature: str) -> Figure:
    """The curves of studies, a panel each under its name."""
    rows = pl.concat(
        study.rows.filter(pl.col("against") == "full").with_columns(source=pl.lit(name))
        for name, study in found
    )
    drawn = " ".join(dict.fromkeys(draws_of_study(study) for _, study in found))
    table = Table(
        name=FIGURE.name,
        title=title,
        columns=_COLUMNS,
        rows=in_columns(rows, _COLUMNS),
        notes=tuple(note for name, study in found for note in _notes(study, name, n=len(found))),
        borders=group_borders(rows, "source", "scale"),
        signature=signature,
    )
    return Figure.of(
        table,
        caption="Pearson's correlation of translations' means of N ratings with the means of all ratings of "
        f"the second collection or half. Bands hold 95 % of {drawn} Dashed: expected by Spearman and Brown.",
        panels=[_panel(study, title=name if len(found) > 1 else "") for name, study in found],
    )


def _notes(study: Replication, title: str, *, n: int) -> list[str]:
    named = f"{title}: " if n > 1 else ""
    return [f"{named}{note}" for note in (study.conclusion, *study.warnings)]


def _panel(study: Replication, *, title: str) -> Panel:
    bands: list[Mark] = []
    curves: list[Mark] = []
    for scale, (name, tone) in _TONES.items():
        rows = study.rows.filter((pl.col("against") == "full") & (pl.col("scale") == scale))
        if rows.is_empty():
            continue
        x, r, lower, upper = (tuple(rows[c].cast(pl.Float64)) for c in ("ratings", "r", "lower", "upper"))
        bands.append(Band(x, lower, upper, tone=tone))
        curves.append(Line(x, r, series=name, tone=tone))
        if len(x) <= _MOST_DOTS:
            curves.append(Points(x, r, tone=tone))
        if rows["expected"].null_count() == 0:
            curves.append(
                Line(x, tuple(rows["expected"]), series=f"{name}, expected", tone=tone, dashed=True)
            )
    # Bands first, so that they do not veil the curves.
    marks = (*bands, *curves, *_wanted(study))
    return Panel(
        x=Axis("N, ratings per translation", low=0),
        y=Axis("r", low=_lowest(marks), high=1),
        marks=marks,
        title=title,
    )


def _wanted(study: Replication) -> list[Mark]:
    """The reliability of N ratings, the level wanted, and where the two meet."""
    rho = rho_of(study)
    if rho is None or rho <= 0:
        return []
    most = max(study.rows["ratings"].to_list())
    chosen = [need for need in study.needed if need.ratings is not None and need.ratings <= _FAR * most]
    last = max([most, *(need.ratings for need in chosen if need.ratings is not None)])
    x = tuple(1 + place * (last - 1) / 60 for place in range(61)) if last > 1 else (1.0,)
    y = tuple(expected_r(number, rho=rho) for number in x)
    marks: list[Mark] = [Line(x, y, series="reliability, N to N", tone="third", dashed=True)]
    marks += [Rule("y", need.reliability) for need in study.needed]
    marks += [Rule("x", float(need.ratings), label=f"N = {need.ratings}") for need in chosen if need.ratings]
    return marks


def _lowest(marks: Sequence[Mark]) -> float:
    """Where the upright axis begins: at the tenth below everything drawn."""
    lows = [
        mark.lower if isinstance(mark, Band) else mark.y for mark in marks if isinstance(mark, Band | Line)
    ]
    return max(math.floor(10 * min((min(low) for low in lows), default=0.0)) / 10, -1.0)


FIGURE = Exhibit(
    name="replication-curve",
    title="Correlation with a second collection by number of ratings",
    cite=("Graham2015",),
    make=make,
    several=True,
)
