from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binomtest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.metric_permutation import segment_permutation_matrix
from steelyard.stats.pairwise_accuracy import (
    accuracy_p_matrix,
    da_pair_tau,
    pairwise_accuracy,
    pairwise_accuracy_rows,
)
from steelyard.stats.tie_calibration import accuracy_with_ties, segment_accuracies


@pytest.fixture(params=range(6))
def systems(request: pytest.FixtureRequest) -> tuple[FloatArray, FloatArray]:
    """Scores of eight systems with ties, some absent."""
    rng = np.random.default_rng(request.param)
    people, metric = rng.integers(0, 5, size=(2, 8)).astype(np.float64)
    people[rng.random(8) < 0.1], metric[rng.random(8) < 0.1] = np.nan, np.nan
    return people, metric


def test_accuracy_by_hand() -> None:
    # Both tie 1 and 2; people alone tie 3 and 4; the rest: 1-3, 1-4, 2-3, 2-4 in order. Five of six.
    assert pairwise_accuracy(np.array([1.0, 1.0, 2.0, 2.0]), np.array([5.0, 5.0, 6.0, 7.0])) == 5 / 6


def test_accuracy_is_the_share_of_equal_signs(systems: tuple[FloatArray, FloatArray]) -> None:
    both = [pair for pair in zip(*(side.tolist() for side in systems), strict=True) if pair == pair]
    known = [(h, m) for h, m in both if not np.isnan(h) and not np.isnan(m)]
    alike = [np.sign(h1 - h2) == np.sign(m1 - m2) for (h1, m1), (h2, m2) in combinations(known, 2)]

    assert pairwise_accuracy(*systems) == pytest.approx(np.mean(alike))


def test_accuracy_of_rows_is_that_of_each() -> None:
    rng = np.random.default_rng(2)
    people, metrics = rng.integers(0, 4, size=6).astype(float), rng.integers(0, 4, size=(5, 6)).astype(float)

    found = pairwise_accuracy_rows(people[None, :], metrics)

    assert found.tolist() == [pairwise_accuracy(people, metric) for metric in metrics]


@pytest.mark.parametrize("people", [[], [1.0], [1.0, np.nan]])
def test_accuracy_without_a_pair_is_unknown(people: list[float]) -> None:
    assert np.isnan(pairwise_accuracy(np.array(people), np.array(people)))


def test_pairs_that_people_set_apart_by_hand() -> None:
    # Segment 1: 80-50 right, 80-55 (exactly 25) tied by the metric, 50-55 too close. Segment 2: one wrong.
    people = np.array([[80.0, 10.0], [50.0, 90.0], [55.0, np.nan]])
    metric = np.array([[0.9, 0.5], [0.4, 0.1], [0.9, 0.3]])

    assert da_pair_tau(people, metric, least=25.0) == ((1 - 2) / 3, 3, 1, 2)


def test_pairs_without_a_metric_score_do_not_count() -> None:
    people, metric = np.array([[80.0], [50.0], [10.0]]), np.array([[0.9], [0.4], [np.nan]])

    assert da_pair_tau(people, metric, least=25.0) == (1.0, 1, 1, 0)


def test_tau_without_pairs_far_apart_is_unknown() -> None:
    found = da_pair_tau(np.array([[50.0], [60.0]]), np.array([[1.0], [2.0]]), least=25.0)

    assert np.isnan(found.tau)
    assert found[1:] == (0, 0, 0)


def test_tau_is_that_of_plain_loops() -> None:
    rng = np.random.default_rng(4)
    people, metric = (
        rng.integers(0, 101, size=(6, 30)).astype(float),
        rng.integers(0, 4, size=(6, 30)).astype(float),
    )
    people[rng.random(people.shape) < 0.2] = np.nan
    concordant = discordant = 0
    for judged, scored in zip(people.T.tolist(), metric.T.tolist(), strict=True):
        for (h1, m1), (h2, m2) in combinations(zip(judged, scored, strict=True), 2):
            if abs(h1 - h2) >= 25:
                is_right = (h1 > h2 and m1 > m2) or (h1 < h2 and m1 < m2)
                concordant, discordant = concordant + is_right, discordant + (not is_right)

    found = da_pair_tau(people, metric, least=25.0)

    assert found[2:] == (concordant, discordant)
    assert found.tau == pytest.approx((concordant - discordant) / (concordant + discordant))


@pytest.mark.parametrize(("one", "other"), [(50.3, 25.3), (25.3, 50.3), (100.0, 75.0)])
def test_a_difference_of_exactly_the_least_counts_whatever_rounding_left_of_it(
    one: float, other: float
) -> None:
    people, metric = np.array([[one], [other]]), np.array([[one], [other]])

    assert da_pair_tau(people, metric, least=25.0) == (1.0, 1, 1, 0)


def test_a_difference_just_short_of_the_least_does_not_count() -> None:
    people = np.array([[50.3], [25.300001]])

    assert da_pair_tau(people, people, least=25.0).n_pairs == 0


def p_of_first(
    people: FloatArray,
    first: FloatArray,
    second: FloatArray,
    *,
    epsilons: tuple[float, float] = (0.0, 0.0),
    draws: int = 1000,
    rng: np.random.Generator,
) -> float:
    """p that the first of two metrics is the more accurate."""
    metrics = np.stack([first, second])
    return float(accuracy_p_matrix(people, metrics, epsilons=epsilons, draws=draws, rng=rng)[0, 1])


def every_exchange(first: list[list[bool]], second: list[list[bool]]) -> float:
    """Share of all exchanges of verdicts on pairs, in segments, after which the first is no less ahead."""

    def ahead(mine: list[list[bool]], theirs: list[list[bool]]) -> float:
        return sum(sum(a) / len(a) - sum(b) / len(b) for a, b in zip(mine, theirs, strict=True))

    observed, count, total = ahead(first, second), 0, 0
    for swaps in product([False, True], repeat=sum(map(len, first))):
        swap = iter(swaps)
        mixed = [
            [(b, a) if next(swap) else (a, b) for a, b in zip(mine, theirs, strict=True)]
            for mine, theirs in zip(first, second, strict=True)
        ]
        left, right = ([[pair[side] for pair in segment] for segment in mixed] for side in (0, 1))
        count, total = count + (ahead(left, right) >= observed - 1e-12), total + 1
    return count / total


def verdicts(people: FloatArray, metric: FloatArray, epsilon: float) -> list[list[bool]]:
    """Which pairs of each segment a metric gets right, the segments without any left out."""
    found = []
    for judged, scored in zip(people.T.tolist(), metric.T.tolist(), strict=True):
        known = [(h, m) for h, m in zip(judged, scored, strict=True) if h == h]
        right = [
            h1 == h2 if abs(m1 - m2) <= epsilon else (h1 - h2) * (m1 - m2) > 0
            for (h1, m1), (h2, m2) in combinations(known, 2)
        ]
        found += [right] if right else []
    return found


@pytest.mark.parametrize("seed", range(4))
def test_with_complete_scores_p_is_the_share_of_all_exchanges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 3, size=(3, 4)).astype(float)
    first, second = people + rng.normal(size=people.shape), rng.normal(size=people.shape)

    found = p_of_first(people, first, second, epsilons=(0.5, 0.25), rng=rng)

    expected = every_exchange(verdicts(people, first, 0.5), verdicts(people, second, 0.25))
    assert found == pytest.approx(expected, rel=1e-12)


def test_over_systems_p_is_the_share_of_all_exchanges() -> None:
    rng = np.random.default_rng(1)
    people, first, second = np.arange(5.0), np.array([0.0, 2.0, 1.0, 3.0, 4.0]), rng.normal(size=5)

    found = p_of_first(people, first, second, rng=rng)

    columns = (verdicts(people[:, None], metric[:, None], 0.0) for metric in (first, second))
    assert found == pytest.approx(every_exchange(*columns), rel=1e-12)


def test_with_gaps_p_is_drawn_from_all_exchanges() -> None:
    rng = np.random.default_rng(5)
    people = rng.integers(0, 3, size=(4, 3)).astype(float)
    first, second = people + 0.5 * rng.normal(size=people.shape), rng.normal(size=people.shape)
    # Segments of six, three and one pairs.
    people[3, 1:], people[2, 2] = np.nan, np.nan

    found = p_of_first(people, first, second, draws=20_000, rng=rng)

    expected = every_exchange(verdicts(people, first, 0.0), verdicts(people, second, 0.0))
    assert found == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(20_000))


def test_only_pairs_that_one_alone_gets_right_matter() -> None:
    rng = np.random.default_rng(6)
    people = rng.normal(size=(6, 20))
    first, second = people + rng.normal(size=people.shape), people + 2 * rng.normal(size=people.shape)
    left, right = np.triu_indices(6, 1)
    judged, *scored = (np.sign(each[left] - each[right]) for each in (people, first, second))
    wins, losses = (
        np.sum(scored[0] * judged > scored[1] * judged),
        np.sum(scored[0] * judged < scored[1] * judged),
    )

    found = p_of_first(people, first, second, rng=rng)

    expected = binomtest(int(wins), int(wins + losses), alternative="greater").pvalue
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_matrix_is_every_pair_in_both_directions() -> None:
    rng = np.random.default_rng(7)
    people, metrics = rng.normal(size=(5, 9)), rng.normal(size=(3, 5, 9))

    found = accuracy_p_matrix(people, metrics, rng=rng)

    assert np.isnan(np.diag(found)).all()
    assert found[2, 0] == pytest.approx(p_of_first(people, metrics[2], metrics[0], rng=rng))


def test_metrics_that_judge_alike_are_never_told_apart() -> None:
    people = np.random.default_rng(8).normal(size=(4, 6))

    found = accuracy_p_matrix(people, np.stack([people, 3 * people + 1]), rng=np.random.default_rng(1))

    assert (found[0, 1], found[1, 0]) == (1.0, 1.0)


def test_metrics_without_common_pairs_cannot_be_tested() -> None:
    people = np.arange(6.0).reshape(3, 2)
    first, second = people.copy(), people.copy()
    first[:, 0], second[:, 1] = np.nan, np.nan

    assert np.isnan(p_of_first(people, first, second, rng=np.random.default_rng(1)))


def test_draws_must_be_some() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        accuracy_p_matrix(np.arange(3.0), np.ones((2, 3)), draws=0, rng=np.random.default_rng(1))


def test_exchanges_of_segments_hold_their_level_where_those_of_pairs_do_not() -> None:
    # Two metrics alike in quality, each of which badly misjudges a tenth of the translations: then all pairs
    # of such a translation are wrong at once, and pairs are not independent.
    rng = np.random.default_rng(9)
    by_pairs, by_segments = [], []
    for _ in range(100):
        people = rng.normal(size=(15, 20))
        metrics = people + 6 * rng.normal(size=(2, 15, 20)) * (rng.random((2, 15, 20)) < 0.1)
        accuracies = np.stack([segment_accuracies(people, metric, 0.0) for metric in metrics])
        by_pairs.append(accuracy_p_matrix(people, metrics, rng=rng)[0, 1])
        by_segments.append(segment_permutation_matrix(accuracies, draws=199, rng=rng)[0, 1])

    most = 0.05 + 4 * np.sqrt(0.05 * 0.95 / 100)
    assert np.mean(np.array(by_segments) <= 0.05) < most
    assert np.mean(np.array(by_pairs) <= 0.05) > most


def test_the_test_is_of_the_accuracy_with_ties() -> None:
    rng = np.random.default_rng(10)
    people = rng.integers(0, 2, size=(6, 30)).astype(float)
    metric = people + 0.1 * rng.normal(size=people.shape)

    # With its threshold the metric is far more accurate than itself without.
    assert accuracy_with_ties(people, metric, 0.5) > accuracy_with_ties(people, metric, 0.0) + 0.2
    assert p_of_first(people, metric, metric, epsilons=(0.5, 0.0), rng=rng) < 1e-6
