from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from steelyard.stats import permutation
from steelyard.stats.permutation import permutation_matrix

SEED = 11


def _flips(draws: int, n_segments: int) -> np.ndarray:
    """The flips that a call with SEED sees: (draws, segments), 1 where the sign changes."""
    flips = np.empty((draws, n_segments))
    permutation._draw_flips(flips, np.random.default_rng(np.random.default_rng(SEED).integers(2**63)))
    return flips


def _slow(scores: np.ndarray, flips: np.ndarray) -> np.ndarray:
    """Pair by pair and draw by draw, on the common segments only."""
    p_values = np.full((len(scores), len(scores)), np.nan)
    for i, j in permutations(range(len(scores)), 2):
        difference = scores[i] - scores[j]
        common = ~np.isnan(difference)
        difference = difference[common]
        limit = difference.mean() - 1e-12 * np.abs(difference).mean()
        count = sum(float(np.mean((1 - 2 * flip[common]) * difference)) >= limit for flip in flips)
        p_values[i, j] = (1 + count) / (1 + len(flips))
    return p_values


def _with_gaps(scores: np.ndarray, share: float = 0.3) -> np.ndarray:
    return np.where(np.random.default_rng(1).random(scores.shape) < share, np.nan, scores)


_RNG = np.random.default_rng(5)
_CONTINUOUS = _RNG.normal(0, 1, (5, 40)) + np.arange(5)[:, None] / 10
_WHOLE = _RNG.integers(0, 4, (5, 40)).astype(np.float64)
_NEARLY_EQUAL = np.where(_RNG.random((5, 40)) < 0.5, 0.1 * _RNG.integers(1, 9, (5, 40)), 1 / 3)
CASES = {
    "continuous": _CONTINUOUS,
    "whole numbers": _WHOLE,
    "thirds": _WHOLE / 3,
    "tenths far from 0": 1000 + _WHOLE / 10,
    "nearly equal systems": _NEARLY_EQUAL,
    "different segments": _with_gaps(_CONTINUOUS),
    "different segments, thirds": _with_gaps(_WHOLE / 3),
    "some alike, some not": np.vstack([_with_gaps(_WHOLE[:2] / 3), _WHOLE[2:] / 3]),
}


@pytest.mark.parametrize("scores", CASES.values(), ids=CASES.keys())
def test_counts_equal_a_slow_loop_over_the_same_flips(scores: np.ndarray) -> None:
    p_values = permutation_matrix(scores, draws=150, rng=np.random.default_rng(SEED))

    np.testing.assert_array_equal(p_values, _slow(scores, _flips(150, 40)))


@pytest.mark.parametrize("divisor", [1, 3], ids=["whole numbers", "thirds"])
def test_counts_equal_a_slow_loop_in_a_campaign_of_usual_length(divisor: int) -> None:
    scores = np.random.default_rng(2).integers(0, 101, (3, 1500)) / divisor

    p_values = permutation_matrix(scores, draws=700, rng=np.random.default_rng(SEED))

    np.testing.assert_array_equal(p_values, _slow(scores, _flips(700, 1500)))


@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(2, 4), st.integers(8, 20)),
    st.sampled_from([1, 2, 5, 1000]),
    st.sampled_from([0.0, 0.1]),
)
def test_counts_equal_a_slow_loop_on_any_scores(
    seed: int, shape: tuple[int, int], n_values: int, absent: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, n_values, shape) / 3
    # Seven segments that always differ are too many to enumerate with 100 draws.
    scores[:, :7] = np.arange(shape[0])[:, None] + rng.random((1, 7))
    scores[:, 7:][rng.random((shape[0], shape[1] - 7)) < absent] = np.nan

    p_values = permutation_matrix(scores, draws=100, rng=np.random.default_rng(SEED))

    np.testing.assert_array_equal(p_values, _slow(scores, _flips(100, shape[1])))


def _enumerated(difference: np.ndarray) -> float:
    """Share of all sign patterns whose mean is at least the observed."""
    means = [np.mean(np.array(signs) * difference) for signs in product([1, -1], repeat=len(difference))]
    return float(np.mean(np.array(means) >= difference.mean() - 1e-9))


@pytest.mark.parametrize("n_segments", range(1, 9))
@pytest.mark.parametrize("kind", ["continuous", "tied"])
def test_few_segments_give_the_share_of_all_flips(n_segments: int, kind: str) -> None:
    rng = np.random.default_rng(n_segments)
    scores = rng.normal(size=(2, n_segments)) if kind == "continuous" else rng.integers(0, 3, (2, n_segments))

    p_values = permutation_matrix(scores.astype(np.float64), draws=256, rng=rng)

    assert p_values[0, 1] == pytest.approx(_enumerated(scores[0] - scores[1]), abs=1e-15)
    assert p_values[1, 0] == pytest.approx(_enumerated(scores[1] - scores[0]), abs=1e-15)


def test_a_case_by_hand() -> None:
    p_values = permutation_matrix(
        np.array([[4.0, 3.0, 1.0], [1.0, 1.0, 2.0]]), draws=8, rng=np.random.default_rng(0)
    )

    # Differences 3, 2, -1 with sum 4. Sums under all eight flips: 4, -2, 0, -6, 6, 0, 2, -4.
    # Two of them are at least 4, and seven at most 4.
    assert p_values[0, 1] == 2 / 8
    assert p_values[1, 0] == 7 / 8


def test_drawing_begins_where_there_are_more_flips_than_draws() -> None:
    scores = np.array([[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]])

    exact = permutation_matrix(scores, draws=8, rng=np.random.default_rng(0))
    drawn = permutation_matrix(scores, draws=7, rng=np.random.default_rng(0))

    # One of eight flips keeps the sum; a share of 1 + 7 draws.
    assert exact[0, 1] == 1 / 8
    assert drawn[0, 1] * 8 == round(drawn[0, 1] * 8)
    assert drawn[1, 0] == 1.0


def test_drawn_p_values_are_near_the_exact_ones() -> None:
    scores = np.random.default_rng(8).normal([[0.4], [0.0]], 1, (2, 12))

    exact = permutation_matrix(scores, draws=2**12, rng=np.random.default_rng(1))
    drawn = permutation_matrix(scores, draws=2**12 - 1, rng=np.random.default_rng(1))

    # Four standard errors of a share of 4095.
    error = 4 * math.sqrt(exact[0, 1] * (1 - exact[0, 1]) / 4095)
    assert drawn[0, 1] == pytest.approx(exact[0, 1], abs=error)


def test_it_agrees_with_scipy_up_to_chance() -> None:
    scores = np.random.default_rng(3).normal([[0.1], [0.0]], 1, (2, 120))

    p_values = permutation_matrix(scores, draws=20_000, rng=np.random.default_rng(1))

    expected = permutation_test(
        (scores[0], scores[1]),
        lambda first, second, axis: np.mean(first - second, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        alternative="greater",
        vectorized=True,
        rng=np.random.default_rng(2),
    ).pvalue
    # Four standard errors of the difference of two shares of 20,000.
    assert p_values[0, 1] == pytest.approx(expected, abs=4 * math.sqrt(2 * 0.25 / 20_000))


def test_p_values_are_uniform_if_systems_are_equally_good() -> None:
    rng = np.random.default_rng(17)

    p_values = np.array(
        [permutation_matrix(rng.exponential(size=(2, 30)), draws=199, rng=rng)[0, 1] for _ in range(1500)]
    )

    # p is a multiple of 1/200, each equally likely: at most 0.05 in 5 % of cases; standard error 0.0056.
    assert np.mean(p_values <= 0.05) == pytest.approx(0.05, abs=0.023)
    # Kolmogorov-Smirnov: the largest gap exceeds 1.95 / sqrt(n) once in a thousand times.
    grid = np.arange(1, 200) / 200
    gap = np.abs([np.mean(p_values <= level + 1e-9) - level for level in grid])
    assert gap.max() < 1.95 / math.sqrt(1500)


def test_a_better_row_has_smaller_p_values() -> None:
    scores = np.random.default_rng(4).normal(size=(2, 50))

    p_values = [
        permutation_matrix(scores + np.array([[gain], [0.0]]), draws=500, rng=np.random.default_rng(SEED))[
            0, 1
        ]
        for gain in (-0.5, -0.2, 0.0, 0.2, 0.5, 3.0)
    ]

    assert p_values == sorted(p_values, reverse=True)
    assert p_values[-1] == 1 / 501


def test_no_common_segment_gives_no_p_value() -> None:
    scores = np.array([[1.0, np.nan], [np.nan, 1.0], [2.0, 0.0]])

    p_values = permutation_matrix(scores, draws=10, rng=np.random.default_rng(0))

    assert np.isnan(p_values).tolist() == [[True, True, False], [True, True, False], [False, False, True]]


@pytest.mark.parametrize("draws", [1, 1000])
def test_equal_scores_are_no_evidence(draws: int) -> None:
    row = np.random.default_rng(0).normal(size=30)

    p_values = permutation_matrix(np.array([row, row]), draws=draws, rng=np.random.default_rng(0))

    assert p_values[0, 1] == p_values[1, 0] == 1.0


def test_a_pair_gets_the_same_answer_beside_any_others() -> None:
    # 30 systems are 435 pairs: with 10,000 draws more than are worked on at once.
    scores = np.random.default_rng(6).normal(size=(30, 20))

    every = permutation_matrix(scores, draws=10_000, rng=np.random.default_rng(SEED))
    last = permutation_matrix(scores[-2:], draws=10_000, rng=np.random.default_rng(SEED))

    np.testing.assert_array_equal(every[-2:, -2:], last)


def test_adding_to_all_systems_changes_nothing() -> None:
    given_scores = _with_gaps(_WHOLE)

    shifted = permutation_matrix(given_scores + 7, draws=200, rng=np.random.default_rng(SEED))

    expected = permutation_matrix(given_scores, draws=200, rng=np.random.default_rng(SEED))
    np.testing.assert_array_equal(shifted, expected)


def test_rescaling_changes_nothing() -> None:
    rescaled = permutation_matrix(_WHOLE * 0.1, draws=200, rng=np.random.default_rng(SEED))

    expected = permutation_matrix(_WHOLE, draws=200, rng=np.random.default_rng(SEED))
    np.testing.assert_array_equal(rescaled, expected)


def test_half_of_the_flips_change_the_sign() -> None:
    flips = np.empty((400, 130))

    permutation._draw_flips(flips, np.random.default_rng(0))

    # 52,000 coins: standard error 0.0022; and of each of 130 segments 0.025.
    assert flips.mean() == pytest.approx(0.5, abs=0.009)
    np.testing.assert_allclose(flips.mean(axis=0), 0.5, atol=0.12)


def test_a_test_without_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        permutation_matrix(_WHOLE, draws=0, rng=np.random.default_rng(0))


def test_inputs_stay_as_they_are() -> None:
    scores = _with_gaps(_CONTINUOUS)

    permutation_matrix(scores, draws=50, rng=np.random.default_rng(0))

    np.testing.assert_array_equal(scores, _with_gaps(_CONTINUOUS))
