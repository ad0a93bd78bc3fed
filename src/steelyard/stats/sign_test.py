"""The sign test: whether one of two outcomes came more often than a fair coin would have it."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from steelyard.stats.arrays import FloatArray, IntArray


def sign_test(for_it: IntArray, against: IntArray) -> FloatArray:
    """One-sided exact p of at least this many successes among the decided cases. Shapes (...).

    Ties are not cases; leave them out. Without any case p is 1.

    >>> sign_test(np.array([5, 9, 0]), np.array([0, 1, 0])).round(4)
    array([0.0312, 0.0107, 1.    ])
    """
    n = np.asarray(for_it) + np.asarray(against)
    # By symmetry at most `against` heads are as likely as at least `for_it`.
    p_values: FloatArray = np.where(n > 0, bdtr(against, np.maximum(n, 1), 0.5), 1.0)
    return p_values


def two_sided_sign_test(one: IntArray, other: IntArray) -> FloatArray:
    """Two-sided exact p that two outcomes are equally likely: twice the smaller tail, at most 1.

    >>> two_sided_sign_test(np.array([1, 3]), np.array([9, 3])).round(4)
    array([0.0215, 1.    ])
    """
    p_values: FloatArray = np.minimum(2 * np.minimum(sign_test(one, other), sign_test(other, one)), 1.0)
    return p_values
