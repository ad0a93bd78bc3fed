from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.outliers import outliers

# With a sixth value well above the median is 3.5, well below 2.5. More than 2.5 x 1.483 x 1.5 = 5.56125 away
# is far.
FIELD = [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(("value", "is_far"), [(9.06, False), (9.07, True), (-3.06, False), (-3.07, True)])
def test_the_border_lies_at_two_and_a_half_robust_deviations(value: float, is_far: bool) -> None:
    # Distances of the five from the median are 2.5 1.5 .5 .5 1.5, in some order: MAD 1.5, with the sixth's.
    assert outliers(np.array([*FIELD, value])).tolist() == [False] * 5 + [is_far]


def test_without_a_deviation_nothing_is_an_outlier() -> None:
    assert not outliers(np.array([1.0, 1.0, 1.0, 50.0])).any()


def test_unknown_values_are_no_outliers_and_count_nowhere() -> None:
    found = outliers(np.array([np.nan, *FIELD, 9.07, np.nan]))

    assert found.tolist() == [False, *[False] * 5, True, False]


@pytest.mark.parametrize("values", [[], [np.nan, np.nan]])
def test_nothing_has_no_outliers(values: list[float]) -> None:
    assert outliers(np.array(values)).tolist() == [False] * len(values)


@pytest.mark.parametrize("factor", [-3.0, 0.5, 8.0])
def test_another_scale_leaves_the_same_outliers(factor: float) -> None:
    values = np.random.default_rng(3).standard_t(2, size=40)

    assert outliers(values).any()
    assert outliers(factor * values).tolist() == outliers(values).tolist()
