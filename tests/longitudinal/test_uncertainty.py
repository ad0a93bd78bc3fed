"""How far a gain may be off: against slow formulas, a plain bootstrap, and the truth of simulations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from steelyard.domain.cells import FourCells
from steelyard.longitudinal.cells import CellRatings, cell_means
from steelyard.longitudinal.rows import gain
from steelyard.longitudinal.uncertainty import gain_draws, greater_p, leverage

Crowd = Callable[..., CellRatings]
SIGN = np.array([1.0, -1.0, -1.0, 1.0])


def slow_variance(ratings: CellRatings) -> float:
    """Variance of the gain with ratings clustered by worker and by segment, one cluster after the other."""
    mean = {cell: ratings.rating[ratings.cell == cell].mean() for cell in range(4)}
    rows = list(zip(ratings.rating, ratings.cell.tolist(), ratings.worker, ratings.segment, strict=True))
    deviations: dict[int, list[float]] = {}
    for rating, cell, worker, _ in rows:
        deviations.setdefault(worker, []).append(rating - mean[cell])
    sums: list[dict[object, float]] = [{}, {}, {}]
    for rating, cell, worker, segment in rows:
        share = SIGN[cell] / (ratings.cell == cell).sum()
        whole = rating - mean[cell]
        rest = whole - sum(deviations[worker]) / len(deviations[worker])
        for clusters, key, value in zip(
            sums, (worker, segment, (worker, segment)), (whole, rest, rest), strict=True
        ):
            clusters[key] = clusters.get(key, 0.0) + share * value
    by_worker, by_segment, by_both = (
        sum(value**2 for value in clusters.values()) * len(clusters) / (len(clusters) - 1)
        for clusters in sums
    )
    return max(by_worker + by_segment - by_both, by_worker, by_segment)


def plain_bootstrap(ratings: CellRatings, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Gains of workers and segments drawn with replacement, ratings counted as often as both are drawn."""
    n_workers, n_segments = ratings.worker.max() + 1, ratings.segment.max() + 1
    found = []
    for _ in range(draws):
        workers = np.bincount(rng.integers(n_workers, size=n_workers), minlength=n_workers)
        segments = np.bincount(rng.integers(n_segments, size=n_segments), minlength=n_segments)
        weight = workers[ratings.worker] * segments[ratings.segment]
        means = [
            np.average(ratings.rating[ratings.cell == k], weights=weight[ratings.cell == k]) for k in range(4)
        ]
        found.append(float(SIGN @ means))
    return np.array(found)


def test_draws_spread_as_ratings_clustered_by_worker_and_segment_do(cell_crowd: Crowd) -> None:
    rng = np.random.default_rng(5)
    ratings = cell_crowd(rng)

    off = gain_draws([leverage(ratings.rating, ratings, source=0)], draws=400, rng=rng)

    assert np.mean(off**2) == pytest.approx(slow_variance(ratings))


def test_draws_have_the_shape_of_a_plain_bootstrap(cell_crowd: Crowd) -> None:
    rng = np.random.default_rng(6)
    ratings = cell_crowd(rng)
    slow = plain_bootstrap(ratings, 600, rng) - gain(cell_means(ratings.rating, ratings))

    off = gain_draws([leverage(ratings.rating, ratings, source=0)], draws=2000, rng=rng)

    tails = [0.025, 0.16, 0.5, 0.84, 0.975]
    expected = np.quantile(slow / slow.std(), tails)
    # Six standard errors of a quantile of 600 draws in the tails.
    assert np.quantile(off / off.std(), tails) == pytest.approx(expected, abs=0.5)
    # It counts the noise of single ratings up to three times, and workers' levels as noise.
    assert slow.std() > off.std()


def test_draws_of_very_many_segments_spread_as_those_of_few_do(cell_crowd: Crowd) -> None:
    rng = np.random.default_rng(9)
    ratings = cell_crowd(rng, n_workers=120, n_segments=4000)

    off = gain_draws([leverage(ratings.rating, ratings, source=0)], draws=2000, rng=rng)

    assert np.mean(off**2) == pytest.approx(slow_variance(ratings))
    # As good as normal: six standard errors of a quantile of 2,000 draws.
    assert np.quantile(off / off.std(), [0.025, 0.975]) == pytest.approx([-1.96, 1.96], abs=0.36)


@pytest.mark.parametrize("sds", [(10.0, 8.0, 12.0), (30.0, 0.0, 5.0), (0.0, 20.0, 5.0)])
def test_intervals_cover_the_true_gain(cell_crowd: Crowd, sds: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(11)
    true = 65.0 - 58.0 + 56.0 - 53.0
    covered, widths, gains = [], [], []

    for _ in range(150):
        ratings = cell_crowd(rng, sds=sds)
        found = gain(cell_means(ratings.rating, ratings))
        off = gain_draws([leverage(ratings.rating, ratings, source=0)], draws=150, rng=rng)
        lower, upper = np.quantile(off, [0.025, 0.975])
        covered.append(found + lower <= true <= found + upper)
        widths.append(off.std())
        gains.append(found)

    # Binomial error of 150 runs: 0.018.
    assert np.mean(covered) >= 0.90
    # Levels of workers and of segments cancel out in the gain, and so they must in its error.
    assert np.mean(widths) / np.std(gains) == pytest.approx(1.05, abs=0.25)


def test_the_same_worker_in_two_attributes_of_a_source_moves_both(cell_crowd: Crowd) -> None:
    rng = np.random.default_rng(2)
    ratings = cell_crowd(rng)
    one = leverage(ratings.rating, ratings, source=0)
    stranger = replace(one, source=1)

    alone, same, apart = (
        gain_draws(parts, draws=2000, rng=rng).std() for parts in ([one], [one, one], [one, stranger])
    )

    # Twice the same ratings: twice the error. Two sources: errors add up in squares.
    assert same / alone == pytest.approx(2.0, rel=0.02)
    assert apart / alone == pytest.approx(np.sqrt(2), rel=0.1)


def test_slopes_scale_what_a_cell_moves(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(2))

    plain = leverage(ratings.rating, ratings, source=0).moved
    scaled = leverage(ratings.rating, ratings, source=0, slopes=FourCells(1.0, 2.0, 3.0, 0.0)).moved

    assert scaled == pytest.approx(plain * np.array([1.0, 2.0, 3.0, 0.0])[ratings.cell])


def test_the_same_seed_gives_the_same_draws(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(2))
    part = leverage(ratings.rating, ratings, source=0)

    first, second = (gain_draws([part], draws=50, rng=np.random.default_rng(3)) for _ in range(2))

    assert first.tolist() == second.tolist()


def test_cells_are_tested_by_the_mean_z_of_their_segments(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(8))

    p_values = greater_p(ratings)

    groups = [
        [
            ratings.z[(ratings.cell == cell) & (ratings.segment == segment)].mean()
            for segment in np.unique(ratings.segment[ratings.cell == cell])
        ]
        for cell in range(4)
    ]
    for first, second in product(range(4), repeat=2):
        if first != second:
            expected = mannwhitneyu(
                groups[first], groups[second], alternative="greater", method="asymptotic"
            ).pvalue
            assert p_values[first, second] == pytest.approx(expected, rel=1e-9)


def test_without_standardised_ratings_nothing_is_tested(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(8))

    assert np.isnan(greater_p(replace(ratings, z=np.full(len(ratings.z), np.nan)))).all()
