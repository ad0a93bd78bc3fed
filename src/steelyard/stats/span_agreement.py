"""How far two people's marks of errors in the same texts agree: in characters, and mark by mark.

Marks are half-open, in characters, each in a numbered text. A number is per text, so that sums over any
texts follow: averages are over all marks or characters of these (micro-averages), never over texts, most of
which have no error at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray


class MarkedSpans(NamedTuple):
    """Marked errors. All arrays: (k,); `text` counts from 0, and a start is below its end."""

    text: IntArray
    start: IntArray
    end: IntArray

    @property
    def length(self) -> IntArray:
        """The number of characters of each."""
        return self.end - self.start


class MatchedSpans(NamedTuple):
    """Pairs of marks, one of either person: their places among the marks, and how much they share. (m,)"""

    first: IntArray
    second: IntArray
    overlap: IntArray


class Shared(NamedTuple):
    """By text (T,): what the first person marked, what the second did, and how much of either is shared.

    In characters both shares are the same. Mark by mark `first_shared` is the sum over the first person's
    marks of the share of each that its match covers, and `second_shared` the same for the second's.
    """

    first: FloatArray
    second: FloatArray
    first_shared: FloatArray
    second_shared: FloatArray

    def summed(self) -> PrecisionRecall:
        """Over all texts, as if the second person were right. NaN where nothing was marked."""
        first, second, first_shared, second_shared = (float(part.sum()) for part in self)
        precision = first_shared / first if first else np.nan
        recall = second_shared / second if second else np.nan
        both = precision + recall
        if not both > 0:
            return PrecisionRecall(precision, recall, both)
        return PrecisionRecall(precision, recall, 2 * precision * recall / both)


class PrecisionRecall(NamedTuple):
    """Share of the first person's marks that the second's confirm, the reverse, and their harmonic mean."""

    precision: float
    recall: float
    f: float


def overlaps(first: MarkedSpans, second: MarkedSpans) -> MatchedSpans:
    """Every two marks, one of either person, that share a character of the same text.

    >>> overlaps(MarkedSpans(*np.array([[0, 0], [0, 8], [5, 9]])), MarkedSpans(*np.array([[0], [3], [9]])))
    MatchedSpans(first=array([0, 1]), second=array([0, 0]), overlap=array([2, 1]))
    """
    order = np.argsort(second.text, kind="stable")
    texts = second.text[order]
    begin, end = np.searchsorted(texts, first.text, "left"), np.searchsorted(texts, first.text, "right")
    n = end - begin
    i = np.repeat(np.arange(len(first.text)), n)
    within = np.arange(len(i)) - np.repeat(np.cumsum(n) - n, n)
    j = order[np.repeat(begin, n) + within]
    length = np.minimum(first.end[i], second.end[j]) - np.maximum(first.start[i], second.start[j])
    meet = length > 0
    return MatchedSpans(i[meet], j[meet], length[meet])


def match_spans(first: MarkedSpans, second: MarkedSpans) -> MatchedSpans:
    """Marks of the two people paired one to one, so that those paired share as much as possible.

    Each mark has one partner at most, and of all such pairings this is one with the largest sum of
    2 overlap / (length + length), the F of a pair [Perrella2026].

    >>> match_spans(MarkedSpans(*np.array([[0, 0], [0, 8], [5, 9]])), MarkedSpans(*np.array([[0], [3], [9]])))
    MatchedSpans(first=array([0]), second=array([0]), overlap=array([2]))
    """
    met = overlaps(first, second)
    alone = (np.bincount(met.first, minlength=len(first.text))[met.first] == 1) & (
        np.bincount(met.second, minlength=len(second.text))[met.second] == 1
    )
    chosen = [np.flatnonzero(alone)]
    rest = np.flatnonzero(~alone)
    text = first.text[met.first[rest]]
    if len(rest):
        credit = 2 * met.overlap / (first.length[met.first] + second.length[met.second])
        rest = rest[np.argsort(text, kind="stable")]
        starts = np.flatnonzero(np.diff(np.sort(text))) + 1
        chosen += [part[_assigned(met, part, credit[part])] for part in np.split(rest, starts)]
    kept = np.sort(np.concatenate(chosen))
    return MatchedSpans(met.first[kept], met.second[kept], met.overlap[kept])


def _assigned(met: MatchedSpans, part: IntArray, credit: FloatArray) -> IntArray:
    """Which of the overlaps of one text, places in `part`, are the best assignment."""
    from scipy.optimize import linear_sum_assignment  # takes a while to import

    rows, row = np.unique(met.first[part], return_inverse=True)
    columns, column = np.unique(met.second[part], return_inverse=True)
    worth = np.zeros((len(rows), len(columns)))
    worth[row, column] = credit
    taken = np.zeros(worth.shape, dtype=np.bool_)
    taken[linear_sum_assignment(worth, maximize=True)] = True
    return np.flatnonzero(taken[row, column])


def shared_marks(first: MarkedSpans, second: MarkedSpans, found: MatchedSpans, *, n_texts: int) -> Shared:
    """Mark by mark: match with partial overlap and partial credit, "mpp" [Perrella2026].

    `found`: see `match_spans`. A mark counts once, whatever its length, and gets credit for the share
    of it that its partner covers; one without a partner gets none. Marks of different texts never match.
    """
    own = found.overlap / first.length[found.first]
    other = found.overlap / second.length[found.second]
    text = first.text[found.first]
    return Shared(
        np.bincount(first.text, minlength=n_texts).astype(np.float64),
        np.bincount(second.text, minlength=n_texts).astype(np.float64),
        np.bincount(text, own, n_texts).astype(np.float64),
        np.bincount(text, other, n_texts).astype(np.float64),
    )


def shared_characters(first: MarkedSpans, second: MarkedSpans, *, n_texts: int) -> Shared:
    """Character by character: what either person marked, however often, and what both did."""
    one, other = united(first), united(second)
    met = overlaps(one, other)
    both = np.bincount(one.text[met.first], met.overlap, n_texts).astype(np.float64)
    n_one, n_other = (
        np.bincount(marks.text, marks.length, n_texts).astype(np.float64) for marks in (one, other)
    )
    return Shared(n_one, n_other, both, both)


def united(marks: MarkedSpans) -> MarkedSpans:
    """The marked parts of each text, marks that overlap or touch as one; sorted by text and start.

    >>> united(MarkedSpans(*np.array([[0, 0, 1], [4, 0, 5], [9, 5, 8]])))
    MarkedSpans(text=array([0, 1]), start=array([0, 5]), end=array([9, 8]))
    """
    if not len(marks.text):
        return marks
    order = np.lexsort((marks.start, marks.text))
    text, start, end = (column[order] for column in marks)
    # Texts one after another on one line: then a running maximum of ends cannot reach into the next.
    far = int(end.max()) + 1
    reach = np.maximum.accumulate(text * far + end)
    is_new = np.ones(len(text), dtype=np.bool_)
    is_new[1:] = (text * far + start)[1:] > reach[:-1]
    last = np.append(np.flatnonzero(is_new)[1:] - 1, len(text) - 1)
    return MarkedSpans(text[is_new], start[is_new], reach[last] - text[last] * far)


def moved_at_random(marks: MarkedSpans, length: IntArray, rng: np.random.Generator) -> MarkedSpans:
    """The same marks, each at a random place of its text, which has this many characters (k,).

    What is left of agreement then is due to how much is marked, and to which texts have errors at all. Marks
    longer than their text says stay at its beginning.
    """
    room = np.maximum(length - marks.length, 0)
    start = (rng.random(len(room)) * (room + 1)).astype(np.int64)
    return MarkedSpans(marks.text, start, start + marks.length)
