"""Weighted voting: workers count by their agreement with gold, or with each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.weighted_vote import METHOD, WeightedVoteSettings
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit
from steelyard.domain.scale import VAS, Scale

FrameOf = Callable[..., pl.DataFrame]


def _fit(frame: pl.DataFrame, **settings: object) -> Fit:
    chosen = WeightedVoteSettings(**({"scale": Scale(1, 4), "draws": 0} | settings))  # type: ignore[arg-type]
    return METHOD.fit(frame, chosen, np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.segments.select("segment_id", "score").iter_rows())


def _weights(fit: Fit) -> dict[str, float | None]:
    return dict(fit.workers.select("worker_id", "weight").iter_rows())


@pytest.fixture
def voters(frame_of: FrameOf) -> pl.DataFrame:
    """Gold is 2 four times: one worker always agrees, one half of the time, one never."""
    gold = {"always": [2, 2, 2, 2], "half": [2, 1, 3, 2], "never": [1, 3, 4, 1]}
    rest = {"always": 1, "half": 4, "never": 4, "late": 2}
    return frame_of(
        [
            *((worker, f"g{k}", said[k], 2.0) for worker, said in gold.items() for k in range(4)),
            *((worker, "s", rating, None) for worker, rating in rest.items()),
        ]
    )


def test_workers_vote_with_their_agreement_with_gold(voters: pl.DataFrame) -> None:
    fit = _fit(voters)

    assert _weights(fit) == {"always": 1, "half": 0.5, "late": None, "never": 0}
    assert _scores(fit)["s"] == pytest.approx((1 * 1 + 0.5 * 4) / 1.5)
    assert fit.workers["offset"].null_count() == 4


def test_who_has_no_weight_is_not_counted_and_told(voters: pl.DataFrame) -> None:
    fit = _fit(voters)

    assert set(fit.segments["n"]) == {2}
    assert fit.warnings[:2] == (
        "1 worker judged no gold item: 1 judgement is left out (without_gold: shrunk gives them the mean "
        "weight).",
        "1 worker never agreed with the gold: 5 judgements are left out.",
    )


def test_those_without_gold_may_have_the_mean_weight(voters: pl.DataFrame) -> None:
    fit = _fit(voters, without_gold="shrunk")

    # The mean of 1, 0.5 and 0 is 0.5; with four gold items each (4 w + 2.5) / 9.
    assert _weights(fit) == pytest.approx({"always": 6.5 / 9, "half": 0.5, "late": 0.5, "never": 2.5 / 9})
    votes = {1: 6.5 / 9, 4: 0.5 + 2.5 / 9, 2: 0.5}
    assert _scores(fit)["s"] == pytest.approx(sum(r * w for r, w in votes.items()) / sum(votes.values()))


def test_on_a_line_ratings_agree_in_the_same_fifth_of_it(frame_of: FrameOf) -> None:
    frame = frame_of(
        [("w", "g1", 41, 59.0), ("w", "g2", 59, 61.0), ("v", "g1", 59, 59.0), ("v", "g2", 61, 61.0)]
    )

    assert _weights(_fit(frame, scale=VAS)) == {"v": 1, "w": 0.5}


def test_workers_may_vote_with_their_agreement_with_others(frame_of: FrameOf) -> None:
    # Two items: a, b, c say 1 1 2 and 3 3 3.
    said = {"a": (1, 3), "b": (1, 3), "c": (2, 3)}
    frame = frame_of([(w, f"s{k}", r, None) for w, ratings in said.items() for k, r in enumerate(ratings)])

    fit = _fit(frame, vote_by="others")

    # a and b: 1 of 2 and 2 of 2 pairs; c: 0 of 2 and 2 of 2.
    assert _weights(fit) == {"a": 0.75, "b": 0.75, "c": 0.5}
    assert _scores(fit) == pytest.approx({"s0": (1.5 * 1 + 0.5 * 2) / 2, "s1": 3})


def test_votes_by_others_need_no_gold_but_common_translations(frame_of: FrameOf) -> None:
    apart = frame_of([("a", "s0", 1, None), ("b", "s1", 2, None)])

    with pytest.raises(NotEnoughData, match="weighted-vote: no translation was judged by two workers"):
        _fit(apart, vote_by="others")


def test_who_shares_no_translation_with_others_is_left_out_of_their_vote(frame_of: FrameOf) -> None:
    frame = frame_of([("a", "s0", 1, None), ("b", "s0", 1, None), ("c", "s1", 2, None)])

    fit = _fit(frame, vote_by="others")

    assert _weights(fit) == {"a": 1, "b": 1, "c": None}
    assert fit.warnings[0] == ("1 worker judged no translation that others judged: 1 judgement is left out.")
    assert "1 of 2 translations has no judgement left and no score." in fit.warnings


def test_a_single_gold_showing_is_told(frame_of: FrameOf) -> None:
    frame = frame_of([("a", "g1", 1, 1.0), ("a", "g2", 1, 1.0), ("b", "g1", 1, 1.0)])

    assert "1 worker judged a single gold item: their weight rests on one rating." in _fit(frame).warnings


def test_enough_gold_is_not_spoken_of(frame_of: FrameOf) -> None:
    frame = frame_of([(w, f"g{k}", 1 + k % 4, 1.0 + k % 4) for w in "ab" for k in range(12)])

    assert _fit(frame).warnings == ()


def test_a_short_scale_taken_for_a_line_is_told(frame_of: FrameOf) -> None:
    frame = frame_of([(f"w{w}", f"g{k}", 1 + (k + w) % 5, 1.0 + k % 5) for w in range(5) for k in range(20)])

    warnings = _fit(frame, scale=VAS).warnings

    assert any("All ratings lie between 1 and 5, on a scale from 0 to 100" in text for text in warnings)
    assert not any("All ratings" in text for text in _fit(frame, scale=Scale(1, 5)).warnings)
