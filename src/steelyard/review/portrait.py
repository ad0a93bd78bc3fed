"""What a model has learnt of a worker, in words that need no statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from steelyard.domain.scale import VAS, Scale

# Offsets below this share of the scale make no difference to anybody: 2 points of 100 [our choice].
SMALL_OFFSET = 0.02
# What lies within this many standard deviations may be chance.
_SURE = 2.0
# Slopes up to these bounds, halfway (by ratio) between those that have a name: .1, .25, .5, .75, 1, 1.5, 2.
_SLOPES: Mapping[float, str] = {
    0.05: "uses hardly any of the scale",
    0.16: "uses a tenth of the scale",
    0.35: "uses a quarter of the scale",
    0.61: "uses half the scale",
    0.87: "uses three quarters of the scale",
    1.22: "uses the scale as most do",
    1.73: "stretches the scale one and a half times",
}
_USUAL = _SLOPES[1.22]
# Weights that are as good as 0, and those that differ from the average by no more than rounding.
_NO_WEIGHT, _AVERAGE = 0.05, (0.95, 1.05)
# Slopes of comparisons that are as good as 0, and those that are as good as everybody's [our choices].
_UNCLEAR, _AS_CLEAR = 0.15, (0.85, 1.15)
_COLUMNS = ("offset", "slope", "weight", "offset_sd", "slope_sd")


class Manner(NamedTuple):
    """How a worker rates; what is unknown is None.

    `offset` in points of the scale, positive if generous; `slope`: 1 if the worker uses the scale as the
    average worker does; `weight`: what a rating is worth, 1 for the average worker's.
    """

    offset: float | None = None
    slope: float | None = None
    weight: float | None = None
    offset_sd: float | None = None
    slope_sd: float | None = None


def portraits(workers: pl.DataFrame, *, scale: Scale = VAS, compares: bool = False) -> pl.Series:
    """Each worker's offset, slope and weight in words: the column `portrait`, null where none is known.

    `workers` has the columns of a `Fit`'s; those on how sure the method is may be missing. `compares`: the
    slopes are of comparisons, not of ratings on a scale.
    """
    known = workers.select(
        pl.col(name).cast(pl.Float64) if name in workers.columns else pl.lit(None, pl.Float64).alias(name)
        for name in _COLUMNS
    )
    sentences = [
        _clarity_in_words(Manner(*row).slope) if compares else portrait(Manner(*row), scale=scale)
        for row in known.fill_nan(None).iter_rows()
    ]
    return pl.Series("portrait", sentences, dtype=pl.String)


def portrait(manner: Manner, *, scale: Scale = VAS) -> str | None:
    """How a worker rates, in one sentence that a manager can read out; None if nothing is known.

    Careful about chance: an offset is mentioned only where it is more than 2 % of the scale and more than two
    standard deviations from 0, a slope only where it is as far from 1. A slope that the model does not
    learn (its deviation is 0) is not spoken of. The words describe ratings [Mathur2018], not people: nobody
    is to be refused on them.

    >>> portrait(Manner(offset=9.2, slope=0.5, weight=0.4, offset_sd=2.0, slope_sd=0.1))
    'generous by 9 points, uses half the scale, as reliable as 0.4 of an average worker'
    >>> portrait(Manner(offset=9.2, offset_sd=5.0, weight=2.1))
    'neither harsh nor generous, as reliable as 2.1 average workers'
    """
    parts = (
        _offset_in_words(manner.offset, manner.offset_sd, scale),
        _slope_in_words(manner.slope, manner.slope_sd),
        _weight_in_words(manner.weight),
    )
    return ", ".join(part for part in parts if part) or None


def _offset_in_words(offset: float | None, sd: float | None, scale: Scale) -> str:
    if offset is None:
        return ""
    if abs(offset) < SMALL_OFFSET * scale.width or _may_be_chance(offset, sd):
        return "neither harsh nor generous"
    # As few digits as let the smallest offset mentioned differ from 0.
    digits = max(0, math.ceil(-math.log10(2 * SMALL_OFFSET * scale.width)))
    points = f"{abs(offset):.{digits}f}"
    noun = "point" if points == "1" else "points"
    return f"{'generous' if offset > 0 else 'harsh'} by {points} {noun}"


def _slope_in_words(slope: float | None, sd: float | None) -> str:
    if slope is None or sd == 0:
        return ""
    if _may_be_chance(slope - 1, sd):
        return _USUAL
    if slope < 0 and not _may_be_chance(slope, sd):
        return "uses the scale backwards"
    words = next((words for bound, words in _SLOPES.items() if slope <= bound), "")
    return words or f"stretches the scale {slope:.0f} times"


def _clarity_in_words(slope: float | None) -> str | None:
    if slope is None:
        return None
    if slope < _UNCLEAR:
        return "hardly tells systems apart"
    if _AS_CLEAR[0] <= slope <= _AS_CLEAR[1]:
        return "tells systems apart as clearly as most"
    return f"tells systems apart {slope:.1f} times as clearly as most"


def _weight_in_words(weight: float | None) -> str:
    if weight is None:
        return ""
    if weight < _NO_WEIGHT:
        return "adds next to nothing"
    if _AVERAGE[0] <= weight < _AVERAGE[1]:
        return "as reliable as the average worker"
    return f"as reliable as {weight:.1f} {'of an average worker' if weight < 1 else 'average workers'}"


def _may_be_chance(distance: float, sd: float | None) -> bool:
    return sd is not None and abs(distance) <= _SURE * sd
