"""How sure a gain is, and which of two cells is significantly greater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.domain.cells import CELLS, FourCells
from steelyard.longitudinal.cells import CellRatings, deviations, segment_means
from steelyard.longitudinal.rows import SIGNS
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rank_sum import rank_sum_matrix
from steelyard.stats.rounding import TIE_DECIMALS

# The sum over more workers or segments than this is drawn from a normal distribution.
_MANY_CLUSTERS = 2_000


@dataclass(frozen=True)
class Leverage:
    """How far each rating moves a gain, with its worker and its segment. All arrays: (n,).

    `beside_level` is the same for what is left of a rating with its worker's level taken off. Numbers of
    workers and segments mean the same in all leverages of one `source`, and nothing elsewhere.
    """

    source: int
    moved: FloatArray
    beside_level: FloatArray
    worker: IntArray
    segment: IntArray


def leverage(
    value: FloatArray, ratings: CellRatings, *, source: int, slopes: FourCells | None = None
) -> Leverage:
    """How far each rating moves the gain of the cells' means, or of what grows by `slopes` with them."""
    weight = np.array(SIGNS) * (1.0 if slopes is None else np.array(slopes))
    deviation, share = deviations(value, ratings)
    level = np.bincount(ratings.worker, deviation) / np.maximum(np.bincount(ratings.worker), 1)
    moves = weight[ratings.cell] * share
    return Leverage(
        source=source,
        moved=moves * deviation,
        beside_level=moves * (deviation - level[ratings.worker]),
        worker=ratings.worker,
        segment=ratings.segment,
    )


def gain_draws(parts: Sequence[Leverage], *, draws: int, rng: np.random.Generator) -> FloatArray:
    """How far a gain may be off, had other workers judged other segments. Shape (draws,).

    Each draw takes as many workers and as many segments as there are, with replacement, the same ones for
    all cells and attributes of a source, so that a strict worker or a hard segment moves the cells together
    and cancels out where it does in the gain. The gain is drawn to first order (each rating moves it by
    what it is worth in its cell's mean), and the draws are stretched to the variance of `gain_variance`: a
    plain bootstrap of both counts the noise of single ratings up to three times [Owen2007]. Sources have
    workers of their own. Standardised ratings are taken as they are.
    """
    total = np.zeros(draws)
    for source in sorted({part.source for part in parts}):
        total += _draws_of_source(_joined([part for part in parts if part.source == source]), draws, rng)
    return total


def gain_variance(part: Leverage) -> float:
    """Sampling variance of a gain, ratings clustered by worker and by segment [Cameron2011].

    Variance between workers plus variance between segments minus that between cells of both, which the
    first two contain once each; never less than either of the two alone. A worker's level, which
    cancels out in a gain as far as all cells were given to all workers, would be mere noise to segments: it
    is taken off for the latter two.
    """
    by_worker = _between(part.worker, part.moved)
    by_segment = _between(part.segment, part.beside_level)
    both = part.worker * (int(part.segment.max(initial=0)) + 1) + part.segment
    return max(by_worker + by_segment - _between(both, part.beside_level), by_worker, by_segment)


def _between(cluster: IntArray, moved: FloatArray) -> float:
    """Sum of squares of what each cluster moves, for as many as there are less one."""
    sums = np.bincount(_dense(cluster), moved)
    return float(np.sum(sums**2) * len(sums) / max(len(sums) - 1, 1))


def _joined(parts: Sequence[Leverage]) -> Leverage:
    """Several leverages of one source as one."""
    return Leverage(
        source=parts[0].source,
        moved=np.concatenate([part.moved for part in parts]),
        beside_level=np.concatenate([part.beside_level for part in parts]),
        worker=np.concatenate([part.worker for part in parts]),
        segment=np.concatenate([part.segment for part in parts]),
    )


def _draws_of_source(part: Leverage, draws: int, rng: np.random.Generator) -> FloatArray:
    off = _redrawn(part.worker, part.moved, draws, rng) + _redrawn(
        part.segment, part.beside_level, draws, rng
    )
    spread = float(np.sqrt(np.mean(off**2)))
    stretched: FloatArray = off * (np.sqrt(gain_variance(part)) / spread if spread > 0 else 1.0)
    return stretched


def _redrawn(cluster: IntArray, moved: FloatArray, draws: int, rng: np.random.Generator) -> FloatArray:
    """What clusters drawn too often or too seldom move, drawn with replacement. Shape (draws,)."""
    sums = np.bincount(_dense(cluster), moved)
    n = len(sums)
    # All together they move nearly nothing; what they do is not to be drawn.
    sums -= sums.mean()
    if n > _MANY_CLUSTERS:
        # Their sum is as good as normal, and its variance is known.
        return rng.normal(0.0, float(np.sqrt(np.sum(sums**2))), draws)
    times = rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(np.float64)
    off: FloatArray = times @ sums
    return off


def _dense(index: IntArray) -> IntArray:
    """The same index without gaps: what no rating uses must not be drawn."""
    highest = int(index.max(initial=0))
    if highest > 4 * len(index):
        # Far more numbers than ratings.
        return np.unique(index, return_inverse=True)[1].astype(np.int64)
    used = np.zeros(highest + 1, dtype=np.bool_)
    used[index] = True
    return (np.cumsum(used) - 1)[index]


def greater_p(ratings: CellRatings) -> FloatArray:
    """One-sided p-values that the cell of the row is greater than that of the column. Shape (4, 4).

    Wilcoxon's rank-sum test on standardised ratings, one value per segment: the mean of its judgements, for
    judgements of one segment are not independent. NaN where a cell has no standardised rating.
    """
    known = ratings.standardised()
    groups = segment_means(known.z, known) if len(known.z) else [np.empty(0)] * len(CELLS)
    return rank_sum_matrix([group.round(TIE_DECIMALS) for group in groups])
