"""Means without the workers who agree least with others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation import methods
from steelyard.aggregation.remove_judges import METHOD
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.scale import VAS, Scale

FrameOf = Callable[..., pl.DataFrame]
SETTINGS = MethodSettings(scale=Scale(1, 4), draws=40)


def _fit(frame: pl.DataFrame, settings: MethodSettings = SETTINGS) -> Fit:
    return METHOD.fit(frame, settings, np.random.default_rng(7))


def _weights(fit: Fit) -> dict[str, float | None]:
    return dict(fit.workers.select("worker_id", "weight").iter_rows())


@pytest.fixture
def crowd(frame_of: FrameOf) -> pl.DataFrame:
    """Three segments: a and b always agree, c once with them, d never with anybody."""
    said = {"a": (1, 2, 3), "b": (1, 2, 3), "c": (1, 3, 4), "d": (4, 4, 1)}
    return frame_of([(w, f"s{k}", r, None) for w, ratings in said.items() for k, r in enumerate(ratings)])


def test_workers_below_the_best_threshold_are_dropped(crowd: pl.DataFrame) -> None:
    fit = _fit(crowd)

    # Of 9 pairs each a and b agree in 3 + 1, c in 2, d in none; a and b alone agree always.
    assert _weights(fit) == {"a": 1, "b": 1, "c": 0, "d": 0}
    assert fit.warnings == (
        "2 workers agreed with others in less than 44.4 % of pairs: 6 judgements are left out.",
    )


def test_scores_are_those_of_the_others_ratings(crowd: pl.DataFrame) -> None:
    fit = _fit(crowd)

    kept = crowd.filter(pl.col("worker_id").is_in(["a", "b"]))
    plain = methods()["mean-rating"].fit(kept, SETTINGS, np.random.default_rng(7))
    assert fit.systems.equals(plain.systems)
    assert fit.segments.equals(plain.segments)


def test_a_translation_that_only_the_odd_one_judged_keeps_its_judgement(
    crowd: pl.DataFrame, frame_of: FrameOf
) -> None:
    fit = _fit(pl.concat([crowd, frame_of([("d", "s9", 2, None)])]))

    assert _weights(fit) == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert "s9" in fit.segments["segment_id"]


def test_who_cannot_be_compared_stays_and_is_told(crowd: pl.DataFrame, frame_of: FrameOf) -> None:
    fit = _fit(pl.concat([crowd, frame_of([("alone", "s9", 2, None)])]))

    assert _weights(fit) == {"a": 1, "alone": 1, "b": 1, "c": 0, "d": 0}
    assert fit.warnings[1] == "1 worker judged no translation that others judged, and stayed."


def test_systems_and_attributes_are_not_mixed(crowd: pl.DataFrame) -> None:
    # The other system, and the other attribute, have the same segments with other ratings.
    turned = crowd.with_columns(rating=5 - pl.col("rating"))
    both = pl.concat(
        [crowd, turned.with_columns(system_id=pl.lit("b")), turned.with_columns(attribute=pl.lit("x"))]
    )

    assert _weights(_fit(both)) == _weights(_fit(crowd))


def test_controls_tell_nothing_of_agreement(crowd: pl.DataFrame) -> None:
    controls = crowd.with_columns(item_kind=pl.lit("degraded"), rating=pl.lit(1.0))

    assert _weights(_fit(pl.concat([crowd, controls]))) == _weights(_fit(crowd))


def test_on_a_line_ratings_agree_in_the_same_fifth_of_it(frame_of: FrameOf) -> None:
    said = {"a": (1, 30, 99), "b": (19, 39, 81), "c": (21, 30, 70)}
    frame = frame_of([(w, f"s{k}", r, None) for w, ratings in said.items() for k, r in enumerate(ratings)])

    assert _weights(_fit(frame, MethodSettings(scale=VAS))) == {"a": 1, "b": 1, "c": 0}


def test_without_common_translations_it_says_what_to_do(frame_of: FrameOf) -> None:
    apart = frame_of([("a", "s0", 1, None), ("b", "s1", 2, None)])

    with pytest.raises(NotEnoughData, match=r"remove-judges: .*Use method=.mean-rating"):
        _fit(apart)
