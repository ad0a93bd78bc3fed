"""How often equal values stand in a row by chance."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from steelyard.stats.arrays import FloatArray, IntArray


def chance_of_run(n: IntArray, equal: IntArray, length: IntArray) -> FloatArray:
    """At most how probable it is that `length` of the `equal` ones among n values stand in a row by chance.

    That is, if the n values are put in random order: the number of places at which such a run may begin times
    the probability that it stands at a given one, equal! (n - length)! / ((equal - length)! n!); at most 1.

    >>> chance_of_run(np.array([3]), np.array([2]), np.array([2])).round(4).tolist()
    [0.6667]
    """
    places = n - length + 1
    log = np.log(places) + gammaln(equal + 1) - gammaln(equal - length + 1) + gammaln(places) - gammaln(n + 1)
    return np.asarray(np.exp(np.minimum(log, 0.0)))
