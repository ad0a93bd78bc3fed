"""Tests on differences within pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from steelyard.stats.arrays import FloatArray

# Differences of ratings with decimals carry rounding noise; below this share they are equal.
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Outcome of a one-sided test that differences are positive; NaN is "not defined"."""

    statistic: float
    p_value: float
    df: int
    n: int
    mean: float
    sd: float


def paired_t(difference: FloatArray) -> PairedTest:
    """One-sided paired t-test that the mean difference is above 0.

    t = mean / (sd / sqrt(n)) with n - 1 degrees of freedom, upper tail: the test of a worker's
    base ratings against those of the degraded copies [Graham2014]. It assumes that the mean of
    n differences is close to normal, which five bounded ratings already are, roughly.

    Equal differences leave t undefined. If all are 0 or all negative, p is 1; if all are positive
    it is that of the sign test, 2^-n. Fewer than two differences: everything but n is NaN.

    >>> round(paired_t(np.array([1.0, 2.0, 3.0])).statistic, 4)
    3.4641
    >>> paired_t(np.array([5.0, 5.0, 5.0])).p_value
    0.125
    """
    n = len(difference)
    if n < 2:
        mean = float(difference[0]) if n else math.nan
        return PairedTest(statistic=math.nan, p_value=math.nan, df=max(n - 1, 0), n=n, mean=mean, sd=math.nan)
    mean = float(np.mean(difference))
    if float(np.ptp(difference)) <= _EQUAL * float(np.max(np.abs(difference))):
        p_value = 0.5**n if mean > 0 else 1.0
        return PairedTest(statistic=math.nan, p_value=p_value, df=n - 1, n=n, mean=mean, sd=0.0)
    sd = float(np.std(difference, ddof=1))
    statistic = mean / (sd / math.sqrt(n))
    return PairedTest(
        statistic=statistic, p_value=float(stdtr(n - 1, -statistic)), df=n - 1, n=n, mean=mean, sd=sd
    )
