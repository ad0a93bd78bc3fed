from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp, wilcoxon

from steelyard.stats.paired_tests import (
    PairedTests,
    equivalence_p_by_group,
    mean_and_sd_by_group,
    paired_t_by_group,
    signed_rank,
    two_sided_p_by_group,
)

BASE = np.array([80, 65, 90, 70, 55, 75, 60, 85, 50, 78], dtype=np.float64)
DEGRADED = np.array([50, 60, 62, 71, 30, 40, 58, 49, 35, 60], dtype=np.float64)
FIRST = np.array([70, 82, 45, 66, 91, 58, 73, 39, 64, 88], dtype=np.float64)
SECOND = np.array([74, 80, 52, 60, 90, 65, 70, 45, 66, 85], dtype=np.float64)
# Whole numbers close together make ties and zeros.
few_values = st.lists(st.integers(-6, 6), min_size=2, max_size=40)
decimals = st.lists(st.decimals(-100, 100, places=1).map(float), min_size=2, max_size=40)


def paired_t(difference: np.ndarray) -> PairedTests:
    """The test of one group alone: arrays of one number each."""
    return paired_t_by_group(difference, np.array([len(difference)]))


def paired_t_two_sided(difference: np.ndarray) -> float:
    return float(two_sided_p_by_group(difference, np.array([len(difference)]))[0])


def equivalence(difference: np.ndarray, *, margin: float) -> float:
    return float(equivalence_p_by_group(difference, np.array([len(difference)]), margin=margin)[0])


class TestPairedT:
    def test_the_specified_vector_gives_its_statistic_and_p_value(self) -> None:
        test = paired_t(BASE - DEGRADED)

        # Test vector 1 of the methods specification.
        assert test.n == 10
        assert test.statistic == pytest.approx(4.461641, abs=5e-7)
        assert test.p_value == pytest.approx(0.000786762, abs=5e-10)

    @pytest.mark.parametrize("seed", range(5))
    def test_it_equals_scipy_on_random_differences(self, seed: int) -> None:
        difference = np.random.default_rng(seed).normal(0.3, 1, 3 + seed * 7)

        test = paired_t(difference)

        expected = ttest_1samp(difference, 0, alternative="greater")
        assert test.statistic == pytest.approx(expected.statistic, rel=1e-12)
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-10)

    @pytest.mark.parametrize(
        ("difference", "p_value"),
        [
            ([0.0] * 6, 1.0),
            ([3.0] * 6, 2**-6),
            ([-3.0] * 6, 1.0),
            ([70.3 - 60.2, 80.3 - 70.2, 50.3 - 40.2], 2**-3),
        ],
        ids=["all zero", "all equal and positive", "all equal and negative", "equal up to rounding"],
    )
    def test_equal_differences_leave_only_their_sign(self, difference: list[float], p_value: float) -> None:
        test = paired_t(np.array(difference))

        assert test.p_value == p_value
        assert test.sd == 0
        assert np.isnan(test.statistic[0])

    @pytest.mark.parametrize("n", [0, 1])
    def test_fewer_than_two_differences_give_no_p_value(self, n: int) -> None:
        test = paired_t(np.ones(n))

        assert test.n == n
        assert np.isnan(test.p_value[0])

    def test_random_clickers_are_found_significant_as_often_as_the_threshold_says(self) -> None:
        base, degraded = np.random.default_rng(11).uniform(0, 100, (2, 40_000))

        p_values = paired_t_by_group(base - degraded, np.full(4000, 10)).p_value

        # Four standard errors of a share of 0.05 in 4000: 0.014.
        assert np.mean(p_values < 0.05) == pytest.approx(0.05, abs=0.014)


class TestManyGroups:
    @given(st.lists(st.lists(st.integers(-5, 5), max_size=6), max_size=8))
    def test_each_group_gets_what_it_would_alone(self, groups: list[list[int]]) -> None:
        values = np.array([value for group in groups for value in group], dtype=np.float64)

        tests = paired_t_by_group(values, np.array([len(group) for group in groups], dtype=np.int64))

        alone = [paired_t(np.array(group, dtype=np.float64)) for group in groups]
        found = np.stack([tests.statistic, tests.p_value, tests.n, tests.mean, tests.sd], axis=1)
        expected = [[test.statistic, test.p_value, test.n, test.mean, test.sd] for test in alone]
        np.testing.assert_array_equal(found, np.array(expected, dtype=np.float64).reshape(-1, 5))

    @given(decimals)
    def test_mean_and_deviation_are_those_of_numpy(self, values: list[float]) -> None:
        array = np.array(values)

        mean, sd = mean_and_sd_by_group(array, np.array([len(array)]))

        assert mean[0] == pytest.approx(np.mean(array), abs=1e-9)
        assert sd[0] == pytest.approx(np.std(array, ddof=1), abs=1e-9)

    def test_large_numbers_keep_their_small_deviation(self) -> None:
        _, sd = mean_and_sd_by_group(1e6 + np.array([0.0, 1.0, 2.0]), np.array([3]))

        assert sd[0] == pytest.approx(1.0, rel=1e-9)

    def test_input_is_left_untouched(self) -> None:
        values = np.array([3.0, 1.0, 2.0])

        paired_t_by_group(values, np.array([1, 2]))

        assert values.tolist() == [3.0, 1.0, 2.0]


class TestPairedTTwoSided:
    def test_the_specified_vector_gives_its_statistic_and_p_value(self) -> None:
        difference = FIRST - SECOND

        # Test vector 1 of the methods specification, assumption A.
        assert paired_t(difference).statistic == pytest.approx(-0.736248, abs=5e-7)
        assert paired_t_two_sided(difference) == pytest.approx(0.4803288, abs=5e-8)

    @pytest.mark.parametrize("seed", range(4))
    def test_it_equals_scipy_on_random_differences(self, seed: int) -> None:
        difference = np.random.default_rng(seed).normal(-0.3, 1, 4 + seed * 5)

        assert paired_t_two_sided(difference) == pytest.approx(ttest_1samp(difference, 0).pvalue, rel=1e-10)

    @pytest.mark.parametrize(
        ("difference", "p_value"),
        [([0.0] * 5, 1.0), ([2.0] * 5, 2**-4), ([-2.0] * 5, 2**-4)],
        ids=["all zero", "all up", "all down"],
    )
    def test_equal_differences_leave_only_their_sign(self, difference: list[float], p_value: float) -> None:
        assert paired_t_two_sided(np.array(difference)) == p_value

    @pytest.mark.parametrize("n", [0, 1])
    def test_fewer_than_two_differences_give_no_p_value(self, n: int) -> None:
        assert math.isnan(paired_t_two_sided(np.zeros(n)))


class TestEquivalence:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("margin", [0.2, 1.0, 5.0])
    def test_it_is_the_larger_of_two_one_sided_tests(self, seed: int, margin: float) -> None:
        difference = np.random.default_rng(seed).normal(0.4, 2, 12)

        above_lower = ttest_1samp(difference, -margin, alternative="greater").pvalue
        below_upper = ttest_1samp(difference, margin, alternative="less").pvalue
        assert equivalence(difference, margin=margin) == pytest.approx(
            max(above_lower, below_upper), rel=1e-10
        )

    def test_a_case_by_hand(self) -> None:
        # Mean 2, sd 1, standard error 1 / sqrt(3): t = 3 sqrt(3) = 5.196 with 2 degrees of freedom, for which
        # the upper tail is (1 - t / sqrt(2 + t^2)) / 2.
        t = 3 * math.sqrt(3)

        expected = (1 - t / math.sqrt(2 + t**2)) / 2
        assert equivalence(np.array([1.0, 2.0, 3.0]), margin=5) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize(("value", "p_value"), [(0.0, 0.0), (4.9, 0.0), (5.0, 1.0), (-7.0, 1.0)])
    def test_equal_differences_lie_within_the_margin_or_not(self, value: float, p_value: float) -> None:
        assert equivalence(np.full(6, value), margin=5) == p_value

    @pytest.mark.parametrize("n", [0, 1])
    def test_fewer_than_two_differences_give_no_p_value(self, n: int) -> None:
        assert math.isnan(equivalence(np.zeros(n), margin=5))

    @pytest.mark.parametrize("margin", [0, -1])
    def test_a_margin_must_be_positive(self, margin: float) -> None:
        with pytest.raises(ValueError, match="above 0"):
            equivalence(np.array([1.0, 2.0]), margin=margin)


class TestSignedRank:
    def test_the_specified_vector_gives_its_statistic_and_p_value(self) -> None:
        test = signed_rank(BASE - DEGRADED)

        # Test vector 1 of the methods specification.
        assert (test.statistic, test.p_value, test.n) == (54.0, 0.001953125, 10)

    @pytest.mark.parametrize("n", [1, 2, 5, 8])
    def test_without_ties_it_counts_all_patterns_of_signs(self, n: int) -> None:
        rng = np.random.default_rng(n)
        difference = rng.permutation(np.arange(1.0, n + 1)) * rng.choice([-1, 1], n)

        observed = difference[difference > 0].sum()
        sums = [np.dot(signs, np.arange(1, n + 1)) for signs in product((0, 1), repeat=n)]
        # One difference alone is a constant one, for which the sign test says the same.
        assert signed_rank(difference).p_value == np.mean(np.array(sums) >= observed)

    @pytest.mark.parametrize(("n", "method"), [(25, "exact"), (26, "approx")])
    def test_it_is_exact_up_to_25_differences(self, n: int, method: str) -> None:
        difference = np.random.default_rng(n).normal(0.4, 1, n)

        expected = wilcoxon(difference, alternative="greater", method=method, correction=method == "approx")
        assert signed_rank(difference).p_value == pytest.approx(expected.pvalue, rel=1e-10)

    @given(few_values)
    def test_with_ties_it_is_the_corrected_approximation(self, values: list[int]) -> None:
        difference = np.array(values, dtype=np.float64)
        size = np.abs(difference[difference != 0])
        assume(len(np.unique(size)) < len(size) and len(np.unique(difference)) > 1)

        test = signed_rank(difference)

        expected = wilcoxon(difference, alternative="greater", method="approx", correction=True)
        assert test.statistic == expected.statistic
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        assert test.n == len(size)

    @pytest.mark.parametrize(
        ("difference", "p_value", "n"),
        [([0.0] * 6, 1.0, 0), ([3.0] * 6, 2**-6, 6), ([-3.0] * 6, 1.0, 6)],
        ids=["all zero", "all equal and positive", "all equal and negative"],
    )
    def test_equal_differences_leave_only_their_sign(
        self, difference: list[float], p_value: float, n: int
    ) -> None:
        test = signed_rank(np.array(difference))

        assert (test.p_value, test.n) == (p_value, n)

    def test_no_differences_give_no_p_value(self) -> None:
        assert math.isnan(signed_rank(np.empty(0)).p_value)

    @given(decimals)
    def test_rounding_noise_makes_no_difference(self, values: list[float]) -> None:
        difference = np.array(values)
        noisy = (difference + 1000.3) - 1000.3

        assert signed_rank(noisy).p_value == signed_rank(difference).p_value
