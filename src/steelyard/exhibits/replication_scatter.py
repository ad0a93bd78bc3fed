"""Scores of the same translations in two collections, against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Line,
    Panel,
    Points,
    Table,
)
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import in_digits
from steelyard.evaluation.replication.settings import LEAST_ITEMS, Replication
from steelyard.exhibits._replications import replication_signature, replications
from steelyard.exhibits._sources import group_borders, in_columns, title_of
from steelyard.stats.correlation import pearson

_COLUMNS = (
    Column("source", "Source"),
    Column("ratings", "N"),
    Column("system_id", "System"),
    Column("segment_id", "Segment"),
    Column("first", "First", 3),
    Column("second", "Second", 3),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Mean standardised ratings of translations in two collections, for growing numbers of ratings.

    As [Graham2015, figure 2]: every point is a translation, its place the mean of N ratings in the first
    collection and of N others in the second, drawn once. On the diagonal both agree. Two sources are two
    collections of the same translations; of any other number, or with --split, the workers of each are split
    in halves. A single draw has an r of its own: the table replication has the mean of many.
    """
    found = replications(evidence, options)
    signature = replication_signature(FIGURE, evidence, found[0][1])
    return scatter_figure(found, title=title_of(FIGURE, evidence), signature=signature)


def scatter_figure(found: Sequence[tuple[str, Replication]], *, title: str, signature: str) -> Figure:
    """One draw of each study, a panel for every number of ratings; NotEnoughData if there is none."""
    rows = pl.concat(study.scatter.with_columns(source=pl.lit(name)) for name, study in found)
    if rows.is_empty():
        raise NotEnoughData(
            f"This figure needs at least {LEAST_ITEMS} translations with ratings in both collections, or in "
            "both halves of the workers."
        )
    end = math.ceil(max(1.0, *(float(np.abs(rows[side].to_numpy()).max()) for side in ("first", "second"))))
    first = found[0][1]
    table = Table(
        name=FIGURE.name,
        title=title,
        columns=_COLUMNS,
        rows=in_columns(rows, _COLUMNS),
        borders=group_borders(rows, "source", "ratings"),
        signature=signature,
    )
    return Figure.of(
        table,
        caption=f"Each point is a translation: its mean of N standardised ratings in {_sides(first)}. One "
        f"draw, seed {first.settings.analysis.seed}.",
        panels=[
            panel
            for name, study in found
            for panel in _panels(study, end=float(end), title=f"{name}, " if len(found) > 1 else "")
        ],
    )


def _sides(study: Replication) -> str:
    if study.is_split:
        return "one half of the workers and in the other"
    first, second = study.collections
    return f"{first.title} and in {second.title}"


def _panels(study: Replication, *, end: float, title: str) -> list[Panel]:
    sides = ("first half", "second half") if study.is_split else ("first collection", "second collection")
    panels = []
    for (number,), points in study.scatter.group_by("ratings", maintain_order=True):
        first, second = points["first"].to_numpy(), points["second"].to_numpy()
        r = pearson(first, second)
        correlation = "" if math.isnan(r) else f", r = {in_digits(r, 2)}"
        panels.append(
            Panel(
                x=Axis(sides[0], low=-end, high=end),
                y=Axis(sides[1], low=-end, high=end),
                marks=(
                    Points(tuple(first.tolist()), tuple(second.tolist())),
                    Line((-end, end), (-end, end), tone="faint", dashed=True),
                ),
                title=f"{title}N = {number}{correlation}",
            )
        )
    return panels


FIGURE = Exhibit(
    name="replication-scatter",
    title="Scores in two collections",
    cite=("Graham2015",),
    make=make,
    several=True,
)
