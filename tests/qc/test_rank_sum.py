from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import mannwhitneyu

from steelyard.domain.result import CheckSettings
from steelyard.qc.rank_sum import CHECK

PairFrame = Callable[..., pl.DataFrame]


@pytest.fixture
def without_bases(pair_frame: PairFrame, vector: Any) -> pl.DataFrame:
    """Ten regular items, ten degraded ones that belong to none of them, and repeats of five more."""
    frame = pair_frame(vector.base, vector.degraded, vector.first[:5], vector.second[:5])
    stray = pl.when(pl.col("item_kind") == "degraded").then(pl.lit("bad")).otherwise("system_id")
    return frame.with_columns(system_id=stray)


def test_the_specified_vector_passes_with_its_numbers(pair_frame: PairFrame, vector: Any) -> None:
    verdict = CHECK.run(pair_frame(vector.base, vector.degraded), CheckSettings())[0]

    # Test vector 1 of the methods specification.
    assert (verdict.verdict, verdict.n_pairs, verdict.statistic) == ("pass", 10, 84.5)
    assert verdict.p_value == pytest.approx(0.005011958, abs=5e-10)
    assert verdict.mean_difference == pytest.approx(19.3)


def test_regular_items_that_are_no_bases_do_not_count_where_bases_are_known(
    pair_frame: PairFrame, vector: Any
) -> None:
    with_others = pair_frame(vector.base, vector.degraded, [0.0] * 9, [0.0] * 9)

    found = CHECK.run(with_others, CheckSettings())[0]

    assert found.p_value == CHECK.run(pair_frame(vector.base, vector.degraded), CheckSettings())[0].p_value


class TestWithoutBases:
    """No degraded item of the frame has a base."""

    def test_all_regular_ratings_are_compared_with(self, without_bases: pl.DataFrame, vector: Any) -> None:
        verdict = CHECK.run(without_bases, CheckSettings())[0]

        others = [*vector.base, *vector.first[:5]]
        expected = mannwhitneyu(vector.degraded, others, alternative="less", method="asymptotic")
        assert verdict.p_value == pytest.approx(expected.pvalue, rel=1e-10)
        assert verdict.n_pairs == 10

    def test_the_difference_is_that_of_the_two_means(self, without_bases: pl.DataFrame, vector: Any) -> None:
        verdict = CHECK.run(without_bases, CheckSettings())[0]

        others = np.mean([*vector.base, *vector.first[:5]])
        assert verdict.mean_difference == pytest.approx(others - np.mean(vector.degraded))
        assert (verdict.sd_difference, verdict.power) == (None, None)

    def test_the_reason_says_so(self, without_bases: pl.DataFrame) -> None:
        reason = CHECK.run(without_bases, CheckSettings())[0].reason

        # Means: 708 + 354 over 15 is 70.8; 515 over 10 is 51.5.
        assert reason.startswith(
            "10 ratings of degraded items, which have no bases here, were 19.3 points lower on average than "
            "the worker's 15 regular ones (p = "
        )

    def test_a_single_pair_of_anybody_brings_bases_back(self, without_bases: pl.DataFrame) -> None:
        pair = without_bases.filter(pl.col("segment_id") == "d0").with_columns(
            worker_id=pl.lit("W9"), system_id=pl.lit("A")
        )

        verdicts = CHECK.run(pl.concat([without_bases, pair]), CheckSettings())

        assert [(v.verdict, v.n_pairs) for v in verdicts] == [("insufficient", 0), ("insufficient", 1)]

    def test_a_constant_worker_fails_with_p_1(self, without_bases: pl.DataFrame) -> None:
        verdict = CHECK.run(without_bases.with_columns(rating=pl.lit(70.0)), CheckSettings())[0]

        assert (verdict.verdict, verdict.p_value) == ("fail", 1.0)
        assert "no lower on average than" in verdict.reason

    @pytest.mark.parametrize(("kind", "word"), [("degraded", "degraded item"), ("regular", "regular item")])
    def test_fewer_than_five_ratings_of_either_sort_are_insufficient(
        self, without_bases: pl.DataFrame, kind: str, word: str
    ) -> None:
        is_kind = pl.col("item_kind") == kind
        few = pl.concat([without_bases.filter(~is_kind), without_bases.filter(is_kind).head(4)])

        verdict = CHECK.run(few, CheckSettings())[0]

        assert verdict.verdict == "insufficient"
        assert verdict.reason.startswith(f"Only 4 {word}s were judged")
