"""Dealing to groups: where controls and their bases go, and the mix of systems in every group."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from steelyard.design.choice import NO_LANE
from steelyard.design.evening import even_out
from steelyard.design.layout import Layout
from steelyard.domain.work import CONTROL_KINDS
from steelyard.stats.arrays import BoolArray, IntArray

Groups = NDArray[np.int16]
Indices = NDArray[np.int32]

# Attempts at other source groups in the 2013 layout, where a group would need more bases than it has
# regular items; after that the partner groups do [our choice].
MAX_REDRAWS = 100
# Deals of a HIT that does not come out even [our choice].
MAX_DEALS = 20
# Ties are broken by numbers below the first, moved on by the second from card to card.
_CHANCES, _STRIDE = 64, 37
_NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class ControlGroups:
    """Groups by HIT (rows) of the controls, of their bases, and of the calibration texts.

    Controls are in order of their kinds, as in CONTROL_KINDS.
    """

    control: Groups
    base: Groups
    calibration: Groups

    def of(self, rows: IntArray) -> ControlGroups:
        """Those of some HITs."""
        return ControlGroups(self.control[rows], self.base[rows], self.calibration[rows])

    def replaced(self, rows: IntArray, others: ControlGroups) -> ControlGroups:
        """With others in some HITs."""
        changed = ControlGroups(self.control.copy(), self.base.copy(), self.calibration.copy())
        changed.control[rows], changed.base[rows] = others.control, others.base
        changed.calibration[rows] = others.calibration
        return changed

    def room(self, layout: Layout) -> IntArray:
        """Places for regular items in each group, by HIT."""
        taken = _per_group(np.concatenate([self.control, self.calibration], axis=1), layout.n_groups)
        return np.array(layout.room) - taken


def deal_controls(layout: Layout, *, n_hits: int, rng: np.random.Generator) -> ControlGroups:
    """Every control's group and its base's, as even as the numbers allow.

    Groups of a HIT differ by at most one in controls of a kind and in all that is dealt here. In
    the 2014 layout as many controls of a kind precede their base as follow it (one more or less if
    the number is odd).
    """
    order = _group_order(layout, n_hits, rng)
    ranks = _ranks(layout)
    dealt = np.take_along_axis(order, ranks[rng.integers(len(ranks), size=n_hits)], axis=1)
    control, calibration = np.split(dealt, [layout.n_controls], axis=1)
    groups = ControlGroups(control, _partners(control, layout, layout.n_groups // 2), calibration)
    return groups if len(layout.offsets) == 1 else _with_varied_offsets(groups, layout, rng)


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


def _partners(group: Groups, layout: Layout, offset: NDArray[np.int16] | int) -> Groups:
    return ((group + offset) % layout.n_groups).astype(np.int16)


def _with_varied_offsets(groups: ControlGroups, layout: Layout, rng: np.random.Generator) -> ControlGroups:
    """Bases about half a HIT from their controls, as many in a group as it has regular items at most."""
    offsets = np.array(layout.offsets, dtype=np.int16)
    room, base = groups.room(layout), groups.base.copy()
    crowded = np.arange(len(base))
    for _ in range(MAX_REDRAWS):
        drawn = offsets[rng.integers(len(offsets), size=(len(crowded), base.shape[1]))]
        candidate = _partners(groups.control[crowded], layout, drawn)
        fits = (_per_group(candidate, layout.n_groups) <= room[crowded]).all(axis=1)
        base[crowded[fits]] = candidate[fits]
        crowded = crowded[~fits]
        if not len(crowded):
            break
    return ControlGroups(groups.control, base, groups.calibration)


def _per_group(group: Groups, n_groups: int) -> IntArray:
    """How many of each row are in each group."""
    key = np.arange(len(group))[:, None] * n_groups + group
    return np.bincount(key.ravel(), minlength=len(group) * n_groups).reshape(len(group), n_groups)


@dataclass(frozen=True, slots=True, eq=False)
class Deal:
    """The groups of everything in some HITs (rows) that is not gold."""

    regular: Groups
    """By place, as the regular items were given."""
    controls: ControlGroups

    def replaced(self, rows: IntArray, others: Deal) -> Deal:
        """With others in some HITs."""
        regular = self.regular.copy()
        regular[rows] = others.regular
        return Deal(regular, self.controls.replaced(rows, others.controls))


def deal(system: Indices, lane: NDArray[np.int8], *, layout: Layout, rng: np.random.Generator) -> Deal:
    """Groups for the controls of every HIT (row) and for its regular items, given their systems and lanes.

    `lane` says which kind of control an item is the base of. In every group each system has as many
    regular items as in any other or one more, where that can be.
    """
    controls = deal_controls(layout, n_hits=len(system), rng=rng)
    regular = np.zeros(system.shape, dtype=np.int16)
    rows = np.arange(len(system))
    for attempt in range(MAX_DEALS if layout.is_grouped else 0):
        if attempt:
            controls = controls.replaced(rows, deal_controls(layout, n_hits=len(rows), rng=rng))
        regular[rows], is_even = _deal_regular(
            system[rows], lane[rows], controls.of(rows), layout=layout, rng=rng
        )
        # With room that differs by more than one, it cannot be.
        room = controls.room(layout)[rows]
        rows = rows[~is_even & (room.max(axis=1) - room.min(axis=1) <= 1)]
        if not len(rows):
            break
    return Deal(regular, controls)


def _deal_regular(
    system: Indices,
    lane: NDArray[np.int8],
    controls: ControlGroups,
    *,
    layout: Layout,
    rng: np.random.Generator,
) -> tuple[Groups, BoolArray]:
    """The group of every regular item, and which HITs have come out even.

    Like cards, lane by lane and system by system, each goes to a group that has room in its lane,
    first to those with fewest of its system. Each lane has as much room in a group as the group
    has bases of that kind.
    """
    n_systems = int(system.max()) + 1
    order = np.argsort(lane.astype(np.int32) * n_systems + system, axis=1, kind="stable")
    systems, lanes = np.take_along_axis(system, order, axis=1), np.take_along_axis(lane, order, axis=1)
    room = _lane_room(controls, layout)
    dealt, mix = _greedy(systems, lanes, room=room, n_systems=n_systems, rng=rng)
    is_even = even_out(systems, lanes, dealt, mix, rng=rng)
    found = np.empty_like(dealt)
    np.put_along_axis(found, order, dealt, axis=1)
    return found, is_even


def _greedy(
    systems: Indices, lanes: NDArray[np.int8], *, room: IntArray, n_systems: int, rng: np.random.Generator
) -> tuple[Groups, IntArray]:
    """The group of every card in their order, and the numbers by HIT, system and group."""
    n_hits, width = systems.shape
    n_lanes, n_groups = room.shape[1:]
    # One column per HIT and system or lane, one row per group: the minimum over few rows is fast.
    left = np.ascontiguousarray(room.transpose(2, 0, 1).reshape(n_groups, -1))
    mix = np.zeros((n_groups, n_hits * n_systems), dtype=np.int64)
    hits, groups = np.arange(n_hits), np.arange(n_groups)[:, None]
    chance = rng.integers(_CHANCES, size=(n_groups, n_hits))
    dealt = np.empty((width, n_hits), dtype=np.int16)
    for card in range(width):
        of_system, of_lane = hits * n_systems + systems[:, card], hits * n_lanes + lanes[:, card]
        free = left.take(of_lane, axis=1)
        # In one number: fewest of the system, then most room, then chance; last the group itself.
        score = (
            (mix.take(of_system, axis=1) << 40) - (free << 28) + ((chance + card * _STRIDE) % _CHANCES << 20)
        )
        score += groups
        score[free == 0] = _NOWHERE
        group = score.min(axis=0) & 0xFFFFF
        dealt[card] = group
        mix[group, of_system] += 1
        left[group, of_lane] -= 1
    assert not left.any(), "as many cards as places in every lane"
    return dealt.T.copy(), mix.reshape(n_groups, n_hits, n_systems).transpose(1, 2, 0).copy()


def _lane_room(groups: ControlGroups, layout: Layout) -> IntArray:
    """Room by HIT, lane and group."""
    room = np.empty((len(groups.control), NO_LANE + 1, layout.n_groups), dtype=np.int64)
    stop = 0
    for lane, kind in enumerate(CONTROL_KINDS):
        start, stop = stop, stop + layout.quota[kind]
        room[:, lane] = _per_group(groups.base[:, start:stop], layout.n_groups)
    room[:, NO_LANE] = groups.room(layout) - room[:, :NO_LANE].sum(axis=1)
    return room
