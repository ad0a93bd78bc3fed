"""Calibration by simulation: truths drawn from the prior must look like draws from the posterior.

Hundreds of little campaigns that share nothing are sampled at once, as parts of one problem. In each the
truth's rank among some draws is uniform if the sampler is right, whatever the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.gibbs import GibbsOptions, GibbsPriors, sample
from steelyard.stats.worker_model.problem import Normal, WorkerRatings

SETS, ITEMS, WORKERS, SYSTEMS = 600, 6, 3, 2
BOUNDS = (-1.5, 1.5)
# Draws far enough apart to be nearly independent, and how many of them the truth is ranked among.
RANKED, EVERY = 19, 24
OPTIONS = GibbsOptions(sweeps=150 + RANKED * EVERY, warm_up=150, chains=1)

PUBLISHED = GibbsPriors()
PRIORS = {
    "published": PUBLISHED,
    "ties": replace(PUBLISHED, margin=0.3, repeat_sd=0.5),
    "slopes, groups and HITs": GibbsPriors(
        quality=Normal(np.array(0.0), np.array(0.5)),
        slope=Normal(np.array(1.0), np.array(0.25)),
        groups=np.arange(SETS * ITEMS)[:, None] // (ITEMS // SYSTEMS),
        effect=Normal(np.array(0.2), np.array(0.8)),
        hit_sd=0.5,
    ),
    "positive slopes, censored": GibbsPriors(
        slope=Normal(np.array(0.3), np.array(0.7)), positive=True, bounds=BOUNDS, censored=True
    ),
    "clicks and HITs": GibbsPriors(bounds=BOUNDS, contamination=(1.0, 4.0), hit_sd=0.5),
}
UNKNOWNS = {
    "published": ("quality", "offset", "precision"),
    "ties": ("quality", "offset", "precision"),
    "slopes, groups and HITs": ("quality", "offset", "precision", "slope", "effect", "hit_offset"),
    "positive slopes, censored": ("quality", "offset", "precision", "slope"),
    "clicks and HITs": ("quality", "offset", "precision", "contamination", "hit_offset"),
}
CASES = [(name, unknown) for name, unknowns in UNKNOWNS.items() for unknown in unknowns]


@dataclass(frozen=True)
class Truth:
    """What the ratings were made from; a row for each set."""

    quality: FloatArray
    effect: FloatArray
    offset: FloatArray
    slope: FloatArray
    precision: FloatArray
    contamination: FloatArray
    hit_offset: FloatArray


def items_from_prior(name: str, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Qualities (SETS, ITEMS) and effects (SETS, SYSTEMS); with ties, those of many that obey them."""
    priors, pool = PRIORS[name], 12 * SETS if name == "ties" else SETS
    effect = rng.normal(0.2, 0.8, size=(pool, SYSTEMS))
    quality = rng.normal(size=(pool, ITEMS))
    if priors.groups is not None:
        quality = 0.5 * quality + effect.repeat(ITEMS // SYSTEMS, axis=1)
    if name == "ties":
        # Item 0 is better than 1 by the margin; 2 and 3 are alike.
        likeness = np.exp(-0.5 * ((quality[:, 2] - quality[:, 3]) / priors.repeat_sd) ** 2)
        obeys = (quality[:, 0] > quality[:, 1] + priors.margin) & (rng.random(pool) < likeness)
        quality = quality[obeys]
    return quality[:SETS], effect[:SETS]


def slopes_from_prior(priors: GibbsPriors, rng: np.random.Generator) -> FloatArray:
    if priors.slope is None:
        return np.ones((SETS, WORKERS))
    drawn = rng.normal(priors.slope.mean, priors.slope.sd, size=(40, SETS, WORKERS))
    # The first positive one of forty; a third of them are negative.
    first = np.argmax(drawn > 0, axis=0) if priors.positive else np.zeros((SETS, WORKERS), dtype=np.int64)
    return np.take_along_axis(drawn, first[None], axis=0)[0]


def simulated(name: str, rng: np.random.Generator) -> tuple[Truth, WorkerRatings]:
    """Truths from the prior, and everybody's ratings of every item of their set."""
    priors = PRIORS[name]
    quality, effect = items_from_prior(name, rng)
    assert len(quality) == SETS
    truth = Truth(
        quality=quality,
        effect=effect,
        offset=rng.normal(size=(SETS, WORKERS)),
        slope=slopes_from_prior(priors, rng),
        precision=rng.gamma(2.0, 1.0, size=(SETS, WORKERS)),
        contamination=rng.beta(1.0, 4.0, size=(SETS, WORKERS)),
        hit_offset=rng.normal(0, priors.hit_sd or 0.0, size=(SETS, 2 * WORKERS)),
    )
    shape = (SETS, WORKERS, ITEMS)
    # Every worker's first half of the items is one HIT, the rest another.
    value = truth.offset[:, :, None] + truth.hit_offset.reshape(SETS, WORKERS, 2).repeat(ITEMS // 2, axis=2)
    value = value + truth.slope[:, :, None] * quality[:, None, :]
    value = value + rng.normal(size=shape) / np.sqrt(truth.precision)[:, :, None]
    if priors.contamination is not None:
        click = rng.random(shape) < truth.contamination[:, :, None]
        value = np.where(click, rng.uniform(*BOUNDS, size=shape), value)
    if priors.censored:
        value = value.clip(*BOUNDS)
    part, worker, item = (index.ravel() for index in np.indices(shape))
    base = np.arange(SETS)[:, None] * ITEMS
    ties = name == "ties"
    ratings = WorkerRatings(
        item=part * ITEMS + item,
        worker=part * WORKERS + worker,
        value=value.ravel(),
        n_items=SETS * ITEMS,
        n_workers=SETS * WORKERS,
        order=base + np.array([0, 1]) if ties else np.zeros((0, 2), dtype=np.int64),
        repeat=base + np.array([2, 3]) if ties else np.zeros((0, 2), dtype=np.int64),
        hit=(part * WORKERS + worker) * 2 + item // (ITEMS // 2),
    )
    return truth, ratings


@cache
def ranks(name: str, unknown: str) -> FloatArray:
    """How many of the draws are below the truth, (SETS, number of that unknown in a set)."""
    return all_ranks(name)[unknown]


@cache
def all_ranks(name: str) -> dict[str, FloatArray]:
    rng = np.random.default_rng(21)
    truth, ratings = simulated(name, rng)
    draws = sample(ratings, PRIORS[name], OPTIONS, rng)
    return {
        unknown: np.sum(
            getattr(draws, unknown)[EVERY - 1 :: EVERY] < getattr(truth, unknown).ravel(), axis=0
        ).reshape(SETS, -1)
        for unknown in UNKNOWNS[name]
    }


@pytest.mark.parametrize(("name", "unknown"), CASES)
def test_nine_in_ten_truths_are_among_the_middle_draws(name: str, unknown: str) -> None:
    rank = ranks(name, unknown)

    # Of 20 equally likely ranks the two outermost are left out.
    assert 0.87 <= np.mean((rank >= 1) & (rank <= RANKED - 1)) <= 0.93


@pytest.mark.parametrize(("name", "unknown"), CASES)
def test_ranks_of_truths_are_uniform(name: str, unknown: str) -> None:
    # One of each set, because several of a set are not independent.
    rank = ranks(name, unknown)[:, 0]

    assert chisquare(np.bincount(rank, minlength=RANKED + 1)).pvalue > 0.001
