"""A crowd with failing workers and seven attributes, from its judgements to its authors' results."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import Analysis
from steelyard.flows.analyse import analyse
from steelyard.flows.settings import settings_from
from steelyard.flows.source import read_source

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

FOLDER = DATA / "dialogue-da"
# The degraded chatbot is worse in these; whether it is more robotic or repetitive is open.
CHECKED = ("interesting", "fun", "consistent", "fluent", "topic")


@cache
def _analysis() -> Analysis:
    source = read_source(str(FOLDER / "icebreaker.judgements.csv.gz"))
    # The authors standardise by a worker's own ratings, however few.
    chosen = settings_from(source, check="rank-sum", check_attributes=CHECKED, keep_hits=True, draws=0)
    return analyse(
        source, replace(chosen, method_settings=replace(chosen.method_settings, minimum_ratings=2))
    )


@pytest.fixture(scope="module")
def workers() -> pl.DataFrame:
    official = pl.read_csv(FOLDER / "expected" / "icebreaker.workers.csv")
    joined = official.join(_analysis().workers, left_on="worker", right_on="worker_id")
    assert len(joined) == len(official) == len(_analysis().workers) == 246
    return joined


@pytest.fixture(scope="module")
def systems() -> pl.DataFrame:
    official = pl.read_csv(FOLDER / "expected" / "icebreaker.systems.csv")
    joined = official.join(_analysis().systems, left_on="model", right_on="system_id")
    assert len(joined) == len(official)
    return joined


def test_every_worker_gets_the_authors_verdict(workers: pl.DataFrame) -> None:
    assert workers["verdict"].to_list() == workers["status"].to_list()
    assert (workers["verdict"] == "pass").sum() == 169


def test_worker_means_and_deviations_are_the_authors(workers: pl.DataFrame) -> None:
    np.testing.assert_allclose(workers["mean_right"], workers["mean"], rtol=1e-12)
    np.testing.assert_allclose(workers["sd_right"], workers["sd"], rtol=1e-12)


def test_system_scores_and_raw_means_are_the_authors(systems: pl.DataFrame) -> None:
    np.testing.assert_allclose(systems["score"], systems["z"], atol=1e-9, rtol=0)
    np.testing.assert_allclose(systems["mean_rating"], systems["raw"], atol=1e-9, rtol=0)


def test_scores_by_attribute_are_the_authors() -> None:
    official = pl.read_csv(FOLDER / "expected" / "icebreaker.systems.csv")

    found = {alone.attribute: alone.systems for alone in _analysis().attributes}

    assert len(found) == 7
    for attribute, systems in found.items():
        joined = official.join(systems, left_on="model", right_on="system_id")
        np.testing.assert_allclose(joined["score"], joined[f"z_{attribute}"], atol=1e-9, rtol=0)
