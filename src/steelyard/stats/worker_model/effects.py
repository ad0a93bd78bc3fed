"""What to expect of an item before it is rated, from its kind, its system and its segment."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray

# Learned variances begin with this many made-up levels of that variance: with few systems, or with one
# rating per item, the ratings alone would let them collapse [measured on real ratings].
_PSEUDO_SYSTEMS, _PSEUDO_SEGMENTS, _PSEUDO_ITEMS = 2.0, 10.0, 10.0
_SYSTEM_VARIANCE, _SEGMENT_VARIANCE, _ITEM_VARIANCE = 0.03, 0.05, 0.15
# How much the covariance over criteria is drawn towards one that is the same for any two of them.
_ALIKE_SYSTEMS = 4.0
KIND_VARIANCE = 4.0
# Texts of one system always differ in quality.
_LEAST_ITEM_VARIANCE = 0.1
# Rounds of the effects among themselves in one sweep.
_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """Of each item its kind, system, segment and criterion; -1 where it has no system or segment."""

    kind: IntArray
    system: IntArray
    segment: IntArray
    criterion: IntArray
    n_kinds: int
    n_systems: int
    n_segments: int
    n_criteria: int


@dataclass(frozen=True, slots=True)
class Effects:
    """What kinds (kinds, criteria), systems (systems, criteria) and segments add to an item's quality.

    `system_covariance`: how the effects of one system on the criteria vary together. `item_variance`, by
    kind: how far items of the same origin lie apart. The `_variance` of an effect is what is left open.
    """

    kind: FloatArray
    system: FloatArray
    segment: FloatArray
    system_covariance: FloatArray
    segment_variance: float
    item_variance: FloatArray


def no_effects(origin: ItemOrigin) -> Effects:
    """Where learning begins."""
    criteria = origin.n_criteria
    return Effects(
        kind=np.zeros((origin.n_kinds, criteria)),
        system=np.zeros((origin.n_systems, criteria)),
        segment=np.zeros(origin.n_segments),
        system_covariance=_SYSTEM_VARIANCE * (np.eye(criteria) + 1) / 2,
        segment_variance=_SEGMENT_VARIANCE,
        item_variance=np.full(origin.n_kinds, _ITEM_VARIANCE),
    )


def expected_quality(origin: ItemOrigin, effects: Effects) -> FloatArray:
    """The sum of the effects on each item."""
    return (
        effects.kind[origin.kind, origin.criterion]
        + _of_systems(origin, effects)
        + of_segments(origin, effects)
    )


@dataclass(frozen=True, slots=True)
class ItemMoments:
    """Number, sum and sum of squares of the ratings of each item, over all workers."""

    n: FloatArray
    total: FloatArray
    square: FloatArray


def learn_effects(
    origin: ItemOrigin, effects: Effects, *, pull: FloatArray, precision: FloatArray, moments: ItemMoments
) -> Effects:
    """The effects, and how much they vary, given what the ratings say about each item.

    The ratings of an item together are worth one measurement `pull / precision` of that precision. An
    item's own quality is integrated out, so that items of one rating inform the effects as they should.
    """
    spread = effects.item_variance[origin.kind]
    # An item without ratings has precision 0 and thus no weight.
    weight = precision / (1 + spread * precision)
    measured = np.divide(pull, precision, out=np.zeros(len(pull)), where=precision > 0)
    for _ in range(_ROUNDS):
        effects, left_open = system_effects(origin, effects, measured, weight)
        effects = _segments(origin, effects, measured, weight, moments.n)
        effects = _kinds(origin, effects, measured, weight)
    effects = replace(effects, system_covariance=_covariance(effects.system, left_open))
    return replace(effects, item_variance=_item_variance(origin, effects, moments))


def quality_given(
    origin: ItemOrigin, effects: Effects, *, pull: FloatArray, precision: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each item's quality, given the effects and what its ratings say."""
    spread = effects.item_variance[origin.kind]
    variance = spread / (1 + spread * precision)
    return variance * (expected_quality(origin, effects) / spread + pull), variance


def _of_systems(origin: ItemOrigin, effects: Effects) -> FloatArray:
    if not origin.n_systems:
        return np.zeros(len(origin.kind))
    return np.where(origin.system >= 0, effects.system[origin.system, origin.criterion], 0.0)


def of_segments(origin: ItemOrigin, effects: Effects) -> FloatArray:
    """What its segment adds to each item's quality; 0 where it has none."""
    if not origin.n_segments:
        return np.zeros(len(origin.kind))
    return np.where(origin.segment >= 0, effects.segment[origin.segment], 0.0)


def system_effects(
    origin: ItemOrigin, effects: Effects, measured: FloatArray, weight: FloatArray
) -> tuple[Effects, FloatArray]:
    """The systems' effects, and the covariance (systems, criteria, criteria) that is left of each."""
    if not origin.n_systems:
        return effects, np.zeros((0, origin.n_criteria, origin.n_criteria))
    others = effects.kind[origin.kind, origin.criterion] + of_segments(origin, effects)
    has = origin.system >= 0
    cell = (origin.system * origin.n_criteria + origin.criterion)[has]
    size, shape = origin.n_systems * origin.n_criteria, (origin.n_systems, origin.n_criteria)
    total = np.bincount(cell, weight[has], size).reshape(shape)
    pull = np.bincount(cell, (weight * (measured - others))[has], size).reshape(shape)
    precision = np.linalg.inv(effects.system_covariance) + total[:, :, None] * np.eye(origin.n_criteria)
    left_open: FloatArray = np.linalg.inv(precision).astype(np.float64)
    return replace(effects, system=np.einsum("sij,sj->si", left_open, pull)), left_open


def _segments(
    origin: ItemOrigin, effects: Effects, measured: FloatArray, weight: FloatArray, n_ratings: FloatArray
) -> Effects:
    if not origin.n_segments:
        return effects
    others = effects.kind[origin.kind, origin.criterion] + _of_systems(origin, effects)
    has = origin.segment >= 0
    total = np.bincount(origin.segment[has], weight[has], origin.n_segments)
    pull = np.bincount(origin.segment[has], (weight * (measured - others))[has], origin.n_segments)
    left_open = 1 / (1 / effects.segment_variance + total)
    segment = left_open * pull
    seen = np.bincount(origin.segment[has & (n_ratings > 0)], minlength=origin.n_segments) > 1
    squares = float((segment**2 + left_open)[seen].sum())
    variance = (squares + _PSEUDO_SEGMENTS * _SEGMENT_VARIANCE) / (seen.sum() + _PSEUDO_SEGMENTS)
    return replace(effects, segment=segment, segment_variance=variance)


def _kinds(origin: ItemOrigin, effects: Effects, measured: FloatArray, weight: FloatArray) -> Effects:
    others = _of_systems(origin, effects) + of_segments(origin, effects)
    cell = origin.kind * origin.n_criteria + origin.criterion
    size = origin.n_kinds * origin.n_criteria
    total = np.bincount(cell, weight, size)
    pull = np.bincount(cell, weight * (measured - others), size)
    return replace(effects, kind=(pull / (1 / KIND_VARIANCE + total)).reshape(effects.kind.shape))


def _covariance(system: FloatArray, left_open: FloatArray) -> FloatArray:
    """How systems vary over the criteria: their own covariance, drawn towards one of equal criteria."""
    n_systems, n_criteria = system.shape
    if not n_systems:
        return _SYSTEM_VARIANCE * (np.eye(n_criteria) + 1) / 2
    found = system.T @ system + left_open.sum(axis=0)
    diagonal = np.trace(found) / n_criteria
    between = (found.sum() - np.trace(found)) / max(n_criteria * (n_criteria - 1), 1)
    alike = np.full(found.shape, between) + (diagonal - between) * np.eye(n_criteria)
    drawn = (n_systems * found + _ALIKE_SYSTEMS * alike) / (n_systems + _ALIKE_SYSTEMS)
    small = _PSEUDO_SYSTEMS * _SYSTEM_VARIANCE * np.eye(n_criteria)
    # Their mean is not theirs but their kind's.
    covariance: FloatArray = (drawn + small) / (n_systems - 1 + _PSEUDO_SYSTEMS)
    return covariance


def _item_variance(origin: ItemOrigin, effects: Effects, moments: ItemMoments) -> FloatArray:
    """By kind, how items vary beyond their systems and segments: from how two ratings of one item agree.

    The mean product of two ratings' distances from what is usual for the kind is the variance of
    quality, because slopes are 1 on average; what systems and segments explain is subtracted. What the sweeps
    themselves believe about items would be too small, and smaller each time. One rating alone says nothing.
    """
    usual = effects.kind[origin.kind, origin.criterion]
    total = moments.total - moments.n * usual
    square = moments.square - 2 * usual * moments.total + moments.n * usual**2
    pairs = moments.n * (moments.n - 1)
    explained = _of_systems(origin, effects) ** 2 + effects.segment_variance * (origin.segment >= 0)
    product = np.divide(total**2 - square, pairs, out=np.zeros(len(pairs)), where=pairs > 0) - explained
    has_pairs = pairs > 0
    found = np.bincount(origin.kind[has_pairs], product[has_pairs], origin.n_kinds)
    count = np.bincount(origin.kind[has_pairs], minlength=origin.n_kinds)
    learned: FloatArray = (np.maximum(found, 0.0) + _PSEUDO_ITEMS * _ITEM_VARIANCE) / (count + _PSEUDO_ITEMS)
    return np.maximum(learned, _LEAST_ITEM_VARIANCE)
