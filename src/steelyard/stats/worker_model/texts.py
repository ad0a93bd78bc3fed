"""The quality of single texts, which should lean on their system no more than systems differ.

A system's own score can bear a rough guess of how much systems vary: all of its texts speak for it. A single
text with few ratings cannot. It would mostly repeat what is believed of its system, which is noise where
systems hardly differ or most workers click at random.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.pooling import spread_between
from steelyard.stats.worker_model.effects import (
    Effects,
    ItemOrigin,
    of_segments,
    quality_given,
    system_effects,
)
from steelyard.stats.worker_model.variational import Learned

# As good as none.
_LEAST_VARIANCE = 0.001


def text_quality(learned: Learned, origin: ItemOrigin) -> FloatArray:
    """Each item's quality: the mean of what it would be with and without knowing where the text comes from.

    With: systems vary by what their texts differ beyond chance. Without: a text is one of its kind, and
    whatever systems and segments would explain is its own. Worker parameters are those learned.
    """
    pull, precision = learned.pull, learned.precision
    known = quality_given(origin, _with_fair_systems(learned, origin), pull=pull, precision=precision)[0]
    return (known + _alone(learned, origin)[0]) / 2


def alone_variance(learned: Learned, origin: ItemOrigin) -> FloatArray:
    """What is left open of each item's quality if only its kind and its ratings are known."""
    return _alone(learned, origin)[1]


def _alone(learned: Learned, origin: ItemOrigin) -> tuple[FloatArray, FloatArray]:
    effects = _with_fair_systems(learned, origin)
    spread = effects.item_variance[origin.kind]
    if origin.n_systems:
        of_system = effects.system_covariance.diagonal()[origin.criterion]
        spread = spread + np.where(origin.system >= 0, of_system, 0.0)
    spread = spread + np.where(origin.segment >= 0, effects.segment_variance, 0.0)
    variance = spread / (1 + spread * learned.precision)
    return variance * (effects.kind[origin.kind, origin.criterion] / spread + learned.pull), variance


def _with_fair_systems(learned: Learned, origin: ItemOrigin) -> Effects:
    """The effects, those of systems drawn to 0 as strongly as their texts demand."""
    effects, precision = learned.effects, learned.precision
    if not origin.n_systems:
        return effects
    weight = precision / (1 + effects.item_variance[origin.kind] * precision)
    measured = np.divide(learned.pull, precision, out=np.zeros(len(precision)), where=precision > 0)
    beside = measured - effects.kind[origin.kind, origin.criterion] - of_segments(origin, effects)
    has = origin.system >= 0
    cell = (origin.system * origin.n_criteria + origin.criterion)[has]
    shape = (origin.n_systems, origin.n_criteria)
    total = np.bincount(cell, weight[has], shape[0] * shape[1]).reshape(shape)
    pull = np.bincount(cell, (weight * beside)[has], shape[0] * shape[1]).reshape(shape)
    found = [
        spread_between(of[judged] / precise[judged], 1 / precise[judged])[1]
        for of, precise, judged in zip(pull.T, total.T, (total > 0).T, strict=True)
        if judged.any()
    ]
    covariance = effects.system_covariance
    size = max(float(np.mean(found)), _LEAST_VARIANCE) * origin.n_criteria / np.trace(covariance)
    fair = replace(effects, system_covariance=size * covariance)
    return system_effects(origin, fair, measured, weight)[0]
