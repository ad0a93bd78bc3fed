"""Spacing: translations of one segment kept apart where a HIT must hold several of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from steelyard.design.layout import Layout
from steelyard.design.placement import Slot
from steelyard.design.sampling import Draw
from steelyard.domain.work import ItemKind

# Translations of one segment are to be farther apart than this [our choice].
TOO_CLOSE = 20
# Our choice: a fifth of a second for a HIT that cannot be solved, hundredths for one that can.
MAX_MOVES = 8000
# A move may at first make things worse by about this much; the last fifth of the moves may not.
PATIENCE = 30.0


def closest(slots: Sequence[Slot]) -> int | None:
    """The least distance of two translations of one segment, None if none share a segment.

    A control and its own base do not count.
    """
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for index, slot in enumerate(slots):
        places[slot.draw.segment] += [(position, index) for position in slot.positions]
    distances = [
        later - earlier
        for found in places.values()
        for k, (earlier, slot) in enumerate(sorted(found))
        for later, other in sorted(found)[k + 1 :]
        if slot != other
    ]
    return min(distances, default=None)


class Spreader:
    """Repairs one HIT by exchanges that leave its layout and its balance alone.

    Two kinds of move: two positions of one group change places; two draws of one system change
    slots, so that a base takes its control along. A move stays unless it does harm; a little
    harm is let pass at first, or the search would stop at the first dead end.
    """

    def __init__(
        self,
        slots: Sequence[Slot],
        *,
        layout: Layout,
        may_serve: Callable[[ItemKind, Draw], bool],
        rng: np.random.Generator,
    ) -> None:
        self.slots, self.layout, self.may_serve, self.rng = slots, layout, may_serve, rng
        self.patience = 0.0
        self.at: dict[int, tuple[Slot, int]] = {}
        self.of_segment: dict[int, list[Slot]] = defaultdict(list)
        self.of_system: dict[int, list[Slot]] = defaultdict(list)
        for slot in slots:
            self.of_segment[slot.draw.segment].append(slot)
            self.of_system[slot.draw.system].append(slot)
            for member, position in enumerate(slot.positions):
                self.at[position] = (slot, member)
        self.cost = {segment: self._cost(segment) for segment in self.of_segment}

    def spread(self) -> None:
        """Move until all are far enough apart, or until the moves are used up."""
        for move in range(MAX_MOVES):
            crowded = [segment for segment, cost in self.cost.items() if cost]
            if not crowded:
                return
            self.patience = PATIENCE * max(0.0, 1 - 1.25 * move / MAX_MOVES)
            slots = self.of_segment[crowded[int(self.rng.integers(len(crowded)))]]
            slot = slots[int(self.rng.integers(len(slots)))]
            if self.rng.random() < 0.5:
                self._try_positions(slot)
            else:
                self._try_draws(slot)

    def _cost(self, segment: int) -> int:
        """How much too close the translations of a segment are, summed over pairs of them.

        A control and its base are never so close, hence need no exception.
        """
        places = sorted(position for slot in self.of_segment[segment] for position in slot.positions)
        cost = 0
        for k, earlier in enumerate(places):
            for later in places[k + 1 :]:
                if later - earlier > TOO_CLOSE:
                    break
                cost += (TOO_CLOSE + 1 - (later - earlier)) ** 2
        return cost

    def _try_positions(self, slot: Slot) -> None:
        member = int(self.rng.integers(len(slot.positions)))
        position = slot.positions[member]
        start = self.layout.group_of(position) * self.layout.group_size + 1
        other = start + int(self.rng.integers(self.layout.group_size))
        self._keep_if_better(
            {slot.draw.segment, self.at[other][0].draw.segment},
            lambda: self._swap_positions(position, other),
        )

    def _try_draws(self, slot: Slot) -> None:
        mates = self.of_system[slot.draw.system]
        mate = mates[int(self.rng.integers(len(mates)))]
        if mate is slot or not (self._fits(slot, mate.draw) and self._fits(mate, slot.draw)):
            return
        self._keep_if_better({slot.draw.segment, mate.draw.segment}, lambda: self._swap_draws(slot, mate))

    def _fits(self, slot: Slot, draw: Draw) -> bool:
        return slot.kind is None or self.may_serve(slot.kind, draw)

    def _keep_if_better(self, segments: set[int], swap: Callable[[], None]) -> None:
        """Make the swap, and undo it if it did more harm than patience allows."""
        before = sum(self.cost[segment] for segment in segments)
        swap()
        after = {segment: self._cost(segment) for segment in segments}
        gain = before - sum(after.values())
        if gain < 0 and -gain > self.patience * self.rng.exponential():
            swap()
        else:
            self.cost.update(after)

    def _swap_positions(self, position: int, other: int) -> None:
        (slot, member), (mate, mate_member) = self.at[position], self.at[other]
        slot.positions[member], mate.positions[mate_member] = other, position
        self.at[position], self.at[other] = (mate, mate_member), (slot, member)

    def _swap_draws(self, slot: Slot, mate: Slot) -> None:
        if slot.draw.segment != mate.draw.segment:
            self._replace(self.of_segment[slot.draw.segment], slot, mate)
            self._replace(self.of_segment[mate.draw.segment], mate, slot)
        slot.draw, mate.draw = mate.draw, slot.draw

    @staticmethod
    def _replace(slots: list[Slot], old: Slot, new: Slot) -> None:
        # By identity: slots compare by content, and content is what changes.
        slots[next(index for index, slot in enumerate(slots) if slot is old)] = new
