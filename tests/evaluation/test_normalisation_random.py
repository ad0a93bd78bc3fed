from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import VAS, Scale
from steelyard.evaluation.normalisation.gold import gold_study
from steelyard.evaluation.normalisation.random_workers import RandomWorkers, with_random_workers
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.evaluation.normalisation.study import (
    NormalisationStudy,
    fit_all,
    random_resistance,
    ready_normalisation,
)

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
FOUR_POINTS = Scale(1, 4)
SETTINGS = NormalisationSettings(
    methods=("weighted-vote", "two-stage"),
    analysis=AnalysisSettings(method_settings=MethodSettings(scale=FOUR_POINTS)),
)
N = 400


@pytest.fixture(scope="module")
def frame(ratings: Ratings) -> pl.DataFrame:
    """Three careful workers judge 400 translations, as many of each point, every other one gold."""
    rows: list[tuple[Any, ...]] = []
    for w, worker in enumerate(("ann", "bob", "random uniform-a")):
        for t in range(N):
            quality = 1.0 + t // 2 % 4
            # Each is off by a point now and then.
            given = min(4.0, quality + (t % 7 == w))
            rows.append((worker, f"S{t % 2}", f"s{t:03}", given, "regular", "", quality if t % 2 else None))
    rows.append(("ann", "S0", "s000", 2.0, "repeat"))
    return ratings(rows)


@pytest.fixture(scope="module")
def study(frame: pl.DataFrame) -> NormalisationStudy:
    return ready_normalisation(frame, SETTINGS)


@pytest.fixture(scope="module")
def random(study: NormalisationStudy) -> RandomWorkers:
    return with_random_workers(study.gold, FOUR_POINTS, seed=7)


@pytest.fixture(scope="module")
def resistance(study: NormalisationStudy) -> tuple[pl.DataFrame, pl.DataFrame]:
    return random_resistance(study, fit_all(study))


def test_random_workers_are_named_by_how_they_click(random: RandomWorkers) -> None:
    assert random.names == ("uniform-a", "uniform-b", "gaussian at 2", "gaussian at 2.5", "gaussian at 3")


def test_nobody_takes_the_name_of_a_worker(random: RandomWorkers) -> None:
    assert random.worker_ids[0] == "random 'uniform-a"
    assert random.study.judged.n_workers == 8


def test_every_random_worker_judges_every_translation_once(
    random: RandomWorkers, study: NormalisationStudy
) -> None:
    own = random.study.frame.filter(pl.col("worker_id").is_in(list(random.worker_ids)))

    counts = own.group_by("worker_id", "system_id", "segment_id").len()
    assert len(counts) == 5 * N
    assert counts["len"].unique().to_list() == [1]
    # What was there before is there still.
    assert len(random.study.frame) == len(study.gold.frame) + 5 * N


def test_random_workers_see_the_gold(random: RandomWorkers, study: NormalisationStudy) -> None:
    own = random.study.frame.filter(pl.col("worker_id") == random.worker_ids[3])

    assert own["known"].count() == N // 2
    np.testing.assert_array_equal(random.study.gold, study.gold.gold)


def test_ratings_on_points_are_points(random: RandomWorkers) -> None:
    assert set(np.unique(random.ratings)) == {1.0, 2.0, 3.0, 4.0}


@pytest.mark.parametrize(
    ("place", "shares"),
    [
        (0, (0.25, 0.25, 0.25, 0.25)),
        # With mean 2.5 and deviation 1 the borders 1.5, 2.5, 3.5 lie at z = -1, 0, 1.
        (3, (0.1587, 0.3413, 0.3413, 0.1587)),
        # With mean 3: at -1.5, -0.5, 0.5.
        (4, (0.0668, 0.2417, 0.3829, 0.3085)),
    ],
)
def test_points_are_given_as_often_as_the_distribution_says(
    place: int, shares: tuple[float, ...], random: RandomWorkers
) -> None:
    found = [float((random.ratings[place] == point).mean()) for point in (1, 2, 3, 4)]

    # Four standard errors of a share of 400.
    np.testing.assert_allclose(found, shares, atol=4 * 0.5 / np.sqrt(N))


@pytest.mark.parametrize("is_whole", [True, False])
def test_on_a_line_ratings_are_whole_if_everybodys_are(is_whole: bool, exact: pl.DataFrame) -> None:
    frame = exact.with_columns(pl.col("rating").round() if is_whole else "rating")

    random = with_random_workers(gold_study(frame), VAS, seed=7)

    assert bool((random.ratings == np.rint(random.ratings)).all()) is is_whole
    assert random.ratings.min() >= 0
    assert random.ratings.max() <= 100
    assert random.names[2:] == ("gaussian at 33.3", "gaussian at 50", "gaussian at 66.7")


def test_distances_are_of_ratings_as_given_over_all_gold(
    random: RandomWorkers, resistance: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    workers, _ = resistance
    gold = random.study.gold
    distance = np.nanmean(np.abs(random.ratings - gold), axis=1)

    np.testing.assert_allclose(workers["delta"], distance)
    # Two random ratings of four points are 1.25 apart on average.
    np.testing.assert_allclose(workers["k_delta"], 1 - distance / 1.25)


def test_who_clicks_anywhere_is_no_better_than_chance(
    resistance: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    uniform = resistance[0].head(2)["k_delta"]

    # A distance has a deviation of about 0.97: the mean of 200 an error of 0.07, in K_Delta 0.055.
    assert uniform.abs().max() < 4 * 0.055


def test_weights_are_those_of_the_methods(resistance: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    workers, _ = resistance

    # A quarter of the gold by chance.
    assert workers["weighted_vote"].is_between(0.1, 0.4).all()
    assert workers["two_stage"].is_between(0, 0.3).all()


def test_what_chance_gives_may_be_told_from_the_gold_itself(study: NormalisationStudy) -> None:
    method = replace(SETTINGS.analysis.method_settings, for_others=(("gold_expected", "gold"),))
    settings = replace(study.settings, analysis=replace(SETTINGS.analysis, method_settings=method))

    found, _ = random_resistance(replace(study, settings=settings), fit_all(study))

    # Gold is of all points alike: 1.5 from a random rating at the ends, 1 between them, 1.25 on average.
    np.testing.assert_allclose(found["k_delta"], 1 - found["delta"] / 1.25)


def test_scores_change_by_what_random_workers_add(
    random: RandomWorkers, study: NormalisationStudy, resistance: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    # Everybody counts the same in the straight average; only s000 has four judgements, by three workers.
    row = resistance[1].row(0, named=True)
    cell, rating = study.gold.cell, study.gold.judged.rating
    n, total = np.bincount(cell), np.bincount(cell, rating)
    before, after = total / n, (total + random.ratings.sum(axis=0)) / (n + 5)

    assert row["method"] == "mean-rating"
    assert row["change"] == pytest.approx(np.abs(after - before).mean())
    assert row["r_scores"] == pytest.approx(np.corrcoef(before, after)[0, 1])
    is_gold = study.gold.is_gold
    gold = study.gold.gold[is_gold]
    assert row["r_before"] == pytest.approx(np.corrcoef(before[is_gold], gold)[0, 1])
    assert row["r_after"] == pytest.approx(np.corrcoef(after[is_gold], gold)[0, 1])


def test_two_stages_resist_random_workers_better_than_the_straight_average(
    resistance: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    change = dict(resistance[1].select("method", "change").iter_rows())

    assert change["two-stage"] < change["weighted-vote"] < change["mean-rating"]


def test_the_seed_decides_what_is_clicked(study: NormalisationStudy, random: RandomWorkers) -> None:
    again, other = (with_random_workers(study.gold, FOUR_POINTS, seed=seed).ratings for seed in (7, 8))

    assert np.array_equal(again, random.ratings)
    assert not np.array_equal(other, random.ratings)
