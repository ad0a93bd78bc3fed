"""How sure a gain is, and which of two cells is significantly greater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from steelyard.domain.cells import CELLS, FourCells
from steelyard.domain.errors import ChoiceError
from steelyard.domain.result import Test
from steelyard.longitudinal.cells import CellRatings, cell_means, deviations, segment_means
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rank_sum import rank_sum_matrix
from steelyard.stats.rounding import TIE_DECIMALS

# What each cell counts for in the gain.
SIGNS = FourCells(1.0, -1.0, -1.0, 1.0)


@dataclass(frozen=True)
class Leverage:
    """How far each rating moves a sum of cells, such as the gain, with its worker and document. Arrays: (n,).

    `beside_level` is the same for what is left of a rating with its worker's level taken off. Numbers of
    workers and documents mean the same in all leverages of one `source`, and nothing elsewhere. Documents
    with an even number are of the old test set, those with an odd one of the new.
    """

    source: int
    moved: FloatArray
    beside_level: FloatArray
    worker: IntArray
    document: IntArray


class CellsError(NamedTuple):
    """Sampling variance of a sum of cells, and its degrees of freedom; NaN where others are unknown."""

    variance: float
    df: float

    def half_width(self, level: float) -> float:
        """Half of the sum's interval at this level, by Student's t."""
        return float(stdtrit(self.df, (1 + level) / 2) * np.sqrt(self.variance))


UNKNOWN = CellsError(float("nan"), float("nan"))


def leverage(
    value: FloatArray, ratings: CellRatings, *, source: int = 0, weights: FourCells = SIGNS
) -> Leverage:
    """How far each rating moves the sum of the cells' means times `weights`; of cells that count, only.

    A worker's level is that of the ratings outside the document at hand: a document that a worker judged
    with few others would else be taken for a part of that worker's level.
    """
    deviation, share = deviations(value, ratings)
    both = _cells_of(ratings.worker, ratings.document)
    n = np.bincount(ratings.worker)[ratings.worker] - np.bincount(both)[both]
    total = np.bincount(ratings.worker, deviation)[ratings.worker] - np.bincount(both, deviation)[both]
    weight = np.array(weights)[ratings.cell]
    rows = weight != 0
    moves = (weight * share)[rows]
    return Leverage(
        source=source,
        moved=moves * deviation[rows],
        beside_level=moves * (deviation - total / np.maximum(n, 1))[rows],
        worker=ratings.worker[rows],
        document=ratings.document[rows],
    )


def cells_error(parts: Sequence[Leverage]) -> CellsError:
    """How far a sum of cells may be off, had other workers judged other documents.

    The same ones for all cells and attributes of a source, so that a strict worker or a hard document moves
    the cells together and cancels out where it does in the gain. Sources have workers of their own.
    Standardised ratings are taken as they are.
    """
    sources = sorted({part.source for part in parts})
    return summed_error([_error_of(_joined([p for p in parts if p.source == source])) for source in sources])


def summed_error(errors: Sequence[CellsError], *, share: float = 1.0) -> CellsError:
    """The error of a sum of independent gains, each times `share`; degrees of freedom after [Welch1947]."""
    variance = np.array([error.variance for error in errors])
    df = np.array([error.df for error in errors])
    total = float(variance.sum())
    if not total > 0:
        # Exact, or unknown.
        return CellsError(total, float(df.min()))
    return CellsError(total * share**2, float(total**2 / np.sum(variance**2 / df)))


def _error_of(part: Leverage) -> CellsError:
    """The error of a sum of cells whose ratings are clustered by worker and by document [Cameron2011].

    Variance between workers plus what documents add: variance between documents minus that between cells
    of both, which the first two contain once each. A worker's level, which cancels out
    in a gain as far as all cells were given to all workers, would be mere noise to documents: it is taken off
    for the latter two. Degrees of freedom: one less than there are workers, or two less than there are
    documents, which come from two test sets, whichever are fewer.
    """
    by_worker, n_workers = _between(part.worker, part.moved)
    by_document, n_documents = 0.0, 0
    for test_set in range(2):
        rows = part.document % 2 == test_set
        of_set, n_of_set = _between(part.document[rows], part.beside_level[rows])
        by_document += of_set
        n_documents += n_of_set
    by_both, _ = _between(_cells_of(part.worker, part.document), part.beside_level)
    df = min(n_workers - 1, n_documents - 2)
    if df < 1:
        return UNKNOWN
    return CellsError(by_worker + max(by_document - by_both, 0.0), df)


def _between(cluster: IntArray, moved: FloatArray) -> tuple[float, int]:
    """Sum of squares of what each cluster moves, for as many as there are less one, and their number."""
    used, place = np.unique(cluster, return_inverse=True)
    n = len(used)
    return float(np.sum(np.bincount(place, moved) ** 2) * n / max(n - 1, 1)), n


def _cells_of(worker: IntArray, document: IntArray) -> IntArray:
    """A number for each worker on each document, without gaps."""
    both = worker * (int(document.max(initial=0)) + 1) + document
    number: IntArray = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return number


def _joined(parts: Sequence[Leverage]) -> Leverage:
    """Several leverages of one source as one."""
    return Leverage(
        source=parts[0].source,
        moved=np.concatenate([part.moved for part in parts]),
        beside_level=np.concatenate([part.beside_level for part in parts]),
        worker=np.concatenate([part.worker for part in parts]),
        document=np.concatenate([part.document for part in parts]),
    )


def greater_p(ratings: CellRatings, first: int, second: int, test: Test) -> float:
    """One-sided p-value that the first of two places in CELLS has greater ratings than the second.

    Of standardised ratings: the difference of the cells' means against its error, ratings clustered by
    worker and by document; or Wilcoxon's rank-sum test with one value per segment, the mean of its
    judgements. NaN where a cell has no standardised rating. ChoiceError for tests of segments in common.
    """
    if test not in ("clustered", "rank-sum"):
        raise ChoiceError(
            f"The test {test} is of segments that systems share, and two test sets share none. "
            "Use {test=clustered} or {test=rank-sum}."
        )
    known = ratings.standardised()
    if not len(known.z):
        return float("nan")
    if test == "rank-sum":
        groups = segment_means(known.z, known)
        chosen = [groups[cell].round(TIE_DECIMALS) for cell in (first, second)]
        return float(rank_sum_matrix(chosen)[0, 1])
    weights = FourCells(*(float(k == first) - float(k == second) for k in range(len(CELLS))))
    means = cell_means(known.z, known)
    variance, df = cells_error([leverage(known.z, known, weights=weights)])
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(stdtr(df, (means[second] - means[first]) / np.sqrt(variance)))
