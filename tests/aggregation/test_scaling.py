"""Scaling: every worker's ratings shifted to the mean of the gold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation._gold import WithoutGold
from steelyard.aggregation.scaling import METHOD, ScalingSettings
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit
from steelyard.domain.scale import Scale

FrameOf = Callable[..., pl.DataFrame]


def _fit(frame: pl.DataFrame, *, without_gold: WithoutGold = "exclude") -> Fit:
    settings = ScalingSettings(scale=Scale(1, 4), draws=0, without_gold=without_gold)
    return METHOD.fit(frame, settings, np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.segments.select("segment_id", "score").iter_rows())


def _offsets(fit: Fit) -> dict[str, float | None]:
    return dict(fit.workers.select("worker_id", "offset").iter_rows())


def test_ratings_are_shifted_by_the_mean_distance_from_gold(four_points: pl.DataFrame) -> None:
    fit = _fit(four_points)

    # Gold less rating: exact 0, 0; high -1, -1; wild -3, 2. An offset is how much a worker is above.
    assert _offsets(fit) == {"exact": 0, "high": 1, "late": None, "wild": 0.5}
    # s1: 2, 3 - 1, 4 - 0.5. g1: 1, 2 - 1, 4 - 0.5.
    assert _scores(fit)["s1"] == pytest.approx((2 + 2 + 3.5) / 3)
    assert _scores(fit)["g1"] == pytest.approx((1 + 1 + 3.5) / 3)


def test_everyone_counts_the_same_and_has_no_weight(four_points: pl.DataFrame) -> None:
    fit = _fit(four_points)

    assert fit.segments["n"].to_list() == [3, 3, 3, 3]
    assert fit.workers["weight"].null_count() == 4


def test_shifted_ratings_are_neither_rounded_nor_cut_off(frame_of: FrameOf) -> None:
    frame = frame_of([("w", "g1", 1, 2.0), ("w", "g2", 3, 3.5), ("w", "s", 4, None)])

    assert _scores(_fit(frame))["s"] == 4.75


def test_raw_means_stay_raw(four_points: pl.DataFrame) -> None:
    raw = dict(_fit(four_points).segments.select("segment_id", "mean_rating").iter_rows())

    assert raw["s1"] == pytest.approx((2 + 3 + 4) / 3)


def test_those_without_gold_may_be_shifted_as_the_others_on_average(four_points: pl.DataFrame) -> None:
    fit = _fit(four_points, without_gold="shrunk")

    # Offsets 0, 1 and 0.5 have the mean 0.5; of two gold items each (2 x + 5 * 0.5) / 7.
    assert _offsets(fit) == pytest.approx({"exact": 2.5 / 7, "high": 4.5 / 7, "late": 0.5, "wild": 0.5})
    shifted = [2 - 2.5 / 7, 3 - 4.5 / 7, 4 - 0.5, 1 - 0.5]
    assert _scores(fit)["s1"] == pytest.approx(np.mean(shifted))


def test_who_judged_no_gold_is_told(four_points: pl.DataFrame) -> None:
    assert _fit(four_points).warnings[0] == (
        "1 worker judged no gold item: 2 judgements are left out (without_gold: shrunk shifts them as the "
        "others on average)."
    )


def test_a_single_gold_showing_is_fine_but_told(frame_of: FrameOf) -> None:
    frame = frame_of([("v", "g1", 1, 2.0), ("w", "g2", 3, 2.0), ("v", "s", 2, None), ("w", "s", 3, None)])

    fit = _fit(frame)

    assert _scores(fit)["s"] == pytest.approx((2 + 1 + 3 - 1) / 2)
    assert (
        "2 workers judged a single gold item: all their ratings are shifted by that one's difference."
        in fit.warnings
    )


@pytest.mark.parametrize("by", [-1.0, 0.25])
def test_a_worker_who_rates_everything_so_much_higher_changes_nothing(
    four_points: pl.DataFrame, by: float
) -> None:
    moved = pl.when(pl.col("worker_id") == "high").then(pl.col("rating") + by).otherwise("rating")

    assert _scores(_fit(four_points.with_columns(rating=moved))) == pytest.approx(_scores(_fit(four_points)))


def test_if_nobody_who_judged_systems_judged_gold_nothing_is_scored(frame_of: FrameOf) -> None:
    gold = frame_of([("expert", "g1", 1, 2.0), ("expert", "g2", 3, 2.0)], item_kind="gold")

    with pytest.raises(NotEnoughData, match="scaling: no judgement is left to score"):
        _fit(pl.concat([gold, frame_of([("w", "s", 2, None)])]))
