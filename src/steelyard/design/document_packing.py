"""Packing whole documents into HITs, and which of them come twice: lengths only, no texts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# How much longer or shorter than asked HITs of whole documents may be [our choice].
SIZE_TOLERANCE = 0.15
# Our choice: the share of a HIT that is in control documents. In the crowd campaign of WMT21 from
# Czech it was 27.6 % [Akhbardeh2021].
CONTROL_SHARE = (0.25, 0.30)
# Our choice: a HIT with a tenth too many items is as bad as one with a twentieth too few controls.
_SHARE_WEIGHT = 2.0
# Draws of control documents among which the best is taken.
_CONTROL_DRAWS = 48
# HITs that are packed together; more at once would cost time and gain nothing.
_BLOCK = 240
# Numbers of HITs tried, and on how many HITs: long documents fit some numbers better than others.
_TRIED_NUMBERS, _TRIED_HITS = 9, 40
# How much more the items of its own system in a HIT weigh against adding a document there.
_SYSTEM_WEIGHT = 2.0
# Long documents are placed first, but not strictly, or every round would be packed alike.
_DISORDER = 0.5
# Worse than any imbalance: the same document by another system in the same HIT.
_CLASH = 1e9


@dataclass(frozen=True, slots=True)
class Stack:
    """Documents to be judged, each by one system: three arrays of one length.

    Where a document is shown by a group of systems at once, `system` is the number of the group, and `shows`
    says which systems are in each group.
    """

    system: IntArray
    document: IntArray
    length: IntArray
    shows: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.length)

    def take(self, rows: IntArray) -> Stack:
        """Some of the documents."""
        return Stack(self.system[rows], self.document[rows], self.length[rows], self.shows)

    def members(self, system: int) -> IntArray:
        """The systems in a group; without groups, the system itself."""
        return np.array([system]) if self.shows is None else np.flatnonzero(self.shows[system])

    def volume(self, n_systems: int = 0) -> FloatArray:
        """How many items each system has here; at least for so many systems."""
        of_groups: FloatArray = np.zeros(max(int(self.system.max(initial=-1)) + 1, n_systems))
        np.add.at(of_groups, self.system, self.length)
        if self.shows is None:
            return of_groups
        volume: FloatArray = of_groups[: len(self.shows)] @ self.shows[: len(of_groups)]
        return volume

    def by_members(self, values: FloatArray) -> FloatArray:
        """By group, the mean of what its systems have; without groups, of each system what it has."""
        if self.shows is None:
            return values
        mean: FloatArray = (self.shows @ values) / np.maximum(self.shows.sum(axis=1), 1)
        return mean

    @property
    def n_systems(self) -> int:
        return int(self.system.max(initial=0)) + 1 if self.shows is None else self.shows.shape[1]


@dataclass(frozen=True, slots=True)
class Packing:
    """Which rows of a stack each HIT holds, and which of these are there only to fill it."""

    rows: list[IntArray]
    is_padding: list[BoolArray]


@dataclass(frozen=True, slots=True)
class Target:
    """How large HITs should be, and how much of them control documents."""

    hit_size: int
    control_share: tuple[float, float] = CONTROL_SHARE

    @property
    def regular(self) -> float:
        """What a HIT of the size asked for holds besides its control documents."""
        return self.hit_size * (1 - sum(self.control_share) / 2)

    @property
    def least_regular(self) -> float:
        """With less, not even the largest share of controls makes the HIT long enough."""
        return self.hit_size * (1 - SIZE_TOLERANCE) * (1 - self.control_share[1])

    @property
    def most_regular(self) -> float:
        """With more, even the smallest share of controls makes the HIT too long."""
        return self.hit_size * (1 + SIZE_TOLERANCE) * (1 - self.control_share[0])

    @property
    def longest_document(self) -> int:
        """What goes into a HIT beside a second document and its control, a quarter of the HIT each."""
        return max(1, int(self.hit_size * (1 + SIZE_TOLERANCE) * (1 - 2 * self.control_share[0])))

    def misfit(self, regular: FloatArray, controls: FloatArray) -> FloatArray:
        """How far HITs with these numbers of regular and control items are from the target; 0: it fits.

        >>> target = Target(100)
        >>> target.misfit(np.array([75.0, 90.0, 80.0]), np.array([25.0, 35.0, 20.0])).round(3)
        array([0. , 0.1, 0.1])
        """
        size = regular + controls
        share = controls / np.maximum(size, 1)
        low, high = self.control_share
        too_many_or_few = np.maximum(np.abs(size / self.hit_size - 1) - SIZE_TOLERANCE, 0)
        return too_many_or_few + _SHARE_WEIGHT * np.maximum(np.maximum(low - share, share - high), 0)


def number_of_hits(stack: Stack, target: Target, *, rng: np.random.Generator) -> int:
    """How many HITs the documents are best packed into.

    Where documents are long beside a HIT, most numbers leave HITs too long, too short or with too
    few controls, so several are tried, on a sample if there are many documents.
    """
    volume = int(stack.length.sum())
    least = max(1, int(np.ceil(volume / target.most_regular)))
    most = max(least, int(volume / target.least_regular))
    tried = np.unique(np.linspace(least, most, _TRIED_NUMBERS).round().astype(int)).tolist()
    if len(tried) == 1:
        return int(tried[0])
    return int(min(tried, key=lambda n_hits: _cost_of(stack, n_hits, target, rng)))


def _cost_of(stack: Stack, n_hits: int, target: Target, rng: np.random.Generator) -> float:
    if n_hits > _TRIED_HITS:
        sample = rng.permutation(len(stack))[: int(len(stack) * _TRIED_HITS / n_hits)]
        stack, n_hits = stack.take(sample), _TRIED_HITS
    packing = pack(stack, n_hits, target, rng=rng)
    regular = np.array([stack.length[rows].sum() for rows in packing.rows], dtype=float)
    picker = ControlPicker(stack, target, rng=rng)
    hits = [stack.take(rows) for rows in packing.rows]
    controls = np.array([hit.length[picker.pick(hit)].sum() for hit in hits], dtype=float)
    reused = sum(
        int(stack.length[rows[pad]].sum()) for rows, pad in zip(packing.rows, packing.is_padding, strict=True)
    )
    # Among numbers that fit about equally well, the one whose HITs have the size asked for.
    off_size = abs(float((regular + controls).mean()) / target.hit_size - 1)
    return float(target.misfit(regular, controls).mean() + reused / regular.sum()) + 0.1 * off_size


def pack(stack: Stack, n_hits: int, target: Target, *, rng: np.random.Generator) -> Packing:
    """The documents in HITs of nearly equal length, each system spread evenly over them.

    Every document comes once; a HIT that stays too short gets some again as padding. One document
    by two systems shares a HIT only if there are fewer HITs than systems that have it.
    """
    rows: list[IntArray] = []
    for block, n_block in _blocks(stack, n_hits, rng):
        hit = _greedy(stack.take(block), n_block, rng)
        order = np.argsort(hit, kind="stable")
        ends = np.cumsum(np.bincount(hit, minlength=n_block))[:-1]
        rows += np.split(block[order], ends)
    is_padding = [np.zeros(len(each), dtype=bool) for each in rows]
    for number, each in enumerate(rows):
        if stack.length[each].sum() < target.least_regular or len(each) == 1:
            extra = _padding(stack, each, target, rng)
            rows[number] = np.concatenate([each, extra])
            is_padding[number] = np.repeat([False, True], [len(each), len(extra)])
    return Packing(rows, is_padding)


def _blocks(stack: Stack, n_hits: int, rng: np.random.Generator) -> list[tuple[IntArray, int]]:
    """The rows in blocks with the same share of every system, and how many HITs each block fills."""
    n_blocks = -(-n_hits // _BLOCK)
    order = rng.permutation(len(stack))
    order = order[np.argsort(stack.system[order], kind="stable")]
    block = np.empty(len(stack), dtype=np.int64)
    for rows in np.split(order, np.flatnonzero(np.diff(stack.system[order])) + 1):
        through = np.cumsum(stack.length[rows])
        block[rows] = (through - stack.length[rows] / 2) * n_blocks // max(1, through[-1])
    edges = np.arange(n_blocks + 1) * n_hits // n_blocks
    return [(np.flatnonzero(block == k), int(edges[k + 1] - edges[k])) for k in range(n_blocks)]


def _greedy(stack: Stack, n_hits: int, rng: np.random.Generator) -> IntArray:
    """The HIT of each document: long ones first, each into the HIT where it weighs least."""
    weight = stack.length * np.exp(rng.uniform(-_DISORDER, _DISORDER, len(stack)))
    filled = np.zeros(n_hits)
    filled_by = np.zeros((stack.n_systems, n_hits))
    holders: dict[int, list[int]] = defaultdict(list)
    hit = np.empty(len(stack), dtype=np.int64)
    rows = np.argsort(-weight)
    columns = (each[rows].tolist() for each in (stack.system, stack.document, stack.length))
    for row, system, document, length in zip(rows.tolist(), *columns, strict=True):
        members = stack.members(system)
        cost = filled + _SYSTEM_WEIGHT * filled_by[members].mean(axis=0) + rng.random(n_hits)
        if holders[document]:
            cost[holders[document]] += _CLASH
        chosen = int(cost.argmin())
        hit[row] = chosen
        filled[chosen] += length
        filled_by[members, chosen] += length
        holders[document].append(chosen)
    return hit


def _padding(stack: Stack, rows: IntArray, target: Target, rng: np.random.Generator) -> IntArray:
    """Documents to reuse until the HIT is long enough, or none are left."""
    chosen = rows
    while stack.length[chosen].sum() < target.least_regular or len(chosen) == 1:
        others = np.setdiff1d(np.arange(len(stack)), chosen)
        if not len(others):
            break
        present = stack.take(chosen).volume(stack.n_systems)
        cost = stack.by_members(present)[stack.system[others]] + rng.random(len(others))
        cost += _CLASH * np.isin(stack.document[others], stack.document[chosen])
        room = target.most_regular - stack.length[chosen].sum()
        cost += 2 * _CLASH * (stack.length[others] > room)
        chosen = np.append(chosen, others[cost.argmin()])
    return chosen[len(rows) :]


class ControlPicker:
    """Picks the documents of each HIT that come again as control documents, the systems in balance."""

    def __init__(self, stack: Stack, target: Target, *, rng: np.random.Generator) -> None:
        self._target, self._rng = target, rng
        self._volume = np.maximum(stack.volume(), 1)
        self._served = np.zeros(len(self._volume))

    def pick(self, hit: Stack) -> BoolArray:
        """Which documents of the HIT are repeated.

        Drawn without replacement with probability proportional to length, until their share of
        the HIT is as wanted. Of several such draws that fit equally well that one is taken after
        which the systems have most nearly the same share of their items repeated. Never are all
        documents repeated: something must be there that comes once.
        """
        if len(hit) < 2 or self._target.control_share[1] == 0:
            return np.zeros(len(hit), dtype=bool)
        # The smallest of exponential variables with these rates is each with probability ~ its rate.
        order = np.argsort(self._rng.exponential(size=(_CONTROL_DRAWS, len(hit))) / hit.length, axis=1)
        repeated = hit.length[order].cumsum(axis=1)[:, :-1].astype(float)
        misfit = self._target.misfit(np.full(repeated.shape, float(hit.length.sum())), repeated)
        n_drawn = misfit.argmin(axis=1) + 1
        is_best = misfit.min(axis=1) <= misfit.min()
        picked = (np.argsort(order, axis=1) < n_drawn[:, None])[is_best]
        share = np.zeros((len(hit), len(self._volume)))
        for row, (system, length) in enumerate(zip(hit.system.tolist(), hit.length.tolist(), strict=True)):
            members = hit.members(system)
            share[row, members] = length / self._volume[members]
        added = picked @ share
        best = int(np.square(self._served + added).sum(axis=1).argmin())
        self._served += added[best]
        chosen: BoolArray = picked[best]
        return chosen
