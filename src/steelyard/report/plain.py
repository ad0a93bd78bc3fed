"""Frames as plain records: what is unknown is None, never NaN; nothing is rounded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import polars as pl

_PLAIN = (pl.String(), pl.Boolean(), pl.List(pl.String()))


def records(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """One dict per row, in types that JSON knows."""
    known = frame.with_columns(pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64)))
    if all(dtype.is_numeric() or dtype in _PLAIN for dtype in frame.dtypes):
        return known.to_dicts()
    return [{name: plain(value) for name, value in row.items()} for row in known.iter_rows(named=True)]


def plain(value: Any) -> Any:
    """A cell, or anything made of cells, in types that JSON knows."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | pl.Series):
        return [plain(part) for part in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value
