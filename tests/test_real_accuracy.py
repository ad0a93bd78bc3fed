"""The worker model against mean z on published judgements: bars that it must clear, whoever changes it.

Truth is of raters that the model has not seen, or of experts; thirty draws and more with fixed seeds (four
for each of the nine pairs of WMT, ten of the large or the sure). The table of all
sets and methods is printed by bench/accuracy.py, which also knows how the sets are read.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

from steelyard.evaluation.settings import EvaluationSettings

BENCH = Path(__file__).parents[1] / "bench" / "accuracy.py"
DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")


@cache
def _bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("accuracy", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["accuracy"] = module
    spec.loader.exec_module(module)
    return module


@cache
def _rows(
    group_name: str, settings: EvaluationSettings, draws: int = 30, only: str | None = None
) -> pl.DataFrame:
    """The worker model's rows, one per set and level, of the trials of one group of data sets."""
    bench = _bench()
    group = next(group for group in bench.groups() if group.name == group_name)
    sets = tuple(entry for entry in group.sets if only is None or entry[0] == only)
    rows = bench.tried(replace(group, sets=sets, trials=(settings,)), ["worker-model"], draws=draws)
    return rows.filter(method="worker-model")


def _five(truth: str, spam: float) -> EvaluationSettings:
    return EvaluationSettings(truth=truth, ratings=(5,), spam=(spam,))  # type: ignore[arg-type]


def test_on_clean_expert_ratings_the_model_is_no_worse_than_mean_z() -> None:
    difference = _rows("calibration", _five("others", 0.0))["difference"]

    assert len(difference) == 4
    assert difference.mean() >= 0
    assert difference.min() > -0.015


@pytest.mark.parametrize(("spam", "gain"), [(0.2, 0.03), (0.5, 0.05)])
def test_where_workers_click_at_random_the_model_gains(spam: float, gain: float) -> None:
    assert _rows("calibration", _five("others", spam))["difference"].mean() >= gain


@pytest.mark.parametrize("ratings", [2, 5])
def test_intervals_of_ninety_per_cent_hold_what_other_raters_say(ratings: int) -> None:
    settings = EvaluationSettings(truth="others", ratings=(ratings,))

    assert 0.88 <= _rows("calibration", settings, draws=10)["coverage"].mean() <= 0.95


def test_paraphrases_with_random_clickers_are_scored_better() -> None:
    assert _rows("parabank", _five("rest", 0.2), draws=10)["difference"].item() >= 0.03


@pytest.mark.parametrize(("spam", "gain"), [(0.0, 0.005), (0.2, 0.02)])
def test_scores_come_closer_to_expert_gold(spam: float, gain: float) -> None:
    difference = _rows("snow", _five("gold", spam))["difference"]

    assert len(difference) == 6
    assert difference.mean() >= gain


def test_three_experts_are_not_silenced_by_two_who_agree() -> None:
    settings = EvaluationSettings(truth="others", ratings=(3,))

    assert _rows("mlqe", settings, draws=10, only="en-de")["difference"].item() > -0.03


def test_systems_come_closer_to_the_other_half_of_the_workers() -> None:
    difference = _rows("wmt", EvaluationSettings(level="systems"), draws=4)["difference"]

    assert len(difference) == 9
    assert difference.mean() >= 0.015


@pytest.mark.parametrize(
    ("level", "name", "gain"), [("systems", "systems", -0.005), ("cells", "cells_within", 0.02)]
)
def test_a_third_of_an_unchecked_crowd_comes_close_to_checked_others(
    level: str, name: str, gain: float
) -> None:
    trial = next(
        trial
        for group in _bench().groups()
        if group.name == "dialogue"
        for trial in group.trials
        if trial.level == level
    )

    found = _rows("dialogue", trial)

    assert found.filter(level=name)["difference"].item() >= gain
