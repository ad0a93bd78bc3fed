"""Agreement of a worker with themself, against plain formulas on the pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.agreement.cuts import rating_cuts
from steelyard.agreement.intra import Repeats, intra_rows
from steelyard.agreement.options import AgreementOptions
from steelyard.domain.scale import VAS

CUTS = rating_cuts(np.arange(101.0), scale=VAS, wanted=(2,))
# A pair: worker, first, second.
pairs = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=20
)


def repeats_of(pairs: list[tuple[int, float, float]]) -> Repeats:
    worker, first, second = np.array(pairs, dtype=np.float64).reshape(-1, 3).T
    return Repeats(first, second, worker.astype(np.int64), np.arange(len(pairs)))


def test_agreement_and_correlation_by_hand() -> None:
    # Halves: low-low, low-high, high-high, high-high, so 3 of 4 agree.
    repeats = repeats_of([(0, 10, 30), (0, 40, 60), (1, 70, 90), (2, 80, 60)])

    kappa, pearson = intra_rows(repeats, scale="rating", cuts=CUTS, options=AgreementOptions())

    assert (kappa.agreement, kappa.value, kappa.n_pairs) == (0.75, 0.5, 4)
    # Means 50 and 60; deviations -40 -10 20 30 and -30 0 30 0.
    assert pearson.value == pytest.approx((1200 + 600) / np.sqrt((1600 + 100 + 400 + 900) * (900 + 900)))
    assert (pearson.agreement, pearson.chance, pearson.categories) == (None, None, None)


@given(pairs)
def test_correlation_and_kappa_are_those_of_the_pairs(pairs: list[tuple[int, int, int]]) -> None:
    kappa, pearson = intra_rows(repeats_of(pairs), scale="rating", cuts=CUTS, options=AgreementOptions())

    _, first, second = np.array(pairs).T
    if len(set(first)) > 1 and len(set(second)) > 1:
        assert pearson.value == pytest.approx(np.corrcoef(first, second)[0, 1], abs=1e-10)
    else:
        assert np.isnan(pearson.value)
    assert kappa.value == pytest.approx(2 * np.mean((first >= 50) == (second >= 50)) - 1)


@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_far_off_ratings_lose_no_precision(origin: float) -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 101, 50)
    second = rng.integers(0, 101, 50)

    (pearson,) = intra_rows(
        Repeats(origin + first, origin + second, rng.integers(0, 3, 50), np.arange(50)),
        scale="rating",
        cuts=[],
        options=AgreementOptions(),
    )

    assert pearson.value == pytest.approx(np.corrcoef(first, second)[0, 1], rel=1e-12)


def test_a_perfect_correlation_is_exactly_one() -> None:
    value = np.array([0.1, 0.7, 1 / 3, 55.5, 19.9])

    (pearson,) = intra_rows(
        Repeats(value, value, np.zeros(5, dtype=np.int64), np.arange(5)),
        scale="z",
        cuts=[],
        options=AgreementOptions(),
    )

    assert pearson.value == pytest.approx(1.0, abs=1e-15)
    assert pearson.value <= 1.0
