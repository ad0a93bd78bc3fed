"""Rows in an order that shuffling cannot change."""

from __future__ import annotations

import polars as pl

from steelyard.frames import as_categories, in_order_of

CELL = ("system_id", "segment_id")
_NAMES = (*CELL, "attribute", "worker_id")


def in_canonical_order(rows: pl.DataFrame, *values: str) -> pl.DataFrame:
    """The rows' names as ordered categories, their ratings and `values`, whatever order they came in.

    Sums then come out the same to the last bit, and grouping is fast.
    """
    named = rows.select(*(as_categories(rows[name]) for name in _NAMES), *values, "rating")
    return in_order_of(named, *_NAMES, then=["rating"])
