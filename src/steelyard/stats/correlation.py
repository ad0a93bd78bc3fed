"""Correlation of two lists of numbers, and of many pairs of lists at once."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray


def pearson(first: FloatArray, second: FloatArray) -> float:
    """Pearson's correlation; NaN where one side does not vary.

    >>> round(pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 7.0])), 4)
    0.9934
    """
    # Numbers that are all equal can differ from their rounded mean.
    if len(first) == 0 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    one, other = first - first.mean(), second - second.mean()
    return float((one @ other) / np.sqrt((one @ one) * (other @ other)))


def spearman(first: FloatArray, second: FloatArray) -> float:
    """Spearman's correlation: Pearson's of the ranks, equal numbers sharing their mean rank.

    >>> round(spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 70.0])), 12)
    1.0
    """
    return float(spearman_rows(first[None, :], second[None, :])[0])


def pearson_rows(first: FloatArray, second: FloatArray) -> FloatArray:
    """Pearson's correlation of each row of one array with the same row of another.

    Both are (G, m); a row may also be one for all, (1, m). Where one of the two numbers is NaN, neither
    counts. NaN for a row with fewer than two such pairs, or where one side does not vary.

    >>> rows = np.array([[1.0, 2.0, 3.0, np.nan], [4.0, 4.0, 4.0, 4.0]])
    >>> pearson_rows(rows, np.array([[2.0, 4.0, 6.0, 9.0]]))
    array([ 1., nan])
    """
    one, other, known = _paired(first, second)
    n = np.maximum(known.sum(axis=1, keepdims=True), 1)
    varies = _varies(one, known) & _varies(other, known)
    one = np.where(known, one - np.sum(one, axis=1, keepdims=True, where=known) / n, 0.0)
    other = np.where(known, other - np.sum(other, axis=1, keepdims=True, where=known) / n, 0.0)
    products = np.einsum("ij,ij->i", one, other)
    size = np.sqrt(np.einsum("ij,ij->i", one, one)) * np.sqrt(np.einsum("ij,ij->i", other, other))
    correlation = np.full(len(one), np.nan)
    np.divide(products, size, out=correlation, where=varies & (size > 0))
    return correlation


def spearman_rows(first: FloatArray, second: FloatArray) -> FloatArray:
    """Spearman's correlation of each row of one array with the same row of another; see `pearson_rows`.

    >>> spearman_rows(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 70.0]]))
    array([1.])
    """
    one, other, known = _paired(first, second)
    return pearson_rows(_ranks_in_rows(one, known), _ranks_in_rows(other, known))


def _paired(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Both in one shape, and where both are numbers."""
    one, other = np.broadcast_arrays(first, second)
    return one, other, ~(np.isnan(one) | np.isnan(other))


def _varies(values: FloatArray, known: BoolArray) -> BoolArray:
    """Whether the known numbers of each row are not all equal."""
    highest = np.max(values, axis=1, where=known, initial=-np.inf)
    varies: BoolArray = highest > np.min(values, axis=1, where=known, initial=np.inf)
    return varies


def _ranks_in_rows(values: FloatArray, known: BoolArray) -> FloatArray:
    """Ranks from 1 of the known numbers of each row, equal ones sharing their mean; NaN elsewhere."""
    n_rows, width = values.shape
    if not width:
        return np.empty((n_rows, 0))
    # NaN sorts last, so the known come first and nothing unknown ranks below them.
    values = np.where(known, values, np.nan)
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    is_new = np.ones((n_rows, width), dtype=np.bool_)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    # A run of equal numbers begins at one `is_new` and ends before the next, over all rows in one list.
    begin = np.flatnonzero(is_new)
    length = np.diff(np.append(begin, is_new.size))
    shared = np.repeat(begin % width + (length + 1) / 2, length).reshape(n_rows, width)
    ranks = np.empty((n_rows, width))
    np.put_along_axis(ranks, order, shared, axis=1)
    return np.where(known, ranks, np.nan)
