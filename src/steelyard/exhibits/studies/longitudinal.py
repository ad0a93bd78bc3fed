"""A comparison of years: its table, its figure, and the result that every renderer takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np
import polars as pl

from steelyard.domain.cells import CELLS
from steelyard.domain.exhibit import Axis, Column, Figure, Line, Panel, Points, Rule, Table, Tone
from steelyard.domain.study import StudyResult
from steelyard.domain.wording import MINUS
from steelyard.exhibits._significance import STARS, stars
from steelyard.exhibits._sources import group_borders, in_columns
from steelyard.longitudinal.rows import ADEQUACY, ALL_PAIRS, F1
from steelyard.longitudinal.study import Longitudinal

# About this many lines of equal gain cross the panel [our choice].
_LINES = 8
# Room around the points, as a part of their range, and the least such range, in points [our choices].
_MARGIN, _LEAST_RANGE = 0.15, 4.0
# Lines across a corner are left out if they are shorter than this part of the panel.
_SHORTEST = 0.1
_TESTED = {
    "clustered": "judgements clustered by worker and document",
    "rank-sum": "rank-sum on segments as if independent",
}
_TONES: tuple[Tone, ...] = ("main", "second", "good", "bad", "unsure")
_FIGURE_COLUMNS = (
    Column("source", "Pair"),
    Column("measure", "Measure"),
    Column("change", "BEST new − BEST old", 2),
    Column("delta", "Delta", 2),
    Column("gain", "Gain", 2),
    Column("lower", "From", 2),
    Column("upper", "To", 2),
)


def longitudinal_study(found: Longitudinal) -> StudyResult:
    """Cells, Delta and gain of every language pair, and what they amount to."""
    # Warnings follow the conclusion rather than the notes.
    quiet = replace(found, warnings=())
    return StudyResult(
        name="longitudinal",
        title=found.title,
        settings={"test": found.test, "level": found.settings.level},
        tables=(longitudinal_table(quiet, title=found.title),),
        figures=(longitudinal_figure(quiet, title="Gain against difficulty", signature=found.signature),),
        conclusion=(found.conclusion,),
        warnings=found.warnings,
        signature=found.signature,
        record={
            "signature": found.signature,
            "title": found.title,
            "old": found.old,
            "new": found.new,
            "cells": {cell: list(names) for cell, names in found.settings.cells} or None,
            "test": found.test,
            "level": found.settings.level,
            "rows": found.rows,
            "conclusion": found.conclusion,
            "warnings": list(found.warnings),
        },
    )


def longitudinal_table(found: Longitudinal, *, title: str, signature: str = "") -> Table:
    """The rows of a comparison of years as a table; those that nothing is known of are left out."""
    known = found.rows.filter(pl.col("gain").is_not_null())
    columns = _columns(found)
    rows = known.rename({"pair": "source"}).with_columns(*_stars("curr", known), *_stars("best", known))
    return Table(
        name="longitudinal",
        title=title,
        columns=columns,
        rows=in_columns(rows, columns),
        notes=(*_notes(found, known), *found.warnings),
        borders=group_borders(rows, "source"),
        signature=signature,
    )


def longitudinal_figure(found: Longitudinal, *, title: str, signature: str) -> Figure:
    """What the best systems gained on their own test sets against how much harder the new one is."""
    rows = found.rows.filter(
        pl.col("scale") == "points", pl.col("pair") != ALL_PAIRS, pl.col("gain").is_not_null()
    ).rename({"pair": "source"})
    table = Table(
        name="longitudinal",
        title=title,
        columns=_FIGURE_COLUMNS,
        rows=in_columns(rows, _FIGURE_COLUMNS),
        notes=(f"From and to: {100 * found.settings.level:g} % interval of the gain.", *found.warnings),
        borders=group_borders(rows, "source"),
        signature=signature,
    )
    return Figure.of(
        table,
        caption="Mean ratings of language pairs. Dotted lines join equal gains, in points of the scale: the "
        f"gain is BEST {found.new} − BEST {found.old} + Delta.",
        panels=[_panel(rows, found)],
    )


def _columns(found: Longitudinal) -> tuple[Column, ...]:
    old, new = found.old, found.new
    return (
        Column("source", "Pair"),
        Column("measure", "Measure"),
        Column("scale", "In"),
        *_neighbours("curr", f"CURR {old}", f"CURR {new}"),
        Column("delta", "Delta", 2),
        *_neighbours("best", f"BEST {old}", f"BEST {new}"),
        Column("change", "Change", 2),
        Column("gain", "Gain", 2),
        Column("lower", "From", 2),
        Column("upper", "To", 2),
        *(Column(f"n_{cell}", _short(cell, old, new), group="n") for cell in CELLS),
    )


def _neighbours(who: str, old: str, new: str) -> tuple[Column, ...]:
    """Two cells that are compared, each with the stars it has earned over the other."""
    return (
        Column(f"{who}_old", old, 2),
        Column(f"{who}_old_stars", "*"),
        Column(f"{who}_new", new, 2),
        Column(f"{who}_new_stars", "*"),
    )


def _short(cell: str, old: str, new: str) -> str:
    who, _, year = cell.partition("_")
    return f"{who.upper()} {old if year == 'old' else new}"


def _stars(who: str, rows: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Stars of the old and of the new cell: those of the larger one's p-value."""
    old, new = [], []
    for first, second, p_value in rows.select(f"{who}_old", f"{who}_new", f"{who}_p").iter_rows():
        mark = stars(p_value)
        old.append(mark if first >= second else "")
        new.append("" if first >= second else mark)
    return pl.Series(f"{who}_old_stars", old, pl.String), pl.Series(f"{who}_new_stars", new, pl.String)


def _notes(found: Longitudinal, known: pl.DataFrame) -> tuple[str, ...]:
    notes = [
        f"Delta = CURR {found.old} − CURR {found.new}, positive if the new test set is harder. Change = BEST "
        f"{found.new} − BEST {found.old}. Gain = Change + Delta. n counts regular and repeat judgements.",
        f"Stars on the larger cell: two-sided test of mean z, {_TESTED[found.test]}, "
        f"{', '.join(f'{mark} p < {bound:g}' for mark, bound in reversed(STARS.items()))}.",
        f"From and to: {100 * found.settings.level:g} % interval of the gain, {_TESTED['clustered']}.",
    ]
    if (known["scale"] == "z").any():
        notes.append("Gains on z compare within one collection only: standardising takes the level away.")
    if (known["measure"] == F1).any():
        notes.append("F1: harmonic mean of a cell's mean fluency and adequacy.")
    if (known["pair"] == ALL_PAIRS).any():
        notes.append("All pairs: each cell's mean over the pairs, which weigh the same.")
    return tuple(notes)


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
        x=Axis(f"BEST {found.new} − BEST {found.old}", *x_ends),
        y=Axis(f"Delta: CURR {found.old} − CURR {found.new}", *y_ends),
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
    return f"gain {gain:g}".replace("-", MINUS)


def _round_step(rough: float) -> float:
    """The round number (1, 2 or 5 times a power of ten) next above."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough)
