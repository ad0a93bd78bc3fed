"""Placing one HIT: regular items to groups, bases for the controls, positions within groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.design.bases import BaseBook
from steelyard.design.choice import BaseChoice
from steelyard.design.layout import Layout, deal_controls, regular_per_group
from steelyard.design.sampling import Draw
from steelyard.domain.work import CONTROL_KINDS, ItemKind


@dataclass(slots=True)
class Slot:
    """A place for one draw and, if `kind` is set, for the control made from it.

    `positions` holds the position of the regular item and then that of its control.
    """

    draw: Draw
    kind: ItemKind | None
    groups: tuple[int, ...]
    positions: list[int]


def place(draws: Sequence[Draw], *, layout: Layout, book: BaseBook, rng: np.random.Generator) -> list[Slot]:
    """The draws of one HIT in their slots, controls included, in no particular order.

    Groups have nearly the same mix of systems; every control has its base in the partner group,
    a base serves one control, and the order is random within each group only.
    """
    pairs = deal_controls(layout, rng=rng)
    groups = _deal(draws, regular_per_group(layout, pairs), rng)
    chosen = BaseChoice(groups, pairs, book=book, rng=rng).bases()
    slots = [
        Slot(draw, pair.kind, (pair.base_group, pair.control_group), [])
        for pair, draw in zip(pairs, chosen, strict=True)
    ]
    bases = set(chosen)
    slots += [
        Slot(draw, None, (index,), [])
        for index, group in enumerate(groups)
        for draw in group
        if draw not in bases
    ]
    _shuffle_within_groups(slots, layout, rng)
    check(slots, layout=layout)
    return slots


def _deal(draws: Sequence[Draw], room: Sequence[int], rng: np.random.Generator) -> list[list[Draw]]:
    """The draws dealt to groups like cards, one system after the other."""
    shuffled = [draws[index] for index in rng.permutation(len(draws))]
    systems = sorted({draw.system for draw in draws})
    turn = {systems[index]: k for k, index in enumerate(rng.permutation(len(systems)))}
    shuffled.sort(key=lambda draw: turn[draw.system])
    # Roomy groups first: the last, incomplete deal then goes to groups the one before just skipped.
    order = sorted(rng.permutation(len(room)).tolist(), key=lambda group: -room[group])
    seats = [group for deal in range(max(room)) for group in order if room[group] > deal]
    groups: list[list[Draw]] = [[] for _ in room]
    for draw, group in zip(shuffled, seats, strict=True):
        groups[group].append(draw)
    return groups


def _shuffle_within_groups(slots: Sequence[Slot], layout: Layout, rng: np.random.Generator) -> None:
    members: list[list[tuple[Slot, int]]] = [[] for _ in range(layout.n_groups)]
    for slot in slots:
        slot.positions = [0] * len(slot.groups)
        for member, group in enumerate(slot.groups):
            members[group].append((slot, member))
    for group, places in enumerate(members):
        for offset, index in enumerate(rng.permutation(len(places)).tolist()):
            slot, member = places[index]
            slot.positions[member] = group * layout.group_size + offset + 1


def check(slots: Sequence[Slot], *, layout: Layout) -> None:
    """Assert everything the layout promises: counts, groups, distinct bases, separations."""
    kinds = [slot.kind for slot in slots]
    promises: list[tuple[Callable[[], bool], str]] = [
        (lambda: len(slots) == layout.n_regular, "one slot per regular item"),
        (lambda: all(kinds.count(kind) == layout.quota[kind] for kind in CONTROL_KINDS), "controls as quota"),
        (
            lambda: len({(slot.draw.system, slot.draw.segment) for slot in slots}) == len(slots),
            "items differ",
        ),
        (
            lambda: (
                sorted(position for slot in slots for position in slot.positions)
                == list(range(1, layout.hit_size + 1))
            ),
            "every position taken once",
        ),
        (
            lambda: all(
                layout.group_of(position) == group
                for slot in slots
                for position, group in zip(slot.positions, slot.groups, strict=True)
            ),
            "items in their groups",
        ),
        (
            lambda: all(
                layout.min_separation
                <= abs(slot.positions[1] - slot.positions[0]) - 1
                <= layout.max_separation
                for slot in slots
                if slot.kind
            ),
            "base and control apart",
        ),
    ]
    for holds, promise in promises:
        assert holds(), f"the layout broke a promise: {promise}"
