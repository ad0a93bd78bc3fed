"""How far each worker's ratings drop from bases to degraded copies: what every verdict carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.result import CheckSettings
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.qc._worker_pairs import WorkerPairs, pairs_by_worker, workers_of
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.paired_tests import mean_and_sd_by_group
from steelyard.stats.power import paired_t_power

# The power of a verdict is that to find a drop of this share of the scale: 20 points of 100 [our choice].
SHARE_TO_FIND = 0.2


@dataclass(frozen=True, slots=True)
class Drops:
    """For each worker: the number of pairs, mean and deviation of base minus degraded, ceiling.

    `at_ceiling` is the share of pairs of which both members got the highest rating. What is unknown
    is NaN.
    """

    worker_ids: Sequence[str]
    n: IntArray
    mean: FloatArray
    sd: FloatArray
    at_ceiling: FloatArray


@dataclass(frozen=True, slots=True)
class Controls:
    """Degraded and repeat pairs of all workers, and what they say about drops."""

    degraded: WorkerPairs
    repeats: WorkerPairs
    drops: Drops


def controls_of(frame: pl.DataFrame, settings: CheckSettings) -> Controls:
    """The control pairs of everybody in the frame, in order of worker_id."""
    workers = workers_of(frame)
    degraded = pairs_by_worker(frame, ItemKind.DEGRADED, workers)
    repeats = pairs_by_worker(frame, ItemKind.REPEAT, workers)
    mean, sd = mean_and_sd_by_group(degraded.difference, degraded.sizes)
    drops = Drops(
        worker_ids=workers.to_list(),
        n=degraded.sizes,
        mean=mean,
        sd=sd,
        at_ceiling=_share_at_ceiling(degraded, settings.scale),
    )
    return Controls(degraded, repeats, drops)


def drop_to_find(scale: Scale) -> float:
    """The drop, in points of the scale, that power is about."""
    return SHARE_TO_FIND * scale.width


def power_by_repeats(controls: Controls, settings: CheckSettings) -> FloatArray:
    """Each worker's chance of a low p in a paired t-test if degraded copies were a fifth of the scale worse.

    The difference of two ratings of the same text scatters as that of base and degraded copy would
    if all copies were equally worse, so the worker's own repeats are used. NaN with fewer than two.
    """
    _, scatter = mean_and_sd_by_group(controls.repeats.difference, controls.repeats.sizes)
    return paired_t_power(
        controls.degraded.sizes, scatter, drop=drop_to_find(settings.scale), threshold=settings.threshold
    )


def _share_at_ceiling(pairs: WorkerPairs, scale: Scale) -> FloatArray:
    both = (pairs.base == scale.maximum) & (pairs.control == scale.maximum)
    worker = np.repeat(np.arange(len(pairs.sizes)), pairs.sizes)
    return np.bincount(worker, weights=both, minlength=len(pairs.sizes)) / np.maximum(pairs.sizes, 1)
