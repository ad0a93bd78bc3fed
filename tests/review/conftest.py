"""Small ratings frames and times, with all that a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.frames import RATINGS_SCHEMA, hit_times_frame, ratings_frame

Rows = Callable[[Sequence[dict[str, Any]]], pl.DataFrame]
START = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
USUAL = {"worker_id": "W", "hit_id": "h1", "item_kind": "regular", "system_id": "A", "attribute": ""}


@pytest.fixture(scope="session")
def make_frame() -> Rows:
    """A ratings frame from rows that name only what matters; every row is of a segment of its own."""

    def make(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
        full = [{"segment_id": f"s{i}", "rating": 50.0, **USUAL, **row} for i, row in enumerate(rows)]
        schema = {name: dtype for name, dtype in RATINGS_SCHEMA.items() if any(name in row for row in full)}
        return ratings_frame(pl.DataFrame(full, schema=schema))

    return make


@pytest.fixture(scope="session")
def make_times() -> Rows:
    """HIT times from rows; `accepted` and `submitted` are minutes after noon."""

    def make(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
        def moment(minutes: float | None) -> datetime | None:
            return None if minutes is None else START + timedelta(minutes=minutes)

        full = [
            {
                "worker_id": row.get("worker_id", "W"),
                "hit_id": row["hit_id"],
                "work_seconds": row.get("work_seconds"),
                "accepted_at": moment(row.get("accepted")),
                "submitted_at": moment(row.get("submitted")),
                "is_rejected": row.get("is_rejected"),
            }
            for row in rows
        ]
        return hit_times_frame(pl.DataFrame(full, schema_overrides=dict(hit_times_frame().schema)))

    return make


@pytest.fixture(scope="session")
def make_pairs() -> Callable[..., pl.DataFrame]:
    """A ratings frame of pairs: arrays (workers, HITs, pairs) of base and control ratings."""

    def make(base: np.ndarray, control: np.ndarray, *, kind: str = "degraded") -> pl.DataFrame:
        worker, hit, pair = (index.ravel() for index in np.indices(base.shape))
        side = pl.DataFrame(
            {
                "worker_id": [f"W{i:05d}" for i in worker],
                "hit_id": [f"h{i}" for i in hit],
                "segment_id": [f"s{i}" for i in pair],
            }
        ).with_columns(system_id=pl.lit("A"), attribute=pl.lit(""))
        return ratings_frame(
            pl.concat(
                side.with_columns(item_kind=pl.lit(name), rating=pl.Series(ratings.ravel(), dtype=pl.Float64))
                for name, ratings in (("regular", base), (kind, control))
            )
        )

    return make
