from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Points
from steelyard.exhibits.repeat_against_first import FIGURE
from steelyard.stats.correlation import pearson

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Everyone = Callable[[Evidence, pl.DataFrame], Evidence]


@pytest.fixture
def repeats(ratings: Ratings, evidence: Evidence) -> Evidence:
    """Ann, kept, repeats 10, 20 and 30, 40 and 50, 60; Ray, left out, 0, 100 twice."""
    rows = [
        (worker, hit, kind, segment, "alpha", rating)
        for worker, hit, segment, first, second in [
            ("ann", "h1", "s1", 10, 20),
            ("ann", "h1", "s2", 30, 40),
            ("ann", "h1", "s3", 50, 60),
            ("ray", "h2", "s1", 0, 100),
            ("ray", "h2", "s2", 0, 100),
        ]
        for kind, rating in (("regular", first), ("repeat", second))
    ]
    frame = ratings(rows)
    return replace(evidence, judged=frame, keeps=frame["worker_id"] == "ann")


def test_kept_ratings_and_those_left_out_have_a_panel_each(
    repeats: Evidence, options: ExhibitOptions
) -> None:
    figure = FIGURE.make([repeats], options)
    assert isinstance(figure, Figure)

    kept, others = figure.panels
    assert (kept.title, others.title) == ("ratings kept", "ratings left out")
    points = kept.marks[0]
    assert isinstance(points, Points)
    assert sorted(zip(points.x, points.y, strict=True)) == [(10.0, 20.0), (30.0, 40.0), (50.0, 60.0)]
    assert (kept.x.low, kept.x.high, kept.y.low, kept.y.high) == (0.0, 100.0, 0.0, 100.0)


def test_the_caption_tells_correlation_and_mean_distance(repeats: Evidence, options: ExhibitOptions) -> None:
    caption = FIGURE.make([repeats], options).caption

    # On a line, ten apart; and one pair of values twice, a hundred apart.
    assert "Ratings kept: 3 pairs, r = 1.00, 10.0 points apart on average." in caption
    assert "Ratings left out: 2 pairs, r undefined, 100.0 points apart on average." in caption


def test_the_table_counts_equal_pairs_together(repeats: Evidence, options: ExhibitOptions) -> None:
    rows = FIGURE.make([repeats], options).table.rows

    assert rows.filter(ratings="left out").rows() == [("left out", 0.0, 100.0, 2)]
    assert rows["n_pairs"].sum() == 5


def test_a_repeat_shown_before_its_base_is_the_first(
    repeats: Evidence, everyone: Everyone, options: ExhibitOptions
) -> None:
    turned = (pl.col("item_kind") == "regular").cast(pl.Int64) + 1
    frame = repeats.frame.filter(worker_id="ann").with_columns(position=turned)

    (panel,) = FIGURE.make([everyone(repeats, frame)], options).panels

    points = panel.marks[0]
    assert isinstance(points, Points)
    assert sorted(zip(points.x, points.y, strict=True)) == [(20.0, 10.0), (40.0, 30.0), (60.0, 50.0)]


def test_without_repeats_there_is_nothing_to_look_at(
    repeats: Evidence, everyone: Everyone, options: ExhibitOptions
) -> None:
    once = repeats.frame.filter(item_kind="regular")

    with pytest.raises(NotEnoughData, match="no repeats"):
        FIGURE.make([everyone(repeats, once)], options)


def test_correlation_is_that_of_numpy() -> None:
    rng = np.random.default_rng(2)
    first = rng.normal(50, 10, 40)
    second = first + rng.normal(0, 5, 40)

    assert pearson(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])
