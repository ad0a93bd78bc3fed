"""Comparisons of metrics that leave out clusters, against SciPy, by hand and under chance alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.jackknife import (
    Jackknifed,
    jackknife_matrix,
    pearson_jackknifed,
    spearman_jackknifed,
    statistic_jackknifed,
)
from steelyard.stats.kendall import kendall_b
from steelyard.stats.williams import williams

Jackknife = Callable[[FloatArray, FloatArray, IntArray], Jackknifed]
CASES: list[tuple[Jackknife, Callable[[FloatArray, FloatArray], float]]] = [
    (pearson_jackknifed, lambda one, two: pearsonr(one, two).statistic),
    (spearman_jackknifed, lambda one, two: spearmanr(one, two).statistic),
    (
        lambda people, metrics, cluster: statistic_jackknifed(people, metrics, cluster, kendall_b),
        lambda one, two: kendalltau(one, two).statistic,
    ),
]


@pytest.mark.parametrize(("jackknife", "by_scipy"), CASES, ids=["pearson", "spearman", "kendall"])
def test_every_cluster_is_left_out_once(
    jackknife: Jackknife, by_scipy: Callable[[FloatArray, FloatArray], float]
) -> None:
    rng = np.random.default_rng(1)
    people, cluster = rng.normal(size=60).round(1), rng.permutation(np.arange(60) % 7)
    metrics = (people + rng.normal(size=(3, 60))).round(1) * np.array([[1.0], [1e6], [-0.01]]) + 50

    found = jackknife(people, metrics, cluster)

    for scores, whole, without in zip(metrics, *found, strict=True):
        assert whole == pytest.approx(by_scipy(people, scores), rel=1e-9)
        expected = [by_scipy(people[cluster != c], scores[cluster != c]) for c in range(7)]
        np.testing.assert_allclose(without, expected, rtol=1e-9)


def test_a_case_by_hand() -> None:
    # Differences .4 with all, .1 and .5 and .6 without each: squares .09 + .01 + .04 = .14, times 2/3 is the
    # variance. t = .4 / .3055 = 1.3093, and with two degrees of freedom p = 1/2 - t / (2 sqrt(2 + t^2)).
    found = Jackknifed(np.array([0.9, 0.5]), np.array([[0.6, 0.9, 1.0], [0.5, 0.4, 0.4]]))

    p_values = jackknife_matrix(found)

    t = 0.4 / np.sqrt(0.14 * 2 / 3)
    assert p_values[0, 1] == pytest.approx(0.5 - t / (2 * np.sqrt(2 + t**2)))
    assert p_values[1, 0] == pytest.approx(1 - p_values[0, 1])
    assert np.isnan(np.diag(p_values)).all()


def test_independent_translations_are_judged_as_by_williams() -> None:
    rng = np.random.default_rng(2)
    people = rng.normal(size=2000)
    metrics = people + rng.normal(size=2000) + rng.normal(size=(2, 2000)) * np.array([[1.0], [1.1]])

    p_value = jackknife_matrix(pearson_jackknifed(people, metrics, np.arange(2000)))[0, 1]

    r = np.corrcoef([people, *metrics])
    assert 0.001 < p_value < 0.2
    assert p_value == pytest.approx(float(williams(r[0, 1], r[0, 2], r[1, 2], 2000).p_value), rel=0.15)


def test_the_same_translations_twice_in_their_clusters_say_nothing_more() -> None:
    rng = np.random.default_rng(3)
    people, cluster = rng.normal(size=80), np.arange(80) // 4
    metrics = people + rng.normal(size=(2, 80))
    twice = (np.tile(people, 2), np.tile(metrics, 2), np.tile(cluster, 2))

    once, again = (
        jackknife_matrix(pearson_jackknifed(*each)) for each in ((people, metrics, cluster), twice)
    )

    np.testing.assert_allclose(once, again, rtol=1e-9)


def test_what_cannot_be_compared_has_no_p_value() -> None:
    people = np.arange(6.0)
    scores = np.array([1.0, 0.0, 2.0, 4.0, 3.0, 5.0])
    metrics = np.stack([scores, 1000 + 3 * scores, np.ones(6), np.array([1.0, 1, 1, 1, 2, 3])])

    found = jackknife_matrix(pearson_jackknifed(people, metrics, np.array([0, 0, 1, 1, 2, 2])))

    # One metric in two units, one that does not vary, and one that does not without the last cluster.
    assert np.isnan(found).all()
    assert np.isnan(jackknife_matrix(pearson_jackknifed(people, metrics, np.zeros(6, dtype=np.int64)))).all()


def test_errors_that_documents_share_are_no_difference_between_metrics() -> None:
    """Two metrics alike in everything, a third of whose errors are shared within documents: 400 times."""
    rng = np.random.default_rng(4)
    n_systems, n_segments, n_documents = 6, 90, 20
    document = rng.integers(0, n_documents, n_segments)
    cluster = np.unique(np.tile(document, n_systems), return_inverse=True)[1]
    p_values, published = [], []
    for _ in range(400):
        people = rng.normal(size=(n_systems, n_segments)) + 0.5 * rng.normal(size=n_segments)
        shared = rng.normal(size=(2, 1, n_documents))[:, :, document]
        metrics = 0.5 * people + np.sqrt(0.7) * rng.normal(size=(2, *people.shape)) + np.sqrt(0.3) * shared
        flat, scores = people.ravel(), metrics.reshape(2, -1)
        p_values.append(jackknife_matrix(pearson_jackknifed(flat, scores, cluster))[0, 1])
        r = np.corrcoef([flat, *scores])
        published.append(float(williams(r[0, 1], r[0, 2], r[1, 2], len(flat)).p_value))
    rates = [
        np.mean((np.array(found) < 0.05) | (np.array(found) > 0.95)) / 2 for found in (p_values, published)
    ]

    # .05 within three standard errors of 800 outcomes, and what Williams' test makes of the same scores.
    assert 0.027 < rates[0] < 0.073
    assert rates[1] > 0.1
