"""Published metrics and people's scores of WMT23 against the numbers of the toolkit of the metrics task."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.flows.meta import meta
from steelyard.formats.metric_folder import read_metric_folder
from steelyard.meta.settings import MetaSettings
from steelyard.stats.arrays import FloatArray
from steelyard.stats.tie_calibration import accuracy_with_ties, calibrate, calibrate_as_published

DATA = Path(__file__).parents[2] / "shared" / "data" / "meta"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

# The toolkit does not fix the order of systems, on which its soft pairwise accuracy hangs.
TOLERANCE = {"spa": 1e-3}
METRICS = [
    *("BLEU-refA", "chrF-refA", "COMET-refA", "MetricX-23-refA", "MaTESe-refA"),
    *("CometKiwi-src", "GEMBA-MQM-src", "Random-sysname-src"),
]
every_metric = pytest.mark.parametrize("metric", METRICS)
every_gold = pytest.mark.parametrize("gold", ["mqm", "da-sqm"])
COUNTS = ("lp", "gold", "metric", "n_sys", "n_seg_total", "n_gold_seg_pairs")


@pytest.fixture(scope="module")
def expected() -> pl.DataFrame:
    return pl.read_csv(DATA / "expected" / "en-de.meta_evaluation.csv")


@pytest.fixture(scope="module", params=["mqm", "da-sqm"])
def both(request: pytest.FixtureRequest, expected: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Our rows and the toolkit's for one gold, of the same metrics in the same order."""
    scored = read_metric_folder(DATA / "en-de", "en-de", golds=[request.param])
    ours = meta(scored, request.param, MetaSettings(tests=())).rows
    theirs = expected.filter(pl.col("gold") == request.param)
    return ours.select(theirs.columns).sort("metric"), theirs.sort("metric")


def test_the_same_systems_and_translations_are_compared(both: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    ours, theirs = both

    assert ours.select(COUNTS).equals(theirs.select(COUNTS))


def test_every_number_is_the_toolkits(both: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    ours, theirs = both
    columns = [name for name in theirs.columns if name not in COUNTS]

    apart = {
        name: (ours[name] - theirs[name]).abs().max()
        for name in columns
        if not (ours[name] - theirs[name]).abs().max() <= TOLERANCE.get(name, 1e-9)  # type: ignore[operator]
    }

    assert len(columns) == 18
    assert ours["metric"].to_list() == sorted(METRICS)
    assert apart == {}


@cache
def scores(name: str) -> dict[str, FloatArray]:
    """Scores by system, in the order of the file."""
    found: dict[str, list[float]] = {}
    with gzip.open(DATA / "en-de" / f"{name}.score.gz", "rt") as lines:
        for line in lines:
            system, score = line.split("\t")
            found.setdefault(system, []).append(float(score) if score.strip() != "None" else np.nan)
    return {system: np.array(values) for system, values in found.items()}


@cache
def systems(gold: str) -> list[str]:
    """Systems that people judged, without the metrics' reference and the one that the task left out."""
    judged = scores(f"human-scores/en-de.{gold}.seg")
    left_out = ("refA", "synthetic_ref")
    return [name for name in judged if not np.isnan(judged[name]).all() and name not in left_out]


def arrays(gold: str, metric: str) -> tuple[FloatArray, FloatArray]:
    """People's and a metric's scores of the same systems and segments, read without our own reader."""
    people, scored = scores(f"human-scores/en-de.{gold}.seg"), scores(f"metric-scores/{metric}.seg")
    names = systems(gold)
    return np.stack([people[name] for name in names]), np.stack([scored[name] for name in names])


@every_gold
@every_metric
def test_published_thresholds_to_the_last_bit(gold: str, metric: str, expected: pl.DataFrame) -> None:
    found = calibrate_as_published(*arrays(gold, metric))

    published = expected.row(by_predicate=(pl.col("gold") == gold) & (pl.col("metric") == metric), named=True)
    assert found.accuracy.epsilon == published["seg_acc23_opt_eps"]
    assert found.tau.epsilon == published["seg_tau23_opt_eps"]


@every_gold
@every_metric
def test_a_published_threshold_is_never_better_than_the_smallest(gold: str, metric: str) -> None:
    people, scored = arrays(gold, metric)

    smallest, published = calibrate(people, scored), calibrate_as_published(people, scored).accuracy

    assert smallest.epsilon <= published.epsilon
    assert accuracy_with_ties(people, scored, published.epsilon) == pytest.approx(
        smallest.accuracy, abs=1e-12
    )
