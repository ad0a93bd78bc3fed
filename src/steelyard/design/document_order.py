"""The order of the documents of one HIT: a control document far from the document it repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.design.arranging import TOO_CLOSE
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# Our choice: orders tried for each HIT; the best is kept.
N_SHUFFLES = 200
# What a HIT in ten groups promises, as a share of its items [Graham2014]: 40 of 100.
GROUPED_SEPARATION = 0.4


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Documents of a HIT in order; three arrays of one length."""

    document: IntArray
    """Index into the documents of the HIT."""
    is_control: BoolArray
    half: IntArray
    """0 or 1."""


def arrange(
    length: IntArray, is_repeated: BoolArray, document: IntArray, *, rng: np.random.Generator
) -> Arrangement:
    """The best of many shuffles of the documents of a HIT and of the control documents made from them.

    Given are the documents' lengths, which of them are repeated, and which have the same number
    in `document` because two systems translated the same one. A document and its control are in
    opposite halves, as many controls in the first half as in the second (or one more). That order
    is kept in which the least number of items between a document and its control is largest;
    where a document comes by two systems, these are to be apart as well.
    """
    bases = np.flatnonzero(is_repeated)
    cards = np.concatenate([np.arange(len(length)), bases])
    is_control = np.arange(len(cards)) >= len(length)
    side = _sides(length, is_repeated, rng)
    # Both members of a pair get the same place within their half, which keeps pairs far apart.
    place = rng.random((N_SHUFFLES, len(length)))[:, cards]
    order = np.argsort(side + place, axis=1)
    sizes = length[cards][order]
    start = np.empty_like(order)
    np.put_along_axis(start, order, np.cumsum(sizes, axis=1) - sizes, axis=1)
    best = int(np.argmax(_merit(start, cards, document, int(length[cards].sum()))))
    chosen = order[best]
    return Arrangement(cards[chosen], is_control[chosen], side[best][chosen])


def _sides(length: IntArray, is_repeated: BoolArray, rng: np.random.Generator) -> IntArray:
    """The half of every document, then of every control document, in each shuffle."""
    n_documents, bases = len(length), np.flatnonzero(is_repeated)
    side = np.zeros((N_SHUFFLES, n_documents + len(bases)), dtype=np.int64)
    turn = np.argsort(rng.random((N_SHUFFLES, len(bases))), axis=1) + rng.integers(2, size=(N_SHUFFLES, 1))
    side[:, bases] = turn % 2
    side[:, n_documents:] = 1 - turn % 2
    # A pair adds the same to both halves. The rest is cut in the middle.
    rest = np.flatnonzero(~is_repeated)
    order = np.argsort(rng.random((N_SHUFFLES, len(rest))), axis=1)
    sizes = length[rest][order]
    middle = np.cumsum(sizes, axis=1) - sizes / 2
    np.put_along_axis(
        side, rest[order], (2 * middle > sizes.sum(axis=1, keepdims=True)).astype(np.int64), axis=1
    )
    return side


def _merit(start: IntArray, cards: IntArray, document: IntArray, size: int) -> FloatArray:
    """How good each shuffle is: both wishes as shares of what is wanted."""
    n_documents = len(document)
    bases = cards[n_documents:]
    merit = np.zeros(len(start))
    if len(bases):
        between = np.abs(start[:, n_documents:] - start[:, bases]) - 1
        merit += between.min(axis=1) / (GROUPED_SEPARATION * size)
    same = document[cards]
    first, second = np.nonzero(np.triu((same[:, None] == same) & (cards[:, None] != cards)))
    if len(first):
        apart = np.abs(start[:, first] - start[:, second]).min(axis=1)
        merit += np.minimum(apart, TOO_CLOSE + 1) / (TOO_CLOSE + 1)
    return merit
