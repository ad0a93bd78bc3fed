"""Pairwise accuracy of segment scores that gives credit for ties, and the threshold that makes them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING

# Segments of different numbers of pairs are weighed in whole numbers; where the exact ones would not fit
# into 64 bits, in such small parts of the heaviest.
_PARTS = 2**40
_LARGEST_SUM = 2**62

# Codes that replace the last bits of a difference: these leave 42 bits, more than ROUNDING compares.
_MOST_CODES = 1 << 10


class Calibration(NamedTuple):
    """The best accuracy, and the difference up to which a metric's scores are tied there."""

    accuracy: float
    epsilon: float

    @property
    def tau(self) -> float:
        """The accuracy on the scale of a correlation: pairs judged alike less those that are not."""
        return 2 * self.accuracy - 1


class PublishedCalibration(NamedTuple):
    """What the toolkit behind published results finds for the accuracy, and for the tau."""

    accuracy: Calibration
    tau: Calibration


def accuracy_with_ties(people: FloatArray, metric: FloatArray, epsilon: float) -> float:
    """Share of pairs of translations on which a metric agrees with people, ties included.

    Within a segment, over all pairs of its systems: (C + T) / all, C the pairs that both order alike, T
    those that both tie; the mean over segments [Deutsch2023]. The metric ties two translations whose scores
    differ by at most `epsilon`, people those they score the same. Both (S, n), NaN where absent; segments
    with fewer than two scored systems are left out, and NaN if there is no other.

    >>> people, metric = np.array([0.0, 0.0, 1.0, 3.0]), np.array([0.10, 0.12, 0.15, 0.60])
    >>> accuracy_with_ties(people[:, None], metric[:, None], 0.02)
    1.0
    """
    accuracy = segment_accuracies(people, metric, epsilon)
    known = accuracy[~np.isnan(accuracy)]
    return float(known.mean()) if len(known) else float("nan")


def segment_accuracies(people: FloatArray, metric: FloatArray, epsilon: float) -> FloatArray:
    """`accuracy_with_ties` of each segment; NaN with fewer than two scored systems. Shape (n,).

    >>> segment_accuracies(np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([[5.0, 5.0], [6.0, 6.0]]), 0.0)
    array([1., 0.])
    """
    agree, known = agreements(people, metric, epsilon)
    n_pairs = np.count_nonzero(known, axis=0)
    accuracy = np.full(len(n_pairs), np.nan)
    np.divide(np.count_nonzero(agree, axis=0), n_pairs, out=accuracy, where=n_pairs > 0)
    return accuracy


def agreements(people: FloatArray, metric: FloatArray, epsilon: float) -> tuple[BoolArray, BoolArray]:
    """Where a metric agrees with people on two systems, and where both scored both. Each (pairs, n).

    The pairs are in the order of `np.triu_indices(S, 1)`. Never true where a score is absent.
    """
    judged, scored = _differences(people, metric)
    tied = np.abs(scored) <= epsilon * (1 + ROUNDING)
    return np.where(tied, judged == 0, _in_order(judged, scored)), ~np.isnan(scored)


def calibrate(people: FloatArray, metric: FloatArray) -> Calibration:
    """The threshold with the highest `accuracy_with_ties`, and that accuracy.

    All differences seen within a segment are tried, and 0; of several that are best the smallest is
    taken. A metric that never gives the same score twice can so be compared with one that often does
    [Deutsch2023]. Sums are of whole numbers, so equal accuracies are found equal. Both (S, n), NaN where
    absent; NaN if no segment has two scored systems.

    >>> people, metric = np.array([0.0, 0.0, 1.0, 3.0]), np.array([0.10, 0.12, 0.15, 0.60])
    >>> best = calibrate(people[:, None], metric[:, None])
    >>> best.accuracy, round(best.epsilon, 10)
    (1.0, 0.02)
    """
    known = ~(np.isnan(people) | np.isnan(metric))
    n_systems = np.count_nonzero(known, axis=0)
    n_pairs = n_systems * (n_systems - 1) // 2
    if not n_pairs.any():
        return Calibration(float("nan"), float("nan"))
    weight, total_weight = _whole_weights(n_pairs)
    n_right, keys, gain = _changing_pairs(people, metric, weight)
    gain[0] = 0
    best = _first_best(np.cumsum(gain, out=gain), keys)
    epsilon = _largest_difference(people, metric, float(keys[best]) * (1 + ROUNDING)) if best else 0.0
    return Calibration((int(n_right @ weight) + int(gain[best])) / total_weight, epsilon)


def calibrate_as_published(people: FloatArray, metric: FloatArray) -> PublishedCalibration:
    """The same with the rounding of the toolkit behind published results, where it decides between ties.

    That toolkit [Deutsch2023] keeps a running sum of the segments' accuracies, or of their taus (twice the
    accuracy less 1), while pairs become ties from the smallest difference on. Where thresholds are equally
    good, the last bits of that sum pick one: not always the smallest, nor always the same for both
    statistics. The same additions in the same order pick the same. To compare with published thresholds;
    `calibrate` otherwise.
    """
    judged, scored = _differences(people, metric)
    # Pairs as the toolkit goes through them: segment by segment.
    judged, scored = judged.T, scored.T
    known = np.flatnonzero(~np.isnan(scored))
    if not len(known):
        nothing = Calibration(float("nan"), float("nan"))
        return PublishedCalibration(nothing, nothing)
    segment = known // scored.shape[1]
    judged, scored = judged.ravel()[known], scored.ravel()[known]
    right_when_tied = judged == 0
    right = np.where(scored == 0, right_when_tied, _in_order(judged, scored))
    n_pairs, n_right = np.bincount(segment), np.bincount(segment[right], minlength=int(segment[-1]) + 1)
    size = np.abs(scored)
    order = _stable_order(size)
    segment = segment[order]
    change = right_when_tied[order].astype(np.int64) - right[order]
    after = n_right[segment] + _running_count(change, segment)
    counts = _Counts(n_right[n_pairs > 0], n_pairs[n_pairs > 0], after - change, after, n_pairs[segment])
    size = np.append(0.0, size[order])
    accuracy, tau = _running_mean(counts, is_tau=False), _running_mean(counts, is_tau=True)
    best, best_tau = _first_best(accuracy, size), _first_best(tau, size)
    return PublishedCalibration(
        Calibration(float(accuracy[best]), float(size[best])),
        Calibration((1 + float(tau[best_tau])) / 2, float(size[best_tau])),
    )


def _changing_pairs(
    people: FloatArray, metric: FloatArray, weight: IntArray
) -> tuple[IntArray, FloatArray, IntArray]:
    """What happens to the pairs of systems as the metric ties more and more of them.

    First the pairs of each segment that are right while only equal scores are tied, (n,). Then 0 and the
    metric differences of all pairs that may still change, in order, and what each adds to the sum of the
    weights of right pairs when it becomes a tie.

    Differences are the same except for their last bits. Floats from 0 on are ordered as their bits are, read
    as whole numbers: with a code for the gain in place of the last bits, to sort these numbers is enough,
    which is much faster than to sort differences and move the gains along.
    """
    n_systems, n_segments = people.shape
    weights, kind = np.unique(weight, return_inverse=True)
    code_bits = (1 << (2 * len(weights) - 1).bit_length()) - 1
    if code_bits >= _MOST_CODES:
        raise ValueError(f"more than {_MOST_CODES // 2} different numbers of scored systems per segment")
    n_right = np.zeros(n_segments, dtype=np.int64)
    keys = np.empty(n_systems * (n_systems - 1) // 2 * n_segments + 1, dtype=np.int64)
    keys[0], end = 0, 1
    for first in range(n_systems - 1):
        judged, scored = people[first + 1 :] - people[first], metric[first + 1 :] - metric[first]
        people_tie, in_order = judged == 0, _in_order(judged, scored)
        n_right += np.count_nonzero(in_order | (people_tie & (scored == 0)), axis=0)
        # Becoming a tie changes a pair that people tie too, or that was in order.
        changing = np.flatnonzero(in_order | (people_tie & (np.abs(scored) > 0)))
        key = np.abs(scored.ravel()[changing]).view(np.int64) & ~code_bits
        key |= people_tie.ravel()[changing]
        if len(weights) > 1:
            key |= 2 * kind[changing % n_segments]
        keys[end : end + len(key)] = key
        end += len(key)
    keys = keys[:end]
    keys.sort()
    # By the codes: pairs of the first weight that were right, that will be, of the second that were ...
    gain = np.stack([-weights, weights], axis=1).ravel()[keys & code_bits]
    keys &= ~code_bits
    return n_right, keys.view(np.float64), gain


def _largest_difference(people: FloatArray, metric: FloatArray, bound: float) -> float:
    """The largest metric difference within a segment that is not above the bound."""
    known = np.where(np.isnan(people), np.nan, metric)
    sizes = (np.abs(known[first + 1 :] - known[first]) for first in range(len(known) - 1))
    return max(float(np.max(size, where=size <= bound, initial=0.0)) for size in sizes)


def _differences(people: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Differences of all pairs of systems (pairs, n), NaN in both where one is."""
    left, right = np.triu_indices(len(people), 1)
    judged, scored = people[left] - people[right], metric[left] - metric[right]
    unknown = np.isnan(judged) | np.isnan(scored)
    if unknown.any():
        judged[unknown] = scored[unknown] = np.nan
    return judged, scored


def _in_order(judged: FloatArray, scored: FloatArray) -> BoolArray:
    """Where both differences are above 0, or both below."""
    return ((judged > 0) & (scored > 0)) | ((judged < 0) & (scored < 0))


def _whole_weights(n_pairs: IntArray) -> tuple[IntArray, int]:
    """Weights of the pairs of each segment, as 1 / pairs in whole numbers, and their sum over all pairs."""
    some = n_pairs[n_pairs > 0]
    unit = math.lcm(*np.unique(some).tolist())
    if unit * len(some) >= _LARGEST_SUM:
        unit = _PARTS
    weight = np.zeros(len(n_pairs), dtype=np.int64)
    weight[n_pairs > 0] = np.rint(unit / some)
    return weight, int(weight @ n_pairs)


def _first_best(total: IntArray | FloatArray, size: FloatArray) -> int:
    """Index of the last pair of the smallest difference after which the total is highest."""
    # All pairs of one difference become ties together: there is no stopping in between.
    within = size[1:] <= size[:-1] * (1 + ROUNDING)
    stops = np.append(~within, True)
    highest = np.max(total, where=stops, initial=total[-1])
    return int(np.argmax((total == highest) & stops))


def _stable_order(values: FloatArray) -> IntArray:
    """The order of the values, equal ones as they came."""
    # Sorting twice without regard to order is five times as fast as one stable sort.
    order = np.argsort(values)
    ordered = values[order]
    group = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    key = np.sort(group * len(values) + order)
    stable: IntArray = key % len(values)
    return stable


def _running_count(change: IntArray, segment: IntArray) -> IntArray:
    """The sum of the changes of the same segment so far, this one included."""
    order = np.sort(segment * len(segment) + np.arange(len(segment))) % len(segment)
    so_far = np.cumsum(change[order])
    begins = np.flatnonzero(np.diff(segment[order], prepend=-1))
    length = np.diff(np.append(begins, len(order)))
    count = np.empty(len(order), dtype=np.int64)
    count[order] = so_far - np.repeat(so_far[begins] - change[order][begins], length)
    return count


class _Counts(NamedTuple):
    """Pairs judged right and all pairs, of each segment at the start; and, for each pair that becomes a tie,
    those of its segment before and after."""

    n_right: IntArray
    n_pairs: IntArray
    before: IntArray
    after: IntArray
    n_pairs_there: IntArray


def _running_mean(counts: _Counts, *, is_tau: bool) -> FloatArray:
    """The mean over segments at the start and after each pair, added up one by one."""

    def share(n_right: IntArray, n_pairs: IntArray) -> FloatArray:
        value: FloatArray = (2 * n_right - n_pairs if is_tau else n_right) / n_pairs
        return value

    steps = np.empty(2 * len(counts.before) + 1)
    steps[0] = np.cumsum(share(counts.n_right, counts.n_pairs))[-1]
    steps[1::2] = -share(counts.before, counts.n_pairs_there)
    steps[2::2] = share(counts.after, counts.n_pairs_there)
    mean: FloatArray = np.cumsum(steps, out=steps)[::2] / len(counts.n_pairs)
    return mean
