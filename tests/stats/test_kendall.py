from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from steelyard.stats.kendall import kendall

few_values = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12)


def test_tau_of_a_hand_made_case() -> None:
    # Of six pairs, five agree and one (2 and 3 swapped) does not: (5 - 1) / 6.
    assert kendall(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(4 / 6)


@given(few_values)
def test_tau_is_that_of_another_implementation(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert np.isnan(kendall(first, second))
    else:
        assert kendall(first, second) == pytest.approx(kendalltau(first, second).statistic)


def test_tau_of_fewer_than_two_things_is_unknown() -> None:
    assert np.isnan(kendall(np.array([1.0]), np.array([2.0])))
