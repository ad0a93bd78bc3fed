"""Intervals had others judged: workers are drawn with replacement, each with all their ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.agreement.rows import Redraw
from steelyard.stats.arrays import FloatArray

# Draws made at once: the sums over a block of items then stay in the processor's cache.
_DRAWS_AT_ONCE = 128
# With very many workers fewer at once, so that no array of counts exceeds 32 MB.
_COUNTS_AT_ONCE = 4_000_000


def resampled(
    redraws: Sequence[Redraw], *, n_workers: int, draws: int, rng: np.random.Generator
) -> list[FloatArray]:
    """The values of every part in draws of workers, the same for all parts. (rows, draws) each."""
    step = max(1, min(_DRAWS_AT_ONCE, _COUNTS_AT_ONCE // n_workers))
    drawn: list[list[FloatArray]] = [[] for _ in redraws]
    for start in range(0, draws, step):
        counts = worker_counts(n_workers, min(step, draws - start), rng)
        for values, redraw in zip(drawn, redraws, strict=True):
            values.append(redraw(counts))
    return [np.concatenate(values, axis=1) for values in drawn]


def worker_counts(n_workers: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """How often each draw of as many workers as there are, with replacement, has each. (workers, draws)."""
    taken = rng.integers(n_workers, size=(n_workers, draws)) * draws + np.arange(draws)
    counts = np.bincount(taken.ravel(), minlength=n_workers * draws)
    return counts.reshape(n_workers, draws).astype(np.float64)


def interval_ends(drawn: FloatArray, *, value: FloatArray, level: float) -> FloatArray:
    """Ends of the middle `level` of each row's draws about the row's value. Shape (2, rows).

    The draws are moved so that their mean is the value, because only their spread matters: a draw has
    fewer different workers, so items with few ratings lose their pairs more often than others, and
    alpha is drawn off where these items differ from the rest. No coefficient exceeds 1. Draws in which
    one is undefined are left out; if all are, or the value is NaN, so are the ends.
    """
    ends = np.full((2, len(drawn)), np.nan)
    known = ~(np.isnan(value) | np.isnan(drawn).all(axis=1))
    if known.any():
        middle = np.nanmean(drawn[known], axis=1)
        tail = (1.0 - level) / 2
        quantiles = np.nanquantile(drawn[known], [tail, 1.0 - tail], axis=1)
        ends[:, known] = np.minimum(quantiles + value[known] - middle, 1.0)
    return ends
