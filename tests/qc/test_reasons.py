"""What verdicts say: people are paid or refused on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from steelyard.domain.result import CheckSettings
from steelyard.domain.scale import Scale
from steelyard.qc import checks

PairFrame = Callable[..., pl.DataFrame]
MIXED = [60, 40, 70, 30, 55, 45]


def _reason(check: str, frame: pl.DataFrame, settings: CheckSettings | None = None) -> str:
    return checks()[check].run(frame, settings or CheckSettings())[0].reason


def test_the_default_check_gives_its_numbers_in_one_sentence(pair_frame: PairFrame, vector: Any) -> None:
    assert _reason("paired-t", pair_frame(vector.base, vector.degraded)) == (
        "Over 10 pairs, degraded copies were rated 19.3 points lower on average (p = 0.00079, below 0.05)."
    )


def test_a_check_of_magnitudes_names_both_kinds_of_pairs(pair_frame: PairFrame, vector: Any) -> None:
    frame = pair_frame(vector.base, vector.degraded, vector.first, vector.second)

    assert _reason("welch", frame) == (
        "Ratings moved 19.5 points over 10 degraded pairs and 4.1 points over 10 repeat pairs on average "
        "(p = 0.0027, below 0.05)."
    )


def test_ratings_the_wrong_way_round_are_called_higher(pair_frame: PairFrame, vector: Any) -> None:
    assert "19.3 points higher" in _reason("paired-t", pair_frame(vector.degraded, vector.base))


def test_no_difference_is_called_no_lower(pair_frame: PairFrame) -> None:
    assert "rated no lower on average (p = 1, not below 0.05)" in _reason(
        "paired-t", pair_frame([50] * 8, [50] * 8)
    )


def test_a_p_value_beside_the_threshold_keeps_the_digits_that_tell(pair_frame: PairFrame) -> None:
    # All five differences are positive: p = 1/32 = 0.03125.
    settings = CheckSettings(threshold=0.0314)

    assert "(p = 0.03125, below 0.0314)" in _reason("paired-t", pair_frame([50] * 5, [40] * 5), settings)


@pytest.mark.parametrize("check", ["paired-t", "signed-rank", "rank-sum"])
@pytest.mark.parametrize(("top", "scale"), [(100, Scale(0, 100)), (5, Scale(1, 5))])
def test_pairs_at_the_top_of_the_scale_are_mentioned(
    pair_frame: PairFrame, check: str, top: int, scale: Scale
) -> None:
    # Six of eleven pairs.
    frame = pair_frame([top] * 6 + [4, 3, 4, 2, 3], [top] * 6 + [3, 4, 2, 4, 2])

    reason = _reason(check, frame, CheckSettings(scale=scale))

    assert f"55 % of the pairs were rated {top} twice" in reason


def test_half_of_the_pairs_at_the_top_are_not_mentioned(pair_frame: PairFrame) -> None:
    frame = pair_frame([100] * 4 + [90, 80, 70, 60], [100] * 4 + [80, 90, 70, 60])

    assert "twice" not in _reason("paired-t", frame)


@pytest.mark.parametrize("check", ["paired-t", "signed-rank"])
def test_a_fail_says_how_little_the_check_could_have_found(pair_frame: PairFrame, check: str) -> None:
    # Repeats that differ by 40 and -40 in turn.
    frame = pair_frame(MIXED, MIXED[::-1], [50] * 6, [90, 10] * 3)

    verdict = checks()[check].run(frame, CheckSettings())[0]

    assert verdict.verdict == "fail"
    assert verdict.power is not None
    assert verdict.reason.endswith(
        " With this worker's own scatter the check would find a drop of 20 points "
        f"in {int(100 * verdict.power)} % of cases."
    )


@pytest.mark.parametrize("check", ["welch", "mann-whitney", "rank-sum"])
def test_a_fail_is_silent_about_power_that_is_another_tests(pair_frame: PairFrame, check: str) -> None:
    frame = pair_frame(MIXED, MIXED[::-1], [50] * 6, [90, 10] * 3)

    verdict = checks()[check].run(frame, CheckSettings())[0]

    assert (verdict.verdict, verdict.power) == ("fail", None)
    assert "scatter" not in verdict.reason


def test_a_drop_on_a_short_scale_is_told_in_its_points(pair_frame: PairFrame) -> None:
    frame = pair_frame([3, 4, 2, 3, 4], [4, 3, 3, 2, 4], [3] * 5, [1, 5, 2, 4, 3])

    reason = _reason("paired-t", frame, CheckSettings(scale=Scale(1, 5)))

    assert "a drop of 0.8 points" in reason


@pytest.mark.parametrize(
    "second",
    [[50.5, 49.5] * 3, []],
    ids=["a check that would have found it", "no repeats"],
)
def test_a_fail_is_silent_about_power_that_is_good_or_unknown(
    pair_frame: PairFrame, second: list[float]
) -> None:
    frame = pair_frame(MIXED, MIXED[::-1], [50] * len(second), second)

    assert "scatter" not in _reason("paired-t", frame)


def test_a_pass_is_silent_about_power(pair_frame: PairFrame, vector: Any) -> None:
    frame = pair_frame(vector.base, vector.degraded, [50] * 6, [90, 10] * 3)

    assert "scatter" not in _reason("paired-t", frame)
