"""Whether those who recognise degraded copies take more time."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Panel,
    Points,
    Rule,
    Tone,
)
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.wording import counted
from steelyard.exhibits._sources import require_checked, table_of
from steelyard.qc import checks

_COLUMNS = (
    Column("worker_id", "Worker"),
    Column("n_judgements", "Judgements"),
    Column("n_pairs", "Degraded pairs"),
    Column("seconds_per_judgement", "Seconds per judgement", 1),
    Column("p_value", "p", 4, p_value=True),
    Column("verdict", "Verdict"),
)
_SHOWN: tuple[tuple[str, Tone], ...] = (("pass", "good"), ("fail", "bad"), ("insufficient", "unsure"))


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """A point per worker: mean corrected seconds per judgement against the p-value of the check.

    The quick and careless gather at the upper left [Graham2013, figure 4]; a line marks the threshold
    below which a worker passes. Time is a rough measure: a HIT may lie idle, and HITs open at once share
    their time. A high p-value with a normal pace is no proof of carelessness, for with few pairs honest
    workers fail too. Workers whose time or p-value is unknown are not shown, nor those whom a person
    excluded.
    """
    require_checked(evidence)
    analysis = evidence[0].analysis
    workers = analysis.workers.filter(pl.col("excluded").is_null())
    if workers["seconds_per_judgement"].count() == 0:
        raise NotEnoughData("Nothing is known of how long judgements or HITs took, so nobody has a pace.")
    rows = workers.drop_nulls(["seconds_per_judgement", "p_value"])
    if rows.is_empty():
        raise NotEnoughData("No worker with known times judged enough degraded pairs for a p-value.")
    missing = len(workers) - len(rows)
    unseen = f" {counted(missing, 'worker')} without time or p-value not shown." if missing else ""
    threshold = analysis.settings.threshold
    check = checks()[analysis.settings.check]
    table = table_of(FIGURE, evidence, _COLUMNS, rows)
    return Figure.of(
        table,
        caption=f"Each point is a worker. p is that of the check ({check.title}); the line is at "
        f"{threshold:g}.{unseen}",
        panels=(
            Panel(
                x=Axis("seconds per judgement", low=0.0),
                y=Axis("p-value", low=0.0, high=1.0),
                marks=(
                    Rule(
                        of="y", at=analysis.settings.threshold, label=f"p = {analysis.settings.threshold:g}"
                    ),
                    *(
                        _points(rows.filter(verdict=verdict), verdict, tone)
                        for verdict, tone in _SHOWN
                        if verdict in rows["verdict"]
                    ),
                ),
            ),
        ),
    )


def _points(rows: pl.DataFrame, verdict: str, tone: Tone) -> Points:
    return Points(
        x=tuple(rows["seconds_per_judgement"].to_list()),
        y=tuple(rows["p_value"].to_list()),
        series=verdict,
        tone=tone,
        labels=tuple(rows["worker_id"].to_list()),
    )


FIGURE = Exhibit(
    name="p-against-pace", title="Check against pace", cite=("Graham2013",), make=make, report=ReportPlace(30)
)
