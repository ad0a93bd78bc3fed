"""Means without the judgements that lie far from those of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.remove_judgements import METHOD
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.scale import VAS, Scale

FrameOf = Callable[..., pl.DataFrame]


def _fit(frame: pl.DataFrame, scale: Scale = Scale(1, 4)) -> Fit:  # noqa: B008 (frozen)
    return METHOD.fit(frame, MethodSettings(scale=scale, draws=40), np.random.default_rng(7))


def _scores(fit: Fit) -> dict[str, float]:
    return dict(fit.segments.select("segment_id", "score").iter_rows())


def test_judgements_beyond_the_best_threshold_are_dropped(frame_of: FrameOf) -> None:
    said = {"s0": (1, 1, 4), "s1": (2, 3, 3, 3)}
    frame = frame_of([("abcd"[k], s, r, None) for s, ratings in said.items() for k, r in enumerate(ratings)])

    fit = _fit(frame)

    # Means 2 and 2.75; distances 1 1 2 and 0.75 0.25 0.25 0.25. At 1 the 4 goes: 1 of 1 and 3 of 6 pairs
    # agree, against 1 of 3 and 3 of 6 at 2; below 1 nothing of s0 would be left.
    assert _scores(fit) == {"s0": 1, "s1": 2.75}
    assert fit.segments["n"].to_list() == [2, 4]
    assert fit.warnings == (
        "1 judgement further than 1.00 points from the mean of the translation is left out.",
    )


def test_nothing_is_said_of_workers(frame_of: FrameOf) -> None:
    fit = _fit(frame_of([("a", "s", 1, None), ("b", "s", 1, None), ("c", "s", 4, None)]))

    assert fit.workers.select("offset", "weight").null_count().row(0) == (3, 3)


def test_if_all_agree_nothing_is_dropped(frame_of: FrameOf) -> None:
    fit = _fit(frame_of([(w, f"s{k}", 1 + k % 4, None) for w in "abc" for k in range(12)]))

    assert fit.systems["n_judgements"].to_list() == [36]
    assert fit.warnings == ()


def test_a_mean_is_that_of_the_translation_not_of_the_segment(frame_of: FrameOf) -> None:
    rows = [("a", "s", 1, None), ("b", "s", 1, None), ("c", "s", 1, None)]
    frame = pl.concat([frame_of(rows), frame_of([(w, s, 4, g) for w, s, _, g in rows], system_id="b")])

    fit = _fit(frame)

    assert dict(fit.systems.select("system_id", "score").iter_rows()) == {"a": 1, "b": 4}
    assert fit.warnings == ()


def test_scores_that_fall_into_one_category_are_told(frame_of: FrameOf) -> None:
    # Thirteen of fifteen translations end at 3, as in the published study most did.
    ends = [*([3] * 13), 1, 4]
    frame = frame_of([(w, f"s{k}", r, None) for w in "abc" for k, r in enumerate(ends)])

    assert _fit(frame).warnings == (
        "86 % of the scores are 3 when rounded: they hardly distinguish translations.",
    )


def test_so_are_scores_in_one_fifth_of_a_line(frame_of: FrameOf) -> None:
    frame = frame_of([(w, f"s{k}", 41 + k, None) for w in "abc" for k in range(12)])

    assert _fit(frame, VAS).warnings == (
        "100 % of the scores lie between 40 and 60: they hardly distinguish translations.",
    )


@pytest.mark.parametrize("n", [12, 4])
def test_categories_are_looked_at_only_where_scores_are_many_and_alike(frame_of: FrameOf, n: int) -> None:
    ends = [3] * (n - 3) + [1, 2, 4] if n > 10 else [3] * n
    frame = frame_of([(w, f"s{k}", r, None) for w in "abc" for k, r in enumerate(ends)])

    # Nine of twelve are not more than 80 %.
    assert _fit(frame).warnings == ()


def test_without_common_translations_it_says_what_to_do(frame_of: FrameOf) -> None:
    with pytest.raises(NotEnoughData, match=r"remove-judgements: .*Use method=.mean-rating"):
        _fit(frame_of([("a", "s0", 1, None), ("b", "s1", 2, None)]))
