"""How ratings vary and hang together, and what error that leaves in the difference of two systems."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from scipy.special import stdtrit

from steelyard.stats.arrays import FloatArray
from steelyard.stats.components import VarianceComponents

# Medians over nine pairs of languages into English of WMT21 and WMT22 (92 to 217 workers each, one 46), what
# has to do with documents over the eight judged by documents: see docs/explanation/planning.md for the range.
TYPICAL_COMPONENTS = VarianceComponents(
    worker=0.0,
    worker_system=0.002,
    document=0.007,
    document_system=0.0,
    cell=0.1,
    segment=0.074,
    translation=0.018,
    residual=0.604,
)
# There, HITs that a worker did, and the deviation of documents' lengths divided by their mean.
TYPICAL_HITS_PER_WORKER, TYPICAL_UNEVENNESS = 1.8, 0.64


@dataclass(frozen=True, slots=True)
class Variation:
    """What the ratings of a campaign will be like.

    A document has `document_length` segments on average, of which `together` are judged in a row by one
    worker; both are 1 where segments are judged singly. `unevenness`: the deviation of documents' lengths
    divided by their mean. `workers` None: as many as there are HITs for, each doing `hits_per_worker`.
    """

    components: VarianceComponents = TYPICAL_COMPONENTS
    document_length: float = 1.0
    together: float = 1.0
    unevenness: float = 0.0
    hits_per_worker: float = TYPICAL_HITS_PER_WORKER
    workers: int | None = None

    def of_cell(self, ratings: FloatArray, length: FloatArray) -> FloatArray:
        """Variance that means of ratings by one worker have for themselves, in documents of these lengths."""
        found, rest = self.components, np.maximum(0.0, 1 / ratings - 1 / length)
        return found.cell + found.residual / ratings + (found.segment + found.translation) * rest

    def of_document(self, length: FloatArray) -> FloatArray:
        """Variance of means of documents of these lengths that all systems share."""
        return self.components.document + self.components.segment / length

    def of_document_system(self, length: FloatArray) -> FloatArray:
        """Variance of means of documents of these lengths that belongs to one system."""
        return self.components.document_system + self.components.translation / length

    def crowd(self, hits: float) -> float:
        """Workers for this many HITs; nothing is known of others from fewer than two."""
        return max(2.0, hits / self.hits_per_worker if self.workers is None else float(self.workers))


# Segments judged singly by a crowd like that of WMT.
TYPICAL = Variation()


@dataclass(frozen=True, slots=True)
class Amounts:
    """What is published: HITs, the ratings of translations in them, and how many of these are kept.

    `documents` None: as many as it takes to judge every translation once.
    """

    hits: float
    ratings: float
    systems: int
    pass_rate: float
    documents: float | None

    def documents_used(self, length: float) -> float:
        """Documents that are judged at all; each for all systems."""
        needed = self.ratings / (self.systems * length)
        return max(1.0, needed if self.documents is None else min(needed, self.documents))


@dataclass(frozen=True, slots=True)
class ExpectedErrors:
    """Variances of a system's score and of the difference of two, and the degrees of freedom of the test."""

    score: float
    difference: float
    df: float

    def smallest_difference(self, *, power: float, level: float) -> float | None:
        """The difference that a two-sided test of this level finds with this power; None: no test at all."""
        if self.df < 1:
            return None
        quantile = float(stdtrit(self.df, 1 - level / 2)) + NormalDist().inv_cdf(power)
        return quantile * sqrt(self.difference)


def expected_errors(amounts: Amounts, variation: Variation) -> ExpectedErrors:
    """What error to expect, by formula: a first guess, which simulation then corrects.

    Every effect counts as often as there are workers, documents or cells to average it over. Documents
    that both systems have drop out of their difference; those that one has lost to the pass rate do not.
    """
    length, rate, systems = variation.document_length, amounts.pass_rate, amounts.systems
    per_system = amounts.ratings * rate / systems
    cells = max(per_system / variation.together, 1e-9)
    workers = max(2.0, variation.crowd(amounts.hits) * rate)
    with_system = workers * (1 - (1 - 1 / systems) ** max(1.0, systems * cells / workers))
    documents = amounts.documents_used(length)
    covered = 1 - (1 - rate) ** max(1.0, amounts.ratings / (systems * length * documents))
    # Effects on documents as a whole weigh more where these are longer; on single ratings they do not.
    found, uneven = variation.components, 1 + variation.unevenness**2
    single = found.residual + (found.segment + found.translation) * (1 - variation.together / length)
    own = found.document_system * uneven + found.translation / length
    alone = (
        found.worker_system / with_system
        + (found.cell * uneven + single / variation.together) / cells
        + own / (documents * covered)
    )
    shared = (found.document * uneven + found.segment / length) / documents
    unshared = shared * (1 - covered) / covered
    return ExpectedErrors(
        score=alone + shared / covered,
        difference=2 * (alone + unshared),
        df=min(workers, documents) - 1,
    )
