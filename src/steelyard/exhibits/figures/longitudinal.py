"""Gain against difficulty, language pair by language pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle

import numpy as np
import polars as pl

from steelyard.domain.exhibit import (
    Axis,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Line,
    Panel,
    Points,
    Rule,
    Table,
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._longitudinal import compared, years_signature
from steelyard.exhibits._sources import group_borders, in_columns, title_of
from steelyard.longitudinal.rows import ADEQUACY, ALL_PAIRS, F1
from steelyard.longitudinal.study import Longitudinal

# About so many lines of equal gain cross the panel [our choice].
_LINES = 8
# Room around the points, as a part of their range, and the least such range, in points [our choices].
_MARGIN, _LEAST_RANGE = 0.15, 4.0
# Lines across a corner are left out if they are shorter than this part of the panel.
_SHORTEST = 0.1
_TONES: tuple[Tone, ...] = ("main", "second", "good", "bad", "unsure")
_COLUMNS = (
    Column("source", "Pair"),
    Column("measure", "Measure"),
    Column("change", "BEST new - BEST old", 2),
    Column("delta", "Delta", 2),
    Column("gain", "Gain", 2),
    Column("lower", "From", 2),
    Column("upper", "To", 2),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """What the best systems gained on their own test sets against how much harder the new one is.

    As [Graham2014, figure 1]: a point for fluency, adequacy and F1 of every language pair, on points of the
    scale. To the right, the best system of the new year is rated higher than the old one's; upwards, the
    new test set is harder for one and the same present-day system. Both count: points on one slanting line
    have the same gain. A point to the left of 0 and above it is a gain that ratings of the two years
    alone would have hidden. How sure a gain is stands in the table, not in the picture.
    """
    found = compared(evidence, options)
    rows = found.rows.filter(
        pl.col("scale") == "points", pl.col("pair") != ALL_PAIRS, pl.col("gain").is_not_null()
    ).rename({"pair": "source"})
    title = title_of(FIGURE, evidence)
    return Figure(
        name=FIGURE.name,
        title=title,
        caption="Mean ratings of language pairs. Dotted lines join equal gains, in points of the scale: the "
        f"gain is BEST {found.new} - BEST {found.old} + Delta.",
        panels=(_panel(rows, found),),
        table=Table(
            name=FIGURE.name,
            title=title,
            columns=_COLUMNS,
            rows=in_columns(rows, _COLUMNS),
            notes=(
                f"From and to: {100 * found.settings.level:g} % interval of the gain.",
                *found.warnings,
            ),
            borders=group_borders(rows, "source"),
            signature=years_signature(FIGURE, evidence, options),
        ),
        signature=years_signature(FIGURE, evidence, options),
    )


def _panel(rows: pl.DataFrame, found: Longitudinal) -> Panel:
    x_ends, y_ends = _ends(rows["change"], rows["delta"])
    measures = rows["measure"].unique(maintain_order=True).to_list()
    points = []
    for measure, tone in zip(measures, cycle(_TONES), strict=False):
        own = rows.filter(measure=measure)
        points.append(
            Points(
                tuple(own["change"]),
                tuple(own["delta"]),
                series=measure,
                tone="third" if measure == F1 else tone,
                labels=tuple(f"{source}, {measure}" for source in own["source"]),
            )
        )
    return Panel(
        x=Axis(f"BEST {found.new} - BEST {found.old}", *x_ends),
        y=Axis(f"Delta: CURR {found.old} - CURR {found.new}", *y_ends),
        marks=(
            *(Rule(of="x", at=0.0), Rule(of="y", at=0.0)),
            *_equal_gains(x_ends, y_ends),
            *_threads(rows, measures),
            _names(rows),
            *points,
        ),
    )


def _threads(rows: pl.DataFrame, measures: Sequence[str]) -> list[Line]:
    """A line from point to point of each pair, for only one of them bears the pair's name."""
    if len(measures) < 2:
        return []
    # F1 lies between the two that it is made of.
    ordered = rows.sort(pl.col("measure") == ADEQUACY, maintain_order=True)
    return [
        Line(tuple(own["change"]), tuple(own["delta"]), tone="third")
        for own in ordered.partition_by("source", maintain_order=True)
        if len(own) > 1
    ]


def _names(rows: pl.DataFrame) -> Points:
    """Each pair's name beside its point furthest to the right.

    The other points are there without a name: they lie beneath their own marks, and no name covers them.
    """
    furthest = pl.col("change").arg_max().over("source")
    is_furthest = pl.int_range(pl.len()).over("source") == furthest
    names = rows.select(pl.when(is_furthest).then("source").otherwise(pl.lit(""))).to_series()
    return Points(tuple(rows["change"]), tuple(rows["delta"]), tone="faint", labels=tuple(names), named=True)


def _ends(*columns: pl.Series) -> list[tuple[float, float]]:
    """Where each axis begins and ends: around all values and 0, with some room, all equally long.

    Lines of equal gain then have the same slope in every figure.
    """
    ends = [(min(0.0, *values), max(0.0, *values)) for values in columns]
    longest = max(_LEAST_RANGE, *(high - low for low, high in ends))
    reach = longest * (0.5 + _MARGIN)
    return [((low + high) / 2 - reach, (low + high) / 2 + reach) for low, high in ends]


def _equal_gains(x: tuple[float, float], y: tuple[float, float]) -> list[Line | Points]:
    """Lines on which gains are the same round number, each with that number at its upper end."""
    lowest, highest = x[0] + y[0], x[1] + y[1]
    step = _round_step((highest - lowest) / (_LINES + 1))
    lines: list[Line | Points] = []
    for gain in (np.arange(math.ceil(lowest / step), math.floor(highest / step) + 1) * step).tolist():
        left, right = max(x[0], gain - y[1]), min(x[1], gain - y[0])
        if right - left < _SHORTEST * (x[1] - x[0]):
            continue
        lines.append(Line((left, right), (gain - left, gain - right), tone="faint", dashed=True))
        lines.append(Points((left,), (gain - left,), tone="faint", labels=(_gain(gain),), named=True))
    return lines


def _gain(gain: float) -> str:
    return f"gain {gain:g}".replace("-", "−")


def _round_step(rough: float) -> float:
    """The round number (1, 2 or 5 times a power of ten) next above."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough)


FIGURE = Exhibit(
    name="longitudinal",
    title="Gain against difficulty",
    cite=("Graham2014",),
    make=make,
    several=True,
)
