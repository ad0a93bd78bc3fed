"""Whether what a model learns of workers is what their ratings show."""

from __future__ import annotations

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
    Tone,
)
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted, in_digits
from steelyard.exhibits._sources import table_of, was_checked
from steelyard.exhibits._worker_truth import LEAST_ITEMS, LEAST_OTHERS, beside_truth

_COLUMNS = (
    Column("worker_id", "Worker"),
    Column("verdict", "Verdict"),
    Column("n_items", "Common translations"),
    Column("precision", "Precision, learnt", 2),
    Column("seen_precision", "seen", 2),
    Column("offset", "Offset, learnt", 1),
    Column("seen_offset", "seen", 1),
)
_VERDICTS: tuple[tuple[str, Tone], ...] = (("pass", "good"), ("fail", "bad"), ("insufficient", "unsure"))
# A correlation of two points is 1 whatever they are.
_LEAST_POINTS = 3


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """A point per worker: precision and offset as the model learnt them, against what the ratings show.

    What they show: one over the variance, and the mean, of the worker's ratings less the truth, the
    mean z of the others' ratings that the scores rest on [Mathur2018, figure 4]. Precisions are those of
    ratings divided by the deviation of them all; offsets are in points. Points near the line say that the
    model has understood the workers; points beside it are for a look. It is no proof of the model: both
    sides come from the same ratings. A worker who uses little of the scale looks less precise than a model
    with slopes finds, for the truth knows none.
    """
    source = evidence[0]
    rows = _rows(source)
    unseen = len(source.analysis.workers) - len(rows)
    missing = f" {counted(unseen, 'worker')} with less in common not shown." if unseen else ""
    table = table_of(FIGURE, evidence, _COLUMNS, rows)
    return Figure.of(
        table,
        caption=f"Each point is a worker with at least {LEAST_ITEMS} translations that {LEAST_OTHERS} others "
        f"judged too.{_correlation_in_words(rows)} On the line, both agree.{missing}",
        panels=(
            Panel(
                x=Axis("seen: 1 / variance about the truth", logarithmic=True),
                y=Axis("learnt precision", logarithmic=True),
                marks=_marks(rows, "precision", source.analysis),
                title="Precision",
            ),
            Panel(
                x=Axis("seen: mean distance from the truth, points"),
                y=Axis("learnt offset, points"),
                marks=_marks(rows, "offset", source.analysis),
                title="Offset",
            ),
        ),
    )


def has_parameters(analysis: Analysis) -> bool:
    """Whether the method learnt something of workers that this figure shows."""
    return all(analysis.workers[name].count() > 0 for name in ("offset", "precision"))


def _rows(source: Evidence) -> pl.DataFrame:
    """Workers of whom both sides are known."""
    if not has_parameters(source.analysis):
        raise NotEnoughData(
            f"The method {source.analysis.settings.method} learns neither offset nor precision of workers: "
            "use {method=worker-model} on ratings."
        )
    seen = beside_truth(source).select(
        "worker_id", "n_items", seen_precision="precision", seen_offset="offset"
    )
    rows = (
        source.analysis.workers.select("worker_id", "verdict", "precision", "offset")
        .join(seen, on="worker_id", maintain_order="left")
        .drop_nulls(["precision", "offset", "seen_precision", "seen_offset"])
    )
    if rows.is_empty():
        raise NotEnoughData(
            "No worker has both: what the model learnt, and ratings to compare with the truth."
        )
    return rows


def _marks(rows: pl.DataFrame, name: str, analysis: Analysis) -> tuple[Points | Line, ...]:
    """The points by verdict, and the line on which both sides agree."""
    seen = f"seen_{name}"
    sides = rows.select(name, seen).to_numpy()
    # As far as both sides reach, or all the way where they do not meet.
    low, high = float(sides.min(axis=0).max()), float(sides.max(axis=0).min())
    ends = (low, high) if low < high else (float(sides.min()), float(sides.max()))
    points = (
        [
            _points(rows.filter(verdict=verdict), name, verdict, tone)
            for verdict, tone in _VERDICTS
            if verdict in rows["verdict"]
        ]
        if was_checked(analysis)
        else [_points(rows, name, "", "main")]
    )
    return Line(x=ends, y=ends, tone="faint", dashed=True), *points


def _points(rows: pl.DataFrame, name: str, series: str, tone: Tone) -> Points:
    return Points(
        x=tuple(rows[f"seen_{name}"].to_list()),
        y=tuple(rows[name].to_list()),
        series=series,
        tone=tone,
        labels=tuple(rows["worker_id"].to_list()),
    )


def _correlation_in_words(rows: pl.DataFrame) -> str:
    if len(rows) < _LEAST_POINTS:
        return ""
    precision = _correlation(rows["precision"].log(), rows["seen_precision"].log())
    offset = _correlation(rows["offset"], rows["seen_offset"])
    said = [
        f"{in_digits(r, 2)} {words}"
        for r, words in ((precision, "of the logarithms of precisions"), (offset, "of offsets"))
        if r is not None
    ]
    return f" Pearson's r: {', '.join(said)}." if said else ""


def _correlation(x: pl.Series, y: pl.Series) -> float | None:
    if x.n_unique() < 2 or y.n_unique() < 2:
        return None
    return float(np.corrcoef(x.to_numpy(), y.to_numpy())[0, 1])


FIGURE = Exhibit(
    name="worker-parameters",
    title="Workers as the model sees them",
    cite=("Mathur2018",),
    make=make,
    report=ReportPlace(90, "workers", wanted=has_parameters),
)
