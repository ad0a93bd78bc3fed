"""Assembling a design: the items and HITs that given places make, created when they are looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from steelyard.design.entries import Entries, gold_of
from steelyard.design.places import CODE, CONTROL_CODES, Places, blocks, closest, separation
from steelyard.domain.campaign import Campaign
from steelyard.domain.text import CALIBRATION_SYSTEM
from steelyard.domain.work import (
    CONTROL_KINDS,
    KNOWN_KINDS,
    SCORED_KINDS,
    Hit,
    Item,
    ItemKind,
    PlacedItem,
    hit_name,
)

_SCORED = frozenset(CODE[kind] for kind in SCORED_KINDS)
_KNOWN = [CODE[kind] for kind in KNOWN_KINDS]

# Objects and ids made at a time: few calls, little memory [our choice].
_OBJECTS_AT_ONCE = 8192
_IDS_AT_ONCE = 1 << 16

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The items and HITs of a campaign, and what an organiser should know about them.

    Items (in order of their ids) and HITs are made when they are looked at. `closest` is the least
    distance between two items of one segment in a HIT, not counting a control and its own base;
    None if no HIT has two. `blocks` is the number of parts without a common item that the HITs
    fall into. `separation` is the least and the greatest number of items between a control and
    its base; None without controls.
    """

    items: Sequence[Item]
    hits: Sequence[Hit]
    warnings: tuple[str, ...] = ()
    closest: int | None = None
    blocks: int = 1
    separation: tuple[int, int] | None = None

    @property
    def n_places(self) -> int:
        """Places of all HITs together."""
        if isinstance(self.hits, _Hits):
            return self.hits.n_places
        return sum(len(hit.placed) for hit in self.hits)


def assemble(
    campaign: Campaign,
    entries: Entries,
    places: Places,
    *,
    control_text: Callable[[ItemKind, int], str],
    new_ids: Callable[[int], Sequence[str]],
    warnings: Sequence[str],
) -> Design:
    """The design that has these places: an item for every entry placed, one per control and entry.

    `control_text` gives what a control of the kind made from the entry shows. It is called whenever
    such an item is looked at, hence must always give the same. Ids of items come from `new_ids`
    alone, which is called more than once if there are very many.
    """
    catalogue = _catalogue(campaign, entries, places)
    ids = _encoded(new_ids, len(catalogue.kind))
    order = np.argsort(ids)
    ids = ids[order]
    assert len(ids) == len(catalogue.kind), "as many ids as items"
    assert (ids[1:] != ids[:-1]).all(), "no id twice"
    row = np.empty(len(ids), dtype=np.int32)
    row[order] = np.arange(len(ids), dtype=np.int32)
    base = catalogue.base[order]
    items = _Items(
        _Source(campaign, entries, control_text, gold_of(campaign, entries)),
        ids=ids,
        kind=catalogue.kind[order],
        entry=catalogue.entry[order],
        base=np.where(base >= 0, row[base], np.int32(-1)),
    )
    n_blocks = blocks(places)
    return Design(
        items=items,
        hits=_Hits(places, ids=ids, row=row[catalogue.number]),
        warnings=(*warnings, *block_warnings(campaign, n_blocks)),
        closest=closest(places, entries),
        blocks=n_blocks,
        separation=separation(places),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Catalogue:
    """The distinct items, in order of kind and entry, and which of them each place holds."""

    kind: NDArray[np.int8]
    entry: NDArray[np.int32]
    base: NDArray[np.int32]
    """The number of the regular item it is made from, -1 for none."""
    number: NDArray[np.int32]
    """By place."""


def _encoded(new_ids: Callable[[int], Sequence[str]], number: int) -> NDArray[np.bytes_]:
    """The ids in a quarter of the memory, in the same order when sorted."""
    parts = [np.zeros(0, dtype="S1")]
    for start in range(0, number, _IDS_AT_ONCE):
        ids = new_ids(min(_IDS_AT_ONCE, number - start))
        parts.append(np.array([each.encode() for each in ids], dtype=np.bytes_))
    return np.concatenate(parts)


def _decoded(ids: NDArray[np.bytes_]) -> list[str]:
    return [each.decode() for each in ids.tolist()]


def _catalogue(campaign: Campaign, entries: Entries, places: Places) -> _Catalogue:
    width = max(len(entries), len(campaign.calibration))
    key = places.kind.astype(np.int64) * width + places.entry
    exists = np.zeros(len(CODE) * width, dtype=np.bool_)
    exists[key] = True
    number = np.cumsum(exists, dtype=np.int32) - np.int32(1)
    keys = np.flatnonzero(exists)
    kind, entry = (keys // width).astype(np.int8), (keys % width).astype(np.int32)
    # The keys of regular items are their entries.
    of_regular = np.where(exists[:width], number[:width], np.int32(-1))
    has_base = np.isin(kind, [*CONTROL_CODES, CODE[ItemKind.GOLD]])
    return _Catalogue(
        kind=kind, entry=entry, base=np.where(has_base, of_regular[entry], np.int32(-1)), number=number[key]
    )


def block_warnings(campaign: Campaign, n_blocks: int) -> list[str]:
    """What to know about HITs that fall into so many parts without a common item."""
    choices = campaign.settings.design
    if choices.ratings_per_item == 1 or n_blocks <= 1:
        return []
    is_fixed = choices.partition == "fixed"
    advice = 'partition = "new" connects them' if is_fixed else "more ratings per item connect them"
    return [
        f"the HITs fall into {n_blocks} blocks that have no item in common: workers of different blocks "
        f"cannot be compared through what they judged; {advice}."
    ]


class _Lazy(Sequence[T]):
    """A sequence whose members are made when they are looked at, never all at once."""

    @abstractmethod
    def _made(self, start: int, stop: int) -> Iterator[T]:
        """The members of a stretch."""

    def __iter__(self) -> Iterator[T]:
        for start in range(0, len(self), _OBJECTS_AT_ONCE):
            yield from self._made(start, min(start + _OBJECTS_AT_ONCE, len(self)))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return next(self._made(index, index + 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Where the contents of items come from."""

    campaign: Campaign
    entries: Entries
    control_text: Callable[[ItemKind, int], str]
    gold: dict[int, float]


class _Items(_Lazy[Item]):
    def __init__(
        self,
        source: _Source,
        *,
        ids: NDArray[np.bytes_],
        kind: NDArray[np.int8],
        entry: NDArray[np.int32],
        base: NDArray[np.int32],
    ) -> None:
        self._source, self._ids, self._kind, self._entry, self._base = source, ids, kind, entry, base
        self._system = [system.system_id for system in source.campaign.systems]
        self._segment = [segment.segment_id for segment in source.campaign.segments]
        shows: dict[ItemKind, Callable[[int], str]] = {
            kind: partial(source.control_text, kind) for kind in CONTROL_KINDS
        }
        shows[ItemKind.REGULAR] = shows[ItemKind.GOLD] = source.entries.text.__getitem__
        shows[ItemKind.CALIBRATION] = lambda number: source.campaign.calibration[number].text
        self._text = [shows[kind] for kind in ItemKind]

    def __len__(self) -> int:
        return len(self._ids)

    def _made(self, start: int, stop: int) -> Iterator[Item]:
        kind, entry, base = self._kind[start:stop], self._entry[start:stop], self._base[start:stop]
        codes, numbers, entries = kind.tolist(), entry.tolist(), self._source.entries
        # A calibration item has another kind of number; what it is named after is corrected below.
        own = np.where(kind == CODE[ItemKind.CALIBRATION], 0, entry)
        systems = [self._system[each] for each in entries.system[own].tolist()]
        segments = [self._segment[each] for each in entries.segment[own].tolist()]
        texts = [self._text[code](number) for code, number in zip(codes, numbers, strict=True)]
        based = zip(_decoded(self._ids[base]), base.tolist(), strict=True)
        bases = [base_id if row >= 0 else None for base_id, row in based]
        kinds = tuple(ItemKind)
        known: list[float | None] = [None] * len(codes)
        known_sd = known.copy()
        for place in np.flatnonzero(np.isin(kind, _KNOWN)).tolist():
            if codes[place] == CODE[ItemKind.GOLD]:
                known[place] = self._source.gold[numbers[place]]
            else:
                text = self._source.campaign.calibration[numbers[place]]
                known[place], known_sd[place] = text.score, text.sd
                systems[place], segments[place] = CALIBRATION_SYSTEM, text.segment_id
        columns = zip(
            _decoded(self._ids[start:stop]),
            (kinds[code] for code in codes),
            systems,
            segments,
            texts,
            bases,
            self._credited(codes, numbers),
            known,
            known_sd,
            repeat((), len(codes)),
            strict=True,
        )
        return map(Item._make, columns)

    def _credited(self, codes: list[int], numbers: list[int]) -> Iterable[tuple[str, ...]]:
        credited = self._source.entries.credited
        if not credited:
            return repeat((), len(codes))
        pairs = zip(codes, numbers, strict=True)
        return (credited.get(number, ()) if code in _SCORED else () for code, number in pairs)


class _Hits(_Lazy[Hit]):
    def __init__(self, places: Places, *, ids: NDArray[np.bytes_], row: NDArray[np.int32]) -> None:
        self._places, self._ids, self._row = places, ids, row

    def __len__(self) -> int:
        return self._places.n_hits

    @property
    def n_places(self) -> int:
        return len(self._places.kind)

    def _made(self, start: int, stop: int) -> Iterator[Hit]:
        places = self._places
        rounds = places.round[start:stop].tolist()
        borders = places.start[start : stop + 1].tolist()
        for offset, round_number in enumerate(rounds):
            number, here = start + offset + 1, slice(borders[offset], borders[offset + 1])
            columns = zip(
                _decoded(self._ids[self._row[here]]),
                range(1, here.stop - here.start + 1),
                places.group[here].tolist(),
                places.is_padding[here].tolist(),
                strict=True,
            )
            yield Hit(
                hit_name(number, len(self)), round_number, number, tuple(map(PlacedItem._make, columns))
            )
