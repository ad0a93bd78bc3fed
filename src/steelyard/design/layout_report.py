"""What a report on a design holds: the numbers that show whether its HITs are as they should be."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.domain.work import ItemKind


@dataclass(frozen=True, slots=True)
class Promise:
    """What the settings promise of every HIT, before any is made."""

    hit_size: int
    n_groups: int
    group_size: int
    counts: tuple[tuple[ItemKind, int], ...]
    """How many items of each kind, kinds with none left out."""
    separation: tuple[int, int] | None
    """Least and most items between a control and its base; None if nothing is promised."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A control of the example HIT and its base."""

    kind: ItemKind
    base_position: int
    control_position: int
    between: int
    """Items strictly between the two."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One place of the example HIT: its kind, and for a base the kind of control made from it."""

    kind: ItemKind
    base_of: ItemKind | None


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group of the example HIT, in order of presentation."""

    group: int
    positions: tuple[int, int]
    marks: tuple[Mark, ...]
    partners: tuple[int, ...]
    """The groups that hold the bases of this group's controls."""


@dataclass(frozen=True, slots=True)
class Separation:
    """How many items lie between controls of one kind and their bases, over all HITs."""

    kind: ItemKind
    n_pairs: int
    least: int
    median: float
    most: int
    before_base: float
    """Share of the controls that come before their base."""
    histogram: tuple[int, ...]
    """Pairs in each of the report's bins."""


@dataclass(frozen=True, slots=True)
class KindRow:
    """Items of one kind: how many in all, and how many in each group, on average over HITs."""

    kind: ItemKind
    n_places: int
    per_group: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SystemRow:
    """Where one system's regular items are, and how many of them serve as bases."""

    system_id: str
    n_regular: int
    per_hit: tuple[int, int]
    """Least and most in a HIT."""
    per_group: tuple[tuple[int, int], ...]
    """Least and most in each group over all HITs."""
    n_bases: tuple[int, ...]
    """Bases of degraded, repeat and reference items, in the order of CONTROL_KINDS."""


@dataclass(frozen=True, slots=True)
class MeetingRow:
    """How often regular items put a system side by side with each system, in order of systems."""

    system_id: str
    n_items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LayoutReport:
    """Everything an organiser needs to check a design before anyone is paid to work on it."""

    campaign: str
    order: str
    hit_size: int
    """As the settings ask for it."""
    layout: str
    promise: Promise | None
    n_hits: int
    n_rounds: int
    n_places: int
    hit_sizes: tuple[int, int]
    control_shares: tuple[float, float]
    """Least and most of a HIT that is degraded, repeat or reference."""
    example_hit: str
    example_groups: tuple[GroupRow, ...]
    example_pairs: tuple[PairRow, ...]
    kinds: tuple[KindRow, ...]
    bins: tuple[tuple[int, int], ...]
    """First and last number of items between, for each bar of the histograms."""
    separations: tuple[Separation, ...]
    n_unpaired: int
    """Controls whose base is not in their HIT."""
    systems: tuple[SystemRow, ...]
    closest: int | None
    """Least distance between two translations of one segment in a HIT, not counting own controls."""
    n_padding: int
    n_credited: int
    """Regular items that stand for the same text of further systems as well."""
    n_blocks: int
    """Parts of the campaign that no HIT and no item connects."""
    warnings: tuple[str, ...]
    meetings: tuple[MeetingRow, ...] = ()
    """Empty where an item shows a single translation."""
