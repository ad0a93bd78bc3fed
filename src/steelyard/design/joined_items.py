"""Items that show several translations, from designs in which each of them was packed as a single text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.design.assembly import Design
from steelyard.design.entries import Entries
from steelyard.domain.campaign import Campaign
from steelyard.domain.work import SCORED_KINDS, Hit, Item, ItemKind, ShownText, hit_name
from steelyard.stats.arrays import BoolArray
from steelyard.stats.connectivity import number_of_blocks

# The entries that an item shows, all of one segment.
Group = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Groups of texts as a campaign of single texts, each by a system that stands for those of its group."""

    campaign: Campaign
    groups: Mapping[tuple[str, str], Group]
    """By the names of that system and of the segment."""
    shows: BoolArray | None = None
    """By that system, which systems are in its group, where this matters to the packing."""


class Showing:
    """Entries of a campaign as they are shown."""

    def __init__(self, campaign: Campaign, entries: Entries) -> None:
        self._entries = entries
        self._system = [system.system_id for system in campaign.systems]
        self._segment = [segment.segment_id for segment in campaign.segments]

    def text(self, entry: int, kind: ItemKind) -> ShownText:
        """An entry as a translation of an item, of this kind."""
        entries = self._entries
        return ShownText(
            self._system[entries.system[entry]],
            self._segment[entries.segment[entry]],
            entries.text[entry],
            kind,
            entries.credited.get(entry, ()),
        )


class JoinedItems:
    """Collects designs, one for each round. `make` joins the texts of a group into one item.

    It is called with the item that stood for the group, the group, and the id of the base, if any.
    """

    def __init__(self, make: Callable[[Item, Group, str | None], Item]) -> None:
        self._make = make
        self._items: dict[tuple[ItemKind, Group], Item] = {}
        self._rounds: list[tuple[Design, dict[str, str]]] = []

    def add(self, design: Design, packed: Packed) -> None:
        """Take over one round. A group that earlier rounds had already keeps its items."""
        groups = {item.item_id: packed.groups[item.system_id, item.segment_id] for item in design.items}
        known: dict[str, str] = {}

        def regular_first(item: Item) -> tuple[bool, str, Group]:
            return item.kind is not ItemKind.REGULAR, item.kind, groups[item.item_id]

        # Controls name their bases. The order must not follow from the ids, nor what is drawn from it.
        for item in sorted(design.items, key=regular_first):
            group = groups[item.item_id]
            base = known[item.base_item_id] if item.base_item_id else None
            kept = self._items.setdefault((item.kind, group), self._make(item, group, base))
            known[item.item_id] = kept.item_id
        self._rounds.append((design, known))

    def design(self) -> Design:
        """The rounds as one design."""
        designs = [design for design, _ in self._rounds]
        n_hits = sum(len(design.hits) for design in designs)
        hits: list[Hit] = []
        for number, (design, known) in enumerate(self._rounds, start=1):
            for hit in design.hits:
                placed = tuple(each._replace(item_id=known[each.item_id]) for each in hit.placed)
                hits.append(Hit(hit_name(len(hits) + 1, n_hits), number, len(hits) + 1, placed))
        between = [design.separation for design in designs if design.separation is not None]
        return Design(
            items=sorted(self._items.values(), key=lambda item: item.item_id),
            hits=hits,
            closest=min((design.closest for design in designs if design.closest is not None), default=None),
            blocks=self._blocks(hits),
            separation=(min(least for least, _ in between), max(most for _, most in between))
            if between
            else None,
        )

    def _blocks(self, hits: Sequence[Hit]) -> int:
        """Parts of the HITs that share no translation, in whichever group it stands."""
        shown = {item.item_id: group for (kind, group), item in self._items.items() if kind in SCORED_KINDS}
        rows = [
            (number, entry)
            for number, hit in enumerate(hits)
            for placed in hit.placed
            for entry in shown.get(placed.item_id, ())
        ]
        columns = np.array(rows, dtype=np.int32).reshape(-1, 2)
        return number_of_blocks(columns[:, 0], columns[:, 1])
