"""What the scores may be, given the ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Intervals,
    Panel,
    Points,
    Tone,
)
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import table_of
from steelyard.exhibits.rank_probabilities import draws_of, has_order
from steelyard.stats.arrays import FloatArray

_COLUMNS = (
    Column("system_id", "System"),
    Column("score", "Score", 3),
    Column("median", "Median", 3),
    Column("sd", "sd", 3),
    Column("lower_50", "50 % from", 3),
    Column("upper_50", "50 % to", 3),
    Column("lower_90", "90 % from", 3),
    Column("upper_90", "90 % to", 3),
)
_SHOWN: tuple[tuple[int, Tone], ...] = ((90, "faint"), (50, "main"))


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """For each system where half and where nine tenths of its score's draws lie, best at the top.

    From the draws of a method that allows for more than one answer, such as the worker model
    [Mathur2018]. Half of the time the score lies within the short bar, nine times of ten within the long
    one, if the model is right. Overlapping bars do not say how probable it is that one system is better:
    draws of two systems go together where they share workers and segments, which the probabilities of
    ranks allow for and this figure cannot show.
    """
    analysis = evidence[0].analysis
    draws = draws_of(analysis)
    rows = _summary(analysis.systems, draws)
    if not rows["median"].count():
        raise NotEnoughData("No draw has a score of any system, so there is nothing to show.")
    known = rows.with_row_index("place").drop_nulls("median")
    at = tuple(float(place) for place in known["place"])
    table = table_of(FIGURE, evidence, _COLUMNS, rows)
    return Figure.of(
        table,
        caption=f"Where half and where 90 % of {counted(len(draws), 'draw')} of each system's score lie; the "
        "point is the score of the ranking.",
        panels=(
            Panel(
                x=Axis(methods()[analysis.settings.method].title),
                y=Axis("", categories=tuple(rows["system_id"].to_list())),
                marks=(
                    *(_intervals(known, at, level, tone) for level, tone in _SHOWN),
                    Points(x=tuple(known["score"].to_list()), y=at, series="score"),
                ),
            ),
        ),
    )


def _summary(systems: pl.DataFrame, draws: FloatArray) -> pl.DataFrame:
    """What the draws say of each score; null where a system has none."""
    numbers: list[tuple[float | None, ...]] = []
    for column in draws.T:
        known = column[np.isfinite(column)]
        if not len(known):
            numbers.append((None,) * 6)
            continue
        ends = np.quantile(known, [0.5, 0.25, 0.75, 0.05, 0.95]).tolist()
        sd = float(np.std(known, ddof=1)) if len(known) > 1 else None
        numbers.append((ends[0], sd, *ends[1:]))
    found = pl.DataFrame(
        numbers,
        schema=dict.fromkeys(("median", "sd", "lower_50", "upper_50", "lower_90", "upper_90"), pl.Float64),
        orient="row",
    )
    return pl.concat([systems.select("system_id", "score"), found], how="horizontal")


def _intervals(rows: pl.DataFrame, at: tuple[float, ...], level: int, tone: Tone) -> Intervals:
    return Intervals(
        low=tuple(rows[f"lower_{level}"].to_list()),
        high=tuple(rows[f"upper_{level}"].to_list()),
        at=at,
        series=f"{level} % of draws",
        tone=tone,
    )


FIGURE = Exhibit(
    name="score-posterior",
    title="What the scores may be",
    cite=("Mathur2018",),
    make=make,
    report=ReportPlace(80, "sure", wanted=has_order),
)
