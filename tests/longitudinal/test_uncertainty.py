"""How far sums of cells may be off: against slow formulas and the truth of simulations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from scipy.stats import t as student

from steelyard.domain.cells import FourCells
from steelyard.longitudinal.cells import CellRatings, cell_means
from steelyard.longitudinal.rows import gain
from steelyard.longitudinal.uncertainty import (
    SIGNS,
    CellsError,
    cells_error,
    greater_p,
    leverage,
    summed_error,
)

Crowd = Callable[..., CellRatings]
CURR = FourCells(1.0, -1.0, 0.0, 0.0)


def slow_error(value: np.ndarray, ratings: CellRatings, weights: FourCells) -> CellsError:
    """Variance with ratings clustered by worker and by document, one cluster after the other."""
    mean = {cell: value[ratings.cell == cell].mean() for cell in range(4)}
    rows = list(zip(value, ratings.cell.tolist(), ratings.worker, ratings.document, strict=True))
    sums: list[dict[object, float]] = [{}, {}, {}]
    for rating, cell, worker, document in rows:
        if not weights[cell]:
            continue
        share = weights[cell] / (ratings.cell == cell).sum()
        whole = rating - mean[cell]
        elsewhere = [other - mean[c] for other, c, w, d in rows if w == worker and d != document]
        rest = whole - sum(elsewhere) / len(elsewhere)
        keys = (worker, document, (worker, document))
        for clusters, key, moved in zip(sums, keys, (whole, rest, rest), strict=True):
            clusters[key] = clusters.get(key, 0.0) + share * moved
    by_worker, by_document, by_both = sums
    sets = [{d: x for d, x in by_document.items() if d % 2 == parity} for parity in (0, 1)]
    worker, old, new, both = (
        sum(x**2 for x in part.values()) * len(part) / (len(part) - 1) for part in (by_worker, *sets, by_both)
    )
    df = min(len(by_worker) - 1, len(by_document) - 2)
    return CellsError(worker + max(old + new - both, 0.0), df)


@pytest.mark.parametrize("length", [1, 5])
@pytest.mark.parametrize("weights", [SIGNS, CURR])
def test_errors_are_those_of_ratings_clustered_by_worker_and_document(
    weights: FourCells, length: int, cell_crowd: Crowd
) -> None:
    ratings = cell_crowd(np.random.default_rng(5), n_workers=9, length=length)

    found = cells_error([leverage(ratings.rating, ratings, weights=weights)])

    assert found == pytest.approx(slow_error(ratings.rating, ratings, weights))


@pytest.mark.parametrize("sds", [(10.0, 8.0, 12.0), (30.0, 0.0, 5.0), (0.0, 20.0, 5.0)])
def test_intervals_cover_the_true_gain(cell_crowd: Crowd, sds: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(11)
    true = 65.0 - 58.0 + 56.0 - 53.0
    covered, widths, gains = [], [], []

    for _ in range(150):
        ratings = cell_crowd(rng, sds=sds)
        error = cells_error([leverage(ratings.rating, ratings)])
        gains.append(gain(cell_means(ratings.rating, ratings)))
        covered.append(abs(gains[-1] - true) <= error.half_width(0.95))
        widths.append(np.sqrt(error.variance))

    # Binomial error of 150 runs: 0.018.
    assert np.mean(covered) >= 0.90
    # Levels of workers and of segments cancel out in the gain, and so they must in its error.
    assert np.mean(widths) / np.std(gains) == pytest.approx(1.05, abs=0.25)


def test_stars_of_equal_cells_are_rare_where_documents_and_tastes_differ(cell_crowd: Crowd) -> None:
    rng = np.random.default_rng(4)
    starred: dict[str, list[bool]] = {"clustered": [], "rank-sum": []}

    for _ in range(150):
        ratings = cell_crowd(rng, means=(50.0,) * 4, n_workers=12, sds=(0.0, 4.0, 10.0), length=4)
        of_document = rng.normal(0, 8, ratings.document.max() + 1)[ratings.document]
        taste = rng.normal(0, 4, (12, 4))[ratings.worker, ratings.cell]
        value = ratings.rating + of_document + taste
        ratings = replace(ratings, z=(value - value.mean()) / value.std())
        for test, found in starred.items():
            p_value = greater_p(ratings, 0, 1, test)  # type: ignore[arg-type]
            found.append(2 * min(p_value, 1 - p_value) < 0.05)

    # Three binomial errors of 150 runs around .05; segments taken as independent have four times as many.
    assert np.mean(starred["clustered"]) <= 0.10
    assert np.mean(starred["rank-sum"]) >= 0.15


def test_cells_are_tested_by_the_difference_of_their_mean_z(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(8), length=4)
    means = cell_means(ratings.z, ratings)
    variance, df = slow_error(ratings.z, ratings, CURR)

    expected = student.sf((means.curr_old - means.curr_new) / np.sqrt(variance), df)
    assert greater_p(ratings, 0, 1, "clustered") == pytest.approx(expected)
    assert greater_p(ratings, 1, 0, "clustered") == pytest.approx(1 - expected)


def test_the_same_worker_in_two_attributes_of_a_source_moves_both(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(2))
    one = leverage(ratings.rating, ratings)
    stranger = replace(one, source=1)

    alone, same, apart = (cells_error(parts) for parts in ([one], [one, one], [one, stranger]))

    # Twice the same ratings: twice the error. Two sources: errors add up in squares.
    assert same == pytest.approx((4 * alone.variance, alone.df))
    assert apart == pytest.approx((2 * alone.variance, 2 * alone.df))


def test_degrees_of_freedom_of_a_sum_are_those_of_welch() -> None:
    # (1 + 4)^2 / (1 / 4 + 16 / 8)
    assert summed_error([CellsError(1.0, 4), CellsError(4.0, 8)]) == pytest.approx((5.0, 25 / 2.25))
    assert summed_error([CellsError(1.0, 4)] * 2, share=0.5) == pytest.approx((0.5, 8.0))
    assert np.isnan(summed_error([CellsError(1.0, 4), CellsError(np.nan, np.nan)])).all()


def test_one_worker_or_one_document_of_each_test_set_knows_nothing_of_others(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(3))
    alone = ratings.where(ratings.worker == 0)
    single = replace(ratings, document=ratings.document % 2)

    for few in (alone, single):
        assert np.isnan(cells_error([leverage(few.rating, few)])).all()
        assert np.isnan(greater_p(few, 0, 1, "clustered"))


def test_weights_scale_what_a_cell_moves(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(2))

    plain = leverage(ratings.rating, ratings).moved
    scaled = leverage(ratings.rating, ratings, weights=FourCells(1.0, -2.0, -3.0, 0.0)).moved

    kept = ratings.cell < 3
    assert scaled == pytest.approx((plain * np.array([1.0, 2.0, 3.0, 0.0])[ratings.cell])[kept])


def test_the_rank_sum_test_is_of_the_mean_z_of_segments(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(8))

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
            assert greater_p(ratings, first, second, "rank-sum") == pytest.approx(expected, rel=1e-9)


def test_without_standardised_ratings_nothing_is_tested(cell_crowd: Crowd) -> None:
    ratings = cell_crowd(np.random.default_rng(8))

    assert np.isnan(greater_p(replace(ratings, z=np.full(len(ratings.z), np.nan)), 0, 1, "clustered"))
