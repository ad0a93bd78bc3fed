"""Small crowds whose judgements can be weighed by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pytest

from steelyard.frames import ratings_frame

# (worker, segment, rating, what an expert says of it or None), then further columns.
Judged = tuple[str, str, float, float | None]
FrameOf = Callable[..., pl.DataFrame]


@pytest.fixture
def frame_of() -> FrameOf:
    """A ratings frame of judgements of system "a", with further columns the same for all."""

    def frame(rows: Sequence[Judged], **columns: Any) -> pl.DataFrame:
        usual = {"hit_id": "h", "item_kind": "regular", "system_id": "a", "attribute": ""}
        named = [
            {"worker_id": worker, "segment_id": segment, "rating": float(rating), "known": known}
            for worker, segment, rating, known in rows
        ]
        return ratings_frame(
            pl.DataFrame([usual | row | columns for row in named], schema_overrides={"known": pl.Float64})
        )

    return frame


@pytest.fixture
def four_points(frame_of: FrameOf) -> pl.DataFrame:
    """Four workers on the scale 1 to 4: exact, too high by 1, wild, and without gold; g1 and g2 are gold.

    Beside the gold everybody judged s1 and s2.
    """
    gold = {"g1": 1.0, "g2": 3.0}
    said = {
        "exact": {"g1": 1, "g2": 3, "s1": 2, "s2": 4},
        "high": {"g1": 2, "g2": 4, "s1": 3, "s2": 4},
        "wild": {"g1": 4, "g2": 1, "s1": 4, "s2": 1},
        "late": {"s1": 1, "s2": 3},
    }
    return frame_of(
        [
            (worker, segment, rating, gold.get(segment))
            for worker, ratings in said.items()
            for segment, rating in ratings.items()
        ]
    )
