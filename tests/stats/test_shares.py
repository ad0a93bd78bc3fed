from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.shares import clustered_share


def test_equal_clusters_have_the_interval_of_their_mean() -> None:
    share = clustered_share(np.array([6, 7, 5, 6]), np.array([10, 10, 10, 10]))

    # Shares .6 .7 .5 .6: mean .6, deviation sqrt(.02 / 3), over sqrt(4), times t of 3 degrees.
    half = 3.1824 * np.sqrt(0.02 / 3) / 2
    assert share == pytest.approx((0.6, 0.6 - half, 0.6 + half), abs=1e-4)


def test_large_clusters_count_more() -> None:
    assert clustered_share(np.array([0, 90]), np.array([10, 90])).value == pytest.approx(0.9)


def test_clusters_without_cases_change_nothing() -> None:
    assert clustered_share(np.array([1, 0, 3]), np.array([4, 0, 4])) == clustered_share(
        np.array([1, 3]), np.array([4, 4])
    )


def test_nothing_is_known_without_cases_and_no_interval_of_one_cluster() -> None:
    assert np.isnan(clustered_share(np.array([0]), np.array([0]))).all()
    assert np.isnan(clustered_share(np.array([3]), np.array([4]))).tolist() == [False, True, True]


def test_intervals_cover_the_share_of_clustered_cases() -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(600):
        total = rng.integers(10, 40, 15)
        share = clustered_share(rng.binomial(total, rng.beta(6, 6, 15)), total)
        covered.append(share.lower <= 0.5 <= share.upper)

    assert np.mean(covered) == pytest.approx(0.95, abs=0.025)


def test_unequal_clusters_have_the_error_of_leaving_out_each_in_turn() -> None:
    hits, cases = np.array([40, 3, 6, 2]), np.array([60, 8, 10, 6])

    share = clustered_share(hits, cases)

    without = (hits.sum() - hits) / (cases.sum() - cases)
    error = np.sqrt(np.sum((without - share.value) ** 2) * 3 / 4)
    assert share.upper - share.value == pytest.approx(3.1824 * error, rel=1e-4)


def test_a_few_large_clusters_are_not_taken_for_a_lean() -> None:
    rng = np.random.default_rng(4)
    outside = []
    for _ in range(1500):
        total = np.maximum(3, rng.lognormal(3.4, 1.0, 10)).astype(int)
        share = clustered_share(rng.binomial(total, rng.beta(8, 8, 10)), total)
        outside.append(not share.lower <= 0.5 <= share.upper)

    # Student's t has one degree of freedom less than there are clusters, however unequal: not quite 5 %.
    assert np.mean(outside) < 0.095
