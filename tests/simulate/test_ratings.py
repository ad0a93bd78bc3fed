"""Ratings of a simulated crowd: a table that reads like a judgements file and knows the truth."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.simulate.crowd import Mix
from steelyard.simulate.ratings import RatingCrowd, simulated_ratings

TRUTH = {"good": 0.8, "middling": 0.6, "bad": 0.3}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return simulated_ratings(TRUTH, RatingCrowd(mix=Mix(1, 0, 0, 0)), np.random.default_rng(2))


def test_careful_workers_order_systems_as_they_are(table: pl.DataFrame) -> None:
    regular = table.filter(pl.col("kind") == "regular")

    means = dict(regular.group_by("system").agg(pl.col("rating").mean()).iter_rows())

    assert sorted(means, key=lambda name: -means[name]) == list(TRUTH)
    assert means == pytest.approx({name: 100 * level for name, level in TRUTH.items()}, abs=5)


def test_every_control_follows_its_base_and_damage_is_seen(table: pl.DataFrame) -> None:
    base = table.filter(pl.col("kind") == "regular")
    controls = table.filter(pl.col("kind") != "regular")

    pairs = controls.join(base, on=["worker", "hit", "system", "segment", "document"], suffix="_base")

    assert len(pairs) == len(controls) == 30 * (10 + 12)
    assert (pairs["position"] > pairs["position_base"]).all()
    lost = pairs.group_by("kind").agg((pl.col("rating_base") - pl.col("rating")).mean())
    assert dict(lost.iter_rows())["degraded"] > 20
    assert dict(lost.iter_rows())["repeat"] == pytest.approx(0, abs=3)


def test_it_reads_as_judgements_that_nobody_takes_for_real(table: pl.DataFrame) -> None:
    analysis = sy.analyse(table, draws=0)

    assert (analysis.counts.simulated_workers, analysis.counts.kept_workers) == (30, 30)
    assert any("simulated" in warning for warning in analysis.warnings)


def test_the_generator_decides_alone() -> None:
    tables = [simulated_ratings(TRUTH, RatingCrowd(), np.random.default_rng(seed)) for seed in (1, 1, 2)]

    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
