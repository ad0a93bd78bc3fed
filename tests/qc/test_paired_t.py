from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import CheckSettings
from steelyard.domain.scale import Scale
from steelyard.qc.paired_t import CHECK
from steelyard.stats.paired_tests import paired_t_by_group

PairFrame = Callable[..., pl.DataFrame]


def test_the_specified_vector_passes_with_its_numbers(pair_frame: PairFrame, vector: Any) -> None:
    verdict = CHECK.run(pair_frame(vector.base, vector.degraded), CheckSettings())[0]

    # Test vector 1 of the methods specification; differences sum to 193.
    assert (verdict.verdict, verdict.n_pairs) == ("pass", 10)
    assert verdict.mean_difference == pytest.approx(19.3)
    assert verdict.statistic == pytest.approx(4.461641, abs=5e-7)
    assert verdict.p_value == pytest.approx(0.000786762, abs=5e-10)


def test_pairs_of_all_hits_of_a_worker_are_pooled(pair_frame: PairFrame, vector: Any) -> None:
    in_three, in_one = (pair_frame(vector.base, vector.degraded, hits=hits) for hits in (3, 1))

    assert CHECK.run(in_three, CheckSettings()) == CHECK.run(in_one, CheckSettings())


def test_attributes_are_matched_each_with_its_own(pair_frame: PairFrame, vector: Any) -> None:
    frame = pair_frame(vector.base, vector.degraded)
    halves = frame.with_columns(
        attribute=pl.when(pl.col("segment_id") < "d5").then(pl.lit("fluency")).otherwise(pl.lit("adequacy")),
        # Same segments under both attributes.
        segment_id=pl.format("d{}", pl.col("segment_id").str.slice(1).cast(pl.Int64) % 5),
    )

    # Five texts, each with a pair of ratings for either attribute.
    assert CHECK.run(halves, CheckSettings())[0].mean_difference == pytest.approx(19.3)
    assert CHECK.run(halves, CheckSettings())[0].n_pairs == 5


def test_a_control_never_pairs_with_a_base_of_another_hit(pair_frame: PairFrame, vector: Any) -> None:
    frame = pair_frame(vector.base, vector.degraded)
    elsewhere = frame.with_columns(
        hit_id=pl.when(pl.col("item_kind") == "degraded").then(pl.lit("other")).otherwise("hit_id")
    )

    assert CHECK.run(elsewhere, CheckSettings())[0].n_pairs == 0


@pytest.mark.parametrize("n", [0, 1, 4])
def test_fewer_than_five_pairs_are_insufficient(pair_frame: PairFrame, vector: Any, n: int) -> None:
    frame = pair_frame([80, *vector.base][: n + 1], vector.degraded[:n])

    verdict = CHECK.run(frame, CheckSettings())[0]

    assert (verdict.verdict, verdict.n_pairs) == ("insufficient", n)
    assert verdict.reason.startswith(f"Only {n} degraded pair")


def test_always_the_same_drop_is_judged_by_its_sign(pair_frame: PairFrame) -> None:
    verdict = CHECK.run(pair_frame([50] * 5, [40] * 5), CheckSettings())[0]

    assert (verdict.verdict, verdict.p_value, verdict.sd_difference) == ("pass", 2**-5, 0.0)


@pytest.mark.parametrize(("included", "expected"), [(False, "fail"), (True, "pass")])
def test_a_p_value_at_the_threshold_passes_only_if_included(
    pair_frame: PairFrame, included: bool, expected: str
) -> None:
    settings = CheckSettings(threshold=2**-5, threshold_included=included)

    assert CHECK.run(pair_frame([50] * 5, [40] * 5), settings)[0].verdict == expected


def test_many_workers_at_once_get_the_numbers_of_each_alone(pair_frame: PairFrame) -> None:
    rng = np.random.default_rng(4)
    base, degraded = rng.integers(0, 101, (2, 30, 7))

    verdicts = CHECK.run(pair_frame(base, degraded), CheckSettings())

    differences = (base - degraded).astype(np.float64)
    alone = [paired_t_by_group(difference, np.array([7])) for difference in differences]
    np.testing.assert_allclose([v.p_value for v in verdicts], [t.p_value[0] for t in alone], rtol=1e-12)
    np.testing.assert_allclose([v.sd_difference for v in verdicts], [t.sd[0] for t in alone], rtol=1e-12)


class TestPower:
    """The chance that the check would have found a drop of a fifth of the scale."""

    @pytest.mark.parametrize(
        ("first", "second"),
        [([], []), ([50], [60])],
        ids=["no repeats", "one repeat"],
    )
    def test_it_is_unknown_without_two_repeats(
        self, pair_frame: PairFrame, vector: Any, first: Sequence[float], second: Sequence[float]
    ) -> None:
        frame = pair_frame(vector.base, vector.degraded, first, second)

        assert CHECK.run(frame, CheckSettings())[0].power is None

    def test_it_is_1_for_a_worker_who_repeats_exactly(self, pair_frame: PairFrame, vector: Any) -> None:
        frame = pair_frame(vector.base, vector.degraded, vector.first, vector.first)

        assert CHECK.run(frame, CheckSettings())[0].power == 1.0

    def test_it_is_the_share_of_simulated_workers_who_pass(self, pair_frame: PairFrame) -> None:
        rng = np.random.default_rng(8)
        # Repeats that differ by 25 and -25 in turn: their deviation is 25 * sqrt(8 / 7) = 26.73.
        second = [50 + 25 * (-1) ** k for k in range(8)]
        told = CHECK.run(pair_frame([50] * 6, [50] * 6, [50] * 8, second), CheckSettings())[0].power
        drops = rng.normal(20, 25 * np.sqrt(8 / 7), (4000, 6))

        verdicts = CHECK.run(pair_frame(drops, np.zeros((4000, 6))), CheckSettings())

        # Four standard errors of a share of about a half in 4000: 0.032.
        assert told == pytest.approx(np.mean([v.verdict == "pass" for v in verdicts]), abs=0.032)

    def test_it_is_about_a_fifth_of_whatever_scale(self, pair_frame: PairFrame, vector: Any) -> None:
        frame = pair_frame(vector.base, vector.degraded, vector.first, vector.second)
        halved = frame.with_columns(pl.col("rating") / 2)

        of_50 = CHECK.run(halved, CheckSettings(scale=Scale(0, 50)))[0].power

        assert of_50 == pytest.approx(CHECK.run(frame, CheckSettings())[0].power)
