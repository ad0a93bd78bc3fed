from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.judged import Judged, judged
from steelyard.evaluation.settings import EvaluationSettings
from steelyard.evaluation.trial import TrialDraw, draw_trial

N_WORKERS = 10


@pytest.fixture(scope="module")
def crowd(noisy: pl.DataFrame) -> Judged:
    return judged(noisy)


def _draw(crowd: Judged, seed: int = 1, **choices: object) -> TrialDraw:
    settings = replace(EvaluationSettings(), **choices)
    return draw_trial(crowd, settings, np.random.default_rng(seed))


@given(seed=st.integers(0, 10_000), ratings=st.integers(1, 7))
def test_so_many_workers_ratings_of_every_item_are_drawn(crowd: Judged, seed: int, ratings: int) -> None:
    draw = _draw(crowd, seed, truth="rest")

    rows = draw.rows(crowd, ratings)

    items = crowd.opinion_item[crowd.opinion[rows & crowd.is_scored]]
    assert np.bincount(items, minlength=crowd.n_items).tolist() == [ratings] * crowd.n_items


@pytest.mark.parametrize(("share", "n"), [(0.5, 5), (0.3, 3), (0.25, 3), (0.01, 1), (0.99, 9)])
def test_the_share_of_the_workers_is_drawn_from_but_never_nobody_or_everybody(
    crowd: Judged, share: float, n: int
) -> None:
    assert _draw(crowd, share=share).in_part.sum() == n


def test_larger_trials_contain_the_smaller_ones(crowd: Judged) -> None:
    draw = _draw(crowd)

    two, three = draw.rows(crowd, 2), draw.rows(crowd, 3)

    assert (three | ~two).all()
    assert three.sum() > two.sum()


def test_only_the_part_is_drawn_from(crowd: Judged) -> None:
    draw = _draw(crowd)

    rows = draw.rows(crowd, 2)

    assert draw.in_part[crowd.worker[rows]].all()


def test_a_degraded_copy_goes_where_its_base_goes(crowd: Judged) -> None:
    rows = _draw(crowd, truth="rest").rows(crowd, 2)

    for opinion in np.unique(crowd.opinion[~crowd.is_scored]):
        assert len(set(rows[crowd.opinion == opinion].tolist())) == 1


@pytest.mark.parametrize(("share", "n"), [(0.0, 0), (0.2, 1), (0.5, 3), (0.9, 5)])
def test_exactly_the_share_of_the_part_clicks(crowd: Judged, share: float, n: int) -> None:
    draw = _draw(crowd)

    clickers = draw.is_clicker(share)

    # Of five workers: 1, then 2.5 and 4.5 rounded upwards.
    assert clickers.sum() == n
    assert draw.in_part[clickers].all()


def test_nothing_but_the_ratings_of_clickers_is_replaced(crowd: Judged) -> None:
    draw = _draw(crowd)

    frame = draw.frame(crowd, 0.5)

    of_clickers = draw.is_clicker(0.5)[crowd.worker]
    given = frame["rating"].to_numpy()
    assert (given == crowd.rating)[~of_clickers].all()
    assert (given != crowd.rating)[of_clickers].mean() > 0.9
    assert frame.drop("rating").equals(crowd.frame.drop("rating"))


def test_a_third_of_the_clickers_each_click_anywhere_at_one_point_and_at_the_ends(crowd: Judged) -> None:
    draw = _draw(crowd, truth="rest")
    clickers = np.flatnonzero(draw.is_clicker(0.9))

    values = [set(draw.clicks[crowd.worker == worker].tolist()) for worker in clickers]

    assert len(values) == 9
    assert sum(len(found) == 1 for found in values) == 3
    assert sum(found == {0.0, 100.0} for found in values) == 3
    assert sum(len(found) > 10 for found in values) == 3


@pytest.mark.parametrize(("low", "high"), [(1, 5), (-100, 100)])
def test_clicks_are_whole_points_of_the_scale(crowd: Judged, low: int, high: int) -> None:
    analysis = AnalysisSettings(method_settings=MethodSettings(scale=Scale(low, high)))

    clicks = _draw(crowd, analysis=analysis).clicks

    assert (clicks == np.rint(clicks)).all()
    assert low <= clicks.min() < clicks.max() <= high


def test_clicks_have_fractions_where_ratings_have(noisy: pl.DataFrame) -> None:
    crowd = judged(noisy.with_columns(rating=pl.col("rating") / 101))

    clicks = _draw(crowd, analysis=AnalysisSettings(method_settings=MethodSettings(scale=Scale(0, 1)))).clicks

    assert ((clicks > 0) & (clicks < 1)).any()
