from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from steelyard.domain.result import Verdict
from steelyard.frames import ratings_frame
from steelyard.qc.paired_t import CHECK

BASE = [80, 65, 90, 70, 55, 75, 60, 85, 50, 78]
DEGRADED = [50, 60, 62, 71, 30, 40, 58, 49, 35, 60]


def _frame(base: Sequence[float], degraded: Sequence[float], *, hits: int = 1) -> pl.DataFrame:
    """One worker's bases and degraded copies, dealt over `hits` HITs."""
    rows = [
        {"item_kind": kind, "segment_id": f"s{i}", "hit_id": f"h{i % hits}", "rating": float(rating)}
        for kind, ratings in (("regular", base), ("degraded", degraded))
        for i, rating in enumerate(ratings)
    ]
    same = {"worker_id": pl.lit("W1"), "system_id": pl.lit("A"), "attribute": pl.lit("")}
    return ratings_frame(pl.DataFrame(rows, schema_overrides={"rating": pl.Float64}).with_columns(**same))


def _verdict(frame: pl.DataFrame, *, threshold: float = 0.05, included: bool = False) -> Verdict:
    return CHECK.run(frame, threshold, included)[0]


def test_the_specified_vector_passes_with_its_numbers() -> None:
    verdict = _verdict(_frame(BASE, DEGRADED))

    # Test vector 1 of the methods specification; differences sum to 193.
    assert (verdict.verdict, verdict.n_pairs) == ("pass", 10)
    assert verdict.mean_difference == pytest.approx(19.3)
    assert verdict.statistic == pytest.approx(4.461641, abs=5e-7)
    assert verdict.p_value == pytest.approx(0.000786762, abs=5e-10)


def test_pairs_of_all_hits_of_a_worker_are_pooled() -> None:
    assert _verdict(_frame(BASE, DEGRADED, hits=3)) == _verdict(_frame(BASE, DEGRADED))


def test_a_control_never_pairs_with_a_base_of_another_hit() -> None:
    frame = _frame(BASE, DEGRADED)
    elsewhere = frame.with_columns(
        hit_id=pl.when(pl.col("item_kind") == "degraded").then(pl.lit("other")).otherwise("hit_id")
    )

    assert _verdict(elsewhere).n_pairs == 0


@pytest.mark.parametrize("n", [0, 1, 4])
def test_fewer_than_five_pairs_are_insufficient(n: int) -> None:
    verdict = _verdict(_frame([80, *BASE][: n + 1], DEGRADED[:n]))

    assert (verdict.verdict, verdict.n_pairs) == ("insufficient", n)
    assert str(n) in verdict.reason


def test_using_the_scale_backwards_fails() -> None:
    verdict = _verdict(_frame(DEGRADED, BASE))

    assert verdict.verdict == "fail"
    assert "19.3 points higher" in verdict.reason


def test_rating_everything_alike_fails_with_p_1() -> None:
    verdict = _verdict(_frame([50] * 8, [50] * 8))

    assert (verdict.verdict, verdict.p_value, verdict.statistic) == ("fail", 1.0, None)


def test_always_the_same_drop_is_judged_by_its_sign() -> None:
    verdict = _verdict(_frame([50] * 5, [40] * 5))

    assert (verdict.verdict, verdict.p_value) == ("pass", 2**-5)


@pytest.mark.parametrize(("included", "expected"), [(False, "fail"), (True, "pass")])
def test_a_p_value_at_the_threshold_passes_only_if_included(included: bool, expected: str) -> None:
    verdict = _verdict(_frame([50] * 5, [40] * 5), threshold=2**-5, included=included)

    assert verdict.verdict == expected


def test_the_reason_gives_the_numbers_in_one_sentence() -> None:
    verdict = _verdict(_frame(BASE, DEGRADED))

    assert verdict.reason == (
        "Over 10 pairs, degraded copies were rated 19.3 points lower on average (p = 0.00079, below 0.05)."
    )


def test_pairs_at_the_top_of_the_scale_are_mentioned() -> None:
    verdict = _verdict(_frame([100] * 6 + [90, 80], [100] * 6 + [80, 90]))

    assert "75% of the pairs were rated 100 twice" in verdict.reason
