from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import CheckSettings
from steelyard.qc.signed_rank import CHECK

PairFrame = Callable[..., pl.DataFrame]


def test_the_specified_vector_passes_with_its_numbers(pair_frame: PairFrame, vector: Any) -> None:
    verdict = CHECK.run(pair_frame(vector.base, vector.degraded), CheckSettings())[0]

    # Test vector 1 of the methods specification: only rank 1 is negative, as in 2 of 1024 patterns of signs.
    assert (verdict.verdict, verdict.n_pairs) == ("pass", 10)
    assert (verdict.statistic, verdict.p_value) == (54.0, 0.001953125)
    assert verdict.mean_difference == pytest.approx(19.3)


@pytest.mark.parametrize(("n_different", "expected"), [(1, "insufficient"), (4, "insufficient"), (5, "pass")])
def test_pairs_rated_alike_do_not_count(pair_frame: PairFrame, n_different: int, expected: str) -> None:
    degraded = [50 - k for k in range(1, n_different + 1)] + [50] * (10 - n_different)

    verdict = CHECK.run(pair_frame([50] * 10, degraded), CheckSettings())[0]

    assert (verdict.verdict, verdict.n_pairs) == (expected, 10)
    assert (f"Only {n_different} of 10" in verdict.reason) == (expected == "insufficient")


def test_rating_all_pairs_alike_fails_with_p_1(pair_frame: PairFrame, vector: Any) -> None:
    verdict = CHECK.run(pair_frame(vector.base, vector.base), CheckSettings())[0]

    assert (verdict.verdict, verdict.p_value) == ("fail", 1.0)


def test_rating_four_pairs_alike_is_insufficient(pair_frame: PairFrame) -> None:
    assert CHECK.run(pair_frame([50] * 4, [50] * 4), CheckSettings())[0].verdict == "insufficient"


def test_always_the_same_drop_is_judged_by_its_sign(pair_frame: PairFrame) -> None:
    verdict = CHECK.run(pair_frame([50] * 5, [40] * 5), CheckSettings())[0]

    assert (verdict.verdict, verdict.p_value) == ("pass", 2**-5)


def test_power_is_close_to_the_share_of_simulated_workers_who_pass(pair_frame: PairFrame) -> None:
    rng = np.random.default_rng(9)
    # Repeats that differ by 25 and -25 in turn: their deviation is 25 * sqrt(20 / 19).
    second = [50 + 25 * (-1) ** k for k in range(20)]
    told = CHECK.run(pair_frame([50] * 20, [50] * 20, [50] * 20, second), CheckSettings())[0].power
    drops = rng.normal(20, 25 * np.sqrt(20 / 19), (2000, 20))

    verdicts = CHECK.run(pair_frame(drops, np.zeros((2000, 20))), CheckSettings())

    # A signed-rank test is as good as a t-test on 3 / pi = 95 % of the pairs, the share's error 0.006.
    assert told == pytest.approx(np.mean([v.verdict == "pass" for v in verdicts]), abs=0.04)
