"""A study of metrics for the terminal, for scripts and as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Cells, Column, Figure, Panel, Table
from steelyard.meta.settings import MetaEvaluation, Significance
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.plain import plain, records

# Bounds below which a p-value earns its stars.
_STARS = {"***": 0.001, "**": 0.01, "*": 0.05}
# With more metrics than this, numbers would not fit into the cells: stars alone are written.
_NUMBERS_UP_TO = 8
# What people read first: three numbers over systems, and three of what is scored within them.
_MAIN = (
    Column("sys_pearson", "r, systems", 3),
    Column("sys_pairwise_accuracy", "pairs, systems", 3),
    Column("spa", "soft pairs", 3),
    Column("seg_pearson_none", "r, {level}s", 3),
    Column("seg_kendall_b_item", "tau, {level}", 3),
    Column("seg_acc23_opt_item", "pairs, {level}", 3),
)
_TOLD = {
    "sys_pearson": "Pearson's correlation with people over systems.",
    "sys_pairwise_accuracy": "share of pairs of systems that the metric orders as people do.",
    "spa": "soft pairwise accuracy, which asks for people's confidence in each pair too.",
    "seg_pearson_none": "Pearson's correlation over all judged {level}s of all systems.",
    "seg_kendall_b_item": "Kendall's tau-b over the systems within each {level}, averaged.",
    "seg_acc23_opt_item": "share of pairs of systems within a {level} that are ordered or tied as by people, "
    "with the threshold for ties that serves the metric best; averaged.",
}


def to_text(found: MetaEvaluation) -> str:
    """The metrics best first, how sure their order is, notes, warnings and signature."""
    sure = [_clusters_told(one) for one in found.significance if len(one.metrics) > 1]
    notes = [printable(note) for note in found.notes]
    warnings = [f"Warning: {printable(warning)}" for warning in found.warnings]
    parts = [tables.to_text(to_table(found)), *("\n".join(part) for part in (sure, notes, warnings) if part)]
    return "\n\n".join([*parts, printable(found.signature)])


def to_table(found: MetaEvaluation) -> Table:
    """The main numbers of every metric, best first by the first statistic tested; groups follow the whole."""
    leading = next((one for one in found.significance if one.metrics), None)
    by = leading.statistic if leading else "sys_pearson"
    clusters = dict(zip(leading.metrics, leading.clusters.tolist(), strict=True)) if leading else {}
    rows = found.rows.with_columns(
        part=pl.col("group").rle_id(),
        cluster=pl.when(pl.col("group").is_null()).then(
            pl.col("metric").replace_strict(clusters, default=None, return_dtype=pl.Int64)
        ),
    ).sort("part", by, descending=[False, True], nulls_last=True, maintain_order=True)
    rows = rows.with_columns(
        rank=pl.when(pl.col(by).is_not_null()).then(pl.int_range(1, pl.len() + 1).over("part"))
    )
    has_groups = rows["group"].count() > 0
    level = found.settings.level
    main = [
        replace(column, title=column.title.format(level=level))
        for column in _MAIN
        if rows[column.name].count()
    ]
    shown = (
        *((Column("group", str(found.settings.by)),) if has_groups else ()),
        Column("rank", "rank"),
        Column("metric", "metric"),
        *((Column("cluster", "cluster"),) if leading else ()),
        Column("n_sys", "systems"),
        *main,
    )
    return Table(
        name="meta",
        title=found.title,
        columns=shown,
        rows=rows.with_columns(pl.col("group").fill_null("all")).select(column.name for column in shown),
        notes=(
            *(f"{column.title}: {_TOLD[column.name].format(level=level)}" for column in main),
            f"Ranks and clusters by {by}." if leading else f"Ranks by {by}.",
        ),
        borders=_borders(rows),
    )


def _borders(rows: pl.DataFrame) -> tuple[int, ...]:
    """Rows that begin a cluster or a group."""
    changes = rows.select(
        pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in ("part", "cluster"))
    )
    return tuple(place for place in changes.to_series().arg_true().to_list() if place)


def _clusters_told(one: Significance) -> str:
    """One line: the metrics in their clusters, best first."""
    parts: dict[int, list[str]] = {}
    for name, cluster in zip(one.metrics, one.clusters.tolist(), strict=True):
        parts.setdefault(cluster, []).append(printable(name))
    told = " > ".join(", ".join(names) for names in parts.values())
    return f"{one.statistic} ({one.test}): {told}"


def full_table(found: MetaEvaluation) -> Table:
    """Every column of every row, as computed: what a file holds."""
    columns = tuple(
        Column(name, name, 4 if dtype == pl.Float64 else None) for name, dtype in found.rows.schema.items()
    )
    return Table(
        name="meta",
        title=found.title,
        columns=columns,
        rows=found.rows,
        notes=found.notes,
        signature=found.signature,
    )


def to_json(found: MetaEvaluation) -> str:
    """The study as an indented JSON document: null for what is unknown, nothing rounded."""
    whole, parts = (
        found.rows.filter(pl.col("group").is_null()),
        found.rows.filter(pl.col("group").is_not_null()),
    )
    document = {
        "signature": found.signature,
        "title": found.title,
        "pair": found.pair,
        "gold": found.gold,
        "settings": asdict(found.settings),
        "systems": list(found.systems),
        "metrics": records(whole),
        **({"groups": records(parts)} if len(parts) else {}),
        "significance": {one.statistic: _plain(one) for one in found.significance},
        "notes": list(found.notes),
        "warnings": list(found.warnings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(one: Significance) -> dict[str, Any]:
    return {
        "test": one.test,
        "unit": one.unit,
        "metrics": list(one.metrics),
        "values": plain(list(one.values)),
        "p_values": plain(one.p_values.tolist()),
        "p_holm": plain(one.holm.tolist()),
        "clusters": one.clusters.tolist(),
    }


def to_figure(found: MetaEvaluation) -> Figure:
    """A panel for each statistic tested: a cell for every ordered pair of metrics, best metrics first.

    The stronger the shade, the surer it is that the metric of the row agrees better with people than that of
    the column. A blank cell does not say that two metrics are equally good, only that these scores cannot
    tell them apart; p-values are not corrected for their number.
    """
    shown = [one for one in found.significance if len(one.metrics) > 1]
    if not shown:
        raise NotEnoughData(
            "There is nothing to draw: no two metrics were tested against each other. Give two metrics or "
            "more, and a statistic to test them by."
        )
    threshold = found.settings.threshold
    return Figure(
        name="meta",
        title=found.title,
        caption=f"Shaded where the metric of the row agrees better with people than that of the column at "
        f"p < {threshold:g}, the stronger the smaller p; * p < 0.05, ** p < 0.01, *** p < 0.001.",
        panels=tuple(_panel(one, threshold, has_title=len(shown) > 1) for one in shown),
        table=pairs_table(found, shown),
        signature=found.signature,
    )


def _panel(one: Significance, threshold: float, *, has_title: bool) -> Panel:
    values = tuple(tuple(_known(p_value) for p_value in row) for row in one.p_values.tolist())
    # Beside other panels there is no room for numbers.
    with_numbers = len(one.metrics) <= _NUMBERS_UP_TO and not has_title
    told = f"{one.statistic}, {one.test}"
    return Panel(
        x=Axis("agrees with people better than", categories=one.metrics),
        y=Axis("metric" if has_title else told, categories=one.metrics),
        marks=(
            Cells(
                values=values,
                texts=tuple(tuple(_cell(p_value, with_numbers) for p_value in row) for row in values),
                low=0.0,
                high=threshold,
            ),
        ),
        title=told if has_title else "",
    )


def _cell(p_value: float | None, with_numbers: bool) -> str:
    if p_value is None:
        return ""
    stars = next((mark for mark, bound in _STARS.items() if p_value < bound), "")
    if not with_numbers:
        return stars
    return ("<.001" if p_value < 0.001 else f"{p_value:.3f}".removeprefix("0")) + stars


def pairs_table(found: MetaEvaluation, shown: Sequence[Significance]) -> Table:
    """Every ordered pair of metrics for every statistic, with p-values plain and corrected."""
    frames = []
    for one in shown:
        row, column = np.nonzero(~np.eye(len(one.metrics), dtype=np.bool_))
        names = np.array(one.metrics, dtype=object)
        frames.append(
            pl.DataFrame(
                {
                    "statistic": [one.statistic] * len(row),
                    "better": names[row].tolist(),
                    "worse": names[column].tolist(),
                    "p_value": one.p_values[row, column],
                    "p_holm": one.holm[row, column],
                }
            )
        )
    return Table(
        name="meta",
        title=found.title,
        columns=(
            Column("statistic", "statistic"),
            Column("better", "metric"),
            Column("worse", "better than"),
            Column("p_value", "p", 4, p_value=True),
            Column("p_holm", "p, Holm", 4, p_value=True),
        ),
        rows=pl.concat(frames).with_columns(pl.col("p_value", "p_holm").fill_nan(None)),
        signature=found.signature,
    )


def _known(number: float) -> float | None:
    return None if np.isnan(number) else number
