from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, ttest_ind

from steelyard.stats.two_sample_tests import mann_whitney, welch

BASE = np.array([80, 65, 90, 70, 55, 75, 60, 85, 50, 78], dtype=np.float64)
DEGRADED = np.array([50, 60, 62, 71, 30, 40, 58, 49, 35, 60], dtype=np.float64)
FIRST = np.array([70, 82, 45, 66, 91, 58, 73, 39, 64, 88], dtype=np.float64)
SECOND = np.array([74, 80, 52, 60, 90, 65, 70, 45, 66, 85], dtype=np.float64)
MOVED, WAVERED = np.abs(BASE - DEGRADED), np.abs(FIRST - SECOND)
few_values = st.lists(st.integers(0, 6), min_size=2, max_size=30)


class TestWelch:
    def test_the_specified_vector_gives_its_numbers(self) -> None:
        test = welch(MOVED, WAVERED)

        # Test vector 1 of the methods specification: means 19.5 and 4.1.
        assert test.statistic == pytest.approx(3.595140, abs=5e-7)
        assert test.df == pytest.approx(9.502689, abs=5e-7)
        assert test.p_value == pytest.approx(0.002651824, abs=5e-10)
        assert (test.n_first, test.n_second) == (10, 10)

    # The other implementation's word on a group that is constant.
    @pytest.mark.filterwarnings("ignore:Precision loss")
    @given(few_values, few_values)
    def test_it_equals_scipy_where_something_varies(self, first: list[int], second: list[int]) -> None:
        assume(len(set(first)) > 1 or len(set(second)) > 1)

        test = welch(np.array(first, dtype=np.float64), np.array(second, dtype=np.float64))

        expected = ttest_ind(first, second, equal_var=False, alternative="greater")
        assert test.statistic == pytest.approx(expected.statistic, abs=1e-9)
        assert test.df == pytest.approx(expected.df, rel=1e-9)
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-8)

    @pytest.mark.parametrize(
        ("first", "second", "p_value"),
        [
            ([5.0] * 4, [5.0] * 3, 1.0),
            ([4.0] * 4, [5.0] * 3, 1.0),
            ([6.0] * 4, [5.0] * 3, 2**-3),
            ([70.3 - 60.2] * 4, [80.3 - 70.2] * 4, 1.0),
        ],
        ids=["equal", "below", "above", "equal up to rounding"],
    )
    def test_two_constant_groups_are_judged_by_sign(
        self, first: list[float], second: list[float], p_value: float
    ) -> None:
        test = welch(np.array(first), np.array(second))

        assert test.p_value == p_value
        assert math.isnan(test.statistic)

    @pytest.mark.parametrize(("n_first", "n_second"), [(0, 5), (5, 0), (1, 5), (5, 1)])
    def test_fewer_than_two_values_give_no_p_value(self, n_first: int, n_second: int) -> None:
        test = welch(np.arange(float(n_first)), np.arange(float(n_second)))

        assert math.isnan(test.p_value)
        assert (test.n_first, test.n_second) == (n_first, n_second)


class TestMannWhitney:
    @pytest.mark.parametrize(
        ("first", "second", "statistic", "p_value", "digits"),
        [(MOVED, WAVERED, 78.5, 0.01687711, 8), (BASE, DEGRADED, 84.5, 0.005011958, 9)],
        ids=["mann-whitney", "rank-sum"],
    )
    def test_the_specified_vector_gives_its_numbers(
        self, first: np.ndarray, second: np.ndarray, statistic: float, p_value: float, digits: int
    ) -> None:
        test = mann_whitney(first, second)

        # Test vector 1 of the methods specification.
        assert test.statistic == statistic
        assert test.p_value == pytest.approx(p_value, abs=0.5 * 10**-digits)
        assert math.isnan(test.df)

    @pytest.mark.parametrize(("n_first", "n_second"), [(1, 1), (1, 5), (4, 3), (5, 5)])
    def test_without_ties_it_counts_all_orders(self, n_first: int, n_second: int) -> None:
        order = np.random.default_rng(n_first).permutation(n_first + n_second).astype(np.float64)
        first, second = order[:n_first], order[n_first:]

        def wins(of_first: tuple[int, ...]) -> int:
            others = set(range(n_first + n_second)) - set(of_first)
            return sum(mine > other for mine in of_first for other in others)

        observed = wins(tuple(first.astype(int)))
        counts = [wins(places) for places in combinations(range(n_first + n_second), n_first)]
        assert mann_whitney(first, second).statistic == observed
        assert mann_whitney(first, second).p_value == pytest.approx(
            np.mean(np.array(counts) >= observed), rel=1e-12
        )

    @pytest.mark.parametrize(("n_first", "method"), [(12, "exact"), (13, "asymptotic")])
    def test_it_is_exact_up_to_20_values(self, n_first: int, method: str) -> None:
        rng = np.random.default_rng(3)
        first, second = rng.normal(0.5, 1, n_first), rng.normal(0, 1, 8)

        expected = mannwhitneyu(first, second, alternative="greater", method=method)
        assert mann_whitney(first, second).p_value == pytest.approx(expected.pvalue, rel=1e-10)

    @given(few_values, few_values)
    def test_with_ties_it_is_the_corrected_approximation(self, first: list[int], second: list[int]) -> None:
        together = [*first, *second]
        assume(1 < len(set(together)) < len(together))

        test = mann_whitney(np.array(first, dtype=np.float64), np.array(second, dtype=np.float64))

        expected = mannwhitneyu(first, second, alternative="greater", method="asymptotic")
        assert test.statistic == expected.statistic
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)

    @pytest.mark.parametrize("n", [2, 30])
    def test_values_that_are_all_equal_give_p_1(self, n: int) -> None:
        assert mann_whitney(np.full(n, 3.0), np.full(n, 3.0)).p_value == 1.0

    @pytest.mark.parametrize(("n_first", "n_second"), [(0, 5), (5, 0), (0, 0)])
    def test_an_empty_group_gives_no_p_value(self, n_first: int, n_second: int) -> None:
        assert math.isnan(mann_whitney(np.zeros(n_first), np.zeros(n_second)).p_value)

    @given(st.lists(st.decimals(0, 9, places=1).map(float), min_size=4, max_size=30))
    def test_rounding_noise_makes_no_ties_and_breaks_none(self, values: list[float]) -> None:
        array = np.array(values)
        noisy = (array + 1000.3) - 1000.3

        assert mann_whitney(noisy[:2], noisy[2:]).p_value == mann_whitney(array[:2], array[2:]).p_value
