"""A study of metrics: its tables, its figure, and the result that every renderer takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Cells, Column, Figure, Panel, Table
from steelyard.domain.study import StudyResult
from steelyard.exhibits._significance import cell_text, star_caption
from steelyard.exhibits._sources import group_borders, in_columns
from steelyard.meta.settings import MetaEvaluation, Significance

# With more metrics than this, numbers would not fit into the cells: only stars are written.
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
_EXPLAINED = {
    "sys_pearson": "Pearson's correlation with people over systems.",
    "sys_pairwise_accuracy": "share of pairs of systems that the metric orders as people do.",
    "spa": "soft pairwise accuracy, which also asks for people's confidence in each pair.",
    "seg_pearson_none": "Pearson's correlation over all judged {level}s of all systems.",
    "seg_kendall_b_item": "Kendall's tau-b over the systems within each {level}, averaged.",
    "seg_acc23_opt_item": "share of pairs of systems within a {level} that are ordered or tied as by people, "
    "with the tie threshold that serves the metric best; averaged.",
}


def meta_study(found: MetaEvaluation) -> StudyResult:
    """The metrics best first, how sure their order is, and what the numbers rest on."""
    table = metrics_table(found)
    tested = [one for one in found.significance if len(one.metrics) > 1]
    whole, parts = (
        found.rows.filter(pl.col("group").is_null()),
        found.rows.filter(pl.col("group").is_not_null()),
    )
    settings = asdict(found.settings)
    return StudyResult(
        name="meta",
        title=table.title,
        settings=settings,
        tables=(table,),
        figures=(metrics_figure(found),) if tested else (),
        conclusion=_conclusion(tested),
        notes=found.notes,
        warnings=found.warnings,
        signature=found.signature,
        record={
            "signature": found.signature,
            "title": found.title,
            "pair": found.pair,
            "gold": found.gold,
            "settings": settings,
            "systems": list(found.systems),
            "metrics": whole,
            **({"groups": parts} if len(parts) else {}),
            "significance": {
                one.statistic: {
                    "test": one.test,
                    "unit": one.unit,
                    "n_units": one.n_units,
                    "metrics": one.metrics,
                    "values": one.values,
                    "p_values": one.p_values.tolist(),
                    "p_holm": one.holm.tolist(),
                    "clusters": one.clusters.tolist(),
                }
                for one in found.significance
            },
            "notes": found.notes,
            "warnings": found.warnings,
        },
    )


def metrics_table(found: MetaEvaluation) -> Table:
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
    level = found.settings.level
    main = [
        replace(column, title=column.title.format(level=level))
        for column in _MAIN
        if rows[column.name].count()
    ]
    shown = (
        *((Column("group", str(found.settings.by)),) if rows["group"].count() else ()),
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
        rows=in_columns(rows.with_columns(pl.col("group").fill_null("all")), shown),
        notes=(
            *(f"{column.title}: {_EXPLAINED[column.name].format(level=level)}" for column in main),
            f"Ranks and clusters by {by}." if leading else f"Ranks by {by}.",
        ),
        borders=group_borders(rows, "part", "cluster"),
    )


def full_metrics_table(found: MetaEvaluation) -> Table:
    """Every column of every row, as computed: what a file holds."""
    columns = tuple(
        Column(name, name, 4 if dtype == pl.Float64 else None) for name, dtype in found.rows.schema.items()
    )
    return Table("meta", found.title, columns, found.rows, found.notes, found.signature)


def metrics_figure(found: MetaEvaluation) -> Figure:
    """A panel for each statistic tested: a cell for every ordered pair of metrics, best metrics first.

    The stronger the shade, the surer it is that the metric of the row agrees better with people than that of
    the column. A blank cell does not say that two metrics are equally good, only that these scores cannot
    distinguish them; p-values are not corrected for their number.
    """
    shown = [one for one in found.significance if len(one.metrics) > 1]
    if not shown:
        raise NotEnoughData(
            "There is nothing to draw: no two metrics were tested. Give at least two metrics, and a "
            "statistic to test them by."
        )
    threshold = found.settings.threshold
    return Figure.of(
        _tests_table(found, shown),
        caption="Shaded where the metric of the row agrees better with people than that of the column at "
        f"{star_caption(threshold)} {_units_sentence(shown)}",
        panels=[_panel(one, threshold, has_title=len(shown) > 1) for one in shown],
    )


def _conclusion(tested: Sequence[Significance]) -> tuple[str, ...]:
    if not tested:
        return ()
    how = "Metrics by each statistic tested, best first: > means significantly better than all that follow."
    return (how, *map(_clusters_line, tested))


def _clusters_line(one: Significance) -> str:
    """One line: the metrics in their clusters, best first."""
    parts: dict[int, list[str]] = {}
    for name, cluster in zip(one.metrics, one.clusters.tolist(), strict=True):
        parts.setdefault(cluster, []).append(name)
    order = " > ".join(", ".join(names) for names in parts.values())
    return f"{one.statistic} ({one.test}, {one.n_units:,} {one.unit}): {order}"


def _units_sentence(tested: Sequence[Significance]) -> str:
    """What each test took to be independent."""
    statistics: dict[str, list[str]] = {}
    for one in tested:
        statistics.setdefault(f"{one.n_units:,} {one.unit}", []).append(one.statistic)
    units = "; ".join(f"{units} ({', '.join(names)})" for units, names in statistics.items())
    return f"Taken to be independent: {units}."


def _panel(one: Significance, threshold: float, *, has_title: bool) -> Panel:
    values = tuple(
        tuple(None if np.isnan(p_value) else p_value for p_value in row) for row in one.p_values.tolist()
    )
    # Beside other panels there is no room for numbers.
    with_numbers = len(one.metrics) <= _NUMBERS_UP_TO and not has_title
    heading = f"{one.statistic}, {one.test}"
    return Panel(
        x=Axis("agrees with people better than", categories=one.metrics),
        y=Axis("metric" if has_title else heading, categories=one.metrics),
        marks=(
            Cells(
                values=values,
                texts=tuple(tuple(cell_text(p_value, with_numbers) for p_value in row) for row in values),
                low=0.0,
                high=threshold,
            ),
        ),
        title=heading if has_title else "",
    )


def _tests_table(found: MetaEvaluation, shown: Sequence[Significance]) -> Table:
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
