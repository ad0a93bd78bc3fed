"""Changes of scale by themselves: what was drawn from the prior must still look so after some of them."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.gibbs_links import ItemLinks
from steelyard.stats.worker_model.gibbs_model import GibbsPriors, model_of
from steelyard.stats.worker_model.gibbs_moves import Stretch
from steelyard.stats.worker_model.gibbs_sums import ChainState
from steelyard.stats.worker_model.problem import Normal, WorkerRatings

POOL, MOVES = 20_000, 3
# Items 0 and 1 are of one group, 2 of another, 3 of none; 0 is better than 2, and 1 and 3 are alike.
ORDER, REPEAT = np.array([[0, 2]]), np.array([[1, 3]])
GROUPS = np.array([[0], [0], [1], [-1]])
PRIORS = GibbsPriors(
    quality=Normal(np.array([0.5, -0.2, 0.1, 0.3]), np.array(0.8)),
    slope=Normal(np.array(0.8), np.array(0.4)),
    positive=True,
    groups=GROUPS,
    effect=Normal(np.array([0.4, -0.6]), np.array([0.7, 0.5])),
    margin=0.2,
    repeat_sd=0.6,
)


def prior_draws(rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Qualities, effects and slopes of two workers that obey the ties: a row for each draw."""
    effect = rng.normal([0.4, -0.6], [0.7, 0.5], size=(POOL, 2))
    mean = np.array([0.5, -0.2, 0.1, 0.3]) + np.where(GROUPS[:, 0] >= 0, effect[:, GROUPS[:, 0]], 0.0)
    quality = rng.normal(mean, 0.8)
    slope = rng.normal(0.8, 0.4, size=(POOL, 2))
    likeness = np.exp(-0.5 * ((quality[:, 1] - quality[:, 3]) / 0.6) ** 2)
    obeys = (quality[:, 0] > quality[:, 2] + 0.2) & (rng.random(POOL) < likeness) & (slope > 0).all(axis=1)
    return quality[obeys], effect[obeys], slope[obeys]


@pytest.fixture(scope="module")
def before_and_after() -> tuple[FloatArray, FloatArray]:
    """Qualities, effects and slopes side by side, of some draws as they were, and of others after moves."""
    nobody = np.zeros(0, dtype=np.int64)
    model = model_of(PRIORS, WorkerRatings(nobody, nobody, np.zeros(0), 4, 2, order=ORDER, repeat=REPEAT))
    stretch = Stretch(model, ItemLinks(ORDER, REPEAT, PRIORS.margin, PRIORS.repeat_sd**-2))
    stretch.log_step = np.log(0.6)
    rng = np.random.default_rng(1)
    after = []
    for quality, effect, slope in zip(*prior_draws(rng), strict=True):
        nothing = np.zeros(2)
        state = ChainState(quality, nothing, slope, np.ones(2), effect, nothing, nothing)
        for _ in range(MOVES):
            expected = model.quality.mean + np.where(GROUPS[:, 0] >= 0, state.effect[GROUPS[:, 0]], 0.0)
            stretch.draw(state, expected, rng, tune=False)
        after.append(np.concatenate([state.quality, state.effect, state.slope]))
    return np.hstack(prior_draws(rng)), np.array(after)


@pytest.mark.parametrize("power", [1, 2])
def test_changes_of_scale_leave_the_prior_as_it_is(
    before_and_after: tuple[FloatArray, FloatArray], power: int
) -> None:
    # The differences across ties too, which the scale changes most.
    before, after = (
        np.column_stack([values, values[:, 0] - values[:, 2], values[:, 1] - values[:, 3]]) ** power
        for values in before_and_after
    )

    error = np.sqrt(before.var(axis=0) / len(before) + after.var(axis=0) / len(after))

    assert np.max(np.abs(before.mean(axis=0) - after.mean(axis=0)) / error) < 4


def test_changes_of_scale_keep_the_margin(before_and_after: tuple[FloatArray, FloatArray]) -> None:
    after = before_and_after[1]

    assert np.all(after[:, 0] > after[:, 2] + PRIORS.margin)


def test_scales_do_change(before_and_after: tuple[FloatArray, FloatArray]) -> None:
    rng = np.random.default_rng(1)
    first = np.hstack(prior_draws(rng))

    moved = np.any(first != before_and_after[1], axis=1)

    assert 0.3 < moved.mean() < 1
