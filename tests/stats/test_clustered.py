"""Errors of estimates whose ratings cluster by worker and document."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.clustered import better_p_values, cell_sums, clustered_errors, interval


def test_one_rating_in_each_cell_by_hand() -> None:
    # Two workers, two documents, influences 1, -2, 3, -4: the workers' sums are -1 and -1, the documents' 4
    # and -6, the squares of the cells add to 30. Times n / (n - 1): 2 * 2 + 52 * 2 - 30 * 4 / 3 = 68, but
    # never below the 104 of documents alone.
    influence = np.array([[1.0], [-2.0], [3.0], [-4.0]])
    cells = cell_sums(influence, worker=np.array([0, 0, 1, 1]), document=np.array([0, 1, 0, 1]))
    errors = clustered_errors(cells)
    assert errors.variance.tolist() == [104.0]
    assert errors.df.tolist() == [1.0]


def test_with_every_rating_its_own_worker_and_document_it_is_the_two_sample_t_without_pooling() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=40), rng.normal(0.4, 1, size=40)
    influence = np.zeros((80, 2))
    influence[:40, 0], influence[40:, 1] = (a - a.mean()) / 40, (b - b.mean()) / 40
    alone = np.arange(80)
    errors = clustered_errors(cell_sums(influence, worker=alone, document=alone))
    expected = (a.var(ddof=0) / 40 + b.var(ddof=0) / 40) * 80 / 79
    assert errors.difference_variance[0, 1] == pytest.approx(expected, rel=1e-12)
    scores = np.array([a.mean(), b.mean()])
    p = better_p_values(scores, errors)
    assert p[0, 1] + p[1, 0] == pytest.approx(1)
    lower, upper = interval(scores, errors, level=0.95)
    assert np.allclose((lower + upper) / 2, scores)


def test_one_worker_alone_says_nothing_about_others() -> None:
    errors = clustered_errors(
        cell_sums(np.ones((3, 2)), worker=np.zeros(3, dtype=np.int64), document=np.arange(3))
    )
    assert np.isnan(errors.difference_df).all()
    assert np.isnan(better_p_values(np.array([1.0, 2.0]), errors)).all()
