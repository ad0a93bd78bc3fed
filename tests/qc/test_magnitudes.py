"""The two checks that compare magnitudes: `welch` and `mann-whitney`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings
from steelyard.qc import mann_whitney, welch

PairFrame = Callable[..., pl.DataFrame]
both = pytest.mark.parametrize("check", [welch.CHECK, mann_whitney.CHECK], ids=["welch", "mann-whitney"])


@pytest.mark.parametrize(
    ("check", "statistic", "digits", "p_value", "p_digits"),
    [
        (welch.CHECK, 3.595140, 6, 0.002651824, 9),
        (mann_whitney.CHECK, 78.5, 12, 0.01687711, 8),
    ],
    ids=["welch", "mann-whitney"],
)
def test_the_specified_vector_passes_with_its_numbers(
    pair_frame: PairFrame,
    vector: Any,
    check: Check,
    statistic: float,
    digits: int,
    p_value: float,
    p_digits: int,
) -> None:
    frame = pair_frame(vector.base, vector.degraded, vector.first, vector.second)

    verdict = check.run(frame, CheckSettings())[0]

    # Test vector 1 of the methods specification, to all printed digits.
    assert (verdict.verdict, verdict.n_pairs) == ("pass", 10)
    assert verdict.statistic == pytest.approx(statistic, abs=0.5 * 10**-digits)
    assert verdict.p_value == pytest.approx(p_value, abs=0.5 * 10**-p_digits)
    assert verdict.mean_difference == pytest.approx(19.3)


@both
def test_the_scale_used_backwards_fails_though_p_is_low(
    pair_frame: PairFrame, vector: Any, check: Check
) -> None:
    backwards = pair_frame(vector.degraded, vector.base, vector.first, vector.second)
    forwards = pair_frame(vector.base, vector.degraded, vector.first, vector.second)

    verdict = check.run(backwards, CheckSettings())[0]

    assert verdict.verdict == "fail"
    assert verdict.p_value == check.run(forwards, CheckSettings())[0].p_value
    assert "below 0.05); degraded copies were not rated lower" in verdict.reason


@both
def test_differences_that_cancel_out_fail(pair_frame: PairFrame, check: Check) -> None:
    # 0.1 + 0.2 - 0.3 is not quite 0 in floating point.
    frame = pair_frame([50.1, 50.2, 49.7] * 4, [50] * 12, [50] * 6, [50] * 5 + [50.01])

    verdict = check.run(frame, CheckSettings())[0]

    assert verdict.verdict == "fail"
    assert verdict.p_value is not None
    assert verdict.p_value < 0.05


@both
@pytest.mark.parametrize("n", [0, 1, 4])
def test_fewer_than_five_repeats_are_insufficient(
    pair_frame: PairFrame, vector: Any, check: Check, n: int
) -> None:
    frame = pair_frame(vector.base, vector.degraded, vector.first[:n], vector.second[:n])

    verdict = check.run(frame, CheckSettings())[0]

    assert (verdict.verdict, verdict.n_pairs) == ("insufficient", 10)
    assert verdict.reason.startswith(f"Only {n} repeat pair")


@both
def test_fewer_than_five_degraded_pairs_are_insufficient(
    pair_frame: PairFrame, vector: Any, check: Check
) -> None:
    frame = pair_frame(vector.base[:4], vector.degraded[:4], vector.first, vector.second)

    verdict = check.run(frame, CheckSettings())[0]

    assert (verdict.verdict, verdict.n_pairs) == ("insufficient", 4)


@both
def test_rating_copies_exactly_as_their_bases_fails_with_p_1(
    pair_frame: PairFrame, vector: Any, check: Check
) -> None:
    frame = pair_frame(vector.base, vector.base, vector.first, vector.second)

    verdict = check.run(frame, CheckSettings())[0]

    assert (verdict.verdict, verdict.p_value, verdict.statistic) == ("fail", 1.0, None)
