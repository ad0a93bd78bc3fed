"""Krippendorff's alpha for intervals: sums over units against the coincidence matrix of the textbook.

The matrix has a row and a column for every distinct value, so continuous ratings make it grow with the
square of their number; it is held up to a few thousand. Below, the whole agreement table of a campaign
with its intervals.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import polars as pl

from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.frames import ratings_frame
from steelyard.stats.alpha import alpha_totals, interval_alpha_of, unit_sums

SIZES = (1_000, 2_000, 4_000)
LARGE = 16_000
RATINGS_PER_UNIT = 4
HITS, HIT_SIZE = 360, 100
Answer = TypeVar("Answer")


def main() -> None:
    """Print times, ratios and the largest difference between both answers."""
    rng = np.random.default_rng(7)
    print(f"{'ratings':>8}  {'textbook ms':>12}  {'ours ms':>8}  {'ratio':>8}  {'difference':>10}")
    for size in SIZES:
        value, unit = some_ratings(size, rng)
        expected, slow = timed(lambda value=value, unit=unit: textbook_alpha(value, unit), runs=1)
        found, fast = timed(lambda value=value, unit=unit: interval_alpha(value, unit), runs=20)
        assert abs(found - expected) < 1e-12, (found, expected)
        difference = abs(found - expected)
        print(
            f"{size:>8,}  {slow:>12.1f}  {fast:>8.2f}  x {slow / fast:>6,.0f}  {difference:>10.1e}",
            flush=True,
        )
    value, unit = some_ratings(LARGE, rng)
    _, large = timed(lambda: interval_alpha(value, unit), runs=20)
    print(f"{LARGE:>8,}  {'':>12}  {large:>8.2f}  x {slow / large:>6,.0f}  (textbook on {SIZES[-1]:,} only)")

    frame = some_campaign(rng)
    _, table = timed(lambda: agreement(frame, AgreementOptions()), runs=5)
    print(f"\nagreement table of {len(frame):,} judgements with its intervals: {table:.0f} ms")


def interval_alpha(value: np.ndarray, unit: np.ndarray) -> float:
    """Ours: from sums over units."""
    return float(interval_alpha_of(alpha_totals(unit_sums(value, unit))))


def some_ratings(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Continuous ratings, all different, of units that really differ."""
    unit = np.arange(size) // RATINGS_PER_UNIT
    return 50 + 20 * rng.normal(size=unit[-1] + 1)[unit] + 15 * rng.normal(size=size), unit


def textbook_alpha(value: np.ndarray, unit: np.ndarray) -> float:
    """Alpha as it is taught: a matrix of coincidences of values, and one of squared differences."""
    distinct, place = np.unique(value, return_inverse=True)
    coincidences = np.zeros((len(distinct), len(distinct)))
    for number in range(int(unit.max()) + 1):
        members = place[unit == number]
        for i, first in enumerate(members):
            for j, second in enumerate(members):
                if i != j:
                    coincidences[first, second] += 1 / (len(members) - 1)
    squared = (distinct[:, None] - distinct) ** 2
    margin = coincidences.sum(axis=0)
    n = margin.sum()
    expected = np.outer(margin, margin) / (n - 1)
    return float(1 - (coincidences * squared).sum() / (expected * squared).sum())


def some_campaign(rng: np.random.Generator) -> pl.DataFrame:
    """HITs of 90 regular items and 10 repeats, each by a worker of its own, on 8,000 translations."""
    items = np.concatenate([rng.permutation(8_100).reshape(90, 90) for _ in range(HITS // 90)])
    items = np.concatenate([items, items[:, :10]], axis=1)
    worker = np.repeat(np.arange(HITS), HIT_SIZE)
    quality, level = rng.normal(60, 20, 8_100), rng.normal(0, 8, HITS)
    rating = quality[items.ravel()] + level[worker] + rng.normal(0, 12, HITS * HIT_SIZE)
    return ratings_frame(
        pl.DataFrame(
            {
                "worker_id": worker,
                "hit_id": worker,
                "item_kind": np.tile(["regular"] * 90 + ["repeat"] * 10, HITS),
                "segment_id": items.ravel() // 10,
                "system_id": items.ravel() % 10,
                "attribute": "adequacy",
                "position": np.tile(np.arange(1, HIT_SIZE + 1), HITS),
                "rating": rating.clip(0, 100).round(),
            }
        )
    )


def timed(run: Callable[[], Answer], *, runs: int) -> tuple[Answer, float]:
    """The answer, and the shortest of some runs in milliseconds."""
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        answer = run()
        best = min(best, 1000 * (time.perf_counter() - begin))
    return answer, best


if __name__ == "__main__":
    main()
