from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from steelyard.stats.ratios import JudgedPairs, ratio, ratio_error


def test_a_jackknife_worked_by_hand() -> None:
    # Workers 0, 1, 2 in the pairs 01, 02, 12, of documents 0, 0 and 1.
    numerator, denominator = np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 4.0])
    pairs = JudgedPairs(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, 0, 1]))

    error = ratio_error(numerator, denominator, pairs)

    # Without worker 0 only 12 is left, 3/4; without 1, 2/4; without 2, 1/4: mean 1/2.
    workers = 2 / 3 * (0.25**2 + 0 + 0.25**2)
    # Without document 0, 3/4; without document 1, 3/8: mean 9/16.
    documents = 1 / 2 * 2 * (3 / 16) ** 2
    assert ratio(numerator, denominator) == 0.5
    assert error.variance == pytest.approx(workers + documents)
    assert error.df == 1


@pytest.mark.parametrize(
    ("left", "right", "document"),
    [([0, 0], [1, 1], [0, 1]), ([0, 0, 1], [1, 2, 2], [0, 0, 0]), ([], [], [])],
    ids=["two workers", "one document", "nothing"],
)
def test_from_too_few_nothing_follows_about_others(left, right, document) -> None:
    pairs = JudgedPairs(*(np.array(each, dtype=np.int64) for each in (left, right, document)))

    error = ratio_error(np.ones(len(left)), np.ones(len(left)), pairs)

    assert np.isnan(error.variance)


def test_intervals_cover_what_other_workers_and_documents_would_give() -> None:
    # Means of pairs with an effect of each worker and document; twelve of each, so t has 11 degrees.
    rng = np.random.default_rng(5)
    couples = np.array(list(combinations(range(12), 2)))
    left, right = np.repeat(couples, 12, axis=0).T
    document = np.tile(np.arange(12), len(couples))
    ones = np.ones(len(left))
    n_covered = 0
    for _ in range(300):
        worker, of_document = rng.normal(0, 0.1, 12), rng.normal(0, 0.1, 12)
        value = 0.5 + worker[left] + worker[right] + of_document[document] + rng.normal(0, 0.2, len(left))
        error = ratio_error(value, ones, JudgedPairs(left, right, document))
        n_covered += abs(value.mean() - 0.5) <= 2.201 * np.sqrt(error.variance)

    # 95 % of 300 are 285, give or take 4; they may be somewhat too wide, never too narrow.
    assert n_covered >= 285 - 3 * 4
