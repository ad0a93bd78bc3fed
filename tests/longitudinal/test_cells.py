"""Ratings of cells: which count, what their means are, how they are standardised."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.cells import FourCells
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import MethodSettings
from steelyard.longitudinal.cells import (
    CellRatings,
    cell_means,
    deviations,
    judged_cells,
    segment_means,
)
from steelyard.longitudinal.naming import Naming, name_cells

Frame = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
FEW = MethodSettings(minimum_ratings=2)
# Each cell once by Ann and once by Bob; BEST-old is two winners, one judged twice as often as the other.
ROWS = [
    ("ann", "CURR-old", "1", 80),
    ("bob", "CURR-old", "2", 60),
    ("ann", "CURR-new", "1", 70),
    ("bob", "CURR-new", "1", 50),
    ("ann", "BEST-old-a", "1", 40),
    ("ann", "BEST-old-a", "2", 20),
    ("bob", "BEST-old-b", "1", 50),
    ("ann", "BEST-new", "2", 65),
    ("bob", "BEST-new", "2", 45),
]


def judged(frame: pl.DataFrame, settings: MethodSettings = FEW) -> list[CellRatings]:
    def name(systems: list[str]) -> Naming:
        return name_cells(systems, (), where="de-en")

    return judged_cells(frame, name, settings, where="de-en")[1]


def test_a_cell_is_the_mean_of_its_judgements_and_tied_winners_weigh_half_each(frame_of_rows: Frame) -> None:
    (ratings,) = judged(frame_of_rows(ROWS))

    # BEST-old: ((40 + 20) / 2 + 50) / 2 = 40, though all three together have mean 36.7.
    assert cell_means(ratings.rating, ratings) == FourCells(70.0, 60.0, 40.0, 55.0)
    assert ratings.counts() == (2, 2, 3, 2)


def test_repeats_count_and_controls_do_not(frame_of_rows: Frame) -> None:
    more = [
        ("ann", "CURR-old", "1", 100, "repeat"),
        ("ann", "CURR-old", "1", 0, "degraded"),
        ("ann", "CURR-old", "1", 0, "reference"),
    ]

    (ratings,) = judged(frame_of_rows(ROWS + more))

    assert cell_means(ratings.rating, ratings).curr_old == (80 + 60 + 100) / 3
    assert ratings.counts()[0] == 3


def test_z_is_over_all_ratings_of_a_worker(frame_of_rows: Frame) -> None:
    more = [("ann", "CURR-old", "1", 0, "degraded")]

    (ratings,) = judged(frame_of_rows(ROWS + more))

    ann = np.array([80, 70, 40, 20, 65, 0.0])
    expected = (80 - ann.mean()) / ann.std(ddof=1)
    assert ratings.z[0] == pytest.approx(expected)


def test_z_may_leave_out_controls_or_be_of_each_attribute_alone(frame_of_rows: Frame) -> None:
    more = [("ann", "CURR-old", "1", 0, "degraded")]
    fluency = [(*row[:3], row[3] / 2, "regular", "fluency") for row in ROWS]
    system_only = MethodSettings(minimum_ratings=2, standardise_over="system")
    alone = MethodSettings(minimum_ratings=2, standardise_per="attribute")

    (without,) = judged(frame_of_rows(ROWS + more), system_only)
    (plain,) = judged(frame_of_rows(ROWS))
    _, halved = judged(frame_of_rows(ROWS + fluency), alone)

    assert without.z == pytest.approx(plain.z)
    assert halved.z == pytest.approx(plain.z)


def test_ratings_that_cannot_be_standardised_count_on_points_only(frame_of_rows: Frame) -> None:
    more = [("new", "CURR-old", "1", 10)]

    (ratings,) = judged(frame_of_rows(ROWS + more))

    assert np.isnan(ratings.z).sum() == 1
    assert ratings.counts()[0] == 3
    assert ratings.standardised().counts()[0] == 2


def test_a_judgement_that_counts_for_two_tied_winners_is_counted_once(frame_of_rows: Frame) -> None:
    rows = [row for row in ROWS if row[1] != "BEST-old-b"]
    frame = frame_of_rows(rows).with_columns(
        credited=pl.when(pl.col("system_id") == "BEST-old-a").then(pl.lit(["BEST-old-b"]))
    )

    (ratings,) = judged(frame)

    assert ratings.counts() == (2, 2, 2, 2)
    assert cell_means(ratings.rating, ratings).best_old == 30.0


def test_a_text_of_the_present_and_the_best_system_counts_for_both(frame_of_rows: Frame) -> None:
    rows = [row for row in ROWS if row[1] != "BEST-new"]
    frame = frame_of_rows(rows).with_columns(
        credited=pl.when(pl.col("system_id") == "CURR-new").then(pl.lit(["BEST-new"]))
    )

    (ratings,) = judged(frame)

    assert cell_means(ratings.rating, ratings)[1] == cell_means(ratings.rating, ratings)[3] == 60.0


def test_segments_of_the_two_test_sets_differ_even_under_one_name(frame_of_rows: Frame) -> None:
    (ratings,) = judged(frame_of_rows(ROWS))

    old, new = (set(ratings.segment[np.isin(ratings.cell, cells)]) for cells in ((0, 2), (1, 3)))
    assert len(old) == len(new) == 2
    assert not old & new


def test_a_rating_moves_its_cell_by_its_deviation_times_its_share(frame_of_rows: Frame) -> None:
    (ratings,) = judged(frame_of_rows(ROWS))

    deviation, share = deviations(ratings.rating, ratings)
    moved = deviation * share

    # One of two in CURR-old: (80 - 70) / 2. One of two of the first winner of two: (40 - 30) / 2 / 2.
    assert moved[0] == 5.0
    assert moved[4] == 2.5
    assert np.bincount(ratings.system, moved) == pytest.approx(0.0)


def test_segments_have_one_value_each_and_tied_winners_weigh_the_same_on_one(frame_of_rows: Frame) -> None:
    (ratings,) = judged(frame_of_rows([*ROWS, ("bob", "BEST-old-a", "1", 60)]))

    values = segment_means(ratings.rating, ratings)

    assert [sorted(cell) for cell in values] == [[60, 80], [60], [20, 50], [55]]


def test_a_cell_without_judgements_is_refused_by_name(frame_of_rows: Frame) -> None:
    fluency = [(*row, "regular", "fluency") for row in ROWS if row[1] != "BEST-new"]

    with pytest.raises(NotEnoughData, match=r"de-en, fluency: no judgement of best_new \(BEST-new\) is kept"):
        judged(frame_of_rows(ROWS + fluency))


def test_names_as_categories_give_the_same(frame_of_rows: Frame) -> None:
    from steelyard.frames import hit_times_frame, with_categories

    frame = frame_of_rows(ROWS)

    (coded,) = judged(with_categories(frame, hit_times_frame())[0])
    (plain,) = judged(frame)

    assert cell_means(coded.z, coded) == cell_means(plain.z, plain)
    assert coded.segment.tolist() == plain.segment.tolist()
