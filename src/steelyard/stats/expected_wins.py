"""Systems by how often they win against each other."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray


def expected_wins(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """Each system's chance of winning against an opponent drawn at random [Koehn2012]. Shape (..., S).

    The mean over opponents of wins / (wins + losses): every opponent weighs the same, however often
    the two met, so that meeting strong ones more often costs nothing. Ties are ignored; two systems
    that only ever tied count 1/2 for both, since they did meet. An opponent never met is left out,
    which makes systems that met different opponents hard to compare; a system that met none is NaN.

    `wins[..., i, j]` says how often system i was better than system j, `ties[..., i, j]` (symmetric)
    how often neither was. Both: (..., S, S).

    >>> expected_wins(np.array([[0., 7.], [3., 0.]]), np.zeros((2, 2)))
    array([0.7, 0.3])
    """
    decided = wins + np.swapaxes(wins, -1, -2)
    undecided = np.where(ties > 0, 0.5, np.nan)
    share = np.divide(wins, decided, out=undecided, where=decided > 0)
    met = ~np.isnan(share)
    n_met = np.count_nonzero(met, axis=-1)
    total = np.where(met, share, 0.0).sum(axis=-1)
    means: FloatArray = np.divide(total, n_met, out=np.full(total.shape, np.nan), where=n_met > 0)
    return means
