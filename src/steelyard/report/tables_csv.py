"""Tables as CSV."""

from __future__ import annotations

import polars as pl

from steelyard.domain.exhibit import Table
from steelyard.domain.spreadsheet import BEGINS_FORMULA


def table_csv(table: Table) -> str:
    """The rows as CSV under the columns' own names, in full precision; empty where unknown.

    No text can be a formula: one that begins like it has an apostrophe in front.
    """
    frame = table.rows.select(column.name for column in table.columns)
    lists = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    flat = frame.with_columns(
        pl.col(lists).map_elements(lambda parts: " ".join(map(str, parts)), return_dtype=pl.String)
    )
    # Infinity and NaN are no numbers to compute with.
    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return flat.with_columns(
        *(pl.when(pl.col(name).is_finite()).then(pl.col(name)) for name in floats),
        pl.col(pl.String, pl.Categorical, pl.Enum).cast(pl.String).str.replace(BEGINS_FORMULA, "'$1"),
    ).write_csv()
