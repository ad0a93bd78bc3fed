"""How far each rating moved sums of qualities; slopes and learned spreads are taken as given.

Given these and precisions, all else that a worker model believes is linear in the ratings: qualities, offsets
and effects together minimise the squared errors of ratings, and the squared distances from what was expected.
What one rating weighs in a sum follows from one sparse system of equations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csr_array, diags_array

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.clustered import ClusterSums, cell_sums
from steelyard.stats.worker_model.problem import WorkerRatings

# Weights are as exact as this part of their size; a system of equations takes a few dozen steps.
_TOLERANCE, _MOST_STEPS = 1e-4, 1_000
_SUMS_AT_A_TIME = 32


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A worker model with slopes and precisions given: a rating is offset + slope * quality + noise.

    Unknowns are the qualities of the items, the offsets of the parts of workers' ratings, and whatever
    else `beliefs` (beliefs, unknowns) has columns for. A belief is a sum of unknowns that was expected to
    be 0 with deviation 1. `extra`: what each item's ratings weigh beyond their precision and slope.
    `prior_ratings`: how many ratings' worth was believed of each precision beforehand; all if it was known.
    """

    ratings: WorkerRatings
    offset: FloatArray
    slope: FloatArray
    precision: FloatArray
    beliefs: csr_array
    extra: FloatArray
    prior_ratings: float = np.inf

    @property
    def part(self) -> IntArray:
        """What each rating shares its offset with."""
        return self.ratings.worker if self.ratings.hit is None else self.ratings.hit

    def weights(self, sums: FloatArray) -> FloatArray:
        """The weight of each rating (ratings, sums) in what is believed of sums of unknowns (unknowns, sums).

        Weights times ratings are the sums themselves, wherever 0 was expected.
        """
        ratings, (slope, precision) = self.ratings, self._of_ratings()
        solved = _solved(self._equations(), sums)
        weights: FloatArray = slope[:, None] * solved[ratings.item] + solved[ratings.n_items + self.part]
        weights *= precision[:, None]
        return weights

    def unexplained(self, group: IntArray) -> FloatArray:
        """What is left of each rating without its worker's offset and the usual quality of its item's group.

        Everything that texts, documents or tastes of workers add is still in it.
        """
        (slope, precision), place = self._of_ratings(), group[self.ratings.item]
        value = self.ratings.value - self.offset[self.ratings.worker]
        total = np.bincount(place, precision * slope * value)
        squares = np.bincount(place, precision * slope**2)
        usual = np.divide(total, squares, out=np.zeros(len(total)), where=squares > 0)
        left: FloatArray = value - slope * usual[place]
        return left

    def learned_twice(self) -> FloatArray:
        """What makes up for a worker's precision having been learned from the same ratings. Shape (ratings,).

        The further off a rating, the less its worker weighs: were the truth elsewhere by a little, weights
        would take back two in n of what n ratings say of it, and the sums vary by so much more [Huber1981].
        """
        n = np.bincount(self.ratings.worker, minlength=self.ratings.n_workers) + self.prior_ratings
        raised: FloatArray = 1 / (1 - 2 / np.maximum(n, 4.0))
        return raised[self.ratings.worker]

    def _of_ratings(self) -> tuple[FloatArray, FloatArray]:
        return self.slope[self.ratings.worker], self.precision[self.ratings.worker]

    def _equations(self) -> csr_array:
        ratings, (slope, precision) = self.ratings, self._of_ratings()
        n_items, n_parts = ratings.n_items, int(self.part.max(initial=-1)) + 1
        n_parts = ratings.n_workers if ratings.hit is None else n_parts
        items = np.bincount(ratings.item, precision * slope**2, n_items) + self.extra
        parts = np.bincount(self.part, precision, n_parts)
        cross = csr_array((precision * slope, (ratings.item, self.part)), shape=(n_items, n_parts))
        n_others = self.beliefs.shape[1] - n_items - n_parts
        of_ratings = block_array(
            [
                [diags_array(items), cross, None],
                [cross.T, diags_array(parts), None],
                [None, None, csr_array((n_others, n_others))],
            ]
        )
        return csr_array(of_ratings + self.beliefs.T @ self.beliefs)


@dataclass(frozen=True, slots=True)
class RatingOrigin:
    """Of each item its `group`, such as its system; of each rating its `document` and its `centre`.

    Ratings of one centre are distances from their own mean, taken as if `pseudo` more (of all centres alike,
    or of each) had come before.
    """

    group: IntArray
    document: IntArray
    centre: IntArray
    pseudo: FloatArray | float = 0.0


def moved_sums(
    model: LinearModel, sums: FloatArray, origin: RatingOrigin, *, means: FloatArray | None = None
) -> ClusterSums:
    """How far the ratings of each worker on each document moved these sums of unknowns (unknowns, sums).

    A rating also moves the mean that it is measured from, so that only what sets texts apart counts. `means`
    (items, sums): how much of the mean of each item's ratings is added to each sum.
    """
    left = model.unexplained(origin.group)
    n_centres, n = int(origin.centre.max(initial=-1)) + 1, len(left)
    member = csr_array((np.ones(n), (origin.centre, np.arange(n))), shape=(n_centres, n))
    size = np.bincount(origin.centre, minlength=n_centres) + origin.pseudo
    item = model.ratings.item
    share = 1 / np.bincount(item, minlength=model.ratings.n_items)[item]
    found = []
    for start in range(0, sums.shape[1], _SUMS_AT_A_TIME):
        some = slice(start, start + _SUMS_AT_A_TIME)
        weights = model.weights(sums[:, some])
        if means is not None:
            weights += share[:, None] * means[item, some]
        weights -= ((member @ weights) / size[:, None])[origin.centre]
        weights *= (left * model.learned_twice())[:, None]
        found.append(cell_sums(weights, worker=model.ratings.worker, document=origin.document))
    return found[0]._replace(moved=np.concatenate([part.moved for part in found], axis=1))


def _solved(matrix: csr_array, right: FloatArray) -> FloatArray:
    """Solutions (n, k) of k systems of equations of one positive definite matrix, by conjugate gradients."""
    scale = (1 / matrix.diagonal())[:, None]
    solved, left = np.zeros_like(right), right.copy()
    step = scale * left
    size = np.einsum("ij,ij->j", left, step)
    enough = size * _TOLERANCE**2
    for _ in range(_MOST_STEPS):
        moved = matrix @ step
        bent = np.einsum("ij,ij->j", step, moved)
        rate = np.divide(size, bent, out=np.zeros_like(size), where=bent > 0)
        solved += rate * step
        left -= rate * moved
        scaled = scale * left
        before, size = size, np.einsum("ij,ij->j", left, scaled)
        if (size <= enough).all():
            break
        step = scaled + np.divide(size, before, out=np.zeros_like(size), where=before > 0) * step
    return solved
