"""The worker model beside plain NumPy: how long until it settles, in sweeps of `bincount` at the same size.

A sweep of the published model, written with `bincount` as one would write it first, is the yardstick: the
same run, the same ratings. Prints Markdown.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.effects import ItemOrigin
from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.units import in_own_units
from steelyard.stats.worker_model.variational import Learned, learn

SIZES = (20_000, 200_000, 2_000_000, 20_000_000)
Result = TypeVar("Result")
# Ratings per item and per worker.
PER_ITEM, PER_WORKER = 10, 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    print("| ratings | sweeps | seconds | µs per rating | one sweep of bincount | ratio | memory |")
    print("|---|---|---|---|---|---|---|")
    for size in (int(float(text)) for text in parser.parse_args().sizes.split(",")):
        item, worker, rating = _crowd(size)
        learned, seconds = _timed(lambda: _fit(item, worker, rating))  # noqa: B023
        plain = min(_timed(lambda: _plain_sweep(item, worker, rating))[1] for _ in range(3))  # noqa: B023
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        assert learned.reached.converged
        print(
            f"| {size:,} | {learned.reached.turns} | {seconds:.2f} | {1e6 * seconds / size:.2f} "
            f"| {plain:.3f} s | {seconds / plain:.1f} | {memory:.1f} GB |",
            flush=True,
        )


def _crowd(size: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Workers who differ in offset, slope and care, on a scale of 0 to 100."""
    rng = np.random.default_rng(7)
    n_items, n_workers = size // PER_ITEM, max(size // PER_WORKER, 20)
    item, worker = rng.integers(0, n_items, size), rng.integers(0, n_workers, size)
    quality, offset = rng.normal(0, 1, n_items), rng.normal(0, 0.5, n_workers)
    slope, noise = np.maximum(rng.normal(1, 0.3, n_workers), 0), rng.gamma(4, 0.25, n_workers) ** -0.5
    value = offset[worker] + slope[worker] * quality[item] + noise[worker] * rng.normal(size=size)
    return item, worker, np.clip(np.round(60 + 20 * value), 0, 100)


def _fit(item: IntArray, worker: IntArray, rating: FloatArray) -> Learned:
    n_items, n_workers = int(item.max()) + 1, int(worker.max()) + 1
    none = np.zeros(n_items, dtype=np.int64)
    units = in_own_units(rating, worker, none[item], n_workers=n_workers, n_criteria=1)
    ratings = WorkerRatings(item, worker, units.value, n_items, n_workers)
    return learn(ratings, ItemOrigin(none, none - 1, none - 1, none, 1, 0, 0, 1))


def _plain_sweep(item: IntArray, worker: IntArray, rating: FloatArray) -> FloatArray:
    """Quality, offsets and errors of the published model, updated once."""
    n_items, n_workers = int(item.max()) + 1, int(worker.max()) + 1
    precision, offset = np.ones(n_workers), np.zeros(n_workers)
    told = 1 + np.bincount(item, precision[worker], n_items)
    quality = np.bincount(item, precision[worker] * (rating - offset[worker]), n_items) / told
    n_ratings = np.bincount(worker, minlength=n_workers)
    offset = precision * np.bincount(worker, rating - quality[item], n_workers) / (1 + n_ratings * precision)
    errors: FloatArray = np.bincount(
        worker, (rating - quality[item] - offset[worker]) ** 2 + 1 / told[item], n_workers
    )
    return errors


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


if __name__ == "__main__":
    main()
