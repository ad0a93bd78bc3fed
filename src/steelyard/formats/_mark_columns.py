"""Marks of rows: what people decided not to count, who is simulated, which systems joined later."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from steelyard.domain.running import Exclusion
from steelyard.formats._column_reader import NO, ROUNDED, YES, ColumnReader

_NO_REASON = "no reason given"
_OF_A_HIT = ["worker_id", "hit_id"]


@dataclass(frozen=True, slots=True)
class Marks:
    """What a table says of this: exclusions by HIT, simulated workers, systems that joined later."""

    exclusions: tuple[Exclusion, ...] = ()
    simulated: frozenset[str] = frozenset()
    joined: tuple[str, ...] = ()


def read_marks(reader: ColumnReader, frame: pl.DataFrame) -> Marks:
    """The marks of a table whose rows are those of the frame; problems are noted in the reader.

    An `excluded` cell holds the reason. Other tables say true or false: the former has no reason, the latter
    means nothing.
    """
    hits = frame.select(_OF_A_HIT)
    exclusions: tuple[Exclusion, ...] = ()
    if reader.has("excluded"):
        said = reader.text("excluded").str.strip_chars()
        word = said.str.to_lowercase()
        # A lone "0" or "1" may also be a number, or a truth value with a point.
        word = word.replace(ROUNDED)
        reason = said.set(word.is_in(YES).fill_null(False), _NO_REASON)
        reason = reason.set((word.is_in(NO) | (word == "")).fill_null(False), None)
        exclusions = _exclusions(reader, hits.with_columns(reason.alias("reason")))
    simulated = _marked(reader, "simulated", hits["worker_id"])
    joined = _marked(reader, "joined", frame["system_id"]) if "system_id" in frame.columns else ()
    return Marks(exclusions, frozenset(simulated), tuple(sorted(joined)))


def _exclusions(reader: ColumnReader, rows: pl.DataFrame) -> tuple[Exclusion, ...]:
    """An exclusion for each worker's HIT that is marked; a HIT of which only some rows are is refused."""
    if not rows["reason"].count():
        return ()
    first = pl.col("reason").first().over(_OF_A_HIT)
    differs = rows.select(pl.col("reason").ne_missing(first)).to_series()
    reader.refuse(
        "excluded",
        differs,
        "differs from above for the same worker and HIT; a HIT is excluded as a whole",
        show=False,
    )
    marked = rows.filter(pl.col("reason").is_not_null()).unique(_OF_A_HIT, keep="first", maintain_order=True)
    return tuple(Exclusion(worker, hit, reason) for worker, hit, reason in marked.iter_rows())


def _marked(reader: ColumnReader, column: str, names: pl.Series) -> list[str]:
    """Those of the names with a row that the column marks."""
    if not reader.has(column):
        return []
    return names.filter(reader.truth(column).fill_null(False)).unique().to_list()
