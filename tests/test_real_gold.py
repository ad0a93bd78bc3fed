"""Judgements of non-experts beside those of experts: the ratings that Snow and others collected in 2008."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.normalisation.settings import USUAL_METHODS, Normalisation, NormalisationSettings
from steelyard.flows.normalise import normalise
from steelyard.flows.source import read_source

DATA = Path(__file__).parents[2] / "shared" / "data" / "snow2008"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

# The scale of the ratings, and that of the gold where it is another.
SCALES = {
    **dict.fromkeys(("anger", "disgust", "fear", "sadness"), (Scale(0, 100), None)),
    "valence": (Scale(-100, 100), None),
    "wordsim": (Scale(0, 10), Scale(0, 4)),
}


@pytest.fixture(scope="module", params=SCALES)
def task(request: pytest.FixtureRequest) -> str:
    """Each task in turn: all tests of one stand together, so that a study runs once."""
    return str(request.param)


@pytest.fixture(scope="module")
def study(task: str) -> Normalisation:
    return _study(task)


@cache
def _study(task: str) -> Normalisation:
    scale, gold_scale = SCALES[task]
    source = read_source(str(DATA / f"{task}.csv"), scale=scale, gold_scale=gold_scale)
    analysis = AnalysisSettings(method_settings=MethodSettings(scale=scale))
    return normalise(source, NormalisationSettings(folds=2, random_workers=False, analysis=analysis))


def _published(task: str) -> dict[str, float]:
    table = pl.read_csv(DATA / "expected" / "correlation_with_gold.csv")
    return table.filter(task=task).row(0, named=True)


def test_all_methods_are_in_one_table_with_all_their_figures(study: Normalisation) -> None:
    rows = study.rows

    assert rows["method"].to_list() == list(USUAL_METHODS)
    assert rows["n_unscored"].sum() == rows["held_out_n_unscored"].sum() == 0
    assert rows["r"].is_between(0.4, 1).all()
    assert rows["delta"].null_count() == rows["kappa"].null_count() == 2
    assert rows["worker_kappa"].null_count() == 4


def test_the_straight_average_correlates_with_gold_as_the_published_mean_does(
    task: str, study: Normalisation
) -> None:
    row = study.rows.row(0, named=True)

    expected = _published(task)
    assert row["r"] == pytest.approx(expected["pearson"], abs=1e-12)
    assert row["rho"] == pytest.approx(expected["spearman"], abs=1e-12)
    assert row["retained"] == expected["judgements"]
    assert row["n_scored"] == expected["items"]


def test_the_correlation_of_the_paper_on_word_similarity_is_found() -> None:
    assert round(_study("wordsim").rows["r"][0], 3) == 0.952


def test_scaling_orders_word_pairs_as_the_straight_average_does() -> None:
    # All ten workers judged all pairs: with any part of the gold, every pair is shifted by the same.
    rows = {row["method"]: row for row in _study("wordsim").rows.iter_rows(named=True)}

    assert rows["scaling"]["held_out_r"] == pytest.approx(rows["mean-rating"]["held_out_r"], abs=1e-12)
    assert rows["scaling"]["held_out_rho"] == pytest.approx(rows["mean-rating"]["held_out_rho"], abs=1e-12)


def test_gold_known_flatters_the_methods_that_bring_ratings_to_it(study: Normalisation) -> None:
    rows = study.rows.filter("uses_gold")
    shifting = rows.filter(pl.col("method") != "weighted-vote")

    assert rows["method"].to_list() == ["weighted-vote", "scaling", "two-stage"]
    assert (shifting["held_out_delta"] > shifting["delta"]).all()
    # The order of translations as well, though little; in word pairs, which all judged, scaling changes none.
    assert (shifting["held_out_r"] < shifting["r"] + 1e-12).all()


def test_workers_agree_more_once_some_are_removed_or_some_judgements(study: Normalisation) -> None:
    found = dict(study.rows.select("method", "worker_agreement").iter_rows())

    assert found["remove-judges"] > found["mean-rating"]
    assert found["remove-judgements"] > found["mean-rating"]
