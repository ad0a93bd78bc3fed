"""A worker's part of a Gibbs sweep: offset, slope, HIT offsets, precision, and clicks at random."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from scipy.special import ndtr

from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.worker_model.gibbs_model import GibbsModel
from steelyard.stats.worker_model.gibbs_sums import CellSums, ChainState
from steelyard.stats.worker_model.gibbs_truncated import truncated_normal
from steelyard.stats.worker_model.problem import Normal

_LEAST_PRECISION = 1e-100


def draw_workers(state: ChainState, sums: CellSums, model: GibbsModel, rng: np.random.Generator) -> None:
    """Draw every worker's slope, offset and HIT offsets together, then the precision."""
    quality = state.quality
    # Sums over a cell's ratings of x, x² and r x for qualities x and ratings r.
    x, xx, rx = sums.weight @ quality, sums.weight @ (quality * quality), sums.weighted @ quality
    owner = sums.cell_worker
    _draw_lines(state, sums, model, (x, xx, rx), rng)
    if sums.by_hit:
        assert model.hit_sd is not None
        precision = state.precision[owner]
        weight = model.hit_sd**-2 + precision * sums.count
        rest = sums.total - state.offset[owner] * sums.count - state.slope[owner] * x
        state.hit_offset = precision * rest / weight + rng.standard_normal(len(weight)) / np.sqrt(weight)
    offset, slope = state.offset[owner] + state.hit_offset, state.slope[owner]
    squares = sums.squares - 2 * (offset * sums.total + slope * rx)
    squares += offset * (offset * sums.count + 2 * slope * x) + slope * slope * xx
    misfit = np.maximum(sums.by_worker(squares), 0.0)
    shape = model.shape + sums.by_worker(sums.count) / 2
    drawn = rng.standard_gamma(shape) / (model.rate + misfit / 2)
    state.precision = np.maximum(drawn, _LEAST_PRECISION)


def _draw_lines(
    state: ChainState,
    sums: CellSums,
    model: GibbsModel,
    of_cells: tuple[FloatArray, FloatArray, FloatArray],
    rng: np.random.Generator,
) -> None:
    """Draw slope and offset from their joint distribution with the HIT offsets integrated out.

    Ratings of one HIT then have covariance I / tau + hit_sd² 1 1', whose inverse is tau (I - k 1 1').
    """
    count, r = sums.count, sums.total
    x, xx, rx = of_cells
    if sums.by_hit:
        assert model.hit_sd is not None
        ratio = model.hit_sd**2 * state.precision[sums.cell_worker]
        k = ratio / (1 + count * ratio)
        rest = 1 - k * count
        count, x, r, xx, rx = count * rest, x * rest, r * rest, xx - k * x * x, rx - k * x * r
    precision = state.precision
    count, x, r, xx, rx = (precision * sums.by_worker(sum_) for sum_ in (count, x, r, xx, rx))
    offset_weight = np.where(model.free_offset, model.offset_weight + count, 1.0)
    gain = np.where(model.free_offset, x / offset_weight, 0.0)
    if np.any(model.free_slope):
        weight = np.maximum(xx - gain * x, 0.0) + np.where(model.free_slope, model.slope_weight, 1.0)
        pull = rx - gain * r + model.slope_weight * model.slope.mean
        state.slope = np.where(
            model.free_slope,
            _draw_slopes(Normal(pull / weight, 1 / np.sqrt(weight)), model.positive, rng),
            model.slope.mean,
        )
    mean = (r - state.slope * x) / offset_weight
    drawn = mean + rng.standard_normal(len(mean)) / np.sqrt(offset_weight)
    state.offset = np.where(model.free_offset, drawn, 0.0)


def _draw_slopes(normal: Normal, positive: bool, rng: np.random.Generator) -> FloatArray:
    if positive:
        return truncated_normal(normal, np.zeros_like(normal.mean), np.full_like(normal.mean, np.inf), rng)
    return normal.mean + normal.sd * rng.standard_normal(len(normal.mean))


class LatentRatings:
    """The ratings behind those at the scale's ends, and which ratings are clicks at random."""

    def __init__(self, sums: CellSums, model: GibbsModel) -> None:
        assert model.bounds is not None
        self.sums = sums
        self.low, self.high = model.bounds
        self.contamination = model.contamination
        # Ends have been standardised, perhaps by another formula than the ratings.
        width = self.high - self.low
        slack = 1e-9 * width
        inside = (sums.value >= self.low - slack) & (sums.value <= self.high + slack)
        self.click_density = np.where(inside, 1 / width, 0.0)
        self.at_low = np.flatnonzero(model.censored & (sums.value <= self.low + slack))
        self.at_high = np.flatnonzero(model.censored & (sums.value >= self.high - slack))

    def draw(self, state: ChainState, rng: np.random.Generator) -> None:
        """Draw both, and count the ratings accordingly from now on."""
        sums = self.sums
        offset = state.offset[sums.cell_worker] + state.hit_offset
        mean = offset[sums.cell] + state.slope[sums.worker] * state.quality[sums.item]
        root = np.sqrt(state.precision)[sums.worker]
        genuine = np.ones(len(mean))
        if self.contamination is not None:
            is_genuine = self._genuine(state, mean, root, rng)
            bad = np.bincount(sums.worker, ~is_genuine, minlength=sums.n_workers)
            good = np.bincount(sums.worker, is_genuine, minlength=sums.n_workers)
            state.contamination = rng.beta(self.contamination[0] + bad, self.contamination[1] + good)
            genuine = is_genuine.astype(np.float64)
        sums.renew(genuine, self._behind(mean, root, rng))

    def _genuine(
        self, state: ChainState, mean: FloatArray, root: FloatArray, rng: np.random.Generator
    ) -> BoolArray:
        """Which ratings are genuine, the latent ratings integrated out."""
        distance = (self.sums.value - mean) * root
        likelihood = root * np.exp(-0.5 * distance * distance) / sqrt(2 * pi)
        likelihood[self.at_low] = ndtr((self.low - mean[self.at_low]) * root[self.at_low])
        likelihood[self.at_high] = ndtr((mean[self.at_high] - self.high) * root[self.at_high])
        clicks = state.contamination[self.sums.worker]
        at_random = clicks * self.click_density
        likelihood *= 1 - clicks
        return rng.random(len(mean)) * (likelihood + at_random) < likelihood

    def _behind(self, mean: FloatArray, root: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The ratings, redrawn beyond the ends where they are at one."""
        value = self.sums.value.copy()
        rows = np.concatenate([self.at_low, self.at_high])
        low = np.repeat([-np.inf, self.high], [len(self.at_low), len(self.at_high)])
        high = np.repeat([self.low, np.inf], [len(self.at_low), len(self.at_high)])
        value[rows] = truncated_normal(Normal(mean[rows], 1 / root[rows]), low, high, rng)
        return value
