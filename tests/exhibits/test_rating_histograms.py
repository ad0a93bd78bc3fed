from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from steelyard.domain.exhibit import Bars, Evidence, ExhibitOptions, Figure, Line
from steelyard.exhibits.rating_histograms import FIGURE

Weighed = Callable[..., Evidence]
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]


def _made(source: Evidence, ratings: pl.DataFrame, options: ExhibitOptions) -> Figure:
    """The figure of these ratings, of which those of Ann are kept."""
    made = FIGURE.make([replace(source, judged=ratings, keeps=ratings["worker_id"] == "ann")], options)
    assert isinstance(made, Figure)
    return made


@pytest.fixture
def eleven(ratings: Ratings) -> pl.DataFrame:
    """Eleven different ratings of one kind by one worker, too many to be shown value by value."""
    given = [0, 2, 4.99, 5, 30, 31, 32, 33, 34, 99, 100]
    return ratings([("ann", "h1", "regular", f"s{k}", "alpha", r) for k, r in enumerate(given)])


def test_stretches_hold_their_lower_end_and_the_last_both(
    evidence: Evidence, eleven: pl.DataFrame, options: ExhibitOptions
) -> None:
    rows = _made(evidence, eleven, options).table.rows

    assert len(rows) == 20
    filled = rows.filter(pl.col("n_kept") > 0).select("left", "right", "n_kept")
    # 0, 2, 4.99 | 5 | 30 to 34 | 99 and 100.
    assert filled.rows() == [(0.0, 5.0, 3), (5.0, 10.0, 1), (30.0, 35.0, 5), (95.0, 100.0, 2)]


def test_bars_are_per_cents_of_their_kind(
    evidence: Evidence, eleven: pl.DataFrame, options: ExhibitOptions
) -> None:
    figure = _made(evidence, eleven, options)

    (bars,) = figure.panels[0].marks
    assert isinstance(bars, Bars)
    assert sum(bars.height) == pytest.approx(100)
    assert bars.height[0] == pytest.approx(100 * 3 / 11)
    assert figure.table.rows["kept_share"].sum() == pytest.approx(1)


def test_a_scale_of_few_points_is_shown_value_by_value(
    evidence: Evidence, ratings: Ratings, options: ExhibitOptions
) -> None:
    likert = ratings([("ann", "h1", "regular", f"s{k}", "alpha", r) for k, r in enumerate([1, 2, 2, 4])])

    rows = _made(evidence, likert, options).table.rows

    # Halfway between neighbours, and as far beyond the outermost as to their neighbours.
    assert rows.select("left", "right", "n_kept").rows() == [(0.5, 1.5, 1), (1.5, 3.0, 2), (3.0, 5.0, 1)]


def test_one_single_value_is_shown_too(evidence: Evidence, ratings: Ratings, options: ExhibitOptions) -> None:
    constant = ratings([("ann", "h1", "regular", f"s{k}", "alpha", 50) for k in range(3)])

    rows = _made(evidence, constant, options).table.rows

    assert rows.select("left", "right", "n_kept").rows() == [(47.5, 52.5, 3)]


def test_ratings_left_out_are_an_outline_with_their_own_shares(
    evidence: Evidence, eleven: pl.DataFrame, options: ExhibitOptions
) -> None:
    other = eleven.with_columns(worker_id=pl.lit("ray"), rating=pl.lit(50.0)).head(4)

    figure = _made(evidence, pl.concat([eleven, other]), options)

    _, outline = figure.panels[0].marks
    assert isinstance(outline, Line)
    assert max(outline.y) == 100.0
    assert (outline.y[0], outline.y[-1]) == (0.0, 0.0)
    assert figure.table.rows["n_left_out"].sum() == 4
    assert "Mean ratings left out: regular 50.0." in figure.caption


def test_panels_share_their_axes_and_come_in_the_usual_order(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    panels = FIGURE.make([evidence], options).panels

    assert [panel.title for panel in panels] == ["regular", "repeat", "degraded", "reference"]
    assert len({(panel.x, panel.y) for panel in panels}) == 1


def test_mean_ratings_are_told_by_kind(evidence: Evidence, options: ExhibitOptions) -> None:
    caption = FIGURE.make([evidence], options).caption

    degraded = evidence.kept.filter(item_kind="degraded")["rating"].mean()
    assert f"degraded {degraded:.1f}" in caption
