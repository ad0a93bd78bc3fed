"""Crowds small enough to see through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.frames import ratings_frame

COLUMNS = ("worker_id", "system_id", "segment_id", "rating", "item_kind", "attribute", "known")
DEFAULTS = ("regular", "", None)
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]


@pytest.fixture(scope="session")
def ratings() -> Ratings:
    """Makes a ratings frame from rows (worker, system, segment, rating[, kind[, attribute[, known]]])."""

    def make(rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        full = [(*row, *DEFAULTS[len(row) - 4 :]) for row in rows]
        types = {"rating": pl.Float64, "known": pl.Float64}
        table = pl.DataFrame(full, schema=list(COLUMNS), schema_overrides=types, orient="row")
        return ratings_frame(table.with_columns(hit_id=pl.lit("h")))

    return make


@pytest.fixture(scope="session")
def exact(ratings: Ratings) -> pl.DataFrame:
    """Eight workers who all rate twelve translations by their true quality, each in their own way."""
    quality = np.linspace(0, 10, 12)
    return ratings(
        (f"w{w}", f"S{t % 3}", f"s{t // 3}", 5.0 * w + (1 + w) * quality[t], "regular", "", quality[t])
        for w in range(8)
        for t in range(12)
    )


@pytest.fixture(scope="session")
def noisy(ratings: Ratings) -> pl.DataFrame:
    """Ten workers, three systems with ten segments each; every worker has ten degraded copies."""
    rng = np.random.default_rng(3)
    quality = {"A": 40.0, "B": 55.0, "C": 70.0}
    hard = rng.normal(0, 12, 10)
    rows: list[tuple[Any, ...]] = []
    for w in range(10):
        for system, level in quality.items():
            for s in range(10):
                given = level + hard[s] + rng.normal(0, 15)
                rows.append((f"w{w}", system, f"s{s}", float(np.clip(round(given), 0, 100))))
                if (s + w) % 3 == 0:
                    damaged = given - 30 + rng.normal(0, 5)
                    rows.append(
                        (f"w{w}", system, f"s{s}", float(np.clip(round(damaged), 0, 100)), "degraded")
                    )
    return ratings(rows)


@pytest.fixture(scope="session")
def two_attributes(noisy: pl.DataFrame) -> pl.DataFrame:
    """The same, judged for adequacy, and for fluency with some further noise."""
    noise = pl.Series(np.random.default_rng(4).normal(0, 8, len(noisy)).round())
    return pl.concat(
        [
            noisy.with_columns(attribute=pl.lit("adequacy")),
            noisy.with_columns(attribute=pl.lit("fluency"), rating=(pl.col("rating") + noise).clip(0, 100)),
        ]
    )
