"""Items tied to each other: known order, nearly equal quality, and how to redraw them side by side.

Items without ties are independent given the workers and are drawn at once. Tied ones are coloured so
that no two of a colour are tied; a colour at a time, they too are drawn side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.worker_model.gibbs_truncated import truncated_normal
from steelyard.stats.worker_model.problem import Normal

# A multiplier that scatters consecutive numbers [our choice: the golden ratio times 2^32].
_SCATTER = 2_654_435_769


@dataclass(frozen=True, slots=True)
class ItemLinks:
    """Pairs of items (n, 2): the first better than the second by more than the margin, or nearly equal."""

    order: IntArray
    repeat: IntArray
    margin: float
    repeat_weight: float


@dataclass(frozen=True, slots=True)
class Level:
    """Bundles of items that can be moved side by side, each by its own amount.

    `item` and `bundle` say which item is in which of the bundles 0, 1, 2, ...; `label` is the bundle's
    number among all bundles. `above`, `below`, `near` are rows (bundle, item inside, item outside) for
    order pairs whose better item is inside, whose worse one is, and repeat pairs.
    """

    item: IntArray
    bundle: IntArray
    label: IntArray
    above: IntArray
    below: IntArray
    near: IntArray


@dataclass(frozen=True, slots=True)
class Pull:
    """A force on each of some things: precision, and precision times the distance it would go alone."""

    weight: FloatArray
    pull: FloatArray


def levels_of(bundle: IntArray, links: ItemLinks) -> tuple[Level, ...]:
    """The bundles in as few rounds as the colouring finds; `bundle` (n_items,) is -1 for no bundle."""
    n_bundles = int(bundle.max(initial=-1)) + 1
    pairs = np.concatenate([links.order, links.repeat])
    first, second = bundle[pairs[:, 0]], bundle[pairs[:, 1]]
    crossing = (first >= 0) & (second >= 0) & (first != second)
    colour = colours(np.stack([first[crossing], second[crossing]], axis=1), n_bundles)
    # A number without items is not a bundle, so nothing must move with it.
    colour[np.bincount(bundle[bundle >= 0], minlength=n_bundles) == 0] = -1
    return tuple(_level(bundle, colour == number, links) for number in range(int(colour.max(initial=-1)) + 1))


def _level(bundle: IntArray, chosen: BoolArray, links: ItemLinks) -> Level:
    """The chosen bundles, renumbered, with the pairs that lead out of them."""
    label = np.flatnonzero(chosen)
    place = np.full(len(chosen) + 1, -1)
    place[label] = np.arange(len(label))
    # Bundle -1 finds the last entry of `place`, which is not a bundle.
    local = place[bundle]
    item = np.flatnonzero(local >= 0)

    def leaving(pairs: IntArray) -> IntArray:
        inside, outside = pairs[:, 0], pairs[:, 1]
        out = (local[inside] >= 0) & (bundle[inside] != bundle[outside])
        return np.stack([local[inside[out]], inside[out], outside[out]])

    return Level(
        item=item,
        bundle=local[item],
        label=label,
        above=leaving(links.order),
        below=leaving(links.order[:, ::-1]),
        near=leaving(np.concatenate([links.repeat, links.repeat[:, ::-1]])),
    )


def move(
    quality: FloatArray, level: Level, links: ItemLinks, force: Pull, rng: np.random.Generator
) -> FloatArray:
    """How far each bundle of the level moves, drawn given everything else. Shape (bundles,).

    All items of a bundle move alike, so ties among them stay as they are. `force` acts on the bundles
    and leaves out the ties, which are added here.
    """
    weight, pull = force.weight, force.pull
    n = len(level.label)
    if level.near.size:
        bundle, inside, outside = level.near
        apart = quality[outside] - quality[inside]
        weight = weight + links.repeat_weight * np.bincount(bundle, minlength=n)
        pull = pull + links.repeat_weight * np.bincount(bundle, apart, minlength=n)
    mean, sd = pull / weight, 1 / np.sqrt(weight)
    if not (level.above.size or level.below.size):
        return mean + sd * rng.standard_normal(n)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    bundle, inside, outside = level.above
    np.maximum.at(low, bundle, quality[outside] + links.margin - quality[inside])
    bundle, inside, outside = level.below
    np.minimum.at(high, bundle, quality[outside] - links.margin - quality[inside])
    # Rounding may leave a pair that touches a hair on the wrong side: it may then stay where it is.
    return truncated_normal(Normal(mean, sd), np.minimum(low, 0.0), np.maximum(high, 0.0), rng)


def lifted(quality: FloatArray, links: ItemLinks) -> FloatArray:
    """The qualities with better items lifted above worse ones where they are not yet.

    ValueError if the order pairs run in a circle.
    """
    n = len(quality)
    first, second = links.order.T
    edges = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    _, part = connected_components(edges, connection="strong")
    circle = np.union1d(np.flatnonzero(np.bincount(part)[part] > 1), first[first == second])
    if len(circle):
        items = ", ".join(map(str, circle[:9]))
        raise ValueError(f"order: pairs among the items {items} contradict each other; remove one of them.")
    quality = quality.copy()
    while np.any(quality[first] <= quality[second] + links.margin):
        floor = quality.copy()
        # A gap of a thousandth: two items at the very same quality could not move apart.
        np.maximum.at(floor, first, quality[second] + links.margin + 1e-3)
        quality = floor
    return quality


def bundles_of(pairs: IntArray, n_items: int) -> IntArray:
    """Bundles of items that pairs tie together, perhaps through others; -1 for untied. Shape (n_items,)."""
    tied = np.zeros(n_items, dtype=np.bool_)
    tied[pairs.ravel()] = True
    edges = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n_items, n_items))
    _, part = connected_components(edges, directed=False)
    bundle = np.full(n_items, -1)
    bundle[tied] = np.unique(part[tied], return_inverse=True)[1]
    return bundle


def colours(edges: IntArray, n: int) -> IntArray:
    """A colour 0, 1, 2, ... for each of n things, different for the two of each edge (m, 2). Shape (n,).

    A colour after the other takes as many things as it can: those whose scattered number is lower than
    that of all their neighbours, then those of the rest with no neighbour taken, and so on.

    >>> colours(np.array([[0, 1], [1, 2]]), 4).tolist() in ([0, 1, 0, 0], [1, 0, 1, 0])
    True
    """
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(np.arange(n) * _SCATTER % 2**32)] = np.arange(n)
    colour = np.full(n, -1)
    both = np.concatenate([edges, edges[:, ::-1]])
    number = 0
    while np.any(colour < 0):
        candidate = colour < 0
        while np.any(candidate):
            one, other = both[candidate[both[:, 0]] & candidate[both[:, 1]]].T
            least = np.full(n, n)
            np.minimum.at(least, one, rank[other])
            taken = candidate & (rank < least)
            colour[taken] = number
            candidate &= ~taken
            candidate[both[taken[both[:, 0]], 1]] = False
        number += 1
    return colour
