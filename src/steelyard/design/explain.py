"""A design explained: its groups, kinds, pairs and balance, counted from the items and HITs themselves."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from steelyard.design.assembly import Design
from steelyard.design.layout import layout_of
from steelyard.design.layout_report import (
    GroupRow,
    KindRow,
    LayoutReport,
    Mark,
    MeetingRow,
    PairRow,
    Promise,
    Separation,
    SystemRow,
)
from steelyard.design.places import CODE, CONTROL_CODES
from steelyard.domain.campaign import Campaign
from steelyard.domain.work import CONTROL_KINDS, Hit, ItemKind, texts_of
from steelyard.stats.arrays import BoolArray, IntArray
from steelyard.stats.connectivity import number_of_blocks

_KINDS = tuple(ItemKind)
# Bars of a histogram at most.
MAX_BINS = 10
# HITs counted at once, so that the counts of a large campaign do not fill the memory.
_HITS_AT_ONCE = 2000


def explain(design: Design, campaign: Campaign) -> LayoutReport:
    """The design's numbers, counted from its items and HITs and not from what was intended."""
    items = _Items.of(design, campaign)
    places = _Places.of(design, items)
    pairs = _pairs(places, items)
    between = np.abs(pairs.control_position - pairs.base_position) - 1
    bins = _bins(between)
    settings = campaign.settings.design
    first = design.hits[0]
    is_regular = items.kind[places.item] == CODE[ItemKind.REGULAR]
    sizes = np.bincount(places.hit)
    is_control = np.isin(items.kind[places.item], CONTROL_CODES)
    control_shares = np.bincount(places.hit, is_control) / sizes
    return LayoutReport(
        campaign=campaign.settings.name,
        order=settings.order,
        hit_size=settings.hit_size,
        layout=settings.layout,
        promise=_promise(campaign),
        n_hits=len(design.hits),
        n_rounds=places.n_rounds,
        n_places=len(places.hit),
        hit_sizes=(int(sizes.min()), int(sizes.max())),
        control_shares=(float(control_shares.min()), float(control_shares.max())),
        example_hit=first.hit_id,
        example_groups=_example_groups(first, places, items, pairs),
        example_pairs=_example_pairs(pairs),
        kinds=_kind_rows(places, items),
        bins=bins,
        separations=_separations(pairs, between, bins),
        n_unpaired=pairs.n_unpaired,
        systems=_system_rows(campaign, places, items, pairs),
        closest=_closest(places, items),
        n_padding=int(places.is_padding.sum()),
        n_credited=items.n_credited,
        n_blocks=_blocks(places, items, is_regular),
        warnings=design.warnings,
        meetings=_meeting_rows(campaign, places, items, is_regular),
    )


class _Items(NamedTuple):
    """Items as arrays, by their number in the design."""

    number: dict[str, int]
    kind: IntArray
    segment: IntArray
    base: IntArray
    """-1: none."""
    shown: IntArray
    """The systems of all translations shown, one column for each place; -1: none."""
    control: IntArray
    """The system whose translation makes it a control; of a repeat, the first."""
    n_credited: int

    @classmethod
    def of(cls, design: Design, campaign: Campaign) -> _Items:
        system_number = {each.system_id: k for k, each in enumerate(campaign.systems)}
        segment_number: dict[str, int] = {}
        number: dict[str, int] = {}
        kind, system, segment, control = (array("q") for _ in range(4))
        base_ids: list[str | None] = []
        beside: dict[int, list[int]] = {}
        n_credited = 0
        for item in design.items:
            number[item.item_id] = len(number)
            kind.append(CODE[item.kind])
            # Texts of earlier campaigns belong to no system of this one.
            system.append(system_number.get(item.system_id, len(system_number)))
            segment.append(segment_number.setdefault(item.segment_id, len(segment_number)))
            control.append(system[-1])
            if item.beside:
                control[-1] = next(
                    (system_number[each.system_id] for each in texts_of(item) if each.kind is item.kind),
                    system[-1],
                )
                beside[len(number) - 1] = [system_number[each.system_id] for each in item.beside]
            base_ids.append(item.base_item_id)
            n_credited += bool(item.credited) and item.kind is ItemKind.REGULAR
        base = np.fromiter((number.get(each, -1) if each else -1 for each in base_ids), np.int64)
        shown = np.full((len(number), 1 + max(map(len, beside.values()), default=0)), -1)
        shown[:, 0] = system
        for row, others in beside.items():
            shown[row, 1 : 1 + len(others)] = others
        columns = (np.array(kind), np.array(segment), base, shown, np.array(control))
        return cls(number, *columns, n_credited)


class _Places(NamedTuple):
    """Every place of every HIT as arrays, in order."""

    hit: IntArray
    item: IntArray
    position: IntArray
    group: IntArray
    is_padding: BoolArray
    n_rounds: int

    @classmethod
    def of(cls, design: Design, items: _Items) -> _Places:
        hit, item, position, group, padding = (array("q") for _ in range(5))
        rounds = set()
        for number, each in enumerate(design.hits):
            item_ids, positions, groups, reused = zip(*each.placed, strict=True)
            hit.extend([number] * len(positions))
            item.extend(map(items.number.__getitem__, item_ids))
            position.extend(positions)
            group.extend(groups)
            padding.extend(reused)
            rounds.add(each.round)
        is_padding = np.array(padding, dtype=bool)
        return cls(
            np.array(hit), np.array(item), np.array(position), np.array(group), is_padding, len(rounds)
        )


class _Pairs(NamedTuple):
    """Every control whose base is in its HIT."""

    hit: IntArray
    kind: IntArray
    control: IntArray
    """The control's number among the items."""
    base_position: IntArray
    base_group: IntArray
    control_position: IntArray
    control_group: IntArray
    n_unpaired: int


def _pairs(places: _Places, items: _Items) -> _Pairs:
    controls = np.isin(items.kind[places.item], CONTROL_CODES)
    rows = np.flatnonzero(controls)
    key = places.hit * len(items.kind) + places.item
    order = np.argsort(key)
    wanted = places.hit[rows] * len(items.kind) + items.base[places.item[rows]]
    found = order[np.minimum(np.searchsorted(key[order], wanted), len(order) - 1)]
    # Without a base the key can be that of another HIT's last item, so both are tested.
    paired = (key[found] == wanted) & (items.base[places.item[rows]] >= 0)
    rows, found = rows[paired], found[paired]
    return _Pairs(
        hit=places.hit[rows],
        kind=items.kind[places.item[rows]],
        control=places.item[rows],
        base_position=places.position[found],
        base_group=places.group[found],
        control_position=places.position[rows],
        control_group=places.group[rows],
        n_unpaired=int((~paired).sum()),
    )


def _promise(campaign: Campaign) -> Promise | None:
    """What the layout promises; orders without a layout promise nothing of the kind."""
    settings = campaign.settings.design
    if settings.order not in ("grouped", "free"):
        return None
    layout = layout_of(settings)
    counts = {ItemKind.REGULAR: layout.n_regular, **layout.quota, ItemKind.GOLD: layout.n_gold}
    return Promise(
        hit_size=layout.hit_size,
        n_groups=layout.n_groups,
        group_size=layout.group_size,
        counts=tuple((kind, counts[kind]) for kind in _KINDS if counts[kind]),
        separation=(layout.min_separation, layout.max_separation) if layout.is_grouped else None,
    )


def _example_groups(hit: Hit, places: _Places, items: _Items, pairs: _Pairs) -> tuple[GroupRow, ...]:
    """The groups of the first HIT."""
    mine = pairs.hit == 0
    base_of = dict(zip(pairs.base_position[mine].tolist(), pairs.kind[mine].tolist(), strict=True))
    kind = items.kind[places.item[: len(hit.placed)]].tolist()
    rows = []
    for group in sorted({placed.group for placed in hit.placed}):
        inside = [k for k, placed in enumerate(hit.placed) if placed.group == group]
        positions = [hit.placed[k].position for k in inside]
        partners = np.unique(pairs.base_group[mine & (pairs.control_group == group)])
        marks = tuple(
            Mark(_KINDS[kind[k]], _KINDS[base_of[position]] if position in base_of else None)
            for k, position in zip(inside, positions, strict=True)
        )
        rows.append(GroupRow(group, (min(positions), max(positions)), marks, tuple(partners.tolist())))
    return tuple(rows)


def _example_pairs(pairs: _Pairs) -> tuple[PairRow, ...]:
    """The pairs of the first HIT, kind by kind, in order of presentation."""
    mine = pairs.hit == 0
    columns = (pairs.kind[mine], pairs.base_position[mine], pairs.control_position[mine])
    rows = [
        PairRow(_KINDS[kind], base, control, abs(control - base) - 1)
        for kind, base, control in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return tuple(
        sorted(
            rows,
            key=lambda row: (CONTROL_KINDS.index(row.kind), min(row.base_position, row.control_position)),
        )
    )


def _kind_rows(places: _Places, items: _Items) -> tuple[KindRow, ...]:
    n_groups, n_hits = int(places.group.max()) + 1, int(places.hit[-1]) + 1
    counts = np.bincount(
        items.kind[places.item] * n_groups + places.group, minlength=len(_KINDS) * n_groups
    ).reshape(-1, n_groups)
    return tuple(
        KindRow(kind, int(row.sum()), tuple((row / n_hits).tolist()))
        for kind, row in zip(_KINDS, counts, strict=True)
        if row.any()
    )


def _bins(between: IntArray) -> tuple[tuple[int, int], ...]:
    """Bins of one width from the least to the most number of items between."""
    if not len(between):
        return ()
    least, most = int(between.min()), int(between.max())
    width = -(-(most - least + 1) // MAX_BINS)
    return tuple((low, min(low + width - 1, most)) for low in range(least, most + 1, width))


def _separations(pairs: _Pairs, between: IntArray, bins: Sequence[tuple[int, int]]) -> tuple[Separation, ...]:
    rows = []
    for kind in CONTROL_KINDS:
        mine = pairs.kind == CODE[kind]
        apart = between[mine]
        if not len(apart):
            continue
        width = bins[0][1] - bins[0][0] + 1
        histogram = np.bincount((apart - bins[0][0]) // width, minlength=len(bins))
        before = pairs.control_position[mine] < pairs.base_position[mine]
        rows.append(
            Separation(
                kind=kind,
                n_pairs=len(apart),
                least=int(apart.min()),
                median=float(np.median(apart)),
                most=int(apart.max()),
                before_base=float(before.mean()),
                histogram=tuple(histogram.tolist()),
            )
        )
    return tuple(rows)


def _system_rows(campaign: Campaign, places: _Places, items: _Items, pairs: _Pairs) -> tuple[SystemRow, ...]:
    n_systems, n_groups = len(campaign.systems), int(places.group.max()) + 1
    regular = np.flatnonzero(items.kind[places.item] == CODE[ItemKind.REGULAR])
    # All translations of an item count, in order of HITs.
    shown = items.shown[places.item[regular]]
    system, regular = shown[shown >= 0], np.repeat(regular, (shown >= 0).sum(axis=1))
    hit, group = places.hit[regular], places.group[regular]
    n_hits = int(places.hit[-1]) + 1
    least = np.full((n_systems, n_groups + 1), np.iinfo(np.int64).max)
    most = np.zeros_like(least)
    for start in range(0, n_hits, _HITS_AT_ONCE):
        end = min(start + _HITS_AT_ONCE, n_hits)
        low, high = np.searchsorted(hit, [start, end])
        key = ((hit[low:high] - start) * n_systems + system[low:high]) * n_groups + group[low:high]
        in_cell = np.bincount(key, minlength=(end - start) * n_systems * n_groups)
        by_group = in_cell.reshape(end - start, n_systems, n_groups)
        # The last column is the HIT as a whole.
        counts = np.concatenate([by_group, by_group.sum(axis=2, keepdims=True)], axis=2)
        least, most = np.minimum(least, counts.min(axis=0)), np.maximum(most, counts.max(axis=0))
    bases = np.bincount(
        pairs.kind * (n_systems + 1) + items.control[pairs.control], minlength=len(_KINDS) * (n_systems + 1)
    ).reshape(len(_KINDS), -1)
    total = np.bincount(system, minlength=n_systems)
    return tuple(
        SystemRow(
            system_id=each.system_id,
            n_regular=int(total[k]),
            per_hit=(int(least[k, -1]), int(most[k, -1])),
            per_group=tuple(zip(least[k, :-1].tolist(), most[k, :-1].tolist(), strict=True)),
            n_bases=tuple(int(bases[CODE[kind], k]) for kind in CONTROL_KINDS),
        )
        for k, each in enumerate(campaign.systems)
    )


def _blocks(places: _Places, items: _Items, is_regular: BoolArray) -> int:
    """Parts of the HITs that have no regular item in common; where items show several, no translation."""
    hit, item = places.hit[is_regular], places.item[is_regular]
    if items.shown.shape[1] == 1:
        return number_of_blocks(hit, item)
    shown, n_segments = items.shown[item], int(items.segment.max()) + 1
    translation = shown * n_segments + items.segment[item][:, None]
    return number_of_blocks(np.repeat(hit, (shown >= 0).sum(axis=1)), translation[shown >= 0])


def _meeting_rows(
    campaign: Campaign, places: _Places, items: _Items, is_regular: BoolArray
) -> tuple[MeetingRow, ...]:
    """How often each two systems stand side by side in a regular item, not counting padding."""
    item = places.item[is_regular & ~places.is_padding]
    n_systems = len(campaign.systems)
    counts = np.zeros((n_systems, n_systems), dtype=np.int64)
    for first, second in combinations(range(items.shown.shape[1]), 2):
        one, other = items.shown[item, first], items.shown[item, second]
        np.add.at(counts, (one[other >= 0], other[other >= 0]), 1)
    if not counts.any():
        return ()
    counts = counts + counts.T
    return tuple(
        MeetingRow(system.system_id, tuple(row))
        for system, row in zip(campaign.systems, counts.tolist(), strict=True)
    )


def _closest(places: _Places, items: _Items) -> int | None:
    """The least distance between two translations of one segment, not counting a control and its own base.

    Neighbours in order of position are enough to look at: between two that are not one's own,
    whatever lies in the middle is a stranger to at least one of them.
    """
    segment = items.segment[places.item]
    is_control = np.isin(items.kind[places.item], CONTROL_CODES) & (items.base[places.item] >= 0)
    own = np.where(is_control, items.base[places.item], places.item)
    order = np.lexsort((places.position, segment, places.hit))
    first, second = order[:-1], order[1:]
    strangers = (
        (places.hit[first] == places.hit[second])
        & (segment[first] == segment[second])
        & (own[first] != own[second])
    )
    if not strangers.any():
        return None
    return int((places.position[second] - places.position[first])[strangers].min())
