"""An analysis as one self-contained page: no script, no request, light and dark, printable."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from steelyard.aggregation import methods
from steelyard.domain.result import Analysis
from steelyard.qc import checks
from steelyard.report.text import number, rank_range

VERDICT_WORDS = {"pass": "passed", "fail": "failed", "insufficient": "too few controls"}


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis: where values lie on it, in per cent of its length."""

    low: float
    high: float
    ticks: tuple[float, ...]
    step: float

    def percent(self, value: float) -> float:
        """Position of a value, 0 at the left end and 100 at the right."""
        return round(100 * (value - self.low) / (self.high - self.low), 3)

    def label(self, tick: float) -> str:
        """The tick's number with as many digits as its step needs."""
        return number(tick, max(0, -math.floor(math.log10(self.step) + 1e-9)))


def axis_for(values: Iterable[float | None], *, wanted_ticks: int = 5) -> Axis:
    """An axis over the values with round ticks (1, 2 or 5 times a power of ten)."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / wanted_ticks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(k * step for k in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, step)


def to_html(analysis: Analysis) -> str:
    """The whole report page: ranking with intervals, workers with verdicts, warnings, signature."""
    environment = Environment(
        loader=PackageLoader("steelyard.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number}
    systems = list(analysis.systems.iter_rows(named=True))
    axis = axis_for(value for row in systems for value in (row["lower"], row["score"], row["upper"]))
    return environment.get_template("report.html").render(
        analysis=analysis,
        counts=analysis.counts,
        axis=axis,
        rows=[_system_row(row, axis, systems) for row in systems],
        best=_best(analysis.systems),
        workers=_worker_rows(analysis.workers),
        verdict_counts=_verdict_counts(analysis.workers),
        method=methods()[analysis.settings.method],
        check=checks().get(analysis.settings.check),
        level=f"{100 * analysis.settings.method_settings.level:g}",
    )


def _system_row(row: dict[str, Any], axis: Axis, systems: list[dict[str, Any]]) -> dict[str, Any]:
    known = row["lower"] is not None and row["upper"] is not None
    left = axis.percent(row["lower"]) if known else None
    index = row["rank"] - 1
    return row | {
        "ranks": rank_range(row["rank_low"], row["rank_high"]),
        "dot": axis.percent(row["score"]),
        "left": left,
        "width": round(axis.percent(row["upper"]) - left, 3) if left is not None else None,
        "opens_cluster": index == 0 or systems[index - 1]["cluster"] != row["cluster"],
    }


def _best(systems: pl.DataFrame) -> list[str]:
    """The systems of the first cluster."""
    return systems.filter(pl.col("cluster") == 1)["system_id"].to_list()


def _worker_rows(workers: pl.DataFrame) -> list[dict[str, Any]]:
    order = {"fail": 0, "insufficient": 1, "pass": 2, None: 3}
    rows = sorted(workers.iter_rows(named=True), key=lambda row: (order[row["verdict"]], row["worker_id"]))
    return [row | {"words": VERDICT_WORDS.get(row["verdict"], "not checked")} for row in rows]


def _verdict_counts(workers: pl.DataFrame) -> dict[str, int]:
    counted = dict(workers["verdict"].drop_nulls().value_counts().iter_rows())
    return {verdict: counted[verdict] for verdict in VERDICT_WORDS if verdict in counted}
