"""pandas frames as Polars frames, without pyarrow, which Polars itself would need for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    import pandas as pd


def from_pandas(table: pd.DataFrame) -> pl.DataFrame:
    """The cells of a pandas frame, null where pandas says NaN, NaT, NA or None.

    Where its index has names, they are columns too.
    """
    named = [name for name in table.index.names if name is not None and name not in table.columns]
    table = table.reset_index(level=named) if named else table
    return pl.DataFrame([_column(str(name), column) for name, column in table.items()])


def _column(name: str, column: pd.Series) -> pl.Series:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "m":
        column = column.dt.total_seconds()
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    return pl.Series(name, [_known(value) for value in column.tolist()], strict=False)


def _known(value: Any) -> Any:
    """A cell, None where it is one of the ways in which pandas says that it is unknown."""
    # NA refuses to be compared, NaN and NaT differ from themselves.
    if value is None or type(value).__name__ == "NAType" or value != value:
        return None
    return value
