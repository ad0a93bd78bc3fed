from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from steelyard.stats.williams import williams


# From the specification (TV-9), which has them from an independent computation.
@pytest.mark.parametrize(
    ("correlations", "n", "t", "p_value"),
    [
        ((0.9, 0.85, 0.8), 15, 0.706290, 0.246747),
        ((0.9, 0.85, 0.95), 15, 1.256019, 0.116506),
        ((0.6, 0.55, 0.7), 560, 1.941684, 0.026340),
    ],
)
def test_published_values(correlations: tuple[float, float, float], n: int, t: float, p_value: float) -> None:
    found = williams(*correlations, n)

    assert float(found.t) == pytest.approx(t, abs=5e-7)
    assert float(found.p_value) == pytest.approx(p_value, abs=5e-7)


def test_a_value_by_hand() -> None:
    # K = 1 - .25 - 0 - 0 + 0 = .75; t = .5 sqrt(4) / sqrt(2 x .75 x 4/2 + (.25)^2) = 1 / sqrt(3.0625) = 4/7.
    found = williams(0.5, 0.0, 0.0, 5)

    assert float(found.t) == pytest.approx(4 / 7)
    # Student's t with two degrees of freedom: p = 1/2 - t / (2 sqrt(2 + t^2)).
    assert float(found.p_value) == pytest.approx(0.5 - (4 / 7) / (2 * np.sqrt(2 + (4 / 7) ** 2)))


def test_metrics_in_the_other_order_give_the_other_tail() -> None:
    better, worse = williams(0.7, 0.5, 0.6, 40), williams(0.5, 0.7, 0.6, 40)

    assert float(better.t) == pytest.approx(-float(worse.t))
    assert float(better.p_value) + float(worse.p_value) == pytest.approx(1)


def test_a_matrix_of_metrics_is_one_call() -> None:
    with_people, between = np.array([0.8, 0.6, 0.7]), np.array([[1, 0.5, 0.6], [0.5, 1, 0.4], [0.6, 0.4, 1]])

    found = williams(with_people[:, None], with_people[None, :], between, 20)

    assert found.p_value.shape == (3, 3)
    assert found.p_value[0, 2] == pytest.approx(float(williams(0.8, 0.7, 0.6, 20).p_value))
    assert found.p_value[2, 1] == pytest.approx(student.sf(found.t[2, 1], 17))


@pytest.mark.parametrize(
    ("correlations", "n"),
    [
        ((0.9, 0.8, 0.7), 3),
        ((0.9, 0.9, 1.0), 15),
        ((0.9, 0.9, 1 - 1e-15), 15),
        ((0.5, -0.5, -1.0), 15),
        ((np.nan, 0.8, 0.7), 15),
    ],
)
def test_what_cannot_be_tested_is_unknown(correlations: tuple[float, float, float], n: int) -> None:
    found = williams(*correlations, n)

    assert np.isnan(found.t)
    assert np.isnan(found.p_value)


def test_under_the_null_five_percent_are_rejected() -> None:
    # Two metrics with the same noise about the same quality: their correlations differ by chance only.
    rng = np.random.default_rng(5)
    quality = rng.normal(size=(4000, 25))
    people, first, second = quality + rng.normal(size=(3, *quality.shape))
    rows = np.stack([people, first, second])
    rows = rows - rows.mean(axis=2, keepdims=True)
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)

    p_value = williams(*((rows[i] * rows[j]).sum(axis=1) for i, j in ((0, 1), (0, 2), (1, 2))), 25).p_value

    # Five standard errors of a share of .05 in 4,000.
    assert np.mean(p_value < 0.05) == pytest.approx(0.05, abs=5 * np.sqrt(0.05 * 0.95 / 4000))
