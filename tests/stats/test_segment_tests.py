"""Tests of recent WMT organisers, beside SciPy's and worked by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import combine_pvalues, ttest_ind, ttest_rel, wilcoxon

from steelyard.stats.segment_tests import domain_signed_rank_matrix, either_t_matrix, paired_t_matrix

N_SYSTEMS, N_SEGMENTS = 4, 240


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    """Whole ratings with ties and zeros, a tenth of them absent."""
    rng = np.random.default_rng(5)
    made = np.clip(np.rint(rng.normal(70, 12, (N_SYSTEMS, N_SEGMENTS))), 0, 100)
    made += np.arange(N_SYSTEMS)[:, None]
    made[rng.random(made.shape) < 0.1] = np.nan
    return made


DOMAIN = np.repeat([0, 1, 2], [20, 100, 120])
PAIRS = list(permutations(range(N_SYSTEMS), 2))


def test_paired_t_is_scipys(scores: np.ndarray) -> None:
    found = paired_t_matrix(scores)

    for a, b in PAIRS:
        expected = ttest_rel(scores[a], scores[b], nan_policy="omit", alternative="greater").pvalue
        assert_allclose(found[a, b], expected, rtol=1e-10)
    assert np.isnan(found.diagonal()).all()


def test_the_smaller_of_two_t_tests_is_that_of_scipys_two(scores: np.ndarray) -> None:
    found = either_t_matrix(scores)

    for a, b in PAIRS:
        paired = ttest_rel(scores[a], scores[b], nan_policy="omit").pvalue
        unpaired = ttest_ind(scores[a], scores[b], nan_policy="omit").pvalue
        assert_allclose(found[a, b], min(paired, unpaired), rtol=1e-10)
    assert (found == found.T)[~np.eye(N_SYSTEMS, dtype=bool)].all()


def test_domains_are_combined_as_scipy_combines_its_own_tests(scores: np.ndarray) -> None:
    found = domain_signed_rank_matrix(scores, DOMAIN)

    for a, b in PAIRS:
        p_values = []
        for domain in np.unique(DOMAIN):
            difference = (scores[a] - scores[b])[domain == DOMAIN]
            known = difference[~np.isnan(difference)]
            p_values.append(wilcoxon(known).pvalue)
        expected = combine_pvalues(p_values, method="stouffer").pvalue
        assert_allclose(found[a, b], expected, rtol=1e-9)


def test_few_differences_without_ties_have_the_exact_distribution() -> None:
    rng = np.random.default_rng(3)
    scores = np.vstack([rng.normal(0.3, 1, 40), rng.normal(0, 1, 40)])

    found = domain_signed_rank_matrix(scores, np.zeros(40, dtype=np.int64))

    assert_allclose(found[0, 1], wilcoxon(scores[0], scores[1], method="exact").pvalue, rtol=1e-10)


def test_opposite_signs_in_two_domains_add_up() -> None:
    """Five differences of one sign: 2 / 32 each. Twice: z = sqrt(2) * 1.5341 = 2.1696, p = 0.01502."""
    first = np.array([1.0, 2.0, 3.0, 4.0, 5.0, -1.0, -2.0, -3.0, -4.0, -5.0])
    scores = np.vstack([first, np.zeros(10)])

    p_values = domain_signed_rank_matrix(scores, np.repeat([0, 1], 5))

    assert_allclose(p_values[0, 1], 0.01502, atol=5e-6)
    assert_allclose(domain_signed_rank_matrix(scores, np.zeros(10, dtype=np.int64))[0, 1], 1.0)


def test_without_spread_or_segments_nothing_is_claimed_that_does_not_follow() -> None:
    nan = np.nan
    scores = np.array(
        [[2.0, 2.0, 2.0, nan], [1.0, 1.0, 1.0, nan], [1.0, 1.0, 1.0, nan], [nan, nan, nan, 5.0]]
    )
    domain = np.zeros(4, dtype=np.int64)

    assert paired_t_matrix(scores)[0, 1] == 0.0
    assert paired_t_matrix(scores)[1, 0] == 1.0
    assert np.isnan(paired_t_matrix(scores)[1, 2])
    assert np.isnan(either_t_matrix(scores)[1, 2])
    assert np.isnan(paired_t_matrix(scores)[0, 3])
    assert domain_signed_rank_matrix(scores, domain)[1, 2] == 1.0
    assert np.isnan(domain_signed_rank_matrix(scores, domain)[0, 3])
