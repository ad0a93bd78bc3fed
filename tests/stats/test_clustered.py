"""Errors of estimates whose ratings cluster by worker and document."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from steelyard.stats.clustered import better_p_values, cell_sums, clustered_errors, interval


def test_one_rating_in_each_cell_by_hand() -> None:
    # Two workers, two documents, influences 1, -2, 3, -4: the workers' sums are -1 and -1, the documents' 4
    # and -6, the squares of the cells add to 30. Times n / (n - 1): 2 * 2 + 52 * 2 - 30 * 4 / 3 = 68, but
    # never below the 104 of documents alone.
    influence = np.array([[1.0], [-2.0], [3.0], [-4.0]])
    cells = cell_sums(influence, worker=np.array([0, 0, 1, 1]), document=np.array([0, 1, 0, 1]))
    errors = clustered_errors(cells)
    assert errors.variance == pytest.approx([104.0])
    assert errors.df.tolist() == [1.0]


def test_with_every_rating_its_own_worker_and_document_it_is_welchs_t_test() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=7), rng.normal(0.4, 3, size=40)
    influence = np.zeros((47, 2))
    influence[:7, 0], influence[7:, 1] = (a - a.mean()) / 7, (b - b.mean()) / 40
    alone = np.arange(47)
    errors = clustered_errors(cell_sums(influence, worker=alone, document=alone))
    scores = np.array([a.mean(), b.mean()])
    p = better_p_values(scores, errors)
    expected = ttest_ind(a, b, equal_var=False, alternative="greater")
    assert errors.difference_df[0, 1] == pytest.approx(expected.df, rel=1e-12)
    assert p[0, 1] == pytest.approx(expected.pvalue, rel=1e-9)
    assert p[0, 1] + p[1, 0] == pytest.approx(1)
    lower, upper = interval(scores, errors, level=0.95)
    assert np.allclose((lower + upper) / 2, scores)


def test_with_the_same_workers_for_both_it_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=9), rng.normal(0.4, 1, size=9)
    influence = np.column_stack([a - a.mean(), b - b.mean()]) / 9
    errors = clustered_errors(cell_sums(influence, worker=np.arange(9), document=np.arange(9)))
    p = better_p_values(np.array([a.mean(), b.mean()]), errors)
    assert p[0, 1] == pytest.approx(ttest_rel(a, b, alternative="greater").pvalue, rel=1e-9)


def test_an_estimate_of_one_worker_is_compared_with_none() -> None:
    rng = np.random.default_rng(7)
    influence = np.zeros((60, 3))
    influence[:10, 0], influence[10:35, 1], influence[35:, 2] = (rng.normal(size=k) for k in (10, 25, 25))
    worker = np.where(np.arange(60) < 10, 0, np.arange(60) % 6)
    errors = clustered_errors(cell_sums(influence, worker=worker, document=np.arange(60) % 12))
    assert np.isnan(errors.difference_df[0]).all()
    assert np.isnan(errors.df[0])
    assert errors.difference_df[1, 2] <= 5


def test_one_worker_alone_says_nothing_about_others() -> None:
    errors = clustered_errors(
        cell_sums(np.ones((3, 2)), worker=np.zeros(3, dtype=np.int64), document=np.arange(3))
    )
    assert np.isnan(errors.difference_df).all()
    assert np.isnan(better_p_values(np.array([1.0, 2.0]), errors)).all()
