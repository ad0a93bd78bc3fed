from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.multiplicity import holm


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
