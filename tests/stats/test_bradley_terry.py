from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy import optimize

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.bradley_terry import (
    PRIOR_SD,
    SLOPE_SD,
    PairedOutcomes,
    Strengths,
    fit_strengths,
    separated_groups,
    unlinked_groups,
)
from steelyard.stats.strength_errors import (
    combined_errors,
    strength_errors,
    strength_influence,
    strength_intervals,
    strength_p_values,
)
from steelyard.stats.tied_outcomes import TIE_MODELS, TieModel, outcome_probabilities

# Games of the American League's eastern division in 1987: how often the team of the row beat that of the
# column. Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
BASEBALL = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
# Log strengths relative to Baltimore and their errors, as in the vignette of the R package BradleyTerry2.
ABILITIES = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839]
ERRORS = [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319]
every_model = pytest.mark.parametrize("ties", TIE_MODELS)


def _outcomes(
    rows: list[tuple[int, int, int, float]],
    *,
    worker: list[int] | None = None,
    segment: list[int] | None = None,
) -> PairedOutcomes:
    first, second, outcome, count = (np.array(column) for column in zip(*rows, strict=True))
    nobody = np.zeros(len(rows), dtype=np.int64)
    return PairedOutcomes(
        first,
        second,
        outcome,
        count.astype(np.float64),
        nobody if worker is None else np.array(worker),
        nobody if segment is None else np.array(segment),
    )


def _from_wins(wins: IntArray) -> PairedOutcomes:
    first, second = np.nonzero(wins)
    rows = list(
        zip(first.tolist(), second.tolist(), [1] * len(first), wins[first, second].tolist(), strict=True)
    )
    return _outcomes(rows)


def _simulated(
    rng: np.random.Generator,
    *,
    strength: FloatArray,
    n_workers: int = 20,
    n_segments: int = 50,
    per_worker: int = 40,
    worker_sd: float = 0.0,
    segment_sd: float = 0.0,
    slope: FloatArray | None = None,
    ties: TieModel = "davidson",
    tie: float = 0.3,
) -> PairedOutcomes:
    """Comparisons of random pairs; workers and segments have their own tastes."""
    n_systems = len(strength)
    of_worker = strength + rng.normal(0, worker_sd, (n_workers, n_systems))
    of_segment = rng.normal(0, segment_sd, (n_segments, n_systems))
    worker = np.repeat(np.arange(n_workers), per_worker)
    n = len(worker)
    segment = rng.integers(n_segments, size=n)
    first = rng.integers(n_systems, size=n)
    second = (first + 1 + rng.integers(n_systems - 1, size=n)) % n_systems
    seen = of_worker[worker] + of_segment[segment]
    apart = seen[np.arange(n), first] - seen[np.arange(n), second]
    apart = apart if slope is None else apart * slope[worker]
    chance = outcome_probabilities(apart, tie, ties=ties).cumsum(axis=1)
    outcome = 1 - (rng.random(n)[:, None] > chance[:, :2]).sum(axis=1)
    return PairedOutcomes(first, second, outcome, np.ones(n), worker, segment)


def _minus_log_probability(values: FloatArray, data: PairedOutcomes, n: int, ties: TieModel) -> float:
    """Written from the papers' formulas with plain powers of the strengths, one comparison at a time."""
    strength, tie = np.exp(values[:n]), values[n]
    total = -float(np.sum(values[: n + 1] ** 2)) / (2 * PRIOR_SD**2)
    for i, j, outcome, count in zip(data.first, data.second, data.outcome, data.count, strict=True):
        if ties == "davidson":
            drawn = np.exp(tie) * np.sqrt(strength[i] * strength[j])
            bottom = strength[i] + strength[j] + drawn
            chance = {1: strength[i], 0: drawn, -1: strength[j]}[int(outcome)] / bottom
        else:
            theta = np.exp(tie)
            win = strength[i] / (strength[i] + theta * strength[j])
            loss = strength[j] / (strength[j] + theta * strength[i])
            chance = {1: win, 0: 1 - win - loss, -1: loss}[int(outcome)]
        total += count * log(max(chance, 1e-300))
    return -total


def test_two_systems_differ_by_the_log_odds() -> None:
    data = _outcomes([(0, 1, 1, 30), (0, 1, -1, 10)])

    found = fit_strengths(data, n_systems=2, prior_sd=np.inf)

    np.testing.assert_allclose(found.log_strength, [log(3) / 2, -log(3) / 2], atol=1e-9)


def test_ties_of_two_systems_give_davidsons_parameter_by_hand() -> None:
    # Win, tie and loss as e^(d/2) : nu : e^(-d/2), so nu is ties over the geometric mean of the others.
    data = _outcomes([(0, 1, 1, 32), (0, 1, 0, 12), (0, 1, -1, 8)])

    found = fit_strengths(data, n_systems=2, prior_sd=np.inf)

    assert found.tie is not None
    assert np.exp(found.tie) == pytest.approx(12 / 16)
    assert found.log_strength[0] - found.log_strength[1] == pytest.approx(log(4))


def test_ties_of_two_systems_give_rao_and_kuppers_threshold_by_hand() -> None:
    # Wins 32 of 52 are the logistic of d - t, losses 8 of 52 that of -d - t.
    data = _outcomes([(0, 1, 1, 32), (0, 1, 0, 12), (0, 1, -1, 8)])

    found = fit_strengths(data, n_systems=2, ties="rao-kupper", prior_sd=np.inf)

    won, lost = log(32 / 20), log(8 / 44)
    assert found.tie == pytest.approx(-(won + lost) / 2)
    assert found.log_strength[0] - found.log_strength[1] == pytest.approx((won - lost) / 2)


def test_published_strengths_and_errors_of_baseball_teams_are_reproduced() -> None:
    data = _from_wins(BASEBALL)

    found = fit_strengths(data, n_systems=7, prior_sd=np.inf)
    errors = strength_errors(data, found)

    against_last = np.eye(7)[:6] - np.eye(7)[6]
    np.testing.assert_allclose(against_last @ found.log_strength, ABILITIES, atol=6e-5)
    np.testing.assert_allclose(errors.deviation(against_last), ERRORS, atol=6e-5)


@every_model
def test_strengths_are_those_that_a_general_optimiser_finds(ties: TieModel) -> None:
    data = _simulated(np.random.default_rng(3), strength=np.array([0.9, 0.1, -1.0]), per_worker=10)

    found = fit_strengths(data, n_systems=3, ties=ties)

    start = np.array([0.0, 0.0, 0.0, 0.5])
    best = optimize.minimize(_minus_log_probability, start, args=(data, 3, ties), method="Nelder-Mead")
    best = optimize.minimize(_minus_log_probability, best.x, args=(data, 3, ties), tol=1e-10)
    # Along the mean of all strengths only the prior bends, where a general optimiser is blunt.
    best_strength = best.x[:3] - best.x[:3].mean()
    np.testing.assert_allclose([*found.log_strength, found.tie], [*best_strength, best.x[3]], atol=2e-5)


def _minus_log_joint(values: FloatArray, data: PairedOutcomes, n: int) -> float:
    """Of log strengths, the tie parameter and slopes together, after Davidson."""
    apart = (values[data.first] - values[data.second]) * values[n + 1 :][data.worker]
    chance = outcome_probabilities(apart, values[n], ties="davidson")
    said = np.log(chance[np.arange(len(apart)), 1 - data.outcome])
    prior = np.sum(values[: n + 1] ** 2) / PRIOR_SD**2 + np.sum((values[n + 1 :] - 1) ** 2) / SLOPE_SD**2
    return float(prior / 2 - np.sum(said))


def test_slopes_and_strengths_are_jointly_the_most_probable() -> None:
    slope = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    data = _simulated(
        np.random.default_rng(4), strength=np.array([1.0, 0.0, -1.0]), n_workers=5, slope=slope, per_worker=80
    )

    found = fit_strengths(data, n_systems=3, learn_slopes=True)

    start = np.array([0, 0, 0, 0.0, 1, 1, 1, 1, 1])
    best = optimize.minimize(_minus_log_joint, start, args=(data, 3), tol=1e-9)
    np.testing.assert_allclose([*found.log_strength, found.tie, *found.slope], best.x, atol=1e-4)


def test_slopes_settle_where_many_comparisons_leave_their_scale_to_the_prior() -> None:
    slope = np.array([0.2, 0.8, 2.0])
    data = _simulated(
        np.random.default_rng(5),
        strength=np.array([2.0, 0.0, -2.0]),
        n_workers=3,
        slope=slope,
        per_worker=4000,
    )

    found = fit_strengths(data, n_systems=3, learn_slopes=True)

    values = np.array([*found.log_strength, found.tie or 0.0, *found.slope])
    gradient = optimize.approx_fprime(values, _minus_log_joint, 1e-6, data, 3)
    # Differences of a sum near 10,000 are good to about 0.01 here; a thousandth off, slopes alone pull by 1.
    np.testing.assert_allclose(gradient, 0, atol=0.05)


def test_a_worker_who_answers_at_random_gets_a_slope_near_0() -> None:
    slope = np.array([0.0, *[1.0] * 9])
    data = _simulated(
        np.random.default_rng(5), strength=np.linspace(-1, 1, 5), n_workers=10, slope=slope, per_worker=200
    )

    found = fit_strengths(data, n_systems=5, learn_slopes=True)

    assert abs(found.slope[0]) < 0.25
    assert found.slope[1:].min() > 0.6


@every_model
def test_probabilities_sum_to_1_and_turn_with_the_sides(ties: TieModel) -> None:
    difference = np.linspace(-6, 6, 25)

    chance = outcome_probabilities(difference, 0.7, ties=ties)

    np.testing.assert_allclose(chance.sum(axis=1), 1)
    np.testing.assert_allclose(chance, chance[::-1, ::-1], atol=1e-15)


@every_model
def test_shuffled_rows_swapped_sides_and_other_names_change_nothing(ties: TieModel) -> None:
    data = _simulated(np.random.default_rng(6), strength=np.linspace(1, -1, 4), worker_sd=0.3)
    order = np.random.default_rng(1).permutation(len(data.first))
    names = np.array([2, 0, 3, 1])
    changed = PairedOutcomes(
        names[data.second[order]],
        names[data.first[order]],
        -data.outcome[order],
        data.count[order],
        (7 * data.worker[order] + 3) % 20,
        data.document[order],
    )

    found, other = (fit_strengths(one, n_systems=4, ties=ties, learn_slopes=True) for one in (data, changed))
    p_values, others = (
        strength_p_values(one.log_strength, strength_errors(rows, one))
        for one, rows in ((found, data), (other, changed))
    )

    np.testing.assert_allclose(other.log_strength[names], found.log_strength, atol=1e-6)
    np.testing.assert_allclose(others[np.ix_(names, names)], p_values, atol=1e-6)


def test_counts_are_worth_as_much_as_repeated_rows() -> None:
    once = _outcomes([(0, 1, 1, 1), (1, 2, 1, 1), (0, 2, -1, 1), (0, 1, -1, 1)])
    thrice = replace(once, count=3 * once.count)
    repeated = PairedOutcomes(*(np.tile(getattr(once, name), 3) for name in PairedOutcomes.__slots__))

    found, expected = fit_strengths(thrice, n_systems=3), fit_strengths(repeated, n_systems=3)

    np.testing.assert_allclose(found.log_strength, expected.log_strength, atol=1e-9)


def test_a_system_that_always_wins_has_a_finite_strength_and_a_wide_interval() -> None:
    rows = [(0, 1, 1, 1)] * 30 + [(1, 2, 1, 1), (1, 2, -1, 1)] * 15
    data = _outcomes(rows, worker=[i % 10 for i in range(60)], segment=list(range(60)))

    found = fit_strengths(data, n_systems=3)
    errors = strength_errors(data, found)
    lower, upper = strength_intervals(found.log_strength, errors, level=0.95)
    p_values = strength_p_values(found.log_strength, errors)

    assert found.log_strength[0] < 4
    assert upper[0] - lower[0] > 2
    assert p_values[0, 1] < 0.05
    assert separated_groups(data, n_systems=3) == [[0], [1, 2]]


def test_all_ties_are_no_difference() -> None:
    data = _outcomes([(0, 1, 0, 20), (1, 2, 0, 20)])

    found = fit_strengths(data, n_systems=3)

    np.testing.assert_allclose(found.log_strength, 0, atol=1e-9)
    assert found.tie is not None
    assert found.tie > 2


def test_groups_that_never_met_are_named() -> None:
    data = _outcomes([(0, 2, 1, 5), (2, 0, 1, 5), (1, 3, 1, 5), (1, 3, -1, 5)])

    assert unlinked_groups(data, n_systems=5) == [[0, 2], [1, 3], [4]]
    assert separated_groups(data, n_systems=5) == [[0, 2], [1, 3], [4]]


def test_errors_of_independent_comparisons_are_those_of_the_model() -> None:
    # Every comparison has a worker and a segment of its own, so that clusters say what the model says.
    data = _simulated(np.random.default_rng(8), strength=np.linspace(1, -1, 4), per_worker=200)
    n = len(data.first)
    alone = replace(data, worker=np.arange(n), document=np.arange(n))

    errors = strength_errors(alone, fit_strengths(alone, n_systems=4))

    differences = np.eye(4)[:3] - np.eye(4)[3]
    by_worker, by_model = (
        differences @ matrix @ differences.T for matrix in (errors.by_worker, errors.by_model)
    )
    np.testing.assert_allclose(by_worker, by_model, rtol=0.1)


def test_a_worker_who_repeats_every_answer_adds_nothing_to_what_is_known() -> None:
    data = _simulated(np.random.default_rng(9), strength=np.linspace(1, -1, 4), per_worker=5)
    tenfold = PairedOutcomes(*(np.tile(getattr(data, name), 10) for name in PairedOutcomes.__slots__))
    pair = np.array([[1.0, -1.0, 0.0, 0.0]])

    once, ten = (strength_errors(one, fit_strengths(one, n_systems=4)) for one in (data, tenfold))

    by_worker, of_ten = (pair @ one.by_worker @ pair.T for one in (once, ten))
    np.testing.assert_allclose(of_ten, by_worker, rtol=0.1)
    assert (ten.deviation(pair) > 2.5 * np.sqrt(pair @ ten.by_model @ pair.T)).all()


def test_two_equal_sets_of_strengths_are_known_no_better_than_one() -> None:
    data = _simulated(np.random.default_rng(10), strength=np.linspace(1, -1, 3), worker_sd=0.5)
    found = fit_strengths(data, n_systems=3)
    influence = strength_influence(data, found)

    alone, twice = combined_errors([influence]), combined_errors([influence, influence])

    np.testing.assert_allclose(twice.by_worker, alone.by_worker)
    np.testing.assert_allclose(twice.by_document, alone.by_document)


def test_influence_is_what_leaving_out_a_worker_does() -> None:
    data = _simulated(
        np.random.default_rng(11), strength=np.linspace(1, -1, 3), n_workers=40, per_worker=60, worker_sd=0.3
    )
    found = fit_strengths(data, n_systems=3, learn_slopes=True)
    influence = strength_influence(data, found)

    of_worker = (influence.pull @ influence.effect)[data.worker == 0].sum(axis=0)

    others = PairedOutcomes(*(getattr(data, name)[data.worker > 0] for name in PairedOutcomes.__slots__))
    left = fit_strengths(others, n_systems=3, learn_slopes=True).log_strength
    # First order: the rest is of the size of the worker's share, one in forty.
    change = found.log_strength - left
    np.testing.assert_allclose(of_worker - of_worker.mean(), change, atol=0.1 * np.abs(change).max() + 1e-4)


@pytest.mark.parametrize("learn_slopes", [False, True], ids=["no-slopes", "slopes"])
def test_leaving_out_a_worker_with_half_of_the_comparisons_is_foreseen(learn_slopes: bool) -> None:
    data = _simulated(
        np.random.default_rng(13), strength=np.linspace(1, -1, 3), n_workers=30, per_worker=100, worker_sd=0.3
    )
    data = replace(data, worker=np.where(data.worker < 15, 0, data.worker - 14))
    found = fit_strengths(data, n_systems=3, learn_slopes=learn_slopes)

    foreseen = strength_influence(data, found).without[0]

    others = PairedOutcomes(*(getattr(data, name)[data.worker > 0] for name in PairedOutcomes.__slots__))
    others = replace(others, worker=others.worker - 1)
    change = found.log_strength - fit_strengths(others, n_systems=3, learn_slopes=learn_slopes).log_strength
    # One step of Newton's method, not all of them; without leaving the worker out it would be half of this.
    np.testing.assert_allclose(foreseen - foreseen.mean(), change, atol=0.2 * np.abs(change).max())


def test_a_few_busy_workers_do_not_tell_equal_systems_apart() -> None:
    rng = np.random.default_rng(21)
    rejected, covered = [], []
    for _ in range(150):
        # Of 10 workers one often makes half of the comparisons.
        share = rng.lognormal(0.0, 1.2, 10)
        size = np.maximum(3, 300 * share / share.sum()).astype(int)
        data = _simulated(rng, strength=np.zeros(4), worker_sd=0.8, n_workers=10, per_worker=int(size.max()))
        place = np.arange(len(data.first)) % size.max()
        kept = place < size[data.worker]
        data = PairedOutcomes(*(getattr(data, name)[kept] for name in PairedOutcomes.__slots__))
        found = fit_strengths(data, n_systems=4)
        errors = strength_errors(data, found)
        p_values = strength_p_values(found.log_strength, errors)
        lower, upper = strength_intervals(found.log_strength, errors, level=0.95)
        rejected.append(np.mean(p_values[~np.eye(4, dtype=np.bool_)] < 0.05))
        covered.append(np.mean((lower < 0) & (upper > 0)))

    assert np.mean(rejected) < 0.075
    assert np.mean(covered) > 0.91


@pytest.mark.parametrize(
    ("worker_sd", "segment_sd"), [(0.0, 0.0), (0.6, 0.0), (0.4, 0.4)], ids=["independent", "workers", "both"]
)
def test_equal_systems_are_told_apart_no_more_often_than_the_threshold_allows(
    worker_sd: float, segment_sd: float
) -> None:
    rng = np.random.default_rng(20)
    rejected, covered = [], []
    for _ in range(120):
        data = _simulated(
            rng,
            strength=np.zeros(4),
            worker_sd=worker_sd,
            segment_sd=segment_sd,
            n_workers=15,
            per_worker=30,
        )
        found = fit_strengths(data, n_systems=4)
        errors = strength_errors(data, found)
        p_values = strength_p_values(found.log_strength, errors)
        lower, upper = strength_intervals(found.log_strength, errors, level=0.95)
        rejected.append(np.mean(p_values[~np.eye(4, dtype=np.bool_)] < 0.05))
        covered.append(np.mean((lower < 0) & (upper > 0)))

    # The rates of 120 samples have an error of about 1 %; tests of one sample go together.
    assert 0.01 < np.mean(rejected) < 0.07
    assert np.mean(covered) > 0.93


def test_without_clusters_the_errors_are_those_of_the_model() -> None:
    data = _outcomes([(0, 1, 1, 30), (0, 1, -1, 10)])
    found = fit_strengths(data, n_systems=2, prior_sd=np.inf)

    errors = strength_errors(data, found)

    # The log odds of 30 to 10 have variance 1/30 + 1/10.
    difference = np.array([[1.0, -1.0]])
    assert errors.deviation(difference)[0] == pytest.approx(np.sqrt(1 / 30 + 1 / 10))


def test_inputs_are_left_as_they_are() -> None:
    data = _simulated(np.random.default_rng(12), strength=np.zeros(3))
    before = {name: getattr(data, name).copy() for name in PairedOutcomes.__slots__}

    found: Strengths = fit_strengths(data, n_systems=3, learn_slopes=True)
    strength_errors(data, found)

    for name, array in before.items():
        np.testing.assert_array_equal(getattr(data, name), array)


@every_model
@pytest.mark.parametrize("learn_slopes", [False, True], ids=["plain", "slopes"])
@pytest.mark.parametrize("count", [1.0, 10_000.0], ids=["once", "often"])
def test_every_kind_of_outcomes_has_finite_answers(ties: TieModel, learn_slopes: bool, count: float) -> None:
    rng = np.random.default_rng(13)
    first = rng.integers(5, size=40)
    second = (first + 1 + rng.integers(4, size=40)) % 5
    in_order = np.where(first < second, 1, -1)
    kinds = [
        np.zeros(40, dtype=np.int64),
        in_order,
        np.where(rng.random(40) < 0.9, 0, in_order),
        np.where(rng.random(40) < 0.1, 0, in_order),
        rng.integers(-1, 2, size=40),
    ]
    for outcome in kinds:
        for n in (1, 2, 40):
            data = PairedOutcomes(
                first[:n],
                second[:n],
                outcome[:n],
                np.full(n, count),
                rng.integers(4, size=n),
                rng.integers(6, size=n),
            )

            found = fit_strengths(data, n_systems=5, ties=ties, learn_slopes=learn_slopes)
            errors = strength_errors(data, found)
            lower, upper = strength_intervals(found.log_strength, errors, level=0.95)

            assert np.isfinite([found.log_strength, lower, upper]).all()
            assert (lower <= upper).all()
