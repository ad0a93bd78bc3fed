"""Groups: into which of them the controls of a HIT are dealt, their bases, and everything else."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.design.layout import Layout
from steelyard.domain.work import CONTROL_KINDS
from steelyard.stats.arrays import IntArray

Groups = NDArray[np.int16]

# Attempts at other source groups in the 2013 layout, where a group would need more bases than it has
# regular items; after that the partner groups do [our choice].
MAX_OFFSET_DRAWS = 100


def deal_groups(layout: Layout, *, n_hits: int, rng: np.random.Generator) -> Groups:
    """The group of every column of every HIT (row), as even as the numbers allow.

    Columns are the regular items, the bases first, then controls, then calibration texts; control c
    has its base in column c. Groups of a HIT differ by at most one in controls of a kind and in
    controls and calibration texts together. In the 2014 layout as many controls of a kind precede
    their base as follow it (one more or less if the number is odd).
    """
    order, ranks = _group_order(layout, n_hits, rng), _ranks(layout)
    dealt = np.take_along_axis(order, ranks[rng.integers(len(ranks), size=n_hits)], axis=1)
    room = np.array(layout.room) - per_group(dealt, layout.n_groups)
    base = _base_groups(dealt[:, : layout.n_controls], room, layout, rng)
    left = np.take_along_axis(room - per_group(base, layout.n_groups), order, axis=1)
    # The others go round the groups as well, as long as there is room.
    has_room = np.arange(left.max(initial=0))[:, None] < left[:, None, :]
    others = np.broadcast_to(order[:, None, :], has_room.shape)[has_room]
    return np.concatenate([base, others.reshape(n_hits, -1), dealt], axis=1)


def _ranks(layout: Layout) -> IntArray:
    """In every order of the kinds (rows), at which place of the deal each control comes.

    One after the other they go round the groups, and the calibration texts after them.
    """
    numbers = [layout.quota[kind] for kind in CONTROL_KINDS]
    rows = []
    for order in permutations(range(len(numbers))):
        stops = np.cumsum([numbers[kind] for kind in order])
        own = {kind: np.arange(stop - numbers[kind], stop) for kind, stop in zip(order, stops, strict=True)}
        last = np.arange(layout.n_controls, layout.n_controls + layout.n_calibration)
        rows.append(np.concatenate([*(own[kind] for kind in range(len(numbers))), last]))
    return np.stack(rows) % layout.n_groups


def _group_order(layout: Layout, n_hits: int, rng: np.random.Generator) -> Groups:
    """In which order the groups of each HIT are dealt to: partners follow each other, halves alternate."""
    half = layout.n_groups // 2
    if not half:
        return np.zeros((n_hits, 1), dtype=np.int16)
    first = rng.permuted(np.tile(np.arange(half, dtype=np.int16), (n_hits, 1)), axis=1)
    second = first + np.int16(half)
    flipped = rng.random((n_hits, 1)) < 0.5
    order = np.empty((n_hits, layout.n_groups), dtype=np.int16)
    order[:, 0::2], order[:, 1::2] = np.where(flipped, second, first), np.where(flipped, first, second)
    return order


def _base_groups(control: Groups, room: IntArray, layout: Layout, rng: np.random.Generator) -> Groups:
    """About half a HIT from the controls, as many in a group as it has regular items at most."""
    base = ((control + layout.n_groups // 2) % layout.n_groups).astype(np.int16)
    offsets = np.array(layout.offsets, dtype=np.int16)
    crowded = np.arange(len(base) if len(offsets) > 1 else 0)
    for _ in range(MAX_OFFSET_DRAWS):
        if not len(crowded):
            break
        drawn = offsets[rng.integers(len(offsets), size=(len(crowded), base.shape[1]))]
        candidate = ((control[crowded] + drawn) % layout.n_groups).astype(np.int16)
        fits = (per_group(candidate, layout.n_groups) <= room[crowded]).all(axis=1)
        base[crowded[fits]] = candidate[fits]
        crowded = crowded[~fits]
    return base


def per_group(group: NDArray[np.integer[Any]], n_groups: int) -> IntArray:
    """How many of each row are in each group."""
    key = np.arange(len(group))[:, None] * n_groups + group
    return np.bincount(key.ravel(), minlength=len(group) * n_groups).reshape(len(group), n_groups)
