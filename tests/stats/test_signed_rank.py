from __future__ import annotations

import math
from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import PermutationMethod, wilcoxon

from steelyard.stats.signed_rank import signed_rank_matrix


def _slow(first: np.ndarray, second: np.ndarray) -> float:
    """The test as the books give it, on one pair."""
    difference = np.round(first - second, 10)
    difference = difference[~np.isnan(difference)]
    if not len(difference):
        return math.nan
    kept = [value for value in difference.tolist() if value != 0]
    if not kept:
        return 1.0
    sizes = [abs(value) for value in kept]
    ranks = [sum(b < a for b in sizes) + (sizes.count(a) + 1) / 2 for a in sizes]
    positive = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    n = len(kept)
    ties = sum(sizes.count(a) ** 3 - sizes.count(a) for a in set(sizes))
    if n <= 25:
        shares = {0.0: 1.0}
        for rank in ranks:
            both: dict[float, float] = {}
            for total, share in shares.items():
                both[total] = both.get(total, 0.0) + share / 2
                both[total + rank] = both.get(total + rank, 0.0) + share / 2
            shares = both
        return sum(share for total, share in shares.items() if total >= positive)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    return NormalDist().cdf(-(positive - n * (n + 1) / 4) / math.sqrt(variance))


def _scores(seed: int, *, n_systems: int = 6, n_segments: int = 60) -> np.ndarray:
    """Rows continuous, tied, constant, and equal to the first; a fifth of the scores absent."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.2, 1, (n_systems, n_segments))
    scores[1:3] = rng.integers(0, 5, (2, n_segments))
    scores[3] = 2.0
    scores[4] = scores[0]
    scores[rng.random(scores.shape) < 0.2] = np.nan
    return scores


@pytest.mark.parametrize("seed", range(4))
def test_many_differences_give_what_scipy_gives_for_every_ordered_pair(seed: int) -> None:
    scores = _scores(seed, n_segments=160)
    scores[4] += np.random.default_rng(seed).integers(0, 2, 160)

    p_values = signed_rank_matrix(scores)

    expected = np.full((6, 6), np.nan)
    for i, j in permutations(range(6), 2):
        difference = np.round(scores[i] - scores[j], 10)
        expected[i, j] = wilcoxon(
            difference[~np.isnan(difference)],
            alternative="greater",
            method="asymptotic",
            zero_method="wilcox",
            correction=False,
        ).pvalue
    np.testing.assert_allclose(p_values, expected, atol=1e-12, rtol=0)


@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(0, 5), st.integers(0, 30)),
    st.sampled_from([1, 3, 20, 10_000]),
    st.sampled_from([0.0, 0.3, 0.9]),
)
def test_it_equals_the_slow_formula_with_ties_constants_and_absent_scores(
    seed: int, shape: tuple[int, int], n_values: int, absent: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, n_values, shape) / 7
    scores[rng.random(shape) < absent] = np.nan

    p_values = signed_rank_matrix(scores)

    expected = np.full((shape[0], shape[0]), np.nan)
    for i, j in permutations(range(shape[0]), 2):
        expected[i, j] = _slow(scores[i], scores[j])
    np.testing.assert_allclose(p_values, expected, atol=1e-12, rtol=0)


def test_a_case_by_hand() -> None:
    p_values = signed_rank_matrix(np.array([[1.0, 5.0, 3.0, 9.0, 4.0], [2.0, 3.0, 2.0, 5.0, 4.0]]))

    # Differences -1, 2, 1, 4, 0: the zero goes, ranks 1.5, 3, 1.5, 4, so the positive ones have 8.5.
    # Of the 16 choices of signs, one makes the sum 10, two 8.5 and the others less.
    assert p_values[0, 1] == pytest.approx(3 / 16)
    assert p_values[1, 0] == pytest.approx(15 / 16)


def test_four_segments_cannot_tell_two_systems_apart() -> None:
    p_values = signed_rank_matrix(np.array([[2.0, 4.0, 6.0, 8.5], [1.0, 2.0, 3.0, 4.0]]))

    # All four differences are positive: one of 16 patterns of signs.
    assert p_values[0, 1] == pytest.approx(1 / 16)


def test_no_common_segment_gives_no_p_value() -> None:
    p_values = signed_rank_matrix(np.array([[1.0, np.nan], [np.nan, 1.0], [2.0, 0.0]]))

    assert np.isnan(p_values).tolist() == [[True, True, False], [True, True, False], [False, False, True]]


def test_equal_scores_are_no_evidence() -> None:
    p_values = signed_rank_matrix(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]]))

    assert p_values[0, 1] == p_values[1, 0] == 1.0


def test_noise_in_the_last_bits_breaks_no_tie() -> None:
    clean = np.array([[0.3, 0.5, 0.9, 0.2], [0.2, 0.6, 0.7, 0.2]])

    # 0.1 + 0.2 is not 0.3, and 0.3 - 0.2 is not 0.6 - 0.5, to the last bit.
    noisy = np.array([[0.1 + 0.2, 0.5, 0.9, 0.2], [0.2, 0.1 + 0.5, 0.7, 0.1 + 0.1]])

    np.testing.assert_array_equal(signed_rank_matrix(noisy), signed_rank_matrix(clean))


def test_differences_beyond_ten_decimals_are_none() -> None:
    assert signed_rank_matrix(np.array([[1.0, 2.0], [1.0 + 4e-11, 2.0 - 4e-11]]))[0, 1] == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_opposite_directions_sum_to_one(seed: int) -> None:
    p_values = signed_rank_matrix(np.random.default_rng(seed).normal(size=(4, 30)))

    above = np.triu_indices(4, 1)
    np.testing.assert_allclose(p_values[above] + p_values.T[above], 1)


def test_the_order_of_segments_changes_nothing() -> None:
    scores = _scores(5)

    shuffled = scores[:, np.random.default_rng(1).permutation(60)]

    np.testing.assert_array_equal(signed_rank_matrix(shuffled), signed_rank_matrix(scores))


def test_a_shift_of_all_systems_changes_nothing() -> None:
    scores = _scores(5)

    np.testing.assert_array_equal(signed_rank_matrix(scores + 0.5), signed_rank_matrix(scores))


def test_very_many_segments_are_worked_through_pair_by_pair() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(3, 40_000)).round(2)

    p_values = signed_rank_matrix(scores)

    expected = wilcoxon(
        np.round(scores[1] - scores[2], 10), alternative="greater", method="asymptotic"
    ).pvalue
    assert p_values[1, 2] == pytest.approx(expected, abs=1e-12)


def test_inputs_stay_as_they_are() -> None:
    scores = _scores(6)

    signed_rank_matrix(scores)

    np.testing.assert_array_equal(scores, _scores(6))


@pytest.mark.parametrize("n", [5, 9, 12])
def test_few_tied_differences_are_exact_as_by_scipys_permutations(n: int) -> None:
    difference = np.random.default_rng(n).integers(-2, 4, n).astype(np.float64)

    found = signed_rank_matrix(np.stack([difference, np.zeros(n)]))

    every = PermutationMethod(n_resamples=np.inf)
    for p_value, alternative in ((found[0, 1], "greater"), (found[1, 0], "less")):
        expected = wilcoxon(difference, alternative=alternative, method=every).pvalue
        assert p_value == pytest.approx(expected, rel=1e-12)


def test_with_and_without_ties_25_differences_are_exact_and_26_as_scipy_approximates_them() -> None:
    rng = np.random.default_rng(3)
    untied, tied = rng.normal(0.4, 1, 26), rng.integers(1, 6, 26) * np.sign(rng.normal(0.5, 1, 26))

    few = [signed_rank_matrix(np.stack([each[:25], np.zeros(25)]))[0, 1] for each in (untied, tied)]
    more = [signed_rank_matrix(np.stack([each, np.zeros(26)]))[0, 1] for each in (untied, tied)]

    assert few[0] == pytest.approx(wilcoxon(untied[:25], alternative="greater", method="exact").pvalue)
    for p_value, each in zip(more, (untied, tied), strict=True):
        approximate = wilcoxon(each, alternative="greater", method="approx", correction=False).pvalue
        assert p_value == pytest.approx(approximate)
    # The approximation is near what is exact on its other side, so nothing jumps at 26.
    close = wilcoxon(tied[:25], alternative="greater", method="approx", correction=False).pvalue
    assert few[1] == pytest.approx(close, rel=0.1)
