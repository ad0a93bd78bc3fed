"""Moves along directions that the ratings cannot see, where one-at-a-time draws would creep.

All items a little better and all workers a little stricter predict the same ratings, and so do qualities
twice as far apart judged with half the slope. Only the priors tell such states apart, and drawing
qualities given offsets and offsets given qualities moves between them in tiny steps.

A move picks a point on the line (or ray) through the present state with the probability that the
posterior gives it there. What was drawn before remains a draw from the posterior: for a shift, which
changes no volume, this is a Gibbs step in turned coordinates. For a change of scale by the factor c, each
quality and effect stretches volume by c and each slope shrinks it by c, which the acceptance counts.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.gibbs_links import ItemLinks
from steelyard.stats.worker_model.gibbs_model import GibbsModel
from steelyard.stats.worker_model.gibbs_sums import CellSums, ChainState

# Our choice: the share of accepted changes of scale that the step is tuned to during the warm-up.
_ACCEPTED = 0.4


class Shifts:
    """Shifts of all qualities in a connected part against its workers' offsets, or of everything."""

    def __init__(self, sums: CellSums, model: GibbsModel, links: ItemLinks) -> None:
        self.model = model
        item, worker, n_parts = _parts(sums, links)
        self.item, self.worker = item, worker
        self.n_parts = n_parts
        fixed = ~model.free_offset
        # A worker without an offset to give way holds the whole part in place.
        self.loose = np.bincount(worker, fixed, minlength=n_parts) == 0
        self.item_weight = np.bincount(item, model.quality_weight, minlength=n_parts)
        self.columns = [
            (np.unique(column[column >= 0]), np.where(column < 0, model.quality_weight, 0.0))
            for column in model.groups.T
        ]

    def draw(self, state: ChainState, expected: FloatArray, rng: np.random.Generator) -> None:
        """Shift each connected part by its own amount."""
        n, model = self.n_parts, self.model
        if not self.loose.any():
            return
        # A shift by c adds c to qualities and takes slope * c from offsets.
        given = model.offset_weight * state.slope
        weight = self.item_weight + np.bincount(self.worker, given * state.slope, minlength=n)
        pull = np.bincount(self.worker, given * state.offset, minlength=n)
        pull -= np.bincount(self.item, model.quality_weight * (state.quality - expected), minlength=n)
        # Nothing to weigh: a part without items and offsets, where the step has no effect.
        weight[weight == 0] = 1.0
        step = (pull / weight + rng.standard_normal(n) / np.sqrt(weight)) * self.loose
        state.quality = state.quality + step[self.item]
        state.offset = state.offset - state.slope * step[self.worker]

    def draw_with_effects(self, state: ChainState, expected: FloatArray, rng: np.random.Generator) -> None:
        """For each column of groups, shift their effects, all qualities and all offsets together."""
        if not self.loose.all():
            return
        model = self.model
        for members, outside_weight in self.columns:
            if not len(members):
                continue
            given = model.offset_weight * state.slope
            effect_weight = model.effect.sd[members] ** -2
            # Items outside the column's groups move away from their prior mean; the others take it along.
            weight = outside_weight.sum() + effect_weight.sum() + given @ state.slope
            pull = given @ state.offset - outside_weight @ (state.quality - expected)
            pull -= effect_weight @ (state.effect[members] - model.effect.mean[members])
            step = pull / weight + rng.standard_normal() / sqrt(weight)
            effect = state.effect.copy()
            effect[members] += step
            expected = expected + step * (outside_weight == 0)
            state.quality, state.effect = state.quality + step, effect
            state.offset = state.offset - state.slope * step


class Stretch:
    """Changes of scale: qualities and effects times c, slopes divided by c."""

    def __init__(self, model: GibbsModel, links: ItemLinks) -> None:
        self.possible = bool(model.free_slope.all())
        self.model, self.links = model, links
        self.power = len(model.quality.mean) + len(model.effect.mean) - len(model.slope.mean)
        self.log_step = log(0.1)
        self.tries = 0

    def draw(self, state: ChainState, expected: FloatArray, rng: np.random.Generator, *, tune: bool) -> None:
        """Propose a scale and accept it by Metropolis' rule; `tune` the proposals while warming up."""
        if not self.possible:
            return
        model = self.model
        log_factor = exp(self.log_step) * rng.standard_normal()
        factor = exp(log_factor)
        gain = self.power * log_factor
        own = expected - model.quality.mean
        gain += _log_prior_gain(state.quality - own, factor, model.quality.mean, model.quality_weight)
        gain += _log_prior_gain(state.effect, factor, model.effect.mean, model.effect.sd**-2)
        gain += _log_prior_gain(state.slope, 1 / factor, model.slope.mean, model.slope_weight)
        gain += self._log_tie_gain(state.quality, factor)
        accepted = rng.random() < exp(min(gain, 0.0))
        if accepted:
            state.quality, state.effect = factor * state.quality, factor * state.effect
            state.slope = state.slope / factor
        if tune:
            self.tries += 1
            self.log_step += (exp(min(gain, 0.0)) - _ACCEPTED) / sqrt(self.tries)
            self.log_step = min(self.log_step, 0.0)

    def _log_tie_gain(self, quality: FloatArray, factor: float) -> float:
        """Repeat pairs drift apart with the scale; order pairs must keep their margin."""
        links = self.links
        apart = quality[links.repeat[:, 0]] - quality[links.repeat[:, 1]]
        above = quality[links.order[:, 0]] - quality[links.order[:, 1]]
        if np.any(factor * above < links.margin):
            return -np.inf
        return float(0.5 * links.repeat_weight * (1 - factor**2) * (apart @ apart))


def _log_prior_gain(value: FloatArray, factor: float, mean: FloatArray, weight: FloatArray) -> float:
    """How the normal log density changes when the values are multiplied."""
    before, after = value - mean, factor * value - mean
    return float(0.5 * (weight @ (before * before) - weight @ (after * after)))


def _parts(sums: CellSums, links: ItemLinks) -> tuple[IntArray, IntArray, int]:
    """The connected part of each item and each worker, through ratings and ties, and how many there are."""
    n_items, n = sums.n_items, sums.n_items + sums.n_workers
    tied = np.concatenate([links.order, links.repeat])
    one = np.concatenate([sums.item, tied[:, 0]])
    other = np.concatenate([n_items + sums.worker, tied[:, 1]])
    edges = coo_array((np.ones(len(one)), (one, other)), shape=(n, n))
    n_parts, part = connected_components(edges, directed=False)
    return part[:n_items], part[n_items:], n_parts
