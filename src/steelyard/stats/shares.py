"""A share of cases that come in clusters, with an interval that allows for that."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from steelyard.stats.arrays import IntArray


class Share(NamedTuple):
    """A share and the interval around it; the ends are NaN where there are too few clusters."""

    value: float
    lower: float
    upper: float


def clustered_share(of_interest: IntArray, total: IntArray, *, level: float = 0.95) -> Share:
    """The share of all cases that are of interest, cases of one cluster going together. Arrays: (clusters,).

    A ratio of sums over clusters [Cochran1977]. Its error is that of leaving out each cluster in turn, so
    that a large one does not vouch for itself [Bell2002], and Student's t has one degree of freedom less than
    there are clusters. NaN without cases; no interval with fewer than two clusters that have any.

    >>> share = clustered_share(np.array([6, 7, 5, 6]), np.array([10, 10, 10, 10]))
    >>> [round(number, 3) for number in share]
    [0.6, 0.47, 0.73]
    """
    has_any = total > 0
    hits, cases = of_interest[has_any].astype(np.float64), total[has_any].astype(np.float64)
    n = len(cases)
    if not n:
        return Share(np.nan, np.nan, np.nan)
    share = float(hits.sum() / cases.sum())
    if n < 2:
        return Share(share, np.nan, np.nan)
    moved = (hits - share * cases) / (cases.sum() - cases)
    error = np.sqrt(np.sum(moved**2) * (n - 1) / n)
    half = float(stdtrit(n - 1, (1 + level) / 2) * error)
    return Share(share, share - half, share + half)
