"""Arranging HITs: a position for everything in them, found by a constructive start and a local search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from steelyard.design.choice import shuffled_by
from steelyard.design.entries import Entries, IndexArray
from steelyard.design.groups import Groups, deal_groups, per_group
from steelyard.design.layout import Layout
from steelyard.design.sampling import repeated
from steelyard.domain.work import CONTROL_KINDS
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# Translations of one segment are to be farther apart than this [our choice].
TOO_CLOSE = 20
# Attempts for a HIT that is still uneven, or whose controls are not as far away as they should be; the later
# half use partner groups only [our choice].
MAX_STARTS = 10
# Steps of a search, without and with spacing of translations of one segment [our choice].
MAX_STEPS, MAX_SPACING_STEPS = 100, 500
# A step may at first make things worse by about this much; the last fifth of the steps may not.
HEAT = 40.0
# How much more an item too near or too far, or too many in a group, weighs than translations of one segment:
# a promise is worth more than any spacing.
_PROMISE = 1e4
# HITs that no longer cost anything leave the search once they are a tenth of it.
_NARROW = 0.9
# Pairs of columns kept in memory at once [our choice].
_PAIRS_AT_ONCE = 10_000_000


class Arranger:
    """Gives everything in some HITs (rows) a position.

    `entry` holds the regular items of each HIT, bases first; `position` what came of it, by column
    (see `deal_groups`), from 1. The start deals groups evenly and shuffles within them. Then a local
    search lowers one cost, step by step and in all HITs at once:

    - controls nearer to their base, or farther from it, than the layout promises: by how many items;
    - systems spread unevenly over groups: the squared numbers by system and group;
    - translations of one segment within 20 positions: the squared shortfall, summed over pairs.

    Each step takes something that costs in every HIT and makes the best exchange for it: of positions
    within a group, or of two entries that serve the same kind of control or are by the same system.
    Neither moves a control or its base to another group, nor changes which systems have bases.
    """

    def __init__(
        self,
        entry: IndexArray,
        *,
        layout: Layout,
        entries: Entries,
        serves: BoolArray,
        degrade: Callable[[int], bool],
        rng: np.random.Generator,
    ) -> None:
        """`serves` is by kind of control and entry; `entry` is changed in place.

        `degrade` says whether an entry can be degraded after all.
        """
        self.entry, self.layout, self.degrade, self.rng = entry, layout, degrade, rng
        # Any entry can do without a control.
        self.serves = np.concatenate([serves, np.ones((1, len(entries)), dtype=np.bool_)])
        self.system, self.segment = entries.system, entries.segment
        self.n_systems = int(entries.system.max()) + 1
        self.at = np.setdiff1d(np.arange(1, layout.hit_size + 1), layout.gold_positions)
        self.group: Groups = np.empty((len(entry), len(self.at)), dtype=np.int16)
        self.position = np.empty(self.group.shape, dtype=np.int64)
        quota = [layout.quota[kind] for kind in CONTROL_KINDS]
        self.lane = np.repeat(np.arange(len(quota) + 1), [*quota, layout.n_regular - layout.n_controls])
        # The control of a base and the base of a control; any other column is its own partner.
        self.partner = np.arange(len(self.at))
        bases = self.partner[: layout.n_controls].copy()
        self.partner[bases], self.partner[layout.n_regular + bases] = layout.n_regular + bases, bases
        self.n_spaced_at_once = max(1, _PAIRS_AT_ONCE // len(self.at) ** 2)
        self.is_paired: BoolArray = self.partner != np.arange(len(self.at))

    def arrange(self) -> None:
        """Start and search until the promises are kept and groups are even, if possible."""
        rows = np.arange(len(self.entry))
        is_crowded = np.asarray(repeated(self.segment[self.entry]).any(axis=1))
        for attempt in range(MAX_STARTS):
            is_early = attempt < MAX_STARTS // 2
            self._start(rows, self.layout if is_early else replace(self.layout, name="2014"))
            crowded = rows[is_crowded[rows]]
            unsolved = [_Search(self, rows[~is_crowded[rows]], spaced=False).run(MAX_STEPS)]
            for start in range(0, len(crowded), self.n_spaced_at_once):
                part = crowded[start : start + self.n_spaced_at_once]
                unsolved.append(_Search(self, part, spaced=True).run(MAX_SPACING_STEPS))
            rows = np.concatenate(unsolved)
            if not len(rows):
                break
        self._check()

    def _start(self, rows: IntArray, layout: Layout) -> None:
        group = deal_groups(layout, n_hits=len(rows), rng=self.rng)
        order = shuffled_by(group, rng=self.rng)
        position = np.empty(group.shape, dtype=np.int64)
        np.put_along_axis(position, order, np.broadcast_to(self.at, group.shape), axis=1)
        self.group[rows], self.position[rows] = group, position
        # Those of one system one after the other, as the groups go round.
        rank = np.argsort(self.rng.random((len(rows), self.n_systems)), axis=1)
        entry = self.entry[rows]
        major = self.lane * self.n_systems + np.take_along_axis(rank, self.system[entry], axis=1)
        self.entry[rows] = np.take_along_axis(entry, shuffled_by(major, rng=self.rng), axis=1)

    def _check(self) -> None:
        """Assert what the layout promises."""
        layout, position = self.layout, self.position
        assert (np.sort(position, axis=1) == self.at).all(), "every position is taken once"
        assert ((position - 1) // layout.group_size == self.group).all(), "items are in their groups"
        between = self.between()
        promised = (between >= layout.min_separation) & (between <= layout.max_separation)
        assert promised.all(), "controls are as far from their bases as promised"

    def between(self) -> IntArray:
        """The number of items between each control and its base."""
        layout = self.layout
        controls = self.position[:, layout.n_regular : layout.n_regular + layout.n_controls]
        return np.asarray(np.abs(controls - self.position[:, : layout.n_controls]) - 1)


class _Search:
    """Lowers the cost of some HITs of an arranger; `rows` are those that still cost something.

    With `spaced`, translations of one segment count too.
    """

    def __init__(self, arranger: Arranger, rows: IntArray, *, spaced: bool) -> None:
        self.arranger, self.layout, self.rng = arranger, arranger.layout, arranger.rng
        self.rows, self.spaced, self.is_varied = rows, spaced, len(self.layout.offsets) > 1
        self._load()

    def _load(self) -> None:
        arranger, rows, n_regular = self.arranger, self.rows, self.layout.n_regular
        self.entry, self.position = arranger.entry[rows], arranger.position[rows]
        self.group = arranger.group[rows].astype(np.int64)
        self.system = arranger.system[self.entry].astype(np.int64)
        n_cells = arranger.n_systems * self.layout.n_groups
        cell = self.system * self.layout.n_groups + self.group[:, :n_regular]
        key = np.arange(len(rows))[:, None] * n_cells + cell
        # How many of each system are in each group.
        self.mix = np.bincount(key.ravel(), minlength=len(rows) * n_cells).reshape(len(rows), n_cells)
        if self.spaced:
            self._measure()

    def _measure(self) -> None:
        """Which columns show the same segment though not the same entry, and how much too near they are."""
        n_controls, n_calibration = self.layout.n_controls, self.layout.n_calibration
        segment = self.arranger.segment[self.entry]
        unlike = np.broadcast_to(-1 - np.arange(n_calibration), (len(segment), n_calibration))
        segment = np.concatenate([segment, segment[:, :n_controls], unlike], axis=1)
        card = np.minimum(np.arange(segment.shape[1]), self.arranger.partner)
        is_alike = (segment[:, :, None] == segment[:, None, :]) & (card[:, None] != card)
        self.alike = is_alike.astype(np.float32)
        distance = np.abs(self.position[:, :, None] - self.position[:, None, :]).astype(np.float32)
        self.near = np.maximum(TOO_CLOSE + 1 - distance, 0) ** 2
        self.crowding = (self.alike * self.near).sum(axis=2)

    def run(self, n_steps: int) -> IntArray:
        """Take steps until nothing costs anything, or all; which HITs should have another start."""
        for step in range(n_steps):
            wrong = self._wrong()
            is_wrong = wrong.any(axis=1)
            if not is_wrong.any():
                break
            # With heat, a HIT that costs nothing could get worse again.
            if is_wrong.mean() < (1.0 if self.spaced else _NARROW):
                self._save()
                self.rows, wrong = self.rows[is_wrong], wrong[is_wrong]
                self._load()
            column = np.asarray((wrong * self.rng.random(wrong.shape, dtype=np.float32)).argmax(axis=1))
            self._step(column, heat=HEAT * max(0.0, 1 - 1.25 * step / n_steps) if self.spaced else 0.0)
        self._save()
        room = per_group(self.group[:, : self.layout.n_regular], self.layout.n_groups)
        # With room that differs by more than one, a HIT cannot be even.
        can_be_even = room.max(axis=1) - room.min(axis=1) <= 1
        is_uneven = self.uneven().any(axis=1) & can_be_even
        return np.asarray(self.rows[is_uneven | self.misplaced().any(axis=1)])

    def _save(self) -> None:
        self.arranger.entry[self.rows], self.arranger.position[self.rows] = self.entry, self.position

    def _wrong(self) -> BoolArray:
        """The columns that cost something."""
        wrong = self.misplaced() > 0 if self.is_varied else np.zeros(self.position.shape, dtype=np.bool_)
        wrong[:, : self.layout.n_regular] |= self.uneven()
        return wrong | (self.crowding > 0) if self.spaced else wrong

    def misplaced(self) -> IntArray:
        """How much too near to its partner each column is, or too far from it."""
        partners = self.position[:, self.arranger.partner]
        return np.asarray(self._misfit(self.position, partners) * self.arranger.is_paired)

    def _misfit(self, position: IntArray, other: IntArray) -> IntArray:
        between = np.abs(position - other) - 1
        layout = self.layout
        off = np.maximum(layout.min_separation - between, between - layout.max_separation)
        return np.asarray(np.maximum(off, 0))

    def uneven(self) -> BoolArray:
        """Which regular items are in a group with two more of their system than another group has."""
        by_group = self.mix.reshape(len(self.mix), self.arranger.n_systems, self.layout.n_groups)
        least = by_group.min(axis=2)
        here = self._mix_at(self.system, self.group[:, : self.layout.n_regular])
        return np.asarray(here - np.take_along_axis(least, self.system, axis=1) > 1)

    def _mix_at(self, system: IntArray, group: IntArray) -> IntArray:
        return np.take_along_axis(self.mix, system * self.layout.n_groups + group, axis=1)

    def _step(self, column: IntArray, *, heat: float) -> None:
        """The best exchange for one column in each HIT, unless it makes things worse than heat allows."""
        n_regular, rows = self.layout.n_regular, np.arange(len(column))
        own = np.where(column < n_regular, column, self.arranger.partner[column])
        cost = self._card_costs(own)
        if self.spaced or self.is_varied:
            cost = np.concatenate([cost, self._position_costs(column)], axis=1)
        # Between equals chance decides; heat makes more of them equal.
        best = (cost + self.rng.random(cost.shape) * max(heat, 0.5)).argmin(axis=1)
        is_kept = cost[rows, best] <= (heat * self.rng.exponential(size=len(rows)) if heat else 0)
        is_card = best < n_regular
        rows = np.flatnonzero(is_kept & is_card)
        self._exchange_cards(rows, own[rows], best[rows])
        rows = np.flatnonzero(is_kept & ~is_card)
        self._exchange_positions(rows, column[rows], best[rows] - n_regular)
        if self.spaced:
            self._measure()

    def _card_costs(self, own: IntArray) -> FloatArray:
        """How the cost changes if the entry of a column changes places with each other."""
        rows, n_regular, lane = np.arange(len(own)), self.layout.n_regular, self.arranger.lane
        system, group = self.system[rows, own][:, None], self.group[rows, own][:, None]
        groups = self.group[:, :n_regular]
        moves = (self.system != system) & (groups != group)
        ours = self._mix_at(system, groups) - self._mix_at(system, group)
        theirs = self._mix_at(self.system, group) - self._mix_at(self.system, groups)
        cost = np.where(moves, _PROMISE * (ours + theirs + 2.0), 0.0)
        is_allowed = lane == lane[own][:, None]
        if not self.spaced:
            return np.where(is_allowed & moves, cost, np.inf)
        serves, entry = self.arranger.serves, self.entry[rows, own][:, None]
        is_fit = serves[lane[own][:, None], self.entry] & serves[lane, entry]
        is_allowed |= (self.system == system) & is_fit
        is_allowed[rows, own] = False
        cost += self._crowding_of_cards(own)
        return np.where(is_allowed & (self.alike[rows, own, :n_regular] == 0), cost, np.inf)

    def _crowding_of_cards(self, own: IntArray) -> FloatArray:
        """How much more or less crowded an exchange of entries, and of their controls, would make it."""
        n_regular, n_controls = self.layout.n_regular, self.layout.n_controls
        ours = np.einsum("rm,rmc->rc", self.alike[np.arange(len(own)), own], self.near) - self.crowding
        cost: FloatArray = ours[:, :n_regular].copy()
        cost[:, :n_controls] += ours[:, n_regular : n_regular + n_controls]
        control = self.arranger.partner[own]
        cost += self._crowding_at(own)[:, :n_regular]
        cost += np.where((control != own)[:, None], self._crowding_at(control)[:, :n_regular], 0)
        return cost

    def _crowding_at(self, column: IntArray) -> FloatArray:
        """How much more or less crowded a column would be with the segment of each other."""
        rows = np.arange(len(column))
        theirs = np.einsum("rcm,rm->rc", self.alike, self.near[rows, column])
        return np.asarray(theirs - self.crowding[rows, column][:, None])

    def _position_costs(self, column: IntArray) -> FloatArray:
        """How the cost changes if a column changes places with each other of its group."""
        rows, partner, is_paired = np.arange(len(column)), self.arranger.partner, self.arranger.is_paired
        mine, mate = self.position[rows, column][:, None], partner[column]
        now = self.misplaced()
        ours = self._misfit(self.position, self.position[rows, mate][:, None]) * is_paired[column][:, None]
        theirs = self._misfit(mine, self.position[:, partner]) * is_paired
        cost = _PROMISE * (ours + theirs - now - now[rows, column][:, None])
        is_allowed = self.group == self.group[rows, column][:, None]
        is_allowed[rows, column] = is_allowed[rows, mate] = False
        if self.spaced:
            cost += np.einsum("rm,rmc->rc", self.alike[rows, column], self.near) - self.crowding
            cost += self._crowding_at(column)
            is_allowed &= self.alike[rows, column] == 0
        return np.where(is_allowed, cost, np.inf)

    def _exchange_cards(self, rows: IntArray, own: IntArray, other: IntArray) -> None:
        lane = self.arranger.lane
        for k in np.flatnonzero(
            (lane[own] != lane[other]) & (np.minimum(lane[own], lane[other]) == 0)
        ).tolist():
            entry = int(self.entry[rows[k], other[k] if lane[own[k]] == 0 else own[k]])
            if not self.arranger.degrade(entry):
                self.arranger.serves[0, entry] = False
                other[k] = own[k]
        for source, target in ((own, other), (other, own)):
            cell = self.system[rows, source] * self.layout.n_groups
            self.mix[rows, cell + self.group[rows, source]] -= 1
            self.mix[rows, cell + self.group[rows, target]] += 1
        for each in (self.entry, self.system):
            each[rows, own], each[rows, other] = each[rows, other], each[rows, own]

    def _exchange_positions(self, rows: IntArray, own: IntArray, other: IntArray) -> None:
        position = self.position
        position[rows, own], position[rows, other] = position[rows, other], position[rows, own]
