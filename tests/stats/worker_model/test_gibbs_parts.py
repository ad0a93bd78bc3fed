"""The parts of the Gibbs sampler by themselves: truncated draws, colours, diagnostics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, truncnorm

from steelyard.stats.worker_model.gibbs_diagnostics import effective_draws, split_rhat
from steelyard.stats.worker_model.gibbs_links import ItemLinks, bundles_of, colours, levels_of, lifted
from steelyard.stats.worker_model.gibbs_truncated import truncated_normal
from steelyard.stats.worker_model.problem import Normal

NOTHING = np.zeros((0, 2), dtype=np.int64)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-np.inf, np.inf),
        (-1.0, 0.5),
        (0.5, np.inf),
        (-np.inf, -3.0),
        (6.0, 6.1),
        (-9.0, -8.0),
        (30.0, np.inf),
    ],
)
def test_truncated_draws_have_the_truncated_distribution(low: float, high: float) -> None:
    n, mean, sd = 4000, 0.3, 1.7
    normal = Normal(np.full(n, mean), np.full(n, sd))

    drawn = truncated_normal(normal, np.full(n, low), np.full(n, high), np.random.default_rng(1))

    expected = truncnorm((low - mean) / sd, (high - mean) / sd, loc=mean, scale=sd)
    assert kstest(drawn, expected.cdf).pvalue > 0.001


@given(
    st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.floats(-1e4, 1e4), st.floats(0, 1e3), st.integers(0, 100)
)
def test_truncated_draws_stay_inside_however_far_out(
    mean: float, sd: float, low: float, width: float, seed: int
) -> None:
    normal = Normal(np.array([mean]), np.array([sd]))
    high = low + width

    drawn = truncated_normal(normal, np.array([low]), np.array([high]), np.random.default_rng(seed))

    assert low <= drawn[0] <= high


edges = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)).filter(lambda pair: pair[0] != pair[1]))


@given(edges)
def test_neighbours_never_share_a_colour(pairs: list[tuple[int, int]]) -> None:
    edge = np.array(pairs, dtype=np.int64).reshape(-1, 2)

    colour = colours(edge, 15)

    assert np.all(colour[edge[:, 0]] != colour[edge[:, 1]])


@given(edges)
def test_there_are_at_most_as_many_colours_as_neighbours_and_one(pairs: list[tuple[int, int]]) -> None:
    edge = np.unique(np.sort(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=1), axis=0)

    colour = colours(edge, 15)

    assert colour.max() <= np.bincount(edge.ravel(), minlength=15).max()
    assert colour.min() == 0


def test_a_long_chain_needs_two_or_three_colours() -> None:
    chain = np.stack([np.arange(9999), np.arange(1, 10_000)], axis=1)

    assert colours(chain, 10_000).max() <= 2


def test_bundles_hold_what_is_tied_directly_or_through_others() -> None:
    bundle = bundles_of(np.array([[1, 2], [5, 2], [4, 6]]), 8)

    assert bundle.tolist() == [-1, 0, 0, -1, 1, 0, 1, -1]


def test_a_level_knows_the_pairs_that_lead_out_of_its_bundles() -> None:
    # Items 0 and 1 are one bundle, 2 another, 3 none; 0 > 2, 2 > 3, and 1 like 3.
    links = ItemLinks(np.array([[0, 2], [2, 3]]), np.array([[1, 3]]), margin=0.0, repeat_weight=1.0)

    levels = levels_of(np.array([0, 0, 1, -1]), links)

    by_label = {tuple(level.label): level for level in levels}
    assert set(by_label) == {(0,), (1,)}
    assert by_label[(0,)].above.T.tolist() == [[0, 0, 2]]
    assert by_label[(0,)].below.size == 0
    assert by_label[(0,)].near.T.tolist() == [[0, 1, 3]]
    assert by_label[(1,)].above.T.tolist() == [[0, 2, 3]]
    assert by_label[(1,)].below.T.tolist() == [[0, 2, 0]]


def test_numbers_without_items_are_no_bundles() -> None:
    levels = levels_of(np.array([3, 3, -1, 5]), ItemLinks(NOTHING, NOTHING, 0.0, 1.0))

    assert [level.label.tolist() for level in levels] == [[3, 5]]


def test_lifting_puts_better_items_above_worse_ones() -> None:
    order = np.array([[0, 1], [1, 2], [3, 2]])

    quality = lifted(
        np.array([-1.0, 0.0, 1.0, 5.0]), ItemLinks(order, NOTHING, margin=0.5, repeat_weight=1.0)
    )

    assert np.all(quality[order[:, 0]] > quality[order[:, 1]] + 0.5)
    assert quality[[2, 3]].tolist() == [1.0, 5.0]


@pytest.mark.parametrize("order", [[[0, 1], [1, 2], [2, 0]], [[1, 1]]])
def test_order_in_a_circle_is_refused(order: list[list[int]]) -> None:
    links = ItemLinks(np.array(order), NOTHING, margin=0.0, repeat_weight=1.0)

    with pytest.raises(ValueError, match="contradict each other"):
        lifted(np.zeros(3), links)


def autoregressive(coefficient: float, seed: int) -> np.ndarray:
    """Four chains of 4,000 draws of 30 quantities, each draw near the one before: (4, 4000, 30)."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(4000, 4, 30))
    draws = np.empty_like(noise)
    draws[0] = noise[0] / np.sqrt(1 - coefficient**2)
    for number in range(1, len(noise)):
        draws[number] = coefficient * draws[number - 1] + noise[number]
    return np.moveaxis(draws, 0, 1)


@pytest.mark.parametrize("coefficient", [0.0, 0.5, 0.9])
def test_effective_draws_of_an_autoregression_are_known(coefficient: float) -> None:
    # The variance of a mean of n draws is (1 + c) / (1 - c) times that of n independent ones.
    expected = 16_000 * (1 - coefficient) / (1 + coefficient)

    assert effective_draws(autoregressive(coefficient, 1)).mean() == pytest.approx(expected, rel=0.06)


def test_chains_of_one_distribution_have_an_rhat_of_one() -> None:
    assert np.all(np.abs(split_rhat(autoregressive(0.5, 2)) - 1) < 0.01)


def test_chains_in_two_places_have_an_rhat_of_their_distance() -> None:
    draws = autoregressive(0.0, 3) + np.array([0, 0, 2, 2])[:, None, None]

    # Half chains have means 0, 0, 0, 0, 2, 2, 2, 2: variance 8/7 beside 1 within.
    assert split_rhat(draws).mean() == pytest.approx(np.sqrt(1 + 8 / 7), rel=0.02)


def test_chains_in_two_places_are_worth_few_draws() -> None:
    draws = autoregressive(0.0, 3) + np.array([0, 0, 2, 2])[:, None, None]

    assert effective_draws(draws).max() < 20


def test_what_never_changes_has_no_diagnostics() -> None:
    fixed = np.ones((2, 100, 1))

    assert np.isnan(split_rhat(fixed)).all()
    assert np.isnan(effective_draws(fixed)).all()
