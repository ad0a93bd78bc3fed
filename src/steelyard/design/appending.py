"""Rounds that are appended to stored ones: what is there already keeps its id, and numbers go on."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from steelyard.design.assembly import Design
from steelyard.design.tournament import Met
from steelyard.domain.work import Hit, Item, ItemKind, hit_name, texts_of


@dataclass(frozen=True, slots=True, eq=False)
class Appended:
    """The items that a design adds to those known before, and its HITs with numbers that go on."""

    items: Sequence[Item]
    hits: Iterable[Hit]
    n_hits: int
    n_places: int
    first_round: int
    n_rounds: int


def meetings(items: Iterable[Item], segments: Container[str]) -> Iterator[Met]:
    """The systems compared on these segments, any two of them once for each regular item that shows both."""
    for item in items:
        if item.kind is ItemKind.REGULAR and item.beside and item.segment_id in segments:
            for one, other in combinations(texts_of(item), 2):
                yield Met(item.segment_id, one.system_id, other.system_id)


class Appender:
    """Takes over designs, one after the other, into a campaign that is laid out already.

    An item is known if one of the same kind, segment, text and systems is there: then the new HITs show
    that one. New controls name the known item they were made from. `last_hit` and `last_round` are the
    numbers to go on from.
    """

    def __init__(self, known: Iterable[Item], *, last_hit: int, last_round: int) -> None:
        self._known = {_identity(item): item for item in known}
        self._last_hit, self._last_round = last_hit, last_round

    @property
    def next_round(self) -> int:
        return self._last_round + 1

    def append(self, design: Design) -> Appended:
        """The design's items that are not known yet, and its HITs."""
        stored: dict[str, Item] = {}
        new: list[Item] = []
        # Controls name their bases, which therefore come first.
        for is_base_turn in (True, False):
            for item in design.items:
                if (item.kind is ItemKind.REGULAR) is is_base_turn:
                    self._take(item, stored, new)
        n_rounds = design.hits[-1].round
        appended = Appended(
            items=new,
            hits=_Renumbered(design, stored, self._last_hit, self._last_round),
            n_hits=len(design.hits),
            n_places=design.n_places,
            first_round=self._last_round + 1,
            n_rounds=n_rounds,
        )
        self._last_hit += len(design.hits)
        self._last_round += n_rounds
        return appended

    def _take(self, item: Item, stored: dict[str, Item], new: list[Item]) -> None:
        base = stored[item.base_item_id] if item.base_item_id else None
        if base is not None and not item.beside:
            # Of several systems with one text, the known item may be named after another one.
            item = item._replace(base_item_id=base.item_id, system_id=base.system_id)
        elif base is not None:
            item = item._replace(base_item_id=base.item_id)
        known = self._known.setdefault(_identity(item), item)
        stored[item.item_id] = known
        if known is item:
            new.append(item)


@dataclass(frozen=True, slots=True, eq=False)
class _Renumbered(Iterable[Hit]):
    """The HITs of a design with known items in place of new ones, and numbers that go on."""

    design: Design
    stored: dict[str, Item]
    last_hit: int
    last_round: int

    def __iter__(self) -> Iterator[Hit]:
        n_hits = self.last_hit + len(self.design.hits)
        for hit in self.design.hits:
            number = self.last_hit + hit.number
            placed = tuple(each._replace(item_id=self.stored[each.item_id].item_id) for each in hit.placed)
            yield Hit(hit_name(number, n_hits), self.last_round + hit.round, number, placed)


def _identity(item: Item) -> Hashable:
    """What makes two items the same: kind, and of each text shown its kind, segment, systems and words."""
    if not item.beside:
        systems = tuple(sorted((item.system_id, *item.credited))) if item.credited else item.system_id
        return item.kind, item.segment_id, item.text, systems
    return item.kind, frozenset(
        (shown.kind, shown.segment_id, shown.text, tuple(sorted((shown.system_id, *shown.credited))))
        for shown in texts_of(item)
    )
