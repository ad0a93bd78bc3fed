from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from steelyard.aggregation.mean_rating import METHOD
from steelyard.domain.result import Fit, MethodSettings, Unit
from steelyard.frames import ratings_frame


def _fit(unit: Unit) -> Fit:
    rows = [("w", "A", "1", 10.0), ("w", "A", "1", 20.0), ("v", "A", "1", 90.0), ("v", "A", "2", 60.0)]
    names = ["worker_id", "system_id", "segment_id", "rating"]
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        hit_id=pl.lit("h"), item_kind=pl.lit("regular"), attribute=pl.lit("")
    )
    return METHOD.fit(ratings_frame(frame), MethodSettings(unit=unit, draws=0), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("unit", "score"),
    # Segment 1: judgements 10, 20, 90, or workers 15 and 90; segment 2: 60.
    [("judgement", (40 + 60) / 2), ("worker", (52.5 + 60) / 2), ("flat", 45.0)],
)
def test_the_unit_decides_what_is_averaged(unit: Unit, score: float) -> None:
    fit = _fit(unit)

    assert fit.systems["score"].item() == pytest.approx(score)


@pytest.mark.parametrize("unit", ["judgement", "worker", "flat"])
def test_score_and_mean_rating_are_the_same_thing(unit: Unit) -> None:
    fit = _fit(unit)

    assert fit.systems["score"].item() == fit.systems["mean_rating"].item()


def test_segments_carry_the_deviation_of_their_ratings() -> None:
    fit = _fit("judgement")

    # 10, 20, 90 about 40: (900 + 400 + 2500) / 2; a single rating has none.
    assert fit.segments["sd"].to_list() == [pytest.approx(np.sqrt(1900)), None]
    assert fit.segments["n"].to_list() == [3, 1]


def test_without_draws_there_is_no_interval() -> None:
    fit = _fit("judgement")

    assert fit.systems["lower"].to_list() == [None]
