"""Ratings of four cells made by rule, so that means are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.frames import ratings_frame
from steelyard.longitudinal.cells import CellRatings

Frame = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Crowd = Callable[..., CellRatings]


@pytest.fixture(scope="session")
def frame_of_rows() -> Frame:
    """Makes a ratings frame from rows (worker, system, segment, rating[, kind[, attribute]])."""

    def make(rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        names = ["worker_id", "system_id", "segment_id", "rating", "item_kind", "attribute"]
        usual = (None, None, None, None, "regular", "adequacy")
        full = [(*row, *usual[len(row) :]) for row in rows]
        table = pl.DataFrame(full, schema=names, schema_overrides={"rating": pl.Float64}, orient="row")
        return ratings_frame(table.with_columns(hit_id=pl.lit("h")))

    return make


@pytest.fixture(scope="session")
def cell_crowd() -> Crowd:
    """Makes the ratings of cells whose true means are given, by workers with levels of their own.

    Workers, segments and single ratings deviate as much as said; test sets have their own segments, of which
    `length` are a document.
    """

    def make(
        rng: np.random.Generator,
        *,
        means: tuple[float, ...] = (65.0, 58.0, 53.0, 56.0),
        n_workers: int = 15,
        n_segments: int = 40,
        sds: tuple[float, float, float] = (10.0, 8.0, 12.0),
        length: int = 1,
    ) -> CellRatings:
        of_worker, of_segment = rng.normal(0, sds[0], n_workers), rng.normal(0, sds[1], (2, n_segments))
        n_each = 8
        worker = np.repeat(np.arange(n_workers), 4 * n_each)
        system = np.tile(np.repeat(np.arange(4), n_each), n_workers)
        segment = rng.integers(n_segments, size=len(worker))
        level = np.array(means)[system] + of_worker[worker] + of_segment[system % 2, segment]
        rating = level + rng.normal(0, sds[2], len(worker))
        return CellRatings(
            "adequacy",
            rating=rating,
            z=(rating - rating.mean()) / rating.std(),
            worker=worker,
            segment=2 * segment + system % 2,
            document=2 * (segment // length) + system % 2,
            system=system,
            judgement=np.arange(len(worker)),
            cell_of_system=np.arange(4),
        )

    return make
