from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Line, Points
from steelyard.exhibits.worker_differences import FIGURE, bandwidth, density

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]


@pytest.fixture
def pairs(ratings: Ratings, evidence: Evidence) -> Evidence:
    """Ann's repeats 70, 74 and 60, 50; her degraded copies 70, 40 and 60, 65 and 80, 80; Bob has less."""
    rows = [
        ("ann", "h1", "regular", "s1", "alpha", 70),
        ("ann", "h1", "regular", "s2", "alpha", 60),
        ("ann", "h1", "regular", "s3", "alpha", 80),
        ("ann", "h1", "repeat", "s1", "alpha", 74),
        ("ann", "h1", "repeat", "s2", "alpha", 50),
        ("ann", "h1", "degraded", "s1", "alpha", 40),
        ("ann", "h1", "degraded", "s2", "alpha", 65),
        ("ann", "h1", "degraded", "s3", "alpha", 80),
        ("bob", "h2", "regular", "s1", "alpha", 55),
        ("bob", "h2", "repeat", "s1", "alpha", 60),
        ("bob", "h2", "degraded", "s1", "alpha", 45),
        ("cem", "h3", "regular", "s1", "alpha", 55),
    ]
    return replace(evidence, judged=ratings(rows))


def _points(figure: Figure) -> list[Points]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Points)]


def test_repeats_differ_by_magnitude_and_degraded_copies_with_their_sign(
    pairs: Evidence, options: ExhibitOptions
) -> None:
    figure = FIGURE.make([pairs], options)
    assert isinstance(figure, Figure)

    d1, d2 = _points(figure)
    assert d1.x == (4.0, 10.0)
    assert d2.x == (30.0, -5.0, 0.0)
    assert figure.table.rows["difference"].to_list() == [*d1.x, *d2.x]
    # sd of 4, 10 is sqrt(18) = 4.2; mean of 30, -5, 0 is 8.3, sd sqrt((21.7^2 + 13.3^2 + 8.3^2) / 2) = 18.9
    assert "repeats (d1) mean 7.0, sd 4.2 over 2 pairs" in figure.caption
    assert "degraded copies (d2) mean 8.3, sd 18.9 over 3 pairs" in figure.caption


def test_the_worker_with_most_pairs_is_shown_unless_another_is_asked_for(
    pairs: Evidence, options: ExhibitOptions
) -> None:
    assert "worker ann" in FIGURE.make([pairs], options).title

    asked = FIGURE.make([pairs], replace(options, worker="bob"))
    assert isinstance(asked, Figure)
    assert [points.x for points in _points(asked)] == [(5.0,), (10.0,)]
    # Single differences have no spread, so there is no curve to draw.
    assert not any(isinstance(mark, Line) for mark in asked.panels[0].marks)


def test_an_unknown_worker_is_not_found_and_some_are_named(pairs: Evidence, options: ExhibitOptions) -> None:
    with pytest.raises(
        ChoiceError, match=r"no worker 'zoe' in Toy\. Workers are called ann, bob, cem; the table"
    ):
        FIGURE.make([pairs], replace(options, worker="zoe"))


def test_a_worker_without_both_kinds_of_pairs_is_not_enough(pairs: Evidence, options: ExhibitOptions) -> None:
    with pytest.raises(NotEnoughData, match="Worker cem did not judge both"):
        FIGURE.make([pairs], replace(options, worker="cem"))


def test_without_repeats_nobody_can_be_shown(pairs: Evidence, options: ExhibitOptions) -> None:
    without = pairs.frame.filter(pl.col("item_kind") != "repeat")

    with pytest.raises(NotEnoughData, match="No worker judged both"):
        FIGURE.make([replace(pairs, judged=without)], options)


def test_curves_stand_on_their_feet_and_rise_towards_the_top(
    pairs: Evidence, options: ExhibitOptions
) -> None:
    curves = [mark for mark in FIGURE.make([pairs], options).panels[0].marks if isinstance(mark, Line)]

    # Places count from the top: dots at 2 and 5, feet half a place above, tops 1.9 higher.
    assert [(max(curve.y), round(min(curve.y), 9)) for curve in curves] == [(1.5, -0.4), (4.5, 2.6)]
    assert min(curves[0].x) == 0.0


def test_bandwidth_follows_the_rule_of_thumb() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])

    # Quartiles 2 and 4: 2 / 1.34 = 1.49 is below the deviation sqrt(2.5) = 1.58.
    assert bandwidth(values) == pytest.approx(0.9 * 2 / 1.34 * 5**-0.2)


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0, 3.0]])
def test_values_without_spread_have_no_bandwidth(values: list[float]) -> None:
    assert bandwidth(np.array(values)) == 0.0


def test_mostly_equal_values_fall_back_on_the_deviation() -> None:
    values = np.array([0.0] * 9 + [10.0])

    assert bandwidth(values) == pytest.approx(0.9 * np.std(values, ddof=1) * 10**-0.2)


@pytest.mark.parametrize("within", [(-np.inf, np.inf), (0.0, np.inf), (0.0, 12.0)])
def test_all_of_a_density_lies_within_its_bounds(within: tuple[float, float]) -> None:
    values = np.array([0.0, 1.0, 1.5, 7.0, 12.0])
    at = np.linspace(max(within[0], -60.0), min(within[1], 60.0), 20_001)

    curve = density(values, at, width=2.0, within=within)

    assert np.trapezoid(curve, at) == pytest.approx(1.0, abs=1e-6)


def test_density_is_the_mean_of_normal_densities() -> None:
    curve = density(np.array([0.0, 2.0]), np.array([1.0]), width=0.5)

    # Both lie two widths away: exp(-2) / (0.5 sqrt(2 pi)).
    assert curve[0] == pytest.approx(np.exp(-2) / (0.5 * np.sqrt(2 * np.pi)))
