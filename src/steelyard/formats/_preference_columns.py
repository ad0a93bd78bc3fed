"""Rows of preferences: columns under our names become the preferences frame, or a list of problems."""

from __future__ import annotations

import polars as pl

from steelyard.domain.judgement import PREFERENCES
from steelyard.domain.work import SCORED_KINDS, SUBSTITUTE_KINDS
from steelyard.formats._column_reader import ColumnReader
from steelyard.formats._judgement_columns import shown
from steelyard.frames import CONTROL_SIDES, preferences_frame


def read_preferences(reader: ColumnReader) -> pl.DataFrame | None:
    """The preferences frame of a table, or None if there were problems."""
    columns = {
        **reader.judged(),
        "system_a": reader.text("system_a", required=True),
        "system_b": reader.text("system_b", required=True),
        "control_side": reader.one_of("control_side", CONTROL_SIDES),
        "preference": reader.one_of("preference", PREFERENCES, required=True),
        "credited_a": reader.names("credited_a"),
        "credited_b": reader.names("credited_b"),
    }
    is_scored = columns["item_kind"].is_in([str(kind) for kind in SCORED_KINDS])
    itself = is_scored & (columns["system_a"] == columns["system_b"])
    reader.refuse("system_b", itself, "is system_a too, and a system is not compared with itself")
    sided = is_scored & columns["control_side"].is_not_null()
    reader.refuse("control_side", sided, "is for degraded and reference rows only; check the kind")
    if not reader.problems:
        frame = pl.DataFrame(columns)
        other = pl.when(is_scored).then("system_b")
        reader.refuse_credited_twice(frame, ("credited_a", "credited_b"), pl.col("system_a"), other)
        shared = reader.shared_judgements(frame)
        reader.refuse_mixed(shared)
        _refuse_twice(reader, shared)
    if reader.problems:
        return None
    _warn_of_unknown_sides(reader, frame)
    reader.take_hit_times(frame)
    return preferences_frame(frame)


def _compared() -> pl.Expr:
    """What a row compares, whichever of the two stands first."""
    sides = (
        pl.struct(
            pl.col(f"system_{side}").alias("system"),
            control=(pl.col("control_side") == side).fill_null(False),
        )
        for side in CONTROL_SIDES
    )
    return pl.struct("attribute", "segment_id", pl.concat_list(*sides).list.sort().alias("pair")).alias(
        "said"
    )


def _refuse_twice(reader: ColumnReader, shared: pl.DataFrame) -> None:
    """One judgement says only once which of a pair of translations is better."""
    rows = shared.filter(~pl.struct("judgement_id", _compared()).is_first_distinct())
    texts = [
        f"judgement_id {shown(row['judgement_id'])} compares {shown(row['system_a'])} with "
        f"{shown(row['system_b'])} twice; keep one of the rows"
        for row in rows.iter_rows(named=True)
    ]
    reader.complain(rows.with_columns(pl.Series("text", texts, pl.String)))


def _warn_of_unknown_sides(reader: ColumnReader, frame: pl.DataFrame) -> None:
    controls = frame["item_kind"].is_in([str(kind) for kind in SUBSTITUTE_KINDS])
    n = int((controls & frame["control_side"].is_null()).sum())
    if n:
        reader.warnings.append(
            f"{n:,} of {int(controls.sum()):,} degraded and reference rows do not say in control_side which "
            "translation is the control: they count for nothing."
        )
