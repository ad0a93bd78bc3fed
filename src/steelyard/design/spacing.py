"""Spacing: translations of one segment kept apart where a HIT must hold several of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.design.layout import Layout
from steelyard.domain.work import ItemKind

# Translations of one segment are to be farther apart than this [our choice].
TOO_CLOSE = 20
# Our choice: a fifth of a second for a HIT that cannot be solved, hundredths for one that can.
MAX_MOVES = 8000
# Where it cannot be done, a little better is good enough.
FEW_MOVES = 1000
# A move may at first make things worse by about this much; the last fifth of the moves may not.
PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Card:
    """An entry of a HIT: whose it is, what of, and where the HIT had it at first."""

    entry: int
    system: int
    segment: int
    place: int


@dataclass(slots=True)
class Slot:
    """A place for one card and, if `kind` is set, for the control made from it.

    `positions` holds the position of the regular item and then that of its control.
    """

    card: Card
    kind: ItemKind | None
    positions: list[int]


class Spreader:
    """Repairs one HIT by exchanges that leave its layout and its balance alone.

    Two kinds of move: two positions of one group change places; two cards of one system change
    slots, so that a base takes its control along. A move stays unless it does harm; a little
    harm is let pass at first, or the search would stop at the first dead end. Positions that no
    slot has, such as those of gold, stay out of it.
    """

    def __init__(
        self,
        slots: Sequence[Slot],
        *,
        layout: Layout,
        may_serve: Callable[[ItemKind, int], bool],
        rng: np.random.Generator,
    ) -> None:
        self.slots, self.layout, self.may_serve, self.rng = slots, layout, may_serve, rng
        self.patience = 0.0
        self.at: dict[int, tuple[Slot, int]] = {}
        self.of_segment: dict[int, list[Slot]] = defaultdict(list)
        self.of_system: dict[int, list[Slot]] = defaultdict(list)
        for slot in slots:
            self.of_segment[slot.card.segment].append(slot)
            self.of_system[slot.card.system].append(slot)
            for member, position in enumerate(slot.positions):
                self.at[position] = (slot, member)
        self.cost = {segment: self._cost(segment) for segment in self.of_segment}

    def spread(self) -> None:
        """Move until all are far enough apart, or until the moves are used up."""
        n_moves = MAX_MOVES if self._is_possible() else FEW_MOVES
        for move in range(n_moves):
            crowded = [segment for segment, cost in self.cost.items() if cost]
            if not crowded:
                return
            self.patience = PATIENCE * max(0.0, 1 - 1.25 * move / n_moves)
            slots = self.of_segment[crowded[int(self.rng.integers(len(crowded)))]]
            slot = slots[int(self.rng.integers(len(slots)))]
            if self.rng.random() < 0.5:
                self._try_positions(slot)
            else:
                self._try_cards(slot)

    def _is_possible(self) -> bool:
        """Whether a HIT of this length can keep as many items of one segment apart at all."""
        most = max(sum(len(slot.positions) for slot in slots) for slots in self.of_segment.values())
        return (most - 1) * (TOO_CLOSE + 1) < self.layout.hit_size and len(self.of_segment) > TOO_CLOSE

    def _cost(self, segment: int) -> int:
        """How much too close the translations of a segment are, summed over pairs of them.

        A control and its own base do not count.
        """
        slots = self.of_segment[segment]
        if len(slots) < 2:
            return 0
        places = sorted((position, index) for index, slot in enumerate(slots) for position in slot.positions)
        cost = 0
        for k, (earlier, slot) in enumerate(places):
            for later, other in places[k + 1 :]:
                if later - earlier > TOO_CLOSE:
                    break
                cost += (TOO_CLOSE + 1 - (later - earlier)) ** 2 if other != slot else 0
        return cost

    def _try_positions(self, slot: Slot) -> None:
        member = int(self.rng.integers(len(slot.positions)))
        position = slot.positions[member]
        start = self.layout.group_of(position) * self.layout.group_size + 1
        other = start + int(self.rng.integers(self.layout.group_size))
        if other not in self.at:
            return
        mate = self.at[other][0]
        self._swap_positions(position, other)
        kept = self._is_apart(slot) and self._is_apart(mate)
        self._swap_positions(position, other)
        if kept:
            self._keep_if_better(
                {slot.card.segment, mate.card.segment}, lambda: self._swap_positions(position, other)
            )

    def _is_apart(self, slot: Slot) -> bool:
        """Whether a control and its base keep the distance that the layout promises."""
        if slot.kind is None:
            return True
        between = abs(slot.positions[1] - slot.positions[0]) - 1
        return self.layout.min_separation <= between <= self.layout.max_separation

    def _try_cards(self, slot: Slot) -> None:
        mates = self.of_system[slot.card.system]
        mate = mates[int(self.rng.integers(len(mates)))]
        if mate is slot or not (self._fits(slot, mate.card) and self._fits(mate, slot.card)):
            return
        self._keep_if_better({slot.card.segment, mate.card.segment}, lambda: self._swap_cards(slot, mate))

    def _fits(self, slot: Slot, card: Card) -> bool:
        return slot.kind is None or self.may_serve(slot.kind, card.entry)

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

    def _swap_cards(self, slot: Slot, mate: Slot) -> None:
        if slot.card.segment != mate.card.segment:
            self._replace(self.of_segment[slot.card.segment], slot, mate)
            self._replace(self.of_segment[mate.card.segment], mate, slot)
        slot.card, mate.card = mate.card, slot.card

    @staticmethod
    def _replace(slots: list[Slot], old: Slot, new: Slot) -> None:
        # By identity: slots compare by content, and content is what changes.
        slots[next(index for index, slot in enumerate(slots) if slot is old)] = new
