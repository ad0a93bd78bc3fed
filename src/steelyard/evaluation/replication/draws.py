"""What chance decides in a study of replication: who is in which half, and which ratings come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.evaluation.replication.opinions import Opinions
from steelyard.evaluation.replication.settings import LEAST_ITEMS, SCATTER_NUMBERS
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.replication import (
    SortedRatings,
    correlations_by_place,
    prefix_means,
    same_places,
    sorted_ratings,
)

# The rows of an opinion's values.
SCALES = ("rating", "z")
_Z = SCALES.index("z")


@dataclass(frozen=True)
class Curves:
    """Correlations of means of 1, 2, ..., N ratings in every draw; NaN where they are undefined.

    `r` (draws, scales, N). `n_items` (draws, N): the items that have that many. `inverse` (draws, N): over
    these, the mean of 1 / the number of ratings that they are compared with.
    """

    r: FloatArray
    n_items: FloatArray
    inverse: FloatArray

    def until(self) -> int:
        """The last N for which most draws have a correlation: beyond it there are too few items."""
        is_known = np.isfinite(self.r).any(axis=1).mean(axis=0) >= 0.5
        return int(np.argmin(np.append(is_known, False)))


class Scatter(NamedTuple):
    """Mean z of N ratings in either collection, an item each. All arrays: (items,)."""

    ratings: int
    item: IntArray
    first: FloatArray
    second: FloatArray


@dataclass(frozen=True)
class Drawn:
    """All draws: of N ratings against all of the other collection, and against N of it; one as scatter."""

    full: Curves
    same: Curves
    scatter: tuple[Scatter, ...]


def draw_means(
    parts: Sequence[Opinions], *, draws: int, rng: np.random.Generator, step: Callable[[int], None]
) -> Drawn:
    """Draws of two collections, or of the halves of one; `step` is called with 1 after each.

    Halves are redrawn for every second draw, and each half has its turn as the first collection.
    """
    n_places = _n_places(parts)
    full, same = [_empty(draws, n_places) for _ in range(2)]
    scatter: tuple[Scatter, ...] = ()
    for number, (first, second) in enumerate(_pairs(parts, draws, rng)):
        means, others = prefix_means(first, rng), prefix_means(second, rng)
        pairs = same_places(first, second)
        held = second.mean[:, first.item]
        for scale in range(len(SCALES)):
            full.r[number, scale] = correlations_by_place(
                means[scale], held[scale], first.place, n_places=n_places, least=LEAST_ITEMS
            )
            same.r[number, scale] = correlations_by_place(
                *(means[scale][pairs.row], others[scale][pairs.other_row], pairs.place),
                n_places=n_places,
                least=LEAST_ITEMS,
            )
        full.n_items[number] = _counted(first.place, n_places)
        same.n_items[number] = _counted(pairs.place, n_places)
        full.inverse[number] = _means(first.place, 1.0 / np.maximum(second.size[first.item], 1), n_places)
        if not number:
            item = first.item[pairs.row]
            scatter = tuple(
                Scatter(n, item[of_n], means[_Z][pairs.row[of_n]], others[_Z][pairs.other_row[of_n]])
                for n in SCATTER_NUMBERS
                if (of_n := pairs.place == n - 1).sum() >= LEAST_ITEMS
            )
        step(1)
    return Drawn(full, same, scatter)


def _n_places(parts: Sequence[Opinions]) -> int:
    """The most ratings that enough items have in any collection."""
    n_items = len(parts[0].items)
    sizes = [np.sort(np.bincount(part.item, minlength=n_items))[-LEAST_ITEMS] for part in parts]
    return int(max(sizes))


def _empty(draws: int, n_places: int) -> Curves:
    return Curves(
        r=np.full((draws, len(SCALES), n_places), np.nan),
        n_items=np.zeros((draws, n_places)),
        inverse=np.full((draws, n_places), np.nan),
    )


def _pairs(
    parts: Sequence[Opinions], draws: int, rng: np.random.Generator
) -> Iterator[tuple[SortedRatings, SortedRatings]]:
    """The two collections of every draw."""
    n_items = len(parts[0].items)
    if len(parts) == 2:
        first, second = (sorted_ratings(part.values, part.item, n_items=n_items) for part in parts)
        for _ in range(draws):
            yield first, second
        return
    (part,) = parts
    workers = np.unique(part.worker)
    for number in range(draws):
        if number % 2 == 0:
            chosen = rng.permutation(workers)[: len(workers) // 2]
            in_first = np.isin(part.worker, chosen)
            one, other = _half(part, in_first), _half(part, ~in_first)
            yield one, other
        else:
            yield other, one


def _half(part: Opinions, rows: BoolArray) -> SortedRatings:
    """The opinions of these rows on items of which the other rows have some too."""
    n_items = len(part.items)
    shared = (np.bincount(part.item[rows], minlength=n_items) > 0) & (
        np.bincount(part.item[~rows], minlength=n_items) > 0
    )
    taken = rows & shared[part.item]
    return sorted_ratings(part.values[:, taken], part.item[taken], n_items=n_items)


def _counted(place: IntArray, n_places: int) -> IntArray:
    return np.bincount(place, minlength=n_places)[:n_places]


def _means(place: IntArray, value: FloatArray, n_places: int) -> FloatArray:
    total = np.bincount(place, value, minlength=n_places)[:n_places]
    n = _counted(place, n_places)
    means: FloatArray = np.divide(total, n, out=np.full(n_places, np.nan), where=n > 0)
    return means
