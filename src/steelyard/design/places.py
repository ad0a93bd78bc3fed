"""Places: what stands where in every HIT, as arrays, and how far apart things are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.design.entries import Entries
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.connectivity import number_of_blocks

CODE = {kind: code for code, kind in enumerate(ItemKind)}
"""What `Places.kind` holds for each kind: its place among the kinds."""
CONTROL_CODES = [CODE[kind] for kind in CONTROL_KINDS]

# Places looked at together [our choice].
_PLACES_AT_ONCE = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """What stands at every position of every HIT, flat, in order of HIT and position.

    HIT h has the places from `start[h]` up to `start[h + 1]`. `kind` holds codes (see `CODE`);
    `entry` is an index into the entries or, for calibration, into `campaign.calibration`.
    """

    round: NDArray[np.int32]
    """By HIT, from 1."""
    start: NDArray[np.int64]
    kind: NDArray[np.int8]
    entry: NDArray[np.int32]
    group: NDArray[np.int16]
    is_padding: NDArray[np.bool_]

    @property
    def n_hits(self) -> int:
        return len(self.round)

    @property
    def hit(self) -> NDArray[np.int32]:
        """The HIT of every place."""
        return np.repeat(np.arange(self.n_hits, dtype=np.int32), np.diff(self.start))


def closest(places: Places, entries: Entries) -> int | None:
    """The least distance of two items of one segment in a HIT, None if no HIT holds two.

    A control and its own base do not count.
    """
    found = [_closest(part, entries) for part in _parts(places)]
    return min((distance for distance in found if distance is not None), default=None)


def separation(places: Places) -> tuple[int, int] | None:
    """The least and the greatest number of items between a control and its base, None without controls."""
    found = [between for part in _parts(places) if len(between := _between(part))]
    return (int(min(each.min() for each in found)), int(max(each.max() for each in found))) if found else None


def blocks(places: Places, items: NDArray[np.integer[Any]] | None = None) -> int:
    """Into how many parts without a common regular item the HITs fall; `items` by place, or the entries."""
    is_regular = places.kind == CODE[ItemKind.REGULAR]
    items = places.entry if items is None else items
    return number_of_blocks(places.hit[is_regular], items[is_regular])


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The places of some HITs."""

    hit: NDArray[np.int64]
    kind: NDArray[np.int8]
    entry: NDArray[np.int32]


def _parts(places: Places) -> Iterator[_Part]:
    """The HITs in handy portions."""
    first = 0
    while first < places.n_hits:
        last = int(np.searchsorted(places.start, places.start[first] + _PLACES_AT_ONCE, side="right")) - 1
        last = min(max(last, first + 1), places.n_hits)
        here = slice(int(places.start[first]), int(places.start[last]))
        hit = np.repeat(np.arange(last - first), np.diff(places.start[first : last + 1]))
        yield _Part(hit, places.kind[here], places.entry[here])
        first = last


def _closest(part: _Part, entries: Entries) -> int | None:
    place = np.flatnonzero(part.kind != CODE[ItemKind.CALIBRATION])
    if not len(place):
        return None
    entry, kind = part.entry[place], part.kind[place]
    segment = entries.segment[entry]
    key = part.hit[place] * (int(segment.max()) + 1) + segment
    # Stable: positions ascend within a segment of a HIT. Two items that are closest are neighbours.
    order = np.argsort(key, kind="stable")
    alike = np.flatnonzero(key[order[:-1]] == key[order[1:]])
    first, second = order[alike], order[alike + 1]
    is_control, is_regular = np.isin(kind, CONTROL_CODES), kind == CODE[ItemKind.REGULAR]
    is_pair = (is_regular[first] & is_control[second]) | (is_control[first] & is_regular[second])
    is_own = is_pair & (entry[first] == entry[second])
    distances = (place[second] - place[first])[~is_own]
    return int(distances.min()) if len(distances) else None


def _between(part: _Part) -> NDArray[np.int64]:
    """For every control whose base is in its HIT, the number of items between them."""
    bases = np.flatnonzero(part.kind == CODE[ItemKind.REGULAR])
    controls = np.flatnonzero(np.isin(part.kind, CONTROL_CODES))
    if not len(bases) or not len(controls):
        return np.zeros(0, dtype=np.int64)
    key = part.hit * (int(part.entry.max()) + 1) + part.entry
    bases = bases[np.argsort(key[bases])]
    found = np.minimum(np.searchsorted(key[bases], key[controls]), len(bases) - 1)
    has_base = key[bases[found]] == key[controls]
    return np.asarray(np.abs(bases[found] - controls)[has_base] - 1)
