"""Which translations have ratings enough, and whether the whole campaign has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import table_of
from steelyard.exhibits.worker_parameters import has_parameters
from steelyard.stats.stopping import (
    ENOUGH_CORRELATION,
    LEAST_WORKERS,
    precise_items,
    predicted_correlation,
    usual_target,
)

_CELL = ("system_id", "segment_id")
_ALL = "all"
_COLUMNS = (
    Column("system_id", "System"),
    Column("n_items", "Translations"),
    Column("fewest_workers", "Fewest workers"),
    Column("mean_sd", "Mean sd", 3),
    Column("n_precise", "Precise enough"),
    Column("correlation", "Predicted r", 3),
)
_TYPES = (pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Int64, pl.Float64)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """How well scores of single translations will agree with the truth, and how many need no more ratings.

    The worker model [Mathur2018] knows how uncertain the score of each translation is. From that follows how
    well all scores together will correlate with the true qualities, if the model is right: r = sqrt(S /
    (S + v)), S being the variance of the scores and v the mean of their own variances. A translation is
    precise enough with a deviation within `target_sd` and two workers; the campaign may stop with a
    predicted r of 0.9 and two workers for each translation. Not for deciding between systems, which need
    far fewer ratings of each translation. Workers who are unlike what the model expects make r too high
    with two ratings of each item, and hardly with five. Decide on the target before you look.
    """
    source = evidence[0]
    if not knows_uncertainty(source.analysis):
        raise NotEnoughData(
            f"The method {source.analysis.settings.method} does not know how uncertain its scores of single "
            "translations are. Choose {method=worker-model}."
        )
    cells = _cells(source)
    if not len(cells):
        raise NotEnoughData("No translation has a score, so there is nothing to say about their precision.")
    means, sds = (cells[name].to_numpy() for name in ("score", "sd"))
    target = usual_target(means, sds) if options.target_sd is None else options.target_sd
    parts = [
        (_ALL, cells),
        *((str(name), part) for (name,), part in cells.group_by("system_id", maintain_order=True)),
    ]
    rows = [_row(name, part, target) for name, part in parts]
    schema = {column.name: dtype for column, dtype in zip(_COLUMNS, _TYPES, strict=True)}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    notes = (_verdict(cells, predicted_correlation(means, sds)), _items_note(target, options))
    return table_of(TABLE, evidence, _COLUMNS, frame, notes=notes, borders=(1,))


def knows_uncertainty(analysis: Analysis) -> bool:
    """Whether the deviations of an analysis' segments are the uncertainty of their scores."""
    return analysis.draws is not None and has_parameters(analysis)


def _cells(source: Evidence) -> pl.DataFrame:
    """Translations with a score, systems best first: score, sd, and how many workers it rests on."""
    judged = source.kept.filter(pl.col("item_kind") == "regular")
    workers = judged.group_by(pl.col(_CELL).cast(pl.String)).agg(n_workers=pl.col("worker_id").n_unique())
    order = source.analysis.systems.select(pl.col("system_id").cast(pl.String))
    cells = source.analysis.segments.drop_nulls(["score", "sd"]).join(workers, on=_CELL, how="left")
    return order.join(cells, on="system_id", how="inner", maintain_order="left_right").with_columns(
        pl.col("n_workers").fill_null(0).cast(pl.Int64)
    )


def _row(name: str, cells: pl.DataFrame, target: float) -> tuple[str | int | float | None, ...]:
    means, sds = (cells[column].to_numpy() for column in ("score", "sd"))
    workers = cells["n_workers"].to_numpy()
    correlation = predicted_correlation(means, sds)
    return (
        name,
        len(cells),
        int(workers.min()),
        float(sds.mean()),
        int(np.count_nonzero(precise_items(sds, workers, target=target))),
        None if np.isnan(correlation) else correlation,
    )


def _verdict(cells: pl.DataFrame, correlation: float) -> str:
    """Whether the campaign may stop, and what is missing if not."""
    few = int((cells["n_workers"] < LEAST_WORKERS).sum())
    missing = []
    if not correlation >= ENOUGH_CORRELATION:
        predicted = "unknown" if np.isnan(correlation) else f"{correlation:.3f}"
        missing.append(f"the predicted correlation with the truth is {predicted}")
    if few:
        missing.append(f"{counted(few, 'translation')} with fewer than {LEAST_WORKERS} workers")
    if missing:
        return f"Go on: {' and '.join(missing)}. The rule asks for r of {ENOUGH_CORRELATION:g} or more."
    return (
        f"The campaign may stop: the predicted r is {ENOUGH_CORRELATION:g} or more, and at least "
        f"{LEAST_WORKERS} workers judged every translation."
    )


def _items_note(target: float, options: ExhibitOptions) -> str:
    why = "as chosen" if options.target_sd is not None else f"with which r would be {ENOUGH_CORRELATION:g}"
    return (
        f"Precise enough: a standard deviation of {target:.3f} or less ({why}) and {LEAST_WORKERS} workers. "
        "The others need more ratings."
    )


TABLE = Exhibit(
    name="stopping",
    title="Precision of translations' scores",
    cite=("Mathur2018",),
    make=make,
    report=ReportPlace(85, "sure", wanted=knows_uncertainty),
)
