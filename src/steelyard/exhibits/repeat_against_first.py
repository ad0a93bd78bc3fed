"""Whether workers repeat themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.agreement.pairs import repeat_pairs
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
    Tone,
)
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.scale import Scale
from steelyard.domain.wording import counted, in_digits
from steelyard.exhibits._sources import ratings_left_out, table_of
from steelyard.stats.correlation import pearson

_COLUMNS = (
    Column("ratings", "Ratings"),
    Column("first", "First", 1),
    Column("second", "Second", 1),
    Column("n_pairs", "Pairs"),
)
_TONES: dict[str, Tone] = {"kept": "main", "left out": "second"}


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Second rating of a text against the first one that the same worker gave it, a point per pair.

    Someone who rates with care comes back near the diagonal [Graham2013]: points far from it are
    ratings that mean little. Pairs that the scores rest on and pairs that were left out have a panel
    each. The correlation grows with the spread of quality among the texts, so compare it between
    campaigns with caution; the mean distance does not.
    """
    source = evidence[0]
    scale = source.analysis.settings.scale
    pairs = {
        name: repeat_pairs(frame).select(first="first_rating", second="second_rating")
        for name, frame in (("kept", source.kept), ("left out", ratings_left_out(source)))
    }
    shown = {name: rows for name, rows in pairs.items() if not rows.is_empty()}
    if not shown:
        raise NotEnoughData("No worker judged an item twice, so there are no repeats to look at.")
    table = table_of(
        FIGURE, evidence, _COLUMNS, pl.concat(_counted(name, rows) for name, rows in shown.items())
    )
    return Figure.of(
        table,
        caption=" ".join(_in_words(name, rows) for name, rows in shown.items())
        + " On the diagonal both ratings are the same.",
        panels=[_panel(name, rows, scale) for name, rows in shown.items()],
    )


def _panel(name: str, pairs: pl.DataFrame, scale: Scale) -> Panel:
    ends = (scale.minimum, scale.maximum)
    return Panel(
        x=Axis("first rating", low=ends[0], high=ends[1]),
        y=Axis("second rating", low=ends[0], high=ends[1]),
        marks=(
            Points(x=tuple(pairs["first"].to_list()), y=tuple(pairs["second"].to_list()), tone=_TONES[name]),
            Line(x=ends, y=ends, tone="faint", dashed=True),
        ),
        title=f"ratings {name}",
    )


def _counted(name: str, pairs: pl.DataFrame) -> pl.DataFrame:
    """Every pair of ratings that was given, with how often."""
    return (
        pairs.group_by("first", "second")
        .agg(n_pairs=pl.len().cast(pl.Int64))
        .sort("first", "second")
        .with_columns(ratings=pl.lit(name))
    )


def _in_words(name: str, pairs: pl.DataFrame) -> str:
    first, second = pairs["first"].to_numpy(), pairs["second"].to_numpy()
    apart = np.abs(first - second).mean()
    r = pearson(first, second)
    correlation = "r undefined" if np.isnan(r) else f"r = {in_digits(r, 2)}"
    return (
        f"Ratings {name}: {counted(len(pairs), 'pair')}, {correlation}, {apart:.1f} points apart on average."
    )


FIGURE = Exhibit(
    name="repeat-against-first",
    title="Repeats against first ratings",
    cite=("Graham2013",),
    make=make,
    report=ReportPlace(40),
)
