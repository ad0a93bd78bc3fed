"""Small ratings frames, written row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from steelyard.frames import ratings_frame

MakeFrame = Callable[[list[dict[str, Any]]], pl.DataFrame]
USUAL = {
    "worker_id": "w",
    "hit_id": "h",
    "item_kind": "regular",
    "system_id": "a",
    "segment_id": "1",
    "attribute": "adequacy",
    "position": None,
    "submitted_at": None,
    "credited": None,
}


@pytest.fixture(scope="session")
def frame_of() -> MakeFrame:
    """A ratings frame of the given rows; what a row leaves out is as usual."""

    def make(rows: list[dict[str, Any]]) -> pl.DataFrame:
        complete = [{**USUAL, "judgement_id": f"j{k}", **row} for k, row in enumerate(rows)]
        schema = {
            "credited": pl.List(pl.String),
            "position": pl.Int64,
            "submitted_at": pl.Datetime("us", "UTC"),
            "rating": pl.Float64,
        }
        empty = {**dict.fromkeys(USUAL, pl.String), **schema}
        if not complete:
            return ratings_frame(pl.DataFrame(schema=empty))
        return ratings_frame(pl.DataFrame(complete, schema_overrides=schema, infer_schema_length=None))

    return make
