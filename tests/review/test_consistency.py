from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from steelyard.domain.scale import VAS, Scale
from steelyard.review.consistency import consistency, holds

Rows = Callable[[Sequence[dict[str, Any]]], pl.DataFrame]
Pairs = Callable[..., pl.DataFrame]
# Test vector 1 of the methods specification.
FIRST = [70, 82, 45, 66, 91, 58, 73, 39, 64, 88]
SECOND = [74, 80, 52, 60, 90, 65, 70, 45, 66, 85]


def _repeats(
    make_frame: Rows, first: Sequence[float], second: Sequence[float], **columns: Any
) -> pl.DataFrame:
    """One worker's bases, then their repeats."""
    rows = [
        {"segment_id": f"s{i}", "item_kind": kind, "rating": float(rating), **columns}
        for kind, ratings in (("regular", first), ("repeat", second))
        for i, rating in enumerate(ratings)
    ]
    return make_frame(rows)


def _two_sided(difference: np.ndarray) -> float:
    """The p-value of one worker, by SciPy; the sign test where t is undefined."""
    if len(difference) < 2:
        return math.nan
    if np.ptp(difference) == 0:
        return 1.0 if difference[0] == 0 else 2.0 ** (1 - len(difference))
    return float(ttest_1samp(difference, 0).pvalue)


def _equivalence(difference: np.ndarray, *, margin: float) -> float:
    """The larger p-value of two one-sided tests of one worker, by SciPy."""
    if len(difference) < 2:
        return math.nan
    if np.ptp(difference) == 0:
        return 0.0 if abs(difference[0]) < margin else 1.0
    above = ttest_1samp(difference, -margin, alternative="greater").pvalue
    return float(max(above, ttest_1samp(difference, margin, alternative="less").pvalue))


def test_the_specified_vector_gives_its_p_value(make_frame: Rows) -> None:
    worker, n_repeats, p_value, _ = consistency(_repeats(make_frame, FIRST, SECOND), scale=VAS).row(0)

    assert (worker, n_repeats) == ("W", 10)
    assert p_value == pytest.approx(0.4803288, abs=5e-8)


def test_the_specified_vector_changes_by_less_than_five_points(make_frame: Rows) -> None:
    p_value = consistency(_repeats(make_frame, FIRST, SECOND), scale=VAS)["equivalence_p"].item()

    # Differences -4 2 -7 6 1 -7 3 -6 -2 3 sum to -11, their squares to 213: mean -1.1, variance
    # (213 - 12.1) / 9, error sqrt(22.3222 / 10) = 1.49407; t = (5 - 1.1) / 1.49407 = 2.6103, 9 df,
    # where Student's tables have 2.262 at 0.025 and 2.821 at 0.01.
    assert 0.01 < p_value < 0.025
    assert p_value == pytest.approx(_equivalence(np.subtract(FIRST, SECOND).astype(float), margin=5.0))


def test_the_margin_is_a_share_of_the_scale(make_frame: Rows) -> None:
    on_100 = consistency(_repeats(make_frame, FIRST, SECOND), scale=VAS)
    on_300 = consistency(
        _repeats(make_frame, [3 * r for r in FIRST], [3 * r for r in SECOND]), scale=Scale(0, 300)
    )

    np.testing.assert_allclose(on_300["equivalence_p"], on_100["equivalence_p"], rtol=1e-9)


def test_a_repeat_shown_before_its_base_is_the_first_rating(make_frame: Rows) -> None:
    # Each worker rises by about ten from the first to the second showing, whichever kind that is.
    rows = [
        {"segment_id": f"s{i}", "item_kind": kind, "rating": rating, "position": position}
        for i, (base_at, repeat_at) in enumerate([(1, 60), (2, 61), (62, 3), (63, 4)])
        for kind, position in (("regular", base_at), ("repeat", repeat_at))
        for rating in [50.0 + i + (10 if position > 50 else 0)]
    ]

    p_value = consistency(make_frame(rows), scale=VAS)["consistency_p"].item()

    # Four differences of -10 each: the two-sided sign test. Base first would give -10 -10 10 10, p = 1.
    assert p_value == 2 * 0.5**4


def test_without_positions_the_base_comes_first(make_frame: Rows) -> None:
    rising = _repeats(make_frame, [50, 51, 52], [60, 61, 62])
    half_known = rising.with_columns(
        position=pl.when(pl.col("item_kind") == "repeat").then(1).otherwise(None).cast(pl.Int64)
    )

    assert consistency(half_known, scale=VAS).equals(consistency(rising, scale=VAS))


def test_equal_ratings_are_consistent_and_equivalent(make_frame: Rows) -> None:
    found = consistency(_repeats(make_frame, [50, 60, 70], [50, 60, 70]), scale=VAS)

    assert found.row(0) == ("W", 3, 1.0, 0.0)


def test_always_the_same_large_change_is_neither(make_frame: Rows) -> None:
    found = consistency(_repeats(make_frame, [50] * 7, [60] * 7), scale=VAS)

    assert found.row(0) == ("W", 7, 2 * 0.5**7, 1.0)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_repeats_tell_nothing(make_frame: Rows, n: int) -> None:
    found = consistency(_repeats(make_frame, FIRST, SECOND[:n]), scale=VAS)

    assert found.row(0) == ("W", n, None, None)


def test_pairs_of_all_hits_are_pooled_whatever_their_attribute(make_frame: Rows) -> None:
    frame = pl.concat(
        _repeats(make_frame, FIRST[part], SECOND[part], hit_id=hit, attribute=attribute)
        for part, hit, attribute in (
            (slice(0, 4), "h1", "adequacy"),
            (slice(4, 7), "h2", "fluency"),
            (slice(7, 10), "h3", "fluency"),
        )
    )

    found = consistency(frame, scale=VAS)

    assert found["n_repeats"].item() == 10
    assert found["consistency_p"].item() == pytest.approx(0.4803288, abs=5e-8)


def test_the_attributes_of_one_text_are_one_repeat(make_frame: Rows) -> None:
    # Means over attributes that lie 6 above and below the specified vector are the vector again.
    frame = pl.concat(
        _repeats(make_frame, [r + shift for r in FIRST], SECOND, attribute=attribute)
        for attribute, shift in (("adequacy", 6), ("fluency", -6))
    )

    found = consistency(frame, scale=VAS)

    assert found["n_repeats"].item() == 10
    assert found["consistency_p"].item() == pytest.approx(0.4803288, abs=5e-8)


@pytest.mark.parametrize("n_attributes", [1, 2, 5])
def test_several_attributes_make_consistent_workers_seem_no_less_so(
    make_pairs: Pairs, with_attributes: Pairs, n_attributes: int
) -> None:
    rng = np.random.default_rng(16)
    quality = rng.uniform(40, 90, (3000, 1, 10))
    first, second = (quality + rng.normal(0, 10, quality.shape) for _ in range(2))
    texts = make_pairs(first, second, kind="repeat")

    found = consistency(with_attributes(texts, n_attributes), scale=VAS)

    # The Monte Carlo error is 0.004.
    assert 0.038 < (found["consistency_p"] < 0.05).mean() < 0.062


def test_every_worker_is_there_in_order(make_frame: Rows) -> None:
    frame = pl.concat(
        _repeats(make_frame, FIRST, SECOND[:n], worker_id=worker) for worker, n in (("X", 3), ("V", 0))
    )

    assert consistency(frame, scale=VAS)["worker_id", "n_repeats"].rows() == [("V", 0), ("X", 3)]


def test_shuffled_rows_give_the_same_numbers(make_pairs: Pairs) -> None:
    rng = np.random.default_rng(4)
    base = rng.uniform(0, 100, (9, 2, 6))
    frame = make_pairs(base, base + rng.normal(2, 9, base.shape), kind="repeat")

    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)

    assert consistency(shuffled, scale=VAS).equals(consistency(frame, scale=VAS))


def test_the_frame_is_left_untouched(make_frame: Rows) -> None:
    frame = _repeats(make_frame, FIRST, SECOND)
    before = frame.clone()

    consistency(frame, scale=VAS)

    assert frame.equals(before)


def test_no_judgements_give_no_workers(make_frame: Rows) -> None:
    one = consistency(_repeats(make_frame, FIRST, SECOND), scale=VAS)

    none = consistency(_repeats(make_frame, FIRST, SECOND).clear(), scale=VAS)

    assert none.is_empty()
    assert none.schema == one.schema


@settings(max_examples=50)
@given(
    st.lists(
        st.lists(st.integers(-12, 12).map(lambda change: change / 2), max_size=7), min_size=1, max_size=4
    )
)
def test_the_numbers_are_those_of_the_tests_worker_by_worker(
    make_frame: Rows, changes: list[list[float]]
) -> None:
    # The last base has no repeat: it keeps workers without repeats in the frame.
    frame = pl.concat(
        _repeats(make_frame, [*(50 + change for change in own), 50.0], [50.0] * len(own), worker_id=f"W{i}")
        for i, own in enumerate(changes)
    )

    found = consistency(frame, scale=VAS).fill_null(np.nan)

    expected = [np.array(own) for own in changes]
    two_sided = [_two_sided(own) for own in expected]
    np.testing.assert_allclose(found["consistency_p"], two_sided, rtol=1e-9)
    np.testing.assert_allclose(
        found["equivalence_p"], [_equivalence(own, margin=5.0) for own in expected], rtol=1e-9
    )


def test_consistent_workers_fall_below_the_threshold_in_one_case_of_twenty(make_pairs: Pairs) -> None:
    rng = np.random.default_rng(6)
    quality = rng.uniform(40, 90, (3000, 1, 10))
    first, second = (quality + rng.normal(0, 10, quality.shape) for _ in range(2))

    found = consistency(make_pairs(first, second, kind="repeat"), scale=VAS)

    # The Monte Carlo error is 0.004.
    assert 0.038 < (found["consistency_p"] < 0.05).mean() < 0.062


def test_workers_who_change_by_the_margin_seem_equivalent_in_at_most_one_case_of_twenty(
    make_pairs: Pairs,
) -> None:
    rng = np.random.default_rng(7)
    quality = rng.uniform(40, 90, (3000, 1, 10))
    first, second = (quality + rng.normal(shift, 3, quality.shape) for shift in (0, 5))

    found = consistency(make_pairs(first, second, kind="repeat"), scale=VAS)

    assert 0.038 < (found["equivalence_p"] < 0.05).mean() < 0.062


@pytest.mark.parametrize(("p_value", "expected"), [(0.0499, False), (0.05, True), (0.9, True), (None, True)])
def test_the_assumption_holds_unless_something_speaks_against_it(
    p_value: float | None, expected: bool
) -> None:
    assert holds(p_value) is expected
