"""Values so far from the rest that they alone would decide a correlation."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray

# The factor that makes the median absolute deviation of a normal distribution its standard deviation, and
# how many of these a system may lie from the median: both as in the metrics tasks [Mathur2020].
MAD_TO_SD = 1.483
CUTOFF = 2.5


def outliers(values: FloatArray) -> BoolArray:
    """True where a value lies more than 2.5 robust standard deviations from the median.

    One very poor system far from a close field gives any metric that notices it a correlation near 1;
    [Mathur2020] therefore report system correlations without such systems. The deviation is 1.483 times
    the median absolute deviation; where that is 0, more than half of the values being equal, nothing is
    an outlier. NaN is none and counts nowhere.

    >>> outliers(np.array([0.1, 0.2, 0.3, 0.4, -5.0]))
    array([False, False, False, False,  True])
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), dtype=np.bool_)
    distance = np.abs(values - np.median(known))
    deviation = MAD_TO_SD * float(np.median(distance[~np.isnan(distance)]))
    if deviation == 0:
        return np.zeros(len(values), dtype=np.bool_)
    far: BoolArray = distance > CUTOFF * deviation
    return far
