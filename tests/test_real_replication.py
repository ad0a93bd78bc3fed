"""Replication of published ratings: what must hold of them, computed a second way where it can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.domain.result import AnalysisSettings, MethodSettings
from steelyard.evaluation.replication.settings import Replication, ReplicationSettings
from steelyard.flows.replicate import replicate
from steelyard.flows.source import Source, read_source

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

SETTINGS = ReplicationSettings(draws=40, analysis=AnalysisSettings(check="none"))
Halves = Callable[[str], Replication]
every_pair = pytest.mark.parametrize("pair", ["eng-ces", "eng-deu", "eng-jpn", "eng-zho"])


@pytest.fixture(scope="module")
def halves() -> Halves:
    """The study of a calibration set in which everyone judged the same hundred or so items."""

    @cache
    def study(pair: str) -> Replication:
        source = read_source(str(DATA / "wmt22-calibration" / f"{pair}.judgements.csv.gz"))
        return replicate(source, None, SETTINGS)

    return study


def _slots(pair: str) -> Source:
    """Three fixed people's ratings in slots 0 to 2 and those of a pool in slots 3 to 5."""
    path = DATA / "mlqe-pe-test20" / f"{pair}.judgements.csv.gz"
    return read_source(str(path), columns={"worker": "slot"})


def _only(source: Source, slots: list[str], name: str) -> Source:
    return Source(source.frame.filter(pl.col("worker_id").is_in(slots)), title=name, campaign=name)


def _rho(found: Replication, scale: str = "z", of: str = "") -> float:
    rows = found.rho.filter((pl.col("of") == of) & (pl.col("scale") == scale))
    return float(rows["rho"].item())


@every_pair
def test_halves_of_the_workers_correlate_as_spearman_and_brown_expect(halves: Halves, pair: str) -> None:
    found = halves(pair)

    # Only numbers of ratings that all items have: the others are means over few items.
    everywhere = found.rows.filter(
        (pl.col("scale") == "z") & (pl.col("n_items") >= found.n_items) & (pl.col("against") == "same")
    )
    assert len(everywhere) >= 4
    np.testing.assert_allclose(everywhere["r"], everywhere["expected"], atol=0.05)


@every_pair
def test_standardised_ratings_agree_better_than_raw_ones(halves: Halves, pair: str) -> None:
    found = halves(pair)

    assert _rho(found) > _rho(found, "rating") > 0


@every_pair
def test_the_fitted_reliability_is_the_one_of_the_analysis_of_variance(halves: Halves, pair: str) -> None:
    found = halves(pair)

    assert found.fitted_rho == pytest.approx(_rho(found), abs=0.03)


def test_one_language_needs_many_times_the_ratings_of_another(halves: Halves) -> None:
    needed = {pair: halves(pair).needed[0].ratings for pair in ("eng-ces", "eng-zho")}

    # Czech workers agree well on these texts and Chinese ones do not.
    assert needed["eng-ces"] < 15 < 30 < needed["eng-zho"]


def test_three_fixed_people_and_a_pool_agree_among_themselves_but_not_with_each_other() -> None:
    source = _slots("en-de")
    first, second = _only(source, ["0", "1", "2"], "fixed"), _only(source, ["3", "4", "5"], "pool")
    # Standardised by their own ratings alone.
    alone = replace(SETTINGS.analysis, method_settings=MethodSettings(minimum_ratings=2))

    found = replicate(first, second, replace(SETTINGS, analysis=alone))

    table = source.frame.pivot(on="worker_id", index="segment_id", values="rating").drop("segment_id")
    z = np.stack([(table[k] - table[k].mean()) / table[k].std() for k in map(str, range(6))])
    across = np.corrcoef(z[:3].mean(axis=0), z[3:].mean(axis=0))[0, 1]
    last = found.rows.filter((pl.col("scale") == "z") & (pl.col("ratings") == 3))
    np.testing.assert_allclose(last["r"], across)
    assert _rho(found, of="fixed") > 0.8
    assert _rho(found, of="pool") > 0.5
    assert across < 0.3
    assert "do not agree with the Spearman-Brown formula" in found.conclusion


def test_the_reliability_of_crossed_ratings_is_the_mean_correlation_of_two_slots() -> None:
    source = _slots("ro-en")

    found = replicate(source, None, SETTINGS)

    table = source.frame.pivot(on="worker_id", index="segment_id", values="rating").drop("segment_id")
    between = np.corrcoef(table.to_numpy().T)
    # Of standardised ratings in which all slots rate all segments, both are the same but for n - 1.
    assert _rho(found) == pytest.approx(between[np.triu_indices(6, 1)].mean(), abs=0.002)
