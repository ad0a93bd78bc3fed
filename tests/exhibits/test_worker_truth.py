"""Workers beside the truth: by hand, and against a slow formula that looks at one rating at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from statistics import correlation, mean, median, stdev, variance
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence
from steelyard.exhibits._worker_truth import beside_truth

Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Weighed = Callable[..., Evidence]
Rows = list[tuple[Any, ...]]
UNCHECKED = {"check": "none", "method": "mean-rating"}
# Twelve translations whose ratings have mean 50.
LEVELS = [20.0, 80.0, 30.0, 70.0, 40.0, 60.0] * 2


def judged(worker: str, values: Iterable[float], kind: str = "regular") -> Rows:
    """A worker's ratings of the translations s0, s1, ... of one system."""
    return [(worker, f"hit of {worker}", kind, f"s{k}", "alpha", value) for k, value in enumerate(values)]


def row_of(found: pl.DataFrame, worker: str) -> dict[str, Any]:
    return found.row(by_predicate=pl.col("worker_id") == worker, named=True)


@pytest.fixture
def crew(ratings: Ratings, weighed: Weighed) -> Evidence:
    """Three workers alike, one ten points above them, one who rates upside down."""
    rows = [row for worker in ("ann", "bob", "cem") for row in judged(worker, LEVELS)]
    rows += judged("high", [level + 10 for level in LEVELS])
    rows += judged("wrong", [100 - level for level in LEVELS])
    return weighed(ratings(rows), **UNCHECKED)


def test_accuracy_is_the_correlation_with_what_the_others_say(crew: Evidence) -> None:
    found = beside_truth(crew)

    # z of ann, bob, cem and high are the same, so that they are the truth about wrong.
    assert row_of(found, "wrong")["r"] == pytest.approx(-1.0)
    # Beside ann are three who agree and one who is their opposite: the mean is half of z.
    assert row_of(found, "ann")["r"] == pytest.approx(1.0)


def test_an_offset_is_the_mean_distance_in_points(crew: Evidence) -> None:
    found = beside_truth(crew)

    # z sum to 0 over the twelve. The mean of all ratings is 52, for one of five is ten higher.
    assert row_of(found, "high")["offset"] == pytest.approx(60 - 52)
    assert row_of(found, "ann")["offset"] == pytest.approx(50 - 52)


def test_a_precision_is_one_over_the_variance_of_the_distance(crew: Evidence) -> None:
    rating = crew.frame["rating"].to_list()
    z = [(level - 50) / stdev(LEVELS) for level in LEVELS]

    # Three of the other four agree with ann and one is opposite: truth is (3 z - z) / 4.
    distance = [
        (level - mean(rating)) / stdev(rating) - z_k / 2 for level, z_k in zip(LEVELS, z, strict=True)
    ]
    assert row_of(beside_truth(crew), "ann")["precision"] == pytest.approx(1 / variance(distance))


def test_nobody_is_compared_with_their_own_rating(crew: Evidence) -> None:
    assert beside_truth(crew)["n_others"].to_list() == [4.0] * 5


def test_ratings_that_are_not_kept_are_no_truth_but_are_compared_with_it(crew: Evidence) -> None:
    without = replace(crew, keeps=crew.frame["worker_id"] != "wrong")

    found = beside_truth(without)

    assert row_of(found, "ann")["n_others"] == 3.0
    assert row_of(found, "wrong")["n_others"] == 4.0
    assert row_of(found, "wrong")["r"] == pytest.approx(-1.0)


@pytest.mark.parametrize(("n_items", "is_there"), [(9, False), (10, True)])
def test_ten_common_translations_are_needed(
    ratings: Ratings, weighed: Weighed, n_items: int, is_there: bool
) -> None:
    rows = [row for worker in ("ann", "bob", "cem", "dan") for row in judged(worker, LEVELS)]
    rows += judged("late", LEVELS[:n_items])

    found = beside_truth(weighed(ratings(rows), **UNCHECKED))

    assert ("late" in found["worker_id"]) == is_there


def test_three_others_are_needed(ratings: Ratings, weighed: Weighed) -> None:
    rows = [row for worker in ("ann", "bob", "cem") for row in judged(worker, LEVELS)]

    with pytest.raises(NotEnoughData, match="No worker judged 10 translations that 3 others"):
        beside_truth(weighed(ratings(rows), **UNCHECKED))


def test_a_worker_who_always_gives_the_same_rating_has_no_correlation_and_is_no_truth(
    ratings: Ratings, weighed: Weighed
) -> None:
    rows = [row for worker in ("ann", "bob", "cem", "dan") for row in judged(worker, LEVELS)]
    rows += judged("dull", [33.3] * 12)

    found = beside_truth(weighed(ratings(rows), **UNCHECKED))

    assert row_of(found, "dull")["r"] is None
    assert row_of(found, "ann")["n_others"] == 3.0


def test_only_translations_of_systems_count(ratings: Ratings, weighed: Weighed) -> None:
    workers = ("ann", "bob", "cem", "dan")
    rows = [row for worker in workers for row in judged(worker, LEVELS)]
    rows += [row for worker in workers for row in judged(worker, [5.0] * 12, "degraded")]

    assert beside_truth(weighed(ratings(rows), **UNCHECKED))["n_items"].to_list() == [12] * 4


def slowly(source: Evidence) -> dict[str, dict[str, float]]:
    """The same by the definition: for every worker and translation a loop over all the others."""
    every = source.frame["rating"].to_list()
    moments = source.frame.group_by("worker_id").agg(pl.col("rating"))
    means = {worker: (mean(values), stdev(values)) for worker, values in moments.iter_rows()}
    given: dict[tuple[str, str, str], dict[str, list[tuple[float, bool]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    names = ("system_id", "segment_id", "attribute", "worker_id", "rating", "item_kind")
    for (*item, worker, rating, kind), is_kept in zip(
        source.frame.select(names).iter_rows(), source.keeps, strict=True
    ):
        if kind in ("regular", "repeat"):
            given[tuple(item)][worker].append((rating, is_kept))
    beside: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for of_item in given.values():
        for worker, own in of_item.items():
            others = []
            for other, theirs in of_item.items():
                middle, spread = means[other]
                z = [(rating - middle) / spread for rating, is_kept in theirs if is_kept]
                if other != worker and z:
                    others.append(mean(z))
            if len(others) >= 3:
                beside[worker].append((mean(rating for rating, _ in own), mean(others), len(others)))
    found = {}
    for worker, rows in beside.items():
        if len(rows) < 10:
            continue
        rating, truth, n_others = zip(*rows, strict=True)
        distance = [(r - mean(every)) / stdev(every) - t for r, t in zip(rating, truth, strict=True)]
        found[worker] = {
            "n_items": len(rows),
            "n_others": median(n_others),
            "r": correlation(rating, truth),
            "distance": mean(distance),
            "precision": 1 / variance(distance),
            "offset": mean(distance) * stdev(every),
        }
    return found


@pytest.fixture
def ragged(ratings: Ratings, weighed: Weighed) -> Evidence:
    """Nine workers, some of 20 translations in two attributes each, with repeats and degraded copies."""
    rng = np.random.default_rng(8)
    rows = []
    for worker in "abcdefghi":
        for k in np.flatnonzero(rng.random(20) < 0.7):
            for attribute in ("adequacy", "fluency"):
                for kind in ("regular", "repeat", "degraded")[: rng.integers(1, 4)]:
                    rating = float(rng.integers(0, 101))
                    rows.append((worker, f"hit of {worker}", kind, f"s{k}", "alpha", rating, attribute))
    source = weighed(ratings(rows), **UNCHECKED)
    return replace(source, keeps=pl.Series(rng.random(len(rows)) < 0.8))


def test_a_slow_formula_gives_the_same(ragged: Evidence) -> None:
    expected = slowly(ragged)

    found = beside_truth(ragged)

    assert len(expected) > 5
    assert found["worker_id"].to_list() == sorted(expected)
    for row in found.iter_rows(named=True):
        assert {name: row[name] for name in expected[row["worker_id"]]} == pytest.approx(
            expected[row["worker_id"]]
        )


def test_the_order_of_rows_does_not_matter(ragged: Evidence) -> None:
    order = np.random.default_rng(1).permutation(len(ragged.frame))
    shuffled = replace(ragged, judged=ragged.frame[order], keeps=ragged.keeps[order])

    found, other = beside_truth(ragged), beside_truth(shuffled)

    assert other["worker_id"].to_list() == found["worker_id"].to_list()
    assert other["r"].to_list() == pytest.approx(found["r"].to_list())
