"""Worker models by Gibbs sampling: slow, but with no approximation other than the number of draws.

One sampler for the published model [Mathur2018] and its extensions: slopes, HIT offsets, effects of
systems, bounded scales, clicks at random. The oracle for the fast methods, and a method in its own right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.worker_model.gibbs_diagnostics import effective_draws, split_rhat
from steelyard.stats.worker_model.gibbs_items import GroupEffects, Items, sorted_pairs
from steelyard.stats.worker_model.gibbs_links import ItemLinks, lifted
from steelyard.stats.worker_model.gibbs_model import GibbsModel, GibbsPriors, model_of
from steelyard.stats.worker_model.gibbs_moves import Shifts, Stretch
from steelyard.stats.worker_model.gibbs_sums import CellSums, ChainState
from steelyard.stats.worker_model.gibbs_workers import LatentRatings, draw_workers
from steelyard.stats.worker_model.problem import Gamma, Normal, Posterior, WorkerRatings

__all__ = [
    "GibbsOptions",
    "GibbsPriors",
    "PosteriorDraws",
    "SamplingQuality",
    "posterior_summary",
    "sample",
    "sampling_quality",
]

# Chains that agree so well count as converged. Our choice: between the usual 1.01 and 1.1, because the
# largest of thousands is looked at.
LARGEST_RHAT = 1.05


@dataclass(frozen=True, slots=True)
class GibbsOptions:
    """How long to sample: `sweeps` of each chain, of which the first `warm_up` are dropped.

    Draws are thinned evenly so that at most about `most_values` numbers are kept (4 bytes each).
    """

    sweeps: int = 2000
    warm_up: int = 500
    chains: int = 2
    most_values: int = 50_000_000


@dataclass(frozen=True, slots=True)
class PosteriorDraws:
    """Draws from the posterior, a row each, the chains one after the other; single precision.

    Columns are items (`quality`), workers (`offset`, `slope`, `precision`, `contamination`), groups
    (`effect`) and HITs (`hit_offset`). `contamination` and `hit_offset` are None where the model has no
    such thing. `quality_moments` are means and deviations over every sweep, thinned out or not. `sweeps`
    counts those of one chain, the warm-up included.
    """

    quality: NDArray[np.float32]
    offset: NDArray[np.float32]
    slope: NDArray[np.float32]
    precision: NDArray[np.float32]
    effect: NDArray[np.float32]
    contamination: NDArray[np.float32] | None
    hit_offset: NDArray[np.float32] | None
    quality_moments: Normal
    chains: int
    sweeps: int


@dataclass(frozen=True, slots=True)
class SamplingQuality:
    """The worst split-R-hat and the smallest number of effective draws among everything drawn."""

    largest_rhat: float
    smallest_ess: float


def sample(
    ratings: WorkerRatings, priors: GibbsPriors, options: GibbsOptions, rng: np.random.Generator
) -> PosteriorDraws:
    """Draws from the posterior of a worker model.

    The same generator gives the same draws, in whatever order the ratings come. ValueError for priors
    that make no sense and for order pairs that contradict each other.

    >>> two = WorkerRatings(np.array([0, 1]), np.array([0, 0]), np.array([1.0, -1.0]), 2, 1)
    >>> draws = sample(two, GibbsPriors(), GibbsOptions(sweeps=300, warm_up=100), np.random.default_rng(1))
    >>> draws.quality.shape
    (400, 2)
    """
    if not (options.chains >= 1 and options.sweeps - options.warm_up >= 4 and options.warm_up >= 0):
        raise ValueError("options: one chain at least, and four sweeps more than the warm-up.")
    if not np.all(np.isfinite(ratings.value)):
        raise ValueError("value: ratings must be numbers.")
    model = model_of(priors, ratings)
    records = [_run_chain(ratings, model, options, own) for own in rng.spawn(options.chains)]
    return _joined(records, model, options)


def sampling_quality(draws: PosteriorDraws) -> SamplingQuality:
    """How well the draws represent the posterior. NaN where nothing was drawn that varies."""
    shape = (draws.chains, len(draws.quality) // draws.chains, -1)
    parts = [draws.quality, draws.offset, draws.slope, np.log(draws.precision), draws.effect]
    parts += [part for part in (draws.contamination, draws.hit_offset) if part is not None]
    columns = np.concatenate([part.reshape(*shape[:2], part.shape[1]) for part in parts], axis=2)
    rhat, ess = split_rhat(columns), effective_draws(columns)
    if np.all(np.isnan(rhat)):
        return SamplingQuality(np.nan, np.nan)
    return SamplingQuality(float(np.nanmax(rhat)), float(np.nanmin(ess)))


def posterior_summary(draws: PosteriorDraws) -> Posterior:
    """Means and deviations of the draws; precisions as the Gamma distributions with these.

    `converged` if the largest split-R-hat is at most 1.05; `change` is the largest Monte Carlo error
    of a mean in posterior deviations.
    """
    quality = sampling_quality(draws)
    precision = _moments(draws.precision)
    # A precision known beforehand hardly varies; its distribution stays proper.
    sd = np.maximum(precision.sd, 1e-6 * precision.mean)
    shape = (precision.mean / sd) ** 2
    return Posterior(
        quality=draws.quality_moments,
        offset=_moments(draws.offset),
        slope=_moments(draws.slope),
        precision=Gamma(shape, shape / precision.mean),
        converged=bool(quality.largest_rhat <= LARGEST_RHAT),
        sweeps=draws.sweeps,
        change=float(1 / np.sqrt(quality.smallest_ess)),
        contamination=None if draws.contamination is None else _moments(draws.contamination).mean,
        hit_offset=None if draws.hit_offset is None else _moments(draws.hit_offset),
    )


def _moments(draws: NDArray[np.float32]) -> Normal:
    return Normal(draws.mean(axis=0, dtype=np.float64), draws.std(axis=0, dtype=np.float64, ddof=1))


@dataclass(frozen=True, slots=True)
class _Record:
    """What is kept of one chain: flat draws, and sums over all sweeps for the qualities."""

    draws: NDArray[np.float32]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    count: int


def _run_chain(
    ratings: WorkerRatings, model: GibbsModel, options: GibbsOptions, rng: np.random.Generator
) -> _Record:
    """One chain from its start to its end."""
    chain = _Chain(ratings, model, rng)
    for _ in range(options.warm_up):
        chain.sweep(tune=True)
    count = options.sweeps - options.warm_up
    width = len(chain.flat())
    every = min(max(1, -(-count * width * options.chains // options.most_values)), count // 4)
    kept = np.empty((count // every, width), dtype=np.float32)
    total, squares = np.zeros(ratings.n_items), np.zeros(ratings.n_items)
    for number in range(count):
        chain.sweep(tune=False)
        total += chain.state.quality
        squares += chain.state.quality**2
        if (number + 1) % every == 0:
            kept[number // every] = chain.flat()
    return _Record(kept, total, squares, count)


def _joined(records: list[_Record], model: GibbsModel, options: GibbsOptions) -> PosteriorDraws:
    """The chains as one table, cut into its parts again."""
    draws = np.concatenate([record.draws for record in records])
    n_items, n_workers, n_groups = len(model.quality.mean), len(model.shape), len(model.effect.mean)
    sizes = [n_items, n_workers, n_workers, n_workers, n_groups, n_workers]
    parts = np.split(draws, np.cumsum(sizes), axis=1)
    count = sum(record.count for record in records)
    mean = sum((record.total for record in records), np.zeros(n_items)) / count
    squares = sum((record.squares for record in records), np.zeros(n_items))
    variance = np.maximum(squares - count * mean**2, 0.0) / (count - 1)
    return PosteriorDraws(
        quality=parts[0],
        offset=parts[1],
        slope=parts[2],
        precision=parts[3],
        effect=parts[4],
        contamination=parts[5] if model.contamination is not None else None,
        hit_offset=parts[6] if model.hit_sd is not None else None,
        quality_moments=Normal(mean, np.sqrt(variance)),
        chains=options.chains,
        sweeps=options.sweeps,
    )


class _Chain:
    """One chain: its state, and what the sweeps need."""

    def __init__(self, ratings: WorkerRatings, model: GibbsModel, rng: np.random.Generator) -> None:
        self.model, self.rng = model, rng
        self.sums = CellSums(ratings, model)
        self.links = ItemLinks(
            sorted_pairs(ratings.order), sorted_pairs(ratings.repeat), model.margin, model.repeat_sd**-2
        )
        self.items = Items(self.sums, model, self.links)
        self.effects = GroupEffects(self.sums, model, self.links)
        self.shifts = Shifts(self.sums, model, self.links)
        self.stretch = Stretch(model, self.links)
        self.latent = LatentRatings(self.sums, model) if self.sums.latent else None
        self.state = self._start()

    def _start(self) -> ChainState:
        """Offsets at random, so that chains begin apart, and qualities as these would have them."""
        model, sums, rng = self.model, self.sums, self.rng
        slope = model.slope.mean
        if model.positive:
            slope = np.where(model.free_slope, np.maximum(slope, model.slope.sd), slope)
        clicks = model.contamination or (0.0, 1.0)
        state = ChainState(
            quality=np.array(model.quality.mean),
            offset=np.minimum(model.offset_sd, 1.0) * rng.standard_normal(sums.n_workers),
            slope=np.array(slope),
            precision=np.ones(sums.n_workers),
            effect=np.array(model.effect.mean),
            hit_offset=np.zeros(sums.n_cells),
            contamination=np.full(sums.n_workers, clicks[0] / sum(clicks)),
        )
        expected = self.effects.expected(state)
        weight, pull = sums.of_items(state)
        weight = weight + model.quality_weight
        mean = (pull + model.quality_weight * expected) / weight
        state.quality = lifted(mean + rng.standard_normal(len(mean)) / np.sqrt(weight), self.links)
        return state

    def sweep(self, *, tune: bool) -> None:
        """Draw everything once, in an order that does not depend on what is drawn."""
        state, rng = self.state, self.rng
        if self.latent is not None:
            self.latent.draw(state, rng)
        draw_workers(state, self.sums, self.model, rng)
        expected = self.effects.expected(state)
        self.stretch.draw(state, expected, rng, tune=tune)
        expected = self.effects.expected(state)
        self.shifts.draw(state, expected, rng)
        self.shifts.draw_with_effects(state, expected, rng)
        expected = self.effects.expected(state)
        self.items.draw(state, expected, rng)
        self.effects.draw(state, rng)

    def flat(self) -> NDArray[np.float64]:
        """The state as one row."""
        state = self.state
        parts = [state.quality, state.offset, state.slope, state.precision, state.effect]
        return np.concatenate([*parts, state.contamination, state.hit_offset])
