from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.products import small_products


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 5), (5, 4)), ((40, 700), (700, 60)), ((6, 2, 9), (6, 9, 3)), ((2, 90, 1000), (2, 1000, 90))],
)
def test_pieces_add_up_to_the_whole(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=left), rng.normal(size=right)

    assert small_products(one, other) == pytest.approx(one @ other, abs=1e-10)


def test_sums_over_nothing_are_zero() -> None:
    assert small_products(np.ones((2, 0)), np.ones((0, 3))).tolist() == [[0.0] * 3] * 2
