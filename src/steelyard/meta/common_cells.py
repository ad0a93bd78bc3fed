"""All pairs of metrics at once, each pair on the scores that both have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# (people, some metrics, which these are) -> their p-values (k, k) that the row's is better than the column's.
PairsTest = Callable[[FloatArray, FloatArray, IntArray], FloatArray]


def on_common_cells(people: FloatArray, metrics: FloatArray, test: PairsTest) -> FloatArray:
    """p-values (M, M) of every ordered pair of metrics, where two are compared on what both score.

    `people` has any shape, `metrics` one axis before it; NaN is no score. Metrics that score the same
    cells are tested together: `test` is called once if all do, and once for each two sets of cells that
    metrics have otherwise. In what it is given, cells outside the common ones are NaN everywhere.
    """
    scored = ~np.isnan(metrics) & ~np.isnan(people)
    _, sort = np.unique(np.packbits(scored.reshape(len(metrics), -1), axis=1), axis=0, return_inverse=True)
    n_sorts = int(sort.max()) + 1 if len(sort) else 0
    cells: list[BoolArray] = [scored[int(np.argmax(sort == number))] for number in range(n_sorts)]
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    for one in range(n_sorts):
        for other in range(one, n_sorts):
            members = np.flatnonzero((sort == one) | (sort == other))
            if len(members) < 2:
                continue
            common = cells[one] & cells[other]
            found = test(
                np.where(common, people, np.nan), np.where(common, metrics[members], np.nan), members
            )
            wanted = (sort[members, None] == one) & (sort[None, members] == other)
            wanted |= wanted.T
            row, column = np.nonzero(wanted)
            p_values[members[row], members[column]] = found[row, column]
    return p_values
