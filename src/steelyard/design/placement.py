"""Placing: positions for everything in a HIT, at random within its group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.design.choice import NO_LANE
from steelyard.design.dealing import Deal
from steelyard.design.layout import Layout
from steelyard.design.shuffle import shuffled_by
from steelyard.domain.work import CONTROL_KINDS
from steelyard.stats.arrays import BoolArray, IntArray

# Exchanges tried in a HIT of the 2013 layout before its bases go to the partner groups.
MAX_SWAPS = 5000


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """Positions, from 1, by HIT (rows); controls in order of their kinds, as in CONTROL_KINDS.

    `base` tells for each control which of the regular items it is made from.
    """

    regular: IntArray
    control: IntArray
    calibration: IntArray
    base: IntArray

    def replaced(self, rows: IntArray, others: Placing) -> Placing:
        """With others in some HITs."""
        parts = (self.regular.copy(), self.control.copy(), self.calibration.copy(), self.base.copy())
        for part, other in zip(
            parts, (others.regular, others.control, others.calibration, others.base), strict=True
        ):
            part[rows] = other
        return Placing(*parts)

    def between(self) -> IntArray:
        """The number of items between each control and its base."""
        return np.asarray(np.abs(self.control - np.take_along_axis(self.regular, self.base, axis=1)) - 1)


def place(deal: Deal, lane: NDArray[np.int8], *, layout: Layout, rng: np.random.Generator) -> Placing:
    """Positions within groups at random, as far as the layout's promise leaves it to chance."""
    groups = np.concatenate([deal.regular, deal.controls.control, deal.controls.calibration], axis=1)
    order = shuffled_by(groups, rng=rng)
    at = np.array([p for p in range(1, layout.hit_size + 1) if p not in set(layout.gold_positions)])
    position = np.empty(groups.shape, dtype=np.int64)
    np.put_along_axis(position, order, np.broadcast_to(at, groups.shape), axis=1)
    return _placing(position, _bases(deal, lane, layout), layout)


def _placing(position: IntArray, base: IntArray, layout: Layout) -> Placing:
    stops = np.cumsum([layout.n_regular, layout.n_controls])
    regular, control, calibration = np.split(position, stops, axis=1)
    return Placing(regular, control, calibration, base)


def _bases(deal: Deal, lane: NDArray[np.int8], layout: Layout) -> IntArray:
    """Which regular item each control is made from: one of its lane, in the group meant for its base."""
    base = np.empty(deal.controls.control.shape, dtype=np.int64)
    # Those of a lane come first in it, in order of their groups; controls likewise.
    ordered = np.argsort(lane.astype(np.int64) * layout.n_groups + deal.regular, axis=1, kind="stable")
    stop = 0
    for kind in CONTROL_KINDS:
        start, stop = stop, stop + layout.quota[kind]
        by_group = np.argsort(deal.controls.base[:, start:stop], axis=1, kind="stable")
        np.put_along_axis(base[:, start:stop], by_group, ordered[:, start:stop], axis=1)
    return base


def keep_distance(placing: Placing, *, layout: Layout, rng: np.random.Generator) -> BoolArray:
    """Exchange positions within groups until controls are as far from their bases as promised.

    For the 2013 layout, where the groups alone do not see to it. `placing` is changed in place; the
    answer says in which HITs it came right.
    """
    repair = _Repair(placing, layout)
    rows = np.flatnonzero(~repair.is_right(np.arange(len(placing.regular))))
    for _ in range(MAX_SWAPS):
        if not len(rows):
            break
        repair.swap(rows, rng)
        rows = rows[~repair.is_right(rows)]
    solved = np.ones(len(placing.regular), dtype=np.bool_)
    solved[rows] = False
    parts = np.split(repair.position, np.cumsum([layout.n_regular, layout.n_controls]), axis=1)
    for part, moved in zip((placing.regular, placing.control, placing.calibration), parts, strict=True):
        part[:] = moved
    return solved


class _Repair:
    """Positions of all columns of all HITs, and the columns by position."""

    def __init__(self, placing: Placing, layout: Layout) -> None:
        self.layout, self.base = layout, placing.base
        self.position = np.concatenate([placing.regular, placing.control, placing.calibration], axis=1)
        n_hits, n_columns = self.position.shape
        self.column = np.full((n_hits, layout.hit_size + 1), -1, dtype=np.int64)
        np.put_along_axis(
            self.column, self.position, np.broadcast_to(np.arange(n_columns), (n_hits, n_columns)), axis=1
        )
        self.controls = layout.n_regular + np.arange(layout.n_controls)

    def wrong(self, rows: IntArray, position: IntArray) -> BoolArray:
        """Which controls of these HITs are too near to their base or too far from it."""
        bases = np.take_along_axis(position, self.base[rows], axis=1)
        between = np.abs(position[:, self.controls] - bases) - 1
        promised = (between >= self.layout.min_separation) & (between <= self.layout.max_separation)
        return np.asarray(~promised)

    def is_right(self, rows: IntArray) -> BoolArray:
        return np.asarray(~self.wrong(rows, self.position[rows]).any(axis=1))

    def swap(self, rows: IntArray, rng: np.random.Generator) -> None:
        """In each HIT a member of a wrong pair changes places within its group, if that does no harm."""
        here, old = np.arange(len(rows)), self.position[rows]
        wrong = self.wrong(rows, old)
        pair = (wrong * rng.random(wrong.shape)).argmax(axis=1)
        takes_base = rng.random(len(rows)) < 0.5
        ours = np.where(takes_base, self.base[rows, pair], self.controls[pair])
        start = old[here, ours] - 1
        start -= start % self.layout.group_size
        target = start + 1 + rng.integers(self.layout.group_size, size=len(rows))
        theirs = self.column[rows, target]
        new = old.copy()
        # A gold item has no column and stays where it is.
        movable = theirs >= 0
        new[here[movable], ours[movable]] = target[movable]
        new[here[movable], theirs[movable]] = old[here[movable], ours[movable]]
        better = movable & (self.wrong(rows, new).sum(axis=1) <= wrong.sum(axis=1))
        kept = rows[better]
        self.position[kept] = new[better]
        self.column[kept, target[better]] = ours[better]
        self.column[kept, old[here[better], ours[better]]] = theirs[better]


def check(placing: Placing, deal: Deal, lane: NDArray[np.int8], *, layout: Layout) -> None:
    """Assert everything the layout promises: counts, groups, distinct bases, separations."""
    position = np.concatenate([placing.regular, placing.control, placing.calibration], axis=1)
    groups = np.concatenate([deal.regular, deal.controls.control, deal.controls.calibration], axis=1)
    taken = np.sort(position, axis=1)
    expected = np.setdiff1d(np.arange(1, layout.hit_size + 1), layout.gold_positions)
    assert (taken == expected).all(), "every position is taken once"
    assert ((position - 1) // layout.group_size == groups).all(), "items are in their groups"
    lanes = np.take_along_axis(lane, placing.base, axis=1)
    kinds = np.repeat(np.arange(NO_LANE), [layout.quota[kind] for kind in CONTROL_KINDS])
    assert (lanes == kinds).all(), "every control has a base chosen for its kind"
    bases = np.sort(placing.base, axis=1)
    assert (bases[:, 1:] != bases[:, :-1]).all(), "a base serves one control"
    between = placing.between()
    assert ((between >= layout.min_separation) & (between <= layout.max_separation)).all(), "pairs are apart"
