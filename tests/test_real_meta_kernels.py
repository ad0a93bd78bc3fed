"""Every number of the published meta-evaluation of one language pair from the arrays alone."""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.correlation import pearson, pearson_rows, spearman
from steelyard.stats.kendall import kendall, kendall_b, kendall_rows
from steelyard.stats.pairwise_accuracy import pairwise_accuracy
from steelyard.stats.soft_pairwise import in_common, permutation_p_values, soft_pairwise_accuracy
from steelyard.stats.tie_calibration import accuracy_with_ties, calibrate, calibrate_as_published

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "meta"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the folder of real data is absent")

METRICS = [
    *("BLEU-refA", "chrF-refA", "COMET-refA", "MetricX-23-refA", "MaTESe-refA"),
    *("CometKiwi-src", "GEMBA-MQM-src", "Random-sysname-src"),
]
every_metric = pytest.mark.parametrize("metric", METRICS)
every_gold = pytest.mark.parametrize("gold", ["mqm", "da-sqm"])


@cache
def scores(name: str) -> dict[str, FloatArray]:
    """Scores by system, in the order of the file."""
    found: dict[str, list[float]] = {}
    with gzip.open(FOLDER / "en-de" / f"{name}.score.gz", "rt") as lines:
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


@cache
def expected(gold: str, metric: str) -> dict[str, float]:
    with (FOLDER / "expected" / "en-de.meta_evaluation.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if (row["gold"], row["metric"]) == (gold, metric))
    return {name: float(value) for name, value in row.items() if name not in ("lp", "gold", "metric")}


def arrays(gold: str, metric: str, level: str) -> tuple[FloatArray, FloatArray]:
    """People's and a metric's scores of the same systems; of segments or of whole systems."""
    names = systems(gold)
    people, scored = scores(f"human-scores/en-de.{gold}.{level}"), scores(f"metric-scores/{metric}.{level}")
    judged, given = np.stack([people[name] for name in names]), np.stack([scored[name] for name in names])
    return (judged[:, 0], given[:, 0]) if level == "sys" else (judged, given)


@every_gold
@every_metric
def test_numbers_over_systems(gold: str, metric: str) -> None:
    people, scored = arrays(gold, metric, "sys")

    found = {
        "sys_pearson": pearson(people, scored),
        "sys_spearman": spearman(people, scored),
        "sys_kendall_b": kendall(people, scored),
        "sys_pairwise_accuracy": pairwise_accuracy(people, scored),
    }

    assert found == pytest.approx({name: expected(gold, metric)[name] for name in found}, abs=1e-9)


@every_gold
@every_metric
def test_numbers_over_segments(gold: str, metric: str) -> None:
    people, scored = arrays(gold, metric, "seg")
    known = ~np.isnan(people)

    found = {
        "seg_pearson_none": pearson(people[known], scored[known]),
        "seg_spearman_none": spearman(people[known], scored[known]),
        "seg_kendall_b_none": kendall_b(people.ravel(), scored.ravel()),
        "seg_pearson_sys": np.nanmean(pearson_rows(people, scored)),
        "seg_kendall_b_sys": np.nanmean(kendall_rows(people, scored)),
        "seg_pearson_item": np.nanmean(pearson_rows(people.T, scored.T)),
        "seg_kendall_b_item": np.nanmean(kendall_rows(people.T, scored.T)),
        "seg_acc23_eps0_item": accuracy_with_ties(people, scored, 0.0),
        "seg_acc23_opt_item": calibrate(people, scored).accuracy,
        "seg_tau23_opt_item": calibrate(people, scored).tau,
    }

    assert found == pytest.approx({name: expected(gold, metric)[name] for name in found}, abs=1e-9)


@every_gold
@every_metric
def test_published_thresholds_to_the_last_bit(gold: str, metric: str) -> None:
    found = calibrate_as_published(*arrays(gold, metric, "seg"))

    published = expected(gold, metric)
    assert found.accuracy.epsilon == published["seg_acc23_opt_eps"]
    assert found.tau.epsilon == published["seg_tau23_opt_eps"]


@every_gold
@every_metric
def test_a_published_threshold_is_never_better_than_the_smallest(gold: str, metric: str) -> None:
    people, scored = arrays(gold, metric, "seg")

    smallest, published = calibrate(people, scored), calibrate_as_published(people, scored).accuracy

    assert smallest.epsilon <= published.epsilon
    assert accuracy_with_ties(people, scored, published.epsilon) == pytest.approx(
        smallest.accuracy, abs=1e-12
    )


@every_gold
@every_metric
def test_soft_pairwise_accuracy(gold: str, metric: str) -> None:
    both = in_common(*arrays(gold, metric, "seg"))

    p_people, p_metric = (permutation_p_values(each, rng=np.random.default_rng(4)) for each in both)

    # Published numbers took each pair in one direction only, by an order of systems that is not known.
    assert soft_pairwise_accuracy(p_people, p_metric) == pytest.approx(
        expected(gold, metric)["spa"], abs=1e-3
    )
