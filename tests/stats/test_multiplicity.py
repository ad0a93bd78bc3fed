from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.multiplicity import holm, holm_of_pairs, two_sided


def test_a_case_by_hand() -> None:
    adjusted = holm(np.array([0.01, 0.04, 0.03, 0.005]))

    # In order: 4 x 0.005, 3 x 0.01, 2 x 0.03, then 0.04 lifted to the one before it.
    np.testing.assert_allclose(adjusted, [0.03, 0.06, 0.06, 0.02])


def test_nothing_exceeds_one() -> None:
    assert holm(np.array([0.9, 0.8, 0.6])).tolist() == [1.0, 1.0, 1.0]


def test_unknown_p_values_stay_unknown_and_are_not_counted() -> None:
    adjusted = holm(np.array([[np.nan, 0.02], [0.5, np.nan]]))

    np.testing.assert_allclose(adjusted, [[np.nan, 0.04], [0.5, np.nan]])


@pytest.mark.parametrize("seed", range(3))
def test_it_equals_the_definition_term_by_term(seed: int) -> None:
    p = np.random.default_rng(seed).uniform(0, 0.3, 12)

    adjusted = holm(p)

    # [Holm1979]: the largest of (number of p-values at least as large) x p over all p up to this one.
    expected = [min(1, max(np.sum(p >= q) * q for q in p if q <= own)) for own in p]
    np.testing.assert_allclose(adjusted, expected)


def test_some_false_finding_is_as_rare_as_promised() -> None:
    p = np.random.default_rng(5).uniform(size=(4000, 6))

    any_found = np.mean([holm(row).min() < 0.05 for row in p])

    assert any_found == pytest.approx(0.05, abs=0.014)


def test_each_unordered_pair_is_one_test() -> None:
    p_values = np.array([[np.nan, 0.01, 0.02], [0.99, np.nan, 0.4], [0.98, 0.6, np.nan]])

    either = two_sided(p_values)

    np.testing.assert_allclose(either[np.triu_indices(3, 1)], [0.02, 0.04, 0.8])
    # Three tests, not six: 3 x 0.02, 2 x 0.04, 0.8; the same in both directions.
    np.testing.assert_allclose(
        holm_of_pairs(either), [[np.nan, 0.06, 0.08], [0.06, np.nan, 0.8], [0.08, 0.8, np.nan]]
    )


def test_no_direction_is_no_difference() -> None:
    assert two_sided(np.array([[np.nan, 0.7], [0.6, np.nan]]))[0, 1] == 1.0
