"""How good a text looks: a number between 0 and 1 for every item, from the texts alone.

Good enough to make simulated workers prefer what people would mostly prefer; not a metric, and
never used to score anything.
"""

from __future__ import annotations

from collections import Counter
from zlib import crc32

from steelyard.domain.work import ItemKind

# Our choices: where an unrelated text, a perfect match and the reference itself lie for a worker.
WORST, BEST, REFERENCE = 0.25, 0.95, 0.97
# Our choice, after the published means of regular and degraded items: the least and the most that
# damage costs beyond what the comparison with the reference shows.
LEAST_DROP, MOST_DROP = 0.20, 0.35
# Share of a text's n-grams that must change for the full drop.
FULLY_CHANGED = 0.5
LOWEST = 0.02

MAX_ORDER = 6


def similarity(text: str, reference: str) -> float:
    """Overlap of character n-grams, 0 (nothing shared) to 1 (the same), spaces and case aside.

    The harmonic mean of precision and recall, averaged over n up to six or as long as both texts
    have n-grams.

    >>> similarity("a cat", "A cat"), similarity("a cat", "my dog")
    (1.0, 0.0)
    """
    left, right = ("".join(side.casefold().split()) for side in (text, reference))
    orders = range(1, min(MAX_ORDER, len(left), len(right)) + 1)
    scores = []
    for order in orders:
        ours, theirs = (
            Counter(side[k : k + order] for k in range(len(side) - order + 1)) for side in (left, right)
        )
        scores.append(2 * (ours & theirs).total() / (ours.total() + theirs.total()))
    return sum(scores) / len(scores) if scores else 0.0


def item_quality(kind: ItemKind, *, text: str, reference: str, base_text: str | None = None) -> float:
    """The quality a careful reader would see in an item, between 0 and 1.

    `text` is what the item shows. A degraded item always comes out clearly below its base, though
    nine tenths of its words may be right; one whose base is not at hand, below what its words are
    worth. Without a reference there is nothing to compare with: then the text alone decides, at random.

    >>> item_quality(ItemKind.REFERENCE, text="so be it", reference="so be it")
    0.97
    """
    if kind is ItemKind.REFERENCE:
        return REFERENCE
    if kind is not ItemKind.DEGRADED:
        return _by_reference(text, reference)
    if base_text is None:
        return max(LOWEST, _by_reference(text, reference) - LEAST_DROP)
    changed = min(1.0, (1.0 - similarity(text, base_text)) / FULLY_CHANGED)
    drop = LEAST_DROP + (MOST_DROP - LEAST_DROP) * changed
    damaged = min(_by_reference(text, reference), _by_reference(base_text, reference) - drop)
    return max(LOWEST, damaged)


def _by_reference(text: str, reference: str) -> float:
    share = similarity(text, reference) if reference.strip() else crc32(text.encode()) / 2**32
    return WORST + (BEST - WORST) * share
