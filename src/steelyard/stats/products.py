"""Matrix products that take the same time on a busy machine."""

from __future__ import annotations

from steelyard.stats.arrays import FloatArray

# Multiplications up to which the usual library, OpenBLAS, makes a product without threads, and the shortest
# sums for which products so small are worth it.
_UNTHREADED = 1 << 18
_SHORTEST = 16


def small_products(left: FloatArray, right: FloatArray) -> FloatArray:
    """`left @ right` of (..., k, m) and (..., m, d), in pieces of the sums over m.

    In one product the linear algebra library would work with threads, and where other programs run they
    wait for one another longer than they work. Pieces are small enough to go without. Keep k times d below
    some ten thousand.

    >>> import numpy as np
    >>> small_products(np.ones((2, 1000)), np.ones((1000, 1))).tolist()
    [[1000.0], [1000.0]]
    """
    *_, n_rows, length = left.shape
    step = max(_SHORTEST, _UNTHREADED // max(1, n_rows * right.shape[-1]))
    sums = left[..., :step] @ right[..., :step, :]
    for start in range(step, length, step):
        sums += left[..., start : start + step] @ right[..., start : start + step, :]
    return sums
