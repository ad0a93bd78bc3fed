"""Frames of control pairs, made from plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from steelyard.frames import ratings_frame

PairFrame = Callable[..., pl.DataFrame]


@dataclass(frozen=True)
class Vector:
    """Test vector 1 of the methods specification."""

    base: Sequence[float] = (80, 65, 90, 70, 55, 75, 60, 85, 50, 78)
    degraded: Sequence[float] = (50, 60, 62, 71, 30, 40, 58, 49, 35, 60)
    first: Sequence[float] = (70, 82, 45, 66, 91, 58, 73, 39, 64, 88)
    second: Sequence[float] = (74, 80, 52, 60, 90, 65, 70, 45, 66, 85)


@pytest.fixture(scope="session")
def vector() -> Vector:
    return Vector()


@pytest.fixture(scope="session")
def pair_frame() -> PairFrame:
    """Makes the ratings frame of many workers from arrays (workers, pairs), or of one from (pairs,)."""

    def make(
        base: Sequence[float] | np.ndarray,
        degraded: Sequence[float] | np.ndarray,
        first: Sequence[float] | np.ndarray = (),
        second: Sequence[float] | np.ndarray = (),
        *,
        hits: int = 1,
    ) -> pl.DataFrame:
        parts = [
            _rows("regular", base, "d", hits),
            _rows("degraded", degraded, "d", hits),
            _rows("regular", first, "r", hits),
            _rows("repeat", second, "r", hits),
        ]
        same = {"system_id": pl.lit("A"), "attribute": pl.lit("")}
        return ratings_frame(pl.concat(parts).with_columns(**same))

    return make


def _rows(kind: str, ratings: Sequence[float] | np.ndarray, prefix: str, hits: int) -> pl.DataFrame:
    """One row per rating; pair i is segment <prefix><i> in HIT h<i modulo hits> of its worker."""
    table = np.atleast_2d(np.asarray(ratings, dtype=np.float64))
    worker, pair = np.divmod(np.arange(table.size), max(table.shape[1], 1))
    columns = pl.DataFrame({"worker": worker, "pair": pair, "hit": pair % hits, "rating": table.ravel()})
    return columns.select(
        worker_id=pl.format("W{}", pl.col("worker").cast(pl.String).str.zfill(4)),
        hit_id=pl.format("h{}", "hit"),
        segment_id=pl.format(prefix + "{}", "pair"),
        item_kind=pl.lit(kind),
        rating="rating",
    )
