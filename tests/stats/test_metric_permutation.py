from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.correlation import pearson_rows, spearman_rows
from steelyard.stats.kendall import kendall_rows
from steelyard.stats.metric_permutation import (
    pearson_permutation_matrix,
    segment_permutation_matrix,
    statistic_permutation_matrix,
)
from steelyard.stats.pairwise_accuracy import pairwise_accuracy_rows

OfTwo = Callable[[FloatArray, FloatArray], float]


def mean_pearson(people: FloatArray, metric: FloatArray) -> float:
    """The mean over groups (G, m), by the textbook; groups that do not vary are left out."""
    found = []
    for judged, scored in zip(people, metric, strict=True):
        known = ~(np.isnan(judged) | np.isnan(scored))
        one, other = judged[known], scored[known]
        if len(one) > 1 and np.ptp(one) > 0 and np.ptp(other) > 0:
            one, other = one - one.mean(), other - other.mean()
            found.append((one @ other) / np.sqrt((one @ one) * (other @ other)))
    return float(np.mean(found)) if found else 0.0


def standard(scores: FloatArray, known: BoolArray) -> FloatArray:
    return (scores - scores[known].mean()) / scores[known].std()


def every_exchange(people: FloatArray, first: FloatArray, second: FloatArray, statistic: OfTwo) -> float:
    """Share of all exchanges of single scores after which the first metric is no less ahead."""
    known = ~(np.isnan(people) | np.isnan(first) | np.isnan(second))
    first, second = standard(first, known), standard(second, known)
    people = np.where(known, people, np.nan)
    observed = statistic(people, first) - statistic(people, second)
    count = 0
    for swaps in product([False, True], repeat=int(known.sum())):
        swapped = np.zeros(known.shape, dtype=np.bool_)
        swapped[known] = swaps
        mixed, rest = np.where(swapped, second, first), np.where(swapped, first, second)
        count += statistic(people, mixed) - statistic(people, rest) >= observed - 1e-10
    return count / 2 ** int(known.sum())


@pytest.fixture(params=range(4))
def groups(request: pytest.FixtureRequest) -> tuple[FloatArray, FloatArray]:
    """People's scores of two groups of four or three of three, some absent, and three metrics'."""
    rng = np.random.default_rng(request.param)
    people = rng.normal(size=(3, 3) if request.param % 2 else (2, 4)).round(1)
    metrics = people + rng.normal(size=(3, *people.shape))
    if request.param >= 2:
        people[0, 1] = np.nan
        metrics[1, 1, 2] = np.nan
    return people, metrics


def test_few_scores_give_the_share_of_all_exchanges(groups: tuple[FloatArray, FloatArray]) -> None:
    people, metrics = groups

    found = pearson_permutation_matrix(people, metrics, rng=np.random.default_rng(1))

    assert found[0, 1] == pytest.approx(every_exchange(people, metrics[0], metrics[1], mean_pearson))
    assert found[2, 0] == pytest.approx(every_exchange(people, metrics[2], metrics[0], mean_pearson))


def test_a_case_by_hand() -> None:
    # Standardised scores are -1, 0, 1 and 0, -1, 1 times a number; exchanging the third changes nothing. Of
    # the first two, none exchanged: correlations 1 and .5. Both: .5 and 1. One: mixtures 0 0 1 and -1 -1 1,
    # .866 each. Ahead by .5 is only the first, with the third exchanged or not: two of eight.
    people = np.array([1.0, 2.0, 3.0])
    metrics = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]])

    found = pearson_permutation_matrix(people, metrics, rng=np.random.default_rng(1))

    assert found[0, 1] == pytest.approx(2 / 8)
    assert found[1, 0] == 1


def by_draws(
    people: FloatArray, first: FloatArray, second: FloatArray, draws: int, rng: np.random.Generator
) -> float:
    """The test as it is described, one exchange at a time."""
    known = ~(np.isnan(people) | np.isnan(first) | np.isnan(second))
    first, second = standard(first, known), standard(second, known)
    people = np.where(known, people, np.nan)
    observed = mean_pearson(people, first) - mean_pearson(people, second)
    count = 0
    for _ in range(draws):
        swapped = rng.random(people.shape) < 0.5
        mixed, rest = np.where(swapped, second, first), np.where(swapped, first, second)
        count += mean_pearson(people, mixed) - mean_pearson(people, rest) >= observed
    return (1 + count) / (1 + draws)


@pytest.mark.parametrize("shape", [(1, 60), (4, 15), (15, 4)])
def test_many_scores_give_what_single_draws_give(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    people = rng.normal(size=shape)
    first, second = people + rng.normal(size=(2, *shape)) * np.array([1.0, 1.2])[:, None, None]
    people[rng.random(shape) < 0.1] = np.nan

    found = pearson_permutation_matrix(people, np.stack([first, second]), draws=4000, rng=rng)[0, 1]

    expected = by_draws(people, first, second, 300, np.random.default_rng(3))
    # Four standard errors of the difference.
    assert found == pytest.approx(expected, abs=4 * 0.5 * np.sqrt(1 / 4000 + 1 / 300))


def test_p_is_a_whole_number_of_draws_and_never_zero() -> None:
    rng = np.random.default_rng(4)
    people = rng.normal(size=200)
    metrics = np.stack([people + 0.1 * rng.normal(size=200), rng.normal(size=200)])

    found = pearson_permutation_matrix(people, metrics, draws=99, rng=rng)

    assert found[0, 1] == pytest.approx(1 / 100)
    assert found[1, 0] == 1


def test_pooled_scores_are_one_group() -> None:
    rng = np.random.default_rng(5)
    people, metrics = rng.normal(size=40), rng.normal(size=(3, 40))

    flat, grouped = (
        pearson_permutation_matrix(*each, rng=np.random.default_rng(6))
        for each in ((people, metrics), (people[None, :], metrics[:, None, :]))
    )

    assert np.array_equal(flat, grouped, equal_nan=True)


@pytest.mark.parametrize("factor", [0.01, -1.0])
def test_units_of_metrics_do_not_matter_but_their_direction_does(factor: float) -> None:
    rng = np.random.default_rng(7)
    people = rng.normal(size=50)
    metrics = people + rng.normal(size=(2, 50))
    other = metrics.copy()
    other[0] = factor * other[0] + 3

    found, changed = (
        pearson_permutation_matrix(people, each, rng=np.random.default_rng(8))[0, 1]
        for each in (metrics, other)
    )

    assert changed == (pytest.approx(found) if factor > 0 else 1.0)


def test_the_same_metric_twice_is_never_told_apart() -> None:
    rng = np.random.default_rng(9)
    people, metric = rng.normal(size=(2, 300))

    found = pearson_permutation_matrix(people, np.stack([metric, 2 * metric - 1]), rng=rng)

    assert (found[0, 1], found[1, 0]) == (1.0, 1.0)


def test_a_metric_that_does_not_vary_cannot_be_tested() -> None:
    rng = np.random.default_rng(10)
    people = rng.normal(size=30)
    metrics = np.stack([people, np.full(30, 0.1), rng.normal(size=30)])

    found = pearson_permutation_matrix(people, metrics, rng=rng)

    assert np.isnan(found).tolist() == [[True, True, False], [True, True, True], [False, True, True]]


def test_groups_of_which_people_say_the_same_are_left_out() -> None:
    rng = np.random.default_rng(11)
    people, metrics = rng.normal(size=(2, 5)), rng.normal(size=(2, 2, 5))
    more, alike = rng.normal(size=(2, 1, 5)), np.full((1, 5), 0.1)
    data = np.concatenate([people, alike]), np.concatenate([metrics, more], axis=1)

    # Standardised over one more group, and its scores exchanged to no effect: 32 times as many ways.
    found = pearson_permutation_matrix(*data, draws=20_000, rng=rng)[0, 1]

    scaled = [standard(metric, np.ones((3, 5), dtype=np.bool_))[:2] for metric in data[1]]
    expected = np.mean(
        [
            mean_pearson(people, np.where(swap, scaled[1], scaled[0]))
            - mean_pearson(people, np.where(swap, scaled[0], scaled[1]))
            >= mean_pearson(people, scaled[0]) - mean_pearson(people, scaled[1]) - 1e-10
            for swap in (np.array(swaps).reshape(2, 5) for swaps in product([False, True], repeat=10))
        ]
    )
    assert found == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(20_000))


def test_each_two_metrics_are_compared_where_both_have_scores() -> None:
    rng = np.random.default_rng(12)
    people, metrics = rng.normal(size=11), rng.normal(size=(3, 11))
    metrics[0, :3], metrics[2, 6:8] = np.nan, np.nan

    found = pearson_permutation_matrix(people, metrics, rng=rng)

    pair = every_exchange(people[None, :], metrics[0][None, :], metrics[2][None, :], mean_pearson)
    assert found[0, 2] == pytest.approx(pair)


def test_few_scores_among_many_that_are_absent_are_still_exchanged_in_all_ways() -> None:
    rng = np.random.default_rng(18)
    people, metrics = np.full((100, 100), np.nan), rng.normal(size=(2, 100, 100))
    people[3, 10:15], people[70, 20:24] = rng.normal(size=5), rng.normal(size=4)

    found = pearson_permutation_matrix(people, metrics, rng=rng)

    expected = every_exchange(people[[3, 70], 10:24], *metrics[:, [3, 70], 10:24], mean_pearson)
    assert found[0, 1] == pytest.approx(expected)


def test_the_same_seed_gives_the_same_answer() -> None:
    rng = np.random.default_rng(13)
    people, metrics = rng.normal(size=40), rng.normal(size=(2, 40))

    one, other = (pearson_permutation_matrix(people, metrics, rng=np.random.default_rng(3)) for _ in range(2))

    assert np.array_equal(one, other, equal_nan=True)


def test_under_the_null_five_percent_are_rejected() -> None:
    rng = np.random.default_rng(14)
    p_values = []
    for _ in range(60):
        people = rng.normal(size=40)
        metrics = people + rng.normal(size=(4, 40))
        found = pearson_permutation_matrix(people, metrics, draws=199, rng=rng)
        p_values += [found[0, 1], found[2, 3]]

    # Four standard errors of a share of .05 in 120.
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 120))


@pytest.mark.parametrize(
    ("of_rows", "of_two"),
    [
        (spearman_rows, lambda people, metric: float(spearmanr(people[0], metric[0]).statistic)),
        (kendall_rows, lambda people, metric: float(kendalltau(people[0], metric[0]).statistic)),
        (pearson_rows, mean_pearson),
    ],
)
def test_any_statistic_gives_the_share_of_all_exchanges(
    of_rows: Callable[[FloatArray, FloatArray], FloatArray], of_two: OfTwo
) -> None:
    rng = np.random.default_rng(15)
    people, metrics = rng.normal(size=7), rng.normal(size=(3, 7))

    found = statistic_permutation_matrix(people, metrics, of_rows, rng=rng)

    rows = people[None, :], metrics[1][None, :], metrics[2][None, :]
    assert found[1, 2] == pytest.approx(every_exchange(*rows, of_two))


@pytest.mark.parametrize("n_systems", [9, 30])
def test_the_slow_way_gives_what_the_short_cut_gives(n_systems: int) -> None:
    rng = np.random.default_rng(16)
    people = rng.normal(size=n_systems)
    metrics = people + rng.normal(size=(3, n_systems))
    people[2], metrics[1, 5] = np.nan, np.nan

    slow = statistic_permutation_matrix(
        people, metrics, pearson_rows, draws=3000, rng=np.random.default_rng(1)
    )
    fast = pearson_permutation_matrix(people, metrics, draws=3000, rng=np.random.default_rng(2))

    # With nine systems both try all exchanges; with thirty both draw.
    tolerance = 1e-12 if n_systems == 9 else 4 * 0.5 * np.sqrt(2 / 3000)
    assert slow == pytest.approx(fast, abs=tolerance, nan_ok=True)


def test_accuracies_of_systems_are_compared_exactly() -> None:
    # The second metric errs in the pair 0-1 alone. Exchanging neither or both of the two scores, or only one:
    # 0 0 or 1 1, tied, is wrong for both mixtures. Only not at all is the first ahead by 1/3: two of eight,
    # as the third score changes nothing.
    people = np.array([0.0, 1.0, 2.0])
    metrics = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]])

    found = statistic_permutation_matrix(
        people, metrics, pairwise_accuracy_rows, rng=np.random.default_rng(1)
    )

    assert found[0, 1] == pytest.approx(2 / 8)


def test_a_statistic_without_a_value_cannot_be_tested() -> None:
    people = np.arange(6.0)

    found = statistic_permutation_matrix(
        people, np.stack([people, np.ones(6)]), spearman_rows, rng=np.random.default_rng(1)
    )

    assert np.isnan(found).all()


def test_exchanges_of_segments_by_hand() -> None:
    # Differences .1, .2, .4 and one unknown: only no flip at all has so large a sum; 1 of 8.
    values = np.array([[0.6, 0.7, 0.9, 0.5], [0.5, 0.5, 0.5, np.nan]])

    found = segment_permutation_matrix(values, rng=np.random.default_rng(1))

    assert found[0, 1] == pytest.approx(1 / 8)
    assert found[1, 0] == 1


@pytest.mark.parametrize("n_absent", [0, 5])
def test_exchanges_of_up_to_twelve_segments_are_all_tried_however_few_draws(n_absent: int) -> None:
    rng = np.random.default_rng(19)
    known = rng.normal(size=(2, 12))
    # Segments that one of the two lacks are no units.
    values = np.concatenate([known, np.full((2, n_absent), np.nan)], axis=1)
    values[0, 12:] = 1.0

    found = segment_permutation_matrix(values, draws=10, rng=rng)

    difference = known[0] - known[1]
    means = np.array(list(product([-1, 1], repeat=12))) @ difference
    assert found[0, 1] == np.mean(means >= difference.sum() - 1e-9)
    assert found[1, 0] == np.mean(means <= difference.sum() + 1e-9)


def test_exchanges_of_more_segments_are_drawn_as_often_as_asked() -> None:
    rng = np.random.default_rng(20)
    values = np.stack([np.ones(13), np.zeros(13)])

    found = segment_permutation_matrix(values, draws=10, rng=rng)

    # No draw reaches the difference of the data, which count as one draw more.
    assert found[0, 1] == 1 / 11


def test_input_stays_as_it_was() -> None:
    rng = np.random.default_rng(17)
    people, metrics = rng.normal(size=(3, 5)), rng.normal(size=(2, 3, 5))
    people[0, 0] = np.nan
    before = people.copy(), metrics.copy()

    pearson_permutation_matrix(people, metrics, rng=rng)

    assert np.array_equal(people, before[0], equal_nan=True)
    assert np.array_equal(metrics, before[1], equal_nan=True)


@pytest.mark.parametrize(
    "test",
    [
        lambda rng: pearson_permutation_matrix(np.arange(3.0), np.ones((2, 3)), draws=0, rng=rng),
        lambda rng: segment_permutation_matrix(np.ones((2, 3)), draws=0, rng=rng),
    ],
)
def test_draws_must_be_some(test: Callable[[np.random.Generator], FloatArray]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        test(np.random.default_rng(1))
