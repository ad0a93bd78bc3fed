"""The worker model by variational inference: offset, slope and precision of each worker, learned together
with the quality of every item.

    value = offset + slope * quality + noise / sqrt(precision)        (values in each worker's own units)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.anderson import FixedPoint, fixed_point
from steelyard.stats.worker_model.effects import (
    Effects,
    ItemMoments,
    ItemOrigin,
    learn_effects,
    no_effects,
    quality_given,
)
from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.sums import RatingSums

# Priors of the workers. All were chosen on real ratings, clean and with spammers added: see the page on
# the worker model. `_..._WORKERS`: learned spreads begin with this many made-up workers.
SHAPE = 8.0
_SLOPE_SD, _SLOPE_WORKERS = 0.3, 10.0
_OFFSET_SD, _OFFSET_WORKERS = 0.1, 5.0
_PART_SD, _PARTS = 0.1, 20.0
_PRECISION, _PRECISION_WORKERS = 1.0, 5.0
# With fewer workers than this, agreement among them proves less: see `_trust_in_agreement` [our choices].
ENOUGH_WORKERS, _RATINGS_OF_FEW = 10.0, 3.0
MOST_SWEEPS = 1_000
TOLERANCE = 1e-4
# From this many ratings on, workers are first learned from the ratings of every eighth item.
MANY_RATINGS, SOME_ITEMS, FIRST_TOLERANCE = 500_000, 8, 1e-3


@dataclass(frozen=True, slots=True)
class WorkerPriors:
    """What is believed about any worker: slopes around 1, never below 0; precisions around `precision`."""

    offset_sd: float
    part_sd: float
    slope_sd: float
    shape: float
    precision: float


@dataclass(frozen=True, slots=True)
class Workers:
    """What is believed about each worker after seeing the ratings.

    `part` and `part_variance`: the offset of each part of a worker's ratings, the worker's own included.
    """

    offset: FloatArray
    offset_variance: FloatArray
    part: FloatArray
    part_variance: FloatArray
    slope: FloatArray
    slope_variance: FloatArray
    precision: FloatArray


@dataclass(frozen=True, slots=True)
class Learned:
    """A fitted worker model: workers, effects, the priors learned, and each item's quality given all these.

    `pull` and `precision`: what the ratings of an item say together, see `learn_effects`.
    """

    workers: Workers
    effects: Effects
    priors: WorkerPriors
    quality: FloatArray
    variance: FloatArray
    pull: FloatArray
    precision: FloatArray
    reached: FixedPoint


def learn(
    ratings: WorkerRatings,
    origin: ItemOrigin,
    *,
    shape: float = SHAPE,
    tolerance: float = TOLERANCE,
    most_sweeps: int = MOST_SWEEPS,
) -> Learned:
    """The model learned from ratings in own units (`units.in_own_units`).

    Quality is normal around what kind, system and segment suggest; slopes are normal around 1 and not
    below 0, precisions Gamma distributed; how much all of these vary is learned too. One sweep updates
    everything once; sweeps are accelerated. The sign of a factor decides nobody's slope: workers
    whose ratings run against all others' end with a slope near 0 and thus without weight.
    """
    model = _Model(RatingSums(ratings), origin, shape)
    start = model.start()
    if len(ratings.value) >= MANY_RATINGS:
        start = _from_some_items(model, ratings, tolerance=FIRST_TOLERANCE, most_sweeps=most_sweeps)
    reached = fixed_point(model.sweep, start, tolerance=tolerance, most_turns=most_sweeps)
    return model.learned(reached)


def _from_some_items(
    model: _Model, ratings: WorkerRatings, *, tolerance: float, most_sweeps: int
) -> FloatArray:
    """Workers and priors as learned from a regular sample of the items: a good starting point."""
    origin = model.origin
    some = np.arange(ratings.n_items) % SOME_ITEMS == 0
    here = some[ratings.item]
    number = np.cumsum(some) - 1
    part = ratings.worker if ratings.hit is None else ratings.hit
    fewer = replace(
        ratings,
        item=number[ratings.item[here]],
        worker=ratings.worker[here],
        value=ratings.value[here],
        n_items=int(some.sum()),
        hit=None if ratings.hit is None else part[here],
    )
    smaller = replace(
        origin,
        kind=origin.kind[some],
        system=origin.system[some],
        segment=origin.segment[some],
        criterion=origin.criterion[some],
    )
    if ratings.hit is not None and int(part[here].max(initial=-1)) < int(part.max()):
        return model.start()
    small = _Model(RatingSums(fewer), smaller, model.shape)
    return fixed_point(small.sweep, small.start(), tolerance=tolerance, most_turns=most_sweeps).state


class _Model:
    """A sweep as a map from a vector of numbers to itself, so that it can be accelerated."""

    def __init__(self, sums: RatingSums, origin: ItemOrigin, shape: float) -> None:
        self.sums, self.origin, self.shape = sums, origin, shape
        self.moments = ItemMoments(sums.n_of_item, sums.value_of_item, sums.square_of_item)
        self.present = sums.n_of_worker > 0
        self.n_workers = len(self.present)
        self.n_parts = len(sums.n_of_part)
        self.divided = sums.divided
        self.trust = _trust_in_agreement(sums.n_of_worker)

    def start(self) -> FloatArray:
        """Everyone average, every item the same."""
        n = self.n_workers
        little = np.full(n, 0.01)
        parts = np.zeros(self.n_parts), np.full(self.n_parts, 0.01)
        workers = Workers(np.zeros(n), little, *parts, np.ones(n), little, np.ones(n))
        priors = WorkerPriors(_OFFSET_SD, _PART_SD, _SLOPE_SD, self.shape, _PRECISION)
        return self._packed(workers, no_effects(self.origin), priors)

    def sweep(self, state: FloatArray) -> FloatArray:
        """Items, effects, workers and priors updated once."""
        workers, effects, priors = self._unpacked(state)
        pull, precision = self._items(workers)
        effects = learn_effects(self.origin, effects, pull=pull, precision=precision, moments=self.moments)
        quality, variance = quality_given(self.origin, effects, pull=pull, precision=precision)
        workers = self._workers(workers, priors, quality, variance)
        # Ratings determine only slope times quality; the average slope is 1 by definition.
        usual = float(workers.slope[self.present].mean())
        workers = replace(
            workers, slope=workers.slope / usual, slope_variance=workers.slope_variance / usual**2
        )
        return self._packed(workers, effects, self._priors(workers))

    def learned(self, reached: FixedPoint) -> Learned:
        """The answer at the end."""
        workers, effects, priors = self._unpacked(reached.state)
        pull, precision = self._items(workers)
        quality, variance = quality_given(self.origin, effects, pull=pull, precision=precision)
        return Learned(workers, effects, priors, quality, variance, pull, precision, reached)

    def _items(self, workers: Workers) -> tuple[FloatArray, FloatArray]:
        """What the ratings of each item say about its quality: precision times mean, and precision."""
        reach = workers.precision * workers.slope
        square = workers.precision * (workers.slope**2 + workers.slope_variance)
        return self.sums.by_item(reach, reach[self.sums.worker_of_part] * workers.part, square)

    def _workers(
        self, workers: Workers, priors: WorkerPriors, quality: FloatArray, variance: FloatArray
    ) -> Workers:
        sums, of = self.sums, self.sums.worker_of_part
        n, n_part, total = sums.n_of_worker, sums.n_of_part, sums.value_of_part
        product, sum_quality, sum_square = sums.by_worker(quality, quality**2 + variance)
        precision = workers.precision
        offset, offset_variance, part, part_variance = self._offsets(workers, priors, sum_quality)
        information = self.trust * precision
        slope_precision = 1 / priors.slope_sd**2 + information * sum_square
        pull = product - sums.of_worker(part * sum_quality)
        slope_mean = (1 / priors.slope_sd**2 + information * pull) / slope_precision
        slope, slope_variance = _not_below_zero(slope_mean, 1 / np.sqrt(slope_precision))
        of_parts = -2 * part * total + n_part * (part**2 + part_variance) + 2 * part * slope[of] * sum_quality
        errors = (
            sums.square_of_worker
            - 2 * slope * product
            + sums.of_worker(of_parts)
            + (slope**2 + slope_variance) * sum_square
        )
        rate = priors.shape / priors.precision + self.trust * np.maximum(errors, 0.0) / 2
        learned = (priors.shape + self.trust * n / 2) / rate
        return Workers(offset, offset_variance, part, part_variance, slope, slope_variance, learned)

    def _offsets(
        self, workers: Workers, priors: WorkerPriors, sum_quality: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Mean and variance of the offsets of workers, and of their parts."""
        sums, of = self.sums, self.sums.worker_of_part
        precision = sums.n_of_part * workers.precision[of]
        measured = (sums.value_of_part - workers.slope[of] * sum_quality) / np.maximum(sums.n_of_part, 1)
        if not self.divided:
            variance = 1 / (1 / priors.offset_sd**2 + precision)
            offset = variance * precision * measured
            return offset, variance, offset, variance
        # A worker's offset as if parts had none of their own but scattered around it.
        weight = precision / (1 + priors.part_sd**2 * precision)
        variance = 1 / (1 / priors.offset_sd**2 + sums.of_worker(weight))
        offset = variance * sums.of_worker(weight * measured)
        kept = priors.part_sd**2 * precision / (1 + priors.part_sd**2 * precision)
        part = offset[of] + kept * (measured - offset[of])
        return offset, variance, part, priors.part_sd**2 * (1 - kept) + (1 - kept) ** 2 * variance[of]

    def _priors(self, workers: Workers) -> WorkerPriors:
        """How workers vary. The usual precision is that of the mean noise, which one worker whose ratings
        hardly vary cannot lift as they would lift a mean of precisions."""
        here = self.present
        n = here.sum()
        offsets = float((workers.offset**2 + workers.offset_variance)[here].sum())
        slopes = float(((workers.slope - 1) ** 2 + workers.slope_variance)[here].sum())
        noise = float((1 / workers.precision)[here].sum())
        apart = workers.part - workers.offset[self.sums.worker_of_part]
        parts = float((apart**2 + workers.part_variance).sum()) if self.divided else 0.0
        return WorkerPriors(
            offset_sd=np.sqrt((offsets + _OFFSET_WORKERS * _OFFSET_SD**2) / (n + _OFFSET_WORKERS)),
            part_sd=np.sqrt((parts + _PARTS * _PART_SD**2) / (self.n_parts * self.divided + _PARTS)),
            slope_sd=np.sqrt((slopes + _SLOPE_WORKERS * _SLOPE_SD**2) / (n + _SLOPE_WORKERS)),
            shape=self.shape,
            precision=(n + _PRECISION_WORKERS) / (noise + _PRECISION_WORKERS / _PRECISION),
        )

    def _packed(self, workers: Workers, effects: Effects, priors: WorkerPriors) -> FloatArray:
        """All that a sweep hands on as one vector; what must be positive by its logarithm."""
        lower = np.tril_indices(self.origin.n_criteria)
        root = np.linalg.cholesky(effects.system_covariance)
        return np.concatenate(
            [
                workers.offset,
                np.log(workers.offset_variance),
                workers.part,
                np.log(workers.part_variance),
                workers.slope,
                np.log(workers.slope_variance),
                np.log(workers.precision),
                effects.kind.ravel(),
                effects.system.ravel(),
                effects.segment,
                root[lower],
                np.log(effects.item_variance),
                np.log([effects.segment_variance, priors.offset_sd, priors.part_sd]),
                np.log([priors.slope_sd, priors.precision]),
            ]
        )

    def _unpacked(self, state: FloatArray) -> tuple[Workers, Effects, WorkerPriors]:
        origin, n = self.origin, self.n_workers
        criteria = origin.n_criteria
        lower = np.tril_indices(criteria)
        sizes = [n, n, self.n_parts, self.n_parts, n, n, n]
        sizes += [origin.n_kinds * criteria, origin.n_systems * criteria, origin.n_segments, len(lower[0])]
        sizes += [origin.n_kinds, 5]
        parts = np.split(state, np.cumsum(sizes)[:-1])
        offset, offset_log, part, part_log, slope, slope_log, precision_log = parts[:7]
        root = np.zeros((criteria, criteria))
        root[lower] = parts[10]
        segment_variance, offset_sd, part_sd, slope_sd, precision = (float(x) for x in np.exp(parts[12]))
        workers = Workers(
            offset=offset,
            offset_variance=np.exp(offset_log),
            part=part,
            part_variance=np.exp(part_log),
            # Acceleration may step over the edge.
            slope=np.maximum(slope, 0.0),
            slope_variance=np.exp(slope_log),
            precision=np.exp(precision_log),
        )
        effects = Effects(
            kind=parts[7].reshape(origin.n_kinds, criteria),
            system=parts[8].reshape(origin.n_systems, criteria),
            segment=parts[9],
            system_covariance=root @ root.T + 1e-12 * np.eye(criteria),
            segment_variance=segment_variance,
            item_variance=np.exp(parts[11]),
        )
        return workers, effects, WorkerPriors(offset_sd, part_sd, slope_sd, self.shape, precision)


def _trust_in_agreement(n_ratings: FloatArray) -> FloatArray:
    """The share of each worker's ratings that count as evidence on workers: 1 unless workers are very few.

    Where three people judged, two of them agree best, perhaps in a taste that nobody else shares. Taken
    literally, such agreement would silence the third, however many thousand ratings each gave: on published
    ratings of three experts that lost 0.13 in correlation with others. So the fewer workers, the fewer
    ratings of each count as evidence on workers; from ten on, all do. All count as ever for quality.
    """
    total = n_ratings.sum()
    n_workers = float(total**2 / max(float((n_ratings**2).sum()), 1.0))
    known = (n_workers - 2) / (ENOUGH_WORKERS - 2)
    if known >= 1:
        return np.ones(len(n_ratings))
    most = _RATINGS_OF_FEW * max(n_workers - 2, 0.0) ** 2 / (1 - max(known, 0.0) ** 2)
    return most / (n_ratings + most) if most else np.zeros(len(n_ratings))


def _not_below_zero(mean: FloatArray, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of normal distributions of which only what is not below 0 is left."""
    edge = mean / sd
    ratio = np.exp(-0.5 * edge**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(edge))
    left = mean + sd * ratio
    # Far below 0 both differences cancel to rounding errors; there the tail is exponential.
    steep = edge < -30
    left = np.where(steep, sd / np.maximum(-edge, 1), left)
    variance = np.where(steep, left**2, sd**2 * (1 - ratio * (ratio + edge)))
    return np.maximum(left, 1e-12), np.maximum(variance, 1e-24)
