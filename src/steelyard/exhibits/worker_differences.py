"""What one worker made of repeats and of degraded copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.control_pairs import control_pairs
from steelyard.domain.errors import ChoiceError, NotEnoughData
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
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.domain.wording import counted, in_digits
from steelyard.domain.work import ItemKind
from steelyard.exhibits._sources import table_of, title_of
from steelyard.stats.arrays import FloatArray

_COLUMNS = (
    Column("worker_id", "Worker"),
    Column("pair", "Pair"),
    Column("hit_id", "HIT"),
    Column("system_id", "System"),
    Column("segment_id", "Segment"),
    Column("attribute", "Attribute"),
    Column("base_rating", "Base", 1),
    Column("control_rating", "Control", 1),
    Column("difference", "Difference", 1),
)
# Dots lie at the places with a name, their curve over the empty ones above; all in places.
_PLACES = ("", "", "d1: repeat", "", "", "d2: degraded")
_FOOT, _HEIGHT = 0.5, 1.9
_CURVE_POINTS = 161


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """How far one worker's repeats lie apart, and how far degraded copies lie below their originals.

    Each dot is a pair: above, the magnitude of the difference between two ratings of the same text (d1);
    below, the original's rating less that of its degraded copy (d2) [Graham2013, figure 3]. A careful
    worker has small d1 and clearly positive d2. The worker is the one asked for, or the one with most
    pairs. The curves are kernel densities, scaled to the same height: with ten pairs they are a
    rough outline, so judge by the dots, and never refuse pay on this picture alone.
    """
    source = evidence[0]
    pairs = _pairs(source.frame)
    worker_id = _chosen(source, pairs, options.worker)
    rows = pairs.filter(worker_id=worker_id).sort(
        pl.col("pair") == "degraded", "hit_id", "system_id", "segment_id", "attribute"
    )
    d1 = rows.filter(pair="repeat")["difference"].to_numpy()
    d2 = rows.filter(pair="degraded")["difference"].to_numpy()
    width = source.analysis.settings.scale.width
    title = f"{title_of(FIGURE, evidence)}, worker {worker_id}"
    table = replace(
        table_of(
            FIGURE,
            evidence,
            _COLUMNS,
            rows,
            notes=("The difference is a magnitude for repeats, base less control for degraded copies.",),
        ),
        title=title,
    )
    return Figure.of(
        table,
        caption=f"Differences of worker {worker_id} in points: {_in_words('repeats (d1)', d1)}; "
        f"{_in_words('degraded copies (d2)', d2)}.",
        panels=(
            Panel(
                x=Axis("difference in points"),
                y=Axis("", categories=_PLACES),
                marks=(
                    Rule(of="x", at=0.0),
                    *_strip(d1, 2, tone="main", within=(0.0, width)),
                    *_strip(d2, 5, tone="second", within=(-width, width)),
                ),
            ),
        ),
    )


def _pairs(frame: pl.DataFrame) -> pl.DataFrame:
    """Everyone's pairs with their differences."""
    difference = pl.col("base_rating") - pl.col("control_rating")
    return pl.concat(
        [
            control_pairs(frame, ItemKind.REPEAT).with_columns(
                pair=pl.lit("repeat"), difference=difference.abs()
            ),
            control_pairs(frame, ItemKind.DEGRADED).with_columns(
                pair=pl.lit("degraded"), difference=difference
            ),
        ]
    )


def _chosen(source: Evidence, pairs: pl.DataFrame, wanted: str | None) -> str:
    """The worker to show: the one asked for, or the one with most pairs, both kinds being there."""
    if wanted is not None and not (source.frame["worker_id"] == wanted).any():
        some = source.frame["worker_id"].unique().sort().head(5).to_list()
        raise ChoiceError(
            f"There is no worker {wanted!r} in {source.title}. Workers are called {', '.join(some)}"
            f"{' and so on' if source.frame['worker_id'].n_unique() > len(some) else ''}; "
            "the table workers lists all of them."
        )
    both = (
        pairs.group_by("worker_id")
        .agg(n=pl.len(), kinds=pl.col("pair").n_unique())
        .filter(pl.col("kinds") == 2)
        .sort(["n", "worker_id"], descending=[True, False])
    )
    if wanted is None and both.is_empty():
        raise NotEnoughData("No worker judged both repeats and degraded copies beside their originals.")
    if wanted is not None and not (both["worker_id"] == wanted).any():
        raise NotEnoughData(
            f"Worker {wanted} did not judge both repeats and degraded copies beside their originals."
        )
    return wanted if wanted is not None else str(both["worker_id"][0])


def _strip(
    differences: FloatArray, place: int, *, tone: Tone, within: tuple[float, float]
) -> tuple[Points | Line, ...]:
    """Dots at a place of the upright axis, and above them their density where they are not all the same."""
    dots = Points(x=tuple(differences.tolist()), y=(float(place),) * len(differences), tone=tone)
    kernel = bandwidth(differences)
    if not kernel:
        return (dots,)
    low = max(differences.min() - 3 * kernel, within[0])
    at = np.linspace(low, min(differences.max() + 3 * kernel, within[1]), _CURVE_POINTS)
    curve = density(differences, at, width=kernel, within=within)
    foot = place - _FOOT
    y = foot - _HEIGHT * curve / curve.max()
    outline = Line(x=(at[0], *at.tolist(), at[-1]), y=(foot, *y.tolist(), foot), tone=tone)
    return dots, outline


def _in_words(what: str, differences: FloatArray) -> str:
    spread = f", sd {np.std(differences, ddof=1):.1f}" if len(differences) > 1 else ""
    pairs = counted(len(differences), "pair")
    return f"{what} mean {in_digits(float(differences.mean()), 1)}{spread} over {pairs}"


FIGURE = Exhibit(name="worker-differences", title="Differences within pairs", cite=("Graham2013",), make=make)


def bandwidth(values: FloatArray) -> float:
    """Width of the Gaussian kernel by Silverman's rule of thumb; 0 where all values are the same.

    0.9 n^(-1/5) times the smaller of the standard deviation and the interquartile range over 1.34, or
    the deviation alone where half of the values are equal.

    >>> round(bandwidth(np.array([1.0, 2.0, 3.0, 4.0, 5.0])), 4)
    0.9736
    """
    if len(values) < 2:
        return 0.0
    deviation = float(np.std(values, ddof=1))
    low, high = np.quantile(values, [0.25, 0.75])
    spread = min(deviation, float(high - low) / 1.34) if high > low else deviation
    return float(0.9 * spread * len(values) ** -0.2)


def density(
    values: FloatArray, at: FloatArray, *, width: float, within: tuple[float, float] = (-np.inf, np.inf)
) -> FloatArray:
    """Gaussian kernel density of the values at the places given, all of them `within` the bounds.

    Where values cannot lie beyond a bound, such as magnitudes below 0, they are mirrored there, or the
    curve would leak to where no value can be. Holds a number for every value and place: give it a
    worker's pairs, not a campaign's.

    >>> density(np.array([0.0]), np.array([0.0, 1.0]), width=1.0).round(4)
    array([0.3989, 0.242 ])
    >>> density(np.array([0.0]), np.array([0.0, 1.0]), width=1.0, within=(0.0, np.inf)).round(4)
    array([0.7979, 0.4839])
    """
    images = [values, *(2 * bound - values for bound in within if np.isfinite(bound))]
    distance = (at[:, None] - np.concatenate(images)[None, :]) / width
    curve: FloatArray = np.exp(-0.5 * distance**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))
    return curve
