"""How ratings of each kind of item are spread over the scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.exhibit import Axis, Bars, Column, Evidence, ExhibitOptions, Figure, Line, Panel
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.exhibits._sources import ratings_left_out, table_of
from steelyard.stats.arrays import FloatArray

# Five points each on the scale of 100 [our choice].
_STRETCHES = 20
# Scales on which no more different ratings than this were given are shown value by value.
_FEW_VALUES = 10
_COLUMNS = (
    Column("kind", "Kind"),
    Column("left", "From", 2),
    Column("right", "To", 2),
    Column("n_kept", "Kept"),
    Column("kept_share", "Kept, %", 1, per_cent=True),
    Column("n_left_out", "Left out"),
    Column("left_out_share", "Left out, %", 1, per_cent=True),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Share of ratings per stretch of the scale, one panel per kind of item, on the same axes.

    Careful workers rate references high, degraded copies low, and repeats like the translations they
    repeat [Graham2013]. Bars are the ratings that the scores rest on; the dashed outline, where there
    is one, those that were left out. Heaps at the ends or in the middle of the scale reveal workers who do
    not use it. Raw ratings of different workers are not comparable: do not read the quality of
    systems here.
    """
    source = evidence[0]
    edges = _edges(source.frame["rating"].unique().sort().to_numpy(), source.analysis.settings.scale)
    kept, others = source.kept, ratings_left_out(source)
    kinds = [str(kind) for kind in ItemKind if (source.frame["item_kind"] == str(kind)).any()]
    tallies = [_tally(kind, _of_kind(kept, kind), _of_kind(others, kind), edges=edges) for kind in kinds]
    rows = pl.concat(tallies)
    highest = rows.select(pl.max_horizontal(pl.col("kept_share", "left_out_share").max())).item()
    table = table_of(
        FIGURE,
        evidence,
        _COLUMNS,
        rows,
        notes=("From is included, To is not, except in the last of each kind. Shares are of their kind.",),
    )
    return Figure.of(
        table,
        caption="Share of the ratings of each kind of item that lie in each stretch of the scale. "
        + _means_in_words(kept, others, kinds),
        panels=[
            _panel(kind, tally, top=5.0 * math.ceil(20 * highest))
            for kind, tally in zip(kinds, tallies, strict=True)
        ],
    )


def _of_kind(frame: pl.DataFrame, kind: str) -> FloatArray:
    ratings: FloatArray = frame.filter(item_kind=kind)["rating"].to_numpy()
    return ratings


def _edges(values: FloatArray, scale: Scale) -> FloatArray:
    """Where stretches begin and end: halfway between neighbours on scales of few values."""
    if len(values) > _FEW_VALUES:
        return np.linspace(scale.minimum, scale.maximum, _STRETCHES + 1)
    gaps = np.diff(values) if len(values) > 1 else np.array([scale.width / _STRETCHES])
    halfway = values[:-1] + np.diff(values) / 2
    return np.concatenate([[values[0] - gaps[0] / 2], halfway, [values[-1] + gaps[-1] / 2]])


def _tally(kind: str, kept: FloatArray, others: FloatArray, *, edges: FloatArray) -> pl.DataFrame:
    def counts(ratings: FloatArray) -> pl.Series:
        # The highest rating belongs to the last stretch, not to one of its own.
        place = np.clip(np.searchsorted(edges, ratings, side="right") - 1, 0, len(edges) - 2)
        return pl.Series(np.bincount(place, minlength=len(edges) - 1), dtype=pl.Int64)

    n_kept, n_others = counts(kept), counts(others)
    nobody = pl.Series([None] * len(n_kept), dtype=pl.Float64)
    return pl.DataFrame(
        {
            "kind": [kind] * len(n_kept),
            "left": edges[:-1],
            "right": edges[1:],
            "n_kept": n_kept,
            "kept_share": n_kept / len(kept) if len(kept) else nobody,
            "n_left_out": n_others,
            "left_out_share": n_others / len(others) if len(others) else nobody,
        }
    )


def _panel(kind: str, tally: pl.DataFrame, *, top: float) -> Panel:
    left, right = tally["left"].to_list(), tally["right"].to_list()
    marks: list[Bars | Line] = []
    if tally["kept_share"].null_count() == 0:
        height = (100 * tally["kept_share"]).to_list()
        marks.append(Bars(left=tuple(left), right=tuple(right), height=tuple(height), series="kept"))
    if tally["left_out_share"].null_count() == 0:
        height = (100 * tally["left_out_share"]).to_list()
        # Up at the left end of each stretch and level to its right end: the outline of bars.
        x = [left[0], *(end for ends in zip(left, right, strict=True) for end in ends), right[-1]]
        y = [0.0, *(level for level in height for _ in range(2)), 0.0]
        marks.append(Line(x=tuple(x), y=tuple(y), series="left out", tone="bad", dashed=True))
    return Panel(
        x=Axis("rating", low=left[0], high=right[-1]),
        y=Axis("% of ratings", low=0.0, high=top),
        marks=tuple(marks),
        title=kind,
    )


def _means_in_words(kept: pl.DataFrame, others: pl.DataFrame, kinds: Sequence[str]) -> str:
    """The mean rating of each kind, of the ratings kept and of those left out."""
    sentences = []
    for words, frame in (("Mean ratings kept", kept), ("Mean ratings left out", others)):
        means = dict(frame.group_by("item_kind").agg(pl.col("rating").mean()).iter_rows())
        listed = [f"{kind} {means[kind]:.1f}" for kind in kinds if kind in means]
        if listed:
            sentences.append(f"{words}: {', '.join(listed)}.")
    return " ".join(sentences)


FIGURE = Exhibit(
    name="rating-histograms",
    title="Ratings by kind of item",
    cite=("Graham2013",),
    make=make,
    report=ReportPlace(50),
)
