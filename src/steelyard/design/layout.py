"""The layout of a HIT: how many items of each kind, in which groups, how far apart the pairs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from steelyard.domain.work import CONTROL_KINDS, ItemKind

# A HIT falls into ten groups; a control sits five groups from its base [Graham2014].
N_GROUPS = 10

# Hit size -> controls of each kind. 100 is the published layout [Graham2014]; the others keep its
# shares, hence 70 % regular items, and at least 5 degraded pairs to test a worker on [our choice].
CONTROLS_PER_KIND = {50: 5, 100: 10, 200: 20}


@dataclass(frozen=True)
class Layout:
    """A HIT of `n_groups` groups in order; partner groups lie half a HIT apart.

    A control and its base are in partner groups, so whatever the order within groups, the number
    of items between them stays between `min_separation` and `max_separation`.

    >>> layout_for(100).n_regular, layout_for(100).min_separation, layout_for(100).max_separation
    (70, 40, 58)
    """

    hit_size: int
    n_groups: int
    group_size: int
    quota: Mapping[ItemKind, int]
    """How many controls of each kind; the rest of the HIT is regular."""

    @property
    def n_controls(self) -> int:
        return sum(self.quota.values())

    @property
    def n_regular(self) -> int:
        return self.hit_size - self.n_controls

    @property
    def min_separation(self) -> int:
        return (self.n_groups // 2 - 1) * self.group_size

    @property
    def max_separation(self) -> int:
        return (self.n_groups // 2 + 1) * self.group_size - 2

    def partner(self, group: int) -> int:
        """The group that holds the bases of this group's controls, and the reverse."""
        return (group + self.n_groups // 2) % self.n_groups

    def group_of(self, position: int) -> int:
        """The group of a position; positions count from 1, groups from 0."""
        return (position - 1) // self.group_size


@dataclass(frozen=True, slots=True)
class Pair:
    """Where one control and its base go."""

    kind: ItemKind
    base_group: int
    control_group: int


def supported_sizes() -> tuple[int, ...]:
    """The HIT sizes there is a layout for, ascending."""
    return tuple(sorted(CONTROLS_PER_KIND))


def layout_for(hit_size: int) -> Layout:
    """The layout of HITs of this size; ValueError names the sizes on offer.

    >>> layout_for(50).n_regular
    35
    """
    if hit_size not in CONTROLS_PER_KIND:
        sizes = ", ".join(str(size) for size in supported_sizes())
        raise ValueError(f"hit_size {hit_size} is not offered; choose one of: {sizes}.")
    quota = MappingProxyType(dict.fromkeys(CONTROL_KINDS, CONTROLS_PER_KIND[hit_size]))
    return Layout(hit_size=hit_size, n_groups=N_GROUPS, group_size=hit_size // N_GROUPS, quota=quota)


def smaller_layouts(n_translations: int) -> tuple[int, ...]:
    """The HIT sizes that so many translations can fill, ascending.

    >>> smaller_layouts(80), smaller_layouts(34)
    ((50, 100), ())
    """
    return tuple(size for size in supported_sizes() if layout_for(size).n_regular <= n_translations)


def deal_controls(layout: Layout, *, rng: np.random.Generator) -> tuple[Pair, ...]:
    """Every control's group and its base's, as even as the numbers allow.

    Groups differ by at most one in controls of a kind and in controls altogether, and as many
    controls of a kind precede their base as follow it (one more or less if the number is odd).
    """
    half = layout.n_groups // 2
    order: list[int] = []
    for first in rng.permutation(half).tolist():
        order += [first, first + half] if rng.random() < 0.5 else [first + half, first]
    kinds = [kind for kind in CONTROL_KINDS for _ in range(layout.quota[kind])]
    return tuple(
        Pair(kind, layout.partner(group), group)
        for kind, group in ((kind, order[index % len(order)]) for index, kind in enumerate(kinds))
    )


def regular_per_group(layout: Layout, pairs: Sequence[Pair]) -> list[int]:
    """How many regular items each group has room for beside its controls."""
    room = [layout.group_size] * layout.n_groups
    for pair in pairs:
        room[pair.control_group] -= 1
    return room
