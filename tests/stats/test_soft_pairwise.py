from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.pairwise_accuracy import pairwise_accuracy
from steelyard.stats.soft_pairwise import in_common, permutation_p_values, soft_pairwise_accuracy


def every_flip(difference: list[float]) -> float:
    """Share of all flips whose sum is at least the observed one."""
    sums = [
        sum(sign * value for sign, value in zip(signs, difference, strict=True))
        for signs in product([1, -1], repeat=len(difference))
    ]
    return float(np.mean(np.array(sums) >= sum(difference) - 1e-9))


def test_p_values_are_near_the_share_of_all_flips() -> None:
    scores = np.array([[3.0, 5.0, 4.0, 6.0, 1.0], [2.0, 6.0, 1.0, 5.0, np.nan], [1.0, 1.0, 2.0, 4.0, 4.0]])

    found = permutation_p_values(scores, draws=20_000, rng=np.random.default_rng(1))

    # Four standard errors of a share in 20,000.
    tolerance = 4 * 0.5 / np.sqrt(20_000)
    assert found[0, 1] == pytest.approx(every_flip([1.0, -1.0, 3.0, 1.0]), abs=tolerance)
    assert found[1, 0] == pytest.approx(every_flip([-1.0, 1.0, -3.0, -1.0]), abs=tolerance)
    assert found[0, 2] == pytest.approx(every_flip([2.0, 4.0, 2.0, 2.0, -3.0]), abs=tolerance)


def as_described(scores: FloatArray, draws: int, seed: int) -> FloatArray:
    """The published recipe: rounded random numbers in single precision, one draw and pair at a time."""
    flips = 2 * np.rint(np.random.default_rng(seed).random((draws, scores.shape[1]), dtype=np.float32)) - 1
    found = np.full((len(scores), len(scores)), np.nan)
    for row in range(len(scores)):
        for column in range(len(scores)):
            if row != column:
                difference = scores[row] - scores[column]
                found[row, column] = np.mean([flip @ difference >= difference.sum() for flip in flips])
    return found


def test_flips_are_the_published_ones() -> None:
    # Whole numbers, so that sums are exact and equal sums are seen as equal.
    scores = np.random.default_rng(2).integers(0, 9, size=(4, 30)).astype(np.float64)

    found = permutation_p_values(scores, draws=500, rng=np.random.default_rng(4))

    assert np.array_equal(found, as_described(scores, 500, 4), equal_nan=True)


def test_draws_in_parts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(3).normal(size=(3, 25))
    whole = permutation_p_values(scores, draws=100, rng=np.random.default_rng(4))
    # An odd number of random numbers in single precision in each part.
    monkeypatch.setattr("steelyard.stats.soft_pairwise._FLIPS_AT_ONCE", 25 * 7)

    parts = permutation_p_values(scores, draws=100, rng=np.random.default_rng(4))

    assert np.array_equal(whole, parts, equal_nan=True)


def test_equal_systems_have_p_one_in_both_directions() -> None:
    row = np.random.default_rng(5).normal(size=12)

    found = permutation_p_values(np.stack([row, row]), rng=np.random.default_rng(4))

    assert (found[0, 1], found[1, 0]) == (1.0, 1.0)


def test_sums_equal_but_for_rounding_are_equal() -> None:
    # Differences of a tenth each: flipping two of opposite sign leaves the sum, up to its last bits.
    scores = np.array([[0.3, 0.7, 0.2, 0.6, 0.8, 0.4], [0.2, 0.8, 0.3, 0.5, 0.7, 0.3]])

    found = permutation_p_values(scores, draws=2000, rng=np.random.default_rng(4))
    tenths = permutation_p_values((10 * scores).round(), draws=2000, rng=np.random.default_rng(4))

    assert np.array_equal(found, tenths, equal_nan=True)


def test_systems_without_a_common_segment_are_unknown() -> None:
    scores = np.array([[1.0, np.nan, 2.0], [np.nan, 3.0, np.nan], [0.0, 1.0, 1.0]])

    found = permutation_p_values(scores, rng=np.random.default_rng(4))

    unknown = np.isnan(found)
    assert unknown.tolist() == [[True, True, False], [True, True, False], [False, False, True]]


def test_only_common_segments_count() -> None:
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(2, 20))
    scores[1, :5] = np.nan
    far = scores.copy()
    far[0, :5] = 1e6

    found, other = (permutation_p_values(each, rng=np.random.default_rng(4)) for each in (scores, far))

    assert np.array_equal(found, other, equal_nan=True)


def test_accuracy_by_hand() -> None:
    people = np.array([[np.nan, 0.1, 0.0], [0.9, np.nan, 0.4], [1.0, 0.6, np.nan]])
    metric = np.array([[np.nan, 0.3, 0.0], [0.7, np.nan, 0.9], [1.0, 0.1, np.nan]])

    # Distances .2, 0 and .5, twice each.
    assert soft_pairwise_accuracy(people, metric) == pytest.approx(1 - 0.7 / 3)


def test_unknown_pairs_are_left_out_not_taken_for_zero() -> None:
    people = np.array([[np.nan, 0.1, np.nan], [0.9, np.nan, 0.4], [np.nan, 0.6, np.nan]])
    metric = np.array([[np.nan, 0.3, 0.0], [0.7, np.nan, 0.9], [1.0, 0.1, np.nan]])

    assert soft_pairwise_accuracy(people, metric) == pytest.approx(1 - 0.7 / 2)
    assert np.isnan(soft_pairwise_accuracy(people, np.full((3, 3), np.nan)))


def test_accuracy_does_not_depend_on_the_order_of_systems() -> None:
    rng = np.random.default_rng(7)
    # Coarse scores of few segments: equal sums, even equal systems.
    people, metric = rng.integers(0, 2, size=(2, 6, 8)).astype(np.float64)
    metric[3] = metric[2]
    order = [5, 2, 0, 3, 1, 4]

    found, other = (
        soft_pairwise_accuracy(
            *(permutation_p_values(each[rows], rng=np.random.default_rng(4)) for each in (people, metric))
        )
        for rows in ([0, 1, 2, 3, 4, 5], order)
    )

    assert found == pytest.approx(other, abs=1e-12)


def test_where_all_differences_are_sure_it_is_the_plain_accuracy() -> None:
    rng = np.random.default_rng(8)
    people = np.arange(5.0)[:, None] + 0.01 * rng.normal(size=(5, 60))
    metric = np.array([0.0, 2.0, 1.0, 4.0, 3.0])[:, None] + 0.01 * rng.normal(size=(5, 60))

    p_people, p_metric = (permutation_p_values(each, rng=rng) for each in (people, metric))

    found = soft_pairwise_accuracy(p_people, p_metric)
    assert found == pytest.approx(pairwise_accuracy(people.mean(axis=1), metric.mean(axis=1)))


def test_common_cells_lose_what_one_lacks() -> None:
    people = np.array([[1.0, np.nan, 3.0, np.nan], [4.0, 5.0, 6.0, np.nan]])
    metric = np.array([[1.0, 2.0, np.nan, 4.0], [5.0, 6.0, 7.0, 8.0]])

    found = in_common(people, metric)

    assert np.array_equal(found[0], [[1.0, np.nan, np.nan], [4.0, 5.0, 6.0]], equal_nan=True)
    assert np.array_equal(found[1], [[1.0, np.nan, np.nan], [5.0, 6.0, 7.0]], equal_nan=True)


def test_draws_must_be_some() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        permutation_p_values(np.ones((2, 3)), draws=0, rng=np.random.default_rng(1))
