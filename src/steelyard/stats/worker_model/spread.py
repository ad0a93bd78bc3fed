"""How certain a learned worker model is: the variances that variational inference leaves too small.

Sweeps update items and workers in turn, each as if the others were known. Here all of them are open
together: qualities, offsets, slopes and effects are taken as jointly normal around what was learned,
precisions as given. Qualities touch only their own ratings, so they are eliminated one by one, and what is
left, the Schur complement over workers and effects, is small enough to invert.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array, hstack

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.effects import KIND_VARIANCE, ItemOrigin
from steelyard.stats.worker_model.sums import RatingSums
from steelyard.stats.worker_model.variational import Learned

# More unknowns than this are not inverted together: beyond, workers and segments count one by one.
MOST_UNKNOWNS = 1_500
_ROWS_AT_A_TIME = 2_000


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances of each item's quality and of each worker's slope."""

    quality_variance: FloatArray
    slope_variance: FloatArray


def spread(learned: Learned, sums: RatingSums, origin: ItemOrigin) -> Spread:
    """The joint spread of everything but the precisions, around what was learned.

    As much as can be inverted is open together: with many workers the parts of their ratings, with very
    many the workers themselves, count one by one, which leaves out how their errors cancel.
    """
    workers = _workers(learned, sums, room=MOST_UNKNOWNS - _n_effects(origin, with_segments=False))
    room = MOST_UNKNOWNS - workers.cross.shape[1]
    effects, blocks = _effects(origin, with_segments=_n_effects(origin, with_segments=True) <= room)
    precision = learned.precision + 1 / learned.effects.item_variance[origin.kind]
    own = diags_array(1 / precision)
    per_item = diags_array(1 / learned.effects.item_variance[origin.kind])
    cross = csr_array(hstack([workers.cross, -(per_item @ effects)]))
    pull = csr_array(own @ cross)
    n_open = workers.cross.shape[1]
    complement = np.zeros((cross.shape[1], cross.shape[1]))
    complement[:n_open, :n_open] = workers.precision
    complement[n_open:, n_open:] = _precision_of_effects(learned, origin, effects, blocks)
    complement -= (cross.T @ pull).toarray()
    covariance = cho_solve(cho_factor(complement), np.eye(len(complement)))
    alone = tuple((csr_array(own @ moves), variance) for moves, variance in workers.alone)
    if blocks.segments is None and origin.n_segments:
        of_segment = membership(origin.segment, origin.n_segments)
        weight = learned.precision / (1 + learned.effects.item_variance[origin.kind] * learned.precision)
        left_open = 1 / (1 / learned.effects.segment_variance + of_segment.T @ weight)
        alone = (*alone, (csr_array(own @ per_item @ of_segment), left_open))
    quality = 1 / precision + _row_squares(pull, covariance)
    for moves, variance in alone:
        quality = quality + moves.multiply(moves) @ variance
    slopes = covariance.diagonal()[n_open - len(learned.workers.slope) : n_open]
    return Spread(
        quality_variance=quality,
        slope_variance=slopes if n_open else learned.workers.slope_variance,
    )


@dataclass(frozen=True, slots=True)
class _Open:
    """Offsets and slopes that are open together (slopes last), and those that count one by one.

    `cross` (items, unknowns): how each holds on to each item; `precision`: of the unknowns by themselves.
    """

    cross: csr_array
    precision: FloatArray
    alone: tuple[tuple[csr_array, FloatArray], ...]


def _workers(learned: Learned, sums: RatingSums, *, room: int) -> _Open:
    of, priors = sums.worker_of_part, learned.priors
    n_workers, n_parts = len(learned.workers.slope), len(of)
    precision = learned.workers.precision
    reach = precision * learned.workers.slope
    by_part = csr_array(sums.links @ diags_array(reach[of]))
    of_worker = membership(of, n_workers)
    by_worker = csr_array(by_part @ of_worker)
    slopes = csr_array(diags_array(learned.quality) @ by_worker)
    information = sums.n_of_part * precision[of]
    if 2 * n_workers > room:
        offsets = (by_part, learned.workers.part_variance)
        nothing = csr_array((by_part.shape[0], 0))
        return _Open(nothing, np.zeros((0, 0)), (offsets, (slopes, learned.workers.slope_variance)))
    _, sum_quality, square = sums.by_worker(learned.quality, learned.quality**2 + learned.variance)
    of_slopes = 1 / priors.slope_sd**2 + precision * square
    product = precision[of] * sum_quality
    if not sums.divided:
        own = np.diag(1 / priors.offset_sd**2 + information)
        return _Open(csr_array(hstack([by_worker, slopes])), _joined(own, np.diag(product), of_slopes), ())
    if n_workers + n_parts <= room:
        # Parts scatter around their worker's offset, which is integrated out.
        share = priors.offset_sd**2 / (priors.part_sd**2 + of_worker.sum(axis=0) * priors.offset_sd**2)
        common = (of_worker @ diags_array(share) @ of_worker.T).toarray()
        own = (np.eye(n_parts) - common) / priors.part_sd**2 + np.diag(information)
        both = (diags_array(product) @ of_worker).toarray()
        return _Open(csr_array(hstack([by_part, slopes])), _joined(own, both, of_slopes), ())
    own = np.diag(1 / priors.offset_sd**2 + sums.of_worker(information))
    parts = (by_part, 1 / (1 / priors.part_sd**2 + information))
    whole = _joined(own, np.diag(sums.of_worker(product)), of_slopes)
    return _Open(csr_array(hstack([by_worker, slopes])), whole, (parts,))


def _joined(offsets: FloatArray, both: FloatArray, slopes: FloatArray) -> FloatArray:
    """The precision of offsets and slopes together."""
    joined: FloatArray = np.block([[offsets, both], [both.T, np.diag(slopes)]])
    return joined


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Where the effects stand among themselves: kinds first, then systems, then segments if there is room."""

    systems: int
    segments: int | None
    n_effects: int


def _n_effects(origin: ItemOrigin, *, with_segments: bool) -> int:
    return (origin.n_kinds + origin.n_systems) * origin.n_criteria + origin.n_segments * with_segments


def _effects(origin: ItemOrigin, *, with_segments: bool) -> tuple[csr_array, _Blocks]:
    """Which effects (columns) bear on each item (rows)."""
    criteria = origin.n_criteria
    of_system = np.where(origin.system >= 0, origin.system * criteria + origin.criterion, -1)
    columns = [
        membership(origin.kind * criteria + origin.criterion, origin.n_kinds * criteria),
        membership(of_system, origin.n_systems * criteria),
    ]
    segments = None
    if with_segments and origin.n_segments:
        columns.append(membership(origin.segment, origin.n_segments))
        segments = _n_effects(origin, with_segments=False)
    found = csr_array(hstack(columns))
    return found, _Blocks(origin.n_kinds * criteria, segments, found.shape[1])


def membership(group: IntArray, n_groups: int) -> csr_array:
    """A matrix with a 1 in each row at its group's column; rows of group -1 are empty."""
    has = np.flatnonzero(group >= 0)
    return csr_array((np.ones(len(has)), (has, group[has])), shape=(len(group), n_groups))


def _precision_of_effects(
    learned: Learned, origin: ItemOrigin, effects: csr_array, blocks: _Blocks
) -> FloatArray:
    """The precision of the effects before the qualities are eliminated."""
    per_item = diags_array(1 / learned.effects.item_variance[origin.kind])
    precision: FloatArray = (effects.T @ per_item @ effects).toarray()
    kinds = np.arange(blocks.systems)
    precision[kinds, kinds] += 1 / KIND_VARIANCE
    inverse = np.linalg.inv(learned.effects.system_covariance)
    for system in range(origin.n_systems):
        at = slice(blocks.systems + system * len(inverse), blocks.systems + (system + 1) * len(inverse))
        precision[at, at] += inverse
    if blocks.segments is not None:
        segments = np.arange(blocks.segments, blocks.n_effects)
        precision[segments, segments] += 1 / learned.effects.segment_variance
    return precision


def _row_squares(pull: csr_array, covariance: FloatArray) -> FloatArray:
    """For each row x of `pull` the number x covariance x'."""
    found = np.empty(pull.shape[0])
    for start in range(0, len(found), _ROWS_AT_A_TIME):
        rows = pull[start : start + _ROWS_AT_A_TIME]
        found[start : start + _ROWS_AT_A_TIME] = rows.multiply(rows @ covariance).sum(axis=1)
    return found
