"""Frames as plain records: what is unknown is None, never NaN; nothing is rounded."""

from __future__ import annotations

import math
from datetime import date, datetime
from typing import Any

import polars as pl


def records(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """One dict per row, in types that JSON knows."""
    return [{name: plain(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]


def plain(value: Any) -> Any:
    """A cell in a type that JSON knows."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple | pl.Series):
        return [plain(part) for part in value]
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value
