from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.tie_calibration import (
    Calibration,
    accuracy_with_ties,
    calibrate,
    calibrate_as_published,
    segment_accuracies,
)

PEOPLE = np.array([0.0, 0.0, 1.0, 3.0])[:, None]
METRIC = np.array([0.10, 0.12, 0.15, 0.60])[:, None]


@pytest.fixture(params=range(8))
def scores(request: pytest.FixtureRequest) -> tuple[FloatArray, FloatArray]:
    """People's and a metric's scores of five systems and eight segments; half of them with gaps."""
    rng = np.random.default_rng(request.param)
    people = rng.integers(0, 3, size=(5, 8)).astype(np.float64)
    # Tenths: many differences are equal but for rounding.
    metric = (people + rng.integers(0, 30, size=people.shape)) / 10
    if request.param % 2:
        people[rng.random(people.shape) < 0.3] = np.nan
        metric[rng.random(people.shape) < 0.1] = np.nan
    return people, metric


def plain_accuracy(people: FloatArray, metric: FloatArray, epsilon: float) -> float:
    """The definition, pair by pair."""
    shares = []
    for judged, scored in zip(people.T.tolist(), metric.T.tolist(), strict=True):
        both = [(h, m) for h, m in zip(judged, scored, strict=True) if h == h and m == m]
        right = []
        for (h1, m1), (h2, m2) in combinations(both, 2):
            if abs(m1 - m2) <= epsilon * (1 + 1e-12):
                right.append(h1 == h2)
            else:
                right.append((h1 < h2 and m1 < m2) or (h1 > h2 and m1 > m2))
        if right:
            shares.append(sum(right) / len(right))
    return sum(shares) / len(shares) if shares else float("nan")


def plain_calibration(people: FloatArray, metric: FloatArray) -> Calibration:
    """Every difference tried in turn, from the smallest."""
    seen = np.abs(metric[:, None] - metric[None, :]) + 0 * (people[:, None] + people[None, :])
    candidates = [0.0, *sorted(set(seen[~np.isnan(seen)].tolist()))]
    best = Calibration(plain_accuracy(people, metric, 0.0), 0.0)
    for epsilon in candidates:
        accuracy = plain_accuracy(people, metric, epsilon)
        if accuracy > best.accuracy + 1e-12:
            best = Calibration(accuracy, epsilon)
    return best


# From the specification (TV-10): of six pairs, people tie one.
@pytest.mark.parametrize(("epsilon", "n_right"), [(0.0, 5), (0.02, 6), (0.03, 5), (0.05, 4), (0.45, 3)])
def test_accuracies_of_the_published_case(epsilon: float, n_right: int) -> None:
    assert accuracy_with_ties(PEOPLE, METRIC, epsilon) == pytest.approx(n_right / 6)


def test_the_best_threshold_of_the_published_case() -> None:
    best = calibrate(PEOPLE, METRIC)

    assert best.accuracy == 1
    assert best.tau == 1
    assert best.epsilon == pytest.approx(0.02, rel=1e-12)


def test_a_difference_is_not_above_itself_written_another_way() -> None:
    # 0.3 - 0.2 is a little below 0.1, 0.4 - 0.3 a little above: both are one difference of 0.1.
    people, metric = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([[0.2, 0.3], [0.3, 0.4]])

    assert accuracy_with_ties(people, metric, 0.3 - 0.2) == 1
    assert calibrate(people, metric) == Calibration(1.0, 0.4 - 0.3)


def test_segments_count_alike_whatever_their_pairs() -> None:
    # The first segment has three pairs, all right; the second has one, wrong.
    people = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, np.nan]])
    metric = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])

    assert segment_accuracies(people, metric, 0.0).tolist() == [1.0, 0.0]
    assert accuracy_with_ties(people, metric, 0.0) == 0.5


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.75])
def test_accuracy_is_that_of_the_definition(scores: tuple[FloatArray, FloatArray], epsilon: float) -> None:
    assert accuracy_with_ties(*scores, epsilon) == pytest.approx(plain_accuracy(*scores, epsilon))


def test_the_best_threshold_is_that_of_trying_all(scores: tuple[FloatArray, FloatArray]) -> None:
    found, expected = calibrate(*scores), plain_calibration(*scores)

    assert found.accuracy == pytest.approx(expected.accuracy, abs=1e-12)
    assert found.epsilon == pytest.approx(expected.epsilon, rel=1e-11)


def test_the_threshold_found_gives_the_accuracy_found(scores: tuple[FloatArray, FloatArray]) -> None:
    found = calibrate(*scores)

    assert accuracy_with_ties(*scores, found.epsilon) == pytest.approx(found.accuracy, abs=1e-12)


def test_the_threshold_found_is_a_difference_seen(scores: tuple[FloatArray, FloatArray]) -> None:
    _, metric = scores
    seen = np.abs(metric[:, None] - metric[None, :])

    assert calibrate(*scores).epsilon in [0.0, *seen[~np.isnan(seen)].tolist()]


def test_published_rounding_changes_no_accuracy(scores: tuple[FloatArray, FloatArray]) -> None:
    found = calibrate_as_published(*scores)

    assert found.accuracy.accuracy == pytest.approx(calibrate(*scores).accuracy, abs=1e-12)
    assert found.tau.accuracy == pytest.approx(calibrate(*scores).accuracy, abs=1e-12)


def running_sums(people: FloatArray, metric: FloatArray, *, is_tau: bool) -> float:
    """The threshold by plain loops: segment by segment, then from the smallest difference on."""
    pairs, right, n_pairs = [], {}, {}
    for segment, (judged, scored) in enumerate(zip(people.T.tolist(), metric.T.tolist(), strict=True)):
        both = [(h, m) for h, m in zip(judged, scored, strict=True) if h == h and m == m]
        for (h1, m1), (h2, m2) in combinations(both, 2):
            is_right = h1 == h2 if m1 == m2 else (h1 < h2 and m1 < m2) or (h1 > h2 and m1 > m2)
            pairs.append((abs(m1 - m2), segment, is_right, h1 == h2))
            right[segment] = right.get(segment, 0) + is_right
            n_pairs[segment] = n_pairs.get(segment, 0) + 1

    def share(segment: int) -> float:
        n_right = right[segment]
        return (2 * n_right - n_pairs[segment] if is_tau else n_right) / n_pairs[segment]

    total = 0.0
    for segment in right:
        total += share(segment)
    thresholds, means = [0.0], [total / len(right)]
    for size, segment, is_right, tied_right in sorted(pairs, key=lambda pair: pair[0]):
        total -= share(segment)
        right[segment] += tied_right - is_right
        total += share(segment)
        if size > thresholds[-1] * (1 + 1e-12):
            thresholds.append(size)
            means.append(0.0)
        thresholds[-1], means[-1] = size, total / len(right)
    return thresholds[means.index(max(means))]


@pytest.mark.parametrize("is_tau", [False, True])
def test_published_rounding_is_that_of_running_sums(
    scores: tuple[FloatArray, FloatArray], is_tau: bool
) -> None:
    found = calibrate_as_published(*scores)

    assert (found.tau if is_tau else found.accuracy).epsilon == running_sums(*scores, is_tau=is_tau)


def test_of_equally_good_thresholds_the_smallest_is_taken() -> None:
    # Tying the first segment (0.1) gains as much as tying the second loses (0.2) and the third gains (0.3).
    people = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 1.0]])
    metric = np.array([[0.1, 0.1, 0.1], [0.2, 0.3, 0.4]])

    found = calibrate(people, metric)

    assert found.accuracy == pytest.approx(2 / 3)
    assert found.epsilon == pytest.approx(0.1)


def test_metric_units_do_not_matter(scores: tuple[FloatArray, FloatArray]) -> None:
    people, metric = scores
    found, scaled = calibrate(people, metric), calibrate(people, 8 * metric)

    assert scaled.accuracy == found.accuracy
    assert scaled.epsilon == 8 * found.epsilon


def test_systems_in_another_order_change_nothing(scores: tuple[FloatArray, FloatArray]) -> None:
    people, metric = scores
    order = [3, 0, 4, 1, 2]

    assert calibrate(people[order], metric[order]) == calibrate(people, metric)


@pytest.mark.parametrize("n_systems", [0, 1, 2])
def test_without_a_pair_nothing_is_known(n_systems: int) -> None:
    people = np.full((n_systems, 3), np.nan)
    nothing = Calibration(float("nan"), float("nan"))

    assert np.isnan(accuracy_with_ties(people, people, 0.0))
    assert calibrate(people, people) == pytest.approx(nothing, nan_ok=True)
    assert calibrate_as_published(people, people).tau == pytest.approx(nothing, nan_ok=True)


def test_very_uneven_segments_are_weighed_in_parts() -> None:
    # With 2 to 45 systems a segment, no 64 bits hold the exact weights; the answer is right all the same.
    rng = np.random.default_rng(1)
    people = rng.integers(0, 4, size=(45, 44)).astype(np.float64)
    metric = people + rng.normal(size=people.shape)
    people[np.arange(45)[:, None] >= np.arange(2, 46)] = np.nan

    found = calibrate(people, metric)

    assert accuracy_with_ties(people, metric, found.epsilon) == pytest.approx(found.accuracy, abs=1e-10)
    assert found.accuracy == pytest.approx(calibrate_as_published(people, metric).tau.accuracy, abs=1e-10)


def test_too_many_kinds_of_segments_are_refused() -> None:
    people = np.zeros((600, 599))
    people[np.arange(600)[:, None] >= np.arange(2, 601)] = np.nan

    with pytest.raises(ValueError, match="512"):
        calibrate(people, np.zeros_like(people))
