"""How final scores are spread, by each way of normalising."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.domain.exhibit import (
    Axis,
    Bars,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Panel,
    Rule,
)
from steelyard.domain.plugin import Exhibit
from steelyard.domain.scale import Scale
from steelyard.domain.wording import in_digits
from steelyard.evaluation.normalisation.fits import Fitted
from steelyard.evaluation.normalisation.settings import shown_name
from steelyard.evaluation.normalisation.study import fit_all, ready_normalisation
from steelyard.exhibits._gold import gold_signature, settings_for
from steelyard.exhibits._sources import group_borders, table_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.rounding import EQUAL

# A tenth of a point on a scale of four [our choice].
_STRETCHES = 30
_COLUMNS = (
    Column("method", "Method"),
    Column("left", "From", 2),
    Column("right", "To", 2),
    Column("n_translations", "Translations"),
    Column("share", "Translations, %", 1, per_cent=True),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Number of translations by final score, a panel for each way of normalising.

    As [Denkowski2010, figure 2], which shows two-stage alone. Scores that gather in one place tell
    translations apart no more, however well workers agree: dropping outlying judgements gave 1,172 of the
    paper's 1,314 translations a 3. Such scores are of no use to tune or to test a metric. Methods in points
    of the scale have the same axes; mean z and the worker model have their own units. A rule marks the mean.
    """
    source = evidence[0]
    study = ready_normalisation(source.frame, settings_for(source, options, methods=options.methods))
    fits = [fit for fit in fit_all(study) if np.isfinite(fit.score).any()]
    in_points = [_scores(fit) for fit in fits if fit.entry.method.in_points]
    edges = _edges_in_points(np.concatenate(in_points), source.analysis.settings.scale)
    tallies = [_tally(fit, edges if fit.entry.method.in_points else _own_edges(fit)) for fit in fits]
    rows = pl.concat(tallies)
    table = replace(
        table_of(
            FIGURE,
            evidence,
            _COLUMNS,
            rows,
            notes=(
                "From everybody's judgements, whatever the check found. From is included, To is not, except "
                "in the last of each method.",
            ),
            borders=group_borders(rows, "method"),
        ),
        signature=gold_signature(FIGURE, evidence, study.settings),
    )
    return Figure.of(
        table,
        caption="Number of translations in each stretch of final scores. "
        + " ".join(_in_words(fit) for fit in fits),
        panels=[_panel(fit, tally) for fit, tally in zip(fits, tallies, strict=True)],
    )


def _scores(fit: Fitted) -> FloatArray:
    return fit.score[np.isfinite(fit.score)]


def _edges_in_points(score: FloatArray, scale: Scale) -> FloatArray:
    """Thirtieths of the scale, and as many more to either side as shifted scores need."""
    step = scale.width / _STRETCHES
    first = min(0, math.floor(float(score.min() - scale.minimum) / step + EQUAL))
    last = max(_STRETCHES, math.ceil(float(score.max() - scale.minimum) / step - EQUAL))
    return scale.minimum + scale.width * np.arange(first, last + 1) / _STRETCHES


def _own_edges(fit: Fitted) -> FloatArray:
    """From the lowest score to the highest; a single value has a stretch about it."""
    low, high = float(_scores(fit).min()), float(_scores(fit).max())
    return np.linspace(low, high, _STRETCHES + 1) if high - low > EQUAL else np.array([low - 0.5, low + 0.5])


def _tally(fit: Fitted, edges: FloatArray) -> pl.DataFrame:
    """How many scores lie in each stretch."""
    score = _scores(fit)
    # A mean that equals a border up to rounding lies on it.
    noise = EQUAL * float(edges[1] - edges[0])
    place = np.clip(np.searchsorted(edges - noise, score, side="right") - 1, 0, len(edges) - 2)
    n = np.bincount(place, minlength=len(edges) - 1)
    return pl.DataFrame(
        {
            "method": shown_name(fit.entry.name),
            "left": edges[:-1],
            "right": edges[1:],
            "n_translations": pl.Series(n, dtype=pl.Int64),
            "share": n / len(score),
        }
    )


def _panel(fit: Fitted, tally: pl.DataFrame) -> Panel:
    left, right, height = (tuple(tally[name].to_list()) for name in ("left", "right", "n_translations"))
    unit = "points" if fit.entry.method.in_points else "units of its own"
    return Panel(
        x=Axis(f"final score ({unit})", low=left[0], high=right[-1]),
        y=Axis("translations", low=0.0),
        marks=(Bars(left=left, right=right, height=height), Rule("x", float(_scores(fit).mean()))),
        title=tally["method"][0],
    )


def _in_words(fit: Fitted) -> str:
    score = _scores(fit)
    spread = f", deviation {score.std(ddof=1):.2f}" if len(score) > 1 else ""
    return f"{shown_name(fit.entry.name)}: mean {in_digits(float(score.mean()), 2)}{spread}."


FIGURE = Exhibit(
    name="score-distribution",
    title="Distribution of final scores",
    cite=("Denkowski2010",),
    make=make,
    of_everyone=True,
    runs_methods=True,
)
