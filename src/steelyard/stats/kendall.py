"""Kendall's rank correlation."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray

# Pairs looked at in one go: 3 MB.
_PAIRS_AT_ONCE = 400_000

# Rows longer than this are quicker one by one, without looking at all pairs.
_LONG = 200


def kendall(first: FloatArray, second: FloatArray) -> float:
    """Kendall's tau-b of two scores of the same things: 1 if they order them alike, -1 if reversed.

    Ties count in neither direction. NaN with fewer than two things, or where one score is the same
    for all. Looks at all pairs: for systems, not for segments.

    >>> kendall(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    0.3333333333333333
    """
    one = np.sign(first[:, None] - first[None, :])
    other = np.sign(second[:, None] - second[None, :])
    untied = np.sqrt(np.sum(one**2) * np.sum(other**2))
    return float(np.sum(one * other) / untied) if untied else float("nan")


def kendall_b(first: FloatArray, second: FloatArray) -> float:
    """The same tau-b for thousands of things, without looking at all pairs; NaN counts nowhere.

    >>> round(kendall_b(np.arange(5000.0), np.arange(5000.0) ** 2), 12)
    1.0
    """
    from scipy.stats import kendalltau  # takes a second to import

    known = ~(np.isnan(first) | np.isnan(second))
    if np.count_nonzero(known) < 2:
        return float("nan")
    return float(kendalltau(first[known], second[known]).statistic)


def kendall_rows(first: FloatArray, second: FloatArray) -> FloatArray:
    """Tau-b of each row of one array with the same row of another, for many rows.

    Both are (G, m); a row may also be one for all, (1, m). Where one of the two numbers is NaN, neither
    counts. NaN for a row with fewer than two such pairs, or where one side does not vary.

    >>> kendall_rows(np.array([[3.0, 2.0, 1.0], [1.0, 1.0, np.nan]]), np.array([[3.0, 1.0, 2.0]]))
    array([0.33333333,        nan])
    """
    one, other = np.broadcast_arrays(first, second)
    n_rows, width = one.shape
    if width > _LONG:
        return np.array([kendall_b(*rows) for rows in zip(one, other, strict=True)])
    left, right = np.triu_indices(width, 1)
    if not len(left):
        return np.full(n_rows, np.nan)
    tau = np.empty(n_rows)
    step = max(1, _PAIRS_AT_ONCE // len(left))
    for start in range(0, n_rows, step):
        part = slice(start, start + step)
        tau[part] = _taus(
            np.sign(one[part][:, left] - one[part][:, right]),
            np.sign(other[part][:, left] - other[part][:, right]),
        )
    return tau


def _taus(one: FloatArray, other: FloatArray) -> FloatArray:
    """Tau-b from the signs of all differences (G, pairs), NaN where one is unknown."""
    known = ~(np.isnan(one) | np.isnan(other))
    one, other = np.where(known, one, 0.0), np.where(known, other, 0.0)
    untied = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", other, other))
    tau = np.full(len(one), np.nan)
    np.divide(np.einsum("ij,ij->i", one, other), untied, out=tau, where=untied > 0)
    return tau
