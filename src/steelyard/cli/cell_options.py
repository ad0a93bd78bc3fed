"""Options that name the cells of a comparison of years and the metrics' scores of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from steelyard.domain.cells import CellMetric, CellSystems

cells_option = click.option(
    "--cells",
    metavar="CELL=SYSTEM,…",
    help="Systems of each cell, if their names do not say: curr_old=A,curr_new=B,best_old=C+D,best_new=E.",
)
metric_scores_option = click.option(
    "--metric-scores",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A table of metrics' scores: pair, metric, curr_old, curr_new, best_old, best_new.",
)


def cells_of(text: str | None) -> CellSystems:
    """The systems of each cell, from `--cells`; nothing if it was not given."""
    from steelyard.domain.cells import cell_systems

    if text is None:
        return ()
    try:
        return cell_systems(text)
    except ValueError as problem:
        raise click.BadParameter(f"{problem}.", param_hint="--cells") from None


def metric_scores_of(path: Path | None) -> tuple[CellMetric, ...]:
    """The scores of metrics in the file of `--metric-scores`; nothing if it was not given."""
    from steelyard.formats.cell_metrics_file import read_cell_metrics

    return () if path is None else read_cell_metrics(path)
